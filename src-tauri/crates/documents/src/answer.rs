//! The answer: the text of a document, or why it has none for us.

use serde::{Deserialize, Serialize};

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentText {
    /// The kind and extent: "a PDF of 12 pages".
    pub what: String,
    /// With a heading in brackets before each page.
    pub text: String,
    /// The part that a limit left out, in a sentence.
    pub left_out: Option<String>,
}

/// The reason why a document has no text for us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DocumentError {
    /// It is damaged, or something else than its name says.
    Broken,
    /// It has a password.
    Encrypted,
    /// An older format than those that are read.
    OldFormat,
    /// It has pages, but no text: pictures of pages, mostly.
    NoText { what: String },
    /// It unpacks to more than is read, in words.
    TooLarge { what: String },
}
