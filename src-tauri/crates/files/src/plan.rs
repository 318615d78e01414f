//! Planning changes to single files: editing, writing, deleting. Nothing here writes.

use arki_edit::{EDIT_LIMIT_BYTES, EditError, TextEdit, TextFile, apply_edits, check_edits, rewritten};

use crate::change_set::{ChangeSet, FileChange};
use crate::error::{FileError, Result};
use crate::project::{FileBytes, FileFound, Project, ProjectPath};

/// Largest file that is deleted; it has to be kept for a rewind.
pub const DELETE_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Applies `edits` one after another, all or none. Line endings don't matter for matching (`\n` stands for
/// the file's own) and stay as they are, as does everything outside the matched text. What had to be forgiven to find a
/// text is among the change's notes.
pub fn plan_edit(project: &Project, path: &ProjectPath, edits: &[TextEdit]) -> Result<ChangeSet> {
    check_edits(path.as_str(), edits)?;
    let FileBytes { bytes, mode } = project.read(path, EDIT_LIMIT_BYTES)?;
    let mut file = TextFile::decode(path.as_str(), &bytes)?;
    let edited = apply_edits(path.as_str(), &file, edits)?;
    file.text = edited.text;
    let (before, after) = (bytes.into(), file.encode().into());
    let change = FileChange::of_content(path.clone(), Some(before), Some(after), Some(mode));
    Ok(ChangeSet::new(vec![change])?.with_notes(edited.notes))
}

/// Creates the file, or replaces all of it. A new file has exactly `content`. A replaced one keeps its byte-order
/// mark and, unless `content` itself has `\r\n`, its line endings; a final newline that it had is added when
/// `content` lacks it, since models forget it, but one that `content` has is never taken away.
pub fn plan_write(project: &Project, path: &ProjectPath, content: &str) -> Result<ChangeSet> {
    if content.contains('\0') {
        return Err(EditError::ContentNotText { path: path.to_string() }.into());
    }
    if content.len() as u64 > EDIT_LIMIT_BYTES {
        return Err(FileError::TooLarge { path: path.to_string(), limit: EDIT_LIMIT_BYTES }.into());
    }
    if path.is_root() {
        return Err(FileError::NotRegular { path: path.to_string(), kind: "folder" }.into());
    }
    let existing = project.read_if_present(path, EDIT_LIMIT_BYTES)?;
    let (before, mode, after) = match existing {
        None => (None, None, content.as_bytes().to_vec()),
        Some(FileBytes { bytes, mode }) => {
            let file = TextFile::decode(path.as_str(), &bytes)?;
            let after = rewritten(path.as_str(), &file, content)?;
            (Some(bytes.into()), Some(mode), after)
        }
    };
    ChangeSet::new(vec![FileChange::of_content(path.clone(), before, Some(after.into()), mode)])
}

/// Removes a file, of any content; of a link, the link.
pub fn plan_delete(project: &Project, path: &ProjectPath) -> Result<ChangeSet> {
    let FileFound { content, mode } = found(project, path)?;
    ChangeSet::new(vec![FileChange::of_content(path.clone(), Some(content), None, mode)])
}

/// Returns the content to remove from `path`.
pub(crate) fn found(project: &Project, path: &ProjectPath) -> Result<FileFound> {
    project.found(path, DELETE_LIMIT_BYTES)?.ok_or_else(|| FileError::NotFound { path: path.to_string() }.into())
}

#[cfg(test)]
mod tests;
