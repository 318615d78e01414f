//! Patches that can't be read, or don't fit the files they name.

use super::edit::{Candidate, candidate_words, closest_words, forgiven};
use crate::fit::Tier;
use arki_domain::Code;

/// `hunk` counts from 1 within its file, `line` from 1 in the patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("This is not a patch: it has neither `*** Begin Patch` nor the lines `---` and `+++` of a unified diff.")]
    NotAPatch,
    /// `problem` completes "Line 3 of the patch …".
    #[error("Line {line} of the patch {problem}.")]
    Syntax { line: usize, problem: String },
    #[error("The patch is longer than {limit} bytes.")]
    TooLong { limit: usize },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) does not fit the file.{}", closest_words(.closest.as_ref()))]
    HunkNotFound { path: String, hunk: usize, line: usize, closest: Option<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) fits {count} places{}: {}",
        forgiven(*.tier),
        candidate_words(.candidates, *.count)
    )]
    HunkAmbiguous { path: String, hunk: usize, line: usize, tier: Tier, count: usize, candidates: Vec<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) belongs at line {at}, but for {}, so it isn't clear how to \
         adapt its new lines.", .tier.difference()
    )]
    HunkUnclear { path: String, hunk: usize, line: usize, tier: Tier, at: usize },
    /// `there` is the line with the number that the hunk has, or the last one.
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) only adds lines and shows no line of the file, so its place \
         can't be told.{}", number_words(*.is_numbered, .there.as_ref())
    )]
    NoContext { path: String, hunk: usize, line: usize, is_numbered: bool, there: Option<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) only adds lines, and its header names a line that isn't in \
         the file: {section}.{}", closest_words(.closest.as_ref())
    )]
    NoSection { path: String, hunk: usize, line: usize, section: String, closest: Option<Candidate> },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) changes the same lines as hunk {other}.")]
    Overlap { path: String, hunk: usize, other: usize, line: usize },
    #[error("Line {line} of the patch creates {path}, which already exists.")]
    Exists { path: String, line: usize },
    #[error("Line {line} of the patch changes {path} a second time.")]
    Twice { path: String, line: usize },
    #[error("Line {line} of the patch deletes {path}, but the file has more lines than the patch shows.")]
    DeletesOther { path: String, line: usize },
}

impl PatchError {
    pub fn code(&self) -> Code {
        match self {
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } | Self::NoSection { .. } => Code::EDIT_NOT_FOUND,
            Self::HunkAmbiguous { .. } => Code::EDIT_AMBIGUOUS,
            Self::NotAPatch
            | Self::Syntax { .. }
            | Self::TooLong { .. }
            | Self::NoContext { .. }
            | Self::Overlap { .. }
            | Self::Exists { .. }
            | Self::Twice { .. }
            | Self::DeletesOther { .. } => Code::PATCH_INVALID,
        }
    }

    pub fn hint(&self) -> String {
        let advice = match self {
            Self::NotAPatch | Self::Syntax { .. } => "Fix the patch and send all of it again.",
            Self::TooLong { .. } => "Send several smaller patches.",
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } => {
                "Read the file again and copy the lines around the change exactly."
            }
            Self::HunkAmbiguous { .. } => {
                "Add lines before and after the change, so that they fit one place only. Line numbers don't decide."
            }
            Self::NoContext { .. } | Self::NoSection { .. } => {
                "Show the lines before and after the place, each with a space in front. To add at the end, show the \
                 last line, or end the hunk with *** End of File."
            }
            Self::Overlap { .. } => "Make one hunk of the two.",
            Self::Exists { .. } => "Update it instead, or choose another name.",
            Self::Twice { .. } => "Put all changes to one file into one section.",
            Self::DeletesOther { .. } => "Read the file again. To delete it, leave its lines out of the patch.",
        };
        format!("{advice} Nothing was applied.")
    }
}

/// Returns what a number points at, or what the end would be.
fn number_words(is_numbered: bool, there: Option<&Candidate>) -> String {
    let Some(Candidate { line, text }) = there else { return String::new() };
    match is_numbered {
        true => format!(" A line number alone isn't enough to find the place. Line {line} is: {text}"),
        false => format!(" The last line is {line}: {text}"),
    }
}
