//! A view of a project in which one command's writes go aside, and the list of what they changed.
//!
//! The kernel keeps the writes (overlayfs): `upper` has what was written, a removed entry is a device without a number,
//! and a folder that replaced another is marked as opaque. So the list costs what the command did, whatever the size of
//! the project. It is read when the command and all that it started have ended.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{Mode, OFlags, ResolveFlags};

use super::view_change::{ViewChange, ViewChangeKind, ViewChanges, ViewEntry};
use super::wrapping;
use arki_disk::create_private_dir;

const UPPER: &str = "upper";
const WORK: &str = "work";
const OPAQUE: &str = "user.overlay.opaque";
/// Bits of a mode that a file's rights are.
const RIGHTS: u32 = 0o7777;

/// A view's own folder; removed when dropped.
#[derive(Debug)]
pub struct OverlayView {
    folder: PathBuf,
    bound: Vec<PathBuf>,
    made: SystemTime,
}

impl OverlayView {
    /// Makes a new one in `views`, a folder of Arki's own that no command sees, on a disk that keeps extended
    /// attributes. What lies in the folders of the project that are `bound` is written for real.
    pub fn create(views: &Path, bound: Vec<PathBuf>) -> io::Result<Self> {
        create_private_dir(views).map_err(io::Error::other)?;
        let folder = tempfile::Builder::new().prefix("view-").tempdir_in(views)?.keep();
        fs::create_dir(folder.join(UPPER))?;
        // By the kernel's clock for files, which is behind the other by some milliseconds.
        let made = changed_at(&folder.symlink_metadata()?).ok_or(io::ErrorKind::InvalidData)?;
        Ok(Self { folder, bound, made })
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

    /// Lists what changed, at most so many changes. What `leaves_out` says is not looked at, nor what is below it.
    /// Blocks for as long as it takes to look through what was written.
    pub fn changes(&self, project: &Path, most: usize, leaves_out: impl Fn(&Path) -> bool) -> io::Result<ViewChanges> {
        let found = ViewChanges::default();
        let mut listing = ViewListing { upper: self.upper(), project, made: self.made, most, leaves_out, found };
        listing.compare_folder(Path::new(""))?;
        let mut found = listing.found;
        found.changes.sort();
        Ok(found)
    }

    /// Reads what is at a path that was written. A file of more bytes is an error of kind `FileTooLarge`.
    pub fn entry(&self, path: &Path, max_bytes: u64) -> io::Result<ViewEntry> {
        let upper = rustix::fs::open(self.upper(), OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat2(&upper, parent, flags, Mode::empty(), beneath)?;
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let found = rustix::fs::statat(&folder, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
        if rustix::fs::FileType::from_raw_mode(found.st_mode).is_symlink() {
            let target = rustix::fs::readlinkat(&folder, name, Vec::new())?;
            return Ok(ViewEntry::Link(OsString::from_vec(target.into_bytes()).into()));
        }
        if found.st_size.cast_unsigned() > max_bytes {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // A file that a command closed even to itself is read all the same: it is this user's.
        let bytes = match read(&folder, name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let at = rustix::fs::AtFlags::empty();
                rustix::fs::chmodat(&folder, name, Mode::RUSR | Mode::WUSR, at)?;
                let bytes = read(&folder, name);
                rustix::fs::chmodat(&folder, name, Mode::from_raw_mode(found.st_mode & RIGHTS), at)?;
                bytes?
            }
            bytes => bytes?,
        };
        Ok(ViewEntry::File { bytes, mode: found.st_mode & RIGHTS })
    }
}

impl OverlayView {
    /// Moves a folder that the command made to its place in the project, where nothing is yet; its parent is a folder of
    /// the project. One with a git directory in it is left, with an error of kind `Unsupported`. Blocks for as long as it
    /// takes to look through the folder, and to copy it to another disk.
    pub fn move_out(&self, path: &Path, project: &Path) -> io::Result<()> {
        let made = self.upper().join(path);
        ensure_without_git(&made)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let root = rustix::fs::open(project, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
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
    let names = names(folder)?;
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
    for name in names(from)? {
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

fn read(folder: &std::os::fd::OwnedFd, name: &std::ffi::OsStr) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = fs::File::from(rustix::fs::openat(folder, name, flags, Mode::empty())?);
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
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

/// Removes the views of processes that were killed: all in `views` that are older than any command may run.
pub fn remove_abandoned_views(views: &Path, older_than: Duration) {
    for entry in fs::read_dir(views).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|found| found.modified()).map(|at| at.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > older_than) {
            remove_all(&entry.path());
        }
    }
}

struct ViewListing<'a, L> {
    upper: PathBuf,
    project: &'a Path,
    made: SystemTime,
    most: usize,
    leaves_out: L,
    found: ViewChanges,
}

impl<L: Fn(&Path) -> bool> ViewListing<'_, L> {
    /// Compares a folder that both have.
    fn compare_folder(&mut self, path: &Path) -> io::Result<()> {
        let replaced = is_opaque(&self.upper.join(path));
        if replaced {
            for name in names(&self.project.join(path))? {
                let inside = path.join(name);
                if self.upper.join(&inside).symlink_metadata().is_err() {
                    self.remove(&inside)?;
                }
            }
        }
        for name in names(&self.upper.join(path))? {
            self.compare(&path.join(name))?;
        }
        Ok(())
    }

    fn compare(&mut self, path: &Path) -> io::Result<()> {
        if self.is_over(path) {
            return Ok(());
        }
        let now = self.upper.join(path).symlink_metadata()?;
        let before = self.project.join(path).symlink_metadata().ok();
        let was_folder = before.as_ref().is_some_and(fs::Metadata::is_dir);
        let kind = now.file_type();
        if kind.is_char_device() && now.rdev() == 0 {
            return before.map_or(Ok(()), |_| self.remove(path));
        }
        if kind.is_dir() && was_folder {
            return self.compare_folder(path);
        }
        if before.is_some() && (kind.is_dir() || was_folder) {
            self.remove(path)?;
        }
        if kind.is_dir() {
            return self.add_folder(path);
        }
        let is_plain = kind.is_file() || kind.is_symlink();
        self.push(path, if is_plain { ViewChangeKind::Written } else { ViewChangeKind::Special });
        Ok(())
    }

    fn add_folder(&mut self, path: &Path) -> io::Result<()> {
        self.push(path, ViewChangeKind::FolderAdded);
        for name in names(&self.upper.join(path))? {
            let inside = path.join(name);
            if self.is_over(&inside) {
                continue;
            }
            let kind = self.upper.join(&inside).symlink_metadata()?;
            match kind.file_type() {
                folder if folder.is_dir() => self.add_folder(&inside)?,
                plain if plain.is_file() || plain.is_symlink() => self.push(&inside, ViewChangeKind::Written),
                // In a new folder nothing of the project is hidden.
                device if device.is_char_device() && kind.rdev() == 0 => {}
                _ => self.push(&inside, ViewChangeKind::Special),
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
        names(&self.project.join(path))?.into_iter().try_for_each(|name| self.remove(&path.join(name)))
    }

    fn is_over(&self, path: &Path) -> bool {
        self.found.has_more || (self.leaves_out)(path)
    }

    fn push(&mut self, path: &Path, kind: ViewChangeKind) {
        if self.found.changes.len() >= self.most {
            self.found.has_more = true;
            return;
        }
        // What is not there may have been removed or moved meanwhile: then its folder has changed, which is no work of the
        // command's.
        let found = path.ancestors().find_map(|place| self.project.join(place).symlink_metadata().ok());
        let has_changed_outside = found.is_some_and(|found| changed_at(&found) > Some(self.made));
        self.found.changes.push(ViewChange { path: path.to_owned(), kind, has_changed_outside });
    }
}

/// A folder that a command closed even to itself is opened: it is this user's, and goes with the view.
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
            fs::read_dir(folder)
        }
        listed => listed,
    };
    listed?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// Only the kernel says it: whoever changes a file can't put it back.
fn changed_at(found: &fs::Metadata) -> Option<SystemTime> {
    let since_epoch = Duration::new(found.ctime().try_into().ok()?, found.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_epoch)
}

fn is_opaque(folder: &Path) -> bool {
    let mut value = [0_u8; 1];
    matches!(rustix::fs::lgetxattr(folder, OPAQUE, &mut value), Ok(1)) && value == *b"y"
}
