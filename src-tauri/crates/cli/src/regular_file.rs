//! Files that a user names are read to their end, which a pipe or a device may not have.

use crate::exit::wrong_use;
use arki_domain::{Error, io_words};
use std::path::Path;

/// A folder, or nothing, is for whoever opens it to tell of.
///
/// # Errors
/// `USAGE` for what may never end.
pub(crate) fn ensure(file: &Path) -> Result<(), Error> {
    match std::fs::metadata(file) {
        Ok(found) if !found.is_file() && !found.is_dir() => Err(wrong_use(
            format!("{} is not a regular file.", file.display()),
            "Save it to a file first, and use that.",
        )),
        _ => Ok(()),
    }
}

pub(crate) fn unreadable(file: &Path, error: &std::io::Error, hint: &str) -> Error {
    wrong_use(format!("{} can't be read: {}.", file.display(), io_words(error.kind())), hint)
}
