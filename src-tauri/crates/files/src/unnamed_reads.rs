//! Tells whether what a command names lies in the project, or where anyone may read.

use crate::project::{Project, ProjectPath};
use crate::public_places::{self, is_public, is_public_below, is_public_pattern};
use crate::real_place::{RealPlace, real_place};
use crate::walk::is_ignored_by_git;
use arki_disk::EntryKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnnamedReads {
    NoSecret,
    /// One of them, relative to the project.
    Secret(String),
    /// This lies neither in the project nor where anyone may read.
    Outside(String),
    /// Nobody can tell.
    NotSeen,
}

/// Tells whether everything below a folder may be read, as far as its place tells: `None` where that is in the project.
pub fn reads_below(project: &Project, folder: &str) -> Option<UnnamedReads> {
    match real_place(project, folder) {
        RealPlace::Inside(_) => None,
        RealPlace::Outside(path) => Some(match public_places::system_secret_below(&path) {
            Some(secret) => UnnamedReads::Secret(secret.to_owned()),
            None => outside(project, folder, &path, is_public_below(folder, &path)),
        }),
        RealPlace::Unknown => Some(UnnamedReads::NotSeen),
    }
}

pub(crate) fn outside(project: &Project, named: &str, path: &std::path::Path, is_public: bool) -> UnnamedReads {
    if public_places::is_system_secret(project, path) {
        return UnnamedReads::Secret(path.display().to_string());
    }
    if is_public { UnnamedReads::NoSecret } else { UnnamedReads::Outside(named.to_owned()) }
}

/// Tells whether a place named in a line lies in the project, or where anyone may read.
pub fn reads_place(project: &Project, path: &str) -> UnnamedReads {
    match real_place(project, path) {
        RealPlace::Inside(_) => UnnamedReads::NoSecret,
        RealPlace::Outside(real) => outside(project, path, &real, is_public(path, &real)),
        // It can't be read by the command either, if it is there.
        RealPlace::Unknown if !path.starts_with(['/', '~']) => UnnamedReads::NoSecret,
        RealPlace::Unknown => UnnamedReads::Outside(path.to_owned()),
    }
}

/// The same of a pattern.
pub fn reads_places(project: &Project, pattern: &str) -> UnnamedReads {
    if let Some(secret) = public_places::system_secret_like(pattern) {
        return UnnamedReads::Secret(secret.to_owned());
    }
    let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let folder = match pattern[..first].rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    };
    let goes_up = pattern[first..].split(['/', ',', '{', '}']).any(|part| part == "..");
    match real_place(project, folder) {
        RealPlace::Inside(_) if !goes_up => UnnamedReads::NoSecret,
        _ if pattern.starts_with('/') && is_public_pattern(pattern) => UnnamedReads::NoSecret,
        _ => UnnamedReads::Outside(pattern.to_owned()),
    }
}

/// Tells whether a folder is there to go to, in the project or where anyone may read.
pub fn enters(project: &Project, folder: &str) -> UnnamedReads {
    match real_place(project, folder) {
        RealPlace::Inside(path) if path.is_root() || is_folder(project, &path) => UnnamedReads::NoSecret,
        RealPlace::Outside(real) => outside(project, folder, &real, real.is_dir() && is_public(folder, &real)),
        RealPlace::Inside(_) | RealPlace::Unknown => UnnamedReads::NotSeen,
    }
}

/// Tells whether a path lies in the project.
pub fn stays_inside(project: &Project, path: &str) -> UnnamedReads {
    match real_place(project, path) {
        RealPlace::Inside(_) => UnnamedReads::NoSecret,
        RealPlace::Outside(real) => outside(project, path, &real, false),
        RealPlace::Unknown => UnnamedReads::NotSeen,
    }
}

/// Tells whether git, asked in a folder, answers for the project's own repository: another one's configuration was not
/// agreed to.
pub fn asks_own_repository(project: &Project, folder: &str) -> UnnamedReads {
    let RealPlace::Inside(path) = real_place(project, folder) else { return UnnamedReads::Outside(folder.to_owned()) };
    let mut place = project.root().join(&path);
    while place != project.root() {
        let is_there = |name: &str| place.join(name).symlink_metadata().is_ok();
        let is_repository = is_there(".git") || (is_there("HEAD") && (is_there("objects") || is_there("commondir")));
        if is_repository || !place.pop() {
            return UnnamedReads::NotSeen;
        }
    }
    UnnamedReads::NoSecret
}

/// Tells whether a folder is one of the project's own: of the same repository, and not ignored by git.
pub fn is_own_folder(project: &Project, folder: &str) -> UnnamedReads {
    let RealPlace::Inside(path) = real_place(project, folder) else { return UnnamedReads::Outside(folder.to_owned()) };
    let is_ignored =
        is_ignored_by_git(project, &path, EntryKind::Folder) && !arki_git::keeps_below(project.root(), path.as_str());
    match is_ignored {
        true => UnnamedReads::NotSeen,
        false => asks_own_repository(project, folder),
    }
}

fn is_folder(project: &Project, path: &ProjectPath) -> bool {
    matches!(project.kind(path), Ok(Some(EntryKind::Folder)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "compared with the program itself")]

    use super::*;
    use std::fs;

    fn project(files: &[&str]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        (folder, project)
    }

    #[cfg(unix)]
    #[test]
    fn an_ignored_folder_that_git_keeps_a_file_of_is_its_own() {
        let (folder, whole) = project(&["app/out/kept", "app/out/deep/x", "app/build/x", "app/src/x"]);
        fs::write(folder.path().join(".gitignore"), "out\nbuild\n").unwrap();
        let git = |arguments: &[&str]| {
            assert!(std::process::Command::new("git").args(arguments).current_dir(&folder).status().unwrap().success());
        };
        git(&["init", "-q"]);
        let is_own = |project: &Project, folder: &str| is_own_folder(project, folder) == UnnamedReads::NoSecret;
        assert!(!is_own(&whole, "app/out") && is_own(&whole, "app/src"));
        git(&["add", "-f", "app/out/kept"]);
        assert!(is_own(&whole, "app/out") && !is_own(&whole, "app/out/deep") && !is_own(&whole, "app/build"));
        let part = Project::open(&folder.path().join("app")).unwrap();
        assert!(is_own(&part, "out") && !is_own(&part, "build") && is_own(&part, "src"));
    }

    #[cfg(unix)]
    #[test]
    fn what_leads_out_is_read_only_where_anyone_may() {
        let (folder, project) = project(&["a", "src/x"]);
        std::os::unix::fs::symlink("/var", folder.path().join("out")).unwrap();
        let is_outside = |read: UnnamedReads| matches!(read, UnnamedReads::Outside(_));
        for folder in ["..", "/", "/var/lib", "out", "out/lib", "src/../../.."] {
            assert!(is_outside(reads_place(&project, folder)), "{folder}");
            assert!(!matches!(reads_below(&project, folder), None | Some(UnnamedReads::NoSecret)), "{folder}");
            assert_ne!(enters(&project, folder), UnnamedReads::NoSecret, "{folder}");
        }
        for pattern in ["../*", "/var/*", "~/*", "/etc/s*", "/etc/*"] {
            assert_ne!(reads_places(&project, pattern), UnnamedReads::NoSecret, "{pattern}");
        }
        for place in ["a", "src/../a", "src/new", "/usr/include", "/etc/passwd", "/dev/null"] {
            assert_eq!(reads_place(&project, place), UnnamedReads::NoSecret, "{place}");
        }
        assert_eq!(enters(&project, "/usr"), UnnamedReads::NoSecret);
        assert_eq!(reads_places(&project, "/usr/include/*.h"), UnnamedReads::NoSecret);
        assert_eq!(reads_below(&project, "src/.."), None);
        assert!(matches!(reads_place(&project, "/etc/shadow"), UnnamedReads::Secret(_)));
        assert!(matches!(reads_below(&project, "/etc"), Some(UnnamedReads::Secret(_))));
        for pattern in ["*", "src/*.rs", "src/{a,b}/x*"] {
            assert_eq!(reads_places(&project, pattern), UnnamedReads::NoSecret, "{pattern}");
        }
        assert!(is_outside(reads_places(&project, "src/*/../../..")));
    }

    #[test]
    fn another_repository_is_not_the_projects_own() {
        let (_folder, project) =
            project(&["src/x", "nested/.git/HEAD", "nested/deep/x", "bare/HEAD", "bare/objects/x", "bare/y/z"]);
        for (folder, own) in [("src", true), (".", true), ("nested/deep", false), ("bare/y", false), ("..", false)] {
            assert_eq!(asks_own_repository(&project, folder) == UnnamedReads::NoSecret, own, "{folder}");
        }
    }
}
