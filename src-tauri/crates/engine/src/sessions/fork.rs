//! Sessions that begin without a run. A program opens one before anybody has said anything in it: no list has it until its
//! first run, which also gives it its title. A fork begins where another one stood: nothing is copied, and the origin's
//! log is read on.

use crate::{Sessions, blocking};
use arki_config::AGENT;
use arki_context::UNTITLED;
use arki_domain::projection::{Overview, SessionSummary};
use arki_domain::{Code, Error, EventDraft, EventLog, SessionConfigured, SessionCreated, SessionForked, SessionId};
use arki_export::MAX_LINEAGE;
use std::path::Path;
use std::sync::Arc;

impl Sessions {
    /// Begins a session in a folder, without a run.
    ///
    /// # Errors
    /// `UNTRUSTED`, `FOLDER_UNAVAILABLE`, or when the database cannot be used. Nothing has happened then.
    pub async fn begin(self: &Arc<Self>, folder: &Path) -> Result<SessionSummary, Error> {
        let (folder, session_id) = (folder.to_owned(), SessionId::new());
        let created = blocking(self, move |sessions| sessions.created_in(&folder)).await?;
        let put_away = SessionConfigured { archived: Some(true), ..SessionConfigured::default() };
        let drafts = vec![EventDraft::of_session(created), EventDraft::of_session(put_away)];
        self.records.log().append(&session_id, drafts).await?;
        blocking(self, move |sessions| sessions.reader.session(&session_id)).await
    }

    fn created_in(&self, folder: &Path) -> Result<SessionCreated, Error> {
        let open = self.projects.load_project(folder)?;
        let project = open.place();
        if !open.is_trusted() {
            let message = format!("You haven't trusted {project} yet, and another program can't do that for you.");
            let hint = format!("Run `arki trust {project}`, or open the folder in Arki, then try again.");
            return Err(Error::new(Code::UNTRUSTED, message, hint));
        }
        let worktree = self.projects.session_worktrees().worktree_at(&project);
        Ok(SessionCreated {
            title: UNTITLED.to_owned(),
            project,
            agent: AGENT.to_owned(),
            parent_session: None,
            worktree,
        })
    }

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
            let message = format!("A session can't be forked more than {MAX_LINEAGE} times in a row.");
            return Err(Error::new(Code::USAGE, message, "Fork one of its origins, or start a new session."));
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
