//! Going back: the conversation, the files, or both, to how they stood after an event; or taking back one change of the
//! agent.
//!
//! Nothing is forgotten: the log keeps what is gone back on, the images of what is about to be overwritten are kept
//! first, and going back is itself an event that can be gone back on. The user's own later edits are merged, or left
//! alone and named.

use crate::restorations::diff;
use crate::{
    BelowRuns, ClaimedWork, EndedRun, PlannedFile, Projects, Records, Restorations, RewindPlan, RewindScope, Runs,
    SessionReader, Sessions, blocking_for,
};
use arki_domain::projection::FilesAt;
use arki_domain::{
    ChangeTakenBack, Code, Error, Event, EventBody, EventDraft, EventLog, FileChanged, RestoreAction, SessionId,
    SessionRewound,
};
use std::path::Path;
use std::sync::Arc;

/// A prompt further away than this is not the one that is being taken back.
const PROMPT_WITHIN: usize = 4;

/// Goes back in sessions: to an event, or on one change alone.
pub struct Rewinds {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    sessions: Arc<Sessions>,
    restorations: Arc<Restorations>,
    runs: Arc<Runs>,
}

impl Rewinds {
    pub(crate) fn new(below: &BelowRuns, runs: Arc<Runs>) -> Self {
        let BelowRuns { records, projects, reader, sessions, restorations, .. } = below.clone();
        Self { records, projects, reader, sessions, restorations, runs }
    }

    /// Returns what going back would do, file by file. Changes nothing.
    ///
    /// # Errors
    /// `EVENT_NOT_FOUND`, `USAGE` for an empty scope, or when the folder or the database cannot be read.
    pub fn plan_rewind(&self, session_id: &SessionId, to_seq: u64, scope: RewindScope) -> Result<RewindPlan, Error> {
        let summary = self.reader.session(session_id)?;
        let last = self.records.reader().log().last_seq(session_id)?;
        self.reader.ensure_event(session_id, to_seq, last)?;
        if !scope.files && !scope.conversation {
            return Err(Error::new(Code::USAGE, "There is nothing to revert.", "Choose files, conversation or both."));
        }
        let ended_run = EndedRun::of(&summary);
        let mut plan = RewindPlan { to_seq, scope, files: Vec::new(), diff: String::new(), prompt: None, ended_run };
        if scope.conversation {
            plan.prompt = self.prompt_after(session_id, to_seq)?;
        }
        if scope.files {
            let open = self.projects.load_project(Path::new(&summary.project))?;
            let mut events = self.records.reader().log().session_file_events(session_id, to_seq)?;
            if let Some(untold) = self.restorations.interrupted_restoration(session_id, &open)? {
                events.push(untold);
            }
            plan.files = self.restorations.plan_files(&open, FilesAt::fold(to_seq, &events));
            plan.diff = diff(&open, &plan.files)?;
        }
        Ok(plan)
    }

    /// Goes back; the session's state goes with the conversation. The session's run must not be at work; one that waits is ended first.
    ///
    /// # Errors
    /// `SESSION_BUSY`, `UNTRUSTED` where files would be written in a folder that is not trusted, those of
    /// [`Self::plan_rewind`], or when a file cannot be written; then none was.
    pub async fn rewind(
        self: &Arc<Self>,
        session_id: &SessionId,
        to_seq: u64,
        scope: RewindScope,
    ) -> Result<RewindPlan, Error> {
        let planned = blocking_for(self, session_id, move |rewinds, session| {
            rewinds.reader.ensure_whole(session)?;
            let planned = rewinds.plan_rewind(session, to_seq, scope)?;
            if planned.files.iter().any(PlannedFile::is_written) {
                // What cannot be done must not have ended the run either.
                rewinds.restorations.trusted_project(session)?;
            }
            Ok(planned)
        });
        let planned = planned.await?;
        self.end_waiting_run(session_id).await?;
        let _claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let lease = self.sessions.lease(session_id).await?;
        let done = self.go_back(session_id, to_seq, scope).await;
        lease.release().await?;
        Ok(RewindPlan { ended_run: planned.ended_run, ..done? })
    }

    async fn go_back(
        self: &Arc<Self>,
        session_id: &SessionId,
        to_seq: u64,
        scope: RewindScope,
    ) -> Result<RewindPlan, Error> {
        self.restorations.tell_interrupted(session_id).await?;
        let plan =
            blocking_for(self, session_id, move |rewinds, session| rewinds.plan_rewind(session, to_seq, scope)).await?;
        let (plan, checkpoint_id) = self.restorations.restore(session_id, plan).await?;
        let rewound = SessionRewound {
            to_seq,
            files: scope.files,
            conversation: scope.conversation,
            checkpoint_id,
            changes: plan.files.iter().map(|planned| planned.file.clone()).collect(),
        };
        let state = blocking_for(self, session_id, move |rewinds, session| match scope.conversation {
            true => rewinds.sessions.state_taken_back(session, to_seq),
            false => Ok(None),
        });
        let drafts = state.await?.into_iter().chain([EventDraft::of_session(rewound)]).collect();
        self.records.log().append(session_id, drafts).await?;
        Ok(plan)
    }

    /// The text of the user's first message after an event.
    fn prompt_after(&self, session_id: &SessionId, seq: u64) -> Result<Option<String>, Error> {
        let page = self.records.reader().log().events(session_id, seq, PROMPT_WITHIN)?;
        Ok(page.events.iter().find_map(|event| match event.body() {
            EventBody::RunStarted(started) => Some(started.prompt),
            _ => None,
        }))
    }

    /// A run that waits for the user has no place to go on from any more; one at work is not ended unasked.
    async fn end_waiting_run(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        if self.sessions.is_claimed(session_id) {
            return Err(busy(session_id));
        }
        match self.runs.end_waiting(session_id).await {
            Err(fault) if fault.is(Code::SESSION_BUSY) => Err(busy(session_id)),
            ended => ended,
        }
    }
}

fn busy(session_id: &SessionId) -> Error {
    let message = format!("The session {session_id} has an active run.");
    Error::new(Code::SESSION_BUSY, message, "Stop it first, then rewind.")
}

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
        blocking_for(self, session_id, move |rewinds, session| rewinds.reader.ensure_whole(session)).await?;
        let _claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let lease = self.sessions.lease(session_id).await?;
        let done = self.take_back_alone(session_id, seq).await;
        lease.release().await?;
        done
    }

    async fn take_back_alone(self: &Arc<Self>, session_id: &SessionId, seq: u64) -> Result<RewindPlan, Error> {
        self.restorations.tell_interrupted(session_id).await?;
        let (plan, event, changed) =
            blocking_for(self, session_id, move |rewinds, session| rewinds.to_take_back(session, seq)).await?;
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
            let message = format!("A later change touched the same lines of {}.", planned.file.path);
            let hint = "Undo the later change first, or edit the file by hand.";
            return Err(Error::new(Code::CHANGE_CONFLICT, message, hint));
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
            let message = format!("Event {seq} of the session {session_id} isn't a file change.");
            let hint = format!("`arki events {session_id}` shows them: `file.changed`.");
            Error::new(Code::CHANGE_NOT_FOUND, message, hint)
        })
    }
}
