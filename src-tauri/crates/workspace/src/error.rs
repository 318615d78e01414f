//! Everything that can go wrong in this crate, one enum an area.
//!
//! Each error knows its stable `code`, a text that names the thing concerned, and a hint
//! that says what to do about it. An operating-system error never reaches a reader bare:
//! it becomes one of these first, in `io_error` or where the command was started.

use arki_domain::{Code, Fault};
mod attribution;
mod change;
mod edit;
mod file;
mod patch;
mod path;
mod process;
mod search;
mod snapshot;
mod trust;

pub use attribution::AttributionError;
pub use change::{ChangeError, StaleKind, StalePreview};
pub use edit::{Candidate, EditError};
pub(crate) use file::io_error;
pub use file::{FileAction, FileError};
pub use patch::PatchError;
pub use path::PathError;
pub use process::ProcessError;
pub use search::SearchError;
pub use snapshot::SnapshotError;
pub use trust::TrustError;

/// What every fallible operation of this crate returns.
pub type Result<T, E = WorkspaceError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    File(#[from] FileError),
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
    Process(#[from] ProcessError),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Attribution(#[from] AttributionError),
}

impl WorkspaceError {
    /// A stable code; see `docs/errors.md`.
    pub fn code(&self) -> Code {
        match self {
            Self::Path(error) => error.code(),
            Self::File(error) => error.code(),
            Self::Edit(error) => error.code(),
            Self::Patch(error) => error.code(),
            Self::Change(error) => error.code(),
            Self::Stale(error) => error.code(),
            Self::Search(error) => error.code(),
            Self::Process(error) => error.code(),
            Self::Trust(error) => error.code(),
            Self::Snapshot(error) => error.code(),
            Self::Attribution(error) => error.code(),
        }
    }

    /// One sentence on what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Path(error) => error.hint(),
            Self::File(error) => error.hint(),
            Self::Edit(error) => error.hint(),
            Self::Patch(error) => error.hint(),
            Self::Change(error) => error.hint(),
            Self::Stale(error) => error.hint(),
            Self::Search(error) => error.hint(),
            Self::Process(error) => error.hint(),
            Self::Trust(error) => error.hint(),
            Self::Snapshot(error) => error.hint(),
            Self::Attribution(error) => error.hint(),
        }
    }
}

impl From<WorkspaceError> for Fault {
    fn from(error: WorkspaceError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
