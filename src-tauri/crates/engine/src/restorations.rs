//! Restorations: a session's files as they were, planned against what is on the disk, and written all or none.
//!
//! The images of what is about to be overwritten are kept first. The user's own later edits are merged, or left alone
//! and named.

mod interrupted;
mod plan;

pub use plan::{EndedRun, PlannedFile, RewindPlan, RewindScope};

use crate::past_files::PastFiles;
use crate::projects::Projects;
use crate::projects::open::OpenProject;
use crate::records::{Records, blocking};
use crate::session_reader::SessionReader;
use arki_domain::{
    CheckpointCreated, CheckpointId, Code, Content, ContentKind, Error, EventDraft, EventLog, SessionId, sha256_hex,
};
use arki_files::{Restoration, apply_restorations, plan_restorations};
pub(crate) use plan::{found, is};
use std::path::Path;
use std::sync::Arc;

/// Restores files of it.
pub(crate) struct Restorations {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    past_files: Arc<PastFiles>,
}

impl Restorations {
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        reader: Arc<SessionReader>,
        past_files: Arc<PastFiles>,
    ) -> Self {
        Self { records, projects, reader, past_files }
    }

    /// Records first what an interrupted restoration wrote, so that it can be gone back on like any other.
    pub(crate) async fn tell_interrupted(self: &Arc<Self>, session_id: &SessionId) -> Result<(), Error> {
        let session = session_id.clone();
        let untold = blocking(self, move |it| {
            let open = it.projects.load_project(Path::new(&it.reader.session(&session)?.project))?;
            it.settle_interrupted_restoration(&session, &open)
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
        let (plan, open, contents, created) = blocking(self, move |it| {
            let open = it.trusted_project(&session)?;
            let (contents, created) = it.images_to_keep(&session, &plan)?;
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

    pub(crate) fn trusted_project(&self, session_id: &SessionId) -> Result<OpenProject, Error> {
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
