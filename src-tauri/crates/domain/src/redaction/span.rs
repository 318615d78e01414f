//! The place of a secret in a text.

/// A secret's place, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The index of the known value; `None` for one that was recognised by its form.
    pub(super) known: Option<usize>,
    /// The name of its form.
    pub(super) name: &'static str,
}
