//! The path jail: a project folder, and the only way to name something in it.
//!
//! Two walls. `resolve` refuses by its text what is outside or meant to mislead. Everything that
//! is then opened goes through a directory handle (cap-std, `openat2` with `RESOLVE_BENEATH` where there is
//! one), so a link that leads out is refused by the system call that would follow it, not by a check before it.
//! Links that stay inside are fine.

mod drafts;
mod path;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use arki_domain::Permissions;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use globset::GlobSet;

use crate::error::{FileAction, FileError, FilesError, PathError, Result, io_error};
use crate::file_content::{FileContent, link_target};
use arki_disk::EntryKind;
use arki_git::{WorkingTree, hooks_below, included};

use arki_disk::{is_protected_name, is_secret_name, mode_of, never_wait};
use drafts::Drafts;
pub use path::ProjectPath;
pub(crate) use path::escape_hidden;

/// An open project folder. Cheap to keep; one a session is enough.
#[derive(Debug)]
pub struct Project {
    root: PathBuf,
    given: PathBuf,
    dir: Dir,
    /// Absolute; once somebody asked.
    hooks: OnceLock<BTreeSet<PathBuf>>,
    drafts: Drafts,
}

/// The bytes of a file as they were at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    pub bytes: Vec<u8>,
    /// Unix permission bits (0 on Windows).
    pub mode: u32,
}

/// The file at a path itself: a link is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFound {
    pub content: FileContent,
    /// Unix permission bits; `None` of a link, which has none of its own.
    pub mode: Option<u32>,
}

impl FileFound {
    pub fn permissions(&self) -> Permissions {
        self.mode.map_or_else(Permissions::default, permissions_of)
    }
}

impl Project {
    /// Opens the folder at `path`. The root is canonical from then on: replacing the folder or a link on the
    /// way to it does not move an open project.
    pub fn open(path: &Path) -> Result<Self> {
        let root = canonical_root(path)?;
        let given = std::path::absolute(path).unwrap_or_else(|_| root.clone());
        let dir = Dir::open_ambient_dir(&root, ambient_authority())
            .map_err(|_| PathError::ProjectUnreadable { path: root.clone() })?;
        Ok(Self { root, given, dir, hooks: OnceLock::new(), drafts: Drafts::default() })
    }

    /// The canonical, absolute root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Accepts a relative path, or an absolute one inside the project, and normalises it by its text alone.
    /// Returns the names of the folders in a folder, links left out; none where it can't be read.
    pub fn folders_in(&self, folder: &Path) -> Vec<std::ffi::OsString> {
        let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = self.dir.read_dir(place) else { return Vec::new() };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.map(|entry| entry.file_name()).collect()
    }

    /// Makes an empty folder for what a tool generates; false where something is there.
    pub fn make_folder(&self, path: &ProjectPath) -> bool {
        self.dir.create_dir(path.as_str()).is_ok()
    }

    /// Removes a folder in which nothing is.
    pub fn remove_empty_folder(&self, path: &ProjectPath) {
        let _ = self.dir.remove_dir(path.as_str());
    }

    pub fn resolve(&self, path: &str) -> Result<ProjectPath> {
        Ok(path::resolve(path, &[&self.root, &self.given])?)
    }

    /// The same place with every link followed, as far as it exists. Judge a path by this too: a
    /// link `notes -> .git/config` is as protected as its target.
    pub fn canonical(&self, path: &ProjectPath) -> Result<ProjectPath> {
        let mut missing: Vec<&str> = Vec::new();
        let mut existing = path.as_str();
        loop {
            match self.dir.canonicalize(existing) {
                Ok(real) => return Ok(ProjectPath::from_real(&real, &missing)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && existing != "." => {
                    self.refuse_broken_link(existing)?;
                    let (parent, name) = split_parent(existing);
                    missing.push(name);
                    existing = parent;
                }
                Err(error) => return Err(io_error(path.as_str(), FileAction::Read, error)),
            }
        }
    }

    /// Returns whether writing here always asks, judged by the path as given and by where its links lead.
    pub fn is_protected(&self, path: &ProjectPath) -> bool {
        let is_protected = |path: &ProjectPath| is_protected_name(path.as_str()) || self.is_hook(path);
        is_protected(path) || self.canonical(path).is_ok_and(|real| is_protected(&real))
    }

    /// Returns whether git runs what is written here as a hook, of the project's repository, by the configuration that
    /// held when this was first asked, or of one that lies around it.
    fn is_hook(&self, path: &ProjectPath) -> bool {
        let place = self.root.join(path);
        let is_among = |hooks: &BTreeSet<PathBuf>| hooks.iter().any(|hook| place.starts_with(hook));
        let own = || hooks_below(&self.root, WorkingTree::at(&self.root).as_slice());
        let around = place.ancestors().skip(1).take_while(|folder| *folder != self.root);
        let around: Vec<_> = around.filter_map(WorkingTree::at).collect();
        is_among(self.hooks.get_or_init(own)) || (!around.is_empty() && is_among(&hooks_below(&self.root, &around)))
    }

    /// Returns whether git may take what is written here for a part of a repository, or for its configuration: a
    /// `HEAD`, what is beside one or below, and what the project's own configuration of git includes.
    pub fn is_part_of_git(&self, path: &ProjectPath) -> bool {
        const HEAD: &str = "HEAD";
        let real = self.canonical(path).unwrap_or_else(|_| path.clone());
        let mut folders = Path::new(real.as_str()).ancestors().skip(1);
        real.name().eq_ignore_ascii_case(HEAD)
            || folders.any(|folder| self.dir.symlink_metadata(folder.join(HEAD)).is_ok())
            || self.included_by_git().contains(&self.root.join(&real))
    }

    fn included_by_git(&self) -> Vec<PathBuf> {
        let text = self.dir.read_to_string(".git/config").unwrap_or_default();
        included(&text, &self.root.join(".git"))
    }

    /// Returns whether touching this always asks, judged by the path as given and by where its links lead.
    pub fn is_secret(&self, path: &ProjectPath, extra: &GlobSet) -> bool {
        let is_secret = |path: &ProjectPath| is_secret_name(path.as_str(), extra);
        is_secret(path) || self.canonical(path).is_ok_and(|real| is_secret(&real))
    }

    /// Returns what is at `path`, links followed; `None` if nothing is.
    pub fn kind(&self, path: &ProjectPath) -> Result<Option<EntryKind>> {
        match self.dir.metadata(path.as_str()) {
            Ok(metadata) => Ok(Some(EntryKind::of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(io_error(path.as_str(), FileAction::Read, error)),
        }
    }

    /// Permission bits of the regular file at `path`; `None` where there is none, or a link.
    pub(crate) fn mode(&self, path: &ProjectPath) -> Option<u32> {
        let metadata = self.dir.symlink_metadata(path.as_str()).ok().filter(Metadata::is_file)?;
        Some(mode_of(&metadata))
    }

    /// Reads a whole regular file of at most `limit` bytes.
    pub fn read(&self, path: &ProjectPath, limit: u64) -> Result<FileBytes> {
        match self.read_drafted(path, limit) {
            Some(drafted) => drafted,
            None => read_whole(self.open_regular(path)?, path, limit),
        }
    }

    /// Reads like [`Project::read`], a path that a walk has just found to be a file.
    pub(crate) fn read_walked(&self, path: &ProjectPath, limit: u64) -> Result<FileBytes> {
        read_whole(self.open_walked(path)?, path, limit)
    }

    /// Like `read`, but `None` where there is nothing. A broken link is an error: writing to it would
    /// create its target, which nobody was shown.
    pub fn read_if_present(&self, path: &ProjectPath, limit: u64) -> Result<Option<FileBytes>> {
        match self.read(path, limit) {
            Err(FilesError::File(FileError::NotFound { .. })) => Ok(None),
            read => read.map(Some),
        }
    }

    /// Returns what is at `path` itself, a file of at most `limit` bytes or a link; links on the way to it are
    /// followed. `None` where there is nothing.
    pub fn found(&self, path: &ProjectPath, limit: u64) -> Result<Option<FileFound>> {
        if let Some(drafted) = self.drafted(path) {
            return Ok(drafted.clone());
        }
        let fail = |error| io_error(path.as_str(), FileAction::Read, error);
        let metadata = match self.dir.symlink_metadata(path.as_str()) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        if metadata.is_symlink() {
            let content = FileContent::Link(link_target(&self.dir, path.as_str()).map_err(fail)?);
            return Ok(Some(FileFound { content, mode: None }));
        }
        let FileBytes { bytes, mode } = self.read(path, limit)?;
        Ok(Some(FileFound { content: bytes.into(), mode: Some(mode) }))
    }

    /// Finds like [`Project::found`], but a link on the way is an error: what is below it is somewhere else.
    pub fn found_in_place(&self, path: &ProjectPath, limit: u64) -> Result<Option<FileFound>> {
        let real = self.canonical(&path.folder())?;
        if real != path.folder() {
            return Err(FileError::BehindLink { path: path.to_string(), real: real.to_string() }.into());
        }
        self.found(path, limit)
    }

    /// Returns whether a file at `path` can be made, replaced or removed, as far as the permissions of its folder tell.
    pub fn may_change(&self, path: &ProjectPath) -> bool {
        let real = self.canonical(path).unwrap_or_else(|_| path.clone());
        let mut folder = split_parent(real.as_str()).0;
        while folder != "." && !self.dir.is_dir(folder) {
            folder = split_parent(folder).0;
        }
        may_change(&self.dir, folder, real.as_str())
    }

    /// Returns whether there can be no file at `path` itself: there is a folder, with no link on the way to it, or what
    /// should be one on the way is none.
    pub fn has_no_place_for_file(&self, path: &ProjectPath) -> bool {
        match self.dir.symlink_metadata(path.as_str()) {
            Ok(found) => found.is_dir() && self.canonical(path).is_ok_and(|real| real == *path),
            Err(error) => error.kind() == std::io::ErrorKind::NotADirectory,
        }
    }

    /// Returns whether there is a folder at `path` with nothing in it but folders, and files that `is_known` knows by
    /// their paths.
    pub fn holds_only(&self, path: &ProjectPath, is_known: impl Fn(&str) -> bool) -> bool {
        let is_folder = self.dir.symlink_metadata(path.as_str()).is_ok_and(|found| found.is_dir());
        is_folder && holds_only(&self.dir, path.as_str(), &is_known)
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens for reading without ever blocking: a FIFO, a socket or a device is refused before and, should it
    /// have been swapped in between, opened without waiting and refused then.
    pub(crate) fn open_regular(&self, path: &ProjectPath) -> Result<(File, Metadata)> {
        let fail = |error| io_error(path.as_str(), FileAction::Read, error);
        let found = self.dir.symlink_metadata(path.as_str()).map_err(fail)?;
        if found.is_symlink() {
            self.refuse_broken_link(path.as_str())?;
            refuse_irregular(path, &self.dir.metadata(path.as_str()).map_err(fail)?)?;
        } else {
            refuse_irregular(path, &found)?;
        }
        self.open_walked(path)
    }

    /// Opens like [`Project::open_regular`], a path that a walk has just found to be a file: looked at only once it is
    /// open.
    pub(crate) fn open_walked(&self, path: &ProjectPath) -> Result<(File, Metadata)> {
        let fail = |error| io_error(path.as_str(), FileAction::Read, error);
        let mut options = OpenOptions::new();
        options.read(true);
        never_wait(&mut options);
        let file = self.dir.open_with(path.as_str(), &options).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        refuse_irregular(path, &metadata)?;
        Ok((file, metadata))
    }

    fn refuse_broken_link(&self, path: &str) -> Result<()> {
        let is_link = self.dir.symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        let leads_nowhere = || self.dir.metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if is_link && leads_nowhere() {
            return Err(FileError::BrokenLink { path: path.to_owned() }.into());
        }
        Ok(())
    }
}

fn read_whole((file, metadata): (File, Metadata), path: &ProjectPath, limit: u64) -> Result<FileBytes> {
    let too_large = || FileError::TooLarge { path: path.to_string(), limit };
    if metadata.len() > limit {
        return Err(too_large().into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| io_error(path.as_str(), FileAction::Read, error))?;
    if bytes.len() as u64 > limit {
        return Err(too_large().into());
    }
    Ok(FileBytes { bytes, mode: mode_of(&metadata) })
}

fn holds_only(dir: &Dir, folder: &str, is_known: &dyn Fn(&str) -> bool) -> bool {
    let Ok(mut entries) = dir.read_dir(folder) else { return false };
    entries.all(|entry| {
        let Ok(entry) = entry else { return false };
        let Ok(name) = entry.file_name().into_string() else { return false };
        let path = format!("{folder}/{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => holds_only(dir, &path, is_known),
            Ok(_) => is_known(&path),
            Err(_) => false,
        }
    })
}

/// The folder alone counts: a rename needs no permission on the file.
#[cfg(unix)]
fn may_change(dir: &Dir, folder: &str, _: &str) -> bool {
    use rustix::fs::{Access, AtFlags, accessat};
    accessat(dir, folder, Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty()).is_ok()
}

/// A folder's permissions say nothing here, but a file that is write-protected can't be replaced.
#[cfg(not(unix))]
fn may_change(dir: &Dir, _: &str, path: &str) -> bool {
    dir.metadata(path).is_ok_and(|found| !found.permissions().readonly()) || !dir.exists(path)
}

/// `a/b/c` is `a/b` and `c`; `c` is `.` and `c`.
pub(crate) fn split_parent(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}

fn canonical_root(path: &Path) -> Result<PathBuf> {
    let path_buf = || path.to_path_buf();
    let root = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => PathError::ProjectNotFound { path: path_buf() },
        std::io::ErrorKind::NotADirectory => PathError::ProjectNotFolder { path: path_buf() },
        _ => PathError::ProjectUnreadable { path: path_buf() },
    })?;
    if !root.is_dir() {
        return Err(PathError::ProjectNotFolder { path: path_buf() }.into());
    }
    // What is decided about a folder is kept by its path as text, in which two such names would be one.
    if root.to_str().is_none() {
        return Err(PathError::ProjectNotUtf8 { path: root }.into());
    }
    Ok(root)
}

/// A file below something that is not a folder is as absent as one below nothing.
fn is_absent(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

fn refuse_irregular(path: &ProjectPath, metadata: &Metadata) -> Result<()> {
    match EntryKind::of(metadata) {
        EntryKind::File => Ok(()),
        kind => Err(FileError::NotRegular { path: path.to_string(), kind: kind.noun() }.into()),
    }
}

/// Returns the permissions; where there are none they count as ordinary.
pub(crate) fn permissions_of(mode: u32) -> Permissions {
    if cfg!(unix) { Permissions::of_mode(mode) } else { Permissions::default() }
}

#[cfg(test)]
pub(crate) use path::resolve_for_test;

#[cfg(test)]
mod tests;
