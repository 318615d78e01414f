//! Restorations: a session's files as they were, planned against what is on the disk, and written all or none.
//!
//! The images of what is about to be overwritten are kept first. The user's own later edits are merged, or left alone
//! and named.
//!
//! A restoration that the end of the program cut off has its images and its intent in the log, and not that it happened.
//! Whoever goes on with the session, or back again, tells it first and removes what it left beside the files.

mod plan;

use crate::{OpenProject, PastFiles, Projects, Records, SessionReader, blocking, blocking_for};
use arki_domain::{
    CheckpointCreated, CheckpointId, Code, Content, ContentKind, Error, Event, EventBody, EventDraft, EventId,
    EventLog, RestoreAction, RestoredFile, SessionId, SessionRewound, sha256_hex,
};
use arki_files::{FileContent, Restoration, apply_restorations, plan_restorations, remove_unfinished_restoration};
pub use plan::{EndedRun, PlannedFile, RewindPlan, RewindScope};
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
        let untold = blocking_for(self, session_id, move |it, session| {
            let open = it.projects.load_project(Path::new(&it.reader.session(session)?.project))?;
            it.settle_interrupted_restoration(session, &open)
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
        let (plan, open, contents, created) = blocking_for(self, session_id, move |it, session| {
            let open = it.trusted_project(session)?;
            let (contents, created) = it.images_to_keep(session, &plan)?;
            Ok((plan, open, contents, created))
        })
        .await?;
        let checkpoint_id = created.checkpoint_id.clone();
        self.records.contents().put(session_id, contents).await?;
        self.records.note(session_id, created).await?;
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

/// A cut-off restoration is among the session's last events: what goes on after it has told it.
const AMONG_LAST: usize = 50;

/// The files that were to be written, and from where.
struct Untold {
    checkpoint: CheckpointCreated,
    files: Vec<RestoredFile>,
}

impl Restorations {
    /// Returns what such a restoration has written, in the form in which it would have been told; `None` where none was
    /// cut off.
    pub(crate) fn interrupted_restoration(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
    ) -> Result<Option<Event>, Error> {
        let written = self.untold(session_id)?.and_then(|untold| untold.written(open));
        written.map(|rewound| as_event(session_id, rewound)).transpose()
    }

    /// Returns the event like [`Self::interrupted_restoration`], to be appended; what it left half done beside the
    /// files is gone then.
    pub(crate) fn settle_interrupted_restoration(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
    ) -> Result<Option<EventDraft>, Error> {
        let Some(untold) = self.untold(session_id)? else { return Ok(None) };
        if open.is_trusted() {
            untold.files.iter().for_each(|file| tidy(open, &file.path));
        }
        Ok(untold.written(open).map(EventDraft::of_session))
    }

    fn untold(&self, session_id: &SessionId) -> Result<Option<Untold>, Error> {
        let page = self.records.reader().log().page(session_id, None, AMONG_LAST)?;
        let Some(checkpoint) = untold(&page.events) else { return Ok(None) };
        let Some(manifest) = self.past_files.image(checkpoint.manifest.as_deref()).flatten() else { return Ok(None) };
        let files: Vec<RestoredFile> = serde_json::from_slice(&manifest).unwrap_or_default();
        let is_write = |file: &RestoredFile| matches!(file.action, RestoreAction::Restore | RestoreAction::Delete);
        Ok(Some(Untold { checkpoint, files: files.into_iter().filter(is_write).collect() }))
    }
}

impl Untold {
    fn written(self, open: &OpenProject) -> Option<SessionRewound> {
        let is_written = |file: &RestoredFile| {
            let now = found(open, &file.path).ok().flatten().map(|found| found.content);
            let is_link = now.as_ref().is_some_and(FileContent::is_link);
            (now.as_deref().map(sha256_hex), is_link) == (file.after_hash.clone(), file.after_link)
                && (&file.before_hash, file.before_link) != (&file.after_hash, file.after_link)
        };
        let changes: Vec<RestoredFile> = self.files.into_iter().filter(is_written).collect();
        (!changes.is_empty()).then_some(SessionRewound {
            to_seq: self.checkpoint.last_seq,
            files: true,
            conversation: false,
            checkpoint_id: Some(self.checkpoint.checkpoint_id),
            changes,
        })
    }
}

/// It is not worth failing for.
fn tidy(open: &OpenProject, path: &str) {
    let tidied = open.workplace().resolve(path).and_then(|path| remove_unfinished_restoration(open.workplace(), &path));
    if let Err(error) = tidied {
        tracing::warn!(%error, path, "what an interrupted restoration left was not removed");
    }
}

/// The last images that were kept for a restoration of which nothing was told.
fn untold(events: &[Event]) -> Option<CheckpointCreated> {
    let mut checkpoint = None;
    for event in events {
        match event.body() {
            EventBody::CheckpointCreated(created) if created.call_id.is_none() && created.reason.is_none() => {
                checkpoint = Some(created)
            }
            EventBody::SessionRewound(_) | EventBody::ChangeTakenBack(_) => checkpoint = None,
            _ => {}
        }
    }
    checkpoint
}

/// Returns the draft as it would be read from the log, behind everything else.
fn as_event(session_id: &SessionId, rewound: SessionRewound) -> Result<Event, Error> {
    let body = EventBody::from(rewound);
    let payload = body.payload().and_then(|payload| serde_json::value::to_raw_value(&payload));
    Ok(Event {
        event_id: EventId::new(),
        run_id: None,
        session_id: session_id.clone(),
        seq: u64::MAX,
        ts: 0,
        kind: body.kind().to_owned(),
        payload: payload.map_err(Error::internal)?,
        prev_hash: String::new(),
        hash: String::new(),
    })
}
