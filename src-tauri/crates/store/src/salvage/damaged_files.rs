//! The files of a salvage: the one that is kept, the copies that are worked on, and the new one until it takes its place.

use crate::StoreError;
use crate::database::files::{LOG, beside, private_file, remove};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const LOCK: &str = ".salvage-lock";
const FOLDER: &str = ".salvage";

/// Held until it is dropped, also by the end of the process; whoever comes second waits.
pub(super) fn lock(path: &Path) -> Result<File, StoreError> {
    let file = private_file(&beside(path, LOCK))?;
    file.lock()?;
    Ok(file)
}

/// Every connection of SQLite's to a database with a write-ahead log holds a lock of this kind on it as long as it is
/// open. Only those of other processes show.
#[cfg(unix)]
pub(super) fn ensure_unused(path: &Path) -> Result<(), StoreError> {
    let file = File::options().read(true).write(true).open(path)?;
    match rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Err(StoreError::Locked { path: path.to_owned() }),
        other => other.map_err(|error| std::io::Error::from(error).into()),
    }
}

/// A file that is open can't be replaced here.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
pub(super) fn ensure_unused(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

/// Gives the database and its log a second name, which stays when a new file takes the first; answers with it.
pub(super) fn set_aside(path: &Path, now_ms: i64) -> Result<PathBuf, StoreError> {
    let aside = (0..).map(|n| beside(path, &format!(".damaged-{}", now_ms + n))).find(|aside| !aside.exists());
    let aside = aside.ok_or_else(|| StoreError::internal("no name is left for the copy"))?;
    for suffix in ["", LOG] {
        let (from, to) = (beside(path, suffix), beside(&aside, suffix));
        // Some file systems know only one name a file.
        if std::fs::hard_link(&from, &to).is_err() && copy(&from, &to)? {
            File::options().write(true).open(&to)?.sync_all()?;
        }
    }
    Ok(aside)
}

/// The files being worked on, removed when this is dropped.
pub(super) struct Scratch {
    _folder: TempDir,
    /// SQLite may write to it.
    pub(super) damaged: PathBuf,
    /// A copy of `damaged`, once that is whole as far as it can be.
    pub(super) leaves: PathBuf,
    pub(super) fresh: PathBuf,
}

impl Scratch {
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let folder = beside(path, FOLDER);
        // Of a salvage that did not come to its end.
        if let Err(error) = std::fs::remove_dir_all(&folder)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(error.into());
        }
        let (name, parent) = (folder.file_name().unwrap_or_default(), folder.parent().unwrap_or(Path::new("")));
        let folder = tempfile::Builder::new().prefix(name).rand_bytes(0).tempdir_in(parent)?;
        let [damaged, leaves, fresh] = ["damaged.db", "leaves.db", "fresh.db"].map(|name| folder.path().join(name));
        copy(path, &damaged)?;
        copy(&beside(path, LOG), &beside(&damaged, LOG))?;
        Ok(Self { _folder: folder, damaged, leaves, fresh })
    }

    /// The old log goes first: SQLite would take it for the new file's. A name is on the disk only when its folder is.
    pub(super) fn put_in_place(&self, path: &Path) -> Result<(), StoreError> {
        File::open(&self.fresh)?.sync_all()?;
        for suffix in [LOG, "-shm"] {
            remove(&beside(path, suffix))?;
        }
        std::fs::rename(&self.fresh, path)?;
        let path = path.canonicalize()?;
        if cfg!(unix) {
            File::open(path.parent().unwrap_or(&path))?.sync_all()?;
        }
        Ok(())
    }
}

/// `false` where there is no original.
fn copy(from: &Path, to: &Path) -> Result<bool, StoreError> {
    match std::fs::copy(from, to) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        copied => Ok(copied.map(|_| true)?),
    }
}
