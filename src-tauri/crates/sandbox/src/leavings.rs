//! Finds the files left by commands that would make git run something, outside the sandbox, once somebody uses git
//! there.
//!
//! What exists when they start is held by the sandbox, or put back (`put_back`). What does not exist yet can't be: a
//! `commondir`, hooks, attributes, a rebase that waits with programs to run, a repository within the project. So its
//! git directories are looked at again, and what is new in them and not known to be harmless (`git_config`) is taken
//! away: into Arki's trash, or, where that can't be, for good. All of it is opened folder by folder and never through a
//! link, for other commands may go on. When that is done is said elsewhere: `guard` while their owner lives, `journal`
//! where it does not.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, OpenOptions};
use serde::{Deserialize, Serialize};

use super::ended::{EndedAt, has_changed_since};
use super::listings::Listings;
use super::put_back::{PutBack, RestoreMoment};
use super::sensitive::{self, Identity, Pointer, Sensitive};
use super::settled::SettledNotes;
use super::{GitAccess, OWN_GIT, SAMPLE, git_todo, written};
use arki_disk::{create_private_dir, never_wait, open_folder, write_private_file};
use arki_process::Findings;

/// Bytes of a file that are looked at, and kept in the trash where it is on another disk.
const MAX_BYTES: u64 = 1 << 20;
/// Things in the trash; what comes when it is full is removed.
const MAX_IN_TRASH: usize = 200;
/// The limit for a path that is shown.
const MAX_SHOWN_CHARS: usize = 200;
/// A file's time of change is the kernel's, which is behind by a tick of its clock.
const TICK: Duration = Duration::from_millis(100);
const FILES: &[&str] = &["config", "config.worktree", "commondir"];
const HOOKS: &str = "hooks";
const INFO: &str = "info";
const ATTRIBUTES: &str = "attributes";
/// A rebase that waits, and what is left to do of it.
const REBASE: &str = "rebase-merge";
const TODO: &str = "git-rebase-todo";

/// The part of an existing git directory that the sandbox itself protects from changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// The reach of commands; of several together, what any of them could reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Reached {
    pub(super) held: Held,
    /// True if the commands may change hooks outside git directories. Journals of earlier versions don't have this
    /// field.
    #[serde(default)]
    pub(super) writes_hooks: bool,
    /// The places besides the project in which they can prepare something.
    #[serde(with = "written::paths")]
    pub(super) elsewhere: Vec<PathBuf>,
}

impl Reached {
    pub(super) fn by_all<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let together = Self { held: Held::Everything, writes_hooks: false, elsewhere: Vec::new() };
        all.into_iter().fold(together, |together, one| Self {
            held: together.held.min(one.held),
            writes_hooks: together.writes_hooks || one.writes_hooks,
            elsewhere: [together.elsewhere, one.elsewhere.clone()].concat(),
        })
    }
}

/// The parts of a project that make git run something, before commands could change them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Before {
    /// Canonical.
    #[serde(with = "written::path")]
    pub(super) root: PathBuf,
    git: Sensitive,
    /// The files that git's configuration includes, and that are missing.
    #[serde(with = "written::paths")]
    missing: Vec<PathBuf>,
    #[serde(with = "written::pairs")]
    pieces: BTreeMap<Identity, Pieces>,
    /// The state to restore, where the sandbox holds nothing.
    put_back: Option<PutBack>,
    /// Hooks outside git directories. Journals of earlier versions know of none.
    #[serde(default)]
    hooks: Option<PutBack>,
    /// A time at which nothing of the commands' was there yet. Journals of earlier versions don't have it.
    #[serde(default)]
    began: Option<SystemTime>,
}

/// When, and by what, the leavings are looked for.
pub(super) struct Settling<'a> {
    pub(super) moment: RestoreMoment,
    pub(super) trash: Option<&'a Path>,
    pub(super) listings: &'a Mutex<Listings>,
    /// The end of the commands, where their owner is gone.
    pub(super) ended: Option<EndedAt>,
}

impl Before {
    /// `git` is what there is at `root`, which is canonical, now.
    pub(super) fn look(root: &Path, git: Sensitive, held: Held) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(root, ambient_authority())?;
        let seen = |(path, identity): (&PathBuf, &Identity)| Some((*identity, pieces(&open(&dir, path).ok()?)));
        Ok(Self {
            pieces: git.folders.iter().filter_map(seen).collect(),
            put_back: (held == Held::Nothing).then(|| PutBack::look(root, &git)).transpose()?,
            hooks: (!git.hooks.is_empty()).then(|| PutBack::look_at_hooks(root, &git)).transpose()?,
            missing: git.included.iter().filter(|path| root.join(path).symlink_metadata().is_err()).cloned().collect(),
            root: root.to_owned(),
            git,
            began: SystemTime::now().checked_sub(TICK),
        })
    }

    /// Returns whether it knows what a sandbox that holds that does not hold.
    pub(super) fn suits(&self, held: Held) -> bool {
        held != Held::Nothing || self.put_back.is_some()
    }

    /// Takes away and puts back what commands that reached so far left, and says what. Blocks for as long as it takes to
    /// look through the project, however much is in it.
    pub(super) fn settle(&self, reached: &Reached, settling: &Settling<'_>) -> Findings {
        let dir = match Dir::open_ambient_dir(&self.root, ambient_authority()) {
            Ok(dir) => dir,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Findings::default(),
            Err(error) => return Findings::unfinished(format!("the project can't be opened ({error})")),
        };
        let mut told = SettledNotes::default();
        if let Some(put_back) = self.put_back.as_ref().filter(|_| reached.held == Held::Nothing) {
            told.of_put_back(put_back.put_back(&self.root, settling.moment, settling.ended));
        }
        match self.hooks.as_ref() {
            Some(hooks) if reached.writes_hooks => told.of_hooks(hooks.changed(&self.root)),
            Some(hooks) => {
                // What was there is held, and what changed of it is the user's.
                let missing = (reached.held != Held::Nothing).then(|| hooks.of_what_was_missing());
                let hooks = missing.as_ref().unwrap_or(hooks);
                told.of_put_back(hooks.put_back(&self.root, settling.moment, settling.ended));
            }
            None => {}
        }
        let mut after = sensitive::find(&self.root, settling.listings);
        if after.is_cut {
            after = sensitive::find_all(&self.root, settling.listings);
        }
        let look = LeavingsLook { before: self, reached, settling, dir, after };
        look.take_away(&mut told);
        look.note_what_was_not_seen(&mut told);
        let unfinished = told.unfinished.take();
        Findings { notes: told.into_notes(), unfinished }
    }
}

/// One look at what there is now.
struct LeavingsLook<'a> {
    before: &'a Before,
    reached: &'a Reached,
    settling: &'a Settling<'a>,
    dir: Dir,
    after: Sensitive,
}

impl LeavingsLook<'_> {
    fn take_away(&self, told: &mut SettledNotes) {
        let held = self.reached.held;
        for (path, identity) in &self.after.folders {
            let known = self.before.pieces.get(identity);
            if known.is_some() && held == Held::Everything {
                continue;
            }
            let folder = match open(&self.dir, path) {
                Ok(folder) => folder,
                Err(error) => {
                    self.note_unopened(path, &error, told);
                    continue;
                }
            };
            // Where it was put back as it was, the folder itself may be another.
            let at_this_place = self.before.git.folders.get(path).and_then(|identity| self.before.pieces.get(identity));
            let is_known = |name: &str, piece: &SensitivePiece| {
                let was = known.and_then(|pieces| pieces.get(name));
                let was_here = at_this_place.and_then(|pieces| pieces.get(name));
                [was, was_here].contains(&Some(piece)) || (was.is_some() && held != Held::Nothing)
            };
            // Of what lay beyond the bounds only the times tell whether it was there.
            let may_be_old = known.is_none() && at_this_place.is_none() && self.before.git.is_cut;
            let new = pieces(&folder).into_iter().filter(|(name, piece)| !is_known(name, piece));
            let new = new.filter(|(name, _)| !may_be_old || self.came_since(path, name, told));
            let new: Vec<_> = new.collect();
            let new = new.into_iter();
            let harmful = new.filter(|(name, piece)| !self.is_harmless(path, name, piece));
            harmful.for_each(|(name, _)| self.take(&folder, path, &name, told));
        }
        // What was there is held.
        for path in self.before.missing.iter().filter(|path| self.root().join(path).symlink_metadata().is_ok()) {
            let Some((folder, name)) = self.parent_of(path) else { continue };
            if !piece(&folder, name).is_some_and(|piece| is_harmless_configuration(&piece)) {
                self.take(&folder, path.parent().unwrap_or(path), name, told);
            }
        }
        for (path, pointer) in &self.after.pointers {
            let parent = path.parent().unwrap_or(path);
            let may_be_old = self.before.git.is_cut && !self.before.git.pointers.contains_key(path);
            if self.before.git.pointers.get(path) != Some(pointer)
                && (!may_be_old || self.came_since(parent, OWN_GIT, told))
                && !self.leads_to_what_is_looked_at(parent, pointer)
                && let Some((folder, name)) = self.parent_of(path)
            {
                self.take(&folder, parent, name, told);
            }
        }
    }

    /// Returns whether a piece of a git directory is the commands', as far as times tell: it changed since they began,
    /// or the folder got that name or became a git directory since.
    fn came_since(&self, folder: &Path, name: &str, told: &mut SettledNotes) -> bool {
        let Some(began) = self.before.began.filter(|began| *began <= SystemTime::now()) else {
            told.unfinished.get_or_insert_with(|| "it isn't known when it was created".to_owned());
            return false;
        };
        let has_changed = |path: &Path| has_changed_since(self.root(), path, began);
        let since = has_changed(&folder.join(name)).zip(has_changed(folder)).map(|(piece, whole)| {
            let is_new_here = || folder.parent().is_some_and(|parent| has_changed(parent) == Some(true));
            piece || (whole && (is_new_here() || has_changed(&folder.join("HEAD")) == Some(true)))
        });
        if since.is_none() {
            let why = || format!("it isn't known when {} was created", folder.display());
            told.unfinished.get_or_insert_with(why);
        }
        since == Some(true)
    }

    /// Notes what could hide a repository: folders that nobody can look into since the commands ran, and what there was
    /// no time for.
    fn note_what_was_not_seen(&self, told: &mut SettledNotes) {
        if self.after.is_cut {
            told.unfinished.get_or_insert_with(|| "the project is too large to check in time".to_owned());
        }
        for path in self.after.unreadable.difference(&self.before.git.unreadable) {
            self.note_unopened(path, &io::ErrorKind::PermissionDenied.into(), told);
        }
    }

    fn note_unopened(&self, path: &Path, error: &io::Error, told: &mut SettledNotes) {
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return;
        }
        let began = self.before.began.unwrap_or(SystemTime::UNIX_EPOCH);
        if !self.before.git.is_cut || has_changed_since(self.root(), path, began) != Some(false) {
            let mut place = path.display().to_string();
            if place.chars().count() > MAX_SHOWN_CHARS {
                place = format!("{}…", place.chars().take(MAX_SHOWN_CHARS).collect::<String>());
            }
            told.unfinished.get_or_insert_with(|| format!("{place} can't be read"));
        }
    }

    fn root(&self) -> &Path {
        &self.before.root
    }

    fn is_harmless(&self, folder: &Path, name: &str, piece: &SensitivePiece) -> bool {
        match name {
            "config" | "config.worktree" => is_harmless_configuration(piece),
            "commondir" => piece.text().is_some_and(|text| self.is_worktree(folder, text.trim_end_matches('\n'))),
            "rebase-merge/git-rebase-todo" => piece.text().is_some_and(git_todo::is_harmless),
            _ => false,
        }
    }

    /// Returns whether `folder` lies among the worktrees of the repository that its `commondir` names.
    fn is_worktree(&self, folder: &Path, common: &str) -> bool {
        let worktrees = folder.parent().filter(|parent| parent.ends_with("worktrees"));
        let Some(repository) = worktrees.and_then(Path::parent) else { return false };
        let named = self.root().join(folder).join(common).canonicalize();
        self.after.folders.contains_key(repository) && named.is_ok_and(|named| named == self.root().join(repository))
    }

    fn parent_of<'a>(&self, path: &'a Path) -> Option<(Dir, &'a str)> {
        let folder = open(&self.dir, path.parent().unwrap_or(path)).ok()?;
        Some((folder, path.file_name()?.to_str()?))
    }

    /// A repository that no command could prepare, or one in the project that was one already, or is harmless.
    fn leads_to_what_is_looked_at(&self, folder: &Path, pointer: &Pointer) -> bool {
        let Some(place) = pointer.place(&self.root().join(folder)) else { return !pointer.is_link };
        match place.strip_prefix(self.root()) {
            Ok(inside) if self.after.folders.contains_key(inside) => {
                self.was_in_use(inside) || self.is_harmless_as_a_whole(inside)
            }
            Ok(_) => false,
            Err(_) => !pointer.is_link && !self.reached.elsewhere.iter().any(|root| place.starts_with(root)),
        }
    }

    /// Returns whether somebody's git used it before the command: one that only has the shape of a git directory may
    /// have been put there for this.
    fn was_in_use(&self, inside: &Path) -> bool {
        let is_known = self.before.git.folders.contains_key(inside);
        let place = self.root().join(inside);
        let leads_there = |(path, pointer): (&PathBuf, &Pointer)| {
            pointer.place(&self.root().join(path.parent().unwrap_or(path))).is_some_and(|leads| leads == place)
        };
        is_known
            && (inside.components().any(|part| part.as_os_str() == OWN_GIT)
                || self.before.git.pointers.iter().any(leads_there))
    }

    fn is_harmless_as_a_whole(&self, path: &Path) -> bool {
        open(&self.dir, path)
            .is_ok_and(|folder| pieces(&folder).iter().all(|(name, piece)| self.is_harmless(path, name, piece)))
    }

    fn take(&self, folder: &Dir, path: &Path, name: &str, told: &mut SettledNotes) {
        let whole = path.join(name);
        if self.settling.ended.is_some_and(|ended| ended.is_before_change_of(self.root(), &whole)) {
            told.leave(whole.display().to_string());
            return;
        }
        let (within, last) = match name.split_once('/') {
            Some((inner, last)) => (open_folder(folder, inner), last),
            None => (folder.try_clone(), name),
        };
        let ending = within.and_then(|within| match self.keep(&within, last) {
            Some(place) => Ok(Some(place)),
            None => remove(&within, last).map(|()| None),
        });
        if let Err(error) = &ending {
            told.unfinished.get_or_insert_with(|| format!("{} can't be removed ({error})", whole.display()));
        }
        told.notes.push(words(&whole, &ending));
    }

    /// Keeps a copy and returns its place; `None` where it can't be kept and is where it was.
    fn keep(&self, folder: &Dir, name: &str) -> Option<PathBuf> {
        let trash = self.settling.trash?;
        create_private_dir(trash).ok()?;
        if std::fs::read_dir(trash).ok()?.count() >= MAX_IN_TRASH {
            return None;
        }
        let place = tempfile::Builder::new().prefix("git-").tempdir_in(trash).ok()?;
        let kept = Dir::open_ambient_dir(place.path(), ambient_authority()).ok()?;
        if folder.rename(name, &kept, name).is_err() {
            // On another disk.
            let SensitivePiece::File(bytes) = piece(folder, name)? else { return None };
            write_private_file(&place.path().join(name), &bytes).ok()?;
            remove(folder, name).ok()?;
        }
        Some(place.keep().join(name))
    }
}

fn words(path: &Path, ending: &io::Result<Option<PathBuf>>) -> String {
    let what = format!("{} could make git run a program outside the sandbox", path.display());
    match ending {
        Ok(Some(place)) => format!("{what}, so it was moved to {}.", place.display()),
        Ok(None) => format!("{what}, so it was removed."),
        Err(error) => format!("{what}, and it can't be removed: {error}. Check it before you use git there."),
    }
}

/// The pieces by their names in the git directory.
type Pieces = BTreeMap<String, SensitivePiece>;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SensitivePiece {
    File(#[serde(with = "written::bytes")] Vec<u8>),
    Link(#[serde(with = "written::path")] PathBuf),
    /// Inode, bytes and time of change.
    Other(u64, u64, i64),
}

impl SensitivePiece {
    fn text(&self) -> Option<&str> {
        let Self::File(bytes) = self else { return None };
        std::str::from_utf8(bytes).ok()
    }
}

fn is_harmless_configuration(piece: &SensitivePiece) -> bool {
    piece.text().is_some_and(arki_git::is_harmless)
}

/// Returns what git reads, to run it or to learn what it is to run.
fn pieces(folder: &Dir) -> Pieces {
    let mut pieces: Pieces = FILES.iter().filter_map(|name| Some(((*name).to_owned(), piece(folder, name)?))).collect();
    add_pieces(&mut pieces, folder, HOOKS, |name| !name.ends_with(SAMPLE));
    add_pieces(&mut pieces, folder, INFO, |name| name == ATTRIBUTES);
    add_pieces(&mut pieces, folder, REBASE, |name| name == TODO);
    pieces
}

/// Adds the pieces in a folder within; the path itself if it is no folder.
fn add_pieces(pieces: &mut Pieces, folder: &Dir, within: &str, counts: impl Fn(&str) -> bool) {
    let Ok(inner) = open_folder(folder, within) else {
        pieces.extend(piece(folder, within).map(|piece| (within.to_owned(), piece)));
        return;
    };
    let names = inner.entries().into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| counts(name));
    pieces.extend(names.filter_map(|name| Some((format!("{within}/{name}"), piece(&inner, &name)?))));
}

fn piece(folder: &Dir, name: &str) -> Option<SensitivePiece> {
    let found = folder.symlink_metadata(name).ok()?;
    if found.is_symlink() {
        return Some(SensitivePiece::Link(folder.read_link_contents(name).unwrap_or_default()));
    }
    let bytes = if found.is_file() && found.len() <= MAX_BYTES { read(folder, name).ok() } else { None };
    Some(bytes.map_or_else(|| SensitivePiece::Other(found.ino(), found.len(), found.mtime()), SensitivePiece::File))
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
