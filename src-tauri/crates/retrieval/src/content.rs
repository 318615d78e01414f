//! A file's bytes, as far as anybody reads them: text, or a reason to leave the file out.

use std::borrow::Cow;

/// A longer line was written by a program, in bytes.
const LONGEST_LINE: usize = 5000;
/// The bytes among which a zero tells a binary file.
const LOOKED_AT: usize = 8 * 1024;
/// The number of characters among which one may be no text: of another encoding, every accent is.
const CHARS_PER_BROKEN: usize = 20;
/// The notes of package managers: names of packages and hashes, thousands of lines long.
const LOCK_FILES: [&str; 12] = [
    "bun.lock",
    "Cargo.lock",
    "composer.lock",
    "flake.lock",
    "Gemfile.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "yarn.lock",
];

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum IndexableContent<'a> {
    Text(Cow<'a, str>),
    Binary,
    Generated,
}

impl<'a> IndexableContent<'a> {
    pub(crate) fn of(path: &str, bytes: &'a [u8]) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        if LOCK_FILES.contains(&name) {
            return Self::Generated;
        }
        if bytes[..bytes.len().min(LOOKED_AT)].contains(&0) {
            return Self::Binary;
        }
        let text = String::from_utf8_lossy(bytes);
        if let Cow::Owned(text) = &text
            && text.matches(char::REPLACEMENT_CHARACTER).count() * CHARS_PER_BROKEN > text.chars().count()
        {
            return Self::Binary;
        }
        let is_generated = text.lines().any(|line| line.len() > LONGEST_LINE);
        if is_generated { Self::Generated } else { Self::Text(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_that_somebody_wrote_is_taken() {
        assert_eq!(IndexableContent::of("a.rs", b"fn a() {}\n"), IndexableContent::Text("fn a() {}\n".into()));
        assert_eq!(IndexableContent::of("a.bin", b"ab\0c"), IndexableContent::Binary);
        assert_eq!(IndexableContent::of("a.dat", &[0xff; 100]), IndexableContent::Binary);
        assert_eq!(IndexableContent::of("a.min.js", "x;".repeat(LONGEST_LINE).as_bytes()), IndexableContent::Generated);
        assert_eq!(IndexableContent::of("sub/Cargo.lock", b"x"), IndexableContent::Generated);
        let latin = b"Caf\xe9, und noch viel mehr Text in einer alten Kodierung\n";
        assert!(
            matches!(IndexableContent::of("a.txt", latin), IndexableContent::Text(text) if text.contains("alten Kodierung"))
        );
    }
}
