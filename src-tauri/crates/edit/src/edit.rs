//! Edits of one text, and a text in place of another. Pure.

mod matching;
mod not_found;
mod placeholder;

use crate::error::EditError;
use crate::fit::Typing;
use crate::line_endings::{Eol, with_known_endings};
use crate::text_file::TextFile;

pub(crate) use matching::candidates;
pub(crate) use not_found::closest;

const BOM: char = '\u{feff}';

/// Replaces `old_text`, which must be in the file exactly once, or at least once with `replace_all`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    pub old_text: String,
    pub new_text: String,
    pub replace_all: bool,
}

/// A text after all edits, and what had to be forgiven.
#[derive(Debug)]
pub struct Edited {
    pub text: String,
    /// A sentence each.
    pub notes: Vec<String>,
}

/// Applies `edits` one after another, all or none; `path` is for the error.
pub fn apply_edits(path: &str, file: &TextFile, edits: &[TextEdit]) -> Result<Edited, EditError> {
    let mut typing = Typing::default();
    let once = edited(file, path, edits, &Typing::default(), &mut typing)?;
    if !typing.differs() {
        return Ok(once);
    }
    // The model types all of its edits in one way, and not each of them shows it.
    edited(file, path, edits, &typing, &mut Typing::default())
}

fn edited(
    file: &TextFile,
    path: &str,
    edits: &[TextEdit],
    known: &Typing,
    learned: &mut Typing,
) -> Result<Edited, EditError> {
    let (mut text, mut notes) = (file.text.clone(), Vec::new());
    let mut types = matching::Types { known, learned };
    for (number, edit) in (1..).zip(edits) {
        refuse_placeholder(path, &[&edit.old_text, &text], edit.new_text.lines())?;
        let edited = matching::apply(&text, file.eol, path, number, edit, &mut types)?;
        text = edited.text;
        if let Some((tier, line)) = edited.forgiven {
            notes.push(format!("Edit {number} matched at line {line} but for {}.", tier.difference()));
        }
    }
    Ok(Edited { text, notes })
}

/// Refuses a new line that only says that there is more, unless `known` has that line.
pub fn refuse_placeholder<'a>(
    path: &str,
    known: &[&str],
    mut new: impl Iterator<Item = &'a str>,
) -> Result<(), EditError> {
    let is_known = |line: &str| known.iter().any(|text| text.lines().any(|known| known.trim() == line));
    match placeholder::find(&mut new, is_known) {
        Some(line) => Err(EditError::Placeholder { path: path.to_owned(), line: line.to_owned() }),
        None => Ok(()),
    }
}

/// Refuses edits that say nothing, before the file is read.
pub fn check_edits(path: &str, edits: &[TextEdit]) -> Result<(), EditError> {
    if edits.is_empty() {
        return Err(EditError::NoEdits { path: path.to_owned() });
    }
    for (edit, text) in (1..).zip(edits) {
        let path = path.to_owned();
        if text.old_text.is_empty() {
            return Err(EditError::EmptyOldText { path, edit });
        }
        if text.old_text == text.new_text {
            return Err(EditError::Identical { path, edit });
        }
        if text.new_text.contains('\0') {
            return Err(EditError::ContentNotText { path });
        }
    }
    Ok(())
}

/// The bytes of a file whose whole text is to be `content`. It keeps its byte-order mark and, unless `content` itself has
/// `\r\n`, its line endings; a final newline that it had is added when `content` lacks it.
pub fn rewritten(path: &str, existing: &TextFile, content: &str) -> Result<Vec<u8>, EditError> {
    refuse_placeholder(path, &[&existing.text], content.lines())?;
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
    Ok([bom.as_bytes(), &bytes].concat())
}
