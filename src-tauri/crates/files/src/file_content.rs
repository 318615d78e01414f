//! The content at a path: a file with its bytes, a symbolic link with its target, or an empty folder.

use std::io;
use std::ops::Deref;

use arki_edit::is_text;
use cap_std::fs::Dir;

use arki_domain::sha256_hex;

/// A file's content as one change knows it. Two are the same only where both are of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    File(Vec<u8>),
    /// The target of the link, as its text says it.
    Link(Vec<u8>),
    /// A folder with nothing in it. Only the effects of a command have one.
    Folder,
}

impl FileContent {
    /// True if everybody can make symbolic links on this system.
    pub const LINKS_CAN_BE_MADE: bool = cfg!(unix);

    pub fn is_link(&self) -> bool {
        matches!(self, Self::Link(_))
    }

    /// Returns whether it has lines to show; a folder has none, and is no binary either.
    pub fn is_text(&self) -> bool {
        is_text(self)
    }

    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Folder)
    }

    /// SHA-256 hex of the content; `None` of a folder, which has none.
    pub fn hash(&self) -> Option<String> {
        (!self.is_folder()).then(|| sha256_hex(self))
    }
}

impl From<Vec<u8>> for FileContent {
    fn from(bytes: Vec<u8>) -> Self {
        Self::File(bytes)
    }
}

impl Deref for FileContent {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::File(bytes) | Self::Link(bytes) => bytes,
            Self::Folder => &[],
        }
    }
}

/// Returns where the link at `path` leads, not followed.
pub(crate) fn link_target(dir: &Dir, path: &str) -> io::Result<Vec<u8>> {
    Ok(dir.read_link_contents(path)?.into_os_string().into_encoded_bytes())
}

/// It may lead anywhere, also out of the project: nothing is done through it.
#[cfg(unix)]
pub(crate) fn make_link(dir: &Dir, target: &[u8], path: &str) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    dir.symlink_contents(std::ffi::OsStr::from_bytes(target), path)
}

#[cfg(not(unix))]
pub(crate) fn make_link(_: &Dir, _: &[u8], _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
