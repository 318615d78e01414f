//! Finds the files that commands change: nobody knows beforehand, so the project's small text files are imaged before
//! one runs, and compared afterwards. A command that is known to only read is not worth the look.

use super::ExecutorSettings;
use super::call_log::file_changed;
use crate::outcome::ToolError;
use arki_domain::{
    CallContext, CheckpointCreated, CheckpointId, Content, ContentKind, Error, EventBody, FileChanged, SessionId,
    ToolCall,
};
use arki_files::{
    ImageRef, Project, Snapshot, SnapshotChange, SnapshotLimits, snapshot_changes, take_snapshot, unnamed_changes,
};
use arki_process::CancellationToken;
use globset::GlobSet;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc};

/// More changed files than this, of one command, are told as a number only.
const MAX_CHANGES_TOLD: usize = 5000;
/// Contents are put into the store in pieces of about this many bytes, so that a large project is never in memory.
const PIECE_BYTES: usize = 4 << 20;
const PIECES_UNDER_WAY: usize = 2;

/// The images of the project before and after commands.
pub(super) struct ProjectImages {
    settings: Arc<ExecutorSettings>,
    /// The project as it was when it was last looked at.
    last: Mutex<Option<Arc<Snapshot>>>,
}

/// The changes that a command made to files.
pub(super) struct CommandChanges {
    pub(super) events: Vec<EventBody>,
    /// More than could be told one by one.
    pub(super) untold: usize,
    /// Files that no path can name; no event tells of them.
    pub(super) unnamed: usize,
}

impl ProjectImages {
    pub(super) fn new(settings: Arc<ExecutorSettings>) -> Self {
        Self { settings, last: Mutex::default() }
    }

    /// Images the project before a command runs. A look that fails is no reason not to run it: then nothing can be said
    /// of what it changed, and the log has no checkpoint.
    pub(super) async fn image_before(
        &self,
        call: &ToolCall,
        context: &CallContext,
    ) -> Result<Option<(Arc<Snapshot>, CheckpointCreated)>, Error> {
        let mut last = self.last.lock().await;
        let previous = match last.take() {
            Some(known) => Some(known),
            None => self.stored_snapshot().await?,
        };
        let Some(snapshot) = self.look(previous.clone(), &context.session_id).await? else { return Ok(None) };
        if previous.as_ref() != Some(&snapshot) {
            self.store_snapshot(&snapshot).await?;
        }
        *last = Some(snapshot.clone());
        let created = CheckpointCreated {
            checkpoint_id: CheckpointId::new(),
            last_seq: context.last_seq,
            call_id: Some(call.call_id.clone()),
            manifest: None,
            files: snapshot.imaged_files() as u64,
            skipped: snapshot.left_out().files() as u64,
            hook: None,
            reason: None,
            summary: None,
            memory_snapshot: None,
        };
        Ok(Some((snapshot, created)))
    }

    /// Compares the project with what it was before the command.
    pub(super) async fn changes_since(
        &self,
        before: &Arc<Snapshot>,
        call: &ToolCall,
        session_id: &SessionId,
    ) -> Result<CommandChanges, Error> {
        let Some(after) = self.look(Some(before.clone()), session_id).await? else {
            return Ok(CommandChanges { events: Vec::new(), untold: 0, unnamed: 0 });
        };
        let changes = snapshot_changes(before, &after);
        let unnamed = unnamed_changes(before, &after);
        if *before != after {
            self.store_snapshot(&after).await?;
            *self.last.lock().await = Some(after);
        }
        let untold = changes.len().saturating_sub(MAX_CHANGES_TOLD);
        let events =
            changes.into_iter().take(MAX_CHANGES_TOLD).map(|change| told(change, before, call).into()).collect();
        Ok(CommandChanges { events, untold, unnamed })
    }

    /// The project as it was before the last command, which may have been another process's.
    pub(super) async fn stored_snapshot(&self) -> Result<Option<Arc<Snapshot>>, Error> {
        let stored = self.settings.contents.project_snapshot(&self.project_name()).await?;
        Ok(stored.and_then(|bytes| serde_json::from_slice(&bytes).ok()).map(Arc::new))
    }

    async fn store_snapshot(&self, snapshot: &Snapshot) -> Result<(), Error> {
        let bytes = serde_json::to_vec(snapshot).map_err(Error::internal)?;
        self.settings.contents.put_project_snapshot(&self.project_name(), bytes).await
    }

    fn project_name(&self) -> String {
        self.settings.project.root().display().to_string()
    }

    /// `None` when the project could not be looked at.
    pub(super) async fn look(
        &self,
        previous: Option<Arc<Snapshot>>,
        session_id: &SessionId,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        let (pieces, mut arriving) = mpsc::channel(PIECES_UNDER_WAY);
        let (project, secrets) = (self.settings.project.clone(), self.settings.secrets.clone());
        let looking = tokio::task::spawn_blocking(move || look_at(&project, previous.as_deref(), &secrets, &pieces));
        while let Some(piece) = arriving.recv().await {
            self.settings.contents.put(session_id, piece).await?;
        }
        match looking.await.map_err(Error::internal)? {
            Ok(snapshot) => Ok(Some(Arc::new(snapshot))),
            Err(error) => {
                tracing::warn!(%error, "the project's files were not imaged");
                Ok(None)
            }
        }
    }
}

fn look_at(
    project: &Project,
    previous: Option<&Snapshot>,
    secrets: &GlobSet,
    pieces: &mpsc::Sender<Vec<Content>>,
) -> Result<Snapshot, ToolError> {
    let cancel = CancellationToken::new();
    let mut piece = Vec::new();
    let mut bytes_in_piece = 0;
    let keep = |hash: &str, bytes: &[u8]| {
        bytes_in_piece += bytes.len();
        piece.push(Content { hash: hash.to_owned(), bytes: bytes.to_vec(), kind: ContentKind::Plain });
        if bytes_in_piece >= PIECE_BYTES {
            bytes_in_piece = 0;
            // Nobody takes it any more: the store failed, and its error is already told.
            if pieces.blocking_send(std::mem::take(&mut piece)).is_err() {
                cancel.cancel();
            }
        }
    };
    let snapshot = take_snapshot(project, previous, &SnapshotLimits::default(), secrets, keep, &cancel)?;
    if !piece.is_empty() {
        let _ = pieces.blocking_send(piece);
    }
    Ok(snapshot)
}

fn told(change: SnapshotChange, before: &Snapshot, call: &ToolCall) -> FileChanged {
    let hash = |image: &ImageRef| match image {
        ImageRef::Known(hash) | ImageRef::Link(hash) => Some(hash.clone()),
        ImageRef::NoFile | ImageRef::Unknown => None,
    };
    FileChanged {
        before_hash: hash(&change.before),
        after_hash: hash(&change.after),
        before_link: matches!(change.before, ImageRef::Link(_)),
        after_link: matches!(change.after, ImageRef::Link(_)),
        before_unknown: change.before == ImageRef::Unknown,
        after_unknown: change.after == ImageRef::Unknown,
        before_permissions: before.files.get(&change.path).map(|file| file.permissions).unwrap_or_default(),
        ..file_changed(change.path, &call.call_id)
    }
}
