//! The parts of a project that a sandbox looks after: its git directories, and files of secrets.
//!
//! Git directories are its own, those of nested repositories, submodules and worktrees, and bare ones. The nearest to
//! the root are found first, and nothing is left out but for the bound: what a project ignores can hold a repository
//! too. Git's own rules say what one is: a `.git`, whatever it is, or a folder with a `HEAD` and either `objects` and
//! `refs` or a `commondir`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::listings::Listings;
use super::{OWN_GIT, written};
use arki_git::{WorkingTree, hooks_below, included};

/// Entries of folders that are looked at; some ten milliseconds.
const MAX_ENTRIES: usize = 50_000;
/// Git directories, files and links in the place of one, and secrets, of each. Bubblewrap takes 9,000 arguments.
const MAX_FOUND: usize = 500;
/// The same where secrets are hidden from what may read everything: as good as all, of what is installed too.
const MAX_ENTRIES_FOR_SECRETS: usize = 2_000_000;
const MAX_SECRETS: usize = 1_500;
/// The time for a search without bounds by count; what it has not come to by then is not known.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes of a `.git` file that are read; a path is not longer.
const MAX_POINTER_BYTES: u64 = 8 << 10;
/// Bytes of a configuration that are read for what it includes.
const MAX_CONFIGURATION_BYTES: u64 = 1 << 20;
/// The folders of a git directory that hold no other git directory, and can be very large.
const BARREN: &[&str] = &["objects", "refs", "logs", "hooks"];

/// Device and inode: what a folder is, wherever it is moved.
pub(super) type Identity = (u64, u64);

/// Paths are relative to the project's root.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sensitive {
    #[serde(with = "written::by_path")]
    pub(super) folders: BTreeMap<PathBuf, Identity>,
    /// A `.git` that is a file or a link, and what it says.
    #[serde(with = "written::by_path")]
    pub(super) pointers: BTreeMap<PathBuf, Pointer>,
    /// The files in the project that the git directories' configuration includes, whether they exist or not.
    #[serde(with = "written::paths")]
    pub(super) included: BTreeSet<PathBuf>,
    /// The hooks that lie outside git directories, whether they exist or not.
    #[serde(default, with = "written::paths")]
    pub(super) hooks: BTreeSet<PathBuf>,
    /// Files and folders, with links followed; only where they are looked for.
    #[serde(skip)]
    pub(super) secrets: BTreeSet<PathBuf>,
    /// True if not all of them could be found.
    #[serde(skip)]
    pub(super) has_more_secrets: bool,
    /// Folders that can't be looked into, or not to their end.
    #[serde(default, with = "written::paths")]
    pub(super) unreadable: BTreeSet<PathBuf>,
    /// There is more than was looked at.
    pub(super) is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pointer {
    pub(super) is_link: bool,
    /// The target as it is written; empty where it can't be read.
    #[serde(with = "written::path")]
    pub(super) target: PathBuf,
}

impl Pointer {
    /// Returns where it leads, from the folder it is in; `None` if to nothing.
    pub(super) fn place(&self, folder: &Path) -> Option<PathBuf> {
        folder.join(&self.target).canonicalize().ok()
    }
}

/// `root` is canonical. Blocks for as long as it takes to look through the project, or through what changed of it since
/// these listings were made.
pub(super) fn find(root: &Path, listings: &Mutex<Listings>) -> Sensitive {
    find_within(root, Bounds { entries: MAX_ENTRIES, found: MAX_FOUND }, listings)
}

/// The same with the secrets of a large project too.
pub(super) fn find_secrets(root: &Path, listings: &Mutex<Listings>) -> Sensitive {
    let mut found = find_within(root, Bounds { entries: MAX_ENTRIES_FOR_SECRETS, found: MAX_FOUND }, listings);
    found.has_more_secrets |= found.is_cut;
    found
}

/// The same however much there is: cut only where the time is over. `root` is canonical.
pub(super) fn find_all(root: &Path, listings: &Mutex<Listings>) -> Sensitive {
    find_within(root, Bounds { entries: usize::MAX, found: usize::MAX }, listings)
}

/// The bounds of one search.
#[derive(Clone, Copy)]
struct Bounds {
    entries: usize,
    found: usize,
}

fn find_within(root: &Path, bounds: Bounds, listings: &Mutex<Listings>) -> Sensitive {
    // Whatever a search that panicked left there is still true.
    let mut listings = listings.lock().unwrap_or_else(PoisonError::into_inner);
    listings.begin_search(SystemTime::now());
    find_among(root, bounds, &mut listings)
}

fn find_among(root: &Path, bounds: Bounds, listings: &mut Listings) -> Sensitive {
    let (left, max_found, queue) = (bounds.entries, bounds.found, VecDeque::from([PathBuf::new()]));
    let found = Sensitive::default();
    let mut search = SensitiveSearch { root, left, max_found, found, queue, looked_into: Vec::new(), listings };
    let began = Instant::now();
    while let Some(folder) = search.queue.pop_front() {
        if began.elapsed() > PATIENCE {
            search.found.is_cut = true;
            break;
        }
        search.look_into(&folder);
    }
    search.note_hard_links();
    search.note_included();
    search.note_hooks();
    search.found
}

struct SensitiveSearch<'a> {
    root: &'a Path,
    /// Entries.
    left: usize,
    /// The limit for each kind of thing found.
    max_found: usize,
    found: Sensitive,
    /// Folders to be looked into.
    queue: VecDeque<PathBuf>,
    looked_into: Vec<PathBuf>,
    listings: &'a mut Listings,
}

impl SensitiveSearch<'_> {
    fn look_into(&mut self, folder: &Path) {
        let listing = self.listings.of(self.root, folder, self.left);
        self.found.is_cut |= listing.is_cut || listing.entries > self.left;
        self.left = self.left.saturating_sub(listing.entries);
        if listing.is_unreadable && !self.is_full(self.found.unreadable.len()) {
            self.found.unreadable.insert(folder.to_owned());
        }
        if listing.is_cut {
            // By its name, so that it is found however much is beside it.
            self.look_at(&folder.join(OWN_GIT));
        }
        for name in &listing.git {
            self.look_at(&folder.join(name));
        }
        listing.secrets.iter().for_each(|name| self.note_secret(&folder.join(name)));
        self.looked_into.push(folder.to_owned());
        if listing.is_git_dir() {
            self.add(folder.to_owned());
        }
        let is_git_dir = self.found.folders.contains_key(folder);
        let is_barren = |name: &OsString| is_git_dir && BARREN.iter().any(|barren| name == barren);
        let folders = listing.folders.iter().filter(|name| !is_barren(name));
        self.queue.extend(folders.map(|name| folder.join(name)));
    }

    fn note_included(&mut self) {
        let configurations = |folder: &PathBuf| {
            let tree = self.tree_of(folder);
            ["config", "config.worktree"].map(|name| (folder.join(name), tree.clone()))
        };
        let mut queue: Vec<(PathBuf, PathBuf)> = self.found.folders.keys().flat_map(configurations).collect();
        while let Some((file, tree)) = queue.pop() {
            let place = self.root.join(&file);
            let text = short_text(&place, MAX_CONFIGURATION_BYTES);
            for named in included(&text, place.parent().unwrap_or(self.root)) {
                let real = named.canonicalize().unwrap_or(named);
                if real.is_dir() {
                    continue;
                }
                let inside = real.strip_prefix(self.root).ok().filter(|_| self.found.included.len() < MAX_FOUND);
                if let Some(path) = inside.filter(|path| path.starts_with(&tree))
                    && self.found.included.insert(path.to_owned())
                {
                    queue.push((path.to_owned(), tree.clone()));
                }
            }
        }
    }

    fn note_hooks(&mut self) {
        let is_own = |path: &&PathBuf| path.file_name().is_some_and(|name| name == OWN_GIT);
        let named_git = self.found.folders.keys().filter(is_own).chain(self.found.pointers.keys());
        let trees = named_git.filter_map(|git| WorkingTree::at(self.root.join(git).parent()?));
        let hooks = hooks_below(self.root, &trees.collect::<Vec<_>>());
        let below = hooks.iter().filter_map(|place| place.strip_prefix(self.root).ok());
        self.found.hooks.extend(below.take(MAX_FOUND).map(Path::to_owned));
    }

    /// Returns the folder of the files that a git directory's configuration affects. That of a nested repository, which
    /// may have come in an archive, affects none in the project around it.
    fn tree_of(&self, folder: &Path) -> PathBuf {
        let leads_to =
            |pointer: &Pointer| pointer.place(self.root).is_some_and(|place| place == self.root.join(folder));
        let is_own = folder.starts_with(OWN_GIT) || self.found.pointers.get(Path::new(OWN_GIT)).is_some_and(leads_to);
        if is_own {
            return PathBuf::new();
        }
        let above = folder.ancestors().filter(|place| place.file_name().is_some_and(|name| name == OWN_GIT)).last();
        above.and_then(Path::parent).unwrap_or(folder).to_owned()
    }

    /// A link is a name for what it leads to, in the project.
    fn note_secret(&mut self, path: &Path) {
        if path.ancestors().skip(1).any(|folder| self.found.secrets.contains(folder)) {
            return;
        }
        let place = self.root.join(path);
        let Ok(found) = place.symlink_metadata() else { return };
        let real = if found.is_symlink() { place.canonicalize().ok() } else { Some(place) };
        if let Some(path) = real.as_deref().and_then(|real| real.strip_prefix(self.root).ok())
            && !path.as_os_str().is_empty()
        {
            self.found.has_more_secrets |= self.found.secrets.len() >= MAX_SECRETS;
            if !self.found.has_more_secrets {
                self.found.secrets.insert(path.to_owned());
            }
        }
    }

    /// The other names of secrets. Few files have more than one, so that folders are read again only then.
    fn note_hard_links(&mut self) {
        let linked = |path: &PathBuf| {
            let found = self.root.join(path).symlink_metadata().ok()?;
            (found.is_file() && found.nlink() > 1).then_some((found.dev(), found.ino()))
        };
        let linked: BTreeSet<Identity> = self.found.secrets.iter().filter_map(linked).collect();
        for folder in if linked.is_empty() { Vec::new() } else { std::mem::take(&mut self.looked_into) } {
            for entry in fs::read_dir(self.root.join(&folder)).into_iter().flatten().flatten() {
                let may_be = linked.iter().any(|(_, number)| *number == entry.ino());
                let is_it = |found: fs::Metadata| linked.contains(&(found.dev(), found.ino()));
                if may_be && entry.metadata().is_ok_and(is_it) {
                    self.note_secret(&folder.join(entry.file_name()));
                }
            }
        }
    }

    /// Looks at an entry that may be a `.git`.
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
        let text = short_text(&path, MAX_POINTER_BYTES);
        let target = text.strip_prefix("gitdir:").unwrap_or_default().trim();
        Pointer { is_link, target: target.into() }
    }

    fn is_full(&mut self, found: usize) -> bool {
        self.found.is_cut |= found >= self.max_found;
        found >= self.max_found
    }

    /// Returns whether it was not known yet.
    fn add(&mut self, path: PathBuf) -> bool {
        if self.is_full(self.found.folders.len()) {
            return false;
        }
        let Ok(found) = self.root.join(&path).symlink_metadata() else { return false };
        self.found.folders.insert(path, (found.dev(), found.ino())).is_none()
    }
}

/// Reads a plain file of at most `max_bytes`; returns an empty text for anything else.
fn short_text(path: &Path, max_bytes: u64) -> String {
    let is_short = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= max_bytes);
    if is_short { fs::read_to_string(path).unwrap_or_default() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    const BOUNDS: Bounds = Bounds { entries: MAX_ENTRIES, found: MAX_FOUND };

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
            let found = find(&self.root(), &Mutex::default());
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

    /// Later than any change so far, as far as a folder tells.
    fn tick(project: &Project) {
        let changed = |path: &Path| path.metadata().map(|found| (found.ctime(), found.ctime_nsec())).unwrap();
        let witness = tempfile::NamedTempFile::new_in(project.root().parent().unwrap()).unwrap();
        let before = changed(witness.path());
        while changed(witness.path()) == before {
            witness.as_file().set_modified(SystemTime::now()).unwrap();
        }
    }

    #[test]
    fn what_is_remembered_is_found_as_if_it_were_looked_at_anew() {
        let project =
            Project::new(&["a/b/c", "bare/objects", "bare/refs", "d/e", ".git"], &[("d/.git", "gitdir: ../bare")]);
        let root = project.root();
        let at = |path: &str| root.join(path);
        let changes: Vec<Box<dyn Fn() -> std::io::Result<()>>> = vec![
            Box::new(|| Ok(())),
            Box::new(|| fs::write(at("bare/HEAD"), "")),
            Box::new(|| fs::create_dir(at("a/b/c/.git"))),
            Box::new(|| fs::rename(at("a/b"), at("d/b"))),
            Box::new(|| fs::write(at("d/.git"), "gitdir: b")),
            Box::new(|| fs::remove_file(at("d/.git"))),
            Box::new(|| symlink("../bare", at("a/.git"))),
            Box::new(|| fs::remove_dir(at("d/b/c/.git"))),
            Box::new(|| fs::rename(at("d/b/c"), at("c")).and_then(|()| fs::create_dir_all(at("d/b/c/.git")))),
            Box::new(|| fs::rename(at("bare/HEAD"), at("bare/head"))),
            Box::new(|| fs::create_dir_all(at("new/one/.git/modules/x"))),
        ];
        let mut listings = Listings::default();
        let in_a_while = SystemTime::now() + Duration::from_secs(3600);
        for (number, change) in changes.iter().enumerate() {
            change().unwrap();
            tick(&project);
            listings.begin_search(in_a_while);
            let remembering = find_among(&root, BOUNDS, &mut listings);
            assert_eq!(remembering, find(&root, &Mutex::default()), "after change {number}");
        }
        listings.begin_search(in_a_while);
        let folders = find_among(&root, BOUNDS, &mut listings).folders;
        assert!(folders.contains_key(Path::new("new/one/.git")) && !folders.contains_key(Path::new("d/.git")));
    }

    #[test]
    fn folders_are_not_included_however_a_configuration_names_them() {
        let includes = "[include]\npath = ..\npath = ../src\npath = ../more\npath = ../to-come\n";
        let project = Project::new(&["src"], &[(".git/config", includes), ("more", "")]);
        let found = find(&project.root(), &Mutex::default());
        assert_eq!(found.included, ["more", "to-come"].map(PathBuf::from).into());
    }

    #[test]
    fn a_nested_repository_includes_none_of_the_files_around_it() {
        let files = [
            ("a/.git/config", "[include]\npath = ../../around\npath = ../own\n"),
            ("a/own", "[include]\npath = ../around\npath = more\n"),
            ("a/more", ""),
            ("a/.git/modules/m/config", "[include]\npath = ../../../of-module\n"),
            ("a/of-module", ""),
            ("bare/config", "[include]\npath = inside\npath = ../around\n"),
            ("bare/inside", ""),
            ("around", ""),
        ];
        let modules =
            ["a/.git/modules/m", "bare"].map(|git| ["HEAD", "objects/x", "refs/x"].map(|n| format!("{git}/{n}")));
        let project = Project::new(&[], &files);
        modules.as_flattened().iter().for_each(|path| {
            fs::create_dir_all(project.root().join(path).parent().unwrap()).unwrap();
            fs::write(project.root().join(path), "").unwrap();
        });
        let included = ["a/more", "a/of-module", "a/own", "bare/inside"].map(PathBuf::from);
        assert_eq!(find(&project.root(), &Mutex::default()).included, included.clone().into());
        // The project's own does, wherever it is.
        fs::write(project.root().join(".git"), "gitdir: bare").unwrap();
        let with_around = ["around".into()].into_iter().chain(included).collect();
        assert_eq!(find(&project.root(), &Mutex::default()).included, with_around);
    }

    #[test]
    fn beyond_the_bound_is_what_is_deep_and_it_is_said() {
        let project = Project::new(&[".git", "a/.git", "a/b/c/.git"], &[]);
        let found = find_among(&project.root(), Bounds { entries: 4, ..BOUNDS }, &mut Listings::default());
        assert!(found.is_cut && found.folders.contains_key(Path::new("a/.git")), "{found:?}");
        assert!(!found.folders.contains_key(Path::new("a/b/c/.git")));
    }
}
