//! The progress of the work: the plan and the changed files, which a compaction has to keep, whatever it leaves out; what
//! is worth remembering of the run; and the session's state.

use super::{AgentState, ChangedFiles, Milestones, Plan, RunObserver};
use crate::{Event, EventBody};

/// A fold over a session's events; for a fork over its origins' first.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    pub plan: Plan,
    pub changed: ChangedFiles,
    pub observer: RunObserver,
    pub agent_state: AgentState,
    pub milestones: Milestones,
}

impl Progress {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        self.plan.apply(event, body);
        self.changed.apply(event, body);
        self.observer.apply(event, body);
        self.agent_state.apply(body);
        self.milestones.apply(event, body);
    }

    /// The checkpoint of the conversation that is due behind the event of this number, with a snapshot of the working
    /// memory.
    #[must_use]
    pub fn checkpoint_due(&self, last_seq: u64) -> Option<Vec<EventBody>> {
        let created = self.milestones.due(last_seq, &self.plan, &self.changed)?;
        let memory = self.milestones.snapshot(&created);
        Some(vec![created.into(), memory.into()])
    }

    /// Paths, the one that was changed last at the end.
    #[must_use]
    pub fn changed_files(&self) -> Vec<&str> {
        let mut files: Vec<_> = self.changed.files().iter().collect();
        files.sort_by_key(|(_, file)| file.last_seq);
        files.into_iter().map(|(path, _)| path.as_str()).collect()
    }
}
