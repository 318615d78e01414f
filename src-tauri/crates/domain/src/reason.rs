//! The reason of a decision: sentences that models, the log and terminals get in English, and the window in its user's
//! language. The words are in `reason_code`.

use crate::ReasonCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use ts_rs::TS;

/// A text that clients can say in another language, or somebody's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(untagged)]
pub enum TranslatableText {
    /// The words of a rule's author, of a hook or of the system, or a value such as a path.
    Verbatim(String),
    Coded(CodedText),
}

/// A sentence or a phrase by its code, with its values by their places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodedText {
    /// One of [`ReasonCode::ALL`], or a later version's.
    pub code: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, TranslatableText>,
}

/// The sentences that say why something is decided so, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reason {
    pub sentences: Vec<TranslatableText>,
}

impl ReasonCode {
    /// The text with a value in the place of this name.
    #[must_use]
    pub fn with(self, place: &str, value: impl Into<TranslatableText>) -> TranslatableText {
        TranslatableText::from(self).with(place, value)
    }
}

impl TranslatableText {
    /// Returns whether it is the text with this code, whatever its values.
    #[must_use]
    pub fn is(&self, known: ReasonCode) -> bool {
        matches!(self, Self::Coded(coded) if coded.code == known.code)
    }

    /// The same text with one more value.
    #[must_use]
    pub fn with(mut self, place: &str, value: impl Into<Self>) -> Self {
        if let Self::Coded(coded) = &mut self {
            coded.values.insert(place.to_owned(), value.into());
        }
        self
    }
}

impl fmt::Display for TranslatableText {
    /// Writes it in English.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodedText { code, values } = match self {
            Self::Verbatim(text) => return f.write_str(text),
            Self::Coded(coded) => coded,
        };
        let known = ReasonCode::ALL.iter().find(|known| known.code == *code);
        for part in known.map_or(code.as_str(), |known| known.english).split_inclusive('}') {
            match part.strip_suffix('}').and_then(|part| part.split_once('{')) {
                Some((before, place)) => {
                    f.write_str(before)?;
                    values.get(place).map_or(Ok(()), |value| write!(f, "{value}"))?;
                }
                None => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences: Vec<String> = self.sentences.iter().map(ToString::to_string).collect();
        f.write_str(&sentences.join(" "))
    }
}

impl From<ReasonCode> for TranslatableText {
    fn from(known: ReasonCode) -> Self {
        Self::Coded(CodedText { code: known.code.to_owned(), values: BTreeMap::new() })
    }
}

impl From<&str> for TranslatableText {
    fn from(text: &str) -> Self {
        Self::Verbatim(text.to_owned())
    }
}

impl From<String> for TranslatableText {
    fn from(text: String) -> Self {
        Self::Verbatim(text)
    }
}

impl<Text: Into<TranslatableText>> From<Text> for Reason {
    fn from(sentence: Text) -> Self {
        Self { sentences: vec![sentence.into()] }
    }
}
