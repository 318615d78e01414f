//! The state of a session (seed 004's `AgentState`): one JSON object that cores, tools and the user keep in it across runs.
//!
//! A rewind changes it like anybody else, by a `state.changed` of its own, so that the fold knows of nothing but these.

use crate::{Code, Error, EventBody, StateChanged, with_safe_numbers};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Bytes of a session's state as JSON.
pub const MAX_STATE_BYTES: usize = 256 * 1024;

/// When what a run changes in the state is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StateSavingStrategy {
    /// Stores the state at once, whenever a core sets it.
    #[default]
    Explicit,
    /// Once, when the run ends or waits: the differences to the state that is stored.
    Implicit,
}

/// A fold over a session's events; for a fork over its origins' first. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentState {
    values: Arc<Map<String, Value>>,
}

impl AgentState {
    /// Takes an event in. A change beyond [`MAX_STATE_BYTES`], which nobody stores who asks before, is passed over.
    pub fn apply(&mut self, body: &EventBody) {
        if let EventBody::StateChanged(change) = body
            && let Ok(changed) = self.changed(change)
        {
            *self = changed;
        }
    }

    #[must_use]
    pub fn values(&self) -> &Map<String, Value> {
        &self.values
    }

    /// Returns the state as it is after a change.
    ///
    /// # Errors
    /// `STATE_TOO_LARGE`.
    pub fn changed(&self, change: &StateChanged) -> Result<Self, Error> {
        let mut values = (*self.values).clone();
        change.removed.iter().for_each(|key| drop(values.remove(key)));
        // As the log has them: what a run sees doesn't change when it is stored.
        values.extend(change.set.iter().map(|(key, value)| (key.clone(), with_safe_numbers(value.clone()))));
        let bytes = serde_json::to_vec(&values).map_or(usize::MAX, |json| json.len());
        match bytes > MAX_STATE_BYTES {
            true => Err(too_large(bytes)),
            false => Ok(Self { values: Arc::new(values) }),
        }
    }

    /// Returns what has to change for the state to be `values`.
    #[must_use]
    pub fn change_to(&self, values: &Map<String, Value>) -> StateChanged {
        let is_new = |(key, value): &(&String, &Value)| self.values.get(*key) != Some(*value);
        let set = values.iter().filter(is_new).map(|(key, value)| (key.clone(), value.clone())).collect();
        StateChanged { set, removed: self.values.keys().filter(|key| !values.contains_key(*key)).cloned().collect() }
    }
}

fn too_large(bytes: usize) -> Error {
    Error::new(
        Code::STATE_TOO_LARGE,
        format!("The session's state would have {bytes} bytes, and the limit is {MAX_STATE_BYTES}."),
        "Remove keys that are no longer needed, or keep large texts in files or artifacts.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(of: &Value) -> Map<String, Value> {
        of.as_object().unwrap().clone()
    }

    fn folded(changes: impl IntoIterator<Item = StateChanged>) -> AgentState {
        let mut state = AgentState::default();
        changes.into_iter().for_each(|change| state.apply(&change.into()));
        state
    }

    #[test]
    fn keys_are_set_replaced_and_removed() {
        let both = StateChanged { set: values(&json!({"a": [1], "b": null})), removed: vec!["none".into()] };
        let state = folded([both, StateChanged::setting("a", 2), StateChanged::removing("b")]);
        assert_eq!(state.values(), &values(&json!({"a": 2})));
    }

    #[test]
    fn the_change_to_other_values_leads_there_and_says_no_more_than_it_must() {
        let state = folded([StateChanged { set: values(&json!({"a": 1, "b": 2})), removed: Vec::new() }]);
        let wanted = values(&json!({"b": 2, "c": 3}));
        let change = state.change_to(&wanted);
        assert_eq!(change, StateChanged { set: values(&json!({"c": 3})), removed: vec!["a".into()] });
        let changed = state.changed(&change).unwrap();
        assert_eq!(changed.values(), &wanted);
        assert!(changed.change_to(&wanted).is_empty());
    }

    #[test]
    fn a_number_is_as_the_log_has_it_from_the_first_on() {
        let changed = AgentState::default().changed(&StateChanged::setting("n", 9_007_199_254_740_993_u64)).unwrap();
        assert_eq!(changed.values(), &values(&json!({"n": "9007199254740993"})));
        assert!(changed.change_to(changed.values()).is_empty());
    }

    #[test]
    fn a_state_has_its_limit_and_a_log_that_goes_beyond_is_still_read() {
        let text = |bytes: usize| StateChanged::setting("k", "x".repeat(bytes));
        let around = r#"{"k":""}"#.len();
        assert!(AgentState::default().changed(&text(MAX_STATE_BYTES - around)).is_ok());
        let fault = AgentState::default().changed(&text(MAX_STATE_BYTES - around + 1)).unwrap_err();
        assert!(fault.is(Code::STATE_TOO_LARGE) && fault.message.contains("262145 bytes"), "{fault:?}");
        let state = folded([StateChanged::setting("a", 1), text(MAX_STATE_BYTES)]);
        assert_eq!(state.values(), &values(&json!({"a": 1})));
    }
}
