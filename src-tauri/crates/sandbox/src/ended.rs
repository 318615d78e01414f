//! Decides whose a change is when the commands' owner is gone: what changed after its end is somebody else's.
//!
//! Only the kernel says when a file last changed its content, its name or its rights (`ctime`), and no command can put
//! that back. Where the file system's clock is not this machine's, nothing is known, and all of it counts as a command's.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::listings::{changed_at, tells_of_changes};

/// The time by which no command was left.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndedAt(pub(super) SystemTime);

impl EndedAt {
    /// Returns whether what is in the project's folder changed later; of what is gone, the nearest folder that is left.
    pub(super) fn is_before_change_of(self, root: &Path, path: &Path) -> bool {
        nearest(root, path)
            .is_some_and(|(folder, found)| tells_of_changes(&folder) && changed_at(&found) > Some(self.0))
    }
}

/// Returns whether what is at a path in the project's folder, or the nearest folder of it that can be looked at, came
/// into being or changed at or after a moment; `None` where its times say nothing.
pub(super) fn has_changed_since(root: &Path, path: &Path, moment: SystemTime) -> Option<bool> {
    let (folder, found) = nearest(root, path)?;
    tells_of_changes(&folder).then(|| changed_at(&found) >= Some(moment))
}

/// The last on the way that is there, and the folder that it is or is in. Never through a link.
fn nearest(root: &Path, path: &Path) -> Option<(PathBuf, Metadata)> {
    let (mut folder, mut found) = (root.to_owned(), root.symlink_metadata().ok()?);
    for part in path.components() {
        let place = folder.join(part);
        let Ok(next) = place.symlink_metadata() else { break };
        found = next;
        if !found.is_dir() {
            break;
        }
        folder = place;
    }
    Some((folder, found))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    fn at(folder: &Path, seconds: i64) -> EndedAt {
        let now = SystemTime::now();
        let there = changed_at(&folder.symlink_metadata().unwrap()).unwrap();
        assert!(there <= now + Duration::from_secs(1));
        let by = Duration::from_secs(seconds.unsigned_abs());
        EndedAt(if seconds < 0 { now - by } else { now + by })
    }

    #[test]
    fn what_changed_later_is_somebody_elses_whatever_its_times_say() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hook");
        fs::write(&file, "x").unwrap();
        fs::File::open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert!(at(folder.path(), -60).is_before_change_of(folder.path(), Path::new("hook")));
        assert!(!at(folder.path(), 60).is_before_change_of(folder.path(), Path::new("hook")));
    }

    #[test]
    fn of_what_is_gone_its_folder_tells_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        symlink("/nowhere", folder.path().join("a/link")).unwrap();
        let (inside, found) = nearest(folder.path(), Path::new("a/gone/deep")).unwrap();
        assert!(inside.ends_with("a") && found.is_dir());
        let (inside, found) = nearest(folder.path(), Path::new("a/link/deep")).unwrap();
        assert!(inside.ends_with("a") && found.is_symlink());
        assert!(at(folder.path(), -60).is_before_change_of(folder.path(), Path::new("a/gone")));
    }
}
