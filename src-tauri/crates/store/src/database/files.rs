//! The database's file and those beside it.

use crate::StoreError;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The mark in every database of Arki's, from its first layout on: the words of the guard around its events.
const MARK: &[u8] = b"events are append-only";
const CHUNK_BYTES: usize = 1 << 20;

/// The end of the name of the write-ahead log.
pub(crate) const LOG: &str = "-wal";

/// The path with `suffix` at its end.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Opens a file for its owner alone, and makes it if there is none.
pub(crate) fn private_file(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    Ok(options.open(path)?)
}

/// Nothing where there is none.
pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// SQLite gives the files beside the database the permissions of the database.
pub(crate) fn make_private_file(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    withdraw_from_others(&private_file(path)?)
}

fn make_private_folder(folder: &Path) -> Result<(), StoreError> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder)?)
}

/// A file that was there before, perhaps copied, may be readable for others.
#[cfg(unix)]
fn withdraw_from_others(file: &File) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata()?.permissions().mode();
    if mode & 0o077 != 0 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
fn withdraw_from_others(_: &File) -> Result<(), StoreError> {
    Ok(())
}

/// Tells a damaged database from a file that is no database at all; nothing of Arki's is in the latter.
pub(crate) fn told_apart(path: &Path, error: StoreError) -> StoreError {
    match &error {
        StoreError::Damaged { .. } if is_arkis(path).is_ok_and(|is_arkis| !is_arkis) => {
            StoreError::NotArkis { path: path.to_owned() }
        }
        _ => error,
    }
}

/// Returns whether the file, or the log beside it, has anything of a database of Arki's.
fn is_arkis(path: &Path) -> Result<bool, StoreError> {
    Ok(has_mark(path)? || has_mark(&beside(path, LOG))?)
}

fn has_mark(path: &Path) -> Result<bool, StoreError> {
    let mut file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        file => file?,
    };
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
