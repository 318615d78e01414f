//! Files and folders for one pair of eyes: configuration, data, a run's temporary files.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile, TempDir};

use crate::error::{FileAction, FileError};
#[cfg(unix)]
use crate::{entries, entry_kind::EntryKind, mode_of, open_folder};
#[cfg(unix)]
use cap_std::ambient_authority;
#[cfg(unix)]
use cap_std::fs::{Dir, Permissions};
#[cfg(unix)]
use std::ffi::OsStr;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};

#[cfg(unix)]
#[path = "private_dir/abandoned.rs"]
mod abandoned;
#[cfg(unix)]
pub use abandoned::is_same;
#[cfg(not(unix))]
#[path = "private_dir/unlocked.rs"]
mod abandoned;

/// Removes the temporary folders of runs whose process is gone, a bounded number of them. What cannot be removed stays.
/// Blocks for as long as it takes.
pub fn remove_abandoned_temp_dirs() {
    abandoned::remove_in(&crate::temp_folder());
}

#[cfg(unix)]
const FILE_MODE: u32 = 0o600;
#[cfg(unix)]
const FOLDER_MODE: u32 = 0o700;
/// The prefix of a file that is being written.
pub(crate) const NEW_PREFIX: &str = ".arki-new-";

/// Creates `path` and what is missing above it, for the owner alone. What exists already keeps its permissions, but
/// for `path` itself, which is closed to others. On Windows a user's folders are so by inheritance.
pub fn create_private_dir(path: &Path) -> Result<(), FileError> {
    let fail = |error| FileError::of(&path.to_string_lossy(), FileAction::Write, error);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(FOLDER_MODE);
    builder.create(path).map_err(fail)?;
    #[cfg(unix)]
    close_to_others(path).map_err(fail)?;
    Ok(())
}

/// Removes a file that [`crate::write_private_file`] wrote.
pub fn remove_private_file(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(|error| FileError::of(&path.to_string_lossy(), FileAction::Write, error))
}

/// Removes a folder with all that is in it, also what a folder in it is closed against; links in it are not followed.
/// Nothing to do where it is gone.
pub fn remove_private_dir(path: &Path) -> io::Result<()> {
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            #[cfg(unix)]
            open_up(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives the owner all permissions on a folder and those below it, following no link.
#[cfg(unix)]
fn open_up(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    open_up_in(&Dir::open_ambient_dir(parent, ambient_authority())?, name)
}

#[cfg(unix)]
fn open_up_in(parent: &Dir, name: &OsStr) -> io::Result<()> {
    if mode_of(&parent.symlink_metadata(name)?) & FOLDER_MODE != FOLDER_MODE {
        // Should it become a link between the two, it leads to nothing outside of `parent`.
        let permissions = fs::Permissions::from_mode(FOLDER_MODE);
        parent.set_permissions(name, Permissions::from_std(permissions))?;
    }
    let folder = open_folder(parent, name)?;
    for entry in entries(&folder)? {
        let (name, kind) = entry?;
        if kind == EntryKind::Folder {
            open_up_in(&folder, &name)?;
        }
    }
    Ok(())
}

/// The prefix of a run's temporary folder. Earlier versions named them `arki-…` and did not lock them, so that nobody
/// can tell whose those are.
const TEMP_PREFIX: &str = "arki-run-";
/// Attempts to make a folder that nobody else takes for an abandoned one.
const CREATION_ATTEMPTS: usize = 10;

/// A temporary folder of one run, for the owner alone; removed when dropped. It is locked as long as its owner lives,
/// however that one ends.
#[derive(Debug)]
pub struct PrivateTempDir {
    /// Removed before it is unlocked.
    inner: TempDir,
    _lock: Option<fs::File>,
}

impl PrivateTempDir {
    /// Makes a folder in the system's temporary folder.
    pub fn create() -> Result<Self, FileError> {
        Self::create_in(&crate::temp_folder())
    }

    fn create_in(parent: &Path) -> Result<Self, FileError> {
        let fail = |error| FileError::of(&parent.to_string_lossy(), FileAction::Write, error);
        for _ in 0..CREATION_ATTEMPTS {
            let mut builder = Builder::new();
            builder.prefix(TEMP_PREFIX);
            #[cfg(unix)]
            builder.permissions(fs::Permissions::from_mode(FOLDER_MODE));
            let inner = builder.tempdir_in(parent).map_err(fail)?;
            if let Ok(lock) = abandoned::lock_new(inner.path()) {
                return Ok(Self { inner, _lock: lock });
            }
        }
        Err(fail(io::ErrorKind::ResourceBusy.into()))
    }

    pub fn path(&self) -> &Path {
        self.inner.path()
    }
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
    if mode & !FOLDER_MODE == 0 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & FOLDER_MODE))
}

/// A file for the owner alone, which goes unless it is kept.
pub fn new_private_file(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(NEW_PREFIX);
    #[cfg(unix)]
    builder.permissions(fs::Permissions::from_mode(FILE_MODE));
    builder.tempfile_in(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::write_private_file;
    use std::os::unix::fs::PermissionsExt;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn folders_and_files_are_for_the_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        create_private_dir(&inner).unwrap();
        create_private_dir(&inner).unwrap();
        assert_eq!((mode(&inner), mode(&folder.path().join("a"))), (0o700, 0o700));
        write_private_file(&inner.join("f"), b"one").unwrap();
        write_private_file(&inner.join("f"), b"two").unwrap();
        assert_eq!((fs::read(inner.join("f")).unwrap(), mode(&inner.join("f"))), (b"two".to_vec(), 0o600));
        assert_eq!(fs::read_dir(&inner).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_was_open_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("open");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        create_private_dir(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn a_temporary_folder_goes_with_its_owner() {
        let folder = PrivateTempDir::create().unwrap();
        let path = folder.path().to_path_buf();
        assert_eq!(mode(&path), 0o700);
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn folders_that_are_closed_are_opened_and_no_link_is_followed() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let top = folder.path().join("top");
        fs::create_dir_all(top.join("closed/below")).unwrap();
        fs::write(top.join("closed/below/file"), "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), top.join("link")).unwrap();
        set(&top.join("closed/below"), 0o000);
        set(&top.join("closed"), 0o555);
        set(elsewhere.path(), 0o555);
        set(&top, 0o500);
        open_up(&top).unwrap();
        let modes = ["", "closed", "closed/below"].map(|path| mode(&top.join(path)));
        assert_eq!((modes, mode(elsewhere.path())), ([0o700; 3], 0o555));
        set(&top.join("closed"), 0o555);
        remove_private_dir(&top).unwrap();
        assert!(!top.exists() && elsewhere.path().exists());
    }
}
