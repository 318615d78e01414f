//! The changes that a command made in its view.

use std::path::PathBuf;

/// A change that a command made in its view, by path relative to the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ViewChange {
    pub path: PathBuf,
    pub kind: ViewChangeKind,
    /// Somebody else changed it in the project since the view was made: nobody knows which of it the command has seen.
    pub has_changed_outside: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViewChangeKind {
    /// A file or link is there that was not, or was opened for writing, or has other rights.
    Written,
    /// A file or link is gone.
    Removed,
    FolderAdded,
    FolderRemoved,
    /// A pipe, a socket or a device; it can't become part of a project.
    Special,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ViewChanges {
    /// In order of their paths.
    pub changes: Vec<ViewChange>,
    /// There are more than were asked for.
    pub has_more: bool,
}

/// The content that a command left at one path of its view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewEntry {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
}
