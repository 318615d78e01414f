//! Planning changes to single files: editing, writing, deleting. Nothing here writes.

mod matching;
mod not_found;
mod placeholder;

use crate::change_set::{ChangeSet, FileChange};
use crate::error::{EditError, FileError, Result};
use crate::fit::Typing;
use crate::line_endings::{Eol, with_known_endings};
use crate::project::{FileBytes, FileFound, Project, ProjectPath};
use crate::text_file::{EDIT_LIMIT_BYTES, TextFile};

pub(crate) use matching::candidates;
pub(crate) use not_found::{closest, likeness_percent};
pub(crate) use placeholder::find as find_placeholder;

/// Largest file that is deleted; it has to be kept for a rewind.
pub const DELETE_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

const BOM: char = '\u{feff}';

/// Replaces `old_text`, which must be in the file exactly once, or at least once with `replace_all`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub old_text: String,
    pub new_text: String,
    pub replace_all: bool,
}

/// Applies `edits` one after another, all or none. Line endings don't matter for matching (`\n` stands for
/// the file's own) and stay as they are, as does everything outside the matched text. What had to be forgiven to find a
/// text is among the change's notes.
pub fn plan_edit(project: &Project, path: &ProjectPath, edits: &[TextEdit]) -> Result<ChangeSet> {
    check_edits(path, edits)?;
    let FileBytes { bytes, mode } = project.read(path, EDIT_LIMIT_BYTES)?;
    let mut file = TextFile::decode(path.as_str(), &bytes)?;
    let mut typing = Typing::default();
    let mut edited = edited(&file, path, edits, &Typing::default(), &mut typing)?;
    if typing.differs() {
        // The model types all of its edits in one way, and not each of them shows it.
        edited = self::edited(&file, path, edits, &typing, &mut Typing::default())?;
    }
    let notes = edited.notes;
    file.text = edited.text;
    let change = FileChange {
        path: path.clone(),
        before: Some(bytes.into()),
        after: Some(file.encode().into()),
        mode: Some(mode),
    };
    Ok(ChangeSet::new(vec![change])?.with_notes(notes))
}

/// A text after all edits, and what had to be forgiven.
struct Edited {
    text: String,
    notes: Vec<String>,
}

fn edited(
    file: &TextFile,
    path: &ProjectPath,
    edits: &[TextEdit],
    known: &Typing,
    learned: &mut Typing,
) -> Result<Edited> {
    let (mut text, mut notes) = (file.text.clone(), Vec::new());
    let mut types = matching::Types { known, learned };
    for (number, edit) in (1..).zip(edits) {
        refuse_placeholder(path, &[&edit.old_text, &text], &edit.new_text)?;
        let edited = matching::apply(&text, file.eol, path, number, edit, &mut types)?;
        text = edited.text;
        if let Some((tier, line)) = edited.forgiven {
            notes.push(format!("Edit {number} matched at line {line} but for {}.", tier.difference()));
        }
    }
    Ok(Edited { text, notes })
}

/// A new line that only says that there is more.
fn refuse_placeholder(path: &ProjectPath, known: &[&str], new: &str) -> Result<()> {
    match find_placeholder(new.lines(), |line| known.iter().any(|text| text.lines().any(|known| known.trim() == line)))
    {
        Some(line) => Err(EditError::Placeholder { path: path.to_string(), line: line.to_owned() }.into()),
        None => Ok(()),
    }
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
            refuse_placeholder(path, &[&file.text], content)?;
            let after = rewritten(&file, content);
            (Some(bytes.into()), Some(mode), after)
        }
    };
    ChangeSet::new(vec![FileChange { path: path.clone(), before, after: Some(after.into()), mode }])
}

/// Removes a file, of any content; of a link, the link.
pub fn plan_delete(project: &Project, path: &ProjectPath) -> Result<ChangeSet> {
    let FileFound { content, mode } = found(project, path)?;
    ChangeSet::new(vec![FileChange { path: path.clone(), before: Some(content), after: None, mode }])
}

/// What is to go from `path`.
pub(crate) fn found(project: &Project, path: &ProjectPath) -> Result<FileFound> {
    project.found(path, DELETE_LIMIT_BYTES)?.ok_or_else(|| FileError::NotFound { path: path.to_string() }.into())
}

fn check_edits(path: &ProjectPath, edits: &[TextEdit]) -> Result<()> {
    if edits.is_empty() {
        return Err(EditError::NoEdits { path: path.to_string() }.into());
    }
    for (edit, text) in (1..).zip(edits) {
        let path = path.to_string();
        if text.old_text.is_empty() {
            return Err(EditError::EmptyOldText { path, edit }.into());
        }
        if text.old_text == text.new_text {
            return Err(EditError::Identical { path, edit }.into());
        }
        if text.new_text.contains('\0') {
            return Err(EditError::ContentNotText { path }.into());
        }
    }
    Ok(())
}

fn rewritten(existing: &TextFile, content: &str) -> Vec<u8> {
    let content = if existing.has_bom { content.strip_prefix(BOM).unwrap_or(content) } else { content };
    let mut bytes = if content.contains("\r\n") {
        content.as_bytes().to_vec()
    } else {
        with_known_endings(existing.text.as_bytes(), content, existing.eol)
    };
    if existing.final_newline && !bytes.is_empty() && !bytes.ends_with(b"\n") {
        let ending = Eol::of(&bytes).unwrap_or(existing.eol);
        bytes.extend_from_slice(ending.bytes());
    }
    let bom = if existing.has_bom { "\u{feff}" } else { "" };
    [bom.as_bytes(), &bytes].concat()
}

#[cfg(test)]
mod tests;
