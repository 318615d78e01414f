//! A project as it would be once changes are made that are only planned: what comes after them is planned on it.

use super::{FileBytes, FileFound, Project, ProjectPath};
use crate::error::{FileError, FilesError, PathError, Result};
use crate::file_content::FileContent;
use std::collections::BTreeMap;

/// The mode that a new file has with the usual umask.
const NEW_FILE_MODE: u32 = 0o644;

/// The files of changes that aren't made yet, by where links lead; `None` where there will be no file.
#[derive(Debug, Default)]
pub(crate) struct Drafts {
    files: BTreeMap<ProjectPath, Option<FileFound>>,
}

impl Project {
    /// Opens the same folder once more, to be read with drafts of changes over its files.
    pub fn for_drafts(&self) -> Result<Self> {
        let dir = self.dir.try_clone().map_err(|_| PathError::ProjectUnreadable { path: self.root.clone() })?;
        let (root, given) = (self.root.clone(), self.given.clone());
        Ok(Self { root, given, dir, hooks: self.hooks.clone(), drafts: Drafts::default() })
    }

    /// From here on the file is read here with this content, or as if there were none. Nothing is written.
    pub(crate) fn draft(&mut self, place: ProjectPath, content: Option<FileContent>, mode: Option<u32>) {
        let found = content
            .map(|content| FileFound { mode: (!content.is_link()).then_some(mode.unwrap_or(NEW_FILE_MODE)), content });
        self.drafts.files.insert(place, found);
    }

    /// The drafted file at `path`, links followed; `None` where the disk tells.
    pub(crate) fn drafted(&self, path: &ProjectPath) -> Option<&Option<FileFound>> {
        let files = &self.drafts.files;
        if files.is_empty() {
            return None;
        }
        files.get(path).or_else(|| files.get(&self.canonical(path).ok()?))
    }

    /// Reads a drafted file like one on the disk.
    pub(crate) fn read_drafted(&self, path: &ProjectPath, limit: u64) -> Option<Result<FileBytes>> {
        let read = match self.drafted(path)? {
            None => Err(FilesError::from(FileError::NotFound { path: path.to_string() })),
            Some(FileFound { content: FileContent::File(bytes), .. }) if bytes.len() as u64 > limit => {
                Err(FileError::TooLarge { path: path.to_string(), limit }.into())
            }
            Some(FileFound { content: FileContent::File(bytes), mode }) => {
                Ok(FileBytes { bytes: bytes.clone(), mode: mode.unwrap_or(NEW_FILE_MODE) })
            }
            Some(_) => return None,
        };
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan_delete, plan_edit, plan_write};
    use arki_edit::TextEdit;
    use std::fs;

    fn edit(old: &str, new: &str) -> TextEdit {
        TextEdit { old_text: old.into(), new_text: new.into(), replace_all: false }
    }

    #[test]
    fn what_comes_after_a_draft_is_planned_on_it_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one\ntwo\n").unwrap();
        let project = Project::open(folder.path()).unwrap();
        let path = |name: &str| project.resolve(name).unwrap();
        let mut drafted = project.for_drafts().unwrap();
        let first = plan_edit(&drafted, &path("a"), &[edit("one", "1")]).unwrap();
        first.draft_in(&mut drafted);
        let second = plan_edit(&drafted, &path("a"), &[edit("1\ntwo", "1\n2")]).unwrap();
        assert!(plan_edit(&project, &path("a"), &[edit("1\ntwo", "1\n2")]).is_err());
        // As it will be planned once the first is made.
        first.apply(&project).unwrap();
        let on_disk = plan_edit(&project, &path("a"), &[edit("1\ntwo", "1\n2")]).unwrap();
        assert_eq!(second.preview().preview_hash, on_disk.preview().preview_hash);
        plan_write(&drafted, &path("new"), "x\n").unwrap().draft_in(&mut drafted);
        assert_eq!(drafted.read(&path("new"), 10).unwrap().bytes, b"x\n");
        assert!(drafted.read(&path("new"), 1).is_err());
        plan_delete(&drafted, &path("new")).unwrap().draft_in(&mut drafted);
        assert!(drafted.read_if_present(&path("new"), 10).unwrap().is_none());
        assert!(drafted.found(&path("new"), 10).unwrap().is_none());
        assert!(!folder.path().join("new").exists());
    }

    #[test]
    #[cfg(unix)]
    fn a_file_is_drafted_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "one\n").unwrap();
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        let project = Project::open(folder.path()).unwrap();
        let path = |name: &str| project.resolve(name).unwrap();
        let mut drafted = project.for_drafts().unwrap();
        let change = plan_edit(&drafted, &path("link"), &[edit("one", "1")]).unwrap().placed_in(&drafted);
        change.draft_in(&mut drafted);
        for name in ["a", "link"] {
            assert_eq!(drafted.read(&path(name), 10).unwrap().bytes, b"1\n", "{name}");
        }
    }
}
