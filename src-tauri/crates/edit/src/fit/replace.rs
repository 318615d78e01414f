//! Builds the lines that take the place of those that a change matches. Pure.

use std::ops::Range;

use super::depth::{Depth, depth};
use super::indent::{self, Indentation};
use super::look_alikes::Characters;
use super::typing::Typing;
use super::{Fit, Haystack, Op, PlacementError};
use crate::line_endings::Eol;

/// The end of the file's last line, should the change reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalNewline {
    AsItIs,
    Yes,
    No,
}

/// The line endings of new lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineEndings {
    /// `None` for the ending that most lines have at the place; else this one, whatever the line itself ends with.
    pub(crate) eol: Option<Eol>,
    pub(crate) final_newline: FinalNewline,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replacement {
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// # Errors
/// [`PlacementError::Unclear`] where the new lines can't be brought to the file's ways for certain.
pub(crate) fn replacement(
    haystack: &Haystack<'_>,
    ops: &[Op<'_>],
    fit: &Fit,
    target: LineEndings,
    typing: &Typing,
) -> Result<Replacement, PlacementError> {
    let unclear = PlacementError::Unclear { tier: fit.tier, start: fit.span.start };
    let added = adapted(haystack, ops, fit, typing).ok_or(unclear)?;
    let span = haystack.offset(fit.span.start)..haystack.offset(fit.span.end);
    let here = Eol::of(haystack.text[span].as_bytes()).or_else(|| Eol::of(haystack.text.as_bytes()));
    let eol = target.eol.or(here).unwrap_or(Eol::Lf);
    let core = ChangeCore::of(ops, fit);
    let range = haystack.offset(core.lines.start)..haystack.offset(core.lines.end);
    let mut text = LineWriter { text: String::with_capacity(range.len()), eol: eol.as_str() };
    if range.is_empty() && !haystack.text[..range.start].is_empty() && !haystack.text[..range.start].ends_with('\n') {
        text.text.push_str(eol.as_str());
    }
    let mut next = core.lines.start;
    let mut rows = core.rows.iter().copied();
    let mut added = added.into_iter();
    for op in core.ops {
        let row = op.old().and_then(|_| rows.next().flatten());
        match (op, row) {
            (Op::Add(_), _) => text.line(&added.next().unwrap_or_default()),
            (_, None) => {}
            (Op::Keep(_), Some(row)) => text.of_file(haystack, next..row + 1),
            (Op::Remove(_), Some(row)) => text.of_file(haystack, next..row),
        }
        next = row.map_or(next, |row| row + 1);
    }
    let mut text = text.text;
    if range.end == haystack.text.len() {
        let ends = match target.final_newline {
            FinalNewline::AsItIs => haystack.text.is_empty() || haystack.text.ends_with('\n'),
            FinalNewline::Yes => true,
            FinalNewline::No => false,
        };
        end(&mut text, ends, eol);
    }
    Ok(Replacement { range, text })
}

/// A change without the lines that it keeps at its beginning and end: so changes that share those don't touch.
struct ChangeCore<'a, 'text> {
    ops: &'a [Op<'text>],
    rows: &'a [Option<usize>],
    lines: Range<usize>,
}

impl<'a, 'text> ChangeCore<'a, 'text> {
    fn of(ops: &'a [Op<'text>], fit: &'a Fit) -> Self {
        let is_kept = |op: &&Op<'_>| matches!(op, Op::Keep(_));
        let before = ops.iter().take_while(is_kept).count();
        let after = ops[before..].iter().rev().take_while(is_kept).count();
        let rows = &fit.rows[before..fit.rows.len() - after];
        let start = fit.rows[..before].iter().rev().find_map(|row| row.map(|row| row + 1));
        let start = start.or_else(|| rows.iter().flatten().next().copied()).unwrap_or(fit.span.start);
        let end = rows.iter().rev().find_map(|row| row.map(|row| row + 1)).unwrap_or(start);
        Self { ops: &ops[before..ops.len() - after], rows, lines: start..end }
    }
}

struct LineWriter {
    text: String,
    eol: &'static str,
}

impl LineWriter {
    fn line(&mut self, line: &str) {
        self.end_line();
        self.text.push_str(line);
        self.text.push_str(self.eol);
    }

    fn of_file(&mut self, haystack: &Haystack<'_>, lines: Range<usize>) {
        for index in lines {
            self.end_line();
            self.text.push_str(haystack.whole_line(index));
        }
    }

    /// The file's last line may have had no ending.
    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str(self.eol);
        }
    }
}

fn end(text: &mut String, ends: bool, eol: Eol) {
    if ends {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(eol.as_str());
        }
    } else if text.ends_with('\n') {
        text.pop();
        if eol == Eol::CrLf && text.ends_with('\r') {
            text.pop();
        }
    }
}

/// The new lines as the file would have them.
fn adapted<'a>(haystack: &'a Haystack<'_>, ops: &[Op<'a>], fit: &Fit, typing: &'a Typing) -> Option<Vec<String>> {
    let old: Vec<&str> = ops.iter().filter_map(|op| op.old()).collect();
    let found = || {
        let rows = old.iter().zip(&fit.rows).filter_map(|(line, row)| Some((*line, haystack.line((*row)?))));
        rows.filter(|(ours, theirs)| super::fold::fold(ours).trim() == super::fold::fold(theirs).trim())
    };
    let model = ops.iter().filter_map(|op| op.old().or(op.added()));
    let indentation = Indentation::learn(found(), haystack.lines(), model);
    let depth = match indentation.is_the_same() || ops.iter().all(|op| op.added().is_none_or(str::is_empty)) {
        true => Depth::TheFiles,
        false => depth(haystack, ops, fit),
    };
    let characters = Characters::learn(found(), typing, haystack.text);
    let counterparts = counterparts(ops);
    let mut added = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        let Some(line) = op.added() else { continue };
        let counterpart = counterparts.iter().find(|(_, place)| *place == index).map(|(old_index, _)| *old_index);
        let file = counterpart.and_then(|old_index| Some((old[old_index], haystack.line(fit.rows[old_index]?))));
        let (before, text) = line.split_at(indent::of(line).len());
        let text = match file {
            Some((old, theirs)) => characters.carry(old.trim_start(), theirs.trim_start(), text)?,
            None => characters.apply(text)?,
        };
        let line = format!("{before}{text}");
        added.push(match depth {
            Depth::TheModels => indentation.apply(&line)?,
            Depth::TheFiles => typing.indentation(before, haystack)? + &text,
            Depth::Unclear => return None,
        });
    }
    Some(added)
}

/// Returns which old line (counted among the old ones) each added line (its place in `ops`) stands for: where as many
/// lines come as go, each for its own.
fn counterparts(ops: &[Op<'_>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let mut old_index = 0;
    for (place, op) in ops.iter().enumerate() {
        match op {
            Op::Keep(_) => close(&mut removed, &mut added, &mut pairs),
            Op::Remove(_) => removed.push(old_index),
            Op::Add(_) => added.push(place),
        }
        old_index += usize::from(op.old().is_some());
    }
    close(&mut removed, &mut added, &mut pairs);
    pairs
}

fn close(removed: &mut Vec<usize>, added: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>) {
    if removed.len() == added.len() {
        pairs.extend(removed.iter().copied().zip(added.iter().copied()));
    }
    removed.clear();
    added.clear();
}
