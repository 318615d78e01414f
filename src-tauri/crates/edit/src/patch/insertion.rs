//! Places a hunk that only brings lines and shows none of the file's. Pure.
//!
//! Nothing of it can be compared, so the patch has to say where: at the end (`*** End of File`) or behind the one line
//! that its header names. A line number is no place: whether it is still right, nothing shows. Into an empty file there
//! is but one place.

use super::parse::PatchHunk;
use super::place::{HunkProblem, named_lines, within};
use crate::fit::{Fit, Haystack, Op, PlacementError, Tier};

/// Blank lines are among the lines of a file, and among those of a patch that lost their `+`.
pub(super) fn shows_nothing(ops: &[Op<'_>]) -> bool {
    ops.iter().all(|op| match op {
        Op::Add(_) => true,
        Op::Keep(line) => line.trim().is_empty(),
        Op::Remove(_) => false,
    }) && ops.iter().any(|op| matches!(op, Op::Add(_)))
}

pub(super) fn place(haystack: &Haystack<'_>, hunk: &PatchHunk<'_>, index: usize) -> Result<Fit, HunkProblem> {
    let is_plain = hunk.ops.iter().all(|op| op.old().is_none());
    if is_plain && (haystack.len() == 0 || hunk.at_end) {
        return Ok(Fit::at(haystack.len(), 0, Tier::Exact));
    }
    match hunk.sections.split_last() {
        Some((name, outer)) if is_plain => behind(haystack, outer, name, index),
        _ => Err(HunkProblem::NoContext { hunk: index }),
    }
}

fn behind(haystack: &Haystack<'_>, outer: &[&str], name: &str, index: usize) -> Result<Fit, HunkProblem> {
    let no_section = |section: &str| HunkProblem::NoSection { hunk: index, section: section.to_owned() };
    let within = within(haystack, outer).ok_or_else(|| no_section(&outer.join(" @@ ")))?;
    let starts = named_lines(haystack, within, name);
    match starts[..] {
        [] => Err(no_section(name)),
        [line] if goes_on(haystack.line(line)) => Err(HunkProblem::NoContext { hunk: index }),
        [line] => Ok(Fit::at(line + 1, 0, Tier::Exact)),
        _ => {
            Err(HunkProblem::Placement { hunk: index, misfit: PlacementError::Ambiguous { tier: Tier::Exact, starts } })
        }
    }
}

/// Returns whether the line begins something that goes on in the next one, such as a list of parameters: behind it is
/// not behind what it names.
fn goes_on(line: &str) -> bool {
    let count = |bracket: char| line.matches(bracket).count();
    count('(') > count(')') || count('[') > count(']') || line.trim_end().ends_with([',', '\\'])
}
