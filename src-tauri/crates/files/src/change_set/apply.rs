//! Making a change set real: every file is checked, then every new content is written beside its file, and only
//! then is anything renamed into place. So a full disk or a missing permission shows before the first
//! visible change, and what fails after that is taken back. Only what needs the place of something that is deleted is
//! written after it.

use super::hard_links::HardLinks;
use super::room::{self, Deletions};
use super::{ChangeSet, FileChange, PERMISSION_BITS};
use crate::applied_change::AppliedChange;
use crate::atomic_write::{self, LinkHandling, MadeFolders, Staged, StagedMode, Staging, SyncMoment, WriteProtected};
use crate::error::{ChangeError, FileAction, FilesError, Result, StaleKind, StalePreview, io_error};
use crate::file_content::FileContent;
use crate::project::{Project, ProjectPath};
use arki_domain::Code;
use std::collections::BTreeSet;

/// Temporary files that are kept open, and so known as somebody's, while the others are staged.
const MAX_OPEN_FILES: usize = 200;

/// With more files than these, all are synced together where the system can.
const MAX_SYNCED_FILES: usize = 64;

fn sync_moment(files: &[FileChange]) -> SyncMoment {
    let is_many = cfg!(target_os = "linux") && files.len() > MAX_SYNCED_FILES;
    if is_many { SyncMoment::Together } else { SyncMoment::EachFile }
}

impl ChangeSet {
    /// Checks that every file on disk is still what `before` says, byte for byte.
    pub fn check_current(&self, project: &Project) -> Result<(), StalePreview> {
        self.files.iter().try_for_each(|change| check_one(project, change, change.way(self.links)))
    }

    /// Checks every file, then writes each atomically. On an error nothing is changed, except with
    /// [`ChangeError::PartlyApplied`], which says what is.
    pub fn apply(&self, project: &Project) -> Result<Vec<AppliedChange>> {
        let deletions = Deletions::of(&self.files);
        let hard_links = HardLinks::of(project, &self.files, self.links);
        let (waiting, at_once): (Vec<_>, Vec<_>) =
            self.files.iter().partition(|change| deletions.make_room_for(change));
        at_once.iter().try_for_each(|change| check_one(project, change, change.way(self.links)))?;
        let writing = ApplyingChange { project, set: self, hard_links: &hard_links, sync: sync_moment(&self.files) };
        let at_once: Vec<_> = at_once.into_iter().filter(|change| !hard_links.is_made_by_another(change)).collect();
        let mut staged = Vec::with_capacity(at_once.len());
        for change in &at_once {
            let mut next = writing.stage(change, self.write_protected)?;
            if let (StagedChange::Content(next), true) = (&mut next, staged.len() >= MAX_OPEN_FILES) {
                next.close();
            }
            staged.push(next);
        }
        writing.sync_together()?;
        let mut done = Vec::with_capacity(self.files.len());
        let mut made_folders = MadeFolders::default();
        let at_once = at_once.into_iter().zip(staged.into_iter().map(Some));
        for (change, staged) in at_once.chain(waiting.into_iter().map(|change| (change, None))) {
            let made = match staged {
                Some(staged) => writing.commit(change, staged),
                None => writing.make(change, self.write_protected),
            };
            made_folders.append(made.map_err(|cause| writing.take_back(&done, cause))?);
            done.push(change);
        }
        made_folders.keep();
        if let Err(error) = writing.sync_together() {
            tracing::warn!(%error, "the disk has not confirmed a change of many files");
        }
        for folder in self.emptied.iter().filter(|folder| deletions.are_below(folder)) {
            // What came into it meanwhile stays, and so does the folder.
            let _ = atomic_write::remove_folder(project, folder, LinkHandling::InPlace);
        }
        Ok(self.files.iter().map(|change| writing.applied(change)).collect())
    }
}

fn check_one(project: &Project, change: &FileChange, way: LinkHandling) -> Result<(), StalePreview> {
    let stale = |kind| StalePreview { path: change.path.to_string(), kind };
    if change.before.as_ref().is_some_and(FileContent::is_folder) {
        let is_empty = project.holds_only(&change.path, |_| false);
        return if is_empty { Ok(()) } else { Err(stale(StaleKind::Changed)) };
    }
    // One byte more than expected is enough to know; a file that grew to gigabytes is not read.
    let limit = change.before.as_deref().map_or(0, <[u8]>::len) as u64;
    let current = match way.found(project, &change.path, limit) {
        Ok(current) => current,
        Err(error) => return Err(stale(kind_of(&error, change))),
    };
    let is_other_mode = |mode: Option<u32>| {
        change.changes_mode() && mode.zip(change.mode).is_some_and(|(now, old)| (now ^ old) & PERMISSION_BITS != 0)
    };
    match (&change.before, &current) {
        (Some(before), Some(now)) if *before == now.content && !is_other_mode(now.mode) => Ok(()),
        (None, None) => Ok(()),
        (Some(_), None) => Err(stale(StaleKind::Missing)),
        (None, Some(_)) => Err(stale(StaleKind::Appeared)),
        _ => Err(stale(StaleKind::Changed)),
    }
}

fn kind_of(error: &FilesError, change: &FileChange) -> StaleKind {
    match (error.code(), &change.before) {
        (Code::FILE_TOO_LARGE, Some(_)) => StaleKind::Changed,
        (Code::FILE_TOO_LARGE | Code::FILE_NOT_TEXT, None) => StaleKind::Appeared,
        _ => StaleKind::Unreadable,
    }
}

/// A change of which everything is done that nobody sees yet.
enum StagedChange<'a> {
    Content(Staged<'a>),
    /// The permissions alone.
    Mode(u32),
    /// Made: an empty folder is no loss.
    Folder(MadeFolders<'a>),
    Removal,
}

/// A change set on its way to the disk.
struct ApplyingChange<'a> {
    project: &'a Project,
    set: &'a ChangeSet,
    hard_links: &'a HardLinks<'a>,
    sync: SyncMoment,
}

impl<'a> ApplyingChange<'a> {
    fn stage(&self, change: &FileChange, write_protected: WriteProtected) -> Result<StagedChange<'a>> {
        let way = change.way(self.set.links);
        let Some(content) = &change.after else { return Ok(StagedChange::Removal) };
        if content.is_folder() {
            return atomic_write::make_folder(self.project, &change.path, way).map(StagedChange::Folder);
        }
        if let Some(mode) = change.new_mode.filter(|_| change.before == change.after) {
            return Ok(StagedChange::Mode(mode));
        }
        let mode = StagedMode { usual: change.mode, exact: change.new_mode };
        let staging = Staging {
            mode,
            write_protected,
            names: self.hard_links.names(change),
            sync: self.sync,
            moved_from: self.set.moves.get(&change.path),
        };
        atomic_write::stage(self.project, &change.path, way, content, staging).map(StagedChange::Content)
    }

    /// Looks once more: staging syncs to disk, which is long enough for an editor to save.
    fn commit(&self, change: &FileChange, staged: StagedChange<'a>) -> Result<MadeFolders<'a>> {
        let (project, path, way) = (self.project, &change.path, change.way(self.set.links));
        if let StagedChange::Folder(made) = staged {
            return Ok(made);
        }
        check_one(project, change, way)?;
        match (staged, &change.after, &change.before) {
            (StagedChange::Content(staged), Some(after), before) => {
                return staged.commit(project, before.as_ref(), after);
            }
            (StagedChange::Mode(mode), ..) => atomic_write::change_mode(project, path, way, mode),
            (_, _, Some(FileContent::Folder)) => atomic_write::remove_folder(project, path, way),
            _ => atomic_write::remove(project, path, way, self.sync),
        }
        .map(|()| MadeFolders::default())
    }

    /// A change alone, once there is room for it.
    fn make(&self, change: &FileChange, write_protected: WriteProtected) -> Result<MadeFolders<'a>> {
        if change.before.is_none() {
            room::clear(self.project, &change.path);
        }
        check_one(self.project, change, change.way(self.set.links))?;
        let staged = self.stage(change, write_protected)?;
        self.commit(change, staged)
    }

    /// Makes durable what was not at once.
    fn sync_together(&self) -> Result<()> {
        if self.sync == SyncMoment::EachFile {
            return Ok(());
        }
        let places = self.set.files.iter().map(|change| self.set.place_of(change).folder());
        let folders: BTreeSet<ProjectPath> = places.collect();
        atomic_write::sync_disks(self.project, folders.iter().map(ProjectPath::as_str))
            .map_err(|error| io_error("The change", FileAction::Write, error))
    }

    /// The last first: what was made may stand where something else was.
    fn take_back(&self, done: &[&FileChange], cause: FilesError) -> FilesError {
        let is_stuck = |change: &&&FileChange| self.revert(change).is_err();
        let mut stuck: Vec<AppliedChange> =
            done.iter().rev().filter(is_stuck).map(|change| self.applied(change)).collect();
        if stuck.is_empty() {
            return cause;
        }
        stuck.reverse();
        ChangeError::PartlyApplied { applied: stuck, cause: Box::new(cause) }.into()
    }

    fn revert(&self, change: &FileChange) -> Result<()> {
        let (mode, new_mode) = match change.new_mode {
            None => (change.mode, None),
            Some(new) => (Some(new), change.mode),
        };
        let (path, before, after) = (change.path.clone(), change.after.clone(), change.before.clone());
        let reverse = FileChange { path, before, after, mode, new_mode };
        self.make(&reverse, WriteProtected::Replaced).map(MadeFolders::keep)
    }

    fn applied(&self, change: &FileChange) -> AppliedChange {
        AppliedChange {
            path: change.path.to_string(),
            before_hash: change.before.as_ref().and_then(FileContent::hash),
            after_hash: change.after.as_ref().and_then(FileContent::hash),
            leaves_another_name: self.hard_links.leaves_another_name(change),
        }
    }
}
