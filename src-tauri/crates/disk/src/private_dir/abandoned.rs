//! Temporary folders that outlived their run: it was killed, or the machine stopped.
//!
//! A lock on the folder itself says that its owner lives. The system lifts it with the process, however that one ends,
//! so that no process number has to be trusted; and what runs in the folder has no file to remove by which to feign it.
//! Only folders are touched that are ours by name, owner and permissions.

use super::{FOLDER_MODE, TEMP_PREFIX};
use rustix::fs::{Mode, OFlags, open};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Removed at once; a run must not wait for what many others left.
const MAX_REMOVED: usize = 100;

/// The error for a folder that somebody takes for an abandoned one.
#[derive(Debug)]
pub(super) struct Taken;

/// Locks a folder just made. `None` where the file system knows no locks; then none of its folders is ever removed.
pub(super) fn lock_new(folder: &Path) -> Result<Option<File>, Taken> {
    match lock(folder) {
        Ok(lock) if is_same(&lock, folder) => Ok(Some(lock)),
        // Between its making and its locking somebody removed it.
        Ok(_) | Err(TryLockError::WouldBlock) => Err(Taken),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::NotFound => Err(Taken),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

pub(super) fn remove_in(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let named = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX));
    let mut removed = 0;
    for entry in named {
        match remove_if_abandoned(&entry.path()) {
            Ok(true) => removed += 1,
            Ok(false) => {}
            Err(error) => tracing::debug!(%error, "a temporary folder of an earlier run was not removed"),
        }
        if removed == MAX_REMOVED {
            return;
        }
    }
}

fn remove_if_abandoned(folder: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(folder)?;
    let is_ours =
        found.is_dir() && found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o7777 == FOLDER_MODE;
    if !is_ours {
        return Ok(false);
    }
    let lock = match lock(folder) {
        Ok(lock) => lock,
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(error),
    };
    if !is_same(&lock, folder) {
        return Ok(false);
    }
    // Held until it is gone: who makes a folder of this name must not find it half removed.
    fs::remove_dir_all(folder)?;
    Ok(true)
}

fn lock(folder: &Path) -> Result<File, TryLockError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = open(folder, flags, Mode::empty()).map_err(|error| TryLockError::Error(error.into()))?;
    let file = File::from(opened);
    file.try_lock()?;
    Ok(file)
}

/// Returns whether what is locked is still what has that name.
pub fn is_same(lock: &File, path: &Path) -> bool {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let there = fs::symlink_metadata(path).map(identity);
    lock.metadata().map(identity).is_ok_and(|locked| there.is_ok_and(|there| there == locked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::private_dir::PrivateTempDir;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    /// Leaves a folder as a killed run does: nobody holds its lock.
    fn left_behind(parent: &Path, name: &str) -> std::path::PathBuf {
        let folder = parent.join(name);
        fs::create_dir_all(folder.join("deep/er")).unwrap();
        fs::write(folder.join("deep/file"), "x").unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(FOLDER_MODE)).unwrap();
        folder
    }

    #[test]
    fn what_a_dead_run_left_is_removed_and_what_a_living_one_uses_stays() {
        let parent = tempfile::tempdir().unwrap();
        let living = PrivateTempDir::create_in(parent.path()).unwrap();
        let dead = left_behind(parent.path(), "arki-run-dead");
        remove_in(parent.path());
        assert!(living.path().exists() && !dead.exists());
        // The same folder once its owner is gone.
        let path = living.inner.keep();
        drop(living._lock);
        remove_in(parent.path());
        assert!(!path.exists());
    }

    #[test]
    fn what_is_not_ours_by_name_permissions_or_kind_stays() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = left_behind(parent.path(), "elsewhere");
        let other = left_behind(parent.path(), "arki-other");
        let open = left_behind(parent.path(), "arki-run-open");
        fs::set_permissions(&open, Permissions::from_mode(0o755)).unwrap();
        let link = parent.path().join("arki-run-link");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        let file = parent.path().join("arki-run-file");
        fs::write(&file, "").unwrap();
        remove_in(parent.path());
        let stays = [elsewhere.join("deep/file"), other, open, link, file];
        assert!(stays.iter().all(|path| path.exists()), "{stays:?}");
    }

    #[test]
    fn a_link_in_an_abandoned_folder_is_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let elsewhere = left_behind(parent.path(), "elsewhere");
        let dead = left_behind(parent.path(), "arki-run-dead");
        std::os::unix::fs::symlink(&elsewhere, dead.join("link")).unwrap();
        remove_in(parent.path());
        assert!(!dead.exists() && elsewhere.join("deep/file").exists());
    }

    #[test]
    fn no_more_than_the_limit_are_removed_at_once() {
        let parent = tempfile::tempdir().unwrap();
        for number in 0..MAX_REMOVED + 3 {
            left_behind(parent.path(), &format!("arki-run-{number}"));
        }
        for left in [3, 0] {
            remove_in(parent.path());
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), left);
        }
    }

    #[test]
    fn a_new_folder_that_another_one_has_removed_or_is_removing_is_not_used() {
        let parent = tempfile::tempdir().unwrap();
        assert!(lock_new(&parent.path().join("arki-run-gone")).is_err());
        let folder = left_behind(parent.path(), "arki-run-new");
        let removing = lock(&folder).unwrap();
        assert!(lock_new(&folder).is_err());
        drop(removing);
        assert!(lock_new(&folder).unwrap().is_some());
    }
}
