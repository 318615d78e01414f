//! Listing a folder: sorted, bounded, without what git ignores and without `.git` itself.

use cap_std::fs::Metadata;
use serde::Serialize;

use crate::error::Result;
use crate::project::{Project, ProjectPath};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    File,
    Folder,
    /// A link that was not followed.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl EntryKind {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let kind = metadata.file_type();
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Special
        }
    }

    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
            Self::Link => "link",
            Self::Special => "pipe, socket or device",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Relative to the project. What can't be seen in it is escaped, such as `\u{202e}`.
    pub path: String,
    pub kind: EntryKind,
    /// Bytes, for a file.
    pub size: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// A folder stands before what is in it; siblings are in byte order.
    pub entries: Vec<Entry>,
    /// There is more than `max_entries`.
    pub truncated: bool,
    /// Folders and files that could not be looked at, for want of permission.
    pub unreadable: Vec<String>,
}

/// Lists `path`; `depth` 1 is its own entries.
pub fn list(_project: &Project, _path: &ProjectPath, _depth: usize, _max_entries: usize) -> Result<Listing> {
    todo!()
}
