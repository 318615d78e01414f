//! The command line of the desktop app: one folder, one link, or nothing.

use arki_domain::SessionId;
use std::path::{Path, PathBuf};

const SCHEME: &str = "arki:";
const FILE: &str = "file:";
/// The beginning of a link to a session; the id follows.
const SESSION_LINK: &str = "arki://session/";

/// The wish that the app is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    Folder(PathBuf),
    /// A session, by a link `arki://session/ID`. A link only shows: whoever made it gets nothing done by it.
    Session(SessionId),
    Nothing,
}

/// Reads what the arguments ask for; a folder is made absolute against the folder they were typed in. Options are not
/// ours, and of a link that leads nowhere nothing is known but that.
pub(crate) fn asked(arguments: impl IntoIterator<Item = String>, directory: &Path) -> Asked {
    match arguments.into_iter().skip(1).find(|argument| !argument.starts_with('-')) {
        None => Asked::Nothing,
        Some(url) if url.starts_with(SCHEME) || url.starts_with(FILE) => asked_by_url(&url),
        Some(named) => Asked::Folder(directory.join(named)),
    }
}

/// Reads what a desktop asks for, which speaks of folders by URLs too.
pub(crate) fn asked_by_url(url: &str) -> Asked {
    let folder =
        tauri::Url::parse(url).ok().filter(|url| url.scheme() == "file").and_then(|url| url.to_file_path().ok());
    folder.map(Asked::Folder).or_else(|| session_in(url).map(Asked::Session)).unwrap_or(Asked::Nothing)
}

/// Returns the session that a link leads to.
fn session_in(link: &str) -> Option<SessionId> {
    let id = link.strip_prefix(SESSION_LINK)?.trim_end_matches('/');
    let is_id = id.len() == 36 && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    is_id.then(|| SessionId::from(id.to_ascii_lowercase()))
}

/// `--version` and `--help`, which need no window.
pub(crate) fn answer_without_a_window(arguments: &[String]) -> Option<String> {
    match arguments.get(1).map(String::as_str) {
        Some("-V" | "--version") => Some(format!("arki-desktop {}", env!("CARGO_PKG_VERSION"))),
        Some("-h" | "--help") => Some(
            "Opens Arki's window, on a folder or a session if one is given.\n\n\
             Usage: arki-desktop [DIR | arki://session/ID]"
                .to_owned(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_by(words: &[&str]) -> Asked {
        asked(words.iter().map(|word| (*word).to_owned()), Path::new("/home/u"))
    }

    #[test]
    fn the_first_plain_argument_is_the_folder() {
        assert_eq!(asked_by(&["arki-desktop", "--x", "code"]), Asked::Folder(PathBuf::from("/home/u/code")));
        assert_eq!(asked_by(&["arki-desktop", "/p"]), Asked::Folder(PathBuf::from("/p")));
        assert_eq!(asked_by(&["arki-desktop"]), Asked::Nothing);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_may_be_named_by_its_url() {
        let named = asked_by(&["arki-desktop", "file:///home/u/my%20code"]);
        assert_eq!(named, Asked::Folder(PathBuf::from("/home/u/my code")));
        assert_eq!(asked_by(&["arki-desktop", "file://elsewhere/x"]), Asked::Nothing);
    }

    #[test]
    fn a_link_leads_to_a_session_and_to_nothing_else() {
        let id = "0199c0de-0000-7000-8000-00000000abcd";
        let session = Asked::Session(SessionId::from(id.to_owned()));
        assert_eq!(asked_by(&["arki-desktop", &format!("arki://session/{id}")]), session);
        assert_eq!(asked_by(&["arki-desktop", &format!("arki://session/{}/", id.to_uppercase())]), session);
        for link in ["arki:", "arki://session/", "arki://open/etc", "arki://session/../../etc/passwd-and-so-on-to-36"] {
            assert_eq!(asked_by(&["arki-desktop", link]), Asked::Nothing, "{link}");
        }
        assert_eq!(asked_by(&["arki-desktop", &format!("arki://session/{id}?prompt=x")]), Asked::Nothing);
    }
}
