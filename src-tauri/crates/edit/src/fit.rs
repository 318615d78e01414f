//! Places the lines of a change in a file, and finds what takes their place there. Pure.
//!
//! Models quote what they change from memory, and slip in ways that are known: a trailing space is lost, a block is
//! indented otherwise, quotes are curled. So lines are compared in tiers, and a tier is tried only where the stricter
//! ones found nothing. Two places are never chosen between, and what the model did not mean to change is never
//! rewritten as it remembers it: kept lines are the file's own, and new ones are brought to its indentation and
//! characters. Where that can't be done for certain, the change is refused.

mod align;
mod depth;
mod fold;
mod haystack;
mod indent;
mod look_alikes;
mod replace;
mod typing;

use std::ops::Range;

pub(crate) use align::find as find_alike;
pub(crate) use fold::FoldedText;
pub(crate) use haystack::Haystack;
pub(crate) use look_alikes::Characters;
pub(crate) use replace::{FinalNewline, LineEndings, Replacement, replacement};
pub use typing::Typing;

/// The differences that had to be forgiven to find the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    Exact,
    TrailingSpace,
    Indentation,
    LookAlikes,
    Alignment,
}

impl Tier {
    /// The tiers in which every line has to be there, from the strictest on.
    pub(crate) const BY_LINES: [Self; 4] = [Self::Exact, Self::TrailingSpace, Self::Indentation, Self::LookAlikes];

    /// Returns what differs; completes "… matched but for".
    pub fn difference(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::TrailingSpace => "spaces at the ends of lines",
            Self::Indentation => "indentation",
            Self::LookAlikes => "characters that look alike",
            Self::Alignment => "some lines around it",
        }
    }
}

/// One line of a change, without its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op<'a> {
    Keep(&'a str),
    Remove(&'a str),
    Add(&'a str),
}

impl<'a> Op<'a> {
    /// The line as it should be in the file already.
    pub(crate) fn old(self) -> Option<&'a str> {
        match self {
            Self::Keep(line) | Self::Remove(line) => Some(line),
            Self::Add(_) => None,
        }
    }

    pub(crate) fn added(self) -> Option<&'a str> {
        match self {
            Self::Add(line) => Some(line),
            Self::Keep(_) | Self::Remove(_) => None,
        }
    }
}

/// The place of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    pub(crate) tier: Tier,
    /// The file's line for each old line of the change, counted from 0; `None` for one that is not there.
    pub(crate) rows: Vec<Option<usize>>,
    /// The lines of the file from the first to the last of them.
    pub(crate) span: Range<usize>,
}

impl Fit {
    pub(crate) fn at(start: usize, lines: usize, tier: Tier) -> Self {
        Self { tier, rows: (start..start + lines).map(Some).collect(), span: start..start + lines }
    }
}

/// Why there is no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlacementError {
    Nowhere,
    /// The lines at which it could be, counted from 0.
    Ambiguous {
        tier: Tier,
        starts: Vec<usize>,
    },
    /// The place is known, but not what the new lines should be there.
    Unclear {
        tier: Tier,
        start: usize,
    },
}

/// The only place at which all old lines of `ops` are, among the lines of `within`.
pub(crate) fn find_lines(haystack: &Haystack<'_>, ops: &[Op<'_>], within: Range<usize>) -> Result<Fit, PlacementError> {
    let old: Vec<&str> = ops.iter().filter_map(|op| op.old()).collect();
    for tier in Tier::BY_LINES {
        // A line without text says nothing about a place once anything is forgiven.
        if tier != Tier::Exact && old.iter().all(|line| line.trim().is_empty()) {
            break;
        }
        let mut starts = haystack.starts(&old, tier);
        starts.retain(|start| within.start <= *start && start + old.len() <= within.end);
        match starts.as_slice() {
            [] => {}
            [start] => return Ok(Fit::at(*start, old.len(), tier)),
            _ => return Err(PlacementError::Ambiguous { tier, starts }),
        }
    }
    Err(PlacementError::Nowhere)
}

#[cfg(test)]
mod tests;
