//! The state of a session: reading it, changing it, and what it was before.

use crate::{Sessions, blocking};
use arki_domain::projection::AgentState;
use arki_domain::{Error, EventDraft, EventLog, SessionId, StateChanged};
use std::sync::Arc;

impl Sessions {
    /// The session's state as it is stored; that of a fork begins with its origin's.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the database cannot be read.
    pub fn agent_state(&self, session_id: &SessionId) -> Result<AgentState, Error> {
        self.reader.session(session_id)?;
        self.agent_state_at(session_id, u64::MAX)
    }

    /// Changes the session's state, and returns it as it is then.
    ///
    /// # Errors
    /// `STATE_TOO_LARGE`, `SESSION_NOT_FOUND`, `SESSION_READ_ONLY` where the log is broken, or those of the log.
    pub async fn set_agent_state(
        self: &Arc<Self>,
        session_id: &SessionId,
        change: StateChanged,
    ) -> Result<AgentState, Error> {
        let session = session_id.clone();
        let (state, change) = blocking(self, move |sessions| {
            let state = sessions.agent_state(&session)?;
            sessions.reader.ensure_found_whole(&session)?;
            let change = state.change_to(state.changed(&change)?.values());
            Ok((state, change))
        })
        .await?;
        if change.is_empty() {
            return Ok(state);
        }
        let events = self.records.log().append(session_id, vec![EventDraft::of_session(change.clone())]).await?;
        let (session, seq) = (session_id.clone(), events.first().map_or(0, |event| event.seq));
        // Others may have changed it meanwhile: the fold passes over a change for which they have left no room.
        blocking(self, move |sessions| sessions.agent_state_at(&session, seq.saturating_sub(1))?.changed(&change)).await
    }

    /// Returns what has to change for the state to be what it was right after event `to_seq`; `None` where it is that.
    pub(crate) fn state_taken_back(&self, session_id: &SessionId, to_seq: u64) -> Result<Option<EventDraft>, Error> {
        let before = self.agent_state_at(session_id, to_seq)?;
        let change = self.agent_state(session_id)?.change_to(before.values());
        Ok((!change.is_empty()).then(|| EventDraft::of_session(change)))
    }

    fn agent_state_at(&self, session_id: &SessionId, to_seq: u64) -> Result<AgentState, Error> {
        let mut state = AgentState::default();
        for stretch in self.reader.lineage(session_id)? {
            let last = stretch.to_seq.unwrap_or(to_seq);
            let log = self.records.reader().log();
            log.each_state_event(&stretch.session_id, last, |event| state.apply(&event.body()))?;
        }
        Ok(state)
    }
}
