//! The text in the markup of word processing and slides, of Office and of OpenDocument: paragraphs as lines, table rows
//! as lines with tabs, and the pages that the program which wrote it last has noted down.

use crate::answer::DocumentError;
use crate::archive::attribute;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::BufRead;

/// Elements whose text isn't the document's: what was deleted, a second form of the same thing, comments, tab stops.
const SKIPPED: [&str; 7] =
    ["mc:Fallback", "office:annotation", "presentation:notes", "text:tracked-changes", "w:del", "w:moveFrom", "w:tabs"];
const MAX_SPACES: usize = 100;

/// Reads the markup, and returns its pages with at most `max_bytes` of text in all; whether it was cut is seen by its
/// size.
pub(crate) fn pages_in(markup: &mut dyn BufRead, max_bytes: usize) -> Result<Vec<String>, DocumentError> {
    let mut walk = MarkupWalk { pages: vec![String::new()], shown: 0, skipped: 0, has_slides: false, room: max_bytes };
    let mut reader = Reader::from_reader(markup);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(|_| DocumentError::Broken)? {
            Event::Start(element) => walk.start(&element),
            Event::Empty(element) => walk.empty(&element),
            Event::End(element) => walk.end(element.name().as_ref()),
            Event::Text(text) if walk.is_shown() => walk.push(&text.xml10_content()),
            Event::CData(text) if walk.is_shown() => walk.push(&text.xml10_content()),
            Event::GeneralRef(entity) if walk.is_shown() => {
                let named = quick_xml::escape::resolve_predefined_entity(&entity).map(str::to_owned);
                let letter = || entity.resolve_char_ref().ok().flatten().map(String::from);
                walk.push(&named.or_else(letter).unwrap_or_default());
            }
            Event::Eof => return Ok(walk.pages),
            _ => {}
        }
        if walk.room == 0 {
            return Ok(walk.pages);
        }
    }
}

struct MarkupWalk {
    pages: Vec<String>,
    /// The open elements whose text is shown.
    shown: usize,
    /// The open elements within one that is skipped, and that one.
    skipped: usize,
    has_slides: bool,
    room: usize,
}

impl MarkupWalk {
    fn is_shown(&self) -> bool {
        self.shown > 0 && self.skipped == 0
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.name();
        if self.skipped > 0 || SKIPPED.contains(&name.as_ref()) {
            self.skipped += 1;
            return;
        }
        match name.as_ref() {
            "w:t" | "a:t" | "m:t" | "text:p" | "text:h" => self.shown += 1,
            "draw:page" => self.begin_slide(),
            _ => self.mark(element),
        }
    }

    /// A slide counts also where it has no text.
    fn begin_slide(&mut self) {
        if self.has_slides {
            self.pages.push(String::new());
        }
        self.has_slides = true;
    }

    fn empty(&mut self, element: &BytesStart<'_>) {
        if self.skipped == 0 {
            self.mark(element);
            self.close(element.name().as_ref());
        }
    }

    fn end(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        if ["w:t", "a:t", "m:t", "text:p", "text:h"].contains(&name) {
            self.shown = self.shown.saturating_sub(1);
        }
        self.close(name);
    }

    /// Writes what an element stands for by itself.
    fn mark(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "w:br" if attribute(element, "w:type").as_deref() == Some("page") => self.break_page(),
            "w:lastRenderedPageBreak" | "text:soft-page-break" => self.break_page(),
            "w:br" | "w:cr" | "a:br" | "text:line-break" => self.push("\n"),
            "w:tab" | "text:tab" => self.push("\t"),
            "w:noBreakHyphen" => self.push("-"),
            "text:s" => {
                let count = attribute(element, "text:c").and_then(|count| count.parse().ok()).unwrap_or(1);
                self.push(&" ".repeat(MAX_SPACES.min(count)));
            }
            _ => {}
        }
    }

    /// Ends a paragraph, a cell or a row.
    fn close(&mut self, name: &str) {
        match name {
            "w:p" | "a:p" | "text:p" | "text:h" => self.push("\n"),
            "w:tc" | "a:tc" | "table:table-cell" => self.end_with('\n', "\t"),
            "w:tr" | "a:tr" | "table:table-row" => self.end_with('\t', "\n"),
            _ => {}
        }
    }

    /// Puts `end` in the place of the character that an inner element ended with.
    fn end_with(&mut self, inner: char, end: &str) {
        if let Some(page) = self.pages.last_mut()
            && page.ends_with(inner)
        {
            page.pop();
        }
        self.push(end);
    }

    /// A break is noted where the user made it and again where the program put it.
    fn break_page(&mut self) {
        if self.pages.last().is_some_and(|page| !page.trim().is_empty()) {
            self.pages.push(String::new());
        }
    }

    fn push(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(self.room)];
        self.room -= text.len();
        if text.is_empty() {
            return;
        }
        if let Some(page) = self.pages.last_mut() {
            page.push_str(text);
        }
    }
}
