//! Folders that can't be judged or prepared for trust.

use arki_domain::Code;
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
            Self::TooManyPins { .. } => Code::TRUST_TOO_LARGE,
            Self::PinTooLarge { .. } => Code::TRUST_TOO_LARGE,
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
