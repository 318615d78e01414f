//! The author of each line of a file: there before, the user, or one of Arki's changes. Pure.
//!
//! It replays the changes oldest first. What differs between where one change left the file and where the next
//! found it, the user did. A line is followed by its text without its ending, so that a file converted to CRLF,
//! or a last line that got its newline, still belongs to who wrote the words. A line that moves counts as
//! written by who moved it, and of two equal lines the line differ decides which one stayed. A file that moves is
//! followed: that is for the caller, who knows what else there was.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

use crate::error::{AttributionError, Result};
use arki_edit::is_text;
use arki_edit::{split_lines, without_ending};

/// Changes to one file that are replayed at most.
pub const MAX_ATTRIBUTED_VERSIONS: usize = 2000;
/// Bytes of all versions together, the present one included.
pub const MAX_ATTRIBUTED_BYTES: usize = 64 * 1024 * 1024;

/// One change that Arki made to the file; `None` is no file.
#[derive(Debug, Clone)]
pub struct FileVersion<'a, Origin> {
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
    pub origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineOrigin<Origin> {
    /// It was there before Arki's first change.
    Before,
    /// It came between two of Arki's changes, or after the last: by the user, or a program of theirs.
    User,
    Arki(Origin),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedLine<Origin> {
    /// Counted from 1.
    pub number: usize,
    /// The text without its line ending.
    pub text: String,
    pub origin: LineOrigin<Origin>,
}

/// Every line of `now`, in order, with who wrote it; `versions` are oldest first.
pub fn attribute<Origin: Clone>(
    versions: &[FileVersion<'_, Origin>],
    now: &[u8],
) -> Result<Vec<AttributedLine<Origin>>, AttributionError> {
    check_limits(versions, now)?;
    let first = versions.first().map_or(Some(now), |version| version.before);
    let mut file = AttributedFile::new(first.unwrap_or_default());
    for version in versions {
        file.become_content(version.before, &LineOrigin::User);
        file.become_content(version.after, &LineOrigin::Arki(version.origin.clone()));
    }
    file.become_content(Some(now), &LineOrigin::User);
    Ok(file.into_lines())
}

/// Returns the number of lines that two texts have in common, in whatever order, where that is half of the longer one
/// or more: one is the other then, changed. 0 where it is less, or one of them is no text. Takes no longer than reading
/// them, so that it can be asked of many.
#[must_use]
pub fn shared_lines(one: &[u8], other: &[u8]) -> usize {
    if one.len() + other.len() > MAX_ATTRIBUTED_BYTES || !is_text(one) || !is_text(other) {
        return 0;
    }
    let (one, other) = (texts(one), texts(other));
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    one.iter().for_each(|line| *left.entry(line).or_default() += 1);
    let mut is_shared = |line: &&&[u8]| match left.get_mut(**line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let shared = other.iter().filter(&mut is_shared).count();
    if shared * 2 >= one.len().max(other.len()) { shared } else { 0 }
}

fn check_limits<Origin>(versions: &[FileVersion<'_, Origin>], now: &[u8]) -> Result<(), AttributionError> {
    if versions.len() > MAX_ATTRIBUTED_VERSIONS {
        return Err(AttributionError::TooManyVersions { count: versions.len(), limit: MAX_ATTRIBUTED_VERSIONS });
    }
    let length = |content: Option<&[u8]>| content.map_or(0, <[u8]>::len);
    let of_versions: usize = versions.iter().map(|version| length(version.before) + length(version.after)).sum();
    if of_versions + now.len() > MAX_ATTRIBUTED_BYTES {
        return Err(AttributionError::TooLarge { limit: MAX_ATTRIBUTED_BYTES });
    }
    if !is_text(now) {
        return Err(AttributionError::NotText);
    }
    Ok(())
}

/// A content on the way from the first version to the present.
struct AttributedFile<'a, Origin> {
    content: &'a [u8],
    lines: Vec<&'a [u8]>,
    /// The origin of each line; as long as `lines`.
    origins: Vec<LineOrigin<Origin>>,
}

impl<'a, Origin: Clone> AttributedFile<'a, Origin> {
    fn new(content: &'a [u8]) -> Self {
        let lines = texts(content);
        let origins = vec![LineOrigin::Before; lines.len()];
        Self { content, lines, origins }
    }

    /// Makes `author` the author of what is new in `content`; the rest keeps its authors.
    fn become_content(&mut self, content: Option<&'a [u8]>, author: &LineOrigin<Origin>) {
        let content = content.unwrap_or_default();
        // Between two of Arki's changes there is mostly nothing.
        if content == self.content {
            return;
        }
        let lines = texts(content);
        let mut origins = Vec::with_capacity(lines.len());
        for op in capture_diff_slices(Algorithm::Myers, &self.lines, &lines) {
            if op.tag() == DiffTag::Equal {
                origins.extend_from_slice(&self.origins[op.old_range()]);
            } else {
                origins.resize(op.new_range().end, author.clone());
            }
        }
        *self = Self { content, lines, origins };
    }

    fn into_lines(self) -> Vec<AttributedLine<Origin>> {
        let numbered = (1..).zip(self.lines).zip(self.origins);
        numbered
            .map(|((number, line), origin)| {
                let text = String::from_utf8_lossy(line).into_owned();
                AttributedLine { number, text, origin }
            })
            .collect()
    }
}

fn texts(content: &[u8]) -> Vec<&[u8]> {
    split_lines(content).into_iter().map(without_ending).collect()
}

#[cfg(test)]
mod tests;
