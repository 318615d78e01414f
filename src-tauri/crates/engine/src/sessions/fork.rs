//! Forks: a new session that begins where another one stood. Nothing is copied; the origin's log is read on.

use crate::records::blocking;
use crate::sessions::Sessions;
use arki_domain::projection::{Overview, SessionSummary};
use arki_domain::{Code, Error, EventDraft, EventLog, SessionConfigured, SessionCreated, SessionForked, SessionId};
use arki_export::MAX_LINEAGE;
use std::sync::Arc;

impl Sessions {
    /// A new session whose conversation is `session_id`'s up to event `at`, or as it stands now.
    ///
    /// # Errors
    /// `EVENT_NOT_FOUND`, `SESSION_READ_ONLY` where the log is broken, or when the database cannot be used.
    pub async fn fork(self: &Arc<Self>, session_id: &SessionId, at: Option<u64>) -> Result<SessionSummary, Error> {
        let (from, fork) = (session_id.clone(), SessionId::new());
        let drafts = blocking(self, move |sessions| sessions.forked(&from, at)).await?;
        self.records.log().append(&fork, drafts).await?;
        blocking(self, move |sessions| sessions.reader.session(&fork)).await
    }

    /// The events with which the fork begins.
    fn forked(&self, session_id: &SessionId, at: Option<u64>) -> Result<Vec<EventDraft>, Error> {
        let origin = self.reader.session(session_id)?;
        let last = self.records.reader().log().last_seq(session_id)?;
        let at = at.unwrap_or(last);
        self.reader.ensure_event(session_id, at, last)?;
        self.reader.ensure_whole(session_id)?;
        if self.reader.lineage(session_id)?.len() >= MAX_LINEAGE {
            return Err(Error::new(
                Code::USAGE,
                format!("A session can't be forked more than {MAX_LINEAGE} times in a row."),
                "Fork one of its origins, or start a new session.",
            ));
        }
        let worktree = self.projects.session_worktrees().worktree_at(&origin.project);
        let created = SessionCreated {
            worktree,
            title: origin.title,
            project: origin.project,
            agent: self.reader.agent_of(session_id)?,
            parent_session: Some(session_id.clone()),
        };
        let forked = SessionForked { created: Some(created.clone()), from_session: session_id.clone(), from_seq: at };
        let mut drafts = vec![EventDraft::of_session(created), EventDraft::of_session(forked)];
        let configured = settings(self.reader.overview(session_id)?);
        if configured != SessionConfigured::default() {
            drafts.push(EventDraft::of_session(configured));
        }
        Ok(drafts)
    }
}

/// The settings that a fork takes over.
fn settings(overview: Overview) -> SessionConfigured {
    SessionConfigured {
        model: overview.model,
        effort: overview.effort,
        system: overview.system,
        disabled_tools: Some(overview.disabled_tools).filter(|tools| !tools.is_empty()),
        off: Some(overview.off).filter(|parts| !parts.is_empty()),
        ..SessionConfigured::default()
    }
}
