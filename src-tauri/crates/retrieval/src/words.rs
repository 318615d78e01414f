//! The words of a text as the index knows them: lower case, identifiers split where their parts meet, and whole besides.

/// A longer run of letters and digits is no word that anyone asks for.
const LONGEST_IDENTIFIER: usize = 80;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Upper,
    Digit,
    /// Also letters without a case.
    Lower,
}

impl Sign {
    fn of(c: char) -> Self {
        match c {
            c if c.is_uppercase() => Self::Upper,
            c if c.is_numeric() => Self::Digit,
            _ => Self::Lower,
        }
    }
}

/// Appends the words of a text, a space behind each.
pub(crate) fn push_words(text: &str, words: &mut String) {
    for identifier in identifiers(text) {
        push_identifier(identifier, words);
    }
}

/// The runs of letters, digits and `_` in a text.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    runs.map(|run| run.trim_matches('_')).filter(|run| !run.is_empty() && run.len() <= LONGEST_IDENTIFIER)
}

/// Appends the parts of an identifier, and all of it without its `_`: so `parse_line` and `parseLine` are found by each
/// other.
pub(crate) fn push_identifier(identifier: &str, words: &mut String) {
    let mut parts = 0;
    each_part(identifier, |part| {
        parts += 1;
        // One letter says nothing: a type parameter, or the `s` of a plural.
        if part.len() > 1 {
            push_lower(part, words);
        }
    });
    if parts > 1 || identifier.len() == 1 {
        push_lower(identifier, words);
    }
}

fn push_lower(word: &str, words: &mut String) {
    words.extend(word.chars().filter(|c| *c != '_').flat_map(char::to_lowercase));
    words.push(' ');
}

/// `HTTPRequest2_line` is `HTTP`, `Request`, `2` and `line`.
fn each_part<'a>(identifier: &'a str, mut take: impl FnMut(&'a str)) {
    let (mut start, mut before) = (0, None);
    let mut signs = identifier.char_indices().peekable();
    while let Some((at, c)) = signs.next() {
        if c == '_' {
            if at > start {
                take(&identifier[start..at]);
            }
            (start, before) = (at + 1, None);
            continue;
        }
        let sign = Sign::of(c);
        let mut begins_word = || signs.peek().is_some_and(|(_, next)| next.is_lowercase());
        let is_seam = match (before, sign) {
            (None, _) => false,
            (Some(Sign::Upper), Sign::Upper) => begins_word(),
            (Some(Sign::Upper), Sign::Lower) => false,
            (Some(before), sign) => before != sign,
        };
        if is_seam {
            take(&identifier[start..at]);
            start = at;
        }
        before = Some(sign);
    }
    if start < identifier.len() {
        take(&identifier[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> String {
        let mut words = String::new();
        push_words(text, &mut words);
        words.trim_end().to_owned()
    }

    #[test]
    fn identifiers_are_split_and_kept_whole() {
        for (text, expected) in [
            ("parse_line", "parse line parseline"),
            ("parseLine", "parse line parseline"),
            ("HTTPRequest2", "http request httprequest2"),
            ("sha256", "sha 256 sha256"),
            ("__init__", "init"),
            ("MAX_FILES", "max files maxfiles"),
            ("a + b", "a b"),
            ("Größe der Straße", "größe der straße"),
            ("foo::Bar<T>", "foo bar t"),
            ("don't", "don t"),
            ("\"quoted\" AND (x OR y*)", "quoted and x or y"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert_eq!(words(&"x".repeat(LONGEST_IDENTIFIER + 1)), "");
    }

    proptest! {
        #[test]
        fn only_letters_digits_and_spaces_come_out(text in "\\PC{0,60}") {
            prop_assert!(words(&text).chars().all(|c| c.is_alphanumeric() || c == ' ' || !c.is_ascii()));
        }
    }
}
