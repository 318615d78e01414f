//! Turns a user's search into an expression of FTS5.
//!
//! Words must all be there; `"several words"` must follow each other; `begin*` is the beginning of a word. Everything
//! else is taken literally, so that nothing a user can type is an error. What FTS5 takes for a word is its tokenizer's
//! matter: `src/main.rs` becomes three words that follow each other.

use crate::search::unspaced_scripts::set_apart;
use arki_domain::sha256_hex;

/// Words and phrases of one search; further ones are ignored.
pub const MAX_SEARCH_WORDS: usize = 32;
/// The longest word or phrase, in bytes; what is beyond is ignored.
const MAX_WORD_BYTES: usize = 1024;
/// Characters of the hash that stands for a project or a tool. One word to the tokenizer.
const FACET_CHARACTERS: usize = 16;

/// The expression over what was said; `None` when there is nothing to look for in it.
pub(crate) fn words_expression(text: &str) -> Option<String> {
    let words: Vec<String> = Words { rest: text }.take(MAX_SEARCH_WORDS).collect();
    (!words.is_empty()).then(|| format!("{{text path}} : ({})", words.join(" AND ")))
}

/// Files whose path holds these components in this order.
pub(crate) fn path_expression(path: &str) -> Option<String> {
    quoted(path).map(|path| format!("path : {path}"))
}

pub(crate) fn facet_expression(facet: &str) -> String {
    format!("facets : \"{facet}\"")
}

pub(crate) fn project_facet(project: &str) -> String {
    facet("project", project)
}

pub(crate) fn tool_facet(tool: &str) -> String {
    facet("tool", tool)
}

fn facet(kind: &str, name: &str) -> String {
    let mut hash = sha256_hex(format!("{kind}\0{name}").as_bytes());
    hash.truncate(FACET_CHARACTERS);
    hash
}

/// `None` for what holds no word at all, which FTS5 would never find.
fn quoted(word: &str) -> Option<String> {
    let word = set_apart(&word[..word.floor_char_boundary(MAX_WORD_BYTES)]);
    // FTS5 reads its expression up to the first NUL.
    word.contains(char::is_alphanumeric).then(|| format!("\"{}\"", word.replace('"', "\"\"").replace('\0', " ")))
}

/// Cuts the text into words and phrases, each in FTS5's form.
struct Words<'a> {
    rest: &'a str,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                return None;
            }
            let (word, is_prefix) = match self.rest.strip_prefix('"') {
                Some(phrase) => self.phrase(phrase),
                None => self.word(),
            };
            if let Some(quoted) = quoted(word) {
                return Some(if is_prefix { format!("{quoted} *") } else { quoted });
            }
        }
    }
}

impl<'a> Words<'a> {
    /// Up to the closing quote, or to the end where there is none.
    fn phrase(&mut self, phrase: &'a str) -> (&'a str, bool) {
        let (phrase, rest) = phrase.split_once('"').unwrap_or((phrase, ""));
        let beyond = rest.strip_prefix('*');
        self.rest = beyond.unwrap_or(rest);
        (phrase, beyond.is_some())
    }

    fn word(&mut self) -> (&'a str, bool) {
        let end = self.rest.find(|character: char| character.is_whitespace() || character == '"');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let bare = word.trim_end_matches('*');
        // A star after anything but a word's own character begins nothing.
        (bare, bare.len() < word.len() && bare.ends_with(char::is_alphanumeric))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;

    fn words(text: &str) -> Vec<String> {
        Words { rest: text }.collect()
    }

    #[test]
    fn words_phrases_and_beginnings_are_told_apart() {
        assert_eq!(words("read me"), [r#""read""#, r#""me""#]);
        assert_eq!(words(r#"a "b c" d*"#), [r#""a""#, r#""b c""#, r#""d" *"#]);
        assert_eq!(words(r#""b c"* "open end"#), [r#""b c" *"#, r#""open end""#]);
        assert_eq!(words("src/main.rs a-*"), [r#""src/main.rs""#, r#""a-""#]);
    }

    #[test]
    fn operators_of_the_engine_are_words_like_others() {
        assert_eq!(words("a OR NEAR(b text:c"), [r#""a""#, r#""OR""#, r#""NEAR(b""#, r#""text:c""#]);
    }

    #[test]
    fn what_holds_no_word_asks_for_nothing() {
        assert_eq!(words_expression(r#" * "" -- "…" "#), None);
        assert_eq!(path_expression("../"), None);
    }

    #[test]
    fn a_search_of_too_many_or_too_long_words_is_cut() {
        let expression = words_expression(&"word ".repeat(MAX_SEARCH_WORDS + 1)).unwrap();
        assert_eq!(expression.matches("word").count(), MAX_SEARCH_WORDS);
        assert_eq!(quoted(&"é".repeat(MAX_WORD_BYTES)).unwrap().len(), MAX_WORD_BYTES + 2);
    }

    fn index() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE VIRTUAL TABLE search USING fts5 (text, path, facets)").unwrap();
        connection
    }

    proptest! {
        #[test]
        fn nothing_a_user_can_type_is_an_error(text in any::<String>(), noise in r#"["*a(){}:^+\- \x00NEAROT]{0,40}"#) {
            let connection = index();
            let parts = [words_expression(&text), words_expression(&noise), path_expression(&noise)];
            let expression = parts.into_iter().flatten().collect::<Vec<_>>().join(" AND ");
            if !expression.is_empty() {
                let mut statement = connection.prepare("SELECT count(*) FROM search WHERE search MATCH ?1").unwrap();
                let count = statement.query_row([&expression], |row| row.get::<_, i64>(0));
                prop_assert_eq!(count, Ok(0), "{}", expression);
            }
        }
    }
}
