//! A patch over several files, in either form that models write: the `*** Begin Patch` envelope or a unified diff. Pure.
//!
//! The parser (`parse`) is strict about structure and forgiving about what models get wrong: line numbers, counts, a
//! blank line without its space, a fence around the whole. Where a hunk belongs its text decides (`place`).

mod envelope;
mod hunk_body;
mod insertion;
mod parse;
mod place;
mod unified;
mod wrapping;

pub use parse::{FilePatch, PatchAction, PatchHunk, parse, patch_paths};
pub use place::{HunkProblem, Patched, learn, patched, places};
