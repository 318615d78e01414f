//! Everything that can go wrong in this crate, one enum an area.
//!
//! Each error knows its stable `code`, a text that names the thing concerned, and a hint
//! that says what to do about it. An operating-system error never reaches a reader bare:
//! it becomes one of these first, in `io_error`.

pub(crate) use arki_disk::{FileAction, FileError};
use arki_domain::{Code, Error};
use arki_edit::{EditError, NotText, PatchError};
use std::io;

mod change;
mod path;

pub use change::{ChangeError, StaleKind, StalePreview};
pub use path::PathError;

/// The result of every fallible operation in this crate.
pub type Result<T, E = FilesError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    NotText(#[from] NotText),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Stale(#[from] StalePreview),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Attribution(#[from] AttributionError),
    #[error(transparent)]
    Copy(#[from] CopyError),
}

impl FilesError {
    /// A stable code; see `docs/errors.md`.
    pub fn code(&self) -> Code {
        self.told().0
    }

    /// One sentence on what to do about it.
    pub fn hint(&self) -> String {
        self.told().1
    }

    fn told(&self) -> (Code, String) {
        match self {
            Self::Path(error) => (error.code(), error.hint()),
            Self::File(error) => (error.code(), error.hint()),
            Self::NotText(error) => (error.code(), error.hint()),
            Self::Edit(error) => (error.code(), error.hint()),
            Self::Patch(error) => (error.code(), error.hint()),
            Self::Change(error) => (error.code(), error.hint()),
            Self::Stale(error) => (error.code(), error.hint()),
            Self::Search(error) => (error.code(), error.hint()),
            Self::Trust(error) => (error.code(), error.hint()),
            Self::Snapshot(error) => (error.code(), error.hint()),
            Self::Attribution(error) => (error.code(), error.hint()),
            Self::Copy(error) => (error.code(), error.hint()),
        }
    }
}

impl From<FilesError> for Error {
    fn from(error: FilesError) -> Self {
        let (code, hint) = error.told();
        Self::new(code, error.to_string(), hint)
    }
}

/// Says what an `io::Error` means for this path.
pub(crate) fn io_error(path: &str, action: FileAction, error: io::Error) -> FilesError {
    if is_escape(&error) {
        PathError::Outside { path: path.to_owned() }.into()
    } else {
        FileError::of(path, action, error).into()
    }
}

/// cap-std refuses an escape without asking the system, so its error has no system code.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Searches that can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    #[error("The pattern {pattern:?} is not a regular expression: {problem}.")]
    BadPattern { pattern: String, problem: String },
    #[error("{glob:?} is not a glob: {problem}.")]
    BadGlob { glob: String, problem: String },
    #[error("The search was stopped.")]
    Cancelled,
}

impl SearchError {
    pub fn code(&self) -> Code {
        match self {
            Self::BadPattern { .. } | Self::BadGlob { .. } => Code::PATTERN_INVALID,
            Self::Cancelled => Code::CANCELLED,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::BadPattern { .. } => {
                "Escape special characters with a backslash, such as \\( or \\[, to search for them literally. Look-around and back-references are not supported."
            }
            Self::BadGlob { .. } => "Use *, **, ?, [abc] or {a,b}, such as src/**/*.rs.",
            Self::Cancelled => "Start it again if you still need it.",
        }
        .to_owned()
    }
}

/// Snapshots of a project that could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("Looking through the project was cancelled.")]
    Cancelled,
}

impl SnapshotError {
    pub fn code(&self) -> Code {
        Code::CANCELLED
    }

    pub fn hint(&self) -> String {
        "Nothing was changed. Start it again when you need it.".to_owned()
    }
}

/// Files whose lines can't be traced to who wrote them.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttributionError {
    #[error("The file and its earlier versions are larger than {limit} bytes together.")]
    TooLarge { limit: usize },
    #[error("The file was changed {count} times, more than the {limit} that can be traced.")]
    TooManyVersions { count: usize, limit: usize },
    #[error("The file is not UTF-8 text, so it has no lines to trace.")]
    NotText,
}

impl AttributionError {
    pub fn code(&self) -> Code {
        match self {
            Self::TooLarge { .. } | Self::TooManyVersions { .. } => Code::FILE_TOO_LARGE,
            Self::NotText => Code::FILE_NOT_TEXT,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::TooLarge { .. } | Self::TooManyVersions { .. } => {
                "Look at the session's changes to this file instead."
            }
            Self::NotText => "Look at the session's changes to see which call wrote it.",
        }
        .to_owned()
    }
}

/// Errors of copying a project's files to another folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    #[error("The folder has more than {limit} files that git doesn't ignore.")]
    TooMany { limit: usize },
    #[error("The files that git doesn't ignore have more than {} MiB in all.", .limit >> 20)]
    TooLarge { limit: u64 },
}

impl CopyError {
    fn code(&self) -> Code {
        Code::WORKTREE_TOO_LARGE
    }

    fn hint(&self) -> String {
        "Delegate without `isolation`, or add what needn't be copied to .gitignore.".to_owned()
    }
}

/// Folders that can't be judged or prepared for trust.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    #[error("{path} has more than {limit} files that trust would have to cover.")]
    TooManyPins { path: String, limit: usize },
    #[error("{path} is larger than {limit} bytes, too large to be pinned.")]
    PinTooLarge { path: String, limit: u64 },
    #[error("{path} is a link, so nothing is written through it.")]
    LinkedFolder { path: String },
}

impl TrustError {
    pub fn code(&self) -> Code {
        match self {
            Self::TooManyPins { .. } | Self::PinTooLarge { .. } => Code::TRUST_TOO_LARGE,
            Self::LinkedFolder { .. } => Code::PATH_OUTSIDE_PROJECT,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::TooManyPins { .. } => "Trust a smaller folder, or remove what is not needed from it.",
            Self::PinTooLarge { .. } => "Make it smaller, or move it out of the folder.",
            Self::LinkedFolder { .. } => "Replace the link with a real folder.",
        }
        .to_owned()
    }
}
