//! The chunks that fit a question best, a few of each file, the best file first.

use crate::error::Result;
use crate::question::query_of;
use crate::rows::{STAMP, stamp_of};
use arki_files::FileStamp;
use rusqlite::{Connection, Row};

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
