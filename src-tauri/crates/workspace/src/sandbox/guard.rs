//! What a command leaves behind that would make git run something, outside the sandbox, once somebody uses git there.
//!
//! What exists when a command starts is held by the sandbox, or put back (`put_back`). What does not exist yet can't be:
//! a `commondir`, hooks, a repository within the project. So when the command has ended its git directories are looked at
//! again, and what is new in them and not known to be harmless (`git_config`) is taken away: into Arki's trash, or, where
//! that can't be, for good. All of it is opened folder by folder and never through a link, for other commands may go on.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, OpenOptions};

use super::listings::Listings;
use super::sensitive::{self, Identity, Pointer, Sensitive};
use super::{GitAccess, OWN_GIT, SAMPLE, SandboxSpec, git_config};
use crate::private_dir::{create_private_dir, write_private_file};
use crate::project::{never_wait, open_folder};

/// Bytes of a file that are looked at, and kept in the trash where it is on another disk.
const MAX_BYTES: u64 = 1 << 20;
/// Things in the trash; what comes when it is full is removed.
const MAX_IN_TRASH: usize = 200;
const FILES: &[&str] = &["config", "config.worktree", "commondir"];
const HOOKS: &str = "hooks";

/// Of a git directory that was there before the command, what the sandbox itself keeps from being changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// Landlock can't.
    Nothing,
    WhatSteers,
    Everything,
}

impl Held {
    pub(super) fn by_view(access: GitAccess) -> Self {
        match access {
            GitAccess::ReadOnly => Self::Everything,
            GitAccess::Writable => Self::WhatSteers,
        }
    }
}

/// Held while a command runs; looks again when it is dropped, at the latest.
#[derive(Debug)]
pub(crate) struct Guard {
    root: PathBuf,
    dir: Dir,
    /// Where commands can prepare something besides the project.
    elsewhere: Vec<PathBuf>,
    trash: Option<PathBuf>,
    git: Sensitive,
    /// What git's configuration includes, and is not there.
    missing: Vec<PathBuf>,
    /// Other commands' too.
    listings: Arc<Mutex<Listings>>,
    before: HashMap<Identity, Pieces>,
    held: Held,
    #[cfg(target_os = "linux")]
    put_back: Option<super::put_back::PutBack>,
    is_done: bool,
}

impl Guard {
    /// Blocks for as long as it takes to look through the project.
    pub(super) fn look(spec: &SandboxSpec, held: Held, listings: Arc<Mutex<Listings>>) -> io::Result<Self> {
        let root = spec.project_root.canonicalize()?;
        let dir = Dir::open_ambient_dir(&root, ambient_authority())?;
        let git = sensitive::find(&root, &listings);
        let seen = |(path, identity): (&PathBuf, &Identity)| Some((*identity, pieces(&open(&dir, path).ok()?)));
        Ok(Self {
            before: git.folders.iter().filter_map(seen).collect(),
            #[cfg(target_os = "linux")]
            put_back: (held == Held::Nothing).then(|| super::put_back::PutBack::look(&root, &git)).transpose()?,
            elsewhere: spec.writable_roots().into_iter().filter(|place| *place != root).collect(),
            trash: spec.trash.clone(),
            missing: git.included.iter().filter(|path| root.join(path).symlink_metadata().is_err()).cloned().collect(),
            root,
            dir,
            git,
            listings,
            held,
            is_done: false,
        })
    }

    /// What there was before the command.
    pub(crate) fn git(&self) -> &Sensitive {
        &self.git
    }

    /// What is to be said of it, after what the command printed. Blocks as [`Guard::look`] does.
    pub(crate) fn finish(mut self) -> String {
        self.do_finish()
    }

    fn do_finish(&mut self) -> String {
        self.is_done = true;
        let mut note = String::new();
        #[cfg(target_os = "linux")]
        if let Some(put_back) = self.put_back.take() {
            note = put_back.finish_and_tell();
        }
        let after = sensitive::find(&self.root, &self.listings);
        for taken in self.take_away(&after) {
            // Writing to a string does not fail.
            let _ = write!(note, "\n[{}]\n", taken.words());
        }
        if after.is_cut && !self.git.is_cut {
            note.push_str("\n[There are now too many files to look for every git repository among them.]\n");
        }
        note
    }

    fn take_away(&self, after: &Sensitive) -> Vec<Taken> {
        let mut taken = Vec::new();
        for (path, identity) in &after.folders {
            let known = self.before.get(identity);
            if known.is_some() && self.held == Held::Everything {
                continue;
            }
            let Ok(folder) = open(&self.dir, path) else { continue };
            // Where it was put back as it was, the folder itself may be another.
            let at_this_place = self.git.folders.get(path).and_then(|identity| self.before.get(identity));
            let is_known = |name: &str, piece: &Piece| {
                let was = known.and_then(|pieces| pieces.get(name));
                let was_here = at_this_place.and_then(|pieces| pieces.get(name));
                [was, was_here].contains(&Some(piece)) || (was.is_some() && self.held != Held::Nothing)
            };
            let new = pieces(&folder).into_iter().filter(|(name, piece)| !is_known(name, piece));
            let harmful = new.filter(|(name, piece)| !self.is_harmless(path, name, piece, after));
            taken.extend(harmful.map(|(name, _)| self.take(&folder, path, &name)));
        }
        // What was there is held.
        for path in self.missing.iter().filter(|path| self.root.join(path).symlink_metadata().is_ok()) {
            let Some((folder, name)) = self.parent_of(path) else { continue };
            if !piece(&folder, name).is_some_and(|piece| is_harmless_configuration(&piece)) {
                taken.push(self.take(&folder, path.parent().unwrap_or(path), name));
            }
        }
        for (path, pointer) in &after.pointers {
            let parent = path.parent().unwrap_or(path);
            if self.git.pointers.get(path) != Some(pointer)
                && !self.leads_to_what_is_looked_at(parent, pointer, after)
                && let Some((folder, name)) = self.parent_of(path)
            {
                taken.push(self.take(&folder, parent, name));
            }
        }
        taken
    }

    fn is_harmless(&self, folder: &Path, name: &str, piece: &Piece, after: &Sensitive) -> bool {
        match name {
            "config" | "config.worktree" => is_harmless_configuration(piece),
            "commondir" => {
                piece.text().is_some_and(|text| self.is_worktree(folder, text.trim_end_matches('\n'), after))
            }
            _ => false,
        }
    }

    /// Whether `folder` lies among the worktrees of the repository that its `commondir` names.
    fn is_worktree(&self, folder: &Path, common: &str, after: &Sensitive) -> bool {
        let worktrees = folder.parent().filter(|parent| parent.ends_with("worktrees"));
        let Some(repository) = worktrees.and_then(Path::parent) else { return false };
        let named = self.root.join(folder).join(common).canonicalize();
        after.folders.contains_key(repository) && named.is_ok_and(|named| named == self.root.join(repository))
    }

    fn parent_of<'a>(&self, path: &'a Path) -> Option<(Dir, &'a str)> {
        let folder = open(&self.dir, path.parent().unwrap_or(path)).ok()?;
        Some((folder, path.file_name()?.to_str()?))
    }

    /// A repository that no command could prepare, or one in the project that was one already, or is harmless.
    fn leads_to_what_is_looked_at(&self, folder: &Path, pointer: &Pointer, after: &Sensitive) -> bool {
        let Some(place) = pointer.place(&self.root.join(folder)) else { return !pointer.is_link };
        match place.strip_prefix(&self.root) {
            Ok(inside) if after.folders.contains_key(inside) => {
                self.was_in_use(inside) || self.is_harmless_as_a_whole(inside, after)
            }
            Ok(_) => false,
            Err(_) => !pointer.is_link && !self.elsewhere.iter().any(|root| place.starts_with(root)),
        }
    }

    /// Whether somebody's git used it before the command: one that only has the shape of a git directory may have been
    /// put there for this.
    fn was_in_use(&self, inside: &Path) -> bool {
        let is_known = self.git.folders.contains_key(inside);
        let place = self.root.join(inside);
        let leads_there = |(path, pointer): (&PathBuf, &Pointer)| {
            pointer.place(&self.root.join(path.parent().unwrap_or(path))).is_some_and(|leads| leads == place)
        };
        is_known
            && (inside.components().any(|part| part.as_os_str() == OWN_GIT)
                || self.git.pointers.iter().any(leads_there))
    }

    fn is_harmless_as_a_whole(&self, path: &Path, after: &Sensitive) -> bool {
        open(&self.dir, path)
            .is_ok_and(|folder| pieces(&folder).iter().all(|(name, piece)| self.is_harmless(path, name, piece, after)))
    }

    fn take(&self, folder: &Dir, path: &Path, name: &str) -> Taken {
        let (within, last) = match name.split_once('/') {
            Some((inner, last)) => (open_folder(folder, inner), last),
            None => (folder.try_clone(), name),
        };
        let ending = within.and_then(|within| match self.keep(&within, last) {
            Some(place) => Ok(Some(place)),
            None => remove(&within, last).map(|()| None),
        });
        Taken { path: path.join(name), ending }
    }

    /// Where it is now; `None` where it can't be kept and is where it was.
    fn keep(&self, folder: &Dir, name: &str) -> Option<PathBuf> {
        let trash = self.trash.as_deref()?;
        create_private_dir(trash).ok()?;
        if std::fs::read_dir(trash).ok()?.count() >= MAX_IN_TRASH {
            return None;
        }
        let place = tempfile::Builder::new().prefix("git-").tempdir_in(trash).ok()?;
        let kept = Dir::open_ambient_dir(place.path(), ambient_authority()).ok()?;
        if folder.rename(name, &kept, name).is_err() {
            // On another disk.
            let Piece::File(bytes) = piece(folder, name)? else { return None };
            write_private_file(&place.path().join(name), &bytes).ok()?;
            remove(folder, name).ok()?;
        }
        Some(place.keep().join(name))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.is_done {
            let note = self.do_finish();
            if !note.is_empty() {
                tracing::warn!(note, "a command that nobody waited for left something behind");
            }
        }
    }
}

/// By their names in the git directory.
type Pieces = BTreeMap<String, Piece>;

#[derive(Debug, PartialEq, Eq)]
enum Piece {
    File(Vec<u8>),
    Link(PathBuf),
    /// Inode, bytes and time of change.
    Other(u64, u64, i64),
}

impl Piece {
    fn text(&self) -> Option<&str> {
        let Self::File(bytes) = self else { return None };
        std::str::from_utf8(bytes).ok()
    }
}

fn is_harmless_configuration(piece: &Piece) -> bool {
    piece.text().is_some_and(git_config::is_harmless)
}

/// What git reads, to run it or to learn what it is to run.
fn pieces(folder: &Dir) -> Pieces {
    let mut pieces: Pieces = FILES.iter().filter_map(|name| Some(((*name).to_owned(), piece(folder, name)?))).collect();
    match open_folder(folder, HOOKS) {
        Ok(hooks) => {
            let names = hooks.entries().into_iter().flatten().flatten();
            let names = names.filter_map(|entry| entry.file_name().into_string().ok());
            let run = names.filter(|name| !name.ends_with(SAMPLE));
            pieces.extend(run.filter_map(|name| Some((format!("{HOOKS}/{name}"), piece(&hooks, &name)?))));
        }
        Err(_) => pieces.extend(piece(folder, HOOKS).map(|piece| (HOOKS.to_owned(), piece))),
    }
    pieces
}

fn piece(folder: &Dir, name: &str) -> Option<Piece> {
    let found = folder.symlink_metadata(name).ok()?;
    if found.is_symlink() {
        return Some(Piece::Link(folder.read_link_contents(name).unwrap_or_default()));
    }
    let bytes = if found.is_file() && found.len() <= MAX_BYTES { read(folder, name).ok() } else { None };
    Some(bytes.map_or_else(|| Piece::Other(found.ino(), found.len(), found.mtime()), Piece::File))
}

fn read(folder: &Dir, name: &str) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    options.read(true);
    never_wait(&mut options);
    let mut bytes = Vec::new();
    folder.open_with(name, &options)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn remove(folder: &Dir, name: &str) -> io::Result<()> {
    if folder.symlink_metadata(name)?.is_dir() { folder.remove_dir_all(name) } else { folder.remove_file(name) }
}

fn open(root: &Dir, path: &Path) -> io::Result<Dir> {
    path.components().try_fold(root.try_clone()?, |parent, name| open_folder(&parent, name))
}

struct Taken {
    /// In the project.
    path: PathBuf,
    /// Where it is now, if anywhere.
    ending: io::Result<Option<PathBuf>>,
}

impl Taken {
    fn words(&self) -> String {
        let what = format!("{} could make git run a program outside the sandbox", self.path.display());
        match &self.ending {
            Ok(Some(place)) => format!("{what}, so it was moved to {}.", place.display()),
            Ok(None) => format!("{what}, so it was removed."),
            Err(error) => format!("{what}, and it can't be removed: {error}. Look at it before using git there."),
        }
    }
}
