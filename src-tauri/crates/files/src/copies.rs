//! Copies of a project in which somebody else works: made from it, compared with what they began with, and brought back
//! as a change to the project as it is by then.
//!
//! What is copied goes through the handles of both folders and follows no link, so that nothing is read or written
//! outside of them, whatever is put in the way meanwhile.

use std::collections::BTreeSet;
use std::io::Write;

use arki_disk::{EntryKind, descend_making};
use arki_edit::{Merge, merge};
use cap_std::fs::{Dir, OpenOptions};
use globset::GlobSet;

use crate::change_set::{ChangeSet, FileChange};
use crate::error::{CopyError, FileAction, FileError, FilesError, PathError, Result, io_error};
use crate::file_content::{FileContent, make_link};
use crate::plan::DELETE_LIMIT_BYTES;
use crate::project::{FileFound, Project, ProjectPath};
use crate::protection::is_secret;
use crate::walk::walk;

/// Bounds on what is copied.
#[derive(Debug, Clone, Copy)]
pub struct CopyLimits {
    pub files: usize,
    /// The largest size of all files together, in bytes.
    pub bytes: u64,
}

/// A change that brings files of a copy back; or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenChanges {
    Change(ChangeSet),
    /// The copy's changes to those files in which the project has changed the same place.
    Conflicts(ChangeSet),
}

/// Copies those of `paths` that are files or links and not secret to each of `targets`, which have none of them.
/// Returns the paths that were copied. Blocking; run it off the async threads.
///
/// # Errors
/// `WORKTREE_TOO_LARGE` above `limits`, `FILE_TOO_LARGE` for a file above 64 MiB, and what the system says.
pub fn copy_files(
    from: &Project,
    targets: &[&Project],
    paths: &[String],
    secrets: &GlobSet,
    limits: CopyLimits,
) -> Result<Vec<String>> {
    let mut copied = Vec::new();
    let mut bytes = 0;
    for path in paths {
        // A name that nobody here can write is nobody's to change either.
        let Ok(path) = from.resolve(path) else { continue };
        if path.is_root() || is_of_git(&path) || is_secret(&path, secrets) {
            continue;
        }
        let Some(found) = present(from, &path)? else { continue };
        bytes += found.content.len() as u64;
        if copied.len() == limits.files {
            return Err(CopyError::TooMany { limit: limits.files }.into());
        }
        if bytes > limits.bytes {
            return Err(CopyError::TooLarge { limit: limits.bytes }.into());
        }
        for target in targets {
            put(target.dir(), &path, &found)?;
        }
        copied.push(path.to_string());
    }
    Ok(copied)
}

/// The files of which `work` has other content than `base`, by their paths: of `known`, which `base` has, and of what
/// git doesn't ignore in `work`. One of `work` that is too large, or can't be opened, differs: only who takes it fails.
/// Blocking; run it off the async threads.
///
/// # Errors
/// When a file can't be read.
pub fn differing_files(base: &Project, work: &Project, known: &[String]) -> Result<Vec<String>> {
    let mut paths: BTreeSet<ProjectPath> = known.iter().map(|path| base.resolve(path)).collect::<Result<_>>()?;
    let files = walk(work, &ProjectPath::root(), None).flatten().filter(|entry| entry.kind != EntryKind::Folder);
    paths.extend(files.filter_map(|entry| ProjectPath::from_walk(entry.path.strip_prefix(work.root()).ok()?)));
    let mut differing = Vec::new();
    for path in paths {
        if differs(base, work, &path)? {
            differing.push(path.to_string());
        }
    }
    Ok(differing)
}

/// Brings `paths` of `project` to what `work` has of them, merged with what was done to them since `base`.
///
/// # Errors
/// When a file can't be read or has more than 64 MiB.
pub fn plan_take(base: &Project, work: &Project, project: &Project, paths: &[String]) -> Result<TakenChanges> {
    let (mut changes, mut conflicts) = (Vec::new(), Vec::new());
    for path in paths {
        let path = project.resolve(path)?;
        let disk = present(project, &path)?;
        let wanted = present(work, &path)?;
        let mode = disk.as_ref().or(wanted.as_ref()).and_then(|found| found.mode);
        let (before, wanted) = (disk.map(|found| found.content), wanted.map(|found| found.content));
        let base = present(base, &path)?.map(|found| found.content);
        match merged(base.as_ref(), wanted.clone(), before.clone()) {
            Some(after) => changes.push(FileChange::of_content(path, before, after, mode)),
            None => conflicts.push(FileChange::of_content(path, base, wanted, mode)),
        }
    }
    match conflicts.is_empty() {
        true => Ok(TakenChanges::Change(ChangeSet::new(changes)?)),
        false => Ok(TakenChanges::Conflicts(ChangeSet::new(conflicts)?)),
    }
}

/// `None` is a conflict.
fn merged(
    base: Option<&FileContent>,
    wanted: Option<FileContent>,
    disk: Option<FileContent>,
) -> Option<Option<FileContent>> {
    if disk == wanted || base == wanted.as_ref() {
        return Some(disk);
    }
    if disk.as_ref() == base {
        return Some(wanted);
    }
    let (Some(FileContent::File(base)), Some(FileContent::File(wanted)), Some(FileContent::File(now))) =
        (base, &wanted, &disk)
    else {
        return None;
    };
    match merge(Some(base), Some(wanted), Some(now)) {
        Merge::Unchanged => Some(disk),
        Merge::Write(bytes) => Some(Some(bytes.into())),
        Merge::Delete | Merge::Conflict => None,
    }
}

fn is_of_git(path: &ProjectPath) -> bool {
    path.as_str().split('/').any(|name| name.eq_ignore_ascii_case(".git"))
}

fn differs(base: &Project, work: &Project, path: &ProjectPath) -> Result<bool> {
    let content = |project| present(project, path).map(|found| found.map(|found| found.content));
    match content(work) {
        Err(FilesError::File(FileError::TooLarge { .. } | FileError::PermissionDenied { .. })) => Ok(true),
        work => Ok(content(base)? != work?),
    }
}

/// Returns what is at `path` itself; `None` where there is no file, also where a link or a file is on the way to it, or
/// a folder is there.
fn present(project: &Project, path: &ProjectPath) -> Result<Option<FileFound>> {
    match project.found_in_place(path, DELETE_LIMIT_BYTES) {
        Err(FilesError::File(
            FileError::BehindLink { .. }
            | FileError::NotFound { .. }
            | FileError::NotRegular { .. }
            | FileError::NotFolder { .. },
        ))
        | Err(FilesError::Path(PathError::Outside { .. })) => Ok(None),
        found => found,
    }
}

fn put(root: &Dir, path: &ProjectPath, found: &FileFound) -> Result<()> {
    let fail = |error| io_error(path.as_str(), FileAction::Write, error);
    let folder = descend_making(root, path.folder().as_str(), |_, _| {}).map_err(fail)?;
    match &found.content {
        FileContent::Link(target) => make_link(&folder, target, path.name()).map_err(fail),
        FileContent::Folder => folder.create_dir(path.name()).map_err(fail),
        FileContent::File(bytes) => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            cap_std::fs::OpenOptionsExt::mode(&mut options, found.mode.unwrap_or(0o644) & 0o777 | 0o600);
            let mut file = folder.open_with(path.name(), &options).map_err(fail)?;
            file.write_all(bytes).map_err(fail)
        }
    }
}

#[cfg(test)]
mod tests;
