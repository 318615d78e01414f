//! The folder for temporary files: the one that the environment names, or another where that can't be used.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders in which anyone may make files.
const OTHERS: &[&str] = if cfg!(unix) { &["/tmp", "/var/tmp"] } else { &[] };

/// Chooses the folder, once, before anything is made in it.
pub fn choose_temp_folder() {
    if temp_folder_problem(&std::env::temp_dir()).is_none() {
        return;
    }
    let other = OTHERS.iter().map(Path::new).find(|other| temp_folder_problem(other).is_none());
    // Whoever chose before has chosen.
    other.map(tempfile::env::override_temp_dir);
}

/// The folder for temporary files.
#[must_use]
pub fn temp_folder() -> PathBuf {
    tempfile::env::temp_dir()
}

/// Returns why no temporary files can be made in a folder, after "it".
#[must_use]
pub fn temp_folder_problem(folder: &Path) -> Option<&'static str> {
    match fs::metadata(folder) {
        _ if !folder.is_absolute() => Some("is not an absolute path"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some("doesn't exist"),
        Err(_) => Some("can't be reached"),
        Ok(found) if !found.is_dir() => Some("is a file"),
        Ok(_) if !is_writable(folder) => Some("can't be written"),
        Ok(_) => None,
    }
}

/// Found out by a file that has no name and is gone at once: permissions say nothing to root, nor in `/proc`.
fn is_writable(folder: &Path) -> bool {
    tempfile::tempfile_in(folder).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_used_is_told_from_one_that_can() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let problem = |path: &Path| temp_folder_problem(path);
        assert_eq!(problem(folder.path()), None);
        assert_eq!(problem(&folder.path().join("gone")), Some("doesn't exist"));
        assert_eq!(problem(&file), Some("is a file"));
        #[cfg(target_os = "linux")]
        assert_eq!(problem(Path::new("/proc")), Some("can't be written"));
        assert_eq!(
            (problem(Path::new("src")), problem(Path::new(""))),
            (Some("is not an absolute path"), Some("is not an absolute path"))
        );
    }
}
