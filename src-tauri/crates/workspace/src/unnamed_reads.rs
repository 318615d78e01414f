//! Which secret files a command would read without naming them: `grep -r` below a folder, `cat *` by a pattern.

use globset::{GlobBuilder, GlobSet};
use ignore::{DirEntry, WalkBuilder};

use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;

/// Looking at more takes longer than asking.
const MAX_ENTRIES: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnnamedReads {
    NoSecret,
    /// One of them, relative to the project.
    Secret(String),
    /// It was not looked at, or not at all of it: too much, outside the project, or a name that would be an option.
    NotSeen,
}

/// `skips_hidden`: what is hidden or ignored by git is not read. Links are not followed, as `grep -r` and `rg` don't.
pub fn reads_below(project: &Project, folder: &str, skips_hidden: bool, secrets: &GlobSet) -> UnnamedReads {
    let Some(start) = inside(project, folder) else { return UnnamedReads::NotSeen };
    first_secret(project, &walk(project, &start, skips_hidden), secrets)
}

fn first_secret(project: &Project, walk: &WalkBuilder, secrets: &GlobSet) -> UnnamedReads {
    first(project, walk, MAX_ENTRIES, |entry, path| {
        (!entry.file_type().is_some_and(|kind| kind.is_dir()) && is_secret(path, secrets))
            .then(|| UnnamedReads::Secret(path.to_string()))
    })
}

/// What git keeps: all that it does not ignore. What it once kept and keeps no longer is not seen.
pub fn reads_kept(project: &Project, secrets: &GlobSet) -> UnnamedReads {
    let mut kept = walk(project, &ProjectPath::root(), true);
    kept.hidden(false).ignore(false).filter_entry(|entry| entry.file_name() != ".git");
    first_secret(project, &kept, secrets)
}

/// What a shell makes of the pattern; hidden names are never meant by one.
pub fn reads_matching(project: &Project, pattern: &str, secrets: &GlobSet) -> UnnamedReads {
    let plain = pattern.trim_start_matches("./");
    let glob = GlobBuilder::new(plain).literal_separator(true).backslash_escape(false).build();
    let is_inside = !plain.starts_with(['/', '~']) && !plain.split('/').any(|part| part == "..");
    let (true, Ok(glob)) = (is_inside, glob) else { return UnnamedReads::NotSeen };
    let glob = glob.compile_matcher();
    let depth = if plain.contains("**") { usize::MAX } else { plain.split('/').count() };
    let mut entries = walk(project, &ProjectPath::root(), false);
    entries.max_depth(Some(depth)).follow_links(true);
    first(project, &entries, MAX_ENTRIES, |_, path| {
        let may_be_an_option = plain == pattern && path.as_str().starts_with('-');
        match glob.is_match(path) && !path.name().starts_with('.') {
            true if may_be_an_option => Some(UnnamedReads::NotSeen),
            true if project.is_secret(path, secrets) => Some(UnnamedReads::Secret(path.to_string())),
            _ => None,
        }
    })
}

/// The folder or file, if it certainly lies in the project.
fn inside(project: &Project, folder: &str) -> Option<ProjectPath> {
    let goes_up = folder.starts_with('~') || folder.split('/').any(|part| part == "..");
    let folder = if matches!(folder, "." | "./") { Some(ProjectPath::root()) } else { project.resolve(folder).ok() };
    folder.filter(|_| !goes_up).and_then(|folder| project.canonical(&folder).ok())
}

fn walk(project: &Project, start: &ProjectPath, skips_hidden: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(project.root().join(start));
    builder.standard_filters(skips_hidden).follow_links(false);
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
        reads_below(project, folder, skips_hidden, &GlobSet::empty())
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

    #[test]
    fn what_leads_out_is_not_seen() {
        let (_folder, project) = project(&["a"]);
        for folder in ["..", "~", "src/../..", "/"] {
            assert_eq!(below(&project, folder, false), UnnamedReads::NotSeen, "{folder}");
        }
        for pattern in ["../*", "/etc/*", "~/*", "["] {
            assert_eq!(matching(&project, pattern), UnnamedReads::NotSeen, "{pattern}");
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
