//! The files of a salvage: the copy that is kept, the one that is worked on, and the new one until it takes its place.

use crate::StoreError;
use crate::files::{beside, private_file, remove};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// In every database of Arki's, from its first layout on: the words of the guard around its events.
const MARK: &[u8] = b"events are append-only";
const CHUNK_BYTES: usize = 1 << 20;

const LOCK: &str = ".salvage-lock";
const LOGS: [&str; 2] = ["-wal", "-shm"];

/// Held until it is dropped, also by the end of the process; whoever comes second waits.
pub(super) fn lock(path: &Path) -> Result<File, StoreError> {
    let file = private_file(&beside(path, LOCK))?;
    file.lock()?;
    Ok(file)
}

/// Returns whether the file, or the log beside it, has anything of a database of Arki's.
pub(super) fn is_arkis(path: &Path) -> Result<bool, StoreError> {
    Ok(has_mark(path)? || has_mark(&beside(path, LOGS[0]))?)
}

fn has_mark(path: &Path) -> Result<bool, StoreError> {
    let Some(mut file) = open_if_there(path)? else { return Ok(false) };
    let mut window = Vec::new();
    loop {
        // A mark may lie across the border of two pieces.
        window.drain(..window.len().saturating_sub(MARK.len()));
        if file.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut window)? == 0 {
            return Ok(false);
        }
        if window.windows(MARK.len()).any(|piece| piece == MARK) {
            return Ok(true);
        }
    }
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

/// Copies the database and its logs as they are; answers with the copy's path.
pub(super) fn set_aside(path: &Path, now_ms: i64) -> Result<PathBuf, StoreError> {
    let aside = (0..).map(|n| beside(path, &format!(".damaged-{}", now_ms + n))).find(|aside| !aside.exists());
    let aside = aside.ok_or_else(|| StoreError::internal("no name is left for the copy"))?;
    for suffix in [""].iter().chain(&LOGS) {
        copy(&beside(path, suffix), &beside(&aside, suffix))?;
    }
    Ok(aside)
}

/// The files being worked on, removed when this is dropped.
pub(super) struct Scratch {
    /// SQLite may write to it.
    pub(super) damaged: PathBuf,
    pub(super) fresh: PathBuf,
}

impl Scratch {
    pub(super) fn of(path: &Path) -> Result<Self, StoreError> {
        let scratch = Self { damaged: beside(path, ".salvage-source"), fresh: beside(path, ".salvage-target") };
        // Of a salvage that did not come to its end.
        scratch.clear()?;
        copy(path, &scratch.damaged)?;
        copy(&beside(path, LOGS[0]), &beside(&scratch.damaged, LOGS[0]))?;
        Ok(scratch)
    }

    /// The old log goes first: SQLite would take it for the new file's.
    pub(super) fn put_in_place(&self, path: &Path) -> Result<(), StoreError> {
        File::open(&self.fresh)?.sync_all()?;
        for suffix in LOGS {
            remove(&beside(path, suffix))?;
        }
        std::fs::rename(&self.fresh, path)?;
        sync_folder(path)
    }

    fn clear(&self) -> Result<(), StoreError> {
        for file in [&self.damaged, &self.fresh] {
            for suffix in [""].iter().chain(&LOGS) {
                remove(&beside(file, suffix))?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.clear() {
            tracing::warn!(%error, "clearing up after a salvage");
        }
    }
}

/// For its owner alone, whatever the original was; nothing where there is no original.
fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let Some(mut from) = open_if_there(from)? else { return Ok(()) };
    let mut to = private_file(to)?;
    std::io::copy(&mut from, &mut to)?;
    Ok(to.sync_all()?)
}

fn open_if_there(path: &Path) -> Result<Option<File>, StoreError> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A name is on the disk only when its folder is.
#[cfg(unix)]
fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(File::open(folder)?.sync_all()?)
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn sync_folder(_: &Path) -> Result<(), StoreError> {
    Ok(())
}
