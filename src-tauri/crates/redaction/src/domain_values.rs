//! The redactor on values of the domain.

use crate::Redactor;
use arki_domain::{Error, RequestHead, StyledText};

impl Redactor {
    /// Returns the error without keys: a server may repeat one, also another server's, in its message.
    #[must_use]
    pub fn redact_error(&self, error: Error) -> Error {
        let redacted = |text: &str| self.redact(text).into_owned();
        Error {
            message: redacted(&error.message),
            hint: redacted(&error.hint),
            cause: error.cause.as_deref().map(redacted),
            ..error
        }
    }

    /// Puts placeholders in the place of secrets, as the log would, so that the styles stay where they belong. Without
    /// styles it leaves that to the log.
    pub fn redact_styled(&self, styled: &mut StyledText) {
        if styled.styles.is_empty() {
            return;
        }
        styled.replace_all(&self.replacements(&styled.text));
        if !self.replacements(&styled.text).is_empty() {
            // The log is going to change it, and would move the text away from under them.
            styled.styles.clear();
        }
    }

    /// Returns a request's head as it is kept, with its hash.
    #[must_use]
    pub fn kept_head(&self, head: &RequestHead) -> (String, Vec<u8>) {
        head.to_keep(|value| self.redact_json(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_with_a_colour_in_its_middle_is_replaced_and_the_colours_behind_it_stay() {
        let redactor = Redactor::default();
        redactor.add("the key", "abcdefgh12345678");
        let mut styled = StyledText::default();
        for (text, sgr) in [("at abcd", ""), ("efgh", "1;31"), ("12345678 ", ""), ("red", "31"), (" end", "")] {
            styled.push(text, sgr);
        }
        redactor.redact_styled(&mut styled);
        assert!(!styled.text.contains("efgh") && styled.text.ends_with(" red end"), "{}", styled.text);
        assert!(styled.to_ansi().ends_with(" \x1b[31mred\x1b[0m end"), "{}", styled.to_ansi());
        assert_eq!(styled.styles.len(), 1);
    }

    #[test]
    fn a_secret_is_never_kept_in_any_form() {
        let redactor = Redactor::default();
        redactor.add("LAB_KEY", "very\nsecret\nindeed");
        let wire = Some(r#"{"system":"The key is very\nsecret\nindeed"#.to_owned());
        let system = "The key is very\nsecret\nindeed".into();
        let (_, bytes) = redactor.kept_head(&RequestHead { wire, system, ..RequestHead::default() });
        let kept = RequestHead::read(&bytes).unwrap();
        assert!(!String::from_utf8(bytes).unwrap().contains("indeed"));
        assert!(kept.system.starts_with("The key is [secret:LAB_KEY") && kept.wire.is_none());
    }
}
