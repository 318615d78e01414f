//! Everything that can go wrong in this crate, one enum an area.
//!
//! Each error knows its stable `code`, a text that names the thing concerned, and a hint
//! that says what to do about it. An operating-system error never reaches a reader bare:
//! it becomes one of these first, in `io_error`.

pub(crate) use arki_disk::{FileAction, FileError};
use arki_domain::{Code, Error};
use arki_edit::{EditError, NotText, PatchError};
use std::io;

mod attribution;
mod change;
mod copy;
mod path;
mod search;
mod snapshot;
mod trust;

pub use attribution::AttributionError;
pub use change::{ChangeError, StaleKind, StalePreview};
pub use copy::CopyError;
pub use path::PathError;
pub use search::SearchError;
pub use snapshot::SnapshotError;
pub use trust::TrustError;

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
        match self {
            Self::Path(error) => error.code(),
            Self::File(error) => error.code(),
            Self::NotText(error) => error.code(),
            Self::Edit(error) => error.code(),
            Self::Patch(error) => error.code(),
            Self::Change(error) => error.code(),
            Self::Stale(error) => error.code(),
            Self::Search(error) => error.code(),
            Self::Trust(error) => error.code(),
            Self::Snapshot(error) => error.code(),
            Self::Attribution(error) => error.code(),
            Self::Copy(error) => error.code(),
        }
    }

    /// One sentence on what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Path(error) => error.hint(),
            Self::File(error) => error.hint(),
            Self::NotText(error) => error.hint(),
            Self::Edit(error) => error.hint(),
            Self::Patch(error) => error.hint(),
            Self::Change(error) => error.hint(),
            Self::Stale(error) => error.hint(),
            Self::Search(error) => error.hint(),
            Self::Trust(error) => error.hint(),
            Self::Snapshot(error) => error.hint(),
            Self::Attribution(error) => error.hint(),
            Self::Copy(error) => error.hint(),
        }
    }
}

impl From<FilesError> for Error {
    fn from(error: FilesError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
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
