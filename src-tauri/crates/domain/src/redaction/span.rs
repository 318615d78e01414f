//! Where a secret stands in a text.

/// A secret's place, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which of the known values it is; otherwise it was recognised by its form.
    pub(super) known: Option<usize>,
    /// What its form is called.
    pub(super) name: &'static str,
}
