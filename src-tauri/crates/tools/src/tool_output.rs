//! The answer of a tool.

/// Text for the model, and whether it was cut.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Output {
    pub text: String,
    pub truncated: bool,
}
