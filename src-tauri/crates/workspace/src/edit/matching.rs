//! Finding the text of one edit in a file and replacing it. Pure.
//!
//! Matching is exact but for line endings: file and edit are both compared with `\n`. Nothing is matched
//! "nearly": a wrong place is worse than an error that shows where the text could have been.

use std::borrow::Cow;

use super::{TextEdit, not_found};
use crate::error::{Candidate, EditError, Result};
use crate::line_endings::{Eol, with_known_endings};
use crate::project::ProjectPath;

/// How many places an ambiguous edit names.
const CANDIDATES_SHOWN: usize = 5;
/// How much of a line an error shows, in characters.
const LINE_SHOWN: usize = 120;

/// `text` after the edit; `number` counts edits from 1, for the error.
pub(super) fn apply(text: &str, eol: Eol, path: &ProjectPath, number: usize, edit: &TextEdit) -> Result<String> {
    let file = PlainText::new(text);
    let old = to_lf(&edit.old_text);
    let places = if edit.replace_all {
        file.plain.match_indices(old.as_ref()).map(|(at, _)| at).collect()
    } else {
        overlapping(&file.plain, &old)
    };
    let (path, edit_number) = (path.to_string(), number);
    match places.len() {
        0 => {
            let closest = not_found::closest(&file.plain, &old);
            Err(EditError::NotFound { path, edit: edit_number, closest }.into())
        }
        count if count > 1 && !edit.replace_all => {
            let candidates = places.iter().take(CANDIDATES_SHOWN).map(|at| line_at(&file.plain, *at)).collect();
            Err(EditError::Ambiguous { path, edit: edit_number, count, candidates }.into())
        }
        _ => Ok(file.replace(&places, old.len(), &to_lf(&edit.new_text), eol)),
    }
}

/// A text with `\n` only, and the way back to the original's offsets.
struct PlainText<'a> {
    original: &'a str,
    plain: Cow<'a, str>,
    /// Offsets in `plain` of each `\n` that is `\r\n` in the original.
    returns: Vec<usize>,
}

impl<'a> PlainText<'a> {
    fn new(original: &'a str) -> Self {
        let plain = to_lf(original);
        let returns = original.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        Self { original, plain, returns }
    }

    /// An offset before a `\n` leads before its `\r`, so a line's ending is never torn.
    fn original_offset(&self, plain_offset: usize) -> usize {
        plain_offset + self.returns.partition_point(|at| *at < plain_offset)
    }

    fn replace(&self, places: &[usize], length: usize, new: &str, eol: Eol) -> String {
        let mut result = String::with_capacity(self.original.len());
        let mut copied = 0;
        for place in places {
            let (start, end) = (self.original_offset(*place), self.original_offset(place + length));
            let old = &self.original[start..end];
            let fallback = Eol::of(old.as_bytes()).unwrap_or(eol);
            let new = with_known_endings(old.as_bytes(), new, fallback);
            result.push_str(&self.original[copied..start]);
            result.push_str(&String::from_utf8_lossy(&new));
            copied = end;
        }
        result.push_str(&self.original[copied..]);
        result
    }
}

fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// All places, also those that overlap: `aa` is twice in `aaa`, so it does not say which.
fn overlapping(text: &str, wanted: &str) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(wanted) {
        places.push(from + at);
        from += at + step;
    }
    places
}

fn line_at(text: &str, offset: usize) -> Candidate {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = text[..offset].matches('\n').count() + 1;
    let shown = text[start..].lines().next().unwrap_or_default();
    Candidate { line, text: shorten(shown) }
}

pub(super) fn shorten(line: &str) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(LINE_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
