//! Listing a folder: sorted, bounded, without what git ignores and without `.git` itself.

use std::path::Path;

use arki_disk::EntryKind;
use cap_std::fs::Metadata;
use globset::GlobSet;
use serde::Serialize;

use crate::error::{FileError, Result};
use crate::project::{Project, ProjectPath};
use crate::protection::is_secret;
use crate::walk::{self, Ignored, NAMES_SHOWN, Skipped};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Relative to the project. What can't be seen in it is escaped, such as `\u{202e}`.
    pub path: String,
    pub kind: EntryKind,
    /// Bytes, for a file.
    pub size: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// A folder stands before what is in it; siblings are in byte order.
    pub entries: Vec<Entry>,
    /// There is more than `max_entries`.
    pub truncated: bool,
    /// The first few things that could not be looked at, for want of permission.
    pub unreadable: Vec<String>,
    /// The entries that were left out because git ignores them.
    pub ignored: Skipped,
}

/// The options for listing a folder.
#[derive(Debug, Clone, Copy)]
pub struct ListQuery {
    /// 1 is its own entries.
    pub depth: usize,
    pub max_entries: usize,
    /// Also lists what git ignores.
    pub include_ignored: bool,
}

/// Lists a folder.
///
/// # Errors
/// `FILE_NOT_FOUND`, and `FOLDER_UNAVAILABLE` for what is no folder.
pub fn list(project: &Project, path: &ProjectPath, query: ListQuery) -> Result<Listing> {
    let start = existing_folder(project, path)?;
    let mut listing = Listing::default();
    let ListQuery { depth, max_entries, include_ignored } = query;
    let ignored = if include_ignored { Ignored::Entered } else { Ignored::Told };
    for found in walk::walk(project, &start, Some(depth.max(1))).with_ignored(ignored) {
        match found {
            Ok(entry) if entry.is_left_out => {
                if let Some(path) = walk::path_of(project, &entry) {
                    listing.ignored.add_entry(&path, entry.kind);
                }
            }
            Ok(_) if listing.entries.len() == max_entries => {
                listing.truncated = true;
                break;
            }
            Ok(found) => {
                let size = if found.kind == EntryKind::File { size_of(project, &found.path) } else { None };
                listing.entries.push(Entry { path: walk::shown(project, &found.path), kind: found.kind, size });
            }
            Err(path) if listing.unreadable.len() < NAMES_SHOWN => {
                listing.unreadable.push(walk::shown(project, &path));
            }
            Err(_) => {}
        }
    }
    Ok(listing)
}

/// The paths of the files in `path` and below, `depth` 1 being its own, sorted by folder; `None` where there are more
/// entries than `max_entries`. As [`list`] without looking at each.
pub fn files_below(
    project: &Project,
    path: &ProjectPath,
    depth: usize,
    max_entries: usize,
) -> Result<Option<Vec<String>>> {
    let start = existing_folder(project, path)?;
    let mut files = Vec::new();
    for (seen, found) in walk::walk(project, &start, Some(depth.max(1))).enumerate() {
        if seen == max_entries {
            return Ok(None);
        }
        files.extend(found.ok().filter(|it| it.kind == EntryKind::File).map(|it| walk::shown(project, &it.path)));
    }
    Ok(Some(files))
}

/// The paths of the project's files and folders without secret ones, a folder with a `/` at its end, in the order of a walk;
/// at most `max`. Blocking; run it off the async threads.
pub fn paths(project: &Project, secrets: &GlobSet, max: usize) -> Vec<Box<str>> {
    let shown = walk::walk(project, &ProjectPath::root(), None).flatten().filter_map(|found| {
        let path = ProjectPath::from_walk(found.path.strip_prefix(project.root()).ok()?)?;
        let end = if found.kind == EntryKind::Folder { "/" } else { "" };
        (!is_secret(&path, secrets)).then(|| format!("{path}{end}").into_boxed_str())
    });
    shown.take(max).collect()
}

fn existing_folder(project: &Project, path: &ProjectPath) -> Result<ProjectPath> {
    match project.kind(path)? {
        Some(EntryKind::Folder) => project.canonical(path),
        Some(_) => Err(FileError::NotFolder { path: path.to_string() }.into()),
        None => Err(FileError::NotFound { path: path.to_string() }.into()),
    }
}

fn size_of(project: &Project, path: &Path) -> Option<u64> {
    let relative = path.strip_prefix(project.root()).ok()?;
    project.dir().symlink_metadata(relative).ok().filter(Metadata::is_file).map(|found| found.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Code;
    use std::fs;

    fn project(files: &[&str]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "12345").unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        (folder, project)
    }

    fn list(project: &Project, path: &ProjectPath, depth: usize, max_entries: usize) -> Result<Listing> {
        super::list(project, path, ListQuery { depth, max_entries, include_ignored: false })
    }

    fn names(listing: &Listing) -> Vec<&str> {
        listing.entries.iter().map(|entry| entry.path.as_str()).collect()
    }

    #[test]
    fn all_paths_are_told_but_secret_and_ignored_ones() {
        let (folder, project) = project(&["b/x.rs", "a.txt", ".env", ".git/config", "target/out", "b/.env.local"]);
        fs::write(folder.path().join(".gitignore"), "target/\n").unwrap();
        let all = |max| paths(&project, &GlobSet::empty(), max).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(all(9), [".gitignore", "a.txt", "b/", "b/x.rs"]);
        assert_eq!(all(2), [".gitignore", "a.txt"]);
    }

    #[test]
    fn entries_are_sorted_and_git_ignore_is_honoured() {
        let (folder, project) = project(&["b/x.rs", "a.txt", ".hidden", ".git/config", "target/out"]);
        fs::write(folder.path().join(".gitignore"), "target/\n").unwrap();
        let listing = list(&project, &ProjectPath::root(), 1, 100).unwrap();
        assert_eq!(names(&listing), [".gitignore", ".hidden", "a.txt", "b"]);
        assert_eq!(listing.entries[2], Entry { path: "a.txt".into(), kind: EntryKind::File, size: Some(5) });
        let deep = list(&project, &ProjectPath::root(), 2, 100).unwrap();
        assert_eq!(names(&deep), [".gitignore", ".hidden", "a.txt", "b", "b/x.rs"]);
        assert_eq!(deep.ignored.names, ["target/"]);
        let query = ListQuery { depth: 1, max_entries: 100, include_ignored: true };
        let all = super::list(&project, &ProjectPath::root(), query).unwrap();
        assert_eq!((names(&all).last(), all.ignored.count), (Some(&"target"), 0));
    }

    #[test]
    fn a_long_listing_is_cut_and_says_so() {
        let (_folder, project) = project(&["a", "b", "c"]);
        let cut = list(&project, &ProjectPath::root(), 1, 2).unwrap();
        assert_eq!((names(&cut), cut.truncated), (vec!["a", "b"], true));
        assert!(!list(&project, &ProjectPath::root(), 1, 3).unwrap().truncated);
    }

    #[test]
    fn a_file_and_a_missing_folder_are_told_apart() {
        let (_folder, project) = project(&["a"]);
        let code = |path: &str| list(&project, &project.resolve(path).unwrap(), 1, 9).unwrap_err().code();
        assert_eq!((code("a"), code("b")), (Code::FOLDER_UNAVAILABLE, Code::FILE_NOT_FOUND));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_project_is_shown_but_not_entered() {
        let (folder, project) = project(&["a"]);
        std::os::unix::fs::symlink("/etc", folder.path().join("out")).unwrap();
        let listing = list(&project, &ProjectPath::root(), 3, 100).unwrap();
        assert_eq!(names(&listing), ["a", "out"]);
        assert_eq!(listing.entries[1].kind, EntryKind::Link);
        let error = list(&project, &project.resolve("out").unwrap(), 1, 9).unwrap_err();
        assert_eq!(error.code(), Code::PATH_OUTSIDE_PROJECT);
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_hides_something_is_escaped() {
        let (_folder, project) = project(&["a\u{202e}txt.exe"]);
        let listing = list(&project, &ProjectPath::root(), 1, 100).unwrap();
        assert_eq!(names(&listing), ["a\\u{202e}txt.exe"]);
    }
}
