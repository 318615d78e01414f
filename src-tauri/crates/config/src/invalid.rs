//! The error of a configuration that says what it can't.

use arki_domain::{Code, Error};
use std::path::Path;

/// `reason` finishes the sentence “FILE can't be used: …”, without its full stop.
pub fn invalid(file: &Path, reason: &str) -> Error {
    Error::new(
        Code::CONFIG_INVALID,
        format!("{} can't be used: {reason}.", file.display()),
        "Fix the file, then run `arki doctor`.",
    )
}
