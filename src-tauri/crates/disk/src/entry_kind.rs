//! Kinds of entries in a folder, and their permission bits.

use cap_std::fs::{FileType, Metadata};
use serde::Serialize;

/// The kind of an entry in a folder.
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
    /// Returns the kind of an entry looked at without following a link.
    pub fn of(metadata: &Metadata) -> Self {
        Self::of_type(metadata.file_type())
    }

    /// The same by the type alone.
    pub fn of_type(kind: FileType) -> Self {
        match (kind.is_file(), kind.is_dir(), kind.is_symlink()) {
            (true, ..) => Self::File,
            (_, true, _) => Self::Folder,
            (.., true) => Self::Link,
            _ => Self::Special,
        }
    }

    /// Returns the noun for a sentence, after "a".
    pub fn noun(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Folder => "folder",
            Self::Link => "link",
            Self::Special => "pipe, socket or device",
        }
    }
}

/// The permission bits; 0 where there are none.
#[cfg(unix)]
pub fn mode_of(metadata: &Metadata) -> u32 {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o7777
}

#[cfg(not(unix))]
pub fn mode_of(_: &Metadata) -> u32 {
    0
}
