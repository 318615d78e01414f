//! Folders of Arki's own for what checkers build, one a project. They may be large, so that those go which nobody uses.

use crate::error::{FileAction, FileError};
use crate::locked_change::write_private_file;
use crate::private_dir::create_private_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Its time is when the folder was used last.
const LAST_USE: &str = "last-use";
/// Removed at once.
const MAX_REMOVED: usize = 100;

/// Makes the folder where it isn't there, for the owner alone, and notes that it is used now.
pub fn open_build_folder(folder: &Path) -> Result<(), FileError> {
    create_private_dir(folder)?;
    write_private_file(&folder.join(LAST_USE), b"")
}

/// Removes the folders beside `own` that were not opened for so long; what [`open_build_folder`] didn't make stays.
/// Blocks for as long as it takes.
pub fn remove_unused_build_folders(own: &Path, kept_for: Duration) -> Result<(), FileError> {
    let Some(all) = own.parent() else { return Ok(()) };
    let fail = |path: &Path, action, error| FileError::of(&path.to_string_lossy(), action, error);
    let entries = fs::read_dir(all).map_err(|error| fail(all, FileAction::List, error))?;
    let is_unused = |folder: &PathBuf| {
        let last_use = fs::metadata(folder.join(LAST_USE)).and_then(|file| file.modified());
        folder != own && last_use.is_ok_and(|used| used.elapsed().is_ok_and(|since| since > kept_for))
    };
    for folder in entries.flatten().map(|entry| entry.path()).filter(is_unused).take(MAX_REMOVED) {
        fs::remove_dir_all(&folder).map_err(|error| fail(&folder, FileAction::Delete, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn those_of_other_projects_go_when_they_were_not_used_for_long() {
        const KEPT_FOR: Duration = Duration::from_secs(60);
        let all = tempfile::tempdir().unwrap();
        for (name, age) in [("own", 61), ("old", 61), ("new", 0)] {
            let folder = all.path().join(name);
            open_build_folder(&folder).unwrap();
            let marker = fs::File::options().write(true).open(folder.join(LAST_USE)).unwrap();
            marker.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        fs::create_dir(all.path().join("unmarked")).unwrap();
        remove_unused_build_folders(&all.path().join("own"), KEPT_FOR).unwrap();
        let mut left: Vec<_> = fs::read_dir(all.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["new", "own", "unmarked"]);
    }
}
