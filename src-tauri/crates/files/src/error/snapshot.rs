//! Snapshots of a project that could not be taken.

use arki_domain::Code;

#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("Looking through the project was cancelled.")]
    Cancelled,
}

impl SnapshotError {
    pub fn code(&self) -> Code {
        match self {
            Self::Cancelled => Code::CANCELLED,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::Cancelled => "Nothing was changed. Start it again when you need it.".to_owned(),
        }
    }
}
