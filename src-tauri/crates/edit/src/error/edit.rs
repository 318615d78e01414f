//! Edits that don't fit the file.

use crate::fit::Tier;
use arki_domain::Code;

/// A line at which an ambiguous text was found, or which comes closest to a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Counted from 1.
    pub line: usize,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("Edit {edit} for {path} has an empty old_text.")]
    EmptyOldText { path: String, edit: usize },
    #[error("Edit {edit} for {path} has the same old_text and new_text.")]
    Identical { path: String, edit: usize },
    #[error("There are no edits for {path}.")]
    NoEdits { path: String },
    #[error("The old_text of edit {edit} is not in {path}.{}", closest_words(.closest.as_ref()))]
    NotFound { path: String, edit: usize, closest: Option<Candidate> },
    /// `candidates` holds the first few of `count`.
    #[error(
        "The old_text of edit {edit} occurs {count} times in {path}{}: {}",
        forgiven(*.tier),
        candidate_words(.candidates, *.count)
    )]
    Ambiguous { path: String, edit: usize, tier: Tier, count: usize, candidates: Vec<Candidate> },
    /// The place is known; what the new text should be there is not.
    #[error(
        "The old_text of edit {edit} is at line {line} of {path}, but for {}, so it isn't clear how to adapt its \
         new_text.", .tier.difference()
    )]
    Unclear { path: String, edit: usize, tier: Tier, line: usize },
    #[error("Edit {edit} would make {path} larger than {limit} bytes.")]
    TooMuch { path: String, edit: usize, limit: u64 },
    #[error("The new text for {path} has a placeholder instead of code: {line}")]
    Placeholder { path: String, line: String },
    #[error("The new text for {path} contains NUL bytes.")]
    ContentNotText { path: String },
}

impl EditError {
    pub fn code(&self) -> Code {
        match self {
            Self::EmptyOldText { .. } => Code::EDIT_INVALID,
            Self::Identical { .. } => Code::EDIT_INVALID,
            Self::NoEdits { .. } => Code::EDIT_INVALID,
            Self::NotFound { .. } => Code::EDIT_NOT_FOUND,
            Self::Ambiguous { .. } => Code::EDIT_AMBIGUOUS,
            Self::Unclear { .. } => Code::EDIT_NOT_FOUND,
            Self::TooMuch { .. } => Code::FILE_TOO_LARGE,
            Self::Placeholder { .. } => Code::EDIT_PLACEHOLDER,
            Self::ContentNotText { .. } => Code::FILE_NOT_TEXT,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::EmptyOldText { .. } => "Give the text to replace, or write the whole file.",
            Self::Identical { .. } => "Leave the edit out, or say what should change.",
            Self::NoEdits { .. } => "Give at least one edit.",
            Self::NotFound { .. } => {
                "Read the file again and copy the text exactly, with its indentation. No edit was applied."
            }
            Self::Ambiguous { .. } => {
                "Add lines before or after so that it fits one place, or set replace_all. No edit was applied."
            }
            Self::Unclear { .. } => {
                "Read those lines again and copy them exactly, with their indentation and characters. No edit was applied."
            }
            Self::TooMuch { .. } => "Change fewer places, or put less into each. No edit was applied.",
            Self::Placeholder { .. } => {
                "Write out every line that should be in the file, or edit only the lines that change. Nothing was applied."
            }
            Self::ContentNotText { .. } => "Write text only.",
        }
        .to_owned()
    }
}

/// Empty where nothing was.
pub(super) fn forgiven(tier: Tier) -> String {
    if tier == Tier::Exact { String::new() } else { format!(", but for {}", tier.difference()) }
}

pub(super) fn closest_words(closest: Option<&Candidate>) -> String {
    closest.map_or_else(String::new, |line| format!(" The closest line is {}: {}", line.line, line.text))
}

pub(super) fn candidate_words(candidates: &[Candidate], count: usize) -> String {
    let mut words: Vec<String> =
        candidates.iter().map(|candidate| format!("line {}: {}", candidate.line, candidate.text)).collect();
    if count > candidates.len() {
        words.push(format!("and {} more", count - candidates.len()));
    }
    words.join("; ")
}
