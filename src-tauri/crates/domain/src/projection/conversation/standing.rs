//! How a conversation stands: its run, the turn, and what it waits for.

use crate::{EngineRequest, EngineRetry, Event, EventBody, PauseReason, RequestPurpose, RunPaused, RunStarted, Stage};
use schemars::JsonSchema;
use serde::Serialize;
use ts_rs::TS;

/// The standing of a conversation as far as the events that are held tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationStanding {
    /// The number of the model's turn that is in progress or was last.
    pub turn: u32,
    /// The request that a core which works in stages made last.
    pub stage: Option<Stage>,
    /// The provider of the model that the run began with, or that was asked last.
    pub provider: Option<String>,
    pub last_prompt: Option<String>,
    pub run: RunStanding,
    pub paused_for: Option<PausedFor>,
    pub retry: Option<WaitingRetry>,
    /// A model writes the summary that is to stand for older messages.
    pub compacting: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunStanding {
    #[default]
    None,
    Running,
    Paused,
    Ended,
}

/// The reason why a run is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PausedFor {
    Approval,
    Budget,
    Plan,
    User,
    /// The model's question.
    Question,
    Interrupted,
    Failed,
}

/// A request that failed and is sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingRetry {
    /// In milliseconds since 1970.
    pub at: i64,
    pub code: String,
    pub attempt: u32,
}

impl ConversationStanding {
    pub(super) fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::EngineRequest(EngineRequest { turn, stage, provider, .. }) => {
                (self.turn, self.stage, self.provider) = (*turn, *stage, Some(provider.clone()));
            }
            EventBody::EngineRetry(EngineRetry { code, delay_ms, attempt, .. }) => {
                let at = event.ts.saturating_add_unsigned(*delay_ms);
                self.retry = Some(WaitingRetry { at, code: code.clone(), attempt: *attempt });
            }
            EventBody::RunPaused(paused) => {
                (self.run, self.paused_for) = (RunStanding::Paused, Some(PausedFor::of(paused)));
            }
            EventBody::RunResumed(_) => (self.run, self.paused_for) = (RunStanding::Running, None),
            _ => {}
        }
    }

    pub(super) fn begin_run(&mut self, started: &RunStarted) {
        self.last_prompt = Some(started.prompt.clone());
        self.provider = started.model.split('/').next().map(str::to_owned);
        (self.run, self.paused_for) = (RunStanding::Running, None);
        (self.turn, self.stage) = (0, None);
    }

    pub(super) fn end_run(&mut self) {
        (self.run, self.paused_for) = (RunStanding::Ended, None);
    }

    /// Ends the wait for what comes next in a run whose request was sent again, or where a summary was being written.
    pub(super) fn go_on(&mut self, body: &EventBody) {
        let goes_on = matches!(
            body,
            EventBody::EngineRequest(_)
                | EventBody::EngineResponse(_)
                | EventBody::ContextCompacted(_)
                | EventBody::OutputMessage(_)
                | EventBody::RunStarted(_)
                | EventBody::RunPaused(_)
                | EventBody::RunCompleted(_)
                | EventBody::RunFailed(_)
                | EventBody::RunCancelled(_)
        );
        if goes_on {
            self.retry = None;
            self.compacting = matches!(body, EventBody::EngineRequest(request)
                if request.purpose == Some(RequestPurpose::Compaction));
        }
    }

    /// Returns whether the run rests between two calls. Paused for any other reason, a call waits for the user or may be
    /// at work.
    pub(super) fn rests(&self) -> bool {
        self.run == RunStanding::Paused && matches!(self.paused_for, Some(PausedFor::User | PausedFor::Budget))
    }
}

impl PausedFor {
    #[must_use]
    pub fn of(paused: &RunPaused) -> Self {
        match paused.reason {
            _ if paused.question_id.is_some() => Self::Question,
            PauseReason::Approval => Self::Approval,
            PauseReason::Budget => Self::Budget,
            PauseReason::Plan => Self::Plan,
            PauseReason::User => Self::User,
            PauseReason::Interrupted => Self::Interrupted,
            PauseReason::Failed => Self::Failed,
        }
    }
}
