//! Going back: the conversation, the files, or both, to how they stood after an event.
//!
//! Nothing is forgotten: the log keeps what is gone back on, the images of what is about to be overwritten are kept
//! first, and going back is itself an event that can be gone back on. The user's own later edits are merged, or left
//! alone and named.

mod take_back;

use crate::projects::Projects;
use crate::records::{Records, blocking};
use crate::restorations::{EndedRun, PlannedFile, Restorations, RewindPlan, RewindScope, diff};
use crate::runs::Runs;
use crate::session_reader::SessionReader;
use crate::sessions::Sessions;
use crate::sessions::claim::ClaimedWork;
use arki_domain::projection::FilesAt;
use arki_domain::{Code, Error, EventBody, EventDraft, EventLog, SessionId, SessionRewound};
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
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        reader: Arc<SessionReader>,
        sessions: Arc<Sessions>,
        restorations: Arc<Restorations>,
        runs: Arc<Runs>,
    ) -> Self {
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
        let session = session_id.clone();
        let planned = blocking(self, move |rewinds| {
            rewinds.reader.ensure_whole(&session)?;
            let planned = rewinds.plan_rewind(&session, to_seq, scope)?;
            if planned.files.iter().any(PlannedFile::is_written) {
                // What cannot be done must not have ended the run either.
                rewinds.restorations.trusted_project(&session)?;
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
        let session = session_id.clone();
        let plan = blocking(self, move |rewinds| rewinds.plan_rewind(&session, to_seq, scope)).await?;
        let (plan, checkpoint_id) = self.restorations.restore(session_id, plan).await?;
        let rewound = SessionRewound {
            to_seq,
            files: scope.files,
            conversation: scope.conversation,
            checkpoint_id,
            changes: plan.files.iter().map(|planned| planned.file.clone()).collect(),
        };
        let session = session_id.clone();
        let state = blocking(self, move |rewinds| match scope.conversation {
            true => rewinds.sessions.state_taken_back(&session, to_seq),
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
    Error::new(
        Code::SESSION_BUSY,
        format!("The session {session_id} has an active run."),
        "Stop it first, then rewind.",
    )
}
