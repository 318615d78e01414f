//! Edits and patches that can't be applied, and files that are no text.

mod edit;
mod not_text;
mod patch;

pub use edit::{Candidate, EditError};
pub use not_text::NotText;
pub use patch::PatchError;
