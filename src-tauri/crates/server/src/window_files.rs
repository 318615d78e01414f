//! The window's files: what is in one folder when the server starts, by their names in it, and nothing else.

use crate::answers::HttpRefusal;
use crate::serve::RouteState;
use arki_domain::{Code, Error, io_words};
use axum::extract::State;
use axum::http::{HeaderName, Uri, header};
use axum::response::{IntoResponse, Response};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The window's own rules (`tauri.conf.json`), and that no other page shows it in a frame.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; \
     form-action 'none'; frame-src 'none'; frame-ancestors 'none'";
const FIRST: &str = "/index.html";
/// Files below this path have their content's hash in their name.
const NAMED_BY_CONTENT: &str = "/assets/";
/// A built window has some 200.
const MAX_FILES: usize = 2000;

/// The files by their paths, each with a slash at its beginning.
#[derive(Debug)]
pub(crate) struct WindowFiles(BTreeMap<String, PathBuf>);

impl WindowFiles {
    /// # Errors
    /// `USAGE` where the folder isn't a built window.
    pub(crate) fn of(folder: &Path) -> Result<Self, Error> {
        let mut files = BTreeMap::new();
        let unusable = |why: &str| {
            let message = format!("The window's files in {} can't be served: {why}.", folder.display());
            Error::new(Code::USAGE, message, "Install Arki anew, or build them: `npm run build -w ui`.")
        };
        add(folder, "", &mut files).map_err(|error| unusable(io_words(error.kind())))?;
        if !files.contains_key(FIRST) {
            return Err(unusable("index.html is missing"));
        }
        Ok(Self(files))
    }

    fn get(&self, path: &str) -> Option<(&str, &Path)> {
        let path = if path == "/" { FIRST } else { path };
        self.0.get_key_value(path).map(|(path, file)| (path.as_str(), file.as_path()))
    }
}

/// Links aren't followed.
fn add(folder: &Path, below: &str, files: &mut BTreeMap<String, PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(|name| format!("{below}/{name}")) else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() {
            add(&entry.path(), &name, files)?;
        } else if kind.is_file() && files.len() < MAX_FILES {
            files.insert(name, entry.path());
        }
    }
    Ok(())
}

/// Answers with the file of this path.
pub(crate) async fn answer(State(shared): State<Arc<RouteState>>, uri: Uri) -> Response {
    let found = shared.window.as_ref().and_then(|window| window.get(uri.path()));
    let Some((path, file)) = found else { return HttpRefusal::from(crate::routes::not_there()).into_response() };
    match tokio::fs::read(file).await {
        Ok(bytes) => with_headers(path, bytes),
        Err(error) => {
            tracing::warn!(%error, path, "a file of the window can't be read");
            HttpRefusal::from(crate::routes::not_there()).into_response()
        }
    }
}

fn with_headers(path: &str, bytes: Vec<u8>) -> Response {
    let caching = if path.starts_with(NAMED_BY_CONTENT) { "private, max-age=31536000, immutable" } else { "no-store" };
    let headers = [
        (header::CONTENT_TYPE, media_type(path)),
        (header::CACHE_CONTROL, caching),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    (headers, bytes).into_response()
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_the_folder_is_there() {
        let folder = tempfile::tempdir().unwrap();
        assert!(WindowFiles::of(folder.path()).is_err());
        std::fs::create_dir(folder.path().join("assets")).unwrap();
        for name in ["index.html", "assets/main.js"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("passwd")).unwrap();
        let window = WindowFiles::of(folder.path()).unwrap();
        let found = |path| window.get(path).map(|(path, _)| path);
        assert_eq!(found("/"), Some("/index.html"));
        assert_eq!(found("/assets/main.js"), Some("/assets/main.js"));
        for path in ["/passwd", "/../index.html", "/assets/../index.html", "/assets", "/assets/", ""] {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn a_browser_keeps_the_rules_of_the_window() {
        let config: serde_json::Value = serde_json::from_str(include_str!("../../../../tauri.conf.json")).unwrap();
        let of_window = config["app"]["security"]["csp"].as_str().unwrap();
        let own_words = of_window.replace("connect-src ipc: http://ipc.localhost", "connect-src 'self'");
        assert_eq!(CONTENT_SECURITY_POLICY, format!("{own_words}; frame-ancestors 'none'"));
    }
}
