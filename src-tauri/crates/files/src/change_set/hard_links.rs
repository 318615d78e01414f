//! Files with several names (hard links). All names of a file change together where all of them are part of the change;
//! else the file is replaced under the names that are, and the others keep the old content.

use super::{ChangeSet, FileChange, Links};
use crate::other_names::{FileId, names_of};
use crate::project::{Project, ProjectPath};
use std::collections::BTreeMap;

/// The files with several names that a change set rewrites.
pub(super) struct HardLinks<'a> {
    /// The linked files, by each of their names that changes.
    by_path: BTreeMap<&'a ProjectPath, LinkedFile<'a>>,
}

#[derive(Clone, Copy)]
struct LinkedFile<'a> {
    /// The change that is made for all names of it.
    first: &'a ProjectPath,
    names_in_set: u64,
    names: u64,
    /// All changes of it leave the same.
    is_one_change: bool,
}

impl LinkedFile<'_> {
    fn is_whole(&self) -> bool {
        self.is_one_change && self.names_in_set == self.names
    }
}

impl<'a> HardLinks<'a> {
    pub(super) fn of(project: &Project, files: &'a [FileChange], links: Links) -> Self {
        let mut by_id: BTreeMap<FileId, (u64, Vec<&'a FileChange>)> = BTreeMap::new();
        for change in files {
            if let Some((id, names)) = linked_file(project, change, links) {
                by_id.entry(id).or_insert((names, Vec::new())).1.push(change);
            }
        }
        let mut by_path = BTreeMap::new();
        for (names, changes) in by_id.values() {
            let Some(first) = changes.first() else { continue };
            let is_one_change = changes.iter().all(|change| change.after == first.after);
            let names_in_set = changes.len() as u64;
            let file = LinkedFile { first: &first.path, names_in_set, names: *names, is_one_change };
            by_path.extend(changes.iter().map(|change| (&change.path, file)));
        }
        Self { by_path }
    }

    /// Returns the number of names that change with this one.
    pub(super) fn names(&self, change: &FileChange) -> u64 {
        self.by_path.get(&change.path).filter(|file| file.is_whole()).map_or(1, |file| file.names)
    }

    /// Returns whether it is made by the change of another name of the same file.
    pub(super) fn is_made_by_another(&self, change: &FileChange) -> bool {
        self.by_path.get(&change.path).is_some_and(|file| file.is_whole() && *file.first != change.path)
    }

    /// Returns whether another name of the file, which is no part of the change, keeps the old content.
    pub(super) fn leaves_another_name(&self, change: &FileChange) -> bool {
        self.by_path.get(&change.path).is_some_and(|file| file.names_in_set < file.names)
    }
}

impl ChangeSet {
    /// Adds the same change of the other names that a file has, where all of them lie in the project. These have to be
    /// shown and judged like any other.
    #[must_use]
    pub(super) fn with_other_names(mut self, project: &Project) -> Self {
        for index in 0..self.files.len() {
            let change = &self.files[index];
            let Some((id, names)) = linked_file(project, change, self.links) else { continue };
            let found = names_of(project, &[id].into(), names);
            let is_known = |path: &ProjectPath| self.files.iter().any(|change| self.place_of(change) == path);
            if found.len() as u64 != names {
                continue;
            }
            let others: Vec<ProjectPath> =
                found.into_iter().map(|(_, path)| path).filter(|path| !is_known(path)).collect();
            let added = |path: &ProjectPath| FileChange { path: path.clone(), ..change.clone() };
            let added: Vec<FileChange> = others.iter().map(added).collect();
            self.files.extend(added);
            self.other_names.extend(others);
        }
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }

    /// The other names of files in the change, which were added to it.
    pub fn other_names(&self) -> &[ProjectPath] {
        &self.other_names
    }
}

/// Returns the file that a change rewrites and the number of its names, if it has several.
fn linked_file(project: &Project, change: &FileChange, links: Links) -> Option<(FileId, u64)> {
    let rewrites =
        change.before.is_some() && change.after.is_some() && change.before != change.after && !change.is_of_link();
    let place = rewrites.then(|| change.way(links).place(project, &change.path).ok()).flatten()?;
    FileId::of_several_names(&project.dir().symlink_metadata(place.as_str()).ok()?)
}
