//! Taking back one change of the agent, later edits kept.

use crate::records::blocking;
use crate::restorations::{PlannedFile, RewindPlan, RewindScope, diff};
use crate::rewinds::Rewinds;
use crate::sessions::claim::ClaimedWork;
use arki_domain::projection::FilesAt;
use arki_domain::{
    ChangeTakenBack, Code, Error, Event, EventBody, EventDraft, EventLog, FileChanged, RestoreAction, SessionId,
};
use std::path::Path;
use std::sync::Arc;

/// Hooks that run after an edit are told within so many events.
const HOOKS_WITHIN: usize = 1000;

impl Rewinds {
    /// Returns what taking back the change that event `seq` tells of would do. Changes nothing.
    ///
    /// # Errors
    /// `CHANGE_NOT_FOUND`, or when the folder or the database cannot be read.
    pub fn plan_take_back(&self, session_id: &SessionId, seq: u64) -> Result<RewindPlan, Error> {
        let summary = self.reader.session(session_id)?;
        let open = self.projects.load_project(Path::new(&summary.project))?;
        let events = self.change_with_hooks(session_id, seq)?;
        let files: Vec<PlannedFile> =
            FilesAt::fold(0, &events).into_iter().map(|file| self.restorations.plan_file(&open, file)).collect();
        let diff = diff(&open, &files)?;
        let scope = RewindScope { files: true, conversation: false };
        Ok(RewindPlan { to_seq: seq, scope, files, diff, prompt: None, ended_run: None })
    }

    /// Takes the change back.
    ///
    /// # Errors
    /// `CHANGE_CONFLICT` where later edits touch the same lines, `SESSION_BUSY`, `UNTRUSTED`, those of
    /// [`Self::plan_take_back`], or when the file cannot be written. Nothing has changed then.
    pub async fn take_back(self: &Arc<Self>, session_id: &SessionId, seq: u64) -> Result<RewindPlan, Error> {
        let session = session_id.clone();
        blocking(self, move |rewinds| rewinds.reader.ensure_whole(&session)).await?;
        let _claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let lease = self.sessions.lease(session_id).await?;
        let done = self.take_back_alone(session_id, seq).await;
        lease.release().await?;
        done
    }

    async fn take_back_alone(self: &Arc<Self>, session_id: &SessionId, seq: u64) -> Result<RewindPlan, Error> {
        self.restorations.tell_interrupted(session_id).await?;
        let session = session_id.clone();
        let (plan, event, changed) = blocking(self, move |rewinds| rewinds.to_take_back(&session, seq)).await?;
        let (plan, _) = self.restorations.restore(session_id, plan).await?;
        let taken = ChangeTakenBack {
            call_id: changed.call_id,
            seq,
            changes: plan.files.iter().map(|planned| planned.file.clone()).collect(),
        };
        self.records.log().append(session_id, vec![EventDraft { run_id: event.run_id, body: taken.into() }]).await?;
        Ok(plan)
    }

    fn to_take_back(&self, session_id: &SessionId, seq: u64) -> Result<(RewindPlan, Event, FileChanged), Error> {
        let plan = self.plan_take_back(session_id, seq)?;
        if let Some(planned) = plan.files.iter().find(|planned| planned.file.action == RestoreAction::Conflict) {
            return Err(Error::new(
                Code::CHANGE_CONFLICT,
                format!("A later change touched the same lines of {}.", planned.file.path),
                "Undo the later change first, or edit the file by hand.",
            ));
        }
        let (event, changed) = self.change_at(session_id, seq)?;
        Ok((plan, event, changed))
    }

    /// A change, with what hooks made of it right afterwards: without the edit that is nobody's wish. What a hook changed
    /// can be taken back alone.
    fn change_with_hooks(&self, session_id: &SessionId, seq: u64) -> Result<Vec<Event>, Error> {
        let (event, changed) = self.change_at(session_id, seq)?;
        if changed.by_hook.is_some() {
            return Ok(vec![event]);
        }
        let later = self.records.reader().log().events(session_id, seq, HOOKS_WITHIN)?.events;
        let is_of_hook = |event: &Event| match event.body() {
            EventBody::FileChanged(later) => {
                later.by_hook.is_some() && (&later.path, &later.call_id) == (&changed.path, &changed.call_id)
            }
            _ => false,
        };
        let of_hooks = later.into_iter().filter(is_of_hook);
        Ok(std::iter::once(event).chain(of_hooks).collect())
    }

    fn change_at(&self, session_id: &SessionId, seq: u64) -> Result<(Event, FileChanged), Error> {
        let event = self.records.reader().log().event(session_id, seq)?;
        let change = event.and_then(|event| match event.body() {
            EventBody::FileChanged(changed) => Some((event, changed)),
            _ => None,
        });
        change.ok_or_else(|| {
            Error::new(
                Code::CHANGE_NOT_FOUND,
                format!("Event {seq} of the session {session_id} isn't a file change."),
                format!("`arki events {session_id}` shows them: `file.changed`."),
            )
        })
    }
}
