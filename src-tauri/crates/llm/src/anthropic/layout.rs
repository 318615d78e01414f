//! The order in which a turn's blocks came: signed thoughts, between them text and calls. The API wants the thoughts
//! back unchanged and in their places.

use arki_domain::Reasoning;
use serde::{Deserialize, Serialize};

/// The name under which it is kept.
const FORMAT: &str = "anthropic";

/// One block, in its order. Text and calls are kept in the message itself; here are only their places.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Piece {
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    /// The number of bytes of the message's text.
    Text {
        bytes: usize,
    },
    /// The next of the message's calls.
    ToolUse,
}

impl Piece {
    fn is_thought(&self) -> bool {
        matches!(self, Self::Thinking { .. } | Self::RedactedThinking { .. })
    }
}

/// `None` where there are no thoughts to send back.
pub(super) fn to_keep(pieces: &[Piece], model: &str) -> Option<Reasoning> {
    let items = pieces.iter().any(Piece::is_thought).then(|| serde_json::to_value(pieces).ok())??;
    Some(Reasoning { format: FORMAT.to_owned(), model: model.to_owned(), items })
}

/// The pieces of a turn with `text` and so many calls. Where the text is no longer what it was, as when a key was blotted
/// out of it, the thoughts come first. Another model's thoughts mean nothing to this one.
pub(super) fn of_turn(reasoning: Option<&Reasoning>, model: &str, text: &str, calls: usize) -> Vec<Piece> {
    let kept = reasoning.filter(|reasoning| reasoning.format == FORMAT && reasoning.model == model);
    let kept = kept.and_then(|reasoning| Vec::<Piece>::deserialize(&reasoning.items).ok()).unwrap_or_default();
    if places(&kept, text) == Some(calls) {
        return kept;
    }
    let thoughts = kept.into_iter().filter(Piece::is_thought);
    let text = Piece::Text { bytes: text.len() };
    thoughts.chain([text]).chain(std::iter::repeat_n(Piece::ToolUse, calls)).collect()
}

/// Returns how many calls there are places for; `None` unless there is one for each part of the text.
fn places(pieces: &[Piece], text: &str) -> Option<usize> {
    let (mut end, mut calls) = (0_usize, 0);
    for piece in pieces {
        match piece {
            Piece::Text { bytes } => end = end.checked_add(*bytes).filter(|end| text.is_char_boundary(*end))?,
            Piece::ToolUse => calls += 1,
            Piece::Thinking { .. } | Piece::RedactedThinking { .. } => {}
        }
    }
    (end == text.len()).then_some(calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn thought(text: &str) -> Piece {
        Piece::Thinking { thinking: text.to_owned(), signature: "s".to_owned() }
    }

    #[test]
    fn a_turn_that_is_as_it_was_keeps_its_order() {
        let pieces = [
            thought("a"),
            Piece::Text { bytes: "ü".len() },
            Piece::RedactedThinking { data: "x".to_owned() },
            Piece::ToolUse,
            Piece::Text { bytes: 2 },
            Piece::ToolUse,
        ];
        let kept = to_keep(&pieces, "m").unwrap();
        assert_eq!(of_turn(Some(&kept), "m", "üab", 2), pieces);
    }

    #[test]
    fn a_turn_that_has_changed_has_its_thoughts_first() {
        let kept = to_keep(&[Piece::Text { bytes: 1 }, thought("a"), Piece::ToolUse], "m").unwrap();
        let first = |bytes, calls| [vec![thought("a"), Piece::Text { bytes }], vec![Piece::ToolUse; calls]].concat();
        for (text, calls) in [("", 1), ("xy", 1), ("ü", 1), ("x", 0), ("x", 2)] {
            assert_eq!(of_turn(Some(&kept), "m", text, calls), first(text.len(), calls), "{text} {calls}");
        }
    }

    #[test]
    fn thoughts_of_another_model_or_format_are_left_out() {
        let kept = to_keep(&[thought("a")], "m").unwrap();
        let plain = [Piece::Text { bytes: 1 }];
        assert_eq!(of_turn(Some(&kept), "n", "x", 0), plain);
        assert_eq!(of_turn(Some(&Reasoning { format: "gemini".into(), ..kept.clone() }), "m", "x", 0), plain);
        assert_eq!(of_turn(Some(&Reasoning { items: json!({"a": 1}), ..kept }), "m", "x", 0), plain);
        assert_eq!(of_turn(None, "m", "x", 0), plain);
    }

    #[test]
    fn without_thoughts_there_is_nothing_to_keep() {
        assert_eq!(to_keep(&[Piece::Text { bytes: 3 }, Piece::ToolUse], "m"), None);
    }
}
