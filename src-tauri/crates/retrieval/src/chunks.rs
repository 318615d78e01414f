//! A file's text as the index takes it: chunks of lines that overlap, with their words and the names that they define.

use crate::definitions::push_definitions;
use crate::words::push_words;

/// Chunks of 32 to 64 lines find files as well as chunks along the syntax do (arXiv 2510.20609).
const LINES: usize = 48;
/// Lines that a chunk shares with the one before it, so that nothing is cut at every place where it is looked for.
const OVERLAP: usize = 8;

/// The words of a text, line by line.
#[derive(Debug, Default)]
pub(crate) struct IndexedText {
    words: String,
    symbols: String,
    /// The end of each line's words, and that of its names.
    ends: Vec<(usize, usize)>,
}

/// Some lines of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineChunk<'a> {
    /// Counted from 1.
    pub(crate) first: usize,
    /// Inclusive.
    pub(crate) last: usize,
    pub(crate) symbols: &'a str,
    pub(crate) words: &'a str,
}

impl IndexedText {
    pub(crate) fn read(text: &str) -> Self {
        let mut read = Self::default();
        for line in text.lines() {
            push_words(line, &mut read.words);
            push_definitions(line, &mut read.symbols);
            read.ends.push((read.words.len(), read.symbols.len()));
        }
        read
    }

    /// The chunks in order; those without a word are left out.
    pub(crate) fn chunks(&self) -> impl Iterator<Item = LineChunk<'_>> {
        let lines = self.ends.len();
        let starts = (0..lines).step_by(LINES - OVERLAP).filter(move |start| *start == 0 || start + OVERLAP < lines);
        let chunk = move |start: usize| {
            let end = (start + LINES).min(lines);
            let (words, symbols) = if start == 0 { (0, 0) } else { self.ends[start - 1] };
            let (words_end, symbols_end) = self.ends[end - 1];
            let (words, symbols) = (&self.words[words..words_end], &self.symbols[symbols..symbols_end]);
            LineChunk { first: start + 1, last: end, symbols, words }
        };
        starts.map(chunk).filter(|chunk| !chunk.words.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(lines: usize) -> Vec<(usize, usize)> {
        let text: String = (1..=lines).map(|number| format!("line{number}\n")).collect();
        IndexedText::read(&text).chunks().map(|chunk| (chunk.first, chunk.last)).collect()
    }

    #[test]
    fn chunks_overlap_and_none_is_within_another() {
        assert_eq!(ranges(0), []);
        assert_eq!(ranges(3), [(1, 3)]);
        assert_eq!(ranges(48), [(1, 48)]);
        assert_eq!(ranges(49), [(1, 48), (41, 49)]);
        assert_eq!(ranges(100), [(1, 48), (41, 88), (81, 100)]);
    }

    #[test]
    fn a_chunk_has_the_words_and_names_of_its_lines_alone() {
        let text = format!("fn alpha() {{}}\n{}fn omega() {{}}\n", "x y\n".repeat(60));
        let read = IndexedText::read(&text);
        let chunks: Vec<LineChunk<'_>> = read.chunks().collect();
        assert_eq!((chunks[0].symbols, chunks[1].symbols), ("alpha ", "omega "));
        assert!(chunks[0].words.starts_with("fn alpha x y ") && chunks[1].words.ends_with("x y fn omega "));
        assert_eq!(IndexedText::read("\n\n{}\n").chunks().count(), 0);
    }
}
