//! Everything bounded that is shown of a session, or continued from, without reading its whole log.
//!
//! Kept in the store every so many events, so that opening a session folds only what came since. The bytes carry a
//! version; whoever cannot read them starts from the first event. Not in here: the conversation and the images of files,
//! which have no bound.

use super::short_text::cut;
use super::{BackgroundCalls, ChangedFiles, Plan, Queue, RunState, UsageTotals, WorkingMemory};
use crate::{ApprovalMode, Event, EventBody, SessionConfigured, SessionId};
use serde::{Deserialize, Serialize};

/// Events between two snapshots.
pub const SNAPSHOT_EVERY: u64 = 100;
/// The version of the snapshots' bytes. Raise it whenever they, or the folds behind them, change.
pub const SNAPSHOT_VERSION: u32 = 19;
/// Tools that can be switched off in a session.
pub const MAX_DISABLED_TOOLS: usize = 1_000;
/// Parts that can be switched off in a session.
pub const MAX_PARTS_OFF: usize = 1_000;
/// Bytes of a session's prompt.
pub const MAX_SESSION_PROMPT_BYTES: usize = 32 * 1024;
/// Bytes of a title.
pub const MAX_TITLE_BYTES: usize = 1_000;

/// The session and event that a fork came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForkOrigin {
    pub session_id: SessionId,
    pub seq: u64,
}

/// A fold over a session's events, oldest first; for a fork over its origins' first, whose plan and memory go on, and
/// whose run, queue, usage, changed files and background calls do not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The last event that was folded.
    pub last_seq: u64,
    pub title: String,
    /// Canonical path of the folder.
    pub project: String,
    pub agent: String,
    /// The user's choice for this session; `None` where the configuration holds.
    pub model: Option<String>,
    /// The same of the reasoning effort.
    pub effort: Option<String>,
    /// The same of the core's name.
    pub core: Option<String>,
    /// The session's prompt, if it has one.
    pub system: Option<String>,
    pub approve: Option<ApprovalMode>,
    /// The parts that its runs' requests go without; a fork's neither.
    pub off: Vec<String>,
    /// The tools that its runs don't have; a fork's neither.
    pub disabled_tools: Vec<String>,
    /// The folder's trust as last logged; `None` where the log has none.
    pub trusted: Option<bool>,
    pub origin: Option<ForkOrigin>,
    /// The run that is active, paused or was the last.
    pub run: Option<RunState>,
    pub queue: Queue,
    pub plan: Plan,
    pub usage: UsageTotals,
    pub memory: WorkingMemory,
    pub changed_files: ChangedFiles,
    pub background: BackgroundCalls,
}

impl Overview {
    #[must_use]
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut overview = Self::default();
        events.into_iter().for_each(|event| overview.apply(event));
        overview
    }

    pub fn apply(&mut self, event: &Event) {
        let body = event.body();
        self.last_seq = event.seq;
        self.apply_to_session(&body);
        self.apply_to_run(event, &body);
        self.queue.apply(&body);
        self.plan.apply(event, &body);
        self.usage.apply(event, &body);
        self.memory.apply(event, &body);
        self.changed_files.apply(event, &body);
        self.background.apply(event, &body);
    }

    /// Returns whether a snapshot is due after the event of this number.
    #[must_use]
    pub fn is_snapshot_due(seq: u64) -> bool {
        seq > 0 && seq.is_multiple_of(SNAPSHOT_EVERY)
    }

    /// # Errors
    /// When the state has no JSON form (a number that is not finite).
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(&OverviewSnapshot { version: SNAPSHOT_VERSION, overview: self })
    }

    /// `None` for another version or damaged bytes: then the fold starts from the first event.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        // The version first: another one's state need not have this form.
        let StoredVersion { version } = serde_json::from_slice(bytes).ok()?;
        if version != SNAPSHOT_VERSION {
            return None;
        }
        serde_json::from_slice(bytes).ok().map(|snapshot: OverviewSnapshot<Self>| snapshot.overview)
    }

    fn apply_to_session(&mut self, body: &EventBody) {
        match body {
            EventBody::SessionCreated(created) => {
                self.title = cut(&created.title, MAX_TITLE_BYTES).into_owned();
                self.project.clone_from(&created.project);
                self.agent.clone_from(&created.agent);
            }
            EventBody::SessionForked(forked) => {
                self.origin = Some(ForkOrigin { session_id: forked.from_session.clone(), seq: forked.from_seq });
                self.queue = Queue::default();
            }
            EventBody::SessionConfigured(configured) => self.configure(configured),
            EventBody::TrustChanged(changed) => self.trusted = Some(changed.trusted),
            _ => {}
        }
    }

    fn configure(&mut self, configured: &SessionConfigured) {
        let SessionConfigured {
            model,
            effort,
            core,
            system,
            approve,
            disabled_tools,
            off,
            title,
            pinned: _,
            archived: _,
        } = configured;
        if let Some(title) = title {
            self.title = cut(title, MAX_TITLE_BYTES).into_owned();
        }
        set(&mut self.model, model.as_deref());
        set(&mut self.effort, effort.as_deref());
        set(&mut self.core, core.as_deref());
        set(&mut self.system, system.as_deref());
        self.approve = approve.or(self.approve);
        if let Some(tools) = disabled_tools {
            self.disabled_tools = tools.iter().take(MAX_DISABLED_TOOLS).cloned().collect();
        }
        if let Some(parts) = off {
            self.off = parts.iter().take(MAX_PARTS_OFF).cloned().collect();
        }
    }

    fn apply_to_run(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::RunStarted(_) => self.run = RunState::start(event),
            EventBody::SessionForked(_) => self.run = None,
            _ => {
                if let Some(run) = &mut self.run {
                    run.apply_body(event, body);
                }
            }
        }
    }
}

/// An empty value is none.
fn set(setting: &mut Option<String>, changed: Option<&str>) {
    if let Some(value) = changed {
        *setting = (!value.is_empty()).then(|| cut(value, MAX_SESSION_PROMPT_BYTES).into_owned());
    }
}

#[derive(Serialize, Deserialize)]
struct OverviewSnapshot<T> {
    version: u32,
    overview: T,
}

#[derive(Deserialize)]
struct StoredVersion {
    version: u32,
}

#[cfg(test)]
mod tests;
