//! The lines of `arki --json` whose form is not the window's: the outside contract names their fields. Each is made of
//! what clients get, or of the domain's own type.

use crate::{CommandError, KeyStatus, SearchHit};
use arki_domain::projection::{DayAndModel, SessionState, SessionSummary, UsageTotal};
use arki_domain::{ApprovalRequested, Error, EventId, OutputDelta, RestoreAction, RunId, SessionId};
use std::path::PathBuf;

printed! {
    /// The last line of a command that failed.
    PrintedError {
        r#type: &'static str,
        #[serde(flatten)]
        error: CommandError,
        #[serde(skip_serializing_if = "Option::is_none")]
        cause: Option<String>,
    }
    /// A live event: no number and no hashes, because it is never stored.
    PrintedDelta {
        pub event_id: EventId,
        pub run_id: RunId,
        pub session_id: SessionId,
        /// The time it reached this process, in milliseconds since 1970.
        pub ts: i64,
        r#type: &'static str,
        pub payload: OutputDelta,
    }
    PrintedSession {
        session_id: SessionId,
        title: String,
        project: String,
        updated_at: i64,
        state: SessionState,
        /// The name of a sub-agent's session's agent, followed by the session that it works for.
        #[serde(skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        parent_session: Option<SessionId>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pinned: bool,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        archived: bool,
    }
    PrintedSearchHit {
        session_id: String,
        seq: u64,
        r#type: String,
        /// The text around what was found, without marks.
        snippet: String,
        ts: i64,
        title: String,
        project: String,
    }
    PrintedApproval {
        pub session_id: SessionId,
        pub run_id: Option<RunId>,
        pub requested_at: i64,
        /// True if nobody answered in time, which counts as a rejection.
        pub expired: bool,
        #[serde(flatten)]
        pub requested: ApprovalRequested,
    }
    PrintedPipelineRun {
        pub run_id: RunId,
        pub name: String,
        pub state: SessionState,
        pub started_at: i64,
    }
    /// A fault of a pipeline's definition.
    PrintedPipelineProblem {
        pub path: String,
        pub line: u64,
        pub column: u64,
        pub message: String,
        pub hint: String,
    }
    /// The usage of one model on one day.
    PrintedUsage {
        day: String,
        model: String,
        requests: u64,
        /// Null, as the others, where nobody has told any.
        prompt_tokens: Option<u64>,
        completion_tokens: Option<u64>,
        total_tokens: Option<u64>,
        cached_tokens: Option<u64>,
        /// Null where a part of it is not known.
        cost_usd: Option<f64>,
        /// The cost of the requests whose price is known.
        known_cost_usd: f64,
    }
    /// The effect on a file of going back.
    PrintedRestoredFile {
        pub path: String,
        pub action: RestoreAction,
    }
    PrintedKey {
        pub provider: String,
        pub key_source: KeyStatus,
    }
    PrintedFork {
        pub session_id: SessionId,
        pub from_session: SessionId,
        pub from_seq: u64,
    }
    PrintedExport {
        pub session_id: SessionId,
        pub file: PathBuf,
    }
    PrintedImport {
        pub session_id: SessionId,
        /// `added`, `extended` or `unchanged`.
        pub outcome: &'static str,
        pub events: u64,
        /// The keys of the state that the session keeps.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub state_keys: Vec<String>,
    }
}

impl From<&Error> for PrintedError {
    fn from(error: &Error) -> Self {
        Self { r#type: "error", error: error.clone().into(), cause: error.cause.clone() }
    }
}

impl PrintedDelta {
    /// Returns the line for a piece of text that arrived at `ts`.
    #[must_use]
    pub fn new(session_id: SessionId, run_id: RunId, ts: i64, payload: OutputDelta) -> Self {
        Self { event_id: EventId::new(), run_id, session_id, ts, r#type: "output.delta", payload }
    }
}

impl From<&SessionSummary> for PrintedSession {
    fn from(session: &SessionSummary) -> Self {
        let SessionSummary { session_id, title, project, updated_at, state, parent, pinned, archived, .. } =
            session.clone();
        let agent = parent.is_some().then(|| session.agent.clone());
        Self { session_id, title, project, updated_at, state, agent, parent_session: parent, pinned, archived }
    }
}

impl From<SearchHit> for PrintedSearchHit {
    fn from(SearchHit { session_id, seq, r#type, ts, title, project, snippet }: SearchHit) -> Self {
        let snippet = snippet.into_iter().map(|part| part.text).collect();
        Self { session_id, seq, r#type, snippet, ts, title, project }
    }
}

impl PrintedUsage {
    #[must_use]
    pub fn of(place: &DayAndModel, total: &UsageTotal) -> Self {
        let untold = total.untold();
        Self {
            day: place.day.clone(),
            model: place.model.clone(),
            requests: total.requests,
            prompt_tokens: (!untold.prompt).then_some(total.prompt_tokens),
            completion_tokens: (!untold.completion).then_some(total.completion_tokens),
            total_tokens: (!untold.total).then_some(total.total_tokens),
            cached_tokens: (!untold.cached).then_some(total.cached_tokens),
            cost_usd: total.cost_usd(),
            known_cost_usd: total.known_cost_usd,
        }
    }
}
