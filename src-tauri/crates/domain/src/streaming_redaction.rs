//! Redaction of text that arrives in pieces: a key cut in two must not slip through.

use crate::Redactor;

/// Holds back the end of what was pushed while it might still become a secret.
pub struct StreamingRedactor {
    redactor: Redactor,
    held: String,
}

impl StreamingRedactor {
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, held: String::new() }
    }

    /// Takes the next piece and returns what is safe to show now; often just that piece.
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let text = self.redactor.redact(&self.held).into_owned();
        let keep = self.redactor.undecided_tail(&text);
        let (ready, tail) = text.split_at(text.len() - keep);
        let ready = ready.to_owned();
        self.held = tail.to_owned();
        ready
    }

    /// The stream ended: what was held back was not a secret after all.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_without_a_secret_is_not_delayed() {
        let redactor = Redactor::default();
        redactor.add("k", "sk-secret-123");
        let mut stream = StreamingRedactor::new(redactor);
        assert_eq!(stream.push("hello s"), "hello ");
        assert_eq!(stream.push("un"), "sun");
        assert_eq!(stream.finish(), "");
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_as_the_whole(
            before in "[a-ks-]{0,12}", after in "[a-ks-]{0,12}", size in 1_usize..6,
        ) {
            let redactor = Redactor::default();
            redactor.add("k", "sk-secret-123");
            let text = format!("{before}sk-secret-123{after}");
            let mut stream = StreamingRedactor::new(redactor.clone());
            let mut shown = String::new();
            for piece in text.as_bytes().chunks(size) {
                shown.push_str(&stream.push(std::str::from_utf8(piece).unwrap()));
            }
            shown.push_str(&stream.finish());
            prop_assert_eq!(shown, redactor.redact(&text).into_owned());
        }
    }
}
