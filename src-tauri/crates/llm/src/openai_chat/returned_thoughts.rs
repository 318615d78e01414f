//! Thoughts that go back to a server of an unknown make, with the calls they led to.
//!
//! Some (Kimi's) refuse a call without them, others refuse to hear of them; those that give them as `reasoning_content`
//! know the name. So it is noted with the turn that they were given so, and only then they go back, to the same model.

use arki_domain::Reasoning;
use serde_json::Value;

const FORMAT: &str = "reasoning_content";

/// To be kept with a turn whose thoughts came under that name.
pub(super) fn wanted_by(model: &str) -> Reasoning {
    Reasoning { format: FORMAT.to_owned(), model: model.to_owned(), items: Value::Null }
}

pub(super) fn are_wanted_by(model: &str, reasoning: &Reasoning) -> bool {
    reasoning.format == FORMAT && reasoning.model == model
}
