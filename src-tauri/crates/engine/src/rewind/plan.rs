//! What going back means for each file: plain decisions over the log, the images and the disk.

use crate::Engine;
use crate::projects::OpenProject;
use arki_domain::projection::{SessionState, SessionSummary, WantedFile};
use arki_domain::{ApprovalId, EventBody, Fault, RestoreAction, RestoredFile, RunId, SessionId, sha256_hex};
use arki_workspace::{EDIT_LIMIT_BYTES, Executable, FileBytes, Merge, merge};
use std::collections::BTreeSet;

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RewindScope {
    pub files: bool,
    pub conversation: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RewindPlan {
    pub to_seq: u64,
    pub scope: RewindScope,
    /// By path.
    pub files: Vec<PlannedFile>,
    /// Of what would be written.
    pub diff: String,
    /// The user's message that is the first to be taken back, to be said anew.
    pub prompt: Option<String>,
    /// The run that waits, or was interrupted, and has no place to go on from afterwards.
    pub ended_run: Option<EndedRun>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedRun {
    pub run_id: RunId,
    /// What it waits for, where that is a decision of the user.
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
    pub(crate) disk: Option<Vec<u8>>,
    pub(crate) wanted: Option<Vec<u8>>,
    /// Where the file has to be made again.
    pub(crate) executable: Executable,
}

impl PlannedFile {
    pub(crate) fn is_written(&self) -> bool {
        matches!(self.file.action, RestoreAction::Restore | RestoreAction::Delete)
    }

    fn new(path: String, action: RestoreAction, disk: Option<Vec<u8>>, wanted: Option<Vec<u8>>) -> Self {
        let hash = |bytes: &Option<Vec<u8>>| bytes.as_deref().map(sha256_hex);
        let (before_hash, after_hash) = (hash(&disk), hash(&wanted));
        let file = RestoredFile { path, action, before_hash, after_hash, before_executable: false };
        Self { file, disk, wanted, executable: Executable::No }
    }

    fn left_alone(path: String, action: RestoreAction, disk: Option<Vec<u8>>) -> Self {
        Self::new(path, action, disk.clone(), disk)
    }
}

impl Engine {
    pub(crate) fn plan_files(&self, open: &OpenProject, files: Vec<WantedFile>) -> Vec<PlannedFile> {
        let mut planned: Vec<PlannedFile> = files.iter().map(|file| self.plan_file(open, file.clone())).collect();
        let gone: BTreeSet<String> = planned
            .iter()
            .filter(|planned| planned.file.action == RestoreAction::Delete)
            .map(|planned| planned.file.path.clone())
            .collect();
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
        match read(open, &file.path) {
            Ok(found) => self.plan_found(file, found),
            Err(_) => PlannedFile::left_alone(file.path, RestoreAction::Conflict, None),
        }
    }

    fn plan_found(&self, file: WantedFile, found: Option<FileBytes>) -> PlannedFile {
        let before_executable = found.as_ref().is_some_and(|file| file.mode & OWNER_EXECUTES != 0);
        let executable = if file.wanted_executable { Executable::Yes } else { Executable::No };
        let planned = self.compare(file, found.map(|file| file.bytes));
        PlannedFile { file: RestoredFile { before_executable, ..planned.file }, executable, ..planned }
    }

    /// Compares what the file should be, what Arki last made it, and what it is.
    fn compare(&self, file: WantedFile, disk: Option<Vec<u8>>) -> PlannedFile {
        let WantedFile { path, wanted_hash: wanted, last_known_hash: last, wanted_unknown, last_known_unknown, .. } =
            file;
        let conflict =
            |path: String, disk: Option<Vec<u8>>| PlannedFile::left_alone(path, RestoreAction::Conflict, disk);
        if wanted_unknown {
            return conflict(path, disk);
        }
        let on_disk = disk.as_deref().map(sha256_hex);
        if on_disk == wanted {
            return PlannedFile::left_alone(path, RestoreAction::Keep, disk);
        }
        let Some(wanted) = self.image(wanted.as_deref()) else { return conflict(path, disk) };
        // Untouched since: there is nothing to merge, and the last image need not be there.
        let base = match on_disk == last && !last_known_unknown {
            true => Some(disk.clone()),
            false if last_known_unknown => None,
            false => self.image(last.as_deref()),
        };
        let Some(base) = base else { return conflict(path, disk) };
        match merge(base.as_deref(), wanted.as_deref(), disk.as_deref()) {
            Merge::Unchanged => PlannedFile::left_alone(path, RestoreAction::Keep, disk),
            Merge::Write(bytes) => PlannedFile::new(path, RestoreAction::Restore, disk, Some(bytes)),
            Merge::Delete => PlannedFile::new(path, RestoreAction::Delete, disk, None),
            Merge::Conflict => conflict(path, disk),
        }
    }

    /// The content with this hash, no file for none; `None` when it is not kept any more.
    pub(crate) fn image(&self, hash: Option<&str>) -> Option<Option<Vec<u8>>> {
        match hash {
            Some(hash) => self.reader().blob(hash).ok().flatten().map(Some),
            None => Some(None),
        }
    }

    /// The text of the user's first message after an event.
    pub(crate) fn prompt_after(&self, session_id: &SessionId, seq: u64) -> Result<Option<String>, Fault> {
        let page = self.reader().events(session_id, seq, PROMPT_WITHIN)?;
        Ok(page.events.iter().find_map(|event| match event.body() {
            EventBody::RunStarted(started) => Some(started.prompt),
            _ => None,
        }))
    }
}

/// A prompt further away than this is not the one that is being taken back.
const PROMPT_WITHIN: usize = 4;

/// In a file's Unix permissions.
const OWNER_EXECUTES: u32 = 0o100;

/// Whether there is room for a file at `path` once the files in `gone` are: one of them has the place of
/// its folder, or it has the place of a folder that holds only such.
fn make_room(open: &OpenProject, path: &str, gone: &BTreeSet<String>) -> bool {
    let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
    let holds_only_gone = |path| open.project.holds_only(&path, |below| gone.contains(below));
    folders.any(|folder| gone.contains(folder)) || open.project.resolve(path).is_ok_and(holds_only_gone)
}

fn may_change(open: &OpenProject, path: &str) -> bool {
    open.project.resolve(path).is_ok_and(|path| open.project.may_change(&path))
}

pub(crate) fn read(open: &OpenProject, path: &str) -> Result<Option<FileBytes>, Fault> {
    let path = open.project.resolve(path).map_err(Fault::from)?;
    open.project.read_if_present(&path, EDIT_LIMIT_BYTES).map_err(Fault::from)
}
