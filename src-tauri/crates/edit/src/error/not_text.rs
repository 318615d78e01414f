//! Files that are no text.

use arki_domain::Code;

/// `reason` completes "it …", for example "contains NUL bytes".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is not UTF-8 text: it {reason}.")]
pub struct NotText {
    pub path: String,
    pub reason: &'static str,
}

impl NotText {
    pub fn code(&self) -> Code {
        Code::FILE_NOT_TEXT
    }

    pub fn hint(&self) -> String {
        "Use a command that understands this format.".to_owned()
    }
}
