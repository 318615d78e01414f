//! The places of signatures in an answer: kept with a turn to be sent back with it.
//!
//! Parts are known by their position, as their text and calls are stored elsewhere and a call's id may have changed.

use super::FORMAT;
use arki_domain::Reasoning;
use serde::{Deserialize, Serialize};

/// One part as the model sent it. Pieces of text that came without a signature are one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptPart {
    #[serde(flatten)]
    pub(super) place: Place,
    /// The vendor's, which its result has to carry too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Place {
    /// The end in the turn's text, in bytes.
    Text(usize),
    /// The end in the turn's thoughts, in bytes.
    Thought(usize),
    /// The index of the turn's call.
    Call(usize),
}

/// The parts of one answer, in the order in which they came.
#[derive(Default)]
pub(super) struct KeptParts(Vec<KeptPart>);

impl KeptParts {
    pub(super) fn add(&mut self, part: KeptPart) {
        match self.0.last_mut() {
            Some(last) if part.signature.is_none() && last.signature.is_none() && is_text_of_one_kind(last, &part) => {
                last.place = part.place;
            }
            _ => self.0.push(part),
        }
    }

    /// `None` where nothing has to be sent back.
    pub(super) fn into_reasoning(self, origin: &str) -> Option<Reasoning> {
        if !self.0.iter().any(|part| part.id.is_some() || part.signature.is_some()) {
            return None;
        }
        let items = serde_json::to_value(self.0).ok()?;
        Some(Reasoning { format: FORMAT.to_owned(), model: origin.to_owned(), items })
    }
}

fn is_text_of_one_kind(last: &KeptPart, part: &KeptPart) -> bool {
    matches!((last.place, part.place), (Place::Text(_), Place::Text(_)) | (Place::Thought(_), Place::Thought(_)))
}

/// Nothing where the turn is another provider's or model's: its signatures would be refused.
pub(super) fn kept_parts(reasoning: Option<&Reasoning>, origin: &str) -> Vec<KeptPart> {
    let ours = reasoning.filter(|reasoning| reasoning.format == FORMAT && reasoning.model == origin);
    ours.and_then(|reasoning| Vec::deserialize(&reasoning.items).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn part(place: Place, signature: Option<&str>) -> KeptPart {
        KeptPart { place, id: None, signature: signature.map(str::to_owned) }
    }

    #[test]
    fn unsigned_pieces_are_one_part_and_signed_ones_stay_apart() {
        let mut kept = KeptParts::default();
        for (end, signature) in [(1, None), (2, None), (2, Some("a")), (4, None)] {
            kept.add(part(Place::Text(end), signature));
        }
        kept.add(KeptPart { id: Some("c1".into()), ..part(Place::Call(0), Some("b")) });
        let reasoning = kept.into_reasoning("gemini-3.8-flash").unwrap();
        let expected = json!([{"text": 2}, {"text": 2, "signature": "a"}, {"text": 4},
            {"call": 0, "id": "c1", "signature": "b"}]);
        assert_eq!(reasoning.items, expected);
        assert_eq!(kept_parts(Some(&reasoning), "gemini-3.8-flash").len(), 4);
        assert_eq!(kept_parts(Some(&reasoning), "gemini-3.7-flash"), []);
        assert_eq!(kept_parts(Some(&Reasoning { format: "anthropic".into(), ..reasoning }), "gemini-3.8-flash"), []);
    }

    #[test]
    fn an_answer_without_signatures_leaves_nothing_to_send_back() {
        let mut kept = KeptParts::default();
        kept.add(part(Place::Thought(3), None));
        kept.add(part(Place::Call(0), None));
        assert_eq!(kept.into_reasoning("m"), None);
    }
}
