//! What a command may not change in the project, where nothing can keep it from doing so: looked at before, put back
//! after.
//!
//! Landlock grants a folder with all that is in it. So under Landlock alone a command can write git's hooks and
//! configuration, and Arki's folder, for as long as it runs; never longer, however it ends. What it wrote is lost, and
//! it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};

use super::READ_ONLY_INSIDE;

/// More than this is not looked after, and no command is started without.
const MAX_FILES: usize = 5_000;
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
enum State {
    File { bytes: Vec<u8>, mode: u32 },
    Link(std::path::PathBuf),
    Folder,
}

type States = BTreeMap<String, State>;

/// Puts back when it is dropped, at the latest.
#[derive(Debug)]
pub(crate) struct PutBack {
    root: Dir,
    /// Folder and name of each; those in a `.git` only where there was one.
    watched: Vec<&'static str>,
    before: States,
    is_done: bool,
}

impl PutBack {
    pub(super) fn look(root: &Path) -> io::Result<Self> {
        let root = Dir::open_ambient_dir(root, ambient_authority())?;
        let has_git = root.symlink_metadata(".git").is_ok_and(|found| found.is_dir());
        let is_watched = |path: &&&str| has_git || !path.starts_with(".git/");
        let watched: Vec<&str> = READ_ONLY_INSIDE.iter().filter(is_watched).copied().collect();
        let before = look(&root, &watched)?;
        Ok(Self { root, watched, before, is_done: false })
    }

    /// The paths that had been changed.
    pub(crate) fn finish(mut self) -> io::Result<Vec<String>> {
        self.put_back()
    }

    fn put_back(&mut self) -> io::Result<Vec<String>> {
        self.is_done = true;
        // What can't be looked at, such as one that now leads elsewhere, is not what it was.
        let mut after = States::new();
        for path in self.watched.iter().filter(|path| self.is_in_its_place(path)) {
            after.extend(look(&self.root, &[path]).unwrap_or_default());
        }
        let paths: BTreeSet<&String> = self.before.keys().chain(after.keys()).collect();
        let is_changed = |path: &&String| self.before.get(*path) != after.get(*path);
        let changed: Vec<String> = paths.into_iter().filter(is_changed).cloned().collect();
        // Folders come before what is in them.
        for path in &changed {
            self.put_one_back(path)?;
        }
        Ok(changed)
    }

    /// Whether the first folder on its way is one, and no link to another.
    fn is_in_its_place(&self, path: &str) -> bool {
        path.split_once('/')
            .is_none_or(|(folder, _)| self.root.symlink_metadata(folder).is_ok_and(|found| found.is_dir()))
    }

    fn put_one_back(&self, path: &str) -> io::Result<()> {
        if let Some((folder, _)) = path.split_once('/')
            && !self.is_in_its_place(path)
        {
            remove(&self.root, folder)?;
            self.root.create_dir(folder)?;
        }
        remove(&self.root, path)?;
        match self.before.get(path) {
            None => Ok(()),
            Some(State::Folder) => self.root.create_dir_with(path, &DirBuilder::new()),
            Some(State::Link(target)) => link(&self.root, target, path),
            Some(State::File { bytes, mode }) => write(&self.root, path, bytes, *mode),
        }?;
        // Emptied with the folder, unless they are put back too.
        let below = format!("{path}/");
        for (inner, _) in self.before.range(below.clone()..).take_while(|(inner, _)| inner.starts_with(&below)) {
            self.put_one_back(inner)?;
        }
        Ok(())
    }
}

impl Drop for PutBack {
    fn drop(&mut self) {
        if !self.is_done
            && let Err(error) = self.put_back()
        {
            tracing::warn!(%error, "what a command changed could not be put back");
        }
    }
}

fn look(root: &Dir, watched: &[&str]) -> io::Result<States> {
    let mut states = States::new();
    let mut bytes = 0;
    watched.iter().try_for_each(|path| look_at(root, path, &mut states, &mut bytes))?;
    Ok(states)
}

fn look_at(root: &Dir, path: &str, states: &mut States, bytes: &mut u64) -> io::Result<()> {
    let found = match root.symlink_metadata(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        found => found?,
    };
    *bytes += if found.is_file() { found.len() } else { 0 };
    if states.len() >= MAX_FILES || *bytes > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{path} is too large to look after")));
    }
    if found.is_symlink() {
        states.insert(path.to_owned(), State::Link(root.read_link_contents(path)?));
    } else if found.is_dir() {
        states.insert(path.to_owned(), State::Folder);
        for entry in root.read_dir(path)? {
            let name = entry?.file_name().into_string();
            let name = name.map_err(|_| io::Error::new(io::ErrorKind::InvalidFilename, "a name is not UTF-8"))?;
            look_at(root, &format!("{path}/{name}"), states, bytes)?;
        }
    } else if found.is_file() {
        let mode = crate::project::mode_of(&found);
        states.insert(path.to_owned(), State::File { bytes: root.read(path)?, mode });
    } else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("{path} is no file")));
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
    use super::*;
    use std::fs;

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

    fn check(change: impl FnOnce(&Path), changed: &[&str]) {
        let folder = project();
        let watched = PutBack::look(folder.path()).unwrap();
        let before = look(&watched.root, READ_ONLY_INSIDE).unwrap();
        change(folder.path());
        assert_eq!(watched.finish().unwrap(), changed);
        let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        assert_eq!(look(&root, READ_ONLY_INSIDE).unwrap(), before);
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
    fn it_is_put_back_also_when_nobody_waits_for_the_end() {
        let folder = project();
        let watched = PutBack::look(folder.path()).unwrap();
        fs::write(folder.path().join(".git/config"), "x").unwrap();
        drop(watched);
        assert_eq!(fs::read_to_string(folder.path().join(".git/config")).unwrap(), "mine");
    }

    #[test]
    fn a_repository_that_is_made_by_the_command_is_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let watched = PutBack::look(folder.path()).unwrap();
        fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
        fs::create_dir(folder.path().join(".arki")).unwrap();
        assert_eq!(watched.finish().unwrap(), [".arki"]);
        assert!(folder.path().join(".git/hooks").exists());
    }
}
