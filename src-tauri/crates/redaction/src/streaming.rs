//! Redaction of text that arrives in pieces: a secret cut in two must not slip through.

use crate::Redactor;
use crate::redactor::{KnownSecrets, LOOK_BACK_BYTES};
use std::sync::Arc;
use zeroize::Zeroize;

/// Holds back the end of what was pushed while it might still become a secret.
pub struct StreamingRedactor {
    redactor: Redactor,
    /// The values known at the beginning, so that the same text comes out however it is cut.
    known: Arc<KnownSecrets>,
    text: String,
    /// The part of `text` that was given away already and is only looked back at.
    given: usize,
}

impl StreamingRedactor {
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self { known: redactor.known(), redactor, text: String::new(), given: 0 }
    }

    /// Takes the next piece and returns what is safe to show now; often just that piece.
    pub fn push(&mut self, piece: &str) -> String {
        self.push_counted(piece).0
    }

    /// The same, with how many bytes of what was pushed it stands for.
    pub fn push_counted(&mut self, piece: &str) -> (String, usize) {
        self.text.push_str(piece);
        let given_before = self.given;
        let (ready, given) = self.redactor.redact_decided(&self.text, self.given, &self.known, false);
        let keep_from = self.text.floor_char_boundary(given.saturating_sub(LOOK_BACK_BYTES));
        let rest = self.text[keep_from..].to_owned();
        std::mem::replace(&mut self.text, rest).zeroize();
        self.given = given - keep_from;
        (ready, given - given_before)
    }

    /// The stream ended: what was held back is what it is.
    pub fn finish(&mut self) -> String {
        let (rest, _) = self.redactor.redact_decided(&self.text, self.given, &self.known, true);
        self.text.zeroize();
        self.given = 0;
        rest
    }
}

impl Drop for StreamingRedactor {
    fn drop(&mut self) {
        self.text.zeroize();
    }
}

#[cfg(test)]
mod tests;
