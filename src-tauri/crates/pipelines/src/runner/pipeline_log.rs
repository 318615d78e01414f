//! The log of a pipeline's run: events are gathered, and appended together after the contents that they speak of. What is
//! appended is folded, with what others appended meanwhile.

use super::outputs::EndedOutput;
use super::{PipelineParts, PipelineSnapshot};
use arki_domain::projection::PipelineState;
use arki_domain::{
    Code, Content, ContentStore, Error, Event, EventBody, FollowedLog, RunResumed, SessionId, SkipReason, StepSkipped,
    sha256_hex,
};
use std::sync::Arc;

pub(super) struct PipelineLog {
    pub(super) followed: FollowedLog,
    contents: Arc<dyn ContentStore>,
    pub(super) state: PipelineState,
    /// The event of a resumed run that is not told yet.
    pub(super) resumed: Option<RunResumed>,
    /// The events that are appended together.
    pub(super) told: Vec<EventBody>,
    /// Told of before them: what was done before. Alone it isn't worth an event.
    passed: Vec<EventBody>,
    pub(super) kept: Vec<Content>,
    #[cfg(test)]
    pub(super) states: Vec<(u64, PipelineState)>,
}

impl PipelineLog {
    pub(super) fn new(parts: &PipelineParts, session_id: SessionId, standing: PipelineSnapshot) -> Self {
        let PipelineSnapshot { state, last_seq, resumed, .. } = standing;
        Self {
            followed: FollowedLog { log: parts.log.clone(), session_id, last_seq },
            contents: parts.contents.clone(),
            state,
            resumed,
            told: Vec::new(),
            passed: Vec::new(),
            kept: Vec::new(),
            #[cfg(test)]
            states: Vec::new(),
        }
    }

    pub(super) fn tell(&mut self, body: impl Into<EventBody>) {
        self.told.push(body.into());
    }

    /// Appends what is to be told, after the contents that it speaks of.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        if self.told.is_empty() {
            return Ok(());
        }
        self.contents.put(&self.followed.session_id, std::mem::take(&mut self.kept)).await?;
        let resumed = self.resumed.take().map(EventBody::from);
        let passed = std::mem::take(&mut self.passed);
        let bodies = resumed.into_iter().chain(passed).chain(std::mem::take(&mut self.told));
        let events = self.followed.append(&self.state.run_id, bodies).await?;
        self.fold(&events);
        Ok(())
    }

    /// Folds what others appended.
    pub(super) async fn catch_up(&mut self) -> Result<(), Error> {
        let events = self.followed.catch_up().await?;
        self.fold(&events);
        Ok(())
    }

    fn fold(&mut self, events: &[Arc<Event>]) {
        for event in events {
            self.state.apply(event);
            #[cfg(test)]
            self.states.push((event.seq, self.state.clone()));
        }
    }

    pub(super) async fn text_of(&self, output: &EndedOutput) -> Result<Arc<str>, Error> {
        if let Some(text) = &output.at_hand {
            return Ok(text.clone());
        }
        let pending = self.kept.iter().find(|content| content.hash == output.told.hash);
        if let Some(text) = pending.and_then(|content| std::str::from_utf8(&content.bytes).ok()) {
            return Ok(Arc::from(text));
        }
        let stored = self.contents.content(&output.told.hash).await?;
        let text = stored.filter(|bytes| sha256_hex(bytes) == output.told.hash);
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(Arc::from).ok_or_else(|| {
            Error::new(
                Code::CONTENT_DAMAGED,
                "A step's output is no longer stored.",
                "Start the pipeline again with `arki run`.",
            )
        })
    }

    pub(super) fn next_attempt(&self, name: &str) -> u32 {
        self.state.steps.get(name).map_or(1, |step| step.attempt.saturating_add(1))
    }

    pub(super) fn skip(&mut self, step: String, idempotency_key: String, attempt: u32, reason: SkipReason) {
        let skipped = StepSkipped { step, idempotency_key, attempt, duration_ms: 0, reason }.into();
        match reason {
            SkipReason::Done => self.passed.push(skipped),
            SkipReason::Condition => self.told.push(skipped),
        }
    }
}
