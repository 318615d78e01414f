//! The one way to write a file of Arki's own: under a lock across processes it is read, changed, written beside and put in
//! its place.
//!
//! A change is a function from the text as it is to the text as it shall be, so that nobody can bring one that was read
//! before the lock. What is locked is the folder of the file, and where the system can't lock a folder, a file in it; the
//! lock goes with its process, however that one ends. A file that is a link, as those who keep their configuration
//! elsewhere make them, is written where it leads, and the link stays.

use crate::private_dir::{NEW_PREFIX, new_private_file};
use crate::{FileAction, FileError};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// A change takes milliseconds; whoever holds the lock for longer hangs.
const LOCK_PATIENCE: Duration = Duration::from_secs(20);
const LOCK_PAUSE: Duration = Duration::from_millis(3);
/// The limit for links that are followed, the same as Linux's.
const MAX_LINKS: usize = 40;

/// Held while what lies in a folder is read and changed: nobody else who takes it is at it.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// `None` where another holds it, or the folder can't be opened.
    #[must_use]
    pub fn try_take(folder: &Path) -> Option<Self> {
        let file = open_lock(folder).ok()?;
        file.try_lock().ok().map(|()| Self { _file: file })
    }

    /// Waits for those before. Blocks.
    ///
    /// # Errors
    /// [`FileError::Busy`] where another process keeps it for 20 seconds; when the folder can't be opened.
    pub fn take(folder: &Path) -> Result<Self, FileError> {
        let since = Instant::now();
        let file = open_lock(folder).map_err(|error| write_error(folder, error))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if since.elapsed() > LOCK_PATIENCE => {
                    return Err(FileError::Busy { path: folder.display().to_string() });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
                Err(TryLockError::Error(error)) if knows_no_locks(&error) => {
                    tracing::warn!(folder = %folder.display(), "this disk knows no locks: changes at once may be lost");
                    return Ok(Self { _file: file });
                }
                Err(TryLockError::Error(error)) => return Err(write_error(folder, error)),
            }
        }
    }
}

/// Changes a file under the lock of its folder, for the owner alone. `change` gets its bytes, `None` where there is no
/// file; what it refuses leaves the file as it is. The folder must exist.
///
/// # Errors
/// Those of `change`; when the file can't be read or written.
pub fn change_private_file<E: From<FileError>>(
    path: &Path,
    change: impl FnOnce(Option<&[u8]>) -> Result<Vec<u8>, E>,
) -> Result<(), E> {
    let target = followed(path)?;
    let shown = if target == path { path.display().to_string() } else { linked(path, &target) };
    let fail = |action, error| FileError::of(&shown, action, error);
    let folder = target.parent().ok_or_else(|| fail(FileAction::Write, io::ErrorKind::InvalidFilename.into()))?;
    let _lock = FolderLock::take(folder)?;
    remove_unfinished_in(folder);
    let bytes = match fs::read(&target) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(fail(FileAction::Read, error).into()),
    };
    let changed = change(bytes.as_deref())?;
    if bytes.as_deref() != Some(&changed[..]) {
        replace(&target, &changed).map_err(|error| fail(FileAction::Write, error))?;
    }
    Ok(())
}

/// Writes atomically, for the owner alone, whatever was there; what other processes change as well goes through
/// [`change_private_file`]. The folder must exist.
pub fn write_private_file(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let folder = path.parent().ok_or_else(|| write_error(path, io::ErrorKind::InvalidFilename.into()))?;
    let _lock = FolderLock::take(folder)?;
    replace(path, bytes).map_err(|error| write_error(path, error))
}

/// The same where nothing is there yet; what is there stays, also when another process has just put it there.
pub fn write_private_file_once(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let folder = path.parent().ok_or_else(|| write_error(path, io::ErrorKind::InvalidFilename.into()))?;
    let _lock = FolderLock::take(folder)?;
    let written = || -> io::Result<()> {
        match written_in(folder, bytes)?.persist_noclobber(path) {
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            persisted => persisted.map(drop).map_err(|error| error.error),
        }
    };
    written().map_err(|error| write_error(path, error))
}

/// Removes what killed processes had begun to write into a folder, unless somebody writes there now.
pub fn remove_unfinished_writes(folder: &Path) {
    if let Some(_lock) = FolderLock::try_take(folder) {
        remove_unfinished_in(folder);
    }
}

fn remove_unfinished_in(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(NEW_PREFIX)) {
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::debug!(%error, "a file that was never finished stays");
        }
    }
}

/// A new file that is to be put in its place.
fn written_in(folder: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = new_private_file(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidFilename)?;
    match written_in(folder, bytes)?.persist(path) {
        // A file that is mounted by itself can't be replaced.
        Err(error) if matches!(error.error.kind(), io::ErrorKind::ResourceBusy | io::ErrorKind::CrossesDevices) => {
            let mut there = fs::File::options().write(true).truncate(true).open(path)?;
            there.write_all(bytes)?;
            return there.sync_all();
        }
        persisted => persisted.map_err(|error| error.error)?,
    };
    #[cfg(unix)]
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}

/// Follows the links of `path`, to a file that may not be there yet.
fn followed(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) if target != path && target.parent().is_some_and(|folder| !folder.is_dir()) => {
                return Err(FileError::BrokenLink { path: path.display().to_string() });
            }
            Err(_) => return Ok(target),
        }
    }
    Err(FileError::LinkLoop { path: path.display().to_string() })
}

fn linked(path: &Path, target: &Path) -> String {
    format!("{} (through the link {})", target.display(), path.display())
}

fn write_error(path: &Path, error: io::Error) -> FileError {
    FileError::of(&path.to_string_lossy(), FileAction::Write, error)
}

fn knows_no_locks(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Unsupported
}

#[cfg(unix)]
fn open_lock(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Windows locks no folders.
#[cfg(not(unix))]
fn open_lock(folder: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(folder.join(".arki-lock"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn append(path: &Path, text: &str) -> Result<(), FileError> {
        change_private_file(path, |bytes| Ok([bytes.unwrap_or_default(), text.as_bytes()].concat()))
    }

    #[test]
    fn changes_at_once_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| append(&path, "x").unwrap()));
            }
        });
        assert_eq!(fs::read(&path).unwrap().len(), 160);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_written() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = elsewhere.path().join("real");
        let at = |name: &str| folder.path().join(name);
        fs::write(&target, "a").unwrap();
        symlink(&target, at("one")).unwrap();
        symlink("one", at("two")).unwrap();
        append(&at("two"), "b").unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "ab");
        assert!(
            fs::symlink_metadata(at("one")).unwrap().is_symlink()
                && fs::symlink_metadata(at("two")).unwrap().is_symlink()
        );
        symlink(elsewhere.path().join("new"), at("dangling")).unwrap();
        append(&at("dangling"), "c").unwrap();
        assert_eq!(fs::read_to_string(elsewhere.path().join("new")).unwrap(), "c");
    }

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        symlink("no/such/folder", at("c")).unwrap();
        assert!(matches!(append(&at("a"), "x"), Err(FileError::LinkLoop { .. })));
        assert!(matches!(append(&at("c"), "x"), Err(FileError::BrokenLink { .. })));
    }

    #[test]
    fn what_a_kill_left_goes_and_a_refusal_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(folder.path().join(".arki-new-x1"), "half").unwrap();
        append(&path, "a").unwrap();
        let refused = change_private_file(&path, |_| Err(FileError::NameMissing { path: String::new() }));
        assert!(matches!(refused, Err(FileError::NameMissing { .. })));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::write(folder.path().join(".arki-new-x2"), "half").unwrap();
        let held = FolderLock::take(folder.path()).unwrap();
        remove_unfinished_writes(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "somebody may be writing");
        drop(held);
        remove_unfinished_writes(folder.path());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
