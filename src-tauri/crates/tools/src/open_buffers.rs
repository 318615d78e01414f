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

/// A port to an editor's open files.
#[async_trait]
pub trait OpenBuffers: Send + Sync {
    /// Asks for a file, by its absolute path. Bounded in time and size by whoever implements it.
    async fn text(&self, path: &Path) -> BufferText;
}
