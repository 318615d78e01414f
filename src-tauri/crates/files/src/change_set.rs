//! Changes that were computed and not yet made: shown, narrowed by hunk, bound by hash, then applied.
//!
//! Everything here works on raw bytes, line by line (a line ends after `\n`), so what a change does not
//! touch stays identical: line endings, byte-order mark, missing final newline. The diff a user reads, the
//! hunks they choose from and the bytes that are written all come from one grouping (`diff`), so they can't
//! disagree.

mod apply;
mod carried;
mod diff;
mod disk_state;
mod effects;
mod follow;
mod hard_links;
mod landing;
mod moves;
mod preview;
mod room;
mod select;

use std::collections::{BTreeMap, BTreeSet};

pub use arki_domain::Hunk;
use arki_domain::Permissions;
use serde::{Deserialize, Serialize};

use crate::atomic_write::{LinkHandling, WriteProtected};
use crate::error::{ChangeError, Result};
use crate::file_content::FileContent;
use crate::project::{Project, ProjectPath, permissions_of};

pub use carried::{CarriedSelection, carry_selection};
pub use effects::{Effect, plan_effects};
pub use follow::{EditConflict, FollowedChange, follow_edits};
pub use landing::{InterruptedLanding, PlannedLanding, plan_interrupted, plan_landing};

/// One file before and after; `None` where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: ProjectPath,
    pub before: Option<FileContent>,
    pub after: Option<FileContent>,
    /// Unix permission bits for a new file (the umask still applies). An existing one keeps its own, but for what these
    /// deny to group and others.
    pub mode: Option<u32>,
    /// The permission bits that the file gets, whatever it had and whatever the umask says; `None` changes none. Of a file
    /// that is there before and after, `mode` is then what it has.
    pub new_mode: Option<u32>,
}

impl FileChange {
    /// A change that leaves the mode as it is.
    pub(crate) fn of_content(
        path: ProjectPath,
        before: Option<FileContent>,
        after: Option<FileContent>,
        mode: Option<u32>,
    ) -> Self {
        Self { path, before, after, mode, new_mode: None }
    }
    fn way(&self, links: Links) -> LinkHandling {
        match links {
            Links::NeverFollowed => LinkHandling::InPlace,
            Links::Followed if self.after.is_none() || self.is_of_link() => LinkHandling::Itself,
            Links::Followed => LinkHandling::Through,
        }
    }

    /// Returns the permissions of the existing file.
    pub fn permissions(&self) -> Permissions {
        self.mode.map_or_else(Permissions::default, permissions_of)
    }

    /// Returns whether it removes, makes or replaces a link; any other is made where links lead.
    pub fn is_of_link(&self) -> bool {
        [&self.before, &self.after].into_iter().flatten().any(FileContent::is_link)
    }

    fn is_change(&self) -> bool {
        self.before != self.after || self.changes_mode()
    }

    /// Returns whether it changes the permissions of a file that is there before and after.
    pub fn changes_mode(&self) -> bool {
        changes_mode(self.before.as_ref(), self.after.as_ref(), self.mode, self.new_mode)
    }
}

fn changes_mode(
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    mode: Option<u32>,
    new_mode: Option<u32>,
) -> bool {
    let are_files = [before, after].iter().all(|content| matches!(content, Some(FileContent::File(_))));
    are_files && new_mode.is_some_and(|new| mode.is_none_or(|mode| (mode ^ new) & PERMISSION_BITS != 0))
}

/// The bits of a mode that a change set knows.
const PERMISSION_BITS: u32 = 0o777;

/// A change that was computed and not yet made: by path, each path once, nothing that changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeSet {
    files: Vec<FileChange>,
    write_protected: WriteProtected,
    links: Links,
    notes: Vec<String>,
    /// The targets of paths that are links or below one.
    places: BTreeMap<ProjectPath, ProjectPath>,
    other_names: Vec<ProjectPath>,
    /// The files that are shown as moved: the old path, by the new one.
    moves: BTreeMap<ProjectPath, ProjectPath>,
    /// Folders that go once they are empty, each before the one around it.
    emptied: Vec<ProjectPath>,
}

/// Says whether a change follows links. What goes, and what is or becomes a link, is always the entry itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Links {
    #[default]
    Followed,
    /// Nor is a link on the way to the file.
    NeverFollowed,
}

/// A preview for the user to decide on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    pub files_affected: Vec<String>,
    /// Added and removed lines.
    pub lines_changed: usize,
    /// The diff as `git diff` prints it.
    pub diff: String,
    /// With 3 lines of context.
    pub hunks: Vec<Hunk>,
    /// SHA-256 hex over every path, where links lead, both contents, the mode and the diff.
    pub preview_hash: String,
}

/// The hunks of a preview that the user kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HunkSelection {
    pub accepted: BTreeSet<usize>,
    /// Accepted with another new side: the whole of it, context lines included.
    pub edited: BTreeMap<usize, String>,
}

impl HunkSelection {
    /// Every hunk of `preview` as it is.
    pub fn all(preview: &Preview) -> Self {
        let accepted = preview.hunks.iter().map(|hunk| hunk.index).collect();
        Self { accepted, edited: BTreeMap::new() }
    }
}

impl ChangeSet {
    /// Sorts by path, drops what changes nothing, refuses two changes to one path.
    pub fn new(files: Vec<FileChange>) -> Result<Self> {
        Self::default().with_files(files)
    }

    /// The same kind of change to other files.
    fn with_files(&self, mut files: Vec<FileChange>) -> Result<Self> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        if let Some(pair) = files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(ChangeError::DuplicatePath { path: pair[0].path.to_string() }.into());
        }
        files.retain(FileChange::is_change);
        let mut set = Self {
            files,
            write_protected: self.write_protected,
            links: self.links,
            notes: self.notes.clone(),
            places: self.places.clone(),
            other_names: self.other_names.clone(),
            moves: BTreeMap::new(),
            emptied: self.emptied.clone(),
        };
        let is_there = |path: &ProjectPath| set.change_at(path).is_some();
        let moves = self.moves.iter().filter(|(path, old)| is_there(path) && is_there(old));
        set.moves = moves.map(|(path, old)| (path.clone(), old.clone())).collect();
        Ok(set)
    }

    fn change_at(&self, path: &ProjectPath) -> Option<&FileChange> {
        self.files.binary_search_by(|change| change.path.cmp(path)).ok().map(|at| &self.files[at])
    }

    /// Adds notes on how the change was understood, for whoever proposed it; a sentence each. No part of the preview.
    pub(crate) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Bound also to the files that links lead to: through another link it would be another change. The other names of
    /// these files are added.
    #[must_use]
    pub fn placed_in(self, project: &Project) -> Self {
        let place = |change: &FileChange| {
            let place = change.way(Links::Followed).place(project, &change.path).ok();
            Some((change.path.clone(), place.filter(|place| *place != change.path)?))
        };
        Self { places: self.files.iter().filter_map(place).collect(), ..self }.with_other_names(project)
    }

    /// From here on the files are read in `project` as if the change had been made. Nothing is written.
    pub fn draft_in(&self, project: &mut Project) {
        for file in &self.files {
            project.draft(self.place_of(file).clone(), file.after.clone(), file.new_mode.or(file.mode));
        }
    }

    /// The file that a change is made to: where the links of its path lead, as far as they are bound.
    pub fn place_of<'a>(&'a self, change: &'a FileChange) -> &'a ProjectPath {
        self.places.get(&change.path).unwrap_or(&change.path)
    }

    /// Each path names what is at it, and nothing else.
    pub(crate) fn never_through_links(self) -> Self {
        Self { links: Links::NeverFollowed, ..self }
    }

    /// Also files that nobody may write to are replaced; they stay write-protected.
    pub(crate) fn over_write_protected(self) -> Self {
        Self { write_protected: WriteProtected::Replaced, ..self }
    }

    /// The number of files as they are shown: a moved one, which is in the set at both paths, is one.
    #[must_use]
    pub fn shown_files(&self) -> usize {
        self.files.len() - self.moves.len()
    }

    /// The changes of some files alone, by the path where each is; of a moved file, both.
    #[must_use]
    pub fn only(&self, is_kept: impl Fn(&str) -> bool) -> Self {
        let new_path =
            |path: &ProjectPath| self.moves.iter().find(|(_, old)| *old == path).map_or(path, |(new, _)| new).clone();
        let kept = self.files.iter().filter(|change| is_kept(new_path(&change.path).as_str()));
        // A part of what was sorted, each path once, is so too.
        self.with_files(kept.cloned().collect()).unwrap_or_default()
    }

    pub fn files(&self) -> &[FileChange] {
        &self.files
    }

    /// Nothing would change.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// SHA-256 hex of `bytes`.
pub use arki_domain::sha256_hex as content_hash;

#[cfg(test)]
mod apply_tests;
#[cfg(all(test, unix))]
mod carried_tests;
#[cfg(all(test, unix))]
mod effects_tests;
#[cfg(all(test, unix))]
mod follow_tests;
#[cfg(all(test, unix))]
mod kept_tests;
#[cfg(all(test, unix))]
mod landing_tests;
#[cfg(all(test, unix))]
mod moves_tests;
#[cfg(test)]
mod tests;
