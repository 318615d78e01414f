//! A change set from what a command has changed in a view of the project.

use std::collections::BTreeSet;

use super::moves::moves_among;
use super::{ChangeSet, FileChange, PERMISSION_BITS};
use crate::error::Result;
use crate::file_content::FileContent;
use crate::project::{FileFound, ProjectPath};

/// The state of one path before a command and after it; `None` where there was nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    pub path: ProjectPath,
    pub before: Option<FileFound>,
    pub after: Option<FileFound>,
}

/// Makes one change of a command's effects: each path names what is at it, never where a link leads, and
/// write-protected files are replaced too. A folder counts only where nothing else is in it: one that came with
/// files is made with them, one that went with its files goes once it is empty. A file
/// that went, and came elsewhere, is shown as moved.
///
/// # Errors
/// `EDIT_INVALID` for a path that is there twice.
pub fn plan_effects(effects: Vec<Effect>) -> Result<ChangeSet> {
    let (filled_before, filled_after) =
        (folders_of(&effects, |effect| &effect.before), folders_of(&effects, |effect| &effect.after));
    let mut emptied = Vec::new();
    let mut files = Vec::with_capacity(effects.len());
    for Effect { path, mut before, mut after } in effects {
        // An empty folder in a file's place, or the other way, is not worth a change that shows both.
        let (was_folder, is_folder) = (is_folder(before.as_ref()), is_folder(after.as_ref()));
        if is_folder && (filled_after.contains(path.as_str()) || (before.is_some() && !was_folder)) {
            after = None;
        }
        if was_folder && (filled_before.contains(path.as_str()) || (after.is_some() && !is_folder)) {
            before = None;
            emptied.push(path.clone());
        }
        files.push(file_change(path, before, after));
    }
    // What is below comes first.
    emptied.sort_by(|a, b| b.cmp(a));
    let set = ChangeSet::new(files)?.over_write_protected().never_through_links();
    let moves = moves_among(&set.files);
    Ok(ChangeSet { moves, emptied, ..set })
}

impl ChangeSet {
    /// Returns what [`plan_effects`] makes this change of again.
    #[must_use]
    pub fn effects(&self) -> Vec<Effect> {
        let folder = || FileFound { content: FileContent::Folder, mode: None };
        let found = |content: &Option<FileContent>, mode| Some(FileFound { content: content.clone()?, mode });
        let mut effects: Vec<Effect> = self
            .files
            .iter()
            .filter(|file| file.is_change() && !self.emptied.contains(&file.path))
            .map(|file| Effect {
                path: file.path.clone(),
                before: found(&file.before, file.mode),
                after: found(&file.after, file.new_mode.or(file.mode)),
            })
            .collect();
        let after = |path: &ProjectPath| self.files.iter().find(|file| file.path == *path);
        effects.extend(self.emptied.iter().map(|path| Effect {
            path: path.clone(),
            before: Some(folder()),
            after: after(path).and_then(|file| found(&file.after, file.new_mode.or(file.mode))),
        }));
        effects
    }
}

fn is_folder(found: Option<&FileFound>) -> bool {
    found.is_some_and(|found| found.content.is_folder())
}

/// The folders around everything that there is on one side.
fn folders_of(effects: &[Effect], side: impl Fn(&Effect) -> &Option<FileFound>) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for effect in effects.iter().filter(|effect| side(effect).is_some()) {
        let path = effect.path.as_str();
        for (end, _) in path.rmatch_indices('/') {
            if !folders.insert(path[..end].to_owned()) {
                break;
            }
        }
    }
    folders
}

fn file_change(path: ProjectPath, before: Option<FileFound>, after: Option<FileFound>) -> FileChange {
    let mode = |found: &Option<FileFound>| found.as_ref().and_then(|found| Some(found.mode? & PERMISSION_BITS));
    let (old, new) = (mode(&before), mode(&after));
    let content = |found: Option<FileFound>| -> Option<FileContent> { found.map(|found| found.content) };
    FileChange {
        path,
        before: content(before),
        after: content(after),
        mode: old.or(new),
        new_mode: new.filter(|new| old != Some(*new)),
    }
}
