//! Writing a file so that a reader, or a crash, sees the old content or the new one and nothing between.
//!
//! The new content goes to a temporary file in the same folder, is synced, takes over mode and owner of
//! the old file, its extended attributes and ACL, and is renamed over it; then the folder is synced. A link is kept and
//! its target written, unless the link itself is meant.
//!
//! Where that can't keep what the file has, it is written in place: an owner that we may not give, a file that is mounted
//! by itself, a folder that nobody may write to, a file with several names of which all are to change. On macOS ACLs are
//! lost.

mod attributes;
mod folders;
mod in_place;
mod unfinished;

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::mem;

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use globset::GlobSet;

use crate::error::{FileAction, FileError, Result, io_error};
use crate::file_content::{FileContent, make_link};
use crate::project::{FileBytes, FileFound, Project, ProjectPath, split_parent};
use crate::protection::{is_protected, is_secret};
use arki_disk::descend;

use folders::sync_folder;
pub(crate) use folders::{MadeFolders, make_folder, remove_folder, sync_disks};
pub use in_place::restore_torn;
pub use unfinished::{remove_unfinished, remove_unfinished_restoration};

/// Mode of a new file, before the umask.
const NEW_FILE_MODE: u32 = 0o644;
/// Mode of the temporary file until it takes over that of the old one.
const STAGING_MODE: u32 = 0o600;
/// The bytes of a file's name that its temporary file keeps, so that the whole stays below the usual 255.
const NAME_BYTES_KEPT: usize = 100;
/// Says whose the temporary file is.
const NAME_MARK: &str = ".arki-tmp-";
const RANDOM_DIGITS: usize = 16;
/// Tries to find a free temporary name; the first one practically always is.
const NAME_TRIES: usize = 8;

/// The treatment of a file that nobody may write to. A rename needs no permission on the file itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WriteProtected {
    #[default]
    Refused,
    /// Replaced by a file that nobody may write to either.
    Replaced,
}

/// The links of a path that are followed to the file to write, read or remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkHandling {
    /// Writes through links, to the file where they lead.
    Through,
    /// Writes to the path itself in its folder, even if it is a link.
    Itself,
    /// Follows no link: a link on the way is an error.
    InPlace,
}

impl LinkHandling {
    /// Returns where `path` leads.
    pub(crate) fn place(self, project: &Project, path: &ProjectPath) -> Result<ProjectPath> {
        if self == Self::Through {
            return project.canonical(path);
        }
        let folder = project.canonical(&path.folder())?;
        if self == Self::InPlace && folder != path.folder() {
            return Err(FileError::BehindLink { path: path.to_string(), real: folder.to_string() }.into());
        }
        Ok(folder.join(path.name()))
    }

    /// Returns what is there now.
    pub(crate) fn found(self, project: &Project, path: &ProjectPath, limit: u64) -> Result<Option<FileFound>> {
        Ok(match self {
            Self::Through => project
                .read_if_present(path, limit)?
                .map(|FileBytes { bytes, mode }| FileFound { content: bytes.into(), mode: Some(mode) }),
            Self::Itself => project.found(path, limit)?,
            Self::InPlace => project.found_in_place(path, limit)?,
        })
    }
}

/// Says how a file is staged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Staging<'a> {
    pub(crate) mode: StagedMode,
    pub(crate) write_protected: WriteProtected,
    /// The number of its names (hard links) that change with it.
    pub(crate) names: u64,
    pub(crate) sync: SyncMoment,
    /// The path that a new file comes from, not through a link: it gets what that file has.
    pub(crate) moved_from: Option<&'a ProjectPath>,
}

/// The moment at which what was written is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum SyncMoment {
    #[default]
    EachFile,
    /// By [`sync_disks`]: many files at once take a small part of the time.
    Together,
}

impl SyncMoment {
    fn is_now(self) -> bool {
        self == Self::EachFile
    }
}

/// The permission bits of a file that is staged.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StagedMode {
    /// Those of a file that does not exist yet, before the umask. An existing one keeps its own, but for what this denies
    /// to group and others.
    pub(crate) usual: Option<u32>,
    /// Those that any file gets.
    pub(crate) exact: Option<u32>,
}

/// New content, not yet in place. Dropping it removes the temporary file and the folders made for it; these come last,
/// since Windows removes nothing that is still open.
///
/// It keeps no folder open, for a change may have more files than a process may open.
pub(crate) struct Staged<'a> {
    real: ProjectPath,
    path: ProjectPath,
    /// `None` where the file is to be written in place.
    temporary: Option<Temporary<'a>>,
    mode: StagedMode,
    sync: SyncMoment,
    made_folders: MadeFolders<'a>,
}

/// A file or link beside the one that it is to replace; removed when dropped.
struct Temporary<'a> {
    root: &'a Dir,
    folder: String,
    name: String,
    /// Locked: while it is open, the temporary file is somebody's. None of a link.
    file: Option<std::fs::File>,
    is_committed: bool,
}

/// Writes `content` beside `path`, making folders as needed; or nothing yet, where it is to be written in place.
pub(crate) fn stage<'a>(
    project: &'a Project,
    path: &ProjectPath,
    way: LinkHandling,
    content: &FileContent,
    staging: Staging<'_>,
) -> Result<Staged<'a>> {
    let real = place(path, way.place(project, path)?)?;
    let fail = |error| io_error(path.as_str(), FileAction::Write, error);
    if real.is_root() {
        return Err(FileError::NotRegular { path: path.to_string(), kind: "folder" }.into());
    }
    let (parent, name) = split_parent(real.as_str());
    let mut made_folders = MadeFolders::default();
    let folder = made_folders.make(project.dir(), parent).map_err(fail)?;
    let beside = Beside { root: project.dir(), path: parent, folder: &folder, name };
    let existing = existing_file(&folder, name, path, way)?;
    let is_protected = existing.as_ref().is_some_and(|existing| existing.permissions().readonly());
    let is_link = matches!(content, FileContent::Link(_));
    if !is_link && is_protected && staging.write_protected == WriteProtected::Refused {
        return Err(FileError::PermissionDenied { path: path.to_string(), action: FileAction::Write }.into());
    }
    let names = existing.as_ref().map_or(1, attributes::names_of);
    let may_stay = !is_link && existing.is_some() && names == staging.names && in_place::is_possible(&folder, name);
    let temporary = match content {
        FileContent::Link(target) => Some(Temporary::link(&beside, target).map_err(fail)?),
        FileContent::Folder => return Err(FileError::NotRegular { path: path.to_string(), kind: "folder" }.into()),
        FileContent::File(_) if may_stay && names > 1 => None,
        FileContent::File(bytes) => match Temporary::file(&beside, bytes, existing.as_ref(), &staging) {
            Ok(temporary) => Some(temporary),
            Err(error) if may_stay && in_place::is_reason(&error) => None,
            Err(error) => return Err(fail(error)),
        },
    };
    Ok(Staged { path: path.clone(), temporary, mode: staging.mode, sync: staging.sync, made_folders, real })
}

/// The place beside which a temporary file is made.
struct Beside<'a, 'b> {
    root: &'a Dir,
    path: &'b str,
    /// The open folder at that path.
    folder: &'b Dir,
    name: &'b str,
}

impl Beside<'_, '_> {
    fn take_along(&self, old: &ProjectPath, file: &std::fs::File, mode: StagedMode) -> io::Result<()> {
        let (parent, name) = split_parent(old.as_str());
        let folder = descend(self.root, parent)?;
        let existing = folder.symlink_metadata(name)?;
        if existing.is_file() { attributes::take_over(file, &folder, name, &existing, mode) } else { Ok(()) }
    }
}

impl<'a> Temporary<'a> {
    fn link(beside: &Beside<'a, '_>, target: &[u8]) -> io::Result<Self> {
        let (name, ()) = create_temporary(beside.name, |temporary| make_link(beside.folder, target, temporary))?;
        Ok(Self::named(beside, name))
    }

    fn named(beside: &Beside<'a, '_>, name: String) -> Self {
        Self { root: beside.root, folder: beside.path.to_owned(), name, file: None, is_committed: false }
    }

    fn file(
        beside: &Beside<'a, '_>,
        content: &[u8],
        existing: Option<&Metadata>,
        staging: &Staging<'_>,
    ) -> io::Result<Self> {
        let mode = staging.mode;
        let Beside { folder, name, .. } = *beside;
        let new_mode = if existing.is_some() { STAGING_MODE } else { mode.usual.unwrap_or(NEW_FILE_MODE) };
        let (temporary, file) = create_temporary(name, |temporary| create_file(folder, temporary, new_mode))?;
        let mut staged = Self::named(beside, temporary);
        let file = staged.file.insert(file.into_std());
        // Where there are no locks, nobody takes it for left over either.
        let _ = file.try_lock();
        file.write_all(content)?;
        if let Some(existing) = existing {
            attributes::take_over(file, folder, name, existing, mode)?;
        } else {
            if let Some(old) = staging.moved_from {
                // It may be somebody else's: then the new one is ours.
                let _ = beside.take_along(old, file, mode);
            }
            mode.exact.map_or(Ok(()), |mode| attributes::set_mode(file, mode))?;
        }
        if staging.sync.is_now() {
            file.sync_all()?;
        }
        Ok(staged)
    }
}

impl<'a> Staged<'a> {
    /// Closes the temporary file, so that nothing of it is open. It is no longer known as somebody's.
    pub(crate) fn close(&mut self) {
        if let Some(temporary) = &mut self.temporary {
            temporary.file = None;
        }
    }

    /// Puts the content in its place: `after`, where `before` is. The folders that were made for it are to be kept once
    /// everything else is in place too.
    pub(crate) fn commit(
        mut self,
        project: &Project,
        before: Option<&FileContent>,
        after: &FileContent,
    ) -> Result<MadeFolders<'a>> {
        let fail = |error| io_error(self.path.as_str(), FileAction::Write, error);
        let (parent, name) = split_parent(self.real.as_str());
        let folder = descend(project.dir(), parent).map_err(fail)?;
        let renamed = match &mut self.temporary {
            Some(temporary) => temporary.rename_to(&folder, name),
            None => Err(io::ErrorKind::ResourceBusy.into()),
        };
        match (renamed, before) {
            (Err(error), Some(before)) if in_place::is_reason(&error) => {
                in_place::write(&folder, name, before, after, self.mode)
            }
            (renamed, _) => renamed,
        }
        .map_err(fail)?;
        if self.sync.is_now() {
            sync_folder(&folder);
        }
        Ok(mem::take(&mut self.made_folders))
    }
}

impl Temporary<'_> {
    fn rename_to(&mut self, folder: &Dir, name: &str) -> io::Result<()> {
        folder.rename(&self.name, folder, name)?;
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            // Nothing better is possible while failing; the name says whose it is.
            let _ = descend(self.root, &self.folder).and_then(|folder| folder.remove_file(&self.name));
        }
    }
}

/// Removes a file; of a link, the link.
pub(crate) fn remove(project: &Project, path: &ProjectPath, way: LinkHandling, sync: SyncMoment) -> Result<()> {
    let fail = |error| io_error(path.as_str(), FileAction::Delete, error);
    let real = place(path, way.place(project, path)?)?;
    let (folder, name) = split_parent(real.as_str());
    let folder = descend(project.dir(), folder).map_err(fail)?;
    folder.remove_file(name).map_err(fail)?;
    if sync.is_now() {
        sync_folder(&folder);
    }
    Ok(())
}

/// Gives a file other permissions, and nothing else: its content and its other names stay.
pub(crate) fn change_mode(project: &Project, path: &ProjectPath, way: LinkHandling, mode: u32) -> Result<()> {
    let fail = |error| io_error(path.as_str(), FileAction::Write, error);
    let real = place(path, way.place(project, path)?)?;
    let (folder, name) = split_parent(real.as_str());
    let folder = descend(project.dir(), folder).map_err(fail)?;
    in_place::open_to_read(&folder, name).and_then(|file| attributes::set_mode(&file, mode)).map_err(fail)
}

/// Returns where `path` is to be written. What is judged by its name must not lead to what is judged otherwise, since
/// between the two a link may have come in its way.
fn place(path: &ProjectPath, real: ProjectPath) -> Result<ProjectPath> {
    let none = GlobSet::empty();
    let is_disguised = |judge: &dyn Fn(&ProjectPath) -> bool| judge(&real) && !judge(path);
    if is_disguised(&is_protected) || is_disguised(&|path| is_secret(path, &none)) {
        return Err(FileError::Disguised { path: path.to_string(), real: real.to_string() }.into());
    }
    Ok(real)
}

/// Refuses what a rename would silently replace: a folder, a device, a link that is not meant itself. A link has nothing
/// that what comes in its place could keep.
fn existing_file(folder: &Dir, name: &str, path: &ProjectPath, way: LinkHandling) -> Result<Option<Metadata>> {
    let metadata = match folder.symlink_metadata(name) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error(path.as_str(), FileAction::Write, error)),
    };
    if metadata.is_symlink() && way != LinkHandling::Through {
        return Ok(None);
    }
    if !metadata.is_file() {
        let kind = arki_disk::EntryKind::of(&metadata).noun();
        return Err(FileError::NotRegular { path: path.to_string(), kind }.into());
    }
    Ok(Some(metadata))
}

fn create_file(folder: &Dir, name: &str, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, mode);
    folder.open_with(name, &options)
}

/// `create` under a name that is free, and that name.
fn create_temporary<T>(name: &str, create: impl Fn(&str) -> io::Result<T>) -> io::Result<(String, T)> {
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..NAME_TRIES {
        let temporary = temporary_name(name);
        match create(&temporary) {
            Ok(created) => return Ok((temporary, created)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// `.NAME.arki-tmp-RANDOM`. Need not be unguessable: it is created exclusively.
fn temporary_name(name: &str) -> String {
    format!("{}{:0RANDOM_DIGITS$x}", mark_of(name), RandomState::new().build_hasher().finish())
}

/// Returns what the names of a file's temporary files begin with.
fn mark_of(name: &str) -> String {
    format!(".{}{NAME_MARK}", &name[..name.floor_char_boundary(NAME_BYTES_KEPT)])
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, mode: u32) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: u32) {}
