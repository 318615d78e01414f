//! A run as its log has it: everything is folded from the events, so that appending is the only way to change it. What
//! others append meanwhile is folded with it.
//!
//! The session's state is seen with what this run has set in it, stored or not.

use arki_domain::projection::{
    AgentState, PendingCall, Progress, READ_RESULT_TOOL, RunState, SavedText, StateSavingStrategy, Transcript,
};
use arki_domain::{Error, Event, EventBody, EventLog, FollowedLog, SessionId};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The state of a run that is to go on: everything is folded from the log up to `last_seq`.
pub struct RunSnapshot {
    pub state: RunState,
    pub transcript: Transcript,
    pub progress: Progress,
    pub last_seq: u64,
}

/// One run's events: appended here, and folded.
pub struct RunLog {
    pub(crate) followed: FollowedLog,
    pub(crate) state: RunState,
    pub(crate) transcript: Transcript,
    pub(crate) progress: Progress,
    /// The run's own copy of the session's state, as long as it differs from what is stored.
    unsaved_state: Option<AgentState>,
    state_saving: StateSavingStrategy,
}

impl RunLog {
    pub(crate) fn new(
        log: Arc<dyn EventLog>,
        session_id: SessionId,
        standing: RunSnapshot,
        state_saving: StateSavingStrategy,
    ) -> Self {
        let RunSnapshot { state, transcript, progress, last_seq } = standing;
        let followed = FollowedLog { log, session_id, last_seq };
        Self { followed, state, transcript, progress, unsaved_state: None, state_saving }
    }

    /// Stores events; before an end or a pause also what is not yet stored of the session's state.
    pub(crate) async fn append(&mut self, mut bodies: Vec<EventBody>) -> Result<(), Error> {
        if bodies.iter().any(is_stop) {
            bodies.splice(0..0, self.take_unsaved_state());
        }
        let events = self.followed.append(&self.state.run_id, bodies).await?;
        self.fold(&events);
        Ok(())
    }

    /// Folds what was appended for this run, with what others appended.
    pub(crate) async fn take(&mut self, events: Vec<Arc<Event>>) -> Result<(), Error> {
        let events = self.followed.unseen(events).await?;
        self.fold(&events);
        Ok(())
    }

    pub(crate) async fn catch_up(&mut self) -> Result<(), Error> {
        let events = self.followed.catch_up().await?;
        self.fold(&events);
        Ok(())
    }

    fn fold(&mut self, events: &[Arc<Event>]) {
        for event in events {
            let body = event.body();
            self.state.apply_body(event, &body);
            self.progress.apply(event, &body);
            self.unsaved_state.iter_mut().for_each(|unsaved| unsaved.apply(&body));
            self.transcript.apply_body(event, body);
        }
    }

    /// Returns the result that the call is to read again.
    pub(crate) async fn previous_result(&self, pending: &PendingCall) -> Result<Option<String>, Error> {
        let PendingCall { call, .. } = pending;
        let id = call.args.get("call_id").and_then(|id| id.as_str()).filter(|_| call.tool_id == READ_RESULT_TOOL);
        match id.and_then(|id| self.transcript.result_of(&id.into())) {
            Some(SavedText::Here(text)) => Ok(Some(text.to_owned())),
            Some(SavedText::InLog(seq)) => self.logged_result(seq).await,
            None => Ok(None),
        }
    }

    async fn logged_result(&self, seq: u64) -> Result<Option<String>, Error> {
        let event = self.followed.log.event(&self.followed.session_id, seq).await?;
        Ok(event.and_then(|event| match event.body() {
            EventBody::ToolResult(result) => Some(result.result),
            _ => None,
        }))
    }

    /// The session's state: with what this run has set, stored or not.
    #[must_use]
    pub fn agent_state(&self) -> &Map<String, Value> {
        self.seen_state().values()
    }

    pub(crate) fn seen_state(&self) -> &AgentState {
        self.unsaved_state.as_ref().unwrap_or(&self.progress.agent_state)
    }

    /// Makes `values` the session's state. It is stored at once, or with [`StateSavingStrategy::Implicit`] when the run
    /// ends or waits. Where that fails, the state is as before.
    ///
    /// # Errors
    /// `STATE_TOO_LARGE`, and those of the log.
    pub async fn set_agent_state(&mut self, values: Map<String, Value>) -> Result<(), Error> {
        let seen = self.seen_state();
        let change = seen.change_to(&values);
        let changed = seen.changed(&change)?;
        match self.state_saving {
            _ if change.is_empty() => {}
            StateSavingStrategy::Explicit => self.append(vec![change.into()]).await?,
            StateSavingStrategy::Implicit => self.unsaved_state = Some(changed),
        }
        Ok(())
    }

    /// Returns what the observer found worth remembering, if anything. It's appended before the event that ends the
    /// run, so that that event stays the run's last.
    pub(crate) fn observed(&self, completed_turns: Option<u32>) -> Option<EventBody> {
        self.progress.observer.observed(completed_turns).map(Into::into)
    }

    /// Takes what the run's copy of the state has that is not stored; there is no copy any more then.
    fn take_unsaved_state(&mut self) -> Option<EventBody> {
        let unsaved = self.unsaved_state.take()?;
        let change = self.progress.agent_state.change_to(unsaved.values());
        (!change.is_empty()).then(|| change.into())
    }
}

fn is_stop(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::RunPaused(_) | EventBody::RunCompleted(_) | EventBody::RunFailed(_) | EventBody::RunCancelled(_)
    )
}
