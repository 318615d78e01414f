//! Files whose lines can't be traced to who wrote them.

use arki_domain::Code;

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
