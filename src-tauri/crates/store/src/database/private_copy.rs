//! A copy of a database and its write-ahead log, of one moment, for its owner alone: for reading what can't be read where
//! it is. It goes with whoever made it; what a killed program left is removed by the next one that makes a copy.

use crate::StoreError;
use crate::database::connection;
use crate::database::files::{beside, private_file};
use crate::database::read_only_open::log_header;
use arki_domain::io_words;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PREFIX: &str = "arki-copy-";
const DATABASE: &str = "arki.db";
/// Held as long as the copy is in use.
const LOCK: &str = "in-use";
/// The number of attempts to copy while the log is begun anew.
const MAX_ATTEMPTS: usize = 5;

#[derive(Debug)]
pub(crate) struct PrivateCopy {
    folder: TempDir,
    _in_use: File,
}

impl PrivateCopy {
    /// Takes as long, and as much room, as the database is large; nothing of that where the file system can share blocks.
    pub(crate) fn of(path: &Path) -> Result<Self, StoreError> {
        let refused = |error: std::io::Error| StoreError::NoCopy {
            path: path.to_owned(),
            folder: tempfile::env::temp_dir(),
            detail: io_words(error.kind()).to_owned(),
        };
        remove_abandoned();
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir().map_err(refused)?;
        let in_use = private_file(&folder.path().join(LOCK))?;
        in_use.try_lock().map_err(|error| refused(error.into()))?;
        let copy = Self { folder, _in_use: in_use };
        for _ in 0..MAX_ATTEMPTS {
            if copy.take(path).map_err(refused)? {
                copy.settle()?;
                return Ok(copy);
            }
        }
        Err(StoreError::Locked { path: path.to_owned() })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join(DATABASE)
    }

    /// First the file, then the log: what somebody copies from the log into the file meanwhile, of which the file's copy
    /// may have a half, is in the log too, as long as that was not begun anew. `false`: it was.
    fn take(&self, path: &Path) -> std::io::Result<bool> {
        let header = |path| log_header(path).map(|(header, _)| header);
        let before = header(path);
        std::fs::copy(path, self.database())?;
        match std::fs::copy(beside(path, "-wal"), beside(&self.database(), "-wal")) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(before.is_none()),
            copied => copied?,
        };
        Ok(before == header(path) && before == header(&self.database()))
    }

    /// Copies the log into the file.
    fn settle(&self) -> Result<(), StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        #[cfg(unix)]
        make_writable(&self.database())?;
        connection::close(Connection::open_with_flags(self.database(), flags)?)
    }
}

/// The original may be write-protected, and so is a copy of it then.
#[cfg(unix)]
fn make_writable(database: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    for file in [database.to_owned(), beside(database, "-wal")] {
        if file.exists() {
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}

/// Removes abandoned copies, as well as it can; another user's can't be opened.
fn remove_abandoned() {
    let entries = std::fs::read_dir(tempfile::env::temp_dir()).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        // One that was only just made has none yet.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            let removed = std::fs::remove_dir_all(entry.path());
            tracing::info!(folder = %entry.path().display(), ?removed, "an abandoned copy");
        }
    }
}
