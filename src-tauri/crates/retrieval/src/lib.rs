//! The passages of a project that fit a question, from an index of its words.
//!
//! Every trusted folder has an index of its own in Arki's data, never in the project: a database of SQLite whose full-text
//! table holds the words of each chunk of 48 lines, identifiers split, ranked by BM25 ([0057](../../../../docs/decisions/0057-retrieval.md)
//! says why not by embeddings). The index holds no text. What a result shows is read from the file again, and redacted again.
//!
//! [`ContextProvider`] is the port that the tool `search_project` and the mention `@codebase` ask; [`ProjectIndex`]
//! implements it. Before a question is answered the index is brought up to date in the background: a walk, then only files
//! whose stamps changed are read. Who lacks patience gets what is indexed so far, and is told.
//!
//! *Architecture invariant:* nothing here knows tools, models or policy. What must not be read comes in as a set of globs.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod chunks;
mod content;
mod context_provider;
mod database;
mod definitions;
mod error;
mod excerpt;
mod places;
mod plan;
mod project_index;
mod question;
mod rows;
mod state;
mod update;
mod words;

pub use context_provider::{ContextPassage, ContextProvider, ContextQuery, FoundContext, NoContext};
pub use definitions::DEFINITION_WORDS;
pub use places::ProjectIndexes;
pub use plan::IndexLimits;
pub use project_index::ProjectIndex;

#[cfg(test)]
mod tests;
