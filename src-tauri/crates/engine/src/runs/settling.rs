//! The work that follows the end of a run: its session's snapshot and anchor, reflection, notices, worktrees that nobody
//! needs.

use crate::log_anchors::LogAnchors;
use crate::projects::Projects;
use crate::records::blocking;
use crate::runs::afterwards::Afterwards;
use crate::runs::notifying::RunNotices;
use crate::runs::reflecting::Reflector;
use crate::session_reader::SessionReader;
use crate::sessions::Sessions;
use arki_agent::RunEnd;
use arki_domain::{Code, Error, ParentCall, SessionId};
use arki_tools::BackgroundCommands;
use std::path::Path;
use std::sync::Arc;

/// Settles what runs leave.
pub(super) struct RunSettling {
    pub(super) projects: Arc<Projects>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) anchors: Arc<LogAnchors>,
    pub(super) commands: Arc<BackgroundCommands>,
    pub(super) reflector: Arc<Reflector>,
    pub(super) notices: Arc<RunNotices>,
    pub(super) afterwards: Afterwards,
}

impl RunSettling {
    /// Removes the worktrees of the project whose changes nobody can take any more: their run has ended, or its session is
    /// gone. Returns whether there is something to tell of it.
    pub(super) async fn discard_trees(self: &Arc<Self>, project: &str) -> bool {
        let folder = project.to_owned();
        let over = blocking(self, move |it| {
            let is_over = |parent: &ParentCall| match it.reader.overview(&parent.session_id) {
                Ok(overview) => overview.run.is_none_or(|run| run.run_id != parent.run_id || !run.can_go_on()),
                Err(fault) => fault.is(Code::SESSION_NOT_FOUND),
            };
            Ok(it.projects.subagent_worktrees().those(|origin, parent| origin == Path::new(&folder) && is_over(parent)))
        });
        let discarded = async { self.projects.discard_trees(over.await?, &self.commands).await };
        discarded.await.unwrap_or_else(|fault| {
            tracing::warn!(%fault, "the worktrees of sub-agents were not looked through");
            false
        })
    }

    /// Keeps a session's overview, and vouches for its log.
    pub(super) async fn keep(&self, session_id: &SessionId, ended: &Result<RunEnd, Error>) {
        self.sessions.keep_snapshot_quietly(session_id).await;
        self.anchors.anchor_soon(session_id);
        if let Err(fault) = ended {
            tracing::error!(%session_id, code = fault.code, %fault, "a run stopped: its log cannot be written");
        }
    }

    pub(super) async fn settle(&self, session_id: &SessionId, project: &str, ended: &Result<RunEnd, Error>) {
        self.keep(session_id, ended).await;
        let Ok(end) = ended else { return };
        if !end.waits() {
            self.reflector.reflect_soon(&self.afterwards, session_id, project);
        }
        // In the window and by the doctor it is told until the next run begins.
        if let RunEnd::Failed(fault) = end
            && fault.is(Code::GUARD_UNFINISHED)
        {
            let (project, note) = (project.to_owned(), format!("{} {}", fault.message, fault.hint));
            let added = blocking(&self.projects, move |projects| {
                projects.leavings().add(&project, &[note]);
                Ok(())
            });
            if let Err(fault) = added.await {
                tracing::warn!(%session_id, %fault, "what the guard left undone is not kept");
            }
        }
    }
}
