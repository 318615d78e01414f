//! Walking a project as its owner sees it: what git ignores is left out, hidden files are not, `.git` is.
//!
//! Every folder is opened below the one before it, links are never followed, and files are opened through the project's
//! handle. So a walk can't leave the project, whatever is put in the place of what it has just seen.

mod ignoring;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use arki_domain::glob_readings;
use cap_std::fs::Dir;
use globset::{GlobBuilder, GlobSet};
use serde::Serialize;

use crate::error::{Result, SearchError};
use crate::project::{Project, ProjectPath, escape_hidden};
use arki_disk::EntryKind;
use arki_disk::{descend, entries, open_folder};
use ignoring::Ignoring;

/// The number of left-out files that are named; the rest is counted.
pub(crate) const NAMES_SHOWN: usize = 20;
/// Each level holds a folder open. What is deeper is not walked.
const MAX_LEVELS: usize = 256;
const GIT: &str = ".git";

/// Walks in byte order, a folder before what is in it. `start` must be a folder and canonical; it is not returned
/// itself.
pub(crate) fn walk(project: &Project, start: &ProjectPath, max_depth: Option<usize>) -> Walk {
    let mut walk = Walk {
        open: Vec::new(),
        ignoring: Ignoring::above(project, start),
        to_enter: None,
        unreadable: None,
        max_levels: max_depth.unwrap_or(MAX_LEVELS).min(MAX_LEVELS),
        is_cut: max_depth.is_some_and(|depth| depth <= MAX_LEVELS),
        repositories: Vec::new(),
        ignored: Ignored::LeftOut,
    };
    let path = if start.is_root() { project.root().to_owned() } else { project.root().join(start) };
    let entered = descend(project.dir(), start.as_str()).and_then(|folder| walk.enter(folder, path.clone()));
    walk.unreadable = entered.is_err().then_some(path);
    walk
}

/// A walk's treatment of entries that git ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ignored {
    LeftOut,
    /// It tells them, and enters no such folder.
    Told,
    Entered,
}

/// An entry that a walk came by.
#[derive(Debug)]
pub(crate) struct Walked {
    /// Absolute.
    pub(crate) path: PathBuf,
    /// The kind of the entry itself; a link is a link.
    pub(crate) kind: EntryKind,
    /// It is ignored and was not entered, nor is it to be counted among what was found.
    pub(crate) is_left_out: bool,
}

pub(crate) struct Walk {
    /// The folders on the way to where the walk is.
    open: Vec<OpenFolder>,
    ignoring: Ignoring,
    /// The folder that was told last.
    to_enter: Option<(OsString, PathBuf)>,
    unreadable: Option<PathBuf>,
    max_levels: usize,
    /// Set when the walk was asked to go no deeper.
    is_cut: bool,
    /// Folders that it came by so far and that hold a `.git`. Absolute.
    pub(crate) repositories: Vec<PathBuf>,
    ignored: Ignored,
}

struct OpenFolder {
    folder: Dir,
    path: PathBuf,
    entries: vec::IntoIter<(OsString, EntryKind)>,
}

impl Walk {
    /// Says what becomes of ignored entries; they are left out by default.
    pub(crate) fn with_ignored(mut self, ignored: Ignored) -> Self {
        self.ignored = ignored;
        self
    }

    fn enter(&mut self, folder: Dir, path: PathBuf) -> io::Result<()> {
        let mut entries = entries(&folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let has = |name: &str| entries.binary_search_by(|(entry, _)| entry.as_os_str().cmp(name.as_ref())).is_ok();
        if has(GIT) {
            self.repositories.push(path.clone());
        }
        self.ignoring.enter(&folder, &path, has);
        self.open.push(OpenFolder { folder, path, entries: entries.into_iter() });
        Ok(())
    }

    /// Enters a folder that was found before; one that is gone since, or is no folder any more, is passed over. Whether
    /// it can be read.
    fn enter_told(&mut self, name: OsString, path: PathBuf) -> bool {
        let Some(parent) = self.open.last() else { return true };
        if self.open.len() == self.max_levels {
            return self.is_cut;
        }
        match open_folder(&parent.folder, name).and_then(|folder| self.enter(folder, path)) {
            Ok(()) => true,
            Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
        }
    }
}

impl Iterator for Walk {
    /// An error is the path of what can't be read.
    type Item = Result<Walked, PathBuf>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some((name, path)) = self.to_enter.take()
            && !self.enter_told(name, path.clone())
        {
            self.unreadable = Some(path);
        }
        if let Some(path) = self.unreadable.take() {
            return Some(Err(path));
        }
        loop {
            let folder = self.open.last_mut()?;
            let Some((name, kind)) = folder.entries.next() else {
                self.open.pop();
                self.ignoring.leave();
                continue;
            };
            let path = folder.path.join(&name);
            let is_left_out = self.ignored != Ignored::Entered && self.ignoring.is_ignored(&path, kind);
            if name == GIT || (is_left_out && self.ignored == Ignored::LeftOut) {
                continue;
            }
            if kind == EntryKind::Folder && !is_left_out {
                self.to_enter = Some((name, path.clone()));
            }
            return Some(Ok(Walked { path, kind, is_left_out }));
        }
    }
}

/// Returns whether git ignores an entry, or a folder that it lies in, as far as its rules tell. What git has in its index
/// is no matter.
pub(crate) fn is_ignored_by_git(project: &Project, path: &ProjectPath, kind: EntryKind) -> bool {
    let folders = path.as_str().match_indices('/').map(|(end, _)| (&path.as_str()[..end], EntryKind::Folder));
    folders.chain([(path.as_str(), kind)]).filter(|_| !path.is_root()).any(|(way, kind)| {
        let absolute = project.root().join(way);
        project.resolve(way).is_ok_and(|way| Ignoring::above(project, &way).is_ignored_by_git(&absolute, kind))
    })
}

/// Tells of many paths whether git ignores them, by the ignore files as they are; each folder's are read once.
pub struct GitIgnoring<'a> {
    project: &'a Project,
    /// By folder: true if it is ignored itself, and the rules for what is in it.
    folders: BTreeMap<String, (bool, Ignoring)>,
}

impl<'a> GitIgnoring<'a> {
    pub fn new(project: &'a Project) -> Self {
        Self { project, folders: BTreeMap::new() }
    }

    /// Returns whether git's rules ignore a file or link, or a folder that it lies in. What git has in its index is no
    /// matter.
    pub fn is_ignored(&mut self, path: &ProjectPath) -> bool {
        let (project, folder) = (self.project, path.folder());
        let (is_around, rules) = self.folders.entry(folder.as_str().to_owned()).or_insert_with(|| {
            (is_ignored_by_git(project, &folder, EntryKind::Folder), Ignoring::above(project, &folder))
        });
        *is_around || rules.is_ignored_by_git(&project.root().join(path.as_str()), EntryKind::File)
    }
}

/// Returns where an entry lies in the project; what has no such path, such as a name that is no text, is passed over.
pub(crate) fn path_of(project: &Project, entry: &Walked) -> Option<ProjectPath> {
    ProjectPath::from_walk(entry.path.strip_prefix(project.root()).ok()?)
}

/// Returns what a reader sees of a path below the root: `/`-separated, with what can't be seen escaped.
pub(crate) fn shown(project: &Project, path: &Path) -> String {
    let relative = path.strip_prefix(project.root()).unwrap_or(path).to_string_lossy();
    let relative = if cfg!(windows) { relative.replace('\\', "/") } else { relative.into_owned() };
    escape_hidden(&relative)
}

/// A glob over paths relative to the project; without a `/` it is matched against names in any folder. Brackets and braces
/// are parts of names where there are such files and folders.
pub(crate) struct PathGlob {
    set: GlobSet,
    /// The folders that every match lies below.
    folder: String,
}

impl PathGlob {
    pub(crate) fn new(project: &Project, glob: &str) -> Result<Self> {
        let bad = |problem: String| SearchError::BadGlob { glob: glob.to_owned(), problem };
        let trimmed = glob.trim_start_matches("./").trim_start_matches('/');
        if trimmed.is_empty() {
            return Err(bad("it is empty".to_owned()).into());
        }
        let (known, rest) = existing_names(project, trimmed);
        let escaped = globset::escape(known);
        let patterns = match rest.strip_suffix('/') {
            None if rest.is_empty() && is_folder(project, known) => {
                vec![format!("{}/**", escaped.trim_end_matches('/'))]
            }
            None if rest.is_empty() && !known.contains('/') => vec![format!("**/{escaped}")],
            None if rest.is_empty() => vec![escaped],
            Some(folder) => readings(&escaped, &format!("{folder}/**")),
            None if trimmed.contains('/') => readings(&escaped, rest),
            None => readings("**/", rest),
        };
        // Where a glob is too much, a matcher panics, and a set says so.
        let mut set = GlobSet::builder();
        for pattern in patterns {
            let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
            set.add(glob.map_err(|error| bad(error.kind().to_string()))?);
        }
        let set = set.build().map_err(|_| bad("it is too large, or nested too deep".to_owned()))?;
        let plain = rest.split_inclusive('/').take_while(|name| name.ends_with('/') && !name.contains(PATTERN_SIGNS));
        Ok(Self { set, folder: known.chars().chain(plain.flat_map(str::chars)).collect() })
    }

    pub(crate) fn is_match(&self, path: &ProjectPath) -> bool {
        self.set.is_match(path)
    }

    /// Returns whether an entry matches, or may hold what does.
    pub(crate) fn may_match(&self, path: &ProjectPath, kind: EntryKind) -> bool {
        if kind != EntryKind::Folder {
            return self.is_match(path);
        }
        let below = format!("{path}/");
        below.starts_with(&self.folder) || self.folder.starts_with(&below)
    }
}

/// A character by which a name may be a pattern.
const PATTERN_SIGNS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Splits off the names that a glob with brackets or braces begins with, as far as they lie on the disk. A star is one of
/// a pattern also where a name has it.
fn existing_names<'a>(project: &Project, glob: &'a str) -> (&'a str, &'a str) {
    if !glob.contains(['[', '{']) {
        return ("", glob);
    }
    let exists = |end: &usize| {
        let path = project.resolve(glob[..*end].trim_end_matches('/')).ok();
        let is_plain = !glob[..*end].contains(['*', '?']);
        is_plain && path.is_some_and(|path| matches!(project.kind(&path), Ok(Some(_))))
    };
    let ends = glob.match_indices('/').map(|(at, _)| at + 1).filter(|end| *end < glob.len()).chain([glob.len()]);
    let end = ends.take_while(exists).last().unwrap_or(0);
    glob.split_at(end)
}

fn is_folder(project: &Project, path: &str) -> bool {
    project.resolve(path).is_ok_and(|path| matches!(project.kind(&path), Ok(Some(EntryKind::Folder))))
}

fn readings(before: &str, glob: &str) -> Vec<String> {
    glob_readings(glob).iter().map(|reading| format!("{before}{reading}")).collect()
}

/// Files that were left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The first few.
    pub names: Vec<String>,
    pub count: usize,
}

impl Skipped {
    pub(crate) fn add(&mut self, path: &ProjectPath) {
        self.add_name(path.to_string());
    }

    /// Adds what git ignores; a folder has a slash at its end.
    pub(crate) fn add_entry(&mut self, path: &ProjectPath, kind: EntryKind) {
        let end = if kind == EntryKind::Folder { "/" } else { "" };
        self.add_name(format!("{}{end}", escape_hidden(path.as_str())));
    }

    fn add_name(&mut self, name: String) {
        self.count += 1;
        if self.names.len() < NAMES_SHOWN {
            self.names.push(name);
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.count += other.count;
        self.names.extend(other.names);
        self.names.truncate(NAMES_SHOWN);
    }
}

#[cfg(test)]
mod tests;
