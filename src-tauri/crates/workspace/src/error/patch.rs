//! Patches that can't be read, or don't fit the files they name.

use super::edit::{Candidate, candidate_words, closest_words, forgiven};
use crate::fit::Tier;
use arki_domain::Code;

/// `hunk` counts from 1 within its file, `line` from 1 in the patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("This is no patch: it has neither `*** Begin Patch` nor the lines `---` and `+++` of a unified diff.")]
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
        "Hunk {hunk} of {path} (line {line} of the patch) belongs at line {at}, but for {}, and what its new lines would \
         be there can't be told.", .tier.difference()
    )]
    HunkUnclear { path: String, hunk: usize, line: usize, tier: Tier, at: usize },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) shows no line of the file, so its place can't be told.")]
    NoContext { path: String, hunk: usize, line: usize },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) changes the same lines as hunk {other}.")]
    Overlap { path: String, hunk: usize, other: usize, line: usize },
    #[error("Line {line} of the patch makes {path}, which is there already.")]
    Exists { path: String, line: usize },
    #[error("Line {line} of the patch names {path}, which the patch has dealt with before.")]
    Twice { path: String, line: usize },
    #[error("Line {line} of the patch deletes {path}, but there is more in it than the patch shows.")]
    DeletesOther { path: String, line: usize },
}

impl PatchError {
    pub fn code(&self) -> Code {
        match self {
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } => Code::EDIT_NOT_FOUND,
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
            Self::NotAPatch | Self::Syntax { .. } => "Mend the patch and send all of it again.",
            Self::TooLong { .. } => "Send several smaller patches.",
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } => {
                "Read the file again and copy the lines around the change exactly."
            }
            Self::HunkAmbiguous { .. } | Self::NoContext { .. } => {
                "Add lines before and after the change, so that they fit one place only."
            }
            Self::Overlap { .. } => "Make one hunk of the two.",
            Self::Exists { .. } => "Update it instead, or choose another name.",
            Self::Twice { .. } => "Put everything about one file together.",
            Self::DeletesOther { .. } => "Read the file again; delete it without showing its lines if it is to go.",
        };
        format!("{advice} Nothing was applied.")
    }
}
