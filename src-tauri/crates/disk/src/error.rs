//! Files that can't be read or written, and the one place where `io::Error` is translated.

use arki_domain::{Code, Error};
use std::fmt;
use std::io;

/// The action on a file that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    Read,
    Write,
    Delete,
    List,
}

impl fmt::Display for FileAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::List => "list",
        })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{path} does not exist.")]
    NotFound { path: String },
    #[error("{path} is larger than {limit} bytes.")]
    TooLarge { path: String, limit: u64 },
    #[error("{path} is a {kind}, not a file.")]
    NotRegular { path: String, kind: &'static str },
    #[error("{path} is a file, not a folder.")]
    NotFolder { path: String },
    #[error("{path} is a link to something that does not exist.")]
    BrokenLink { path: String },
    #[error("{path} is a link that leads back to itself.")]
    LinkLoop { path: String },
    /// A link to a protected file: by its own name it would not need approval.
    #[error("{path} leads through a link to {real}, which is protected.")]
    Disguised { path: String, real: String },
    #[error("{path} is behind a link, in {real}.")]
    BehindLink { path: String, real: String },
    #[error("Can't write {path}: its folder doesn't exist.")]
    NoFolder { path: String },
    #[error("{path} is a folder, so no file can be written there.")]
    NameMissing { path: String },
    #[error("No permission to {action} {path}.")]
    PermissionDenied { path: String, action: FileAction },
    #[error("The disk is full: {path} was not written.")]
    DiskFull { path: String },
    #[error("The disk that holds {path} is read-only.")]
    ReadOnlyDisk { path: String },
    #[error("The name of {path} is too long for this disk.")]
    NameTooLong { path: String },
    #[error("Too many files are open to {action} {path}.")]
    TooManyOpen { path: String, action: FileAction },
    #[error("Another process keeps {path} locked.")]
    Busy { path: String },
    /// The rest; `source` is for the log, not for readers.
    #[error("Can't {action} {path}: the disk reported a failure.")]
    Io { path: String, action: FileAction, source: io::Error },
}

impl FileError {
    /// Returns the error for this path that an `io::Error` stands for.
    pub fn of(path: &str, action: FileAction, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path, action },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnlyDisk { path },
            io::ErrorKind::InvalidFilename => Self::NameTooLong { path },
            io::ErrorKind::NotADirectory => Self::NotFolder { path },
            io::ErrorKind::IsADirectory => Self::NotRegular { path, kind: "folder" },
            #[cfg(unix)]
            _ if error.raw_os_error() == Some(libc::ELOOP) => Self::LinkLoop { path },
            #[cfg(unix)]
            _ if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                Self::TooManyOpen { path, action }
            }
            _ => Self::Io { path, action, source: error },
        }
    }

    pub fn code(&self) -> Code {
        match self {
            Self::NotFound { .. } | Self::BrokenLink { .. } | Self::LinkLoop { .. } => Code::FILE_NOT_FOUND,
            Self::TooLarge { .. } => Code::FILE_TOO_LARGE,
            Self::NotRegular { .. } => Code::FILE_NOT_TEXT,
            Self::NotFolder { .. } | Self::NoFolder { .. } => Code::FOLDER_UNAVAILABLE,
            Self::Disguised { .. } | Self::BehindLink { .. } => Code::PERMISSION_DENIED,
            Self::PermissionDenied { .. } | Self::ReadOnlyDisk { .. } => Code::PERMISSION_DENIED,
            Self::NameMissing { .. } => Code::USAGE,
            Self::DiskFull { .. } => Code::DISK_FULL,
            Self::NameTooLong { .. } => Code::PATH_INVALID,
            Self::TooManyOpen { .. } | Self::Busy { .. } | Self::Io { .. } => Code::IO_FAILED,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::NotFound { .. } => "List the folder to see what is there.",
            Self::TooLarge { .. } => "Search it, or read a part of it with a command such as `head`.",
            Self::NotRegular { kind: "folder", .. } => "List it instead.",
            Self::NotRegular { .. } => "Only regular files are read and written.",
            Self::NotFolder { .. } => "Read it instead, or give the folder that contains it.",
            Self::BrokenLink { .. } => "Create the link's target, or remove the link.",
            Self::LinkLoop { .. } => "Remove the link, or name the file that it should lead to.",
            Self::Disguised { real, .. } => return format!("Use the path {real} itself."),
            Self::BehindLink { .. } => "Remove the link, or name the file where it is.",
            Self::NoFolder { .. } => "Create the folder first, or choose another place.",
            Self::NameMissing { path } => return format!("Name a file in it, such as {}.", example_in(path)),
            Self::PermissionDenied { .. } => "Change the permissions of the file or its folder.",
            Self::DiskFull { .. } => "Free some space and try again; nothing was changed.",
            Self::ReadOnlyDisk { .. } => "Mount the disk writable, or copy the project elsewhere.",
            Self::NameTooLong { .. } => "Choose a shorter name.",
            Self::TooManyOpen { .. } => "Close other programs, or raise the limit (`ulimit -n`).",
            Self::Busy { .. } => "Try again. If it happens again, end the other Arki process.",
            Self::Io { .. } => "Try again; if it happens again, check the disk. The log has the details.",
        }
        .to_owned()
    }
}

fn example_in(folder: &str) -> String {
    format!("{}/session.md", folder.trim_end_matches('/'))
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
