//! The piece of an event around what was searched for, with the hits marked.
//!
//! The index keeps no texts, so that the few that are shown are indexed once more, in memory, where FTS5 itself says
//! which words are hits. That way they are found here exactly as they were found there.

use crate::StoreError;
use crate::search::searchable::searchable;
use crate::search::unspaced_scripts::{APART, set_apart};
use arki_domain::Event;
use rusqlite::{Connection, params};
use std::ops::Range;

/// Words around a hit.
const SNIPPET_WORDS: u32 = 24;
/// A snippet ends after this many characters: a word may be as long as a file.
pub const MAX_SNIPPET_CHARACTERS: usize = 320;
/// Characters before a hit that was found by its letters.
const BEFORE_HIT: usize = 80;
/// The marks around a hit; a text that contains these loses them.
const MARKS: [char; 2] = ['\u{2}', '\u{3}'];

/// A piece of a snippet: white space is single blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetPart {
    pub text: String,
    /// True if this part matches the search.
    pub hit: bool,
}

pub(crate) struct Snippets {
    /// The parts in the order of the events.
    pub(crate) parts: Vec<Vec<SnippetPart>>,
}

impl Snippets {
    /// `words`: as FTS5 understands them; without any, a snippet is the beginning.
    pub(crate) fn of<'a>(events: impl Iterator<Item = &'a Event>, words: Option<&str>) -> Result<Self, StoreError> {
        let texts: Vec<(String, String)> = events.map(texts).collect();
        let mut parts: Vec<Vec<SnippetPart>> = texts.iter().map(|(text, path)| beginning(text, path)).collect();
        if let Some(words) = words {
            for (place, marked) in mark(&texts, words)? {
                if let Some(part) = parts.get_mut(place) {
                    *part = cut(&marked);
                }
            }
        }
        Ok(Self { parts })
    }
}

/// The piece around one hit in a text, by its bytes.
pub(crate) fn around(text: &str, hit: Range<usize>) -> Vec<SnippetPart> {
    let from = text[..hit.start].char_indices().rev().nth(BEFORE_HIT).map(|(at, _)| at);
    let to = text[hit.end..].char_indices().nth(MAX_SNIPPET_CHARACTERS).map_or(text.len(), |(at, _)| hit.end + at);
    let plain = |part: &str| part.replace(MARKS, " ");
    let [begin, end] = MARKS;
    let before = plain(&text[from.unwrap_or_default()..hit.start]);
    let left_out = if from.is_some() { "…" } else { "" };
    cut(&format!("{left_out}{before}{begin}{}{end}{}", plain(&text[hit.clone()]), plain(&text[hit.end..to])))
}

fn texts(event: &Event) -> (String, String) {
    let body = event.body();
    let found = searchable(&body);
    let plain = |text: &str| set_apart(&text.replace(MARKS, " ")).into_owned();
    found.map_or_else(Default::default, |found| (plain(&found.text), plain(&found.paths)))
}

/// The places of the texts that hold the words, and what surrounds these.
fn mark(texts: &[(String, String)], words: &str) -> Result<Vec<(usize, String)>, StoreError> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(
        "CREATE VIRTUAL TABLE page USING fts5 (text, path, tokenize = \"unicode61 remove_diacritics 2\"); BEGIN",
    )?;
    let mut insert = connection.prepare("INSERT INTO page (rowid, text, path) VALUES (?1, ?2, ?3)")?;
    for (place, (text, path)) in texts.iter().enumerate() {
        insert.execute(params![place as i64, text, path])?;
    }
    let [begin, end] = MARKS.map(String::from);
    let mut select =
        connection.prepare("SELECT rowid, snippet(page, -1, ?2, ?3, '…', ?4) FROM page WHERE page MATCH ?1")?;
    let rows = select.query_map(params![words, begin, end, SNIPPET_WORDS], |row| {
        Ok((usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX), row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn beginning(text: &str, path: &str) -> Vec<SnippetPart> {
    let text: String = [text, path].iter().find(|text| !text.is_empty()).map_or_else(String::new, |text| {
        // More than is shown, since white space is yet to be taken out.
        text.chars().take(4 * MAX_SNIPPET_CHARACTERS).collect()
    });
    cut(&text)
}

/// Takes the marks out and bounds what is left.
fn cut(marked: &str) -> Vec<SnippetPart> {
    let mut parts: Vec<SnippetPart> = Vec::new();
    let (mut hit, mut blank) = (false, true);
    let mut left = MAX_SNIPPET_CHARACTERS;
    for character in marked.chars() {
        if MARKS.contains(&character) {
            hit = character == MARKS[0];
            continue;
        }
        if character == APART {
            continue;
        }
        let is_space = character.is_whitespace();
        if is_space && blank {
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        blank = is_space;
        let character = if is_space { ' ' } else { character };
        match parts.last_mut() {
            Some(part) if part.hit == hit => part.text.push(character),
            _ => parts.push(SnippetPart { text: character.into(), hit }),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_single_and_hits_stand_alone() {
        let part = |text: &str, hit| SnippetPart { text: text.into(), hit };
        assert_eq!(cut("  a\n\n\u{2}b\u{3}\tc"), [part("a ", false), part("b", true), part(" c", false)]);
        assert_eq!(cut(""), []);
    }

    #[test]
    fn a_word_without_an_end_is_cut() {
        let parts = cut(&format!("\u{2}{}\u{3} more", "é".repeat(MAX_SNIPPET_CHARACTERS + 1)));
        assert_eq!(parts, [SnippetPart { text: "é".repeat(MAX_SNIPPET_CHARACTERS), hit: true }]);
    }
}
