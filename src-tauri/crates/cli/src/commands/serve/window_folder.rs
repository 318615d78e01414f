//! The folder of the window's files: where the installers put it, or where it was built.

use arki_domain::{Code, Error};
use std::path::PathBuf;

/// From the folder of `arki` itself: beside it (Windows), in Linux' packages, in the app's bundle (macOS), and in the
/// repository that it was built in.
const PLACES: [&str; 4] = ["ui", "../share/arki/ui", "../Resources/ui", "../../ui/dist"];

/// # Errors
/// `USAGE` where it was installed without the window.
pub(super) fn find() -> Result<PathBuf, Error> {
    let program = std::env::current_exe().and_then(|program| program.canonicalize()).map_err(Error::internal)?;
    let folder = program.parent().unwrap_or(&program);
    let places = PLACES.iter().map(|place| folder.join(place));
    places.into_iter().find(|place| place.join("index.html").is_file()).ok_or_else(|| {
        let message = "The window's files aren't where `arki` is installed.";
        Error::new(Code::USAGE, message, "Install Arki with its installer, or build them: `npm run build -w ui`.")
    })
}
