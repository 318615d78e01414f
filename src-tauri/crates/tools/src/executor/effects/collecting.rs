//! Reads the changes of a command, or of a server's call, out of a view and stores them, the list and the contents, so
//! that the view can go.

use super::generated::{BoundFolders, GeneratedFolders};
use super::stored::{StoredEffect, StoredState};
use crate::executor::ExecutorSettings;
use crate::executor::command_sandbox::CommandView;
use crate::outcome::ToolError;
use arki_domain::{Code, Content, ContentKind, Error, SessionId, sha256_hex};
use arki_files::{Effect, FileContent, FileFound, Project, ProjectPath};
use arki_sandbox::{OverlayView, ViewChange, ViewChangeKind, ViewEntry};
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The most that one call may change.
const MAX_EFFECTS: usize = 20_000;
/// A program whose view holds more starts anew before its next call, so that there is room for what that changes.
const MAX_HELD: usize = MAX_EFFECTS / 2;
/// Contents are put into the store in pieces of about this many bytes.
const PIECE_BYTES: usize = 4 << 20;
const PIECES_UNDER_WAY: usize = 2;

/// The changes of a call, stored.
#[derive(Default)]
pub(in crate::executor) struct CollectedEffects {
    /// SHA-256 hex of the list.
    pub(in crate::executor) list: String,
    pub(in crate::executor) files: usize,
    /// The entries of the view that were compared with the project.
    compared: usize,
    /// Sentences on what was left out, for the model.
    pub(in crate::executor) notes: Vec<String>,
}

/// Nothing of it is in the project, whatever it returns, but the generated folders of a line that writes such for real.
pub(in crate::executor) async fn collect(
    settings: &Arc<ExecutorSettings>,
    CommandView { view, bound }: CommandView,
    session_id: &SessionId,
) -> Result<CollectedEffects, Error> {
    let (pieces, mut arriving) = mpsc::channel(PIECES_UNDER_WAY);
    let reading = settings.clone();
    let reading =
        tokio::task::spawn_blocking(move || Collecting::new(&reading, &view, &bound, pieces).run(ViewPart::Call));
    while let Some(piece) = arriving.recv().await {
        settings.contents.put(session_id, piece).await?;
    }
    reading.await.map_err(Error::internal)?
}

/// Returns whether the project holds what a program's view holds, as far as that could land. Stores nothing.
pub(in crate::executor) async fn is_landed(settings: &Arc<ExecutorSettings>, view: Arc<OverlayView>) -> bool {
    let settings = settings.clone();
    let comparing = tokio::task::spawn_blocking(move || {
        let (nobody, _) = mpsc::channel(1);
        Collecting::new(&settings, &view, &BoundFolders::default(), nobody).run(ViewPart::All)
    });
    let compared = comparing.await;
    compared.is_ok_and(|read| read.is_ok_and(|found| found.files == 0 && found.compared <= MAX_HELD))
}

/// The part of what a view holds.
#[derive(Debug, Clone, Copy)]
enum ViewPart {
    /// The part that a command changed, or a program in its last call.
    Call,
    All,
}

struct Collecting<'a> {
    project: &'a Project,
    view: &'a OverlayView,
    bound: &'a BoundFolders,
    pieces: mpsc::Sender<Vec<Content>>,
    piece: Vec<Content>,
    piece_bytes: usize,
    /// Bytes that may still be read of what was written.
    left: u64,
    limit: u64,
}

impl<'a> Collecting<'a> {
    fn new(
        settings: &'a ExecutorSettings,
        view: &'a OverlayView,
        bound: &'a BoundFolders,
        pieces: mpsc::Sender<Vec<Content>>,
    ) -> Self {
        let limit = settings.limits.max_effects_bytes;
        let project = &settings.project;
        Self { project, view, bound, pieces, piece: Vec::new(), piece_bytes: 0, left: limit, limit }
    }

    fn run(mut self, part: ViewPart) -> Result<CollectedEffects, Error> {
        let failed = |error: std::io::Error| Error::internal(format_args!("a view can't be read: {error}"));
        let generated = GeneratedFolders::of(self.project);
        let left_out = RefCell::new(Vec::new());
        let is_left_out = |path: &Path| {
            let is_generated = generated.is_generated(path);
            left_out.borrow_mut().extend(is_generated.then(|| path.to_owned()));
            is_generated
        };
        let listed = match part {
            ViewPart::Call => self.view.changes(self.project.root(), MAX_EFFECTS, is_left_out),
            ViewPart::All => self.view.all_changes(self.project.root(), MAX_EFFECTS, is_left_out),
        };
        let listed = listed.map_err(failed)?;
        if listed.has_more {
            let more = format!("It changed more than {MAX_EFFECTS} files, so none of its changes was kept.");
            return Err(Error::new(Code::TOO_MANY_CHANGES, more, "Change fewer files at a time."));
        }
        let notes = self.bound.land_new(&left_out.into_inner(), self.view, self.project).into_iter().collect();
        let compared = listed.changes.len();
        let mut collected = CollectedEffects { notes, compared, ..CollectedEffects::default() };
        let mut stored: Vec<StoredEffect> = Vec::new();
        for change in &listed.changes {
            let effect = match self.effect(change) {
                Ok(effect) => effect,
                Err(Unread::LeftOut(note)) => {
                    collected.notes.push(note);
                    continue;
                }
                Err(Unread::Failed(error)) => return Err(error),
            };
            if effect.before == effect.after {
                continue;
            }
            self.left = self.left.checked_sub(written_bytes(&effect)).ok_or_else(|| self.too_much())?;
            let [before, after] =
                [&effect.before, &effect.after].map(|side| side.as_ref().map(|found| self.keep(found)));
            let (path, has_changed_outside) = (effect.path.to_string(), change.has_changed_outside);
            match stored.last_mut().filter(|last| last.path == path) {
                // One thing has taken another's place: a file a folder's, or the other way round.
                Some(last) => {
                    last.before = last.before.take().or(before);
                    last.after = last.after.take().or(after);
                    last.has_changed_outside |= has_changed_outside;
                }
                None => stored.push(StoredEffect { path, before, after, has_changed_outside }),
            }
        }
        collected.files = stored.len();
        if !stored.is_empty() {
            let list = serde_json::to_vec(&stored).map_err(Error::internal)?;
            collected.list = sha256_hex(&list);
            self.put(Content { hash: collected.list.clone(), bytes: list, kind: ContentKind::Plain });
        }
        self.send();
        Ok(collected)
    }

    fn effect(&self, change: &ViewChange) -> Result<Effect, Unread> {
        let name = change.path.display().to_string();
        let Some(path) = change.path.to_str().and_then(|path| self.project.resolve(path).ok()) else {
            let note = format!("{name} has a name that Arki can't show, so its change was left out.");
            return Err(Unread::LeftOut(note));
        };
        let folder = || FileFound { content: FileContent::Folder, mode: None };
        let (before, after) = match change.kind {
            ViewChangeKind::FolderAdded => (None, Some(folder())),
            ViewChangeKind::FolderRemoved => (Some(folder()), None),
            ViewChangeKind::Removed => (self.before(&path)?, None),
            ViewChangeKind::Written => (self.before(&path)?, Some(self.after(&change.path)?)),
            ViewChangeKind::Special => {
                let note = format!("{name} is a pipe, a socket or a device, so it was left out.");
                return Err(Unread::LeftOut(note));
            }
        };
        Ok(Effect { path, before, after })
    }

    fn before(&self, path: &ProjectPath) -> Result<Option<FileFound>, Unread> {
        // A folder in its place is told by itself, and so is a file in its folder's.
        let is_file = self.project.root().join(path.as_str()).symlink_metadata().is_ok_and(|now| !now.is_dir());
        if !is_file {
            return Ok(None);
        }
        self.project.found(path, self.limit).map_err(|error| Unread::Failed(ToolError::from(error).into()))
    }

    fn after(&self, path: &Path) -> Result<FileFound, Unread> {
        match self.view.entry(path, self.limit) {
            Ok(ViewEntry::File { bytes, mode }) => {
                Ok(FileFound { content: FileContent::File(bytes), mode: Some(mode) })
            }
            Ok(ViewEntry::Link(target)) => {
                Ok(FileFound { content: FileContent::Link(target.into_os_string().into_encoded_bytes()), mode: None })
            }
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Err(Unread::Failed(self.too_much())),
            Err(error) => {
                Err(Unread::Failed(Error::internal(format_args!("{} can't be read: {error}", path.display()))))
            }
        }
    }

    fn too_much(&self) -> Error {
        let megabytes = self.limit >> 20;
        let more = format!("It wrote more than {megabytes} MiB, so none of its changes was kept.");
        let hint =
            "Write less at a time, or into a folder that builds make; `limits.maxEffectsMegabytes` is the limit.";
        Error::new(Code::TOO_MANY_CHANGES, more, hint)
    }

    fn keep(&mut self, found: &FileFound) -> StoredState {
        let state = StoredState::of(found);
        if let Some(hash) = &state.hash {
            let bytes = found.content.to_vec();
            self.put(Content { hash: hash.clone(), bytes, kind: ContentKind::Plain });
        }
        state
    }

    fn put(&mut self, content: Content) {
        self.piece_bytes += content.bytes.len();
        self.piece.push(content);
        if self.piece_bytes >= PIECE_BYTES {
            self.send();
        }
    }

    fn send(&mut self) {
        self.piece_bytes = 0;
        // Nobody takes it any more: the store failed, and its error is already told.
        let _ = self.pieces.blocking_send(std::mem::take(&mut self.piece));
    }
}

fn written_bytes(effect: &Effect) -> u64 {
    match effect.after.as_ref().map(|found| &found.content) {
        Some(FileContent::File(bytes)) => bytes.len() as u64,
        _ => 0,
    }
}

/// Why a change is not among the effects.
enum Unread {
    LeftOut(String),
    Failed(Error),
}
