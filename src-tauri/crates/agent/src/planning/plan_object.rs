//! A plan as one JSON object.

use super::{Unreadable, calls, steps};
use arki_domain::ToolRequest;
use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PlanObject {
    pub(super) intent: Option<String>,
    pub(super) steps: Vec<String>,
    /// `None` where it does not speak of calls.
    pub(super) calls: Option<Vec<ToolRequest>>,
}

impl PlanObject {
    /// `None` for what is no plan.
    pub(super) fn read(value: &Value) -> Option<Result<Self, Unreadable>> {
        let fields = value.as_object()?;
        let field = |names: &[&str]| {
            fields.iter().find(|(name, _)| names.contains(&key(name).as_str())).map(|(_, value)| value)
        };
        let (intent, plan, wanted) = (field(&["intent"]), field(&["plan", "steps"]), field(&["toolcalls"]));
        if intent.is_none() && plan.is_none() && wanted.is_none() {
            return None;
        }
        let calls = match wanted {
            Some(wanted) => match calls::list(wanted) {
                Ok(calls) => Some(calls),
                Err(unreadable) => return Some(Err(unreadable)),
            },
            None => None,
        };
        let intent = intent.and_then(Value::as_str).map(str::trim).filter(|intent| !intent.is_empty());
        let steps = plan.map(steps::of_json).unwrap_or_default();
        Some(Ok(Self { intent: intent.map(str::to_owned), steps, calls }))
    }
}

/// A key whatever its case and separators.
pub(super) fn key(name: &str) -> String {
    name.chars().filter(|next| next.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
