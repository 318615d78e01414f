//! The files that an editor has open, perhaps with text that isn't on the disk yet.

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
}

/// An editor's answer to a new text for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferWrite {
    /// The editor has it, and perhaps saved it.
    Taken,
    Refused,
    /// It didn't answer in time: nobody knows whether it has it.
    Silent,
}

/// A port to an editor's open files.
#[async_trait]
pub trait OpenBuffers: Send + Sync {
    /// Asks for a file, by its absolute path. Bounded in time and size by whoever implements it.
    async fn text(&self, path: &Path) -> BufferText;

    /// Returns whether the editor takes new texts for its files at all.
    fn takes_texts(&self) -> bool;

    /// Gives the editor a new text for a file. Bounded in time like a question.
    async fn write(&self, path: &Path, text: &str) -> BufferWrite;
}
