//! Searches that can't be run.

use arki_domain::Code;
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
            Self::BadPattern { .. } => Code::PATTERN_INVALID,
            Self::BadGlob { .. } => Code::PATTERN_INVALID,
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
