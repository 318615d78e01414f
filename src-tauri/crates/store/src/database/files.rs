//! The database's file and those beside it.

use crate::StoreError;
use std::fs::{DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};

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
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
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
