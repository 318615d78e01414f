//! The bound for all context that comes late in a run, so that a folder with hundreds of rules can't fill the window.
//!
//! Texts come in whole as long as there is room, then cut at a line's end, then as a note of one sentence each; a part of
//! the bound is kept for these notes. What doesn't fit even as a note isn't told.

use super::{last_text, text_of};
use arki_domain::projection::{MessageKind, Transcript};
use arki_domain::{ContextAdded, HOOK_PART, MENTION_PART, PICTURE_PART, STAGE_PART};

/// Bytes of all late context of a run together; hooks have bounds of their own.
const MAX_LATE_BYTES: usize = 128 * 1024;
/// The part of the bound that is kept for notes about what is left out: a sixteenth.
const NOTES_SHARE: usize = 16;
/// A text is not cut to less than this, in bytes.
const MIN_PIECE: usize = 1024;
/// A text of at most so many bytes is as short as a note.
const MAX_NOTE: usize = 256;
/// The words between the beginning of a text and the note about the rest.
const CUT_WORDS: &str = "\n[Cut here: ";

/// Bytes of the texts that may come late in a run: for a model with a small window as many as its window has tokens,
/// which is about a quarter of it.
#[must_use]
pub fn max_late_text_bytes(window: Option<u64>) -> usize {
    let all = max_late_bytes(window);
    all - all / NOTES_SHARE
}

fn max_late_bytes(window: Option<u64>) -> usize {
    window.map_or(MAX_LATE_BYTES, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX).min(MAX_LATE_BYTES))
}

/// The room that is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct LateRoom {
    /// Bytes for texts, and for texts and notes together.
    texts: usize,
    all: usize,
}

impl LateRoom {
    /// `of_run` are the bytes that came late in this run. What came in earlier runs and stays at a compaction counts too,
    /// as long as it is shown.
    pub(super) fn new(window: Option<u64>, of_run: usize, transcript: &mut Transcript) -> Self {
        let used = of_run.max(lasting_bytes(transcript));
        Self {
            texts: max_late_text_bytes(window).saturating_sub(used),
            all: max_late_bytes(window).saturating_sub(used),
        }
    }

    /// The form in which `added` comes in; `None` where the conversation has it already, or not even a note fits.
    pub(super) fn take(&mut self, added: ContextAdded, transcript: &mut Transcript) -> Option<ContextAdded> {
        let known = last_text(transcript, &added);
        if known.as_ref() == Some(&added.text) {
            return None;
        }
        let room = if added.text.len() <= MAX_NOTE { self.all } else { self.texts };
        if added.text.len() <= room {
            return Some(self.taken(added));
        }
        if known.is_some_and(|known| known == note(&added) || is_cut_of(&known, &added)) {
            return None;
        }
        let shortened = cut(&added, self.texts).unwrap_or_else(|| left_out(&added));
        (shortened.text.len() <= self.all).then(|| self.taken(shortened))
    }

    fn taken(&mut self, added: ContextAdded) -> ContextAdded {
        self.texts = self.texts.saturating_sub(added.text.len());
        self.all = self.all.saturating_sub(added.text.len());
        added
    }
}

/// Sums the text that no compaction leaves out: the added context that lasts, in bytes.
fn lasting_bytes(transcript: &mut Transcript) -> usize {
    let shown = transcript.conversation().filter(|message| message.shown_as.is_shown());
    let lasting = shown.filter(|message| match message.kind {
        MessageKind::Added { part, .. } => {
            ![MENTION_PART, PICTURE_PART, HOOK_PART, STAGE_PART].contains(&part.as_str())
        }
        _ => false,
    });
    lasting.map(|message| text_of(message.whole).len()).sum()
}

/// The beginning that fits into `room` bytes.
fn cut(added: &ContextAdded, room: usize) -> Option<ContextAdded> {
    let words = cut_words(added, added.text.len());
    let end = added.text.floor_char_boundary(room.saturating_sub(words.len()));
    let end = added.text[..end].rfind('\n').map_or(end, |line| line + 1);
    (end >= MIN_PIECE).then(|| shortened(added, cut_text(added, end), added.text.len() - end))
}

fn left_out(added: &ContextAdded) -> ContextAdded {
    shortened(added, note(added), added.text.len())
}

fn shortened(added: &ContextAdded, text: String, left_out: usize) -> ContextAdded {
    ContextAdded { text, left_out_bytes: Some(left_out as u64), ..added.clone() }
}

fn cut_text(added: &ContextAdded, end: usize) -> String {
    format!("{}{}", &added.text[..end], cut_words(added, added.text.len() - end))
}

fn cut_words(added: &ContextAdded, more: usize) -> String {
    format!("{CUT_WORDS}{more} bytes more.{}]", how_to_read(added))
}

fn note(added: &ContextAdded) -> String {
    let ContextAdded { part, origin, .. } = added;
    format!("[The {part} {origin} is left out, since too much of this kind came in already.{}]", how_to_read(added))
}

fn how_to_read(added: &ContextAdded) -> String {
    match added.part.as_str() {
        "rule" => format!(" Read {} before you go on.", added.origin),
        "skill" => " Read it with `read_skill` before you go on.".to_owned(),
        _ => " Read it with your tools if you need it.".to_owned(),
    }
}

fn is_cut_of(known: &str, added: &ContextAdded) -> bool {
    let beginning = known.rsplit_once(CUT_WORDS).map(|(beginning, _)| beginning);
    beginning.is_some_and(|beginning| added.text.starts_with(beginning) && known == cut_text(added, beginning.len()))
}

#[cfg(test)]
mod tests;
