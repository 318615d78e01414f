//! Narrowing a change set to the hunks a user accepted, as they are or edited. Pure.

use super::diff::{FileDiff, LineDiff, extent};
use super::{ChangeSet, FileChange, HunkSelection};
use crate::error::{ChangeError, Result};
use crate::file_content::FileContent;
use arki_edit::{Eol, with_known_endings};

impl ChangeSet {
    /// Keeps what was accepted; an edited hunk counts as accepted. Lines outside the accepted hunks are the
    /// old ones, byte for byte. The result may be empty.
    pub fn select(&self, selection: &HunkSelection) -> Result<Self> {
        let diffs: Vec<FileDiff<'_>> = self.files.iter().map(FileDiff::of).collect();
        check_indexes(selection, diffs.iter().map(FileDiff::hunk_count).sum())?;
        let mut first_index = 1;
        let mut files = Vec::new();
        for (change, diff) in self.files.iter().zip(&diffs) {
            let after = match diff {
                FileDiff::Whole { .. } => select_whole(change, selection, first_index)?,
                // Half a link leads nowhere.
                FileDiff::Lines(_) if change.is_of_link() => select_whole(change, selection, first_index)?,
                FileDiff::Lines(lines) => select_lines(change, lines, selection, first_index)?,
            };
            files.push(FileChange { after, ..change.clone() });
            first_index += diff.hunk_count();
        }
        Ok(Self { files: Self::new(files)?.files, ..self.clone() })
    }
}

fn check_indexes(selection: &HunkSelection, count: usize) -> Result<()> {
    let mut chosen = selection.accepted.iter().chain(selection.edited.keys());
    match chosen.find(|index| **index == 0 || **index > count) {
        Some(index) => Err(ChangeError::UnknownHunk { index: *index, count }.into()),
        None => Ok(()),
    }
}

fn select_whole(change: &FileChange, selection: &HunkSelection, index: usize) -> Result<Option<FileContent>> {
    if selection.edited.contains_key(&index) {
        return Err(ChangeError::HunkNotEditable { index, path: change.path.to_string() }.into());
    }
    Ok(if selection.accepted.contains(&index) { change.after.clone() } else { change.before.clone() })
}

fn select_lines(
    change: &FileChange,
    diff: &LineDiff<'_>,
    selection: &HunkSelection,
    first_index: usize,
) -> Result<Option<FileContent>> {
    let mut content = Vec::with_capacity(diff.old.iter().map(|line| line.len()).sum());
    let mut copied = 0;
    let mut is_touched = false;
    for (index, group) in (first_index..).zip(&diff.groups) {
        let (old, new) = extent(group);
        content.extend(diff.old[copied..old.start].concat());
        copied = old.end;
        if let Some(text) = selection.edited.get(&index) {
            refuse_nul(text, index, change)?;
            content.extend(edited_side(&diff.new[new], &diff.old[old], text));
            is_touched = true;
        } else if selection.accepted.contains(&index) {
            content.extend(diff.new[new].concat());
            is_touched = true;
        } else {
            content.extend(diff.old[old].concat());
        }
    }
    content.extend(diff.old[copied..].concat());
    Ok(if !is_touched {
        change.before.clone()
    } else if change.after.is_none() && content.is_empty() {
        None
    } else {
        Some(content.into())
    })
}

fn refuse_nul(text: &str, index: usize, change: &FileChange) -> Result<()> {
    if text.contains('\0') {
        return Err(ChangeError::EditedHunkNotText { index, path: change.path.to_string() }.into());
    }
    Ok(())
}

/// A hunk that ended with a newline still does, so that it can't run into the line below it.
fn edited_side(new: &[&[u8]], old: &[&[u8]], text: &str) -> Vec<u8> {
    let known = if new.is_empty() { old } else { new };
    let bytes = known.concat();
    let eol = Eol::of(&bytes).unwrap_or(Eol::Lf);
    let mut edited = with_known_endings(&bytes, text, eol);
    if bytes.ends_with(b"\n") && !edited.is_empty() && !edited.ends_with(b"\n") {
        edited.extend_from_slice(eol.bytes());
    }
    edited
}
