//! The command line of the desktop app: one folder, or nothing.

use std::path::{Path, PathBuf};

/// The folder that the arguments name, made absolute against the folder they were typed in. Options are not ours.
pub(crate) fn folder(arguments: impl IntoIterator<Item = String>, directory: &Path) -> Option<PathBuf> {
    let named = arguments.into_iter().skip(1).find(|argument| !argument.starts_with('-'))?;
    Some(directory.join(named))
}

/// `--version` and `--help`, which need no window.
pub(crate) fn answer_without_a_window(arguments: &[String]) -> Option<String> {
    match arguments.get(1).map(String::as_str) {
        Some("-V" | "--version") => Some(format!("arki-desktop {}", env!("CARGO_PKG_VERSION"))),
        Some("-h" | "--help") => {
            Some("Opens Arki's window, on a folder if one is given.\n\nUsage: arki-desktop [DIR]".to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_plain_argument_is_the_folder() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let typed_in = Path::new("/home/u");
        assert_eq!(folder(words(&["arki-desktop", "--x", "code"]), typed_in), Some(PathBuf::from("/home/u/code")));
        assert_eq!(folder(words(&["arki-desktop", "/p"]), typed_in), Some(PathBuf::from("/p")));
        assert_eq!(folder(words(&["arki-desktop"]), typed_in), None);
    }
}
