//! The names in git's index: what it keeps, also where it is ignored or gone from the folder.
//!
//! Read as `gitformat-index(5)` has it, versions 2 to 4 with SHA-1. Of anything else (SHA-256, a split index) nothing is
//! told.

use std::fs;
use std::path::{Path, PathBuf};

/// A larger index is not read.
const MAX_BYTES: u64 = 64 << 20;
/// Times, numbers, sizes and the hash before an entry's flags.
const ENTRY_BEFORE_FLAGS: usize = 60;
const EXTENDED: u16 = 0x4000;
const ENTRY_BEFORE_MODE: usize = 24;
/// The mode of another repository's commit.
const GITLINK: u32 = 0o160_000;

/// Returns what the index of the repository around `folder` names, relative to the repository's top folder; none where
/// there is no repository, or nothing was added to it yet. `None` where it can't be read.
pub fn kept_names(folder: &Path) -> Option<Vec<String>> {
    let Some(dot_git) = folder.ancestors().map(|above| above.join(".git")).find(|path| path.exists()) else {
        return Some(Vec::new());
    };
    names_in(&git_dir(&dot_git)?, |_| true)
}

/// Returns whether the index of the repository around `project` names anything below one of its folders.
#[must_use]
pub fn keeps_below(project: &Path, folder: &str) -> bool {
    let top = project.ancestors().find(|above| above.join(".git").exists());
    let place = project.join(folder);
    let below = top.and_then(|top| Some(format!("{}/", place.strip_prefix(top).ok()?.to_str()?.replace('\\', "/"))));
    below.zip(kept_names(project)).is_some_and(|(below, names)| names.iter().any(|name| name.starts_with(&below)))
}

/// Returns what the index of the repository around `project` names in it, relative to it. `None` where there is no
/// repository, or its index can't be read.
#[must_use]
pub fn kept_in(project: &Path) -> Option<Vec<String>> {
    let top = project.ancestors().find(|above| above.join(".git").exists())?;
    let names = kept_names(project)?;
    let below = project.strip_prefix(top).ok()?.to_str()?.replace('\\', "/");
    if below.is_empty() {
        return Some(names);
    }
    Some(names.iter().filter_map(|name| Some(name.strip_prefix(&below)?.strip_prefix('/')?.to_owned())).collect())
}

/// Returns the names of the repositories that the index of a git directory has in the place of folders. `None` where it
/// can't be read.
pub(crate) fn gitlinks(git_dir: &Path) -> Option<Vec<String>> {
    names_in(git_dir, |mode| mode == GITLINK)
}

fn names_in(git_dir: &Path, is_wanted: fn(u32) -> bool) -> Option<Vec<String>> {
    let index = git_dir.join("index");
    match fs::metadata(&index) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Vec::new()),
        Ok(found) if found.is_file() && found.len() <= MAX_BYTES && !has_long_hashes(git_dir) => {
            names(&fs::read(&index).ok()?, is_wanted)
        }
        Ok(_) | Err(_) => None,
    }
}

/// `.git` itself, or what it names as a file: in a working tree beside another, or a submodule.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let named = fs::read_to_string(dot_git).ok()?;
    Some(dot_git.parent()?.join(named.strip_prefix("gitdir:")?.trim()))
}

fn has_long_hashes(git_dir: &Path) -> bool {
    let common = fs::read_to_string(git_dir.join("commondir")).map(|common| git_dir.join(common.trim()));
    let config = common.unwrap_or_else(|_| git_dir.to_owned()).join("config");
    fs::read_to_string(config).is_ok_and(|config| config.to_ascii_lowercase().contains("objectformat"))
}

fn names(index: &[u8], is_wanted: fn(u32) -> bool) -> Option<Vec<String>> {
    let (magic, rest) = index.split_at_checked(4)?;
    let (version, rest) = number(rest)?;
    let (count, mut rest) = number(rest)?;
    if magic != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut names = Vec::new();
    let mut last: Vec<u8> = Vec::new();
    for _ in 0..count {
        let begin = rest;
        let flags = u16::from_be_bytes(rest.get(ENTRY_BEFORE_FLAGS..ENTRY_BEFORE_FLAGS + 2)?.try_into().ok()?);
        rest = rest.get(ENTRY_BEFORE_FLAGS + if flags & EXTENDED == 0 { 2 } else { 4 }..)?;
        if version == 4 {
            let (dropped, after) = offset(rest)?;
            last.truncate(last.len().checked_sub(dropped)?);
            rest = after;
        } else {
            last.clear();
        }
        let end = rest.iter().position(|byte| *byte == 0)?;
        last.extend(&rest[..end]);
        let (mode, _) = number(begin.get(ENTRY_BEFORE_MODE..)?)?;
        if is_wanted(mode) {
            names.push(String::from_utf8(last.clone()).ok()?);
        }
        let length = begin.len() - rest.len() + end;
        // Before version 4 one to eight zeros fill up eight bytes.
        rest = begin.get(if version == 4 { length + 1 } else { length / 8 * 8 + 8 }..)?;
    }
    (!is_split(rest)).then_some(names)
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_be_bytes(*number), rest))
}

/// Reads an offset as packs write it: seven bits a byte, one more at each that follows.
fn offset(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (place, byte) in bytes.iter().enumerate().take(8) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[place + 1..]));
        }
        value += 1;
    }
    None
}

/// Most of the names then lie in another file.
fn is_split(mut extensions: &[u8]) -> bool {
    while let Some((name, rest)) = extensions.split_at_checked(4) {
        let Some((size, rest)) = number(rest) else { return false };
        if name == b"link" {
            return true;
        }
        extensions = usize::try_from(size).ok().and_then(|size| rest.get(size..)).unwrap_or_default();
    }
    false
}

/// They ask git itself, which is not everywhere on Windows.
#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "compared with the program itself")]

    use super::*;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let done =
            Command::new("git").args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "").output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn repository(options: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &[&["init", "-q"], options].concat());
        for file in [".gitignore", "a", "deploy/tls.key", "deploy/tls.key.md", "src/deep/er/x.rs"] {
            fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
            fs::write(folder.path().join(file), "*.key\n").unwrap();
        }
        git(folder.path(), &["add", "-f", "."]);
        fs::remove_file(folder.path().join("deploy/tls.key")).unwrap();
        folder
    }

    #[test]
    fn what_was_added_is_told_in_every_version() {
        for version in ["2", "3", "4"] {
            let folder = repository(&[]);
            git(folder.path(), &["update-index", "--index-version", version]);
            let names = kept_names(&folder.path().join("src")).unwrap();
            assert_eq!(
                names,
                [".gitignore", "a", "deploy/tls.key", "deploy/tls.key.md", "src/deep/er/x.rs"],
                "{version}"
            );
        }
    }

    #[test]
    fn what_can_not_be_read_is_not_told() {
        let folder = repository(&[]);
        git(folder.path(), &["update-index", "--split-index"]);
        assert_eq!(kept_names(folder.path()), None);
        assert_eq!(kept_names(repository(&["--object-format=sha256"]).path()), None);
        fs::write(folder.path().join(".git/index"), "DIRC").unwrap();
        assert_eq!(kept_names(folder.path()), None);
        let empty = tempfile::tempdir().unwrap();
        git(empty.path(), &["init", "-q"]);
        assert_eq!(kept_names(empty.path()), Some(Vec::new()));
    }
}
