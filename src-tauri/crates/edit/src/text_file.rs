//! Tells text from other files, and keeps what has to survive a change to it: byte-order mark, line endings, final
//! newline.
//!
//! Text is UTF-8, with or without a byte-order mark, and holds no NUL. Other encodings are refused rather
//! than guessed: a wrong guess destroys a file quietly.

use std::str;

use crate::error::NotText;
use crate::line_endings::Eol;

/// Largest file that is edited or replaced.
pub const EDIT_LIMIT_BYTES: u64 = 16 * 1024 * 1024;

const BOM: &str = "\u{feff}";

/// A decoded text file that encodes back to exactly the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// The text without its byte-order mark, line endings as they are.
    pub text: String,
    pub has_bom: bool,
    /// The line ending of most lines; LF where there is none.
    pub eol: Eol,
    pub final_newline: bool,
}

impl TextFile {
    /// `path` is for the error.
    pub fn decode(path: &str, bytes: &[u8]) -> Result<Self, NotText> {
        let text = str::from_utf8(bytes).map_err(|_| not_text(path, bytes))?;
        if text.contains('\0') {
            return Err(not_text(path, bytes));
        }
        let (has_bom, text) = match text.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        Ok(Self {
            has_bom,
            eol: Eol::of(text.as_bytes()).unwrap_or(Eol::Lf),
            final_newline: text.ends_with('\n'),
            text: text.to_owned(),
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        let bom = if self.has_bom { BOM } else { "" };
        [bom.as_bytes(), self.text.as_bytes()].concat()
    }
}

/// Returns what is wrong with a file that is none; `path` is for the error.
pub fn not_text(path: &str, bytes: &[u8]) -> NotText {
    let reason = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "is encoded as UTF-16"
    } else if bytes.contains(&0) {
        "contains NUL bytes"
    } else {
        "contains bytes that are not UTF-8"
    };
    NotText { path: path.to_owned(), reason }
}

/// UTF-8 without NUL; anything else is handled whole.
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes.contains(&0) && str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;
    use proptest::prelude::*;

    fn check(bytes: &[u8], has_bom: bool, eol: Eol, final_newline: bool) {
        let file = TextFile::decode("a.txt", bytes).unwrap();
        assert_eq!((file.has_bom, file.eol, file.final_newline), (has_bom, eol, final_newline));
        assert_eq!(file.encode(), bytes);
    }

    #[test]
    fn bom_endings_and_final_newline_survive_a_round_trip() {
        check(b"", false, Eol::Lf, false);
        check(b"a\nb\n", false, Eol::Lf, true);
        check(b"\xef\xbb\xbfa\r\nb", true, Eol::CrLf, false);
        check(b"a\r\nb\nc\r\n", false, Eol::CrLf, true);
    }

    #[test]
    fn what_is_not_utf8_text_is_refused_with_the_reason() {
        for (bytes, reason) in [
            (&b"a\0b"[..], "contains NUL bytes"),
            (b"caf\xe9", "contains bytes that are not UTF-8"),
            (b"\xff\xfea\0", "is encoded as UTF-16"),
        ] {
            let error = TextFile::decode("x", bytes).unwrap_err();
            assert_eq!(error.code(), Code::FILE_NOT_TEXT);
            assert_eq!(error.to_string(), format!("x is not UTF-8 text: it {reason}."));
        }
    }

    proptest! {
        #[test]
        fn every_text_round_trips(text in "[^\0]{0,40}") {
            prop_assert_eq!(TextFile::decode("x", text.as_bytes()).unwrap().encode(), text.as_bytes());
        }
    }
}
