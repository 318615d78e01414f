//! A change that waits for a decision follows what the user does to its files meanwhile.
//!
//! What both changed stays as the user has it, and is told; so nothing of the user's is ever lost, and the review is that
//! of a change to the files as they are.

use super::diff::{DiffEntry, entries};
use super::disk_state::{DiskState, DiskView, is_same_mode};
use super::{ChangeSet, FileChange};
use crate::error::Result;
use crate::file_content::FileContent;
use crate::project::{FileFound, Project, ProjectPath};
use arki_edit::merge_keeping;

/// A change set brought to the files as they are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedChange {
    /// The change that is still to be made.
    pub set: ChangeSet,
    pub conflicts: Vec<EditConflict>,
}

/// A file of which the user's part was kept in place of the change's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditConflict {
    pub path: String,
    /// Says what was kept.
    pub sentence: String,
}

/// Brings a change to what the user has made of its files since. What is done already is dropped, other lines of a text
/// are merged, and what the user has changed in the same place stays.
///
/// # Errors
/// None that the disk makes: a file that can't be read is a conflict.
pub fn follow_edits(set: &ChangeSet, project: &Project) -> Result<FollowedChange> {
    let mut files = Vec::with_capacity(set.files.len());
    let mut conflicts = Vec::new();
    let disk = DiskView::of(set, project, &set.files);
    for entry in entries(set) {
        let now = disk.state(entry.change);
        let (followed, kept) = match entry.moved {
            None => follow_file(entry.change, now),
            Some(gone) => follow_move(&entry, gone, disk.state(gone), now),
        };
        files.extend(followed);
        let conflict = |sentence| EditConflict { path: entry.path().to_string(), sentence };
        conflicts.extend(kept.map(|kept| conflict(kept.words(entry.path(), entry.old_path()))));
    }
    // What the user changed stays, and so there may be no room for what was to come in its place.
    for path in disk.without_room(set, &files) {
        files.retain(|change| change.path != path);
        let sentence = KeptEdit::Unreadable.words(&path, &path);
        conflicts.push(EditConflict { path: path.to_string(), sentence });
    }
    Ok(FollowedChange { set: set.with_files(files)?, conflicts })
}

/// The part of the user's that was kept.
#[derive(Clone, Copy)]
enum KeptEdit {
    /// The same lines.
    Lines,
    /// The whole file.
    Content,
    Mode,
    /// A file that came to the path.
    Created,
    /// The removal.
    Removed,
    /// The file that was to go.
    Removal,
    Unreadable,
}

impl KeptEdit {
    fn words(self, path: &ProjectPath, old: &ProjectPath) -> String {
        match self {
            Self::Lines => format!("You changed the same lines of {old}; yours stay."),
            Self::Content => format!("You changed {old} too, and the two can't be merged; yours stays."),
            Self::Mode => format!("You changed the permissions of {old}; yours stay."),
            Self::Created => format!("You created {path} too; yours stays."),
            Self::Removed => format!("You removed {old}; it stays removed."),
            Self::Removal => format!("You changed {old}, which was to be removed; it stays."),
            Self::Unreadable => format!("{path} can't be merged with what is there now; it stays as it is."),
        }
    }
}

/// A file as it goes on, or none, and what was kept of the user's.
type Following = (Vec<FileChange>, Option<KeptEdit>);

fn follow_file(change: &FileChange, now: DiskState) -> Following {
    let Ok(now) = now else { return (Vec::new(), Some(KeptEdit::Unreadable)) };
    let (now, now_mode) = parts(now);
    let (after, kept) = if now == change.before {
        (change.after.clone(), None)
    } else if now == change.after {
        (now.clone(), None)
    } else {
        match merged(change.before.as_ref(), change.after.as_ref(), now.as_ref()) {
            Ok((after, kept)) => (Some(after), kept),
            Err(kept) => return (Vec::new(), Some(kept)),
        }
    };
    let mut followed =
        FileChange { path: change.path.clone(), before: now, after, mode: change.mode, new_mode: change.new_mode };
    let kept = kept.or(follow_mode(change, &mut followed, now_mode));
    (vec![followed], kept)
}

/// The permissions of a file that is there follow those it has now.
fn follow_mode(change: &FileChange, followed: &mut FileChange, now: Option<u32>) -> Option<KeptEdit> {
    let now = Some(now?);
    followed.mode = now;
    if !change.changes_mode() {
        return None;
    }
    let is_done = is_same_mode(now, change.new_mode);
    if is_done || !is_same_mode(now, change.mode) {
        followed.new_mode = None;
    }
    (!is_done && followed.new_mode.is_none()).then_some(KeptEdit::Mode)
}

fn follow_move(entry: &DiffEntry<'_>, gone: &FileChange, old: DiskState, new: DiskState) -> Following {
    let stays = |kept| (Vec::new(), Some(kept));
    let came = entry.change;
    let (Ok(old), Ok(new)) = (old, new) else { return stays(KeptEdit::Unreadable) };
    if let (Some(new), Some(_)) = (&new, &old) {
        // What came is there already: what is left is the removal.
        let is_done = Some(&new.content) == came.after.as_ref();
        return if is_done { follow_file(gone, Ok(old)) } else { stays(KeptEdit::Created) };
    }
    let (old, old_mode) = parts(old);
    if old.is_none() {
        let is_done = new.is_some_and(|new| Some(&new.content) == came.after.as_ref());
        return if is_done { (Vec::new(), None) } else { stays(KeptEdit::Removed) };
    }
    let (after, mut kept) = if old == gone.before {
        (came.after.clone(), None)
    } else {
        match merged(gone.before.as_ref(), came.after.as_ref(), old.as_ref()) {
            Ok((after, kept)) => (Some(after), kept),
            Err(kept) => return stays(kept),
        }
    };
    let mut new_mode = came.new_mode;
    if !is_same_mode(old_mode, gone.mode) {
        kept = kept.or(entry.changes_mode().then_some(KeptEdit::Mode));
        new_mode = old_mode;
    }
    let gone = FileChange { before: old, mode: old_mode, path: gone.path.clone(), after: None, new_mode: None };
    let came = FileChange { after, new_mode, mode: new_mode.or(came.mode), path: came.path.clone(), before: None };
    (vec![gone, came], kept)
}

fn parts(found: Option<FileFound>) -> (Option<FileContent>, Option<u32>) {
    found.map_or((None, None), |found| (Some(found.content), found.mode))
}

/// The content with both sides' changes, and whether lines of the user's were kept; or what is kept instead of it.
fn merged(
    before: Option<&FileContent>,
    after: Option<&FileContent>,
    now: Option<&FileContent>,
) -> std::result::Result<(FileContent, Option<KeptEdit>), KeptEdit> {
    let (Some(before), Some(after), Some(now)) = (before, after, now) else {
        return Err(match (before, after, now) {
            (_, _, None) => KeptEdit::Removed,
            (None, _, _) => KeptEdit::Created,
            _ => KeptEdit::Removal,
        });
    };
    let (FileContent::File(before), FileContent::File(after), FileContent::File(now)) = (before, after, now) else {
        return Err(KeptEdit::Content);
    };
    let merge = merge_keeping(before, after, now).ok_or(KeptEdit::Content)?;
    Ok((merge.content.into(), (merge.conflicts > 0).then_some(KeptEdit::Lines)))
}
