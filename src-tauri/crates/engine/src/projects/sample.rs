//! A small project to try Arki on, in a new folder of the user's.

use arki_disk::make_folder;
use arki_domain::{Code, Error};
use std::path::PathBuf;

const NAME: &str = "arki-sample";

const FILES: &[(&str, &[u8])] = &[
    ("README.md", include_bytes!("../../sample/README.md")),
    ("NOTES.md", include_bytes!("../../sample/NOTES.md")),
    ("plants.csv", include_bytes!("../../sample/plants.csv")),
    ("windowsill.py", include_bytes!("../../sample/windowsill.py")),
];

/// Makes the sample project in the user's home and returns its folder, which nobody trusts yet. Blocking.
///
/// # Errors
/// `FOLDER_UNAVAILABLE` where there is no home; when nothing can be written there.
pub fn make_sample() -> Result<PathBuf, Error> {
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        let message = "The sample can't be made: your home folder isn't known.";
        Error::new(Code::FOLDER_UNAVAILABLE, message, "Open a folder of yours instead.")
    })?;
    Ok(make_folder(&home, NAME, FILES)?)
}
