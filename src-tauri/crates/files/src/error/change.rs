//! Change sets that can't be selected from or applied.

use crate::applied_change::AppliedChange;
use arki_domain::Code;

use super::FilesError;

/// The difference between the disk and the preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleKind {
    /// The content is another.
    Changed,
    /// The file is gone.
    Missing,
    /// There is a file where the preview would create one.
    Appeared,
    /// It is not a regular file any more, or can't be read.
    Unreadable,
}

/// The file is not what the preview was made from, so the decision does not hold for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} {} since the preview was made.", kind_words(*.kind))]
pub struct StalePreview {
    pub path: String,
    pub kind: StaleKind,
}

impl StalePreview {
    pub fn code(&self) -> Code {
        Code::STALE_PREVIEW
    }

    pub fn hint(&self) -> String {
        "Nothing was written. Look at the new preview and decide again.".to_owned()
    }
}

fn kind_words(kind: StaleKind) -> &'static str {
    match kind {
        StaleKind::Changed => "has changed",
        StaleKind::Missing => "was deleted",
        StaleKind::Appeared => "was created",
        StaleKind::Unreadable => "became unreadable",
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("There is no hunk {index}; the preview has {count}.")]
    UnknownHunk { index: usize, count: usize },
    #[error("The text for hunk {index} of {path} contains NUL bytes.")]
    EditedHunkNotText { index: usize, path: String },
    #[error("Hunk {index} of {path} has no lines to edit.")]
    HunkNotEditable { index: usize, path: String },
    #[error("Hunk {index} changes {path}, which hunk {needed} moves there from {from}.")]
    NeedsMove { index: usize, needed: usize, from: String, path: String },
    #[error("{path} is changed twice in one change set.")]
    DuplicatePath { path: String },
    /// A later file failed and an earlier one could not be put back.
    #[error("Only {} of the files were changed: {cause}", .applied.len())]
    PartlyApplied { applied: Vec<AppliedChange>, cause: Box<FilesError> },
}

impl ChangeError {
    pub fn code(&self) -> Code {
        match self {
            Self::UnknownHunk { .. } => Code::HUNK_UNKNOWN,
            Self::EditedHunkNotText { .. } => Code::FILE_NOT_TEXT,
            Self::HunkNotEditable { .. } => Code::HUNK_NOT_EDITABLE,
            Self::NeedsMove { .. } => Code::HUNK_NEEDS_MOVE,
            Self::DuplicatePath { .. } => Code::EDIT_INVALID,
            Self::PartlyApplied { .. } => Code::CHANGE_PARTLY_APPLIED,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::UnknownHunk { .. } => "Choose from the hunks of the preview.".to_owned(),
            Self::EditedHunkNotText { .. } => "Write text only.".to_owned(),
            Self::HunkNotEditable { .. } => "Accept or reject it as a whole.".to_owned(),
            Self::NeedsMove { needed, .. } => format!("Accept hunk {needed} too, or reject both."),
            Self::DuplicatePath { .. } => "Put all changes to one file together.".to_owned(),
            Self::PartlyApplied { cause, .. } => cause.hint(),
        }
    }
}
