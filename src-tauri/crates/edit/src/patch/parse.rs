//! Patches in either form, read. Pure.

use super::{envelope, unified, wrapping};
use crate::error::PatchError;
use crate::fit::{FinalNewline, Op};

/// The changes of a patch to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch<'a> {
    pub action: PatchAction<'a>,
    /// The line in the patch, counted from 1.
    pub line: usize,
}

/// Paths are as the patch has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchAction<'a> {
    Add {
        path: String,
        content: String,
        mode: Option<u32>,
    },
    /// Hunks, where there are any, show what was in it.
    Delete {
        path: String,
        hunks: Vec<PatchHunk<'a>>,
    },
    Update {
        path: String,
        move_to: Option<String>,
        hunks: Vec<PatchHunk<'a>>,
    },
}

impl PatchAction<'_> {
    fn into_paths(self) -> Vec<String> {
        match self {
            Self::Add { path, .. } | Self::Delete { path, .. } => vec![path],
            Self::Update { path, move_to, .. } => [path].into_iter().chain(move_to).collect(),
        }
    }
}

/// Lines of a file that become others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk<'a> {
    /// The line in the patch, counted from 1.
    pub(crate) line: usize,
    /// The first old line, counted from 1, as the patch has it.
    pub(crate) old_start: Option<usize>,
    /// Lines that the hunk comes after, outermost first.
    pub(crate) sections: Vec<&'a str>,
    /// Lines with the `\r` that the patch has.
    pub(crate) ops: Vec<Op<'a>>,
    pub(crate) final_newline: FinalNewline,
    /// It ends where the file ends.
    pub(crate) at_end: bool,
}

impl<'a> PatchHunk<'a> {
    /// The lines that it brings.
    pub fn added(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.ops.iter().filter_map(|op| op.added())
    }

    pub(super) fn changes(&self) -> bool {
        self.ops.iter().any(|op| !matches!(op, Op::Keep(_)))
    }
}

/// Every path that the patch names, as it names them; none where it can't be read, which planning then says.
pub fn patch_paths(patch: &str) -> Vec<String> {
    let files = parse(patch).unwrap_or_default();
    files.into_iter().flat_map(|file| file.action.into_paths()).collect()
}

/// Returns what a patch does, file by file.
pub fn parse(patch: &str) -> Result<Vec<FilePatch<'_>>, PatchError> {
    let lines = wrapping::unwrapped(patch);
    let is_envelope = lines.iter().any(|(_, line)| envelope::is_start(line));
    let files = if is_envelope { envelope::parse(&lines)? } else { unified::parse(&lines)? };
    if files.is_empty() {
        return Err(PatchError::NotAPatch);
    }
    Ok(joined(files))
}

/// Models open a file again for its next hunk: two updates of one file are one.
fn joined(files: Vec<FilePatch<'_>>) -> Vec<FilePatch<'_>> {
    let mut joined: Vec<FilePatch<'_>> = Vec::with_capacity(files.len());
    for file in files {
        let PatchAction::Update { path, move_to: None, hunks } = &file.action else {
            joined.push(file);
            continue;
        };
        let same = |known: &&mut FilePatch<'_>| matches!(&known.action, PatchAction::Update { path: other, .. } if other == path);
        match joined.iter_mut().find(same).map(|known| &mut known.action) {
            Some(PatchAction::Update { hunks: known, .. }) => known.extend(hunks.iter().cloned()),
            _ => joined.push(file),
        }
    }
    joined
}
