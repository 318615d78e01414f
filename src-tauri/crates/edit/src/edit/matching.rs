//! Finding the text of one edit in a file and replacing it. Pure.
//!
//! File and edit are both compared with `\n`. First the text has to be there exactly; then, line by line, in tiers that
//! forgive more and more (`fit`); between them, inside of lines, with characters that look alike.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{TextEdit, not_found};
use crate::error::{Candidate, EditError};
use crate::fit::{Characters, FinalNewline, Fit, FoldedText, Haystack, LineEndings, Op, PlacementError, Tier, Typing};
use crate::fit::{find_alike, find_lines, replacement};
use crate::line_endings::{Eol, with_known_endings};
use crate::text_file::EDIT_LIMIT_BYTES;

/// The number of places that an ambiguous edit names.
pub(crate) const CANDIDATES_SHOWN: usize = 5;
/// An edit makes a file no larger than one that can be edited.
const MAX_BYTES: usize = EDIT_LIMIT_BYTES as usize;
/// Places of an ambiguous text are counted until so much was compared.
const MAX_COMPARED_BYTES: usize = 256 << 20;
/// The number of characters that an error shows of a line.
const LINE_SHOWN: usize = 120;

/// A text after an edit.
pub(super) struct MatchedEdit {
    pub(super) text: String,
    /// The tier and the line, counted from 1, where it was not exact.
    pub(super) forgiven: Option<(Tier, usize)>,
}

impl MatchedEdit {
    fn exactly(text: String) -> Self {
        Self { text, forgiven: None }
    }
}

/// The model's typing: what is known of it, and what this edit shows.
pub(super) struct Types<'a> {
    pub(super) known: &'a Typing,
    pub(super) learned: &'a mut Typing,
}

/// `text` after the edit; `number` counts edits from 1, for the error.
pub(super) fn apply(
    text: &str,
    eol: Eol,
    path: &str,
    number: usize,
    edit: &TextEdit,
    types: &mut Types<'_>,
) -> Result<MatchedEdit, EditError> {
    let old = to_lf(&edit.old_text);
    let new = to_lf(&edit.new_text);
    let file = PlainText::new(text);
    let places = if edit.replace_all {
        file.plain.match_indices(old.as_ref()).map(|(at, _)| at).collect()
    } else {
        overlapping(&file.plain, &old, |_| true)
    };
    let too_much = || EditError::TooMuch { path: path.to_owned(), edit: number, limit: EDIT_LIMIT_BYTES };
    let failed = |misfit| error(&file.plain, &old, path, number, misfit);
    let edited = match places.as_slice() {
        [] => forgiving(text, &old, &new, types).map_err(failed)?,
        [place] if !edit.replace_all && lost_its_indentation(&file.plain, *place, &old, &new) => {
            forgiving(text, &old, &new, types).map_err(failed)?
        }
        [_, _, ..] if !edit.replace_all => {
            let starts = lines_at(&file.plain, &places);
            return Err(failed(PlacementError::Ambiguous { tier: Tier::Exact, starts }));
        }
        // Looked at before: a few edits that replace everywhere could fill the memory.
        places if places.len().saturating_mul(new.len()) > MAX_BYTES => return Err(too_much()),
        places => {
            types.learned.learn_text(&old, &old);
            let unclear =
                || PlacementError::Unclear { tier: Tier::LookAlikes, start: lines_at(&file.plain, places)[0] };
            let new = types.known.followed(&new, &old, &Haystack::new(text)).ok_or_else(unclear).map_err(failed)?;
            MatchedEdit::exactly(file.replace(places, old.len(), &new, eol))
        }
    };
    if edited.text.len() > MAX_BYTES { Err(too_much()) } else { Ok(edited) }
}

/// Returns whether the text is a whole line but for its indentation, and brings lines that can't stand at that depth,
/// or have it already: then it was not meant to begin inside the line.
fn lost_its_indentation(text: &str, place: usize, old: &str, new: &str) -> bool {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[start..place];
    let is_indentation = !before.is_empty() && before.trim().is_empty();
    let is_less = |line: &str| !line.trim().is_empty() && line.len() - line.trim_start().len() < before.len();
    let is_whole = old.ends_with('\n') || text[place + old.len()..].chars().next().is_none_or(|next| next == '\n');
    // Where nothing else changes, to be indented deeper is all that the edit can mean.
    let is_right = !old.starts_with([' ', '\t']) && new.starts_with(before) && new.trim_start() != old;
    is_indentation && is_whole && (is_right || (old.ends_with('\n') && new.lines().skip(1).any(is_less)))
}

fn forgiving(text: &str, old: &str, new: &str, types: &mut Types<'_>) -> Result<MatchedEdit, PlacementError> {
    let haystack = Haystack::new(text);
    let (old_lines, new_lines) = lines_of(old, new);
    let ops = ops(&old_lines, &new_lines);
    let all = 0..haystack.len();
    let by_lines = |fit: Fit, types: &mut Types<'_>| {
        types.learned.learn(&haystack, &ops, &fit);
        let target = LineEndings { eol: None, final_newline: FinalNewline::AsItIs };
        let replacement = replacement(&haystack, &ops, &fit, target, types.known)?;
        let forgiven = (fit.tier > Tier::Exact).then_some((fit.tier, fit.span.start + 1));
        Ok(MatchedEdit { text: spliced(text, replacement.range, &replacement.text), forgiven })
    };
    match find_lines(&haystack, &ops, all.clone()) {
        Ok(fit) => by_lines(fit, types),
        Err(PlacementError::Nowhere) => match inside_lines(text, old, new, types) {
            Err(PlacementError::Nowhere) => find_alike(&haystack, &ops, all).and_then(|fit| by_lines(fit, types)),
            found => found,
        },
        Err(misfit) => Err(misfit),
    }
}

/// The lines of both texts. An ending that both have belongs to neither.
fn lines_of<'a>(old: &'a str, new: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let Some(old) = old.strip_suffix('\n') else {
        return (old.split('\n').collect(), new.split('\n').collect());
    };
    let lines = if new.is_empty() { Vec::new() } else { new.strip_suffix('\n').unwrap_or(new).split('\n').collect() };
    (old.split('\n').collect(), lines)
}

fn ops<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Op<'a>> {
    let mut ops = Vec::with_capacity(old.len().max(new.len()));
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if op.tag() == DiffTag::Equal {
            ops.extend(old[op.old_range()].iter().map(|line| Op::Keep(line)));
        } else {
            ops.extend(old[op.old_range()].iter().map(|line| Op::Remove(line)));
            ops.extend(new[op.new_range()].iter().map(|line| Op::Add(line)));
        }
    }
    ops
}

/// The text with characters that look alike, anywhere.
fn inside_lines(text: &str, old: &str, new: &str, types: &mut Types<'_>) -> Result<MatchedEdit, PlacementError> {
    let (file, wanted) = (FoldedText::new(text), FoldedText::new(old).text);
    if wanted.trim().is_empty() {
        return Err(PlacementError::Nowhere);
    }
    let is_whole = |at: usize| file.original_offset(at).is_some() && file.original_offset(at + wanted.len()).is_some();
    let places = overlapping(&file.text, &wanted, is_whole);
    let place = match places.as_slice() {
        [] => return Err(PlacementError::Nowhere),
        [place] => *place,
        _ => {
            let starts = lines_at(&file.text, &places);
            return Err(PlacementError::Ambiguous { tier: Tier::LookAlikes, starts });
        }
    };
    let (Some(start), Some(end)) = (file.original_offset(place), file.original_offset(place + wanted.len())) else {
        return Err(PlacementError::Nowhere);
    };
    let there = &text[start..end];
    types.learned.learn_text(old, there);
    let characters = Characters::learn([(old, there)].into_iter(), types.known, text);
    let line = lines_at(&file.text, &places)[0];
    let unclear = PlacementError::Unclear { tier: Tier::LookAlikes, start: line };
    let new = characters.carry(old, there, new).ok_or(unclear)?;
    let text = spliced(text, start..end, &new);
    Ok(MatchedEdit { text, forgiven: Some((Tier::LookAlikes, line + 1)) })
}

fn spliced(text: &str, range: Range<usize>, new: &str) -> String {
    [&text[..range.start], new, &text[range.end..]].concat()
}

fn error(text: &str, old: &str, path: &str, edit: usize, misfit: PlacementError) -> EditError {
    let path = path.to_owned();
    match misfit {
        PlacementError::Nowhere => EditError::NotFound { path, edit, closest: not_found::closest(text, old) },
        PlacementError::Ambiguous { tier, starts } => {
            let candidates = candidates(text, &starts);
            EditError::Ambiguous { path, edit, tier, count: starts.len(), candidates }
        }
        PlacementError::Unclear { tier, start } => EditError::Unclear { path, edit, tier, line: start + 1 },
    }
}

/// The first few of the lines at which a change could be.
pub(crate) fn candidates(text: &str, starts: &[usize]) -> Vec<Candidate> {
    let shown = starts.iter().take(CANDIDATES_SHOWN);
    shown
        .map(|start| Candidate { line: start + 1, text: shorten(text.lines().nth(*start).unwrap_or_default()) })
        .collect()
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
        let returns = match &plain {
            Cow::Borrowed(_) => Vec::new(),
            Cow::Owned(_) => original.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect(),
        };
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
            result.push_str(&self.original[copied..start]);
            if new.contains('\n') {
                let old = &self.original[start..end];
                let fallback = Eol::of(old.as_bytes()).unwrap_or(eol);
                result.push_str(&String::from_utf8_lossy(&with_known_endings(old.as_bytes(), new, fallback)));
            } else {
                result.push_str(new);
            }
            copied = end;
        }
        result.push_str(&self.original[copied..]);
        result
    }
}

fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// The places that are meant, also those that overlap: `aa` is twice in `aaa`, so it does not say which. Where there are
/// several, not all of them may be found.
fn overlapping(text: &str, wanted: &str, is_meant: impl Fn(usize) -> bool) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let finder = memchr::memmem::Finder::new(wanted);
    let mut places = Vec::new();
    let (mut from, mut compared) = (0, 0);
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        if is_meant(from + at) {
            places.push(from + at);
        }
        from += at + step;
        compared += wanted.len();
        if places.len() > 1 && compared > MAX_COMPARED_BYTES {
            break;
        }
    }
    places
}

/// The line of each offset; the offsets rise. Counted from 0.
fn lines_at(text: &str, offsets: &[usize]) -> Vec<usize> {
    let (mut line, mut counted) = (0, 0);
    let mut line_at = |offset: &usize| {
        line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..*offset]).count();
        counted = *offset;
        line
    };
    offsets.iter().map(&mut line_at).collect()
}

pub(crate) fn shorten(line: &str) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(LINE_SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
