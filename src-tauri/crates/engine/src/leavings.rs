//! What commands left behind that makes git run something, and no call's result tells: theirs whose Arki was killed, and
//! MCP servers'. A run in that folder tells it in its session's log, the next one if there is none now.

use crate::Engine;
use arki_domain::{EventDraft, EventLog, SandboxCleanedUp, SessionId};
use std::collections::HashMap;
use std::path::Path;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Sentences of one folder that wait to be told.
const MAX_WAITING: usize = 200;

/// What is not told yet, by the folder.
#[derive(Default)]
pub(crate) struct Leavings {
    waiting: Mutex<HashMap<String, Vec<String>>>,
    has_more: Notify,
}

impl Leavings {
    pub(crate) fn add(&self, project: &str, notes: Vec<String>) {
        if notes.is_empty() {
            return;
        }
        let mut waiting = self.waiting();
        let of_project = waiting.entry(project.to_owned()).or_default();
        of_project.extend(notes);
        of_project.truncate(MAX_WAITING);
        drop(waiting);
        self.has_more.notify_waiters();
    }

    /// Whoever takes them tells them.
    fn take(&self, project: &str) -> Vec<String> {
        self.waiting().remove(project).unwrap_or_default()
    }

    /// This process ends, and no run was there to tell it.
    pub(crate) fn warn_of_untold(&self) {
        for (project, notes) in self.waiting().drain() {
            tracing::warn!(project, "what commands left behind: {}", notes.join(" "));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Vec<String>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// Looks for what commands left in a trusted folder whose Arki was killed.
    pub(crate) fn settle_abandoned(&self, root: &Path) {
        let (journals, trash) = (self.directories.journals(), self.directories.trash());
        self.leavings.add(&root.display().to_string(), arki_workspace::settle_abandoned(root, &journals, &trash));
    }

    /// Tells what waits to be told of the folder, and at once what comes while the run works.
    pub(crate) async fn with_leavings<T>(
        &self,
        session_id: &SessionId,
        project: &str,
        run: impl Future<Output = T>,
    ) -> T {
        tokio::pin!(run);
        loop {
            let mut has_more = pin!(self.leavings.has_more.notified());
            // Before looking, so that nothing is missed in between.
            has_more.as_mut().enable();
            self.tell_leavings(session_id, self.leavings.take(project)).await;
            tokio::select! {
                ended = &mut run => return ended,
                () = has_more => {}
            }
        }
    }

    async fn tell_leavings(&self, session_id: &SessionId, notes: Vec<String>) {
        if notes.is_empty() {
            return;
        }
        let cleaned = SandboxCleanedUp { call_id: None, notes };
        let told = self.log.append(session_id, vec![EventDraft::of_session(cleaned.clone())]).await;
        if let Err(fault) = told {
            tracing::warn!(%fault, ?cleaned, "what commands left behind is not in the log");
        }
    }
}
