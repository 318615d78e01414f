//! Finds the place that a missing text was probably meant for. Pure.

use super::matching::shorten;
use crate::error::Candidate;
use crate::likeness::likeness_percent;

/// Longer files get no suggestion; it is a courtesy, not worth a pause.
const LINES_LOOKED_AT: usize = 50_000;
/// The number of lines compared to find the place that matches best.
const COMPARISONS: usize = 500_000;
/// The likeness that two lines must have, in percent of the longer one.
const LIKENESS_PERCENT: usize = 50;

/// The first line that differs at the place that fits best, or the line most like the first one wanted.
pub(crate) fn closest(text: &str, wanted: &str) -> Option<Candidate> {
    let lines: Vec<&str> = text.lines().take(LINES_LOOKED_AT).collect();
    let wanted: Vec<&str> = wanted.lines().skip_while(|line| line.trim().is_empty()).collect();
    let line = first_difference(&lines, &wanted).or_else(|| most_alike(&lines, wanted.first()?))?;
    Some(Candidate { line: line + 1, text: shorten(lines[line]) })
}

/// Looks where the first wanted line is, but for its indentation, and follows from there.
fn first_difference(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let first = wanted.first()?.trim();
    let starts = lines.iter().enumerate().filter(|(_, line)| !first.is_empty() && line.trim() == first);
    let mut left = COMPARISONS;
    let (start, same) = starts
        .map_while(|(start, _)| {
            let same = lines[start..].iter().zip(wanted).take(left).take_while(|(line, wanted)| line == wanted).count();
            left = left.checked_sub(same + 1)?;
            Some((start, same))
        })
        .max_by_key(|(start, same)| (*same, usize::MAX - start))?;
    let is_in_file = start + same < lines.len();
    Some(if is_in_file { start + same } else { start })
}

fn most_alike(lines: &[&str], wanted: &str) -> Option<usize> {
    let wanted = wanted.trim().as_bytes();
    let (line, likeness) = lines
        .iter()
        .enumerate()
        .map(|(index, line)| (index, likeness_percent(line.trim().as_bytes(), wanted)))
        .max_by_key(|(index, likeness)| (*likeness, usize::MAX - index))?;
    (likeness >= LIKENESS_PERCENT).then_some(line)
}
