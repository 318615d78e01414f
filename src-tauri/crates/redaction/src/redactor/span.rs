//! The place of a secret in a text.

use super::known::KnownSecrets;
use std::ops::Range;

/// A secret's place, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The index of the known value; `None` for one that was recognised by its form.
    pub(super) known: Option<usize>,
    /// The index of the user's rule that matched.
    pub(super) rule: Option<usize>,
    /// The name of its form.
    pub(super) name: &'static str,
}

impl SecretSpan {
    /// The place of a secret that was recognised by its form.
    pub(super) fn of_form(place: Range<usize>, name: &'static str) -> Self {
        Self { start: place.start, end: place.end, known: None, rule: None, name }
    }

    pub(super) fn place(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The name of its form or of its rule.
    pub(super) fn name<'a>(&self, known: &'a KnownSecrets) -> &'a str {
        self.rule.map_or(self.name, |rule| &known.rules.rule(rule).name)
    }
}
