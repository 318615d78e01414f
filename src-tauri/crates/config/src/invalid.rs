//! The error of a configuration that says what it can't.

use arki_domain::{Code, Error};
use std::path::Path;

/// `reason` finishes the sentence “FILE can't be used: …”, without its full stop.
pub fn invalid(file: &Path, reason: &str) -> Error {
    let message = format!("{} can't be used: {reason}.", file.display());
    Error::new(Code::CONFIG_INVALID, message, "Fix the file, then run `arki doctor`.")
}
