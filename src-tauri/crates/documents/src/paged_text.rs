//! Text by page, within its limits, and the words for what they left out.

use crate::answer::{DocumentError, DocumentText};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The limit for pages, sheets and slides.
pub const MAX_PAGES: usize = 500;
/// The limit for text, in bytes.
pub const MAX_TEXT_BYTES: usize = 4 << 20;

/// The limits for reading one document.
#[derive(Debug, Clone, Copy)]
pub struct ReadingLimits {
    pub max_pages: usize,
    pub max_text_bytes: usize,
    /// The limit for all that is packed in it, in bytes.
    pub max_unpacked_bytes: u64,
    /// No page is begun after this time.
    pub time: Duration,
}

impl Default for ReadingLimits {
    fn default() -> Self {
        Self {
            max_pages: MAX_PAGES,
            max_text_bytes: MAX_TEXT_BYTES,
            max_unpacked_bytes: 256 << 20,
            time: Duration::from_secs(18),
        }
    }
}

/// The words for one kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PageWords {
    /// "a PDF"
    pub(crate) kind: &'static str,
    /// "page"
    pub(crate) page: &'static str,
}

pub(crate) struct PagedText {
    limits: ReadingLimits,
    began: Instant,
    words: PageWords,
    /// The pages that it has, read or not.
    total: usize,
    read: usize,
    text: String,
    has_words: bool,
    left_out: Option<String>,
}

impl PagedText {
    pub(crate) fn new(limits: ReadingLimits) -> Self {
        Self {
            limits,
            began: Instant::now(),
            words: PageWords { kind: "a document", page: "page" },
            total: 0,
            read: 0,
            text: String::new(),
            has_words: false,
            left_out: None,
        }
    }

    pub(crate) fn begin(&mut self, words: PageWords, total: usize) {
        (self.words, self.total) = (words, total);
    }

    /// Returns how many bytes of text one more page may have.
    pub(crate) fn room(&self) -> usize {
        self.limits.max_text_bytes.saturating_sub(self.text.len())
    }

    /// Returns whether one more page may be read; if not, it is said why.
    pub(crate) fn has_time(&mut self) -> bool {
        let PageWords { page, .. } = self.words;
        let why = if self.read >= self.limits.max_pages {
            format!("at most {} {page}s are read", self.limits.max_pages)
        } else if self.began.elapsed() >= self.limits.time {
            format!("reading took longer than {} s", self.limits.time.as_secs())
        } else if self.room() == 0 {
            format!("at most {} KiB of text are read", self.limits.max_text_bytes >> 10)
        } else {
            return true;
        };
        let (first, last) = (self.read + 1, self.total);
        let which = if first >= last { format!(" {first} is") } else { format!("s {first} to {last} are") };
        self.left_out.get_or_insert(format!("{}{which} left out: {why}.", capital(page)));
        false
    }

    /// Adds the next page, cut to the room that is left.
    pub(crate) fn add(&mut self, name: Option<&str>, page: &str) {
        self.read += 1;
        let page = page.trim_matches(['\n', '\r']).trim_end();
        self.has_words |= page.chars().any(|c| !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER);
        if self.total > 1 || name.is_some() {
            let word = self.words.page;
            let name = name.map(|name| format!(": {}", name.trim())).unwrap_or_default();
            let empty = if page.is_empty() { ", no text" } else { "" };
            let _ = writeln!(self.text, "[{} {} of {}{name}{empty}]", capital(word), self.read, self.total);
        }
        let kept = &page[..page.floor_char_boundary(self.room())];
        self.text.push_str(kept);
        self.text.push_str(if kept.is_empty() { "" } else { "\n" });
        if kept.len() < page.len() {
            let (page, limit) = (self.words.page, self.limits.max_text_bytes >> 10);
            let why = format!("The rest of {page} {} is left out: at most {limit} KiB of text are read.", self.read);
            self.left_out.get_or_insert(why);
        }
    }

    pub(crate) fn finish(self) -> Result<DocumentText, DocumentError> {
        let PageWords { kind, page } = self.words;
        let what = match self.total {
            1 => format!("{kind} of one {page}"),
            total => format!("{kind} of {total} {page}s"),
        };
        if !self.has_words && self.left_out.is_none() {
            return Err(DocumentError::NoText { what });
        }
        Ok(DocumentText { what, text: self.text, left_out: self.left_out })
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
