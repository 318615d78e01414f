//! Plans the effect of going back on each file: plain decisions over the log, the images and the disk.

use crate::{OpenProject, Restorations};
use arki_api::RewindPreview;
use arki_domain::projection::{FileAt, FileStep, SessionState, SessionSummary, WantedFile};
use arki_domain::{ApprovalId, Error, Permissions, RestoreAction, RestoredFile, RunId, sha256_hex};
use arki_edit::{EDIT_LIMIT_BYTES, Merge, merge};
use arki_files::{FileContent, FileFound};
use std::collections::BTreeSet;

/// The scope of going back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewindScope {
    pub files: bool,
    pub conversation: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RewindPlan {
    pub to_seq: u64,
    pub scope: RewindScope,
    /// The files by path.
    pub files: Vec<PlannedFile>,
    /// The diff of what would be written.
    pub diff: String,
    /// The user's message that is the first to be taken back, to be said anew.
    pub prompt: Option<String>,
    /// The run that waits, or was interrupted, and has no place to go on from afterwards.
    pub ended_run: Option<EndedRun>,
}

impl From<RewindPlan> for RewindPreview {
    fn from(plan: RewindPlan) -> Self {
        Self {
            to_seq: plan.to_seq,
            changes: plan.files.into_iter().map(|planned| planned.file).collect(),
            diff: plan.diff,
            prompt: plan.prompt,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedRun {
    pub run_id: RunId,
    /// The approval that it waits for, if any.
    pub approval_id: Option<ApprovalId>,
}

impl EndedRun {
    pub(crate) fn of(session: &SessionSummary) -> Option<Self> {
        let waits = matches!(session.state, SessionState::Waiting | SessionState::Paused | SessionState::Interrupted);
        let run_id = session.run_id.clone().filter(|_| waits)?;
        Some(Self { run_id, approval_id: session.pending_approval.clone() })
    }
}

/// One file, and its content now and afterwards; `None` is no file.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedFile {
    pub file: RestoredFile,
    pub(crate) disk: Option<FileContent>,
    pub(crate) wanted: Option<FileContent>,
    /// The permissions of the wanted content.
    pub(crate) permissions: Permissions,
}

impl PlannedFile {
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.file.action, RestoreAction::Restore | RestoreAction::Delete)
    }

    fn new(path: String, action: RestoreAction, disk: Option<FileContent>, wanted: Option<FileContent>) -> Self {
        let (before_hash, after_hash) = (hash(disk.as_deref()), hash(wanted.as_deref()));
        let is_link = |content: &Option<FileContent>| content.as_ref().is_some_and(FileContent::is_link);
        let file = RestoredFile {
            path,
            action,
            before_hash,
            after_hash,
            before_permissions: Permissions::default(),
            before_link: is_link(&disk),
            after_link: is_link(&wanted),
        };
        Self { file, disk, wanted, permissions: Permissions::default() }
    }

    fn left_alone(path: String, action: RestoreAction, disk: Option<FileContent>) -> Self {
        Self::new(path, action, disk.clone(), disk)
    }
}

impl Restorations {
    pub(crate) fn plan_files(&self, open: &OpenProject, files: Vec<WantedFile>) -> Vec<PlannedFile> {
        let mut planned: Vec<PlannedFile> = files.iter().map(|file| self.plan_file(open, file.clone())).collect();
        let gone = planned.iter().filter(|planned| planned.file.action == RestoreAction::Delete);
        let gone: BTreeSet<String> = gone.map(|planned| planned.file.path.clone()).collect();
        for (planned, file) in planned.iter_mut().zip(files) {
            if planned.file.action == RestoreAction::Conflict && make_room(open, &file.path, &gone) {
                *planned = self.plan_found(file, None);
            }
            if planned.is_written() && !may_change(open, &planned.file.path) {
                let disk = planned.disk.take();
                *planned = PlannedFile::left_alone(planned.file.path.clone(), RestoreAction::Conflict, disk);
            }
        }
        planned
    }

    pub(crate) fn plan_file(&self, open: &OpenProject, file: WantedFile) -> PlannedFile {
        match found(open, &file.path) {
            Ok(found) => self.plan_found(file, found),
            // Something else is in the place where there is to be no file.
            Err(_) if file.wanted == FileAt::Nothing && has_no_place(open, &file.path) => self.plan_found(file, None),
            Err(_) => PlannedFile::left_alone(file.path, RestoreAction::Conflict, None),
        }
    }

    fn plan_found(&self, file: WantedFile, found: Option<FileFound>) -> PlannedFile {
        let before_permissions = found.as_ref().map(FileFound::permissions).unwrap_or_default();
        let permissions = file.wanted_permissions;
        let planned = self.compare(file, found.map(|found| found.content));
        PlannedFile { file: RestoredFile { before_permissions, ..planned.file }, permissions, ..planned }
    }

    /// Takes the session's changes back from what is on the disk, the last first.
    fn compare(&self, file: WantedFile, disk: Option<FileContent>) -> PlannedFile {
        let conflict = |path, disk| PlannedFile::left_alone(path, RestoreAction::Conflict, disk);
        let cannot_be_made = matches!(file.wanted, FileAt::Link(_)) && !FileContent::LINKS_CAN_BE_MADE;
        if file.wanted == FileAt::Unknown || cannot_be_made {
            return conflict(file.path, disk);
        }
        if is(disk.as_ref(), &file.wanted) {
            return PlannedFile::left_alone(file.path, RestoreAction::Keep, disk);
        }
        let undone = file.steps.iter().rev().try_fold(disk.clone(), |content, step| self.undo(step, content));
        match undone {
            None => conflict(file.path, disk),
            Some(content) if content == disk => PlannedFile::left_alone(file.path, RestoreAction::Keep, disk),
            Some(None) => PlannedFile::new(file.path, RestoreAction::Delete, disk, None),
            Some(wanted) => PlannedFile::new(file.path, RestoreAction::Restore, disk, wanted),
        }
    }

    /// Returns what becomes of a content without those changes; `None` where something else changed the same place.
    fn undo(&self, step: &FileStep, content: Option<FileContent>) -> Option<Option<FileContent>> {
        if is(content.as_ref(), &step.before) {
            return Some(content);
        }
        let before = self.past_files.content_at(&step.before)?;
        // Untouched since: there is nothing to merge, and the last image need not be there.
        if is(content.as_ref(), &step.after) {
            return Some(before);
        }
        let after = self.past_files.content_at(&step.after)?;
        if [&after, &before, &content].into_iter().flatten().any(FileContent::is_link) {
            return None;
        }
        match merge(after.as_deref(), before.as_deref(), content.as_deref()) {
            Merge::Unchanged => Some(content),
            Merge::Write(bytes) => Some(Some(bytes.into())),
            Merge::Delete => Some(None),
            Merge::Conflict => None,
        }
    }
}

pub(crate) fn is(content: Option<&FileContent>, at: &FileAt) -> bool {
    match (content, at) {
        (None, FileAt::Nothing) => true,
        (Some(FileContent::File(bytes)), FileAt::File(hash)) | (Some(FileContent::Link(bytes)), FileAt::Link(hash)) => {
            sha256_hex(bytes) == *hash
        }
        _ => false,
    }
}

/// `None` is no file.
fn hash(content: Option<&[u8]>) -> Option<String> {
    content.map(sha256_hex)
}

/// Returns whether there is room for a file at `path` once the files in `gone` are: one of them has the place of its
/// folder, or it has the place of a folder that holds only such.
fn make_room(open: &OpenProject, path: &str, gone: &BTreeSet<String>) -> bool {
    let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
    let holds_only_gone = |path| open.workplace().holds_only(&path, |below| gone.contains(below));
    folders.any(|folder| gone.contains(folder)) || open.workplace().resolve(path).is_ok_and(holds_only_gone)
}

fn has_no_place(open: &OpenProject, path: &str) -> bool {
    open.workplace().resolve(path).is_ok_and(|path| open.workplace().has_no_place_for_file(&path))
}

fn may_change(open: &OpenProject, path: &str) -> bool {
    open.workplace().resolve(path).is_ok_and(|path| open.workplace().may_change(&path))
}

/// Returns the content at a path itself: links are neither read through nor written through.
pub(crate) fn found(open: &OpenProject, path: &str) -> Result<Option<FileFound>, Error> {
    let path = open.workplace().resolve(path).map_err(Error::from)?;
    open.workplace().found_in_place(&path, EDIT_LIMIT_BYTES).map_err(Error::from)
}
