//! Which git directories a project has: its own, those of nested repositories, submodules and worktrees, and bare ones.
//!
//! The nearest to the root are found first, and nothing is left out but for the bound: what a project ignores can hold
//! a repository too. Git's own rules say what one is: a `.git`, whatever it is, or a folder with a `HEAD` and either
//! `objects` and `refs` or a `commondir`.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Entries of folders that are looked at; some ten milliseconds.
const MAX_ENTRIES: usize = 50_000;
/// Git directories, and files and links in the place of one. Bubblewrap takes 9,000 arguments.
const MAX_FOUND: usize = 500;
/// Bytes of a `.git` file that are read; a path is not longer.
const MAX_POINTER_BYTES: u64 = 8 << 10;
/// Of a git directory, what holds none; and can hold very much.
const BARREN: &[&str] = &["objects", "refs", "logs", "hooks"];

/// Device and inode: what a folder is, wherever it is moved.
pub(super) type Identity = (u64, u64);

/// Paths are relative to the project's root.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct GitDirs {
    pub(super) folders: BTreeMap<PathBuf, Identity>,
    /// A `.git` that is a file or a link, and what it says.
    pub(super) pointers: BTreeMap<PathBuf, Pointer>,
    /// There is more than was looked at.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) is_link: bool,
    /// As it is written; nothing where it can't be read.
    pub(super) target: PathBuf,
}

impl Pointer {
    /// Where it leads, from the folder it is in; `None` if to nothing.
    pub(super) fn place(&self, folder: &Path) -> Option<PathBuf> {
        folder.join(&self.target).canonicalize().ok()
    }
}

/// `root` is canonical.
pub(super) fn find(root: &Path) -> GitDirs {
    find_among(root, MAX_ENTRIES)
}

fn find_among(root: &Path, max_entries: usize) -> GitDirs {
    let mut search = Search { root, left: max_entries, found: GitDirs::default(), queue: VecDeque::new() };
    search.queue.push_back(PathBuf::new());
    while let Some(folder) = search.queue.pop_front() {
        search.look_into(&folder);
    }
    search.found
}

struct Search<'a> {
    root: &'a Path,
    /// Entries.
    left: usize,
    found: GitDirs,
    /// Folders to be looked into.
    queue: VecDeque<PathBuf>,
}

impl Search<'_> {
    fn look_into(&mut self, folder: &Path) {
        // By its name, so that it is found however much is beside it.
        self.look_at(&folder.join(".git"));
        let mut listed = Listed::default();
        let mut folders = Vec::new();
        for entry in fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten() {
            if self.left == 0 {
                self.found.is_cut = true;
                break;
            }
            self.left -= 1;
            let name = entry.file_name();
            listed.note(&name);
            let path = folder.join(&name);
            if name.eq_ignore_ascii_case(".git") {
                self.look_at(&path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            }
        }
        if listed.is_git_dir() {
            self.add(folder.to_owned());
        }
        let is_git_dir = self.found.folders.contains_key(folder);
        let is_barren = |path: &PathBuf| {
            is_git_dir && path.file_name().is_some_and(|name| BARREN.iter().any(|barren| name == *barren))
        };
        self.queue.extend(folders.into_iter().filter(|path| !is_barren(path)));
    }

    /// What may be a `.git`.
    fn look_at(&mut self, path: &Path) {
        let Ok(found) = self.root.join(path).symlink_metadata() else { return };
        if found.is_dir() {
            if self.add(path.to_owned()) {
                self.queue.push_back(path.to_owned());
            }
            return;
        }
        let pointer = self.pointer(path, found.is_symlink());
        let folder = self.root.join(path.parent().unwrap_or(path));
        let leads_to = pointer.place(&folder);
        if self.is_full(self.found.pointers.len()) || self.found.pointers.insert(path.to_owned(), pointer).is_some() {
            return;
        }
        let inside = leads_to.as_deref().and_then(|place| place.strip_prefix(self.root).ok());
        if let Some(inside) = inside.filter(|inside| self.root.join(inside).is_dir())
            && self.add(inside.to_owned())
        {
            self.queue.push_back(inside.to_owned());
        }
    }

    fn pointer(&self, path: &Path, is_link: bool) -> Pointer {
        let path = self.root.join(path);
        if is_link {
            return Pointer { is_link, target: fs::read_link(path).unwrap_or_default() };
        }
        let is_short = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_POINTER_BYTES);
        let text = if is_short { fs::read_to_string(path).unwrap_or_default() } else { String::new() };
        let target = text.strip_prefix("gitdir:").unwrap_or_default().trim();
        Pointer { is_link, target: target.into() }
    }

    fn is_full(&mut self, found: usize) -> bool {
        self.found.is_cut |= found >= MAX_FOUND;
        found >= MAX_FOUND
    }

    /// Whether it was not known yet.
    fn add(&mut self, path: PathBuf) -> bool {
        if self.is_full(self.found.folders.len()) {
            return false;
        }
        let Ok(found) = self.root.join(&path).symlink_metadata() else { return false };
        self.found.folders.insert(path, (found.dev(), found.ino())).is_none()
    }
}

/// What tells a git directory that is not called so.
#[derive(Default)]
struct Listed {
    head: bool,
    objects: bool,
    refs: bool,
    commondir: bool,
}

impl Listed {
    fn note(&mut self, name: &OsStr) {
        let is =
            |wanted: &str| if cfg!(target_os = "macos") { name.eq_ignore_ascii_case(wanted) } else { name == wanted };
        self.head |= is("HEAD");
        self.objects |= is("objects");
        self.refs |= is("refs");
        self.commondir |= is("commondir");
    }

    fn is_git_dir(&self) -> bool {
        self.head && (self.commondir || (self.objects && self.refs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct Project(tempfile::TempDir);

    impl Project {
        fn new(folders: &[&str], files: &[(&str, &str)]) -> Self {
            let project = Self(tempfile::tempdir().unwrap());
            folders.iter().for_each(|folder| fs::create_dir_all(project.root().join(folder)).unwrap());
            for (path, text) in files {
                fs::create_dir_all(project.root().join(path).parent().unwrap()).unwrap();
                fs::write(project.root().join(path), text).unwrap();
            }
            project
        }

        fn root(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap()
        }

        fn check(&self, folders: &[&str], pointers: &[&str]) {
            let found = find(&self.root());
            let folders: Vec<&Path> = folders.iter().map(Path::new).collect();
            assert_eq!(found.folders.keys().collect::<Vec<_>>(), folders);
            assert_eq!(found.pointers.keys().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(), pointers);
            assert!(!found.is_cut);
        }
    }

    #[test]
    fn the_own_one_nested_ones_submodules_and_worktrees_are_found() {
        let modules = ".git/modules/deep/name";
        let project = Project::new(
            &[".git/objects/aa", "a/b/.git", &format!("{modules}/objects"), &format!("{modules}/refs")],
            &[
                (&format!("{modules}/HEAD"), ""),
                (".git/worktrees/w/HEAD", ""),
                (".git/worktrees/w/commondir", "../.."),
                (".git/hooks/HEAD", ""),
                (".git/hooks/commondir", ""),
            ],
        );
        project.check(&[".git", ".git/modules/deep/name", ".git/worktrees/w", "a/b/.git"], &[]);
    }

    #[test]
    fn a_bare_one_is_found_by_what_is_in_it() {
        let project = Project::new(
            &["bare/objects", "bare/refs", "none/objects", "none/refs", "other/refs"],
            &[("bare/HEAD", ""), ("other/HEAD", ""), ("odd/HEAD", ""), ("odd/commondir", "")],
        );
        project.check(&["bare", "odd"], &[]);
    }

    #[test]
    fn a_file_or_a_link_in_its_place_is_found_and_what_it_leads_to() {
        let files = [("a/.git", "gitdir: ../store/one\n"), ("b/.git", "gitdir: /etc\n"), ("c/.git", "gitdir: none")];
        let project = Project::new(&["store/one", "store/two", "d"], &files);
        symlink("../store/two", project.root().join("d/.git")).unwrap();
        project.check(&["store/one", "store/two"], &["a/.git", "b/.git", "c/.git", "d/.git"]);
    }

    #[test]
    fn links_to_folders_are_not_followed() {
        let project = Project::new(&["a/.git"], &[]);
        symlink("..", project.root().join("a/up")).unwrap();
        project.check(&["a/.git"], &[]);
    }

    #[test]
    fn beyond_the_bound_is_what_is_deep_and_it_is_said() {
        let project = Project::new(&[".git", "a/.git", "a/b/c/.git"], &[]);
        let found = find_among(&project.root(), 4);
        assert!(found.is_cut && found.folders.contains_key(Path::new("a/.git")), "{found:?}");
        assert!(!found.folders.contains_key(Path::new("a/b/c/.git")));
    }
}
