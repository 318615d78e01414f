//! Detects an answer that repeats itself word for word, and would go on until somebody stops it.
//!
//! What repeats is a stretch of bounded length, again and again without a difference. How much of that is too much
//! depends on what it is: prose is stopped after 2,000 tokens; rows of tables, data and code repeat in honest answers
//! too, and rules, zeros and pictures made of characters even more, so that these have more room. Time is constant a
//! byte, and so is memory.

use crate::token_estimate::text_tokens;

/// The longest stretch that is looked for, in bytes.
const MAX_PERIOD: usize = 4096;
/// The number of bytes at the end that are searched for earlier in the text.
const WINDOW: usize = 16;
const SLOTS: usize = 1 << 13;
/// A stretch has to come at least so often: a document may well be quoted twice.
const LEAST_TIMES: usize = 4;
const PROSE_TOKENS: u64 = 2_000;
/// The limit for rows, data and code.
const STRUCTURE_TOKENS: u64 = 20_000;
/// The limit for text without words.
const WORDLESS_TOKENS: u64 = 200_000;
/// Characters that are rare in prose.
const STRUCTURE: [char; 14] = ['|', '\t', '=', '{', '}', '[', ']', '<', '>', ';', '\\', '/', '_', '#'];

/// One text as it grows.
#[derive(Default)]
pub(crate) struct Repetition {
    /// The last bytes, in a ring.
    last: Vec<u8>,
    length: usize,
    /// The last eight bytes.
    hash: u64,
    /// The last place of each window, by its hash; behind its end.
    seen: Vec<usize>,
    /// The distance to the previous occurrence, and the number of bytes for which it has lasted.
    period: usize,
    run: usize,
    /// The number of bytes of this period that is too many; once known.
    limit: Option<usize>,
}

impl Repetition {
    /// Takes the next piece; true where it has repeated itself for too long.
    pub(crate) fn push(&mut self, piece: &str) -> bool {
        if self.last.is_empty() {
            self.last = vec![0; 2 * MAX_PERIOD];
            self.seen = vec![0; SLOTS];
        }
        piece.bytes().any(|byte| self.take(byte))
    }

    fn take(&mut self, byte: u8) -> bool {
        let at = self.length;
        self.put(at, byte);
        self.length += 1;
        self.hash = self.hash << 8 | u64::from(byte);
        if self.period > 0 && self.byte(at - self.period) == byte {
            self.run += 1;
        } else {
            (self.period, self.run, self.limit) = (0, 0, None);
        }
        let slot = (self.hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % SLOTS;
        let before = std::mem::replace(&mut self.seen[slot], self.length);
        if self.period == 0 && before > 0 && self.length - before <= MAX_PERIOD && self.is_same(before) {
            (self.period, self.run) = (self.length - before, WINDOW);
        }
        self.period > 0 && self.run >= self.period * (LEAST_TIMES - 1) && self.run >= self.limit()
    }

    /// Returns whether the bytes before `end` are the last ones.
    fn is_same(&self, end: usize) -> bool {
        end >= WINDOW && (1..=WINDOW).all(|back| self.byte(end - back) == self.byte(self.length - back))
    }

    fn byte(&self, at: usize) -> u8 {
        self.last[at % (2 * MAX_PERIOD)]
    }

    fn put(&mut self, at: usize, byte: u8) {
        self.last[at % (2 * MAX_PERIOD)] = byte;
    }

    fn limit(&mut self) -> usize {
        if let Some(limit) = self.limit {
            return limit;
        }
        let period: Vec<u8> = (self.length - self.period..self.length).map(|at| self.byte(at)).collect();
        // Long enough that single words and characters are weighed as they come in a text.
        let times = (4 * WINDOW).div_ceil(self.period);
        let text = String::from_utf8_lossy(&period).repeat(times);
        let tokens = text_tokens(&text).max(1);
        let most = most_tokens(&text);
        let bytes = (self.period * times) as u64;
        let limit = usize::try_from(most.saturating_mul(bytes).div_ceil(tokens)).unwrap_or(usize::MAX);
        *self.limit.insert(limit)
    }
}

fn most_tokens(text: &str) -> u64 {
    // A line break of a text within a call's arguments.
    let text = text.replace("\\n", "\n").replace("\\\"", "\"");
    let is_word = |word: &&str| {
        let mut letters = word.chars().filter(|letter| letter.is_alphabetic());
        letters.next().is_some_and(|first| !first.is_ascii() || letters.any(|letter| letter != first))
    };
    if !text.split(|character: char| !character.is_alphanumeric()).any(|word| is_word(&word)) {
        return WORDLESS_TOKENS;
    }
    let has_spaces = text.contains([' ', '\n']) || !text.is_ascii();
    let is_structure = text.contains(STRUCTURE) || text.split(',').skip(1).any(|after| !after.starts_with([' ', '\n']));
    if has_spaces && !is_structure { PROSE_TOKENS } else { STRUCTURE_TOKENS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns how many bytes of an endless repetition are taken.
    fn taken(period: &str) -> usize {
        let mut repetition = Repetition::default();
        let mut taken = 0;
        while !repetition.push(period) {
            taken += period.len();
            assert!(taken < 4 << 20, "{period:?} is never stopped");
        }
        taken
    }

    #[test]
    fn prose_that_repeats_is_stopped_after_2000_tokens() {
        let paragraph = "The tests pass now. Let me check the file once more, to be sure.\n\n";
        let long: String = (0..40).map(|number| format!("Sentence number {number} says something else. ")).collect();
        for period in ["again ", "I will read the file. ", "no, ", "\u{91cd}\u{590d}", paragraph, &long] {
            let tokens = text_tokens(&period.repeat(taken(period) / period.len()));
            let least = PROSE_TOKENS.max(text_tokens(period) * (LEAST_TIMES as u64 - 1));
            assert!((least * 9 / 10..least * 3 / 2 + 200).contains(&tokens), "{period:?}: {tokens}");
        }
    }

    #[test]
    fn what_repeats_honestly_has_more_room() {
        for (text, times) in [
            ("| name | value | note |\n", 800),
            ("0, 0, 0, 0, 0, 0, 0, 0,\\n", 4000),
            ("0\n", 20_000),
            ("name,value,other\n", 800),
            ("{\\\"x\\\": 0, \\\"y\\\": 0},\\n", 600),
            ("-----------------\n", 4000),
            ("      XXXX   oooo   ||||\n", 1000),
            (" ", 50_000),
            ("=", 50_000),
        ] {
            assert!(!Repetition::default().push(&text.repeat(times)), "{text:?}");
        }
        let document: String = (0..200).map(|number| format!("Line {number} of a document.\n")).collect();
        assert!(!Repetition::default().push(&document.repeat(3)));
    }

    #[test]
    fn what_counts_on_does_not_repeat() {
        let steps: String = (0..20_000).map(|number| format!("Step {number}: read the file again.\n")).collect();
        assert!(!Repetition::default().push(&steps));
    }

    #[test]
    fn a_repetition_is_found_behind_anything_else() {
        let before: String = (0..2000).map(|number| format!("{number} is another number. ")).collect();
        let mut repetition = Repetition::default();
        assert!(!repetition.push(&before));
        assert!(repetition.push(&"And so it goes on and on. ".repeat(600)));
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_a_text_is_cut(text in "(ab |cd |\\|){0,40}", times in 1_usize..400, size in 1_usize..40) {
            let text = text.repeat(times);
            let mut cut = Repetition::default();
            let stopped = text.as_bytes().chunks(size).any(|piece| cut.push(std::str::from_utf8(piece).unwrap()));
            prop_assert_eq!(stopped, Repetition::default().push(&text));
        }
    }
}
