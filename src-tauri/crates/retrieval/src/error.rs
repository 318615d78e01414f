//! The errors of an index, and their words at the edge.

use arki_disk::FileError;
use arki_domain::{Code, Error};
use arki_files::FilesError;
use rusqlite::ErrorCode;

#[derive(Debug, thiserror::Error)]
pub(crate) enum RetrievalError {
    #[error("The search index can't be used: {0}.")]
    Database(#[from] rusqlite::Error),
    #[error(transparent)]
    Folder(#[from] FileError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("The index is of another version.")]
    OtherVersion,
    #[error("The search was cancelled.")]
    Cancelled,
}

pub(crate) type Result<T, E = RetrievalError> = std::result::Result<T, E>;

impl RetrievalError {
    /// Returns whether the index has to be made anew.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::OtherVersion => true,
            Self::Database(rusqlite::Error::SqliteFailure(error, message)) => {
                let is_known = matches!(error.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase);
                is_known || message.as_ref().is_some_and(|message| message.starts_with("no such table"))
            }
            Self::Database(error) => matches!(
                error,
                rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
            ),
            Self::Folder(_) | Self::Files(_) | Self::Cancelled => false,
        }
    }
}

impl From<RetrievalError> for Error {
    fn from(error: RetrievalError) -> Self {
        match error {
            RetrievalError::Folder(error) => error.into(),
            RetrievalError::Files(error) => error.into(),
            RetrievalError::Cancelled => {
                Self::new(Code::CANCELLED, error.to_string(), "Ask again if you still need it.")
            }
            RetrievalError::Database(_) | RetrievalError::OtherVersion => {
                let hint = "Use `search_files`, or check the free disk space.";
                Self::new(Code::INDEX_UNAVAILABLE, error.to_string(), hint)
            }
        }
    }
}
