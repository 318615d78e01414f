//! Turning text into a [`ProjectPath`], or saying why not. Looks at no file.

use std::fmt;
use std::path::{Component, Path};

use arki_domain::is_hidden;
use serde::Serialize;

use crate::error::PathError;

/// Longest path accepted, in bytes; Linux's own `PATH_MAX`.
const MAX_PATH_BYTES: usize = 4096;

/// A path relative to the project's root: `/`-separated, without `.` or `..` (`.` alone is the root), free of
/// characters that can't be seen. That it exists, or that no link on it leads out, is not promised.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ProjectPath(String);

impl ProjectPath {
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_root(&self) -> bool {
        self.0 == "."
    }

    /// The last component; `.` for the root.
    pub fn name(&self) -> &str {
        super::split_parent(&self.0).1
    }

    /// The folder it is in; the root for the root.
    pub(crate) fn folder(&self) -> Self {
        Self(super::split_parent(&self.0).0.to_owned())
    }

    /// `name` is a single component of a path that was resolved.
    pub(crate) fn join(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// Makes a path from one in a log. `None` if it can't be written so.
    #[must_use]
    pub fn recorded(path: &str) -> Option<Self> {
        resolve(path, &[]).ok()
    }

    /// Makes a path from one that a walk below the root found. `None` if it is not UTF-8, or hides something.
    pub(crate) fn from_walk(relative: &Path) -> Option<Self> {
        let text = relative.to_str()?;
        if cfg!(windows) {
            return resolve(&text.replace('\\', "/"), &[]).ok();
        }
        resolve(text, &[]).ok()
    }

    /// Makes a path from cap-std's canonical form, with components below it that do not exist yet, last first.
    pub(super) fn from_real(real: &Path, missing: &[&str]) -> Self {
        let mut parts: Vec<String> = real
            .components()
            .filter_map(|part| match part {
                Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            })
            .collect();
        parts.extend(missing.iter().rev().map(|name| (*name).to_owned()));
        Self::from_parts(&parts)
    }

    fn from_parts<S: AsRef<str>>(parts: &[S]) -> Self {
        if parts.is_empty() {
            return Self::root();
        }
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        Self(parts.join("/"))
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<Path> for ProjectPath {
    fn as_ref(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// The system whose reading of a name counts. The rules of all are tried on each, so that none is only known where it
/// is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    Unix,
    Windows,
}

const HERE: System = if cfg!(windows) { System::Windows } else { System::Unix };

/// `roots` are the absolute spellings of the project's root.
pub(super) fn resolve(path: &str, roots: &[&Path]) -> Result<ProjectPath, PathError> {
    resolve_on(HERE, path, roots)
}

fn resolve_on(system: System, path: &str, roots: &[&Path]) -> Result<ProjectPath, PathError> {
    if path.trim().is_empty() {
        return Err(PathError::Empty);
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong { bytes: path.len(), limit: MAX_PATH_BYTES });
    }
    refuse_hidden_characters(path)?;
    let outside = || PathError::Outside { path: path.to_owned() };
    let relative = relative_to_root(system, path, roots).ok_or_else(outside)?;
    let mut parts: Vec<&str> = Vec::new();
    for part in relative.split(|character| character == '/' || (system == System::Windows && character == '\\')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or_else(outside)?;
            }
            name => parts.push(name),
        }
    }
    refuse_reserved(system, path, &parts)?;
    Ok(ProjectPath::from_parts(&parts))
}

/// `None` when the path is of another place: another root, a drive, a share, a home directory. Drives and
/// shares are refused on every platform; on Unix they would silently become odd file names.
fn relative_to_root(system: System, path: &str, roots: &[&Path]) -> Option<String> {
    if Path::new(path).is_absolute() {
        let path = lexical(path)?;
        return roots.iter().find_map(|root| below(&path, &lexical(root.to_str()?)?));
    }
    let has_drive = path.as_bytes().get(1) == Some(&b':')
        && path.as_bytes()[0].is_ascii_alphabetic()
        && matches!(path.as_bytes().get(2), None | Some(b'/' | b'\\'));
    let is_rooted = path.starts_with('/') || path.starts_with("\\\\");
    // The same drive's top, wherever that is.
    let is_rooted = is_rooted || (system == System::Windows && path.starts_with('\\'));
    let is_foreign = is_rooted || path == "~" || path.starts_with("~/") || has_drive;
    (!is_foreign).then(|| path.to_owned())
}

/// The parts of an absolute path with `..` taken out, its prefix (a drive) first. `None` when it climbs
/// above the top, or is not plain.
fn lexical(path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    let mut floor = 0;
    for component in Path::new(path).components() {
        match component {
            Component::Prefix(prefix) => {
                let text = prefix.as_os_str().to_str()?;
                parts.push(text.trim_start_matches(r"\\?\").to_uppercase());
                floor = 1;
            }
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir if parts.len() > floor => {
                parts.pop();
            }
            Component::ParentDir => return None,
            Component::Normal(name) => parts.push(name.to_str()?.to_owned()),
        }
    }
    Some(parts)
}

fn below(path: &[String], root: &[String]) -> Option<String> {
    let rest = path.strip_prefix(root)?;
    Some(if rest.is_empty() { ".".to_owned() } else { rest.join("/") })
}

fn refuse_hidden_characters(path: &str) -> Result<(), PathError> {
    match path.chars().find(|character| is_hidden(*character)) {
        None => Ok(()),
        Some(character) => Err(PathError::Suspicious { path: escape_hidden(path), code_point: u32::from(character) }),
    }
}

/// Shows what could not be seen: `a\u{200b}b`.
pub(crate) fn escape_hidden(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Refuses a name that is also something else on some system. A fork of a file on macOS would be the file under another
/// name; nobody names a folder so, so it is refused everywhere. What only Windows reserves is an ordinary name
/// elsewhere.
fn refuse_reserved(system: System, path: &str, parts: &[&str]) -> Result<(), PathError> {
    let is_reserved = |part: &str| {
        part.eq_ignore_ascii_case(NAMED_FORK)
            || (system == System::Windows && (is_windows_reserved(part) || is_short(part)))
    };
    match parts.iter().find(|part| is_reserved(part)) {
        None => Ok(()),
        Some(part) => Err(PathError::Reserved { path: path.to_owned(), component: (*part).to_owned() }),
    }
}

const NAMED_FORK: &str = "..namedfork";

/// Devices, alternate streams (`a.txt:hidden`), wildcards, and names whose end Windows drops.
fn is_windows_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let is_numbered = |device: &str| {
        stem.strip_prefix(device).is_some_and(|rest| {
            matches!(rest, "\u{b9}" | "\u{b2}" | "\u{b3}") || (rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
        })
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
        || is_numbered("COM")
        || is_numbered("LPT")
        || name.contains([':', '*', '?', '"', '<', '>', '|'])
        || name.ends_with([' ', '.'])
}

/// A name such as `GIT~1` or `AB12~1.MD`, under which Windows has another one once more: at most eight characters with a
/// number at their end, and three after the dot.
fn is_short(name: &str) -> bool {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let Some((start, number)) = stem.rsplit_once('~') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let length = |text: &str| text.chars().count();
    is_number && !start.is_empty() && length(stem) <= 8 && length(extension) <= 3 && !extension.contains('.')
}

#[cfg(test)]
mod tests;

/// Resolves a path for tests of what only looks at the text; the same on every system.
#[cfg(test)]
pub(crate) fn resolve_for_test(path: &str) -> ProjectPath {
    resolve_on(System::Unix, path, &[]).unwrap()
}
