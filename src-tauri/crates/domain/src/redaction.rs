//! Keeps loaded keys out of whatever is stored, shown or sent.

use serde_json::Value;
use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

/// Shorter values are not redacted: they would mangle ordinary text.
const SHORTEST_SECRET: usize = 8;

/// The values of every key loaded so far. Clones share them.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Arc<RwLock<Vec<Secret>>>,
}

struct Secret {
    label: String,
    value: Zeroizing<String>,
}

impl Redactor {
    /// From now on `value` is replaced by `[redacted: label]`.
    pub fn add(&self, label: &str, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST_SECRET {
            return;
        }
        let mut secrets = self.secrets.write().unwrap_or_else(PoisonError::into_inner);
        if !secrets.iter().any(|secret| secret.value.as_str() == value) {
            secrets.push(Secret { label: label.to_owned(), value: Zeroizing::new(value.to_owned()) });
            secrets.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        }
    }

    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let secrets = self.secrets.read().unwrap_or_else(PoisonError::into_inner);
        let mut text = Cow::Borrowed(text);
        for secret in secrets.iter().filter(|secret| !secret.value.is_empty()) {
            if text.contains(secret.value.as_str()) {
                text = Cow::Owned(text.replace(secret.value.as_str(), &replacement(&secret.label)));
            }
        }
        text
    }

    /// Every string of the value, keys of objects included.
    #[must_use]
    pub fn redact_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.redact(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(redacted) => Value::String(redacted),
            },
            Value::Array(items) => items.into_iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(map) => {
                map.into_iter().map(|(key, item)| (self.redact(&key).into_owned(), self.redact_json(item))).collect()
            }
            other => other,
        }
    }

    /// The length in bytes of the longest end of `text` that might be the beginning of a secret.
    pub(crate) fn undecided_tail(&self, text: &str) -> usize {
        let secrets = self.secrets.read().unwrap_or_else(PoisonError::into_inner);
        secrets.iter().map(|secret| longest_overlap(text, &secret.value)).max().unwrap_or(0)
    }
}

fn replacement(label: &str) -> String {
    format!("[redacted: {label}]")
}

/// The longest proper prefix of `secret` that `text` ends with.
fn longest_overlap(text: &str, secret: &str) -> usize {
    (1..secret.len().min(text.len() + 1))
        .rev()
        .find(|&length| secret.is_char_boundary(length) && text.as_bytes().ends_with(&secret.as_bytes()[..length]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redactor() -> Redactor {
        let redactor = Redactor::default();
        redactor.add("lab", "sk-secret-123\n");
        redactor
    }

    #[test]
    fn a_key_is_replaced_wherever_it_turns_up() {
        let value = redactor().redact_json(json!({"a": ["x sk-secret-123 y"], "sk-secret-123": 1}));
        assert_eq!(value, json!({"a": ["x [redacted: lab] y"], "[redacted: lab]": 1}));
    }

    #[test]
    fn the_longer_of_two_overlapping_keys_wins() {
        let redactor = redactor();
        redactor.add("long", "sk-secret-123-and-more");
        assert_eq!(redactor.redact("sk-secret-123-and-more"), "[redacted: long]");
    }

    #[test]
    fn short_values_are_left_alone() {
        let redactor = Redactor::default();
        redactor.add("x", "abc");
        assert_eq!(redactor.redact("abc"), "abc");
    }
}
