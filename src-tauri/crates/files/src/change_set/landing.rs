//! Writing what was decided on, only as it was shown.
//!
//! After the decision a file is written if the lines of each accepted hunk, its context with them, are still there; what
//! else the user has changed in that file stays. Any other file is left as it is, to be asked about anew. After a crash the
//! states of the files tell what is still to be written.

use super::diff::{FileDiff, entries};
use super::disk_state::{DiskState, DiskView, is_same_mode};
use super::room;
use super::select::{EntrySelection, choices};
use super::{ChangeSet, FileChange, HunkSelection};
use crate::atomic_write::{remove_unfinished_restoration, restore_torn};
use crate::error::Result;
use crate::file_content::FileContent;
use crate::project::{FileFound, Project};
use arki_edit::{is_text, split_lines};
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The accepted part of a change, by the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLanding {
    /// The files to write, from what they are now. A later change of one of them is `STALE_PREVIEW` when it is applied:
    /// then plan again.
    pub set: ChangeSet,
    /// The accepted changes of files that are no longer as shown. Nothing of them is written; they are to be asked anew.
    pub changed: ChangeSet,
}

/// Plans to write the accepted hunks of `shown`.
///
/// # Errors
/// Those of [`ChangeSet::select`].
pub fn plan_landing(shown: &ChangeSet, selection: &HunkSelection, project: &Project) -> Result<PlannedLanding> {
    let entries = entries(shown);
    let diffs: Vec<FileDiff<'_>> = entries.iter().map(FileDiff::of).collect();
    let choices = choices(&entries, &diffs, selection)?;
    let disk = DiskView::of(shown, project, &shown.files);
    let (mut files, mut changed) = (Vec::new(), Vec::new());
    for choice in choices {
        let selected = choice.selected()?;
        let now = |change: &FileChange| disk.state(change);
        let placed = match &selected[..] {
            [gone, came] => place_move(&choice, gone, came, now(gone), now(came)),
            [change] if change.is_change() => place_file(&choice, change, now(change)).map(|placed| vec![placed]),
            _ => Some(Vec::new()),
        };
        match placed {
            Some(placed) => files.extend(placed),
            None => changed.extend(selected),
        }
    }
    for path in disk.without_room(shown, &files) {
        changed.extend(files.extract_if(.., |change| change.path == path));
    }
    Ok(PlannedLanding { set: shown.with_files(files)?, changed: shown.with_files(changed)? })
}

/// The selected change as one of the file as it is now; `None` where that isn't as shown.
fn place_file(choice: &EntrySelection<'_>, change: &FileChange, now: DiskState) -> Option<FileChange> {
    let now = now.ok()?;
    let mode = now.as_ref().and_then(|now| now.mode);
    let content = now.map(|now| now.content);
    let mut placed = FileChange { before: content.clone(), mode: mode.or(change.mode), ..change.clone() };
    if change.changes_mode() && !is_same_mode(mode, change.mode) {
        if !is_same_mode(mode, change.new_mode) {
            return None;
        }
        placed.new_mode = None;
    }
    if content == change.before {
        return Some(placed);
    }
    if content == change.after {
        placed.after = content;
        return Some(placed);
    }
    let is_whole = change.before.is_none() || change.after.is_none() || choice.whole_content().is_some();
    placed.after = Some(choice.placed_lines(content.as_ref().filter(|_| !is_whole)?)?);
    Some(placed)
}

fn place_move(
    choice: &EntrySelection<'_>,
    gone: &FileChange,
    came: &FileChange,
    old: DiskState,
    new: DiskState,
) -> Option<Vec<FileChange>> {
    let (old, new) = (old.ok()?, new.ok()?);
    match (&old, &new) {
        (None, Some(new)) if Some(&new.content) == came.after.as_ref() => return Some(Vec::new()),
        (Some(_), None) => {}
        _ => return None,
    }
    let FileFound { content, mode } = old?;
    let after =
        if Some(&content) == gone.before.as_ref() { came.after.clone() } else { Some(choice.placed_lines(&content)?) };
    let new_mode = if is_same_mode(mode, gone.mode) {
        came.new_mode
    } else if is_same_mode(came.new_mode, gone.mode) {
        mode
    } else {
        return None;
    };
    let gone = FileChange { before: Some(content), mode, ..gone.clone() };
    Some(vec![gone, FileChange { after, new_mode, mode: new_mode.or(came.mode), ..came.clone() }])
}

impl EntrySelection<'_> {
    /// The accepted hunks in `now`, where each has to stand as it was shown.
    fn placed_lines(&self, now: &FileContent) -> Option<FileContent> {
        let (FileContent::File(before), FileContent::File(now)) = (self.entry.before()?, now) else { return None };
        if !is_text(before) || !is_text(now) {
            return None;
        }
        let (old, new) = (split_lines(before), split_lines(now));
        let kept = capture_diff_slices(Algorithm::Myers, &old, &new);
        let kept: Vec<_> = kept.into_iter().filter(|op| op.tag() == DiffTag::Equal).collect();
        let mut content = Vec::with_capacity(now.len());
        let mut copied = 0;
        for part in self.accepted_lines().ok()? {
            let op =
                kept.iter().find(|op| op.old_range().start <= part.old.start && part.old.end <= op.old_range().end)?;
            let start = op.new_range().start + (part.old.start - op.old_range().start);
            content.extend(new[copied..start].concat());
            copied = start + part.old.len();
            // A line can't run into one that the user put below it.
            if copied < new.len() && !part.new.is_empty() && !part.new.ends_with(b"\n") {
                return None;
            }
            content.extend(part.new);
        }
        content.extend(new[copied..].concat());
        Some(content.into())
    }
}

/// A landing that a crash cut off, by the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterruptedLanding {
    /// The files that are as intended.
    pub done: ChangeSet,
    /// Those that are as they were, still to be written.
    pub left: ChangeSet,
    /// Those that the user has changed since. They stay.
    pub changed: ChangeSet,
}

/// Finds what is left of `landing`, and removes what its writing left beside its files.
///
/// # Errors
/// None that the disk makes: a file that can't be read counts as changed.
pub fn plan_interrupted(landing: &ChangeSet, project: &Project) -> Result<InterruptedLanding> {
    let [mut done, mut left, mut changed] = [const { Vec::new() }; 3];
    let disk = DiskView::of(landing, project, &landing.files);
    landing.files.iter().for_each(|change| clear_residue(change, project));
    for change in &landing.files {
        let side = match disk.state(change) {
            Ok(now) if is_made(change, now.as_ref()) => &mut done,
            Ok(now) => match left_to_make(change, now) {
                Some(rest) => {
                    if rest.before.is_none() {
                        room::clear(project, &rest.path);
                    }
                    left.push(rest);
                    continue;
                }
                None => &mut changed,
            },
            Err(_) if is_kept_folder(change, project) => &mut done,
            Err(_) => &mut changed,
        };
        side.push(change.clone());
    }
    let set = |files| landing.with_files(files);
    Ok(InterruptedLanding { done: set(done)?, left: set(left)?, changed: set(changed)? })
}

/// Removes what the writing left beside a file, or half in it.
fn clear_residue(change: &FileChange, project: &Project) {
    if let Err(error) = remove_unfinished_restoration(project, &change.path) {
        tracing::warn!(%error, path = %change.path, "what an interrupted landing left was not removed");
    }
    let (Some(FileContent::File(before)), Some(FileContent::File(after))) = (&change.before, &change.after) else {
        return;
    };
    let is_link = project.dir().symlink_metadata(change.path.as_str()).is_ok_and(|found| found.is_symlink());
    if !is_link && let Err(error) = restore_torn(project, &change.path, before, after) {
        tracing::warn!(%error, path = %change.path, "what an interrupted write in place left was not taken back");
    }
}

fn is_made(change: &FileChange, now: Option<&FileFound>) -> bool {
    let mode = now.and_then(|now| now.mode);
    now.map(|now| &now.content) == change.after.as_ref()
        && (!change.changes_mode() || is_same_mode(mode, change.new_mode))
}

fn is_kept_folder(change: &FileChange, project: &Project) -> bool {
    let is_folder = || project.dir().symlink_metadata(change.path.as_str()).is_ok_and(|found| found.is_dir());
    change.after.as_ref().is_some_and(FileContent::is_folder) && is_folder()
}

/// The rest of a change: in place, the content may be written and the mode not.
fn left_to_make(change: &FileChange, now: Option<FileFound>) -> Option<FileChange> {
    let mode = now.as_ref().and_then(|now| now.mode);
    let content = now.map(|now| now.content);
    let is_begun = change.changes_mode() && content == change.after;
    let is_left = (content == change.before || is_begun) && (!change.changes_mode() || is_same_mode(mode, change.mode));
    is_left.then(|| FileChange { before: content, ..change.clone() })
}
