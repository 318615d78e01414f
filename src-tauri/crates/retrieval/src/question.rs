//! A question as a query of the full-text table: any of its words, but those that every question has; and the chunks that
//! fit it best, a few of each file, the best file first.

use crate::error::Result;
use crate::rows::{STAMP, stamp_of};
use crate::words::push_words;
use arki_files::FileStamp;
use rusqlite::{Connection, Row};

/// More words than these of a long prompt make a search slower and no better.
const MAX_TERMS: usize = 32;

/// Words that say that something is asked, not what.
const STOP_WORDS: &str = " a about above after again all also am an and any are as at be because been before being but \
    by can could did do does doing don down during each etc explain few find for from further get give go had has have having \
    he help her here hers him his how however i if in into is it its itself just know let like look make makes many may me \
    might more most much must my need no nor not now of off on once one only or other our out over own please same \
    she should show so some such tell than that the their them then there these they this those through to too under until up \
    us use used uses using very via want was we were what when where whether which while who whom whose why will with would \
    you your ";

/// The words of a question that are looked for, each once, in its order.
pub(crate) fn terms(question: &str) -> Vec<String> {
    let mut words = String::new();
    push_words(question, &mut words);
    let mut all: Vec<&str> = Vec::new();
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        if !all.contains(&word) {
            all.push(word);
        }
        // Far more than are used, so that a long prompt takes no time.
        if all.len() == MAX_TERMS * 8 {
            break;
        }
    }
    let is_stop_word = |word: &&&str| STOP_WORDS.contains(&format!(" {word} "));
    let telling: Vec<&&str> = all.iter().filter(|word| word.len() > 1 && !is_stop_word(word)).collect();
    // A question of nothing but such words means them.
    let chosen = if telling.is_empty() { all.iter().collect() } else { telling };
    chosen.into_iter().take(MAX_TERMS).map(|word| (*word).to_owned()).collect()
}

/// The query of any of these words. In quotes nothing in a word is an operator.
fn query_of(terms: &[String]) -> String {
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{}\"", term.replace('"', ""))).collect();
    quoted.join(" OR ")
}

/// Chunks that are looked at; a long file that fits throughout has many of them.
const MAX_CHUNKS: usize = 500;
/// Passages of one file, so that there is room for others.
const PER_FILE: usize = 2;
/// A second passage is worth showing from this part of the first one's score on.
const SECOND_SCORE: f64 = 0.6;

/// A file with its best chunks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedFile {
    pub(crate) path: String,
    pub(crate) stamp: FileStamp,
    /// The best one first.
    pub(crate) chunks: Vec<RankedChunk>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RankedChunk {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) score: f64,
}

/// Ranks by BM25, a word in a path or in a defined name counting more than one in the text.
pub(crate) fn ranked_files(connection: &Connection, terms: &[String]) -> Result<Vec<RankedFile>> {
    let sql = format!(
        "SELECT {STAMP}, path, first, last, -score FROM (
            SELECT rowid AS chunk, bm25(passages, 4.0, 3.0, 1.0) AS score FROM passages
            WHERE passages MATCH ?1 ORDER BY score LIMIT ?2
        ) JOIN chunks ON chunks.id = chunk JOIN files ON files.id = chunks.file ORDER BY score, path, first"
    );
    let read = |row: &Row<'_>| {
        let lines = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
        let chunk = RankedChunk { first: lines(5)?, last: lines(6)?, score: row.get(7)? };
        Ok((row.get::<_, String>(4)?, stamp_of(row)?, chunk))
    };
    let mut files: Vec<RankedFile> = Vec::new();
    for found in connection.prepare(&sql)?.query_map((query_of(terms), MAX_CHUNKS as i64), read)? {
        let (path, stamp, chunk) = found?;
        match files.iter_mut().find(|file| file.path == path) {
            Some(file) => file.add(chunk),
            None => files.push(RankedFile { path, stamp, chunks: vec![chunk] }),
        }
    }
    Ok(files)
}

impl RankedFile {
    fn add(&mut self, chunk: RankedChunk) {
        let is_apart = |other: &RankedChunk| chunk.last < other.first || other.last < chunk.first;
        let is_worth_it = self.chunks.first().is_none_or(|best| chunk.score >= best.score * SECOND_SCORE);
        if self.chunks.len() < PER_FILE && is_worth_it && self.chunks.iter().all(is_apart) {
            self.chunks.push(chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_asking_are_left_out_unless_there_are_no_others() {
        assert_eq!(terms("Where is the session's lease released?"), ["session", "lease", "released"]);
        assert_eq!(terms("how does parseLine work"), ["parse", "line", "parseline", "work"]);
        assert_eq!(terms("what is it"), ["what", "is", "it"]);
        assert_eq!(terms("?! …"), [""; 0]);
    }

    #[test]
    fn a_long_question_is_bounded_and_operators_are_words() {
        let long: String = (0..5000).map(|number| format!("word{number} ")).collect();
        assert_eq!(terms(&long).len(), MAX_TERMS);
        assert_eq!(query_of(&terms("NEAR(a b) path:* ^x AND \"y")), "\"near\" OR \"path\"");
    }
}
