//! Edits that don't fit the file.

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
    #[error("The old_text of edit {edit} is {count} times in {path}: {}", candidate_words(.candidates, *.count))]
    Ambiguous { path: String, edit: usize, count: usize, candidates: Vec<Candidate> },
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
            Self::ContentNotText { .. } => "Write text only.",
        }
        .to_owned()
    }
}

fn closest_words(closest: Option<&Candidate>) -> String {
    closest.map_or_else(String::new, |line| format!(" The closest line is {}: {}", line.line, line.text))
}

fn candidate_words(candidates: &[Candidate], count: usize) -> String {
    let mut words: Vec<String> =
        candidates.iter().map(|candidate| format!("line {}: {}", candidate.line, candidate.text)).collect();
    if count > candidates.len() {
        words.push(format!("and {} more", count - candidates.len()));
    }
    words.join("; ")
}
