//! The text of documents: PDF, word processing, slides and sheets, each page with its number.
//!
//! Bytes in, text out. It is meant for a process of its own (`arki-tools` starts it), since strangers made the bytes: a
//! library that gives up in the middle ends that process, and memory and the last seconds are limited from outside. What
//! can be counted here is: pages, text, unpacked bytes, and the time between two pages.
//!
//! *Architecture invariant:* it opens no file, starts nothing, and knows no other crate of ours.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod answer;
mod archive;
mod document;
mod markup;
mod office;
mod page_lines;
mod paged_text;
mod pdf;
mod sheets;

pub use answer::{DocumentError, DocumentText};
pub use document::{document_text, is_document, is_document_name};
pub use paged_text::{MAX_PAGES, MAX_TEXT_BYTES, ReadingLimits};

#[cfg(test)]
mod tests;
