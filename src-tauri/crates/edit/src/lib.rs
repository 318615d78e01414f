//! Places a text: finds what an edit or a patch means in a file, and the file after it.
//!
//! A file is decoded ([`TextFile`]), edited ([`apply_edits`]), replaced ([`rewritten`]) or patched ([`patch`]); two changes
//! of one file are merged ([`merge()`]). How lines are compared, and what takes their place, is in `fit`.
//!
//! *Architecture invariant:* pure. Nothing here reads or writes a file, and paths are only words for an error.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod edit;
mod error;
mod fit;
mod likeness;
mod line_endings;
mod merge;
pub mod patch;
mod text_file;

pub use edit::{Edited, TextEdit, apply_edits, check_edits, refuse_placeholder, rewritten};
pub use error::{Candidate, EditError, NotText, PatchError};
pub use fit::{Fit, Tier, Typing};
pub use line_endings::{Eol, split_lines, with_known_endings, without_ending};
pub use merge::{KeptMerge, Merge, merge, merge_keeping};
pub use text_file::{EDIT_LIMIT_BYTES, TextFile, is_text, not_text};
