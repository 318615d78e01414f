//! Contents that an export carries: the large diffs that its events speak of, in pieces, each right after the event
//! that first speaks of it.
//!
//! They are texts, and proven by their hash alone: the event that names it is part of the chain.

use arki_domain::{Event, EventBody, sha256_hex};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The limit for the text of one line, in bytes.
const EXPORTED_PIECE_BYTES: usize = 1 << 20;

/// A line of an export that is no event: a piece of a content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExportedPiece {
    /// SHA-256 hex of the whole content.
    pub content_hash: String,
    /// The size of the whole content.
    pub bytes: u64,
    /// The start of this piece in it.
    pub offset: u64,
    pub text: String,
}

/// The pieces of a content, in order.
pub fn exported_pieces(content_hash: &str, text: &str) -> impl Iterator<Item = ExportedPiece> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let rest = &text[at..];
        let piece = &rest[..rest.floor_char_boundary(EXPORTED_PIECE_BYTES)];
        let offset = at as u64;
        at += piece.len();
        let bytes = text.len() as u64;
        Some(ExportedPiece { content_hash: content_hash.to_owned(), bytes, offset, text: piece.to_owned() })
    })
}

/// The content beside the log that an event speaks of.
#[must_use]
pub fn spoken_content(event: &Event) -> Option<String> {
    if event.kind != "approval.requested" {
        return None;
    }
    match event.body() {
        EventBody::ApprovalRequested(requested) => requested.preview?.diff_hash,
        _ => None,
    }
}

/// Puts the contents of an export together, and says which are missing.
#[derive(Default)]
pub struct ExportedContents {
    /// The contents mentioned and not proven yet, each with the place of its mention, as the caller counts places.
    wanted: HashMap<String, u64>,
    proven: HashSet<String>,
    open: Option<OpenContent>,
}

struct OpenContent {
    hash: String,
    bytes: u64,
    text: String,
}

impl ExportedContents {
    /// # Errors
    /// Where a content that was begun is not whole.
    pub fn note_event(&mut self, event: &Event, place: u64) -> Result<(), &'static str> {
        if let Some(hash) = spoken_content(event).filter(|hash| !self.proven.contains(hash)) {
            self.wanted.entry(hash).or_insert(place);
        }
        if self.open.take().is_some() { Err("the content before it is cut off") } else { Ok(()) }
    }

    /// The content, with its hash, where this piece is its last.
    ///
    /// # Errors
    /// Why the piece is not what comes next.
    pub fn add(&mut self, piece: &ExportedPiece, limit: usize) -> Result<Option<(String, String)>, &'static str> {
        if piece.bytes > limit as u64 {
            return Err("its content is too long");
        }
        if piece.offset == 0 {
            if self.open.is_some() {
                return Err("the content before it is cut off");
            }
            if !self.wanted.contains_key(&piece.content_hash) {
                return Err("no earlier event refers to its content");
            }
            let text = String::new();
            self.open = Some(OpenContent { hash: piece.content_hash.clone(), bytes: piece.bytes, text });
        }
        let Some(open) = &mut self.open else { return Err("the beginning of its content is missing") };
        let fits = open.hash == piece.content_hash
            && open.bytes == piece.bytes
            && open.text.len() as u64 == piece.offset
            && !piece.text.is_empty()
            && piece.offset + piece.text.len() as u64 <= open.bytes;
        if !fits {
            return Err("it does not follow the piece before it");
        }
        open.text.push_str(&piece.text);
        if (open.text.len() as u64) < open.bytes {
            return Ok(None);
        }
        let Some(OpenContent { hash, text, .. }) = self.open.take() else { return Ok(None) };
        if sha256_hex(text.as_bytes()) != hash {
            return Err("its content doesn't match its hash");
        }
        self.wanted.remove(&hash);
        self.proven.insert(hash.clone());
        Ok(Some((hash, text)))
    }

    /// Returns where contents were spoken of that did not come.
    pub fn missing(&self) -> impl Iterator<Item = u64> + '_ {
        self.wanted.values().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn speaking_of(hash: &str) -> Event {
        let preview = json!({
            "filesAffected": ["a"], "linesChanged": 1, "diffHash": hash, "hunks": [], "previewHash": "00"
        });
        let payload = json!({
            "approvalId": "a", "callId": "c", "toolId": "t", "args": {}, "risk": "low", "rule": "r", "reason": "x",
            "preview": preview
        });
        let event = json!({
            "eventId": "e", "runId": null, "sessionId": "s", "seq": 1, "ts": 1, "type": "approval.requested",
            "payload": payload, "prevHash": "", "hash": ""
        });
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_content_is_put_together_from_its_pieces_and_nothing_else() {
        let text = "é\n".repeat(EXPORTED_PIECE_BYTES);
        let hash = sha256_hex(text.as_bytes());
        let pieces: Vec<ExportedPiece> = exported_pieces(&hash, &text).collect();
        assert!(pieces.len() >= 3);
        let limit = usize::MAX;
        let mut contents = ExportedContents::default();
        assert!(contents.add(&pieces[0], limit).is_err(), "nobody speaks of it yet");
        contents.note_event(&speaking_of(&hash), 7).unwrap();
        assert_eq!(contents.missing().collect::<Vec<_>>(), [7]);
        assert!(contents.add(&pieces[1], limit).is_err());
        let (last, before) = pieces.split_last().unwrap();
        for piece in before {
            assert_eq!(contents.add(piece, limit), Ok(None));
        }
        assert_eq!(contents.add(last, limit), Ok(Some((hash.clone(), text))));
        assert_eq!(contents.missing().count(), 0);
    }

    #[test]
    fn a_changed_or_cut_content_is_noticed() {
        let hash = sha256_hex(b"text");
        let piece: ExportedPiece = exported_pieces(&hash, "text").next().unwrap();
        let begun = || {
            let mut contents = ExportedContents::default();
            contents.note_event(&speaking_of(&hash), 1).unwrap();
            contents
        };
        let changed = ExportedPiece { text: "tExt".into(), ..piece.clone() };
        assert!(begun().add(&changed, 100).is_err());
        assert!(begun().add(&piece, 3).is_err());
        let mut cut = begun();
        cut.add(&ExportedPiece { text: "te".into(), ..piece }, 100).unwrap();
        assert!(cut.note_event(&speaking_of("other"), 2).is_err());
    }
}
