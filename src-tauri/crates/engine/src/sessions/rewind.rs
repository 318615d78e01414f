//! Going back: the conversation, the files, or both, to how they stood after an event.
//!
//! Nothing is forgotten: the log keeps what is gone back on, the images of what is about to be overwritten are kept
//! first, and going back is itself an event that can be gone back on. The user's own later edits are merged, or left
//! alone and named.

mod interrupted;
mod plan;

pub(crate) use plan::found;
pub use plan::{EndedRun, PlannedFile, RewindPlan, RewindScope};

use crate::projects::open::OpenProject;
use crate::records::blocking;
use crate::sessions::Sessions;
use crate::sessions::claim::ClaimedWork;
use arki_domain::projection::FilesAt;
use arki_domain::{
    CheckpointCreated, CheckpointId, Code, Content, ContentKind, Error, EventDraft, EventLog, SessionId,
    SessionRewound, sha256_hex,
};
use arki_files::{Restoration, apply_restorations, plan_restorations};
use std::path::Path;
use std::sync::Arc;

impl Sessions {
    /// Returns what going back would do, file by file. Changes nothing.
    ///
    /// # Errors
    /// `EVENT_NOT_FOUND`, `USAGE` for an empty scope, or when the folder or the database cannot be read.
    pub fn plan_rewind(&self, session_id: &SessionId, to_seq: u64, scope: RewindScope) -> Result<RewindPlan, Error> {
        let summary = self.reader.session(session_id)?;
        let last = self.records.reader().log().last_seq(session_id)?;
        self.ensure_event(session_id, to_seq, last)?;
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
            if let Some(untold) = self.interrupted_restoration(session_id, &open)? {
                events.push(interrupted::as_event(session_id, untold)?);
            }
            plan.files = self.plan_files(&open, FilesAt::fold(to_seq, &events));
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
        let planned = blocking(self, move |sessions| {
            sessions.reader.ensure_whole(&session)?;
            let planned = sessions.plan_rewind(&session, to_seq, scope)?;
            if planned.files.iter().any(PlannedFile::is_written) {
                // What cannot be done must not have ended the run either.
                sessions.trusted_project(&session)?;
            }
            Ok(planned)
        });
        let planned = planned.await?;
        self.end_waiting_run(session_id).await?;
        let _claim = self.claim(session_id, ClaimedWork::Change)?;
        let lease = self.lease(session_id).await?;
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
        self.tell_interrupted(session_id).await?;
        let session = session_id.clone();
        let plan = blocking(self, move |sessions| sessions.plan_rewind(&session, to_seq, scope)).await?;
        let (plan, checkpoint_id) = self.restore(session_id, plan).await?;
        let rewound = SessionRewound {
            to_seq,
            files: scope.files,
            conversation: scope.conversation,
            checkpoint_id,
            changes: plan.files.iter().map(|planned| planned.file.clone()).collect(),
        };
        let session = session_id.clone();
        let state = blocking(self, move |sessions| match scope.conversation {
            true => sessions.state_taken_back(&session, to_seq),
            false => Ok(None),
        });
        let drafts = state.await?.into_iter().chain([EventDraft::of_session(rewound)]).collect();
        self.records.log().append(session_id, drafts).await?;
        Ok(plan)
    }

    /// Records first what an interrupted restoration wrote, so that it can be gone back on like any other.
    pub(crate) async fn tell_interrupted(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        let session = session_id.clone();
        let untold = blocking(self, move |sessions| {
            let open = sessions.projects.load_project(Path::new(&sessions.reader.session(&session)?.project))?;
            sessions.settle_interrupted_restoration(&session, &open)
        })
        .await?;
        if untold.is_some() {
            self.records.log().append(session_id, untold.into_iter().collect()).await?;
        }
        Ok(())
    }

    /// Writes the files as planned, all or none, after keeping what they are now; `None` where there is nothing to write.
    pub(crate) async fn restore(
        self: &Arc<Self>,
        session_id: &SessionId,
        plan: RewindPlan,
    ) -> Result<(RewindPlan, Option<CheckpointId>), Error> {
        if !plan.files.iter().any(PlannedFile::is_written) {
            return Ok((plan, None));
        }
        let session = session_id.clone();
        let (plan, open, contents, created) = blocking(self, move |sessions| {
            let open = sessions.trusted_project(&session)?;
            let (contents, created) = sessions.images_to_keep(&session, &plan)?;
            Ok((plan, open, contents, created))
        })
        .await?;
        let checkpoint_id = created.checkpoint_id.clone();
        self.records.contents().put(session_id, contents).await?;
        self.records.log().append(session_id, vec![EventDraft::of_session(created)]).await?;
        let plan = blocking(self, move |_| {
            let written = plan.files.iter().filter(|planned| planned.is_written());
            let restorations = written.map(|planned| planned.restoration(&open)).collect::<Result<Vec<_>, _>>()?;
            apply_restorations(open.workplace(), restorations).map_err(Error::from)?;
            Ok(plan)
        });
        Ok((plan.await?, Some(checkpoint_id)))
    }

    fn trusted_project(&self, session_id: &SessionId) -> Result<OpenProject, Error> {
        let open = self.projects.load_project(Path::new(&self.reader.session(session_id)?.project))?;
        match open.is_trusted() {
            true => Ok(open),
            false => Err(Error::new(
                Code::UNTRUSTED,
                "This folder is not trusted, so no file in it can be written.",
                "Trust the folder in the window or with `arki trust`.",
            )),
        }
    }

    /// Returns the contents of the files now and after the rewind, and the event that lists them.
    fn images_to_keep(
        &self,
        session_id: &SessionId,
        plan: &RewindPlan,
    ) -> Result<(Vec<Content>, CheckpointCreated), Error> {
        let files: Vec<&PlannedFile> = plan.files.iter().filter(|planned| planned.is_written()).collect();
        let manifest = serde_json::to_vec(&files.iter().map(|planned| &planned.file).collect::<Vec<_>>())
            .map_err(Error::internal)?;
        let manifest = content(&manifest, ContentKind::Plain);
        let created = CheckpointCreated {
            checkpoint_id: CheckpointId::new(),
            last_seq: self.records.reader().log().last_seq(session_id)?,
            call_id: None,
            manifest: Some(manifest.hash.clone()),
            files: files.len() as u64,
            skipped: 0,
            hook: None,
            reason: None,
            summary: None,
            memory_snapshot: None,
        };
        let images = files.iter().flat_map(|planned| [planned.disk.as_deref(), planned.wanted.as_deref()]).flatten();
        let mut contents: Vec<Content> = images.map(|bytes| content(bytes, ContentKind::Plain)).collect();
        contents.push(manifest);
        Ok((contents, created))
    }

    /// A run that waits for the user has no place to go on from any more; one at work is not ended unasked.
    async fn end_waiting_run(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        if self.is_claimed(session_id) {
            return Err(busy(session_id));
        }
        let runs = self.runs.upgrade().ok_or_else(|| Error::internal("the engine is closed"))?;
        match runs.end_waiting(session_id).await {
            Err(fault) if fault.is(Code::SESSION_BUSY) => Err(busy(session_id)),
            ended => ended,
        }
    }
}

impl PlannedFile {
    fn restoration(&self, open: &OpenProject) -> Result<Restoration, Error> {
        let path = open.workplace().resolve(&self.file.path).map_err(Error::from)?;
        Ok(Restoration {
            path,
            wanted: self.wanted.clone(),
            expected_now: self.disk.clone(),
            permissions: self.permissions,
        })
    }
}

/// Returns what would be written, as a unified diff.
pub(crate) fn diff(open: &OpenProject, files: &[PlannedFile]) -> Result<String, Error> {
    let written = files.iter().filter(|planned| planned.is_written());
    let restorations = written.map(|planned| planned.restoration(open)).collect::<Result<Vec<_>, _>>()?;
    let change = plan_restorations(open.workplace(), restorations).map_err(Error::from)?;
    Ok(change.preview().diff)
}

fn content(bytes: &[u8], kind: ContentKind) -> Content {
    Content { hash: sha256_hex(bytes), bytes: bytes.to_vec(), kind }
}

fn busy(session_id: &SessionId) -> Error {
    Error::new(
        Code::SESSION_BUSY,
        format!("The session {session_id} has an active run."),
        "Stop it first, then rewind.",
    )
}
