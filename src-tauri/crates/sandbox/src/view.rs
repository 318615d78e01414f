//! A view of a project in which a program's writes go aside, and the list of what they changed: of a command all, of a
//! program that works on several calls what it has changed since the last began.
//!
//! The kernel keeps the writes (overlayfs): `upper` has what was written, a removed entry is a device without a number,
//! and a folder that replaced another is marked as opaque. So the list costs what the command did, whatever the size of
//! the project. It is read when the command and all that it started have ended.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, Mode, OFlags, ResolveFlags, flock};

use super::listings::changed_at;
use super::upper_layer::{UpperEntry, UpperLayer, names_in};
use super::view_change::{ViewChange, ViewChangeKind, ViewChanges, ViewEntry};
use super::wrapping;
use arki_disk::create_private_dir;

const UPPER: &str = "upper";
const WORK: &str = "work";

/// A view's own folder; removed when dropped.
#[derive(Debug)]
pub struct OverlayView {
    folder: PathBuf,
    bound: Vec<PathBuf>,
    /// The time since when what is written counts as a change.
    began: Mutex<SystemTime>,
    /// Locked for as long as this lives, so that nobody takes the view for abandoned.
    _lock: fs::File,
}

impl OverlayView {
    /// Makes a new one in `views`, a folder of Arki's own that no command sees, on a disk that keeps extended
    /// attributes. What lies in the folders of the project that are `bound` is written for real.
    pub fn create(views: &Path, bound: Vec<PathBuf>) -> io::Result<Self> {
        create_private_dir(views).map_err(io::Error::other)?;
        let folder = tempfile::Builder::new().prefix("view-").tempdir_in(views)?.keep();
        fs::create_dir(folder.join(UPPER))?;
        let lock = fs::File::open(&folder)?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let began = Mutex::new(touched_at(&folder)?);
        Ok(Self { folder, bound, began, _lock: lock })
    }

    /// From now on only what is changed later is listed by [`Self::changes`].
    pub fn begin_call(&self) -> io::Result<()> {
        let now = touched_at(&self.folder)?;
        *self.began.lock().unwrap_or_else(PoisonError::into_inner) = now;
        Ok(())
    }

    /// Returns why commands can't work in views of this project, in a sentence; `None` where they can. Takes some
    /// milliseconds.
    #[must_use]
    pub fn fault(project: &Path, views: &Path) -> Option<String> {
        if let Some(disk) = mounted_below(project) {
            return Some(format!("{} is a disk of its own, which a view of the project can't show.", disk.display()));
        }
        let try_out = |view: Self| wrapping::try_view(project, &view.upper(), &view.work()?);
        let error = Self::create(views, Vec::new()).and_then(try_out).err()?;
        Some(format!("The project's disk, or the one of Arki's data, takes no view: {error}."))
    }

    pub(super) fn upper(&self) -> PathBuf {
        self.folder.join(UPPER)
    }

    /// The kernel's folder, empty: it takes none that it had before. So a view has one command at a time.
    pub(super) fn work(&self) -> io::Result<PathBuf> {
        let work = self.folder.join(WORK);
        remove_all(&work);
        fs::create_dir(&work)?;
        Ok(work)
    }

    /// The folders for what is written to another one than the project, empty, by the number of that one.
    pub(super) fn layers_of(&self, number: usize) -> io::Result<(PathBuf, PathBuf)> {
        let folder = self.folder.join(format!("aside-{number}"));
        remove_all(&folder);
        fs::create_dir(&folder)?;
        let layers = (folder.join(UPPER), folder.join(WORK));
        fs::create_dir(&layers.0)?;
        fs::create_dir(&layers.1)?;
        Ok(layers)
    }

    pub(super) fn bound(&self) -> &[PathBuf] {
        &self.bound
    }

    /// Lists what changed since the view was made, or since [`Self::begin_call`], at most so many changes. What
    /// `leaves_out` says is not looked at, nor what is below it. Blocks for as long as it takes to look through what was
    /// written.
    pub fn changes(&self, project: &Path, most: usize, leaves_out: impl Fn(&Path) -> bool) -> io::Result<ViewChanges> {
        self.list(project, most, leaves_out, ListedPart::SinceItBegan)
    }

    /// The same for all that was written since the view was made.
    pub fn all_changes(
        &self,
        project: &Path,
        most: usize,
        leaves_out: impl Fn(&Path) -> bool,
    ) -> io::Result<ViewChanges> {
        self.list(project, most, leaves_out, ListedPart::All)
    }

    fn list(
        &self,
        project: &Path,
        most: usize,
        leaves_out: impl Fn(&Path) -> bool,
        part: ListedPart,
    ) -> io::Result<ViewChanges> {
        let (found, began) = (ViewChanges::default(), *self.began.lock().unwrap_or_else(PoisonError::into_inner));
        let upper = UpperLayer::open(&self.upper())?;
        let mut listing = ViewListing { upper, project, began, part, most, leaves_out, found };
        listing.compare_folder(Path::new(""))?;
        let mut found = listing.found;
        found.changes.sort();
        Ok(found)
    }

    /// Reads what is at a path that was written. A file of more bytes is an error of kind `FileTooLarge`.
    pub fn entry(&self, path: &Path, max_bytes: u64) -> io::Result<ViewEntry> {
        UpperLayer::open(&self.upper())?.read(path, max_bytes)
    }

    /// Moves a folder that the command made to its place in the project, where nothing is yet; its parent is a folder of
    /// the project. One with a git directory in it is left, with an error of kind `Unsupported`. Blocks for as long as it
    /// takes to look through the folder, and to copy it to another disk.
    pub fn move_out(&self, path: &Path, project: &Path) -> io::Result<()> {
        let made = self.upper().join(path);
        ensure_without_git(&made)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(project, flags, Mode::empty())?;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let folder = rustix::fs::openat2(&root, parent, flags, Mode::empty(), beneath)?;
        let rename = |from: &Path| {
            rustix::fs::renameat_with(rustix::fs::CWD, from, &folder, name, rustix::fs::RenameFlags::NOREPLACE)
        };
        match rename(&made) {
            Err(rustix::io::Errno::XDEV) => {
                let copy = tempfile::Builder::new().prefix(".arki-").tempdir_in(project.join(parent))?;
                let whole = copy.path().join("copy");
                copy_folder(&made, &whole)?;
                Ok(rename(&whole)?)
            }
            done => Ok(done?),
        }
    }
}

fn ensure_without_git(folder: &Path) -> io::Result<()> {
    let names = names_in(folder)?;
    let has = |name: &str| names.iter().any(|found| found.eq_ignore_ascii_case(name));
    if has(".git") || (has("HEAD") && has("objects") && has("refs")) {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "it holds a git directory"));
    }
    let folders = names.iter().map(|name| folder.join(name));
    let is_folder = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    folders.filter(is_folder).try_for_each(|path| ensure_without_git(&path))
}

/// Files, links and folders; anything else is left.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for name in names_in(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        let kind = source.symlink_metadata()?.file_type();
        if kind.is_dir() {
            copy_folder(&source, &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(&source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    fs::set_permissions(to, from.symlink_metadata()?.permissions())
}

impl Drop for OverlayView {
    fn drop(&mut self) {
        remove_all(&self.folder);
    }
}

/// A mount somewhere in the project: overlayfs shows the folder under it.
fn mounted_below(project: &Path) -> Option<PathBuf> {
    let root = project.canonicalize().ok()?;
    let mounts = fs::read("/proc/self/mountinfo").ok()?;
    let places = mounts.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
    let mut places = places.map(|place| PathBuf::from(OsString::from_vec(unescaped(place))));
    places.find(|place| place.starts_with(&root) && *place != root)
}

/// The kernel writes blanks and backslashes as three octal digits behind a backslash.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|_| *first == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[3..] } else { behind };
    }
    bytes
}

/// Also what a command, or the kernel, closed to everyone.
fn remove_all(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_all(&entry.path());
        } else {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}

/// Removes the views of processes that were killed: all in `views` that are older than this and that nobody holds.
pub fn remove_abandoned_views(views: &Path, older_than: Duration) {
    for entry in fs::read_dir(views).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > older_than) && !is_held(&entry.path()) {
            remove_all(&entry.path());
        }
    }
}

fn is_held(view: &Path) -> bool {
    fs::File::open(view).is_ok_and(|folder| flock(&folder, FlockOperation::NonBlockingLockExclusive).is_err())
}

/// The moment by the kernel's clock for files, which is behind the other by some milliseconds.
fn touched_at(folder: &Path) -> io::Result<SystemTime> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    changed_at(&folder.symlink_metadata()?).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListedPart {
    All,
    SinceItBegan,
}

struct ViewListing<'a, L> {
    upper: UpperLayer,
    project: &'a Path,
    began: SystemTime,
    part: ListedPart,
    most: usize,
    leaves_out: L,
    found: ViewChanges,
}

impl<L: Fn(&Path) -> bool> ViewListing<'_, L> {
    /// Compares a folder that both have.
    fn compare_folder(&mut self, path: &Path) -> io::Result<()> {
        if self.upper.is_opaque(path) {
            for name in names_in(&self.project.join(path))? {
                let inside = path.join(name);
                if self.upper.entry(&inside).is_none() {
                    self.remove(&inside)?;
                }
            }
        }
        for name in self.upper.names(path)? {
            self.compare(&path.join(name))?;
        }
        Ok(())
    }

    fn compare(&mut self, path: &Path) -> io::Result<()> {
        if self.is_over(path) {
            return Ok(());
        }
        // A program may have removed it meanwhile.
        let Some(now) = self.upper.entry(path) else { return Ok(()) };
        let before = self.project.join(path).symlink_metadata().ok();
        let was_folder = before.as_ref().is_some_and(fs::Metadata::is_dir);
        if now.is_whiteout() {
            return before.map_or(Ok(()), |_| self.remove(path));
        }
        if now.is_folder() && was_folder {
            return self.compare_folder(path);
        }
        if before.is_some() && (now.is_folder() || was_folder) {
            self.remove(path)?;
        }
        if now.is_folder() {
            return self.add_folder(path);
        }
        self.push(path, if now.is_plain() { ViewChangeKind::Written } else { ViewChangeKind::Special });
        Ok(())
    }

    fn add_folder(&mut self, path: &Path) -> io::Result<()> {
        self.push(path, ViewChangeKind::FolderAdded);
        for name in self.upper.names(path)? {
            let inside = path.join(name);
            if self.is_over(&inside) {
                continue;
            }
            match self.upper.entry(&inside) {
                Some(folder) if folder.is_folder() => self.add_folder(&inside)?,
                Some(plain) if plain.is_plain() => self.push(&inside, ViewChangeKind::Written),
                // In a new folder nothing of the project is hidden.
                Some(removed) if removed.is_whiteout() => {}
                Some(_) => self.push(&inside, ViewChangeKind::Special),
                None => {}
            }
        }
        Ok(())
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        if self.is_over(path) {
            return Ok(());
        }
        if !self.project.join(path).symlink_metadata()?.is_dir() {
            self.push(path, ViewChangeKind::Removed);
            return Ok(());
        }
        self.push(path, ViewChangeKind::FolderRemoved);
        names_in(&self.project.join(path))?.into_iter().try_for_each(|name| self.remove(&path.join(name)))
    }

    fn is_over(&self, path: &Path) -> bool {
        self.found.has_more || (self.leaves_out)(path)
    }

    fn push(&mut self, path: &Path, kind: ViewChangeKind) {
        if self.part == ListedPart::SinceItBegan && self.was_written_before(path) {
            return;
        }
        if self.found.changes.len() >= self.most {
            self.found.has_more = true;
            return;
        }
        // What is not there may have been removed or moved meanwhile: then its folder has changed, which is no work of the
        // command's.
        let found = path.ancestors().find_map(|place| self.project.join(place).symlink_metadata().ok());
        let has_changed_outside = found.is_some_and(|found| changed_at(&found) > Some(self.began));
        self.found.changes.push(ViewChange { path: path.to_owned(), kind, has_changed_outside });
    }

    /// By the entry itself, or the nearest folder where it is gone. What is in a folder that was moved keeps its times.
    fn was_written_before(&self, path: &Path) -> bool {
        let is_new = |entry: UpperEntry| entry.changed_at() >= Some(self.began);
        let is_moved = |place: &&Path| self.upper.is_opaque(place) || !self.project.join(place).is_dir();
        let entry = |place: &Path| self.upper.entry(place);
        let moved = path.ancestors().skip(1).filter(is_moved).filter_map(entry).any(is_new);
        !moved && path.ancestors().find_map(entry).is_some_and(|entry| !is_new(entry))
    }
}
