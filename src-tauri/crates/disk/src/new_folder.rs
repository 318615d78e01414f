//! A new folder of the user's, with files in it.

use crate::{FileAction, FileError};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAX_SAME_NAMES: usize = 1000;

/// Makes a folder `name` in `parent` with these files, or `name-2` and so on where that is taken: nothing that is there
/// is touched. Returns its path. A folder that can't be filled is removed again.
///
/// # Errors
/// When nothing can be written there.
pub fn make_folder(parent: &Path, name: &str, files: &[(&str, &[u8])]) -> Result<PathBuf, FileError> {
    let folder = make_empty(parent, name)?;
    let filled = files.iter().try_for_each(|(name, bytes)| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(folder.join(name))?;
        file.write_all(bytes)
    });
    filled.map_err(|error| {
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::warn!(%error, "a folder that could not be filled stays");
        }
        FileError::of(&folder.to_string_lossy(), FileAction::Write, error)
    })?;
    Ok(folder)
}

fn make_empty(parent: &Path, name: &str) -> Result<PathBuf, FileError> {
    for number in 1..=MAX_SAME_NAMES {
        let folder = parent.join(if number == 1 { name.to_owned() } else { format!("{name}-{number}") });
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                made.map_err(|error| FileError::of(&folder.to_string_lossy(), FileAction::Write, error))?;
                return Ok(folder);
            }
        }
    }
    let taken = parent.join(name);
    Err(FileError::of(&taken.to_string_lossy(), FileAction::Write, io::ErrorKind::AlreadyExists.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_folder_is_a_new_one_and_what_is_there_stays() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("sample"), "mine").unwrap();
        let files: &[(&str, &[u8])] = &[("a.txt", b"one"), ("b.txt", b"two")];
        let second = make_folder(parent.path(), "sample", files).unwrap();
        assert_eq!(second, parent.path().join("sample-2"));
        assert_eq!(fs::read(second.join("b.txt")).unwrap(), b"two");
        assert_eq!(make_folder(parent.path(), "sample", files).unwrap(), parent.path().join("sample-3"));
        assert_eq!(fs::read(parent.path().join("sample")).unwrap(), b"mine");
    }

    #[test]
    fn one_that_cannot_be_filled_is_gone_again() {
        let parent = tempfile::tempdir().unwrap();
        assert!(make_folder(parent.path(), "sample", &[("a", b"1"), ("a", b"2")]).is_err());
        assert!(!parent.path().join("sample").exists());
        assert!(make_folder(&parent.path().join("gone"), "sample", &[]).is_err());
    }
}
