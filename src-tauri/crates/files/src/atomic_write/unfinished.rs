//! Temporary files of a program that ended before it could rename or remove them.
//!
//! Whoever writes one holds a lock on it, which ends with its process; so one that can be locked is nobody's.

use super::{LinkHandling, NAME_MARK, RANDOM_DIGITS, mark_of};
use crate::error::Result;
use crate::project::{Project, ProjectPath, split_parent};
use arki_disk::descend;
use cap_std::fs::Dir;

/// Removes what was left beside `path` by a write that never finished. What can't be removed stays.
pub fn remove_unfinished(project: &Project, path: &ProjectPath) -> Result<()> {
    remove_beside(project, &project.canonical(path)?, is_nobodys_file);
    Ok(())
}

/// Removes like [`remove_unfinished`], for a restoration: also links. A link can't be locked, so that one that another
/// program is about to put in this very place goes too; that program then puts everything back, and says so.
pub fn remove_unfinished_restoration(project: &Project, path: &ProjectPath) -> Result<()> {
    let place = LinkHandling::InPlace.place(project, path)?;
    remove_beside(project, &place, |folder, name| is_link(folder, name) || is_nobodys_file(folder, name));
    Ok(())
}

fn remove_beside(project: &Project, place: &ProjectPath, is_left: impl Fn(&Dir, &str) -> bool) {
    let (parent, name) = split_parent(place.as_str());
    // Without the folder there is nothing in it.
    let Ok(folder) = descend(project.dir(), parent) else { return };
    let start = mark_of(name);
    for entry in folder.entries().into_iter().flatten().flatten() {
        let found = entry.file_name();
        if let Some(found) = found.to_str().filter(|found| is_temporary_of(&start, found))
            && is_left(&folder, found)
        {
            let _ = folder.remove_file(found);
        }
    }
}

fn is_temporary_of(start: &str, found: &str) -> bool {
    debug_assert!(start.ends_with(NAME_MARK));
    found.strip_prefix(start).is_some_and(|rest| {
        rest.len() == RANDOM_DIGITS && rest.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

fn is_link(folder: &Dir, name: &str) -> bool {
    folder.symlink_metadata(name).is_ok_and(|metadata| metadata.is_symlink())
}

fn is_nobodys_file(folder: &Dir, name: &str) -> bool {
    let is_file = folder.symlink_metadata(name).is_ok_and(|metadata| metadata.is_file());
    is_file && folder.open(name).is_ok_and(|file| file.into_std().try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::{Staged, StagedMode, Staging, SyncMoment, WriteProtected, stage};
    use super::*;

    fn names(root: &std::path::Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn stage_whole<'a>(project: &'a Project, path: &ProjectPath) -> Staged<'a> {
        let staging = Staging {
            mode: StagedMode::default(),
            write_protected: WriteProtected::Refused,
            names: 1,
            sync: SyncMoment::EachFile,
            moved_from: None,
        };
        stage(project, path, LinkHandling::Through, &b"whole".to_vec().into(), staging).unwrap()
    }

    #[test]
    fn what_a_dead_program_left_goes_and_what_is_being_written_or_is_somebody_elses_stays() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::open(root.path()).unwrap();
        let path = project.resolve("a.txt").unwrap();
        let others =
            [".a.txt.arki-tmp-", ".a.txt.arki-tmp-0123", ".a.txt.arki-tmp-0123456789abcdeF", ".b.txt.arki-tmp-00"];
        for name in others.into_iter().chain([".a.txt.arki-tmp-0123456789abcdef"]) {
            std::fs::write(root.path().join(name), "half").unwrap();
        }
        let staged = stage_whole(&project, &path);
        remove_unfinished(&project, &path).unwrap();
        assert_eq!(names(root.path()).len(), others.len() + 1, "{:?}", names(root.path()));
        staged.commit(&project, None, &b"whole".to_vec().into()).unwrap().keep();
        remove_unfinished(&project, &path).unwrap();
        let mut left: Vec<&str> = others.into_iter().chain(["a.txt"]).collect();
        left.sort_unstable();
        assert_eq!(names(root.path()), left);
        assert_eq!(std::fs::read(root.path().join("a.txt")).unwrap(), b"whole");
    }

    #[test]
    fn a_folder_that_is_not_there_has_nothing_left_in_it() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::open(root.path()).unwrap();
        remove_unfinished(&project, &project.resolve("no/such/file").unwrap()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_left_by_a_restoration_alone() {
        let root = tempfile::tempdir().unwrap();
        let project = Project::open(root.path()).unwrap();
        let path = project.resolve("a").unwrap();
        let left = ".a.arki-tmp-0123456789abcdef";
        std::os::unix::fs::symlink("nowhere", root.path().join(left)).unwrap();
        remove_unfinished(&project, &path).unwrap();
        assert_eq!(names(root.path()), [left]);
        remove_unfinished_restoration(&project, &path).unwrap();
        assert_eq!(names(root.path()), [""; 0]);
    }
}
