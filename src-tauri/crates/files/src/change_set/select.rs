//! Narrowing a change set to the hunks a user accepted, as they are or edited. Pure.

use super::diff::{DiffEntry, FileDiff, LineDiff, entries, extent};
use super::{ChangeSet, FileChange, HunkSelection};
use crate::error::{ChangeError, Result};
use crate::file_content::FileContent;
use arki_domain::WholeChange;
use arki_edit::{Eol, with_known_endings};
use std::ops::Range;

impl ChangeSet {
    /// Keeps what was accepted; an edited hunk counts as accepted. Lines outside the accepted hunks are the
    /// old ones, byte for byte. The result may be empty.
    ///
    /// # Errors
    /// `HUNK_UNKNOWN`, `HUNK_NOT_EDITABLE`, `FILE_NOT_TEXT`; `HUNK_NEEDS_MOVE` where a change of a moved file was accepted
    /// without its move.
    pub fn select(&self, selection: &HunkSelection) -> Result<Self> {
        let entries = entries(self);
        let diffs: Vec<FileDiff<'_>> = entries.iter().map(FileDiff::of).collect();
        let mut files = Vec::new();
        for choice in choices(&entries, &diffs, selection)? {
            files.extend(choice.selected()?);
        }
        self.with_files(files)
    }
}

/// The choice in each entry.
pub(super) fn choices<'a>(
    entries: &'a [DiffEntry<'a>],
    diffs: &'a [FileDiff<'a>],
    selection: &'a HunkSelection,
) -> Result<Vec<EntrySelection<'a>>> {
    check_indexes(selection, diffs.iter().map(FileDiff::hunk_count).sum())?;
    let mut next_index = 1;
    let choice = |(entry, diff): (&'a DiffEntry<'a>, &'a FileDiff<'a>)| {
        let first_index = next_index;
        next_index += diff.hunk_count();
        EntrySelection { entry, diff, selection, first_index }
    };
    Ok(entries.iter().zip(diffs).map(choice).collect())
}

/// The lines of an accepted hunk.
pub(super) struct AcceptedLines {
    /// The old lines that were shown, counted from 0.
    pub(super) old: Range<usize>,
    pub(super) new: Vec<u8>,
}

/// The choice among the hunks of one entry, which are numbered from `first_index` on.
pub(super) struct EntrySelection<'a> {
    pub(super) entry: &'a DiffEntry<'a>,
    diff: &'a FileDiff<'a>,
    selection: &'a HunkSelection,
    first_index: usize,
}

impl EntrySelection<'_> {
    /// The accepted part of the entry: one change, two of a moved file, or none where its move was rejected.
    pub(super) fn selected(&self) -> Result<Vec<FileChange>> {
        let Self { entry, diff, .. } = *self;
        let path = entry.path();
        let wholes = self.first_index..self.first_index + diff.wholes.len();
        if let Some((index, _)) = self.selection.edited.range(wholes).next() {
            return Err(ChangeError::HunkNotEditable { index: *index, path: path.to_string() }.into());
        }
        let after = self.selected_content()?;
        let FileChange { before, mode, new_mode, .. } = entry.change;
        let mut change =
            FileChange { path: path.clone(), before: before.clone(), after, mode: *mode, new_mode: *new_mode };
        if diff.wholes.contains(&WholeChange::Mode) && !self.takes(WholeChange::Mode) {
            change.mode = entry.old_mode();
            change.new_mode = entry.moved.and(change.mode);
        }
        match entry.moved {
            None => Ok(vec![change]),
            Some(gone) if self.takes(WholeChange::Move) => Ok(vec![gone.clone(), change]),
            Some(gone) => self.refuse_without_move(gone),
        }
    }

    fn refuse_without_move(&self, gone: &FileChange) -> Result<Vec<FileChange>> {
        let mut numbers = self.first_index..self.first_index + self.diff.hunk_count();
        match numbers.find(|index| self.is_accepted(*index)) {
            None => Ok(Vec::new()),
            Some(index) => Err(ChangeError::NeedsMove {
                index,
                needed: self.first_index,
                from: gone.path.to_string(),
                path: self.entry.path().to_string(),
            }
            .into()),
        }
    }

    fn is_accepted(&self, index: usize) -> bool {
        self.selection.accepted.contains(&index) || self.selection.edited.contains_key(&index)
    }

    fn takes(&self, what: WholeChange) -> bool {
        let place = self.diff.wholes.iter().position(|whole| *whole == what);
        place.is_some_and(|place| self.is_accepted(self.first_index + place))
    }

    fn selected_content(&self) -> Result<Option<FileContent>> {
        let (before, after) = (self.entry.before(), self.entry.after());
        match (self.whole_content(), &self.diff.lines) {
            (Some(what), _) if self.takes(what) => Ok(after.cloned()),
            (None, Some(lines)) => self.selected_lines(lines),
            _ => Ok(before.cloned()),
        }
    }

    /// The change of the content, if it has no lines to choose from.
    pub(super) fn whole_content(&self) -> Option<WholeChange> {
        self.diff.wholes.iter().copied().find(|what| !matches!(what, WholeChange::Mode | WholeChange::Move))
    }

    /// The accepted hunks that have lines, in their order.
    pub(super) fn accepted_lines(&self) -> Result<Vec<AcceptedLines>> {
        let Some(diff) = self.diff.lines.as_ref().filter(|_| self.whole_content().is_none()) else {
            return Ok(Vec::new());
        };
        let mut accepted = Vec::new();
        for (index, group) in (self.first_index + self.diff.wholes.len()..).zip(&diff.groups) {
            let (old, new) = extent(group);
            if let Some(text) = self.selection.edited.get(&index) {
                refuse_nul(text, index, self.entry.change)?;
                let new = edited_side(&diff.new[new], &diff.old[old.clone()], text);
                accepted.push(AcceptedLines { old, new });
            } else if self.is_accepted(index) {
                accepted.push(AcceptedLines { old, new: diff.new[new].concat() });
            }
        }
        Ok(accepted)
    }

    fn selected_lines(&self, diff: &LineDiff<'_>) -> Result<Option<FileContent>> {
        let (before, after) = (self.entry.before(), self.entry.after());
        let accepted = self.accepted_lines()?;
        let mut content = Vec::with_capacity(diff.old.iter().map(|line| line.len()).sum());
        let mut copied = 0;
        for AcceptedLines { old, new } in &accepted {
            content.extend(diff.old[copied..old.start].concat());
            content.extend(new);
            copied = old.end;
        }
        content.extend(diff.old[copied..].concat());
        Ok(if accepted.is_empty() {
            before.cloned()
        } else if after.is_none() && content.is_empty() {
            None
        } else {
            Some(content.into())
        })
    }
}

fn check_indexes(selection: &HunkSelection, count: usize) -> Result<()> {
    let mut chosen = selection.accepted.iter().chain(selection.edited.keys());
    match chosen.find(|index| **index == 0 || **index > count) {
        Some(index) => Err(ChangeError::UnknownHunk { index: *index, count }.into()),
        None => Ok(()),
    }
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
