//! Files with several names (hard links): the same file, whichever of them is used.
//!
//! They are looked for in the project alone, and only once a file with several names has turned up.

use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::real_place::{RealPlace, real_place};
use arki_disk::{EntryKind, descend, entries};
use cap_std::fs::{Dir, Metadata};
use globset::GlobSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::OnceLock;

/// Entries of a project among which a file's other names are looked for, the nearest to its root first.
const MAX_LOOKED_AT: usize = 200_000;
const GIT: &str = ".git";
const ROOT: &str = ".";

/// A file, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// The file and the number of its names, if it has several.
    #[cfg(unix)]
    pub(crate) fn of_several_names(found: &Metadata) -> Option<(Self, u64)> {
        use cap_std::fs::MetadataExt;
        (found.is_file() && found.nlink() > 1).then(|| (Self(found.dev(), found.ino()), found.nlink()))
    }

    #[cfg(not(unix))]
    pub(crate) fn of_several_names(_: &Metadata) -> Option<(Self, u64)> {
        None
    }
}

/// Returns the names of these files, also where git ignores them, until as many are found as wanted.
pub(crate) fn names_of(project: &Project, files: &BTreeSet<FileId>, wanted: u64) -> Vec<(FileId, ProjectPath)> {
    let mut found = Vec::new();
    each_file(project, |folder, name, path| {
        let id = folder.symlink_metadata(name).ok().and_then(|found| FileId::of_several_names(&found));
        if let Some((id, _)) = id.filter(|(id, _)| files.contains(id)) {
            found.extend(project.resolve(path).map(|path| (id, path)));
        }
        (found.len() as u64) < wanted
    });
    found
}

fn each_file(project: &Project, mut goes_on: impl FnMut(&Dir, &str, &str) -> bool) {
    let mut left = MAX_LOOKED_AT;
    let mut folders = VecDeque::from([ROOT.to_owned()]);
    while let Some(path) = folders.pop_front() {
        let Ok(folder) = descend(project.dir(), &path) else { continue };
        for (name, kind) in entries(&folder).into_iter().flatten().flatten() {
            let Some(name) = name.to_str().filter(|name| *name != GIT) else { continue };
            let path = if path == ROOT { name.to_owned() } else { format!("{path}/{name}") };
            left -= 1;
            match kind {
                _ if left == 0 => return,
                EntryKind::Folder => folders.push_back(path),
                EntryKind::File if !goes_on(&folder, name, &path) => return,
                EntryKind::File | EntryKind::Link | EntryKind::Special => {}
            }
        }
    }
}

impl Project {
    /// Returns the other names that files have in the project, each with the place of the file among `paths`, which are
    /// named as commands name them. Blocking.
    #[must_use]
    pub fn other_names(&self, paths: &[impl AsRef<str>]) -> Vec<(usize, ProjectPath)> {
        let mut files: BTreeMap<FileId, (u64, usize, ProjectPath)> = BTreeMap::new();
        for (place, path) in paths.iter().enumerate() {
            let RealPlace::Inside(path) = real_place(self, path.as_ref()) else { continue };
            let found = self.dir().symlink_metadata(path.as_str()).ok();
            if let Some((id, names)) = found.as_ref().and_then(FileId::of_several_names) {
                files.entry(id).or_insert((names, place, path));
            }
        }
        if files.is_empty() {
            return Vec::new();
        }
        let wanted = files.values().map(|(names, ..)| names).sum();
        let found = names_of(self, &files.keys().copied().collect(), wanted).into_iter();
        let other = |(id, name)| files.get(&id).filter(|(.., path)| *path != name).map(|(_, place, _)| (*place, name));
        found.filter_map(other).collect()
    }
}

/// The secret files of a project that have several names.
pub(crate) struct LinkedSecrets<'a> {
    project: &'a Project,
    secrets: &'a GlobSet,
    found: OnceLock<BTreeSet<FileId>>,
}

impl<'a> LinkedSecrets<'a> {
    pub(crate) fn new(project: &'a Project, secrets: &'a GlobSet) -> Self {
        Self { project, secrets, found: OnceLock::new() }
    }

    /// Returns whether a file that was found under a plain name is one of them.
    pub(crate) fn has(&self, found: &Metadata) -> bool {
        FileId::of_several_names(found).is_some_and(|(id, _)| self.found.get_or_init(|| self.look()).contains(&id))
    }

    fn look(&self) -> BTreeSet<FileId> {
        let mut found = BTreeSet::new();
        each_file(self.project, |folder, name, path| {
            if self.project.resolve(path).is_ok_and(|path| is_secret(&path, self.secrets)) {
                let linked = folder.symlink_metadata(name).ok().and_then(|found| FileId::of_several_names(&found));
                found.extend(linked.map(|(id, _)| id));
            }
            true
        });
        found
    }
}
