//! Sentences for the errors of the operating system. Pure: the kind of an error, and no error itself.

use std::io::ErrorKind;

/// Completes "… can't be opened: …", without a full stop.
#[must_use]
pub fn io_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "no such file or folder",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::AlreadyExists => "something with that name already exists",
        ErrorKind::IsADirectory => "it is a folder",
        ErrorKind::NotADirectory => "part of the path is a file, not a folder",
        ErrorKind::DirectoryNotEmpty => "the folder is not empty",
        ErrorKind::InvalidFilename => "the name is too long or not allowed",
        ErrorKind::InvalidData => "it is not UTF-8 text",
        ErrorKind::StorageFull => "the disk is full",
        ErrorKind::QuotaExceeded => "the disk quota is used up",
        ErrorKind::FileTooLarge => "it would be too large for the disk",
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        ErrorKind::ResourceBusy | ErrorKind::WouldBlock => "another program is using it",
        ErrorKind::TimedOut => "it took too long",
        ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof => "the other side closed the connection",
        ErrorKind::OutOfMemory => "there is not enough memory",
        _ => "the system reported an error",
    }
}
