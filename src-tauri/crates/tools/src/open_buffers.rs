//! The files that an editor has open, perhaps with text that isn't on the disk yet.

use arki_domain::SessionId;
use async_trait::async_trait;
use std::path::Path;

/// An editor's answer about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BufferText {
    /// The file's text as the editor has it, saved or not.
    Text(String),
    /// The editor has nothing to say of this file.
    Unknown,
    /// It didn't answer in time, or nothing that can be used.
    Silent,
    /// It let go of the question, is gone, or its text is too long.
    Gone,
}

/// An editor's answer to a new text for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferWrite {
    /// The editor has it, and perhaps saved it.
    Taken,
    /// It has another text by now than the one to be replaced.
    Changed,
    Refused,
    /// It didn't answer in time: nobody knows whether it has it.
    Silent,
}

/// A text in the place of another.
#[derive(Debug, Clone, Copy)]
pub struct BufferChange<'a> {
    pub path: &'a Path,
    pub before: &'a str,
    pub after: &'a str,
}

/// A port to an editor's open files. Every question is bounded in time and size by whoever implements it; paths are
/// absolute, and the session is the one that asks, where it is known.
#[async_trait]
pub trait OpenBuffers: Send + Sync {
    async fn text(&self, session: Option<&SessionId>, path: &Path) -> BufferText;

    /// Keeps in mind whether a file was unsaved when the editor told of it.
    fn note(&self, path: &Path, is_unsaved: bool);

    fn was_unsaved(&self, path: &Path) -> bool;

    /// Returns whether the editor takes new texts for its files at all.
    fn takes_texts(&self) -> bool;

    /// Gives the editor a new text for a file that still has the old one. One after the other, whoever asks.
    async fn replace(&self, session: Option<&SessionId>, change: BufferChange<'_>) -> BufferWrite;
}
