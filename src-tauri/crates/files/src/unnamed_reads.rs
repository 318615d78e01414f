//! Finds the secret files that a command would read without naming them: `grep -r` below a folder, `cat *` by a
//! pattern. And whether what it names lies in the project, or where anyone may read.

use globset::GlobSet;
use ignore::{DirEntry, WalkBuilder};

use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::public_places::{self, is_public, is_public_below, is_public_pattern};
use crate::real_place::{RealPlace, real_place};
use crate::shell_pattern;
use crate::walk::is_ignored_by_git;
use arki_disk::EntryKind;
use arki_domain::Descent;

/// Looking at more takes longer than asking.
const MAX_ENTRIES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnnamedReads {
    NoSecret,
    /// One of them, relative to the project.
    Secret(String),
    /// This lies neither in the project nor where anyone may read.
    Outside(String),
    /// It was not looked at, or not at all of it: too much, or a name that would be an option.
    NotSeen,
}

/// Everything below a folder, or the file itself. Where `endings` are given, only files whose names end so.
pub fn reads_below(
    project: &Project,
    folder: &str,
    descent: Descent,
    endings: &[String],
    secrets: &GlobSet,
) -> UnnamedReads {
    let Some(start) = inside(project, folder) else { return reads_outside(project, folder, descent) };
    let walk = walk(project, &start, descent.skips_hidden);
    let is_meant =
        |path: &ProjectPath| endings.is_empty() || endings.iter().any(|ending| path.name().ends_with(ending.as_str()));
    first(project, &walk, MAX_ENTRIES, |entry, path| match entry.file_type() {
        _ if descent.as_words && !is_one_word(path.as_str()) => Some(UnnamedReads::NotSeen),
        Some(kind) if kind.is_symlink() && (descent.follows_links || (descent.opens_links && is_meant(path))) => {
            behind_link(project, path, secrets)
        }
        Some(kind) if kind.is_dir() => None,
        _ => (is_meant(path) && is_secret(path, secrets)).then(|| UnnamedReads::Secret(path.to_string())),
    })
}

/// Returns whether a shell or `xargs` neither splits the text nor takes it for an option or a pattern.
fn is_one_word(name: &str) -> bool {
    !name.starts_with('-') && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "'\"\\*?[".contains(c))
}

fn reads_outside(project: &Project, folder: &str, descent: Descent) -> UnnamedReads {
    match real_place(project, folder) {
        RealPlace::Outside(path) if descent.follows_links || descent.as_words => outside(project, folder, &path, false),
        RealPlace::Outside(path) => match public_places::system_secret_below(&path) {
            Some(secret) => UnnamedReads::Secret(secret.to_owned()),
            None => outside(project, folder, &path, is_public_below(folder, &path)),
        },
        RealPlace::Inside(_) | RealPlace::Unknown => UnnamedReads::NotSeen,
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

/// The same of a pattern. One for places in the project is looked up only as far as links could lead out.
pub fn reads_places(project: &Project, pattern: &str) -> UnnamedReads {
    if let Some(secret) = public_places::system_secret_like(pattern) {
        return UnnamedReads::Secret(secret.to_owned());
    }
    if pattern.starts_with('/') {
        let is_inside = pattern.find(['*', '?', '[', '{']).is_some_and(|first| {
            let folder = pattern[..first].rsplit_once('/').map_or("/", |(folder, _)| folder);
            matches!(real_place(project, folder), RealPlace::Inside(_)) && !folder.is_empty()
        });
        return match is_public_pattern(pattern) {
            true => UnnamedReads::NoSecret,
            false if is_inside => UnnamedReads::NotSeen,
            false => UnnamedReads::Outside(pattern.to_owned()),
        };
    }
    each_match(project, pattern, |_| UnnamedReads::NoSecret)
}

/// Returns `NoSecret` if the names that a pattern stands for are no options and, where the shell `splits` them, one
/// word each.
pub fn reads_names(project: &Project, pattern: &str, splits: bool) -> UnnamedReads {
    let Some(matches) = shell_pattern::expand(project, pattern, MAX_ENTRIES) else { return UnnamedReads::NotSeen };
    let is_plain = |name: &String| !name.starts_with('-') && (!splits || is_one_word(name));
    if matches.iter().all(is_plain) { UnnamedReads::NoSecret } else { UnnamedReads::NotSeen }
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

/// Returns what a link among others leads to: a folder may hold anything.
fn behind_link(project: &Project, link: &ProjectPath, secrets: &GlobSet) -> Option<UnnamedReads> {
    match project.kind(link) {
        Ok(Some(EntryKind::Folder)) | Err(_) => Some(UnnamedReads::NotSeen),
        Ok(_) => project.is_secret(link, secrets).then(|| UnnamedReads::Secret(link.to_string())),
    }
}

/// Tells whether the files that git keeps can be read: all that was added to it, and all that it does not ignore. What
/// it once kept and keeps no longer is not seen.
pub fn reads_kept(project: &Project, secrets: &GlobSet) -> UnnamedReads {
    let Some(added) = arki_git::kept_names(project.root()).filter(|names| names.len() <= MAX_ENTRIES) else {
        return UnnamedReads::NotSeen;
    };
    let mut added = added.iter().filter_map(|name| project.resolve(name).ok());
    if let Some(secret) = added.find(|path| is_secret(path, secrets)) {
        return UnnamedReads::Secret(secret.to_string());
    }
    let mut kept = walk(project, &ProjectPath::root(), true);
    kept.hidden(false).ignore(false).filter_entry(|entry| entry.file_name() != ".git");
    first(project, &kept, MAX_ENTRIES, |entry, path| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        (!is_folder && is_secret(path, secrets)).then(|| UnnamedReads::Secret(path.to_string()))
    })
}

/// Returns what a shell makes of the pattern; hidden names are never meant by one.
pub fn reads_matching(project: &Project, pattern: &str, secrets: &GlobSet) -> UnnamedReads {
    if pattern.starts_with('/') {
        return reads_places(project, pattern);
    }
    each_match(project, pattern, |path| match project.is_secret(path, secrets) {
        true => UnnamedReads::Secret(path.to_string()),
        false => UnnamedReads::NoSecret,
    })
}

/// The same, and everything below it.
pub fn reads_below_matching(
    project: &Project,
    pattern: &str,
    descent: Descent,
    endings: &[String],
    secrets: &GlobSet,
) -> UnnamedReads {
    each_match(project, pattern, |path| match project.is_secret(path, secrets) {
        true => UnnamedReads::Secret(path.to_string()),
        false => reads_below(project, path.as_str(), descent, endings, secrets),
    })
}

/// The first that is not without secrets. Paths are judged as the links on them lead.
fn each_match(project: &Project, pattern: &str, judge: impl Fn(&ProjectPath) -> UnnamedReads) -> UnnamedReads {
    let Some(matches) = shell_pattern::expand(project, pattern, MAX_ENTRIES) else { return UnnamedReads::NotSeen };
    let judged = matches.iter().map(|path| match project.resolve(path) {
        // What begins with a dash may be taken for an option.
        Ok(_) if path.starts_with('-') => UnnamedReads::NotSeen,
        Ok(path) if project.canonical(&path).is_ok() => judge(&path),
        Ok(_) | Err(_) => UnnamedReads::NotSeen,
    });
    judged.into_iter().find(|judged| *judged != UnnamedReads::NoSecret).unwrap_or(UnnamedReads::NoSecret)
}

/// The folder or file, if it lies in the project.
fn inside(project: &Project, folder: &str) -> Option<ProjectPath> {
    match real_place(project, folder) {
        RealPlace::Inside(path) => Some(path),
        RealPlace::Outside(_) | RealPlace::Unknown => None,
    }
}

/// Links are not followed. Of what is ignored only the project's own files are asked: the user's may not be seen by the
/// command.
fn walk(project: &Project, start: &ProjectPath, skips_hidden: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(project.root().join(start));
    builder.standard_filters(skips_hidden).git_global(false).follow_links(false);
    if skips_hidden {
        // What `rg` reads besides may bring back what others hide.
        builder.add_custom_ignore_filename(".rgignore");
    }
    builder
}

fn first(
    project: &Project,
    walk: &WalkBuilder,
    max_entries: usize,
    judge: impl Fn(&DirEntry, &ProjectPath) -> Option<UnnamedReads>,
) -> UnnamedReads {
    for (number, entry) in walk.build().enumerate() {
        // What can't be read here can't be read by the command either.
        let Ok(entry) = entry else { continue };
        let relative = entry.path().strip_prefix(project.root()).unwrap_or(entry.path());
        let found = match ProjectPath::from_walk(relative) {
            _ if number >= max_entries => Some(UnnamedReads::NotSeen),
            Some(path) => judge(&entry, &path),
            None if relative.as_os_str().is_empty() => None,
            None => Some(UnnamedReads::NotSeen),
        };
        if let Some(found) = found {
            return found;
        }
    }
    UnnamedReads::NoSecret
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

    fn below(project: &Project, folder: &str, skips_hidden: bool) -> UnnamedReads {
        reads_below(project, folder, Descent { skips_hidden, ..Descent::ALL }, &[], &GlobSet::empty())
    }

    fn matching(project: &Project, pattern: &str) -> UnnamedReads {
        reads_matching(project, pattern, &GlobSet::empty())
    }

    #[test]
    fn a_secret_below_a_folder_is_found_where_it_would_be_read() {
        let (_folder, project) = project(&["src/a.rs", ".env", "deep/er/tls.key", ".gitignore"]);
        assert_eq!(below(&project, "src", false), UnnamedReads::NoSecret);
        assert_eq!(below(&project, "src/a.rs", false), UnnamedReads::NoSecret);
        assert_eq!(below(&project, "deep", true), UnnamedReads::Secret("deep/er/tls.key".to_owned()));
        assert!(matches!(below(&project, ".", false), UnnamedReads::Secret(_)));
        fs::remove_file(project.root().join("deep/er/tls.key")).unwrap();
        assert_eq!(below(&project, ".", true), UnnamedReads::NoSecret);
        assert_eq!(below(&project, "./", false), UnnamedReads::Secret(".env".to_owned()));
    }

    #[cfg(unix)]
    #[test]
    fn what_was_added_is_kept_though_it_is_ignored_or_gone() {
        let (folder, project) = project(&["a", "tls.key"]);
        fs::write(folder.path().join(".gitignore"), "*.key\n").unwrap();
        let git = |arguments: &[&str]| {
            assert!(std::process::Command::new("git").args(arguments).current_dir(&folder).status().unwrap().success());
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        assert_eq!(reads_kept(&project, &GlobSet::empty()), UnnamedReads::NoSecret);
        git(&["add", "-f", "tls.key"]);
        fs::remove_file(folder.path().join("tls.key")).unwrap();
        assert_eq!(reads_kept(&project, &GlobSet::empty()), UnnamedReads::Secret("tls.key".to_owned()));
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
            assert_ne!(below(&project, folder, false), UnnamedReads::NoSecret, "{folder}");
            assert_ne!(enters(&project, folder), UnnamedReads::NoSecret, "{folder}");
        }
        for pattern in ["../*", "/var/*", "~/*", "/etc/s*", "/etc/*"] {
            assert_ne!(matching(&project, pattern), UnnamedReads::NoSecret, "{pattern}");
        }
        for place in ["a", "src/../a", "src/new", "/usr/include", "/etc/passwd", "/dev/null"] {
            assert_eq!(reads_place(&project, place), UnnamedReads::NoSecret, "{place}");
        }
        assert_eq!(enters(&project, "/usr"), UnnamedReads::NoSecret);
        assert_eq!(matching(&project, "/usr/include/*.h"), UnnamedReads::NoSecret);
        assert_eq!(below(&project, "src/..", false), UnnamedReads::NoSecret);
        assert!(matches!(reads_place(&project, "/etc/shadow"), UnnamedReads::Secret(_)));
        assert!(matches!(below(&project, "/etc", false), UnnamedReads::Secret(_)));
    }

    #[test]
    fn a_secret_is_no_matter_where_only_other_names_are_read() {
        let (_folder, project) = project(&["src/a.tsx", ".env", "x.key"]);
        let ending = |ending: &str| reads_below(&project, ".", Descent::ALL, &[ending.to_owned()], &GlobSet::empty());
        assert_eq!(ending(".tsx"), UnnamedReads::NoSecret);
        assert_eq!(ending(".key"), UnnamedReads::Secret("x.key".to_owned()));
    }

    #[test]
    fn a_name_that_is_handed_on_as_a_word_is_one() {
        let (_folder, project) = project(&["a/b c", "d/e", "d/-f"]);
        let words = |folder: &str| {
            reads_below(&project, folder, Descent { as_words: true, ..Descent::ALL }, &[], &GlobSet::empty())
        };
        assert_eq!(words("a"), UnnamedReads::NotSeen);
        assert_eq!(words("d"), UnnamedReads::NoSecret);
        assert_eq!(reads_names(&project, "a/*", false), UnnamedReads::NoSecret);
        assert_eq!(reads_names(&project, "a/*", true), UnnamedReads::NotSeen);
    }

    #[test]
    fn another_repository_is_not_the_projects_own() {
        let (_folder, project) =
            project(&["src/x", "nested/.git/HEAD", "nested/deep/x", "bare/HEAD", "bare/objects/x", "bare/y/z"]);
        for (folder, own) in [("src", true), (".", true), ("nested/deep", false), ("bare/y", false), ("..", false)] {
            assert_eq!(asks_own_repository(&project, folder) == UnnamedReads::NoSecret, own, "{folder}");
        }
    }

    #[test]
    fn more_than_is_looked_at_is_not_seen() {
        let (_folder, project) = project(&["a", "b", "c"]);
        let looked_at = |max| first(&project, &walk(&project, &ProjectPath::root(), false), max, |_, _| None);
        // The folder itself counts.
        assert_eq!(looked_at(4), UnnamedReads::NoSecret);
        assert_eq!(looked_at(3), UnnamedReads::NotSeen);
    }

    #[test]
    fn a_pattern_stands_for_what_a_shell_makes_of_it() {
        let (_folder, project) = project(&["a.md", "b.json", "secrets.json", ".env", "src/x.rs", "src/deep/y.key"]);
        for (pattern, expected) in [
            ("*.md", UnnamedReads::NoSecret),
            ("*", UnnamedReads::Secret("secrets.json".to_owned())),
            ("*.json", UnnamedReads::Secret("secrets.json".to_owned())),
            ("./*.json", UnnamedReads::Secret("secrets.json".to_owned())),
            ("{a,secrets}.*", UnnamedReads::Secret("secrets.json".to_owned())),
            ("src/*", UnnamedReads::NoSecret),
            ("src/*/*", UnnamedReads::Secret("src/deep/y.key".to_owned())),
            ("[!s]*", UnnamedReads::NoSecret),
        ] {
            assert_eq!(matching(&project, pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn a_name_that_would_be_an_option_is_not_seen() {
        let (_folder, project) = project(&["-delete", "a"]);
        assert_eq!(matching(&project, "*"), UnnamedReads::NotSeen);
        assert_eq!(matching(&project, "./*"), UnnamedReads::NoSecret);
        assert_eq!(matching(&project, "a*"), UnnamedReads::NoSecret);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_a_pattern_follows_is_followed() {
        let (folder, project) = project(&[".env", ".ssh/key"]);
        std::os::unix::fs::symlink(".env", folder.path().join("plain")).unwrap();
        assert_eq!(matching(&project, "pl*"), UnnamedReads::Secret("plain".to_owned()));
        fs::remove_file(folder.path().join("plain")).unwrap();
        std::os::unix::fs::symlink(".ssh", folder.path().join("keys")).unwrap();
        assert!(matches!(matching(&project, "keys/*"), UnnamedReads::Secret(_)));
    }
}
