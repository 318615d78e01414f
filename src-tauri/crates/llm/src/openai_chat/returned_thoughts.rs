//! Returns thoughts, and a vendor's own data on a call (`extra_content`), to servers of an unknown make, with the calls
//! that they came with.
//!
//! Some (Kimi's) refuse a call without its thoughts, others refuse to hear of them; those that give them know the name
//! they gave them under. So that is noted with the turn, and only then they go back, to the same model. Gemini behind
//! this API refuses a call without the signature that came on it.

use arki_domain::Reasoning;
use serde_json::{Value, json};

const FORMAT: &str = "reasoning_content";

/// Returns what is stored with a turn; `None` if there is nothing to give back. `extras` are those of the turn's calls,
/// in their order.
pub(super) fn kept(model: &str, name: Option<&str>, extras: &[Option<Value>]) -> Option<Reasoning> {
    let has_extras = extras.iter().any(Option::is_some);
    let items = match name {
        Some(FORMAT) if !has_extras => Value::Null,
        _ => json!({ "name": name, "extras": extras }),
    };
    (name.is_some() || has_extras).then(|| Reasoning { format: FORMAT.to_owned(), model: model.to_owned(), items })
}

fn items<'r>(model: &str, reasoning: Option<&'r Reasoning>) -> Option<&'r Value> {
    let is_ours = |reasoning: &&Reasoning| reasoning.format == FORMAT && reasoning.model == model;
    reasoning.filter(is_ours).map(|reasoning| &reasoning.items)
}

/// Returns the name under which the model gave its thoughts.
pub(super) fn name<'r>(model: &str, reasoning: Option<&'r Reasoning>) -> Option<&'r str> {
    let items = items(model, reasoning)?;
    if items.is_null() { Some(FORMAT) } else { items.get("name")?.as_str() }
}

/// Returns what came with the turn's call of this number.
pub(super) fn extra<'r>(model: &str, reasoning: Option<&'r Reasoning>, call: usize) -> Option<&'r Value> {
    items(model, reasoning)?.get("extras")?.get(call).filter(|extra| !extra.is_null())
}
