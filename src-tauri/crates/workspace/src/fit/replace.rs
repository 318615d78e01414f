//! What takes the place of the lines that a change fits. Pure.

use std::ops::Range;

use super::indent::Indentation;
use super::look_alikes::Characters;
use super::{Fit, Haystack, Misfit, Op, Tier};
use crate::line_endings::Eol;

/// Whether the file's last line ends, should the change reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinalNewline {
    AsItIs,
    Yes,
    No,
}

/// How new lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
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
/// [`Misfit::Unclear`] where the new lines can't be brought to the file's ways for certain.
pub(crate) fn replacement(
    haystack: &Haystack<'_>,
    ops: &[Op<'_>],
    fit: &Fit,
    target: Target,
) -> Result<Replacement, Misfit> {
    let unclear = Misfit::Unclear { tier: fit.tier, start: fit.span.start };
    let added = adapted(haystack, ops, fit).ok_or(unclear)?;
    let range = haystack.offset(fit.span.start)..haystack.offset(fit.span.end);
    let here = Eol::of(haystack.text[range.clone()].as_bytes()).or_else(|| Eol::of(haystack.text.as_bytes()));
    let eol = target.eol.or(here).unwrap_or(Eol::Lf);
    let mut text = Writer { text: String::with_capacity(range.len()), eol: eol.as_str() };
    if range.is_empty() && !haystack.text[..range.start].is_empty() && !haystack.text[..range.start].ends_with('\n') {
        text.text.push_str(eol.as_str());
    }
    let mut next = fit.span.start;
    let (mut rows, mut added) = (fit.rows.iter().copied(), added.into_iter());
    for op in ops {
        let row = op.old().and_then(|_| rows.next().flatten());
        match (op, row) {
            (Op::Add(_), _) => text.line(&added.next().unwrap_or_default()),
            (_, None) => {}
            (Op::Keep(_), Some(row)) => text.of_file(haystack, next..row + 1),
            (Op::Remove(_), Some(row)) => text.of_file(haystack, next..row),
        }
        next = row.map_or(next, |row| row + 1);
    }
    text.of_file(haystack, next..fit.span.end);
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

struct Writer {
    text: String,
    eol: &'static str,
}

impl Writer {
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
fn adapted<'a>(haystack: &'a Haystack<'_>, ops: &[Op<'a>], fit: &Fit) -> Option<Vec<String>> {
    if fit.tier < Tier::Indentation {
        return Some(ops.iter().filter_map(|op| op.added()).map(str::to_owned).collect());
    }
    let old: Vec<&str> = ops.iter().filter_map(|op| op.old()).collect();
    let found = || {
        let rows = old.iter().zip(&fit.rows).filter_map(|(line, row)| Some((*line, haystack.line((*row)?))));
        rows.filter(|(ours, theirs)| super::fold::fold(ours).trim() == super::fold::fold(theirs).trim())
    };
    let model = ops.iter().filter_map(|op| op.old().or(op.added()));
    let indentation = Indentation::learn(found(), haystack.lines(), model);
    let characters = if fit.tier < Tier::LookAlikes { Characters::default() } else { Characters::learn(found()) };
    let counterparts = counterparts(ops);
    let mut added = Vec::new();
    for (index, op) in ops.iter().enumerate() {
        let Some(line) = op.added() else { continue };
        let counterpart = counterparts.iter().find(|(_, place)| *place == index).map(|(old_index, _)| *old_index);
        let file = counterpart.and_then(|old_index| Some((old[old_index], haystack.line(fit.rows[old_index]?))));
        let line = match file {
            Some((old, theirs)) => characters.carry(old, theirs, line)?,
            None => characters.apply(line)?,
        };
        added.push(indentation.apply(&line)?);
    }
    Some(added)
}

/// Which old line (counted among the old ones) each added line (its place in `ops`) stands for: where as many lines come
/// as go, each for its own.
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
