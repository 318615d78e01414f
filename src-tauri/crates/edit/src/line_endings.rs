//! Line endings: which ones a file has, and giving new text the same ones. Pure.

use memchr::{memchr, memchr_iter};
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The line ending of most lines in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eol {
    Lf,
    CrLf,
}

impl Eol {
    /// Returns the line ending's bytes in a file.
    pub fn bytes(self) -> &'static [u8] {
        self.as_str().as_bytes()
    }

    /// Returns the line ending in a text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// `None` without any line ending; a tie is LF.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        // Nearly every file, and this way it takes no time.
        if memchr(b'\r', bytes).is_none() {
            return memchr(b'\n', bytes).map(|_| Self::Lf);
        }
        let (mut lf, mut crlf) = (0usize, 0usize);
        let mut previous = 0;
        for byte in bytes {
            match (previous, *byte) {
                (b'\r', b'\n') => crlf += 1,
                (_, b'\n') => lf += 1,
                _ => {}
            }
            previous = *byte;
        }
        match (lf, crlf) {
            (0, 0) => None,
            _ if crlf > lf => Some(Self::CrLf),
            _ => Some(Self::Lf),
        }
    }
}

/// Lines with their ending; only `\n` ends one.
pub fn split_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes).map(|at| at + 1) {
        lines.push(&bytes[start..end]);
        start = end;
    }
    if start < bytes.len() {
        lines.push(&bytes[start..]);
    }
    lines
}

/// `text` with the endings of `known`, which it replaces: models, editors and text boxes hand back plain `\n`.
/// A line that is also in `known` keeps its own ending there, so mixed files stay mixed; a new one ends
/// with `fallback`, or with the `\r\n` it already has. Whether the last line ends at all is up to `text`.
pub fn with_known_endings(known: &[u8], text: &str, fallback: Eol) -> Vec<u8> {
    let known = split_lines(known);
    let text = split_lines(text.as_bytes());
    let known_texts: Vec<&[u8]> = known.iter().map(|line| without_ending(line)).collect();
    let texts: Vec<&[u8]> = text.iter().map(|line| without_ending(line)).collect();
    let mut result = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &known_texts, &texts) {
        let is_known = op.tag() == DiffTag::Equal;
        for (offset, position) in op.new_range().enumerate() {
            let ending = match ending(text[position]) {
                b"\n" if is_known => some_or(ending(known[op.old_range().start + offset]), fallback.bytes()),
                b"\n" => fallback.bytes(),
                explicit => explicit,
            };
            result.extend_from_slice(texts[position]);
            result.extend_from_slice(ending);
        }
    }
    result
}

fn some_or<'a>(ending: &'a [u8], fallback: &'a [u8]) -> &'a [u8] {
    if ending.is_empty() { fallback } else { ending }
}

fn ending(line: &[u8]) -> &[u8] {
    if line.ends_with(b"\r\n") {
        b"\r\n"
    } else if line.ends_with(b"\n") {
        b"\n"
    } else {
        b""
    }
}

/// A line without what ends it.
pub fn without_ending(line: &[u8]) -> &[u8] {
    &line[..line.len() - ending(line).len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_lines_decide_the_ending_of_a_text() {
        assert_eq!(Eol::of(b"a"), None);
        assert_eq!(Eol::of(b"a\nb\r\n"), Some(Eol::Lf));
        assert_eq!(Eol::of(b"a\r\nb\r\nc\n"), Some(Eol::CrLf));
    }

    #[test]
    fn known_lines_keep_their_ending_and_new_ones_get_the_fallback() {
        let result = with_known_endings(b"a\r\nb\nc\r\n", "a\nnew\nb\nc\n", Eol::CrLf);
        assert_eq!(result, b"a\r\nnew\r\nb\nc\r\n");
    }

    #[test]
    fn the_text_decides_whether_its_last_line_ends() {
        assert_eq!(with_known_endings(b"a\r\nb", "a\nb\nc", Eol::CrLf), b"a\r\nb\r\nc");
        assert_eq!(with_known_endings(b"a\r\nb\r\n", "a\nb", Eol::CrLf), b"a\r\nb");
    }

    #[test]
    fn an_explicit_carriage_return_stays() {
        assert_eq!(with_known_endings(b"a\n", "x\r\ny\n", Eol::Lf), b"x\r\ny\n");
        assert_eq!(with_known_endings(b"", "lone\rreturn\n", Eol::Lf), b"lone\rreturn\n");
    }
}
