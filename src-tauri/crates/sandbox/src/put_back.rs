//! Restores the parts of a project that a command may not change, where nothing can keep it from doing so: looked at
//! before, put back after.
//!
//! Landlock grants a folder with all that is in it. So under Landlock alone a command can write what of its git
//! directories makes git run something, and Arki's folder, for as long as it runs; never longer, however it ends. What it
//! wrote is lost, and it is told. A nested git directory that is gone as a whole, as with a build's folder, stays so.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use serde::{Deserialize, Serialize};

use super::ended::EndedAt;
use super::sensitive::Sensitive;
use super::{ARKI_FOLDER, OWN_GIT, SAMPLE, STEERS_GIT, written};
use arki_disk::{descend, mode_of};

/// More than this is not looked after, and no command is started without.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum PathState {
    File {
        #[serde(with = "written::bytes")]
        bytes: Vec<u8>,
        mode: u32,
    },
    Link(#[serde(with = "written::path")] std::path::PathBuf),
    Folder,
}

type PathStates = BTreeMap<String, PathState>;

/// The state before commands could change it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PutBack {
    watched: Vec<WatchedPlace>,
    before: PathStates,
}

/// Paths that had been changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedPaths {
    pub(super) put_back: Vec<String>,
    /// The paths that were left alone since they changed after the commands had ended.
    pub(super) left: Vec<String>,
}

impl PutBack {
    /// `git` is what there is at `root` now.
    pub(super) fn look(root: &Path, git: &Sensitive) -> io::Result<Self> {
        let mut watched = vec![WatchedPlace::plain(ARKI_FOLDER)];
        for folder in git.folders.keys().filter_map(|path| path.to_str()) {
            let nested_in = (folder != OWN_GIT).then(|| folder.to_owned());
            let below = STEERS_GIT
                .iter()
                .map(|name| if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") });
            watched.extend(below.map(|path| WatchedPlace { path, nested_in: nested_in.clone() }));
        }
        let pointers = git.pointers.keys().filter_map(|path| path.to_str());
        watched.extend(
            pointers.map(|path| WatchedPlace { path: path.to_owned(), nested_in: parent(path).map(str::to_owned) }),
        );
        let included = git.included.iter().filter_map(|path| path.to_str());
        watched.extend(included.map(WatchedPlace::plain));
        Self::of(root, watched)
    }

    /// The same for hooks that lie outside git directories.
    pub(super) fn look_at_hooks(root: &Path, git: &Sensitive) -> io::Result<Self> {
        Self::of(root, git.hooks.iter().filter_map(|path| path.to_str()).map(WatchedPlace::plain).collect())
    }

    fn of(root: &Path, watched: Vec<WatchedPlace>) -> io::Result<Self> {
        let before = look(&Dir::open_ambient_dir(root, ambient_authority())?, &watched)?;
        Ok(Self { watched, before })
    }

    pub(super) fn of_what_was_missing(&self) -> Self {
        let watched = self.watched.iter().filter(|watched| !self.before.contains_key(&watched.path));
        Self { watched: watched.cloned().collect(), before: PathStates::new() }
    }

    /// Paths that are not as they were, and stay so.
    pub(super) fn changed(&self, root: &Path) -> io::Result<Vec<String>> {
        let place = InPlace { root: Dir::open_ambient_dir(root, ambient_authority())?, before: &self.before };
        Ok(place.changed(self.watched.iter()))
    }

    /// Restores what changed at `root`, any number of times: all of it, or only what steers git. Arki's folder does
    /// nothing until the user has approved what changed in it.
    pub(super) fn put_back(
        &self,
        root: &Path,
        moment: RestoreMoment,
        ended: Option<EndedAt>,
    ) -> io::Result<ChangedPaths> {
        let is_meant = |watched: &&WatchedPlace| moment == RestoreMoment::AtTheEnd || watched.path != ARKI_FOLDER;
        let place = InPlace { root: Dir::open_ambient_dir(root, ambient_authority())?, before: &self.before };
        let is_later = |path: &String| ended.is_some_and(|ended| ended.is_before_change_of(root, Path::new(path)));
        let changed = place.changed(self.watched.iter().filter(is_meant));
        let (left, put_back): (Vec<_>, Vec<_>) = changed.into_iter().partition(is_later);
        // Folders come before what is in them.
        put_back.iter().try_for_each(|path| place.put_one_back(path))?;
        Ok(ChangedPaths { put_back, left })
    }
}

/// When it is put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RestoreMoment {
    WhileTheyRun,
    AtTheEnd,
}

/// A file from before, where it was.
struct InPlace<'a> {
    root: Dir,
    before: &'a PathStates,
}

impl InPlace<'_> {
    fn changed<'a>(&self, all: impl Iterator<Item = &'a WatchedPlace>) -> Vec<String> {
        let mut paths = BTreeSet::new();
        let mut after = PathStates::new();
        for watched in all.filter(|watched| watched.is_still_there(&self.root)) {
            let below = format!("{}/", watched.path);
            let is_its = |path: &&String| **path == watched.path || path.starts_with(&below);
            paths.extend(self.before.keys().filter(is_its).cloned());
            // What can't be looked at, such as one that now leads elsewhere, is not what it was.
            if self.is_in_its_place(&watched.path) {
                after.extend(look(&self.root, std::slice::from_ref(watched)).unwrap_or_default());
            }
        }
        paths.extend(after.keys().cloned());
        paths.into_iter().filter(|path| self.before.get(path) != after.get(path)).collect()
    }

    /// Returns whether the folders on its way are folders, and no links to others.
    fn is_in_its_place(&self, path: &str) -> bool {
        parent(path).is_none_or(|folder| descend(&self.root, folder).is_ok())
    }

    fn put_one_back(&self, path: &str) -> io::Result<()> {
        if !self.is_in_its_place(path) {
            if !self.before.contains_key(path) {
                return Ok(());
            }
            self.make_way(path)?;
        }
        remove(&self.root, path)?;
        match self.before.get(path) {
            None => Ok(()),
            Some(PathState::Folder) => self.root.create_dir_with(path, &DirBuilder::new()),
            Some(PathState::Link(target)) => link(&self.root, target, path),
            Some(PathState::File { bytes, mode }) => write(&self.root, path, bytes, *mode),
        }?;
        // Emptied with the folder, unless they are put back too.
        let below = format!("{path}/");
        for (inner, _) in self.before.range(below.clone()..).take_while(|(inner, _)| inner.starts_with(&below)) {
            self.put_one_back(inner)?;
        }
        Ok(())
    }

    /// The folders on its way, in the place of whatever is no folder.
    fn make_way(&self, path: &str) -> io::Result<()> {
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        for folder in folders {
            if !self.root.symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
                remove(&self.root, folder)?;
                self.root.create_dir(folder)?;
            }
        }
        Ok(())
    }
}

/// A place that is looked after, with all that is below.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WatchedPlace {
    path: String,
    /// It is no loss where this folder is gone.
    nested_in: Option<String>,
}

impl WatchedPlace {
    fn plain(path: &str) -> Self {
        Self { path: path.to_owned(), nested_in: None }
    }

    fn is_still_there(&self, root: &Dir) -> bool {
        self.nested_in
            .as_deref()
            .is_none_or(|folder| descend(root, if folder.is_empty() { "." } else { folder }).is_ok())
    }
}

/// `None` in the root.
fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

fn look(root: &Dir, watched: &[WatchedPlace]) -> io::Result<PathStates> {
    let mut states = PathStates::new();
    let mut bytes = 0;
    watched.iter().try_for_each(|watched| look_at(root, &watched.path, &mut states, &mut bytes))?;
    Ok(states)
}

fn look_at(root: &Dir, path: &str, states: &mut PathStates, bytes: &mut u64) -> io::Result<()> {
    let found = match root.symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        found => found?,
    };
    *bytes += if found.is_file() { found.len() } else { 0 };
    if states.len() >= MAX_FILES || *bytes > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{path} is too large to protect")));
    }
    if found.is_symlink() {
        states.insert(path.to_owned(), PathState::Link(root.read_link_contents(path)?));
    } else if found.is_dir() {
        states.insert(path.to_owned(), PathState::Folder);
        for entry in root.read_dir(path)? {
            let name = entry?.file_name().into_string();
            let name = name.map_err(|_| io::Error::new(io::ErrorKind::InvalidFilename, "a name is not UTF-8"))?;
            // Nobody runs it, and every repository has a dozen.
            if name.ends_with(SAMPLE) {
                continue;
            }
            look_at(root, &format!("{path}/{name}"), states, bytes)?;
        }
    } else if found.is_file() {
        let mode = mode_of(&found);
        states.insert(path.to_owned(), PathState::File { bytes: root.read(path)?, mode });
    } else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{path} is not a file")));
    }
    Ok(())
}

fn remove(root: &Dir, path: &str) -> io::Result<()> {
    match root.symlink_metadata(path) {
        Ok(found) if found.is_dir() => root.remove_dir_all(path),
        Ok(_) => root.remove_file(path),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(error) => Err(error),
    }
}

fn link(root: &Dir, target: &Path, path: &str) -> io::Result<()> {
    if target.is_absolute() { root.symlink_contents(target, path) } else { root.symlink(target, path) }
}

fn write(root: &Dir, path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    use cap_std::fs::{OpenOptionsExt, PermissionsExt};
    use std::io::Write;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = root.open_with(path, &options)?;
    file.write_all(bytes)?;
    file.set_permissions(cap_std::fs::Permissions::from_mode(mode))?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::super::sensitive;
    use super::*;
    use std::fs;
    use std::sync::Mutex;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".git/hooks/deep")).unwrap();
        fs::create_dir(folder.path().join(".arki")).unwrap();
        fs::write(folder.path().join(".git/config"), "mine").unwrap();
        fs::write(folder.path().join(".git/hooks/pre-push"), "mine").unwrap();
        fs::write(folder.path().join(".git/hooks/deep/file"), "mine").unwrap();
        fs::write(folder.path().join(".arki/config.json"), "{}").unwrap();
        std::os::unix::fs::symlink("pre-push", folder.path().join(".git/hooks/link")).unwrap();
        folder
    }

    fn watch(root: &Path) -> PutBack {
        PutBack::look(root, &sensitive::find(&root.canonicalize().unwrap(), &Mutex::default())).unwrap()
    }

    /// Of all that is looked after.
    fn put_back(watched: &PutBack, root: &Path) -> Vec<String> {
        let changed = watched.put_back(root, RestoreMoment::AtTheEnd, None).unwrap();
        assert!(changed.left.is_empty());
        changed.put_back
    }

    fn check(change: impl FnOnce(&Path), changed: &[&str]) {
        let folder = project();
        let watched = watch(folder.path());
        change(folder.path());
        assert_eq!(put_back(&watched, folder.path()), changed);
        let again = watch(folder.path());
        assert_eq!(again.before, watch(project().path()).before);
    }

    #[test]
    fn what_was_left_alone_is_left_alone() {
        check(|root| fs::write(root.join("file"), "x").unwrap(), &[]);
    }

    #[test]
    fn each_kind_of_change_is_put_back() {
        check(|root| fs::write(root.join(".git/config"), "x").unwrap(), &[".git/config"]);
        check(|root| fs::write(root.join(".git/hooks/new"), "x").unwrap(), &[".git/hooks/new"]);
        check(|root| fs::remove_file(root.join(".git/hooks/link")).unwrap(), &[".git/hooks/link"]);
        check(|root| fs::create_dir_all(root.join(".arki/deep/er")).unwrap(), &[".arki/deep", ".arki/deep/er"]);
    }

    #[test]
    fn a_whole_folder_is_put_back_whatever_took_its_place() {
        let all = [".git/config", ".git/hooks", ".git/hooks/deep", ".git/hooks/deep/file", ".git/hooks/link"];
        let git = [&all[..], &[".git/hooks/pre-push"]].concat();
        check(|root| fs::rename(root.join(".git"), root.join("away")).unwrap(), &git);
        let replaced = |root: &Path| {
            fs::rename(root.join(".git"), root.join("away")).unwrap();
            std::os::unix::fs::symlink("/etc", root.join(".git")).unwrap();
        };
        check(replaced, &git);
    }

    #[test]
    fn a_nested_one_is_put_back_where_it_still_is() {
        let nested = |names: &[&str]| {
            let folder = project();
            fs::create_dir_all(folder.path().join("a/b/.git/info")).unwrap();
            fs::write(folder.path().join("a/b/.git/config"), "mine").unwrap();
            names.iter().for_each(|name| fs::write(folder.path().join("a/b/.git").join(name), "mine").unwrap());
            folder
        };
        let folder = nested(&["info/attributes"]);
        let watched = watch(folder.path());
        let git = folder.path().join("a/b/.git");
        ["config", "commondir", "info/attributes"].iter().for_each(|name| fs::write(git.join(name), "evil").unwrap());
        let changed = ["a/b/.git/commondir", "a/b/.git/config", "a/b/.git/info/attributes"];
        assert_eq!(put_back(&watched, folder.path()), changed);
        assert_eq!(watch(folder.path()).before, watch(nested(&["info/attributes"]).path()).before);
        let watched = watch(folder.path());
        fs::remove_dir_all(folder.path().join("a")).unwrap();
        assert!(put_back(&watched, folder.path()).is_empty() && !folder.path().join("a").exists());
    }

    #[test]
    fn a_file_that_says_where_the_repository_is_is_put_back() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".git"), "gitdir: /somewhere").unwrap();
        let watched = watch(folder.path());
        fs::write(folder.path().join(".git"), "gitdir: evil").unwrap();
        assert_eq!(put_back(&watched, folder.path()), [".git"]);
        assert_eq!(fs::read_to_string(folder.path().join(".git")).unwrap(), "gitdir: /somewhere");
    }

    #[test]
    fn as_it_is_written_down_it_is_put_back_too() {
        let folder = project();
        let watched = serde_json::from_slice(&serde_json::to_vec(&watch(folder.path())).unwrap()).unwrap();
        fs::remove_dir_all(folder.path().join(".git/hooks")).unwrap();
        fs::write(folder.path().join(".git/config"), [0xff]).unwrap();
        assert_eq!(put_back(&watched, folder.path()).len(), 6);
        assert_eq!(watch(folder.path()).before, watch(project().path()).before);
    }

    #[test]
    fn while_commands_run_only_what_steers_git_is_put_back() {
        let folder = project();
        let watched = watch(folder.path());
        [".git/config", ".arki/config.json"].iter().for_each(|path| fs::write(folder.path().join(path), "x").unwrap());
        let changed = watched.put_back(folder.path(), RestoreMoment::WhileTheyRun, None).unwrap();
        assert_eq!(changed.put_back, [".git/config"]);
        assert_eq!(put_back(&watched, folder.path()), [".arki/config.json"]);
    }

    #[test]
    fn what_changed_after_the_commands_had_ended_is_left() {
        let folder = project();
        let watched = watch(folder.path());
        fs::write(folder.path().join(".git/hooks/pre-commit"), "the user's").unwrap();
        let a_minute = std::time::Duration::from_secs(60);
        let before = EndedAt(std::time::SystemTime::now() - a_minute);
        let changed = watched.put_back(folder.path(), RestoreMoment::AtTheEnd, Some(before)).unwrap();
        assert_eq!(changed.left, [".git/hooks/pre-commit"]);
        assert!(changed.put_back.is_empty() && folder.path().join(".git/hooks/pre-commit").exists());
        let after = EndedAt(std::time::SystemTime::now() + a_minute);
        let changed = watched.put_back(folder.path(), RestoreMoment::AtTheEnd, Some(after)).unwrap();
        assert_eq!(changed.put_back, [".git/hooks/pre-commit"]);
    }

    #[test]
    fn a_repository_that_is_made_by_the_command_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let watched = watch(folder.path());
        fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
        fs::create_dir(folder.path().join(".arki")).unwrap();
        assert_eq!(put_back(&watched, folder.path()), [".arki"]);
        assert!(folder.path().join(".git/hooks").exists());
    }
}
