//! Planning a change from a patch over several files. Nothing here writes.

use std::collections::BTreeMap;

use arki_edit::patch::{FilePatch, PatchAction, PatchHunk, learn, parse, patched, places};
use arki_edit::{EDIT_LIMIT_BYTES, Fit, PatchError, TextFile, Typing, refuse_placeholder};

use crate::change_set::{ChangeSet, FileChange};
use crate::error::{FileError, FilesError, Result};
use crate::plan::{DELETE_LIMIT_BYTES, found};
use crate::project::{FileBytes, FileFound, Project, ProjectPath};

/// Longer patches are refused unread.
const PATCH_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// The whole patch as one change, all or nothing. How a hunk was understood, where it was not exact, is in the notes.
pub fn plan_patch(project: &Project, patch: &str) -> Result<ChangeSet> {
    if patch.len() > PATCH_LIMIT_BYTES {
        return Err(PatchError::TooLong { limit: PATCH_LIMIT_BYTES }.into());
    }
    let files = parse(patch)?;
    let mut plan = PatchPlan { project, changes: BTreeMap::new(), typing: Typing::default(), notes: Vec::new() };
    // What goes makes room for what comes: so files can swap names.
    let mut taken = Vec::new();
    for file in &files {
        taken.push(plan.take(file)?);
    }
    for file in taken {
        plan.write(file)?;
    }
    Ok(ChangeSet::new(plan.changes.into_values().collect())?.with_notes(plan.notes))
}

struct PatchPlan<'a> {
    project: &'a Project,
    changes: BTreeMap<ProjectPath, FileChange>,
    /// Learned from all hunks before the first line is written: a model types one patch in one way.
    typing: Typing,
    notes: Vec<String>,
}

/// A file of the patch, read and taken away; what comes is still to be written.
enum TakenFile<'a> {
    Gone,
    /// A new file, or one with all of its content at another path.
    Put(ProjectPath, NewContent),
    Deleted {
        placed: Placed<'a>,
        line: usize,
    },
    Updated {
        placed: Placed<'a>,
        target: ProjectPath,
        mode: u32,
        line: usize,
    },
}

/// A text, and where its hunks belong.
struct Placed<'a> {
    path: ProjectPath,
    file: TextFile,
    hunks: &'a [PatchHunk<'a>],
    fits: Vec<Fit>,
}

/// The new content of a file.
struct NewContent {
    bytes: Vec<u8>,
    mode: Option<u32>,
    /// The line in the patch.
    line: usize,
}

impl PatchPlan<'_> {
    /// Reads what there is, as if it were to go, and finds where its hunks belong.
    fn take<'a>(&mut self, file: &'a FilePatch<'_>) -> Result<TakenFile<'a>> {
        let line = file.line;
        match &file.action {
            PatchAction::Add { path, content, mode } => {
                let path = self.project.resolve(path)?;
                refuse_placeholder(path.as_str(), &[], content.lines())?;
                Ok(TakenFile::Put(path, NewContent { bytes: content.as_bytes().to_vec(), mode: *mode, line }))
            }
            PatchAction::Delete { path, hunks } => {
                let path = self.project.resolve(path)?;
                let FileFound { content, mode } = self.remove(&path, line)?;
                self.changes.insert(path.clone(), FileChange::of_content(path.clone(), Some(content), None, mode));
                if hunks.is_empty() {
                    return Ok(TakenFile::Gone);
                }
                let bytes = self.project.read(&path, DELETE_LIMIT_BYTES)?.bytes;
                Ok(TakenFile::Deleted { placed: self.place(path, hunks, &bytes)?, line })
            }
            PatchAction::Update { path, move_to, hunks } => {
                let path = self.project.resolve(path)?;
                let target = move_to.as_deref().map(|target| self.project.resolve(target)).transpose()?;
                let target = target.filter(|target| *target != path);
                let limit = if hunks.is_empty() { DELETE_LIMIT_BYTES } else { EDIT_LIMIT_BYTES };
                let there = self.remove(&path, line)?;
                let FileBytes { bytes, mode } = self.project.read(&path, limit)?;
                // Of a link the link is moved away; what stays in its place is written where it leads.
                let before = if target.is_some() { there.content } else { bytes.clone().into() };
                let gone = FileChange::of_content(path.clone(), Some(before), None, Some(mode));
                self.changes.insert(path.clone(), gone);
                let target = target.unwrap_or_else(|| path.clone());
                if hunks.is_empty() {
                    return Ok(TakenFile::Put(target, NewContent { bytes, mode: Some(mode), line }));
                }
                Ok(TakenFile::Updated { placed: self.place(path, hunks, &bytes)?, target, mode, line })
            }
        }
    }

    fn write(&mut self, taken: TakenFile<'_>) -> Result<()> {
        match taken {
            TakenFile::Gone => Ok(()),
            TakenFile::Put(path, content) => self.put(path, content),
            TakenFile::Deleted { placed, line } => {
                let path = placed.path.to_string();
                match self.patched(placed)?.is_empty() {
                    true => Ok(()),
                    false => Err(PatchError::DeletesOther { path, line }.into()),
                }
            }
            TakenFile::Updated { placed, target, mode, line } => {
                let bytes = self.patched(placed)?;
                self.put(target, NewContent { bytes, mode: Some(mode), line })
            }
        }
    }

    fn remove(&self, path: &ProjectPath, line: usize) -> Result<FileFound> {
        if self.changes.contains_key(path) {
            return Err(PatchError::Twice { path: path.to_string(), line }.into());
        }
        found(self.project, path)
    }

    fn put(&mut self, path: ProjectPath, content: NewContent) -> Result<()> {
        let NewContent { bytes, mode, line } = content;
        if let Some(change) = self.changes.get_mut(&path) {
            if change.after.is_some() {
                return Err(PatchError::Twice { path: path.to_string(), line }.into());
            }
            change.after = Some(bytes.into());
            return Ok(());
        }
        if self.is_there(&path)? {
            return Err(PatchError::Exists { path: path.to_string(), line }.into());
        }
        self.changes.insert(path.clone(), FileChange::of_content(path, None, Some(bytes.into()), mode));
        Ok(())
    }

    fn is_there(&self, path: &ProjectPath) -> Result<bool> {
        match self.project.read_if_present(path, 0) {
            Ok(found) => Ok(found.is_some()),
            Err(FilesError::File(FileError::TooLarge { .. })) => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn place<'a>(&mut self, path: ProjectPath, hunks: &'a [PatchHunk<'a>], bytes: &[u8]) -> Result<Placed<'a>> {
        let file = TextFile::decode(path.as_str(), bytes)?;
        for hunk in hunks {
            refuse_placeholder(path.as_str(), &[&file.text], hunk.added())?;
        }
        let fits = places(&file.text, hunks).map_err(|problem| problem.at(path.as_str(), &file.text, hunks))?;
        learn(&mut self.typing, &file.text, hunks, &fits);
        Ok(Placed { path, file, hunks, fits })
    }

    fn patched(&mut self, placed: Placed<'_>) -> Result<Vec<u8>> {
        let Placed { path, mut file, hunks, fits } = placed;
        let patched = patched(&file.text, hunks, &fits, &self.typing)
            .map_err(|problem| problem.at(path.as_str(), &file.text, hunks))?;
        for (hunk, tier, line) in patched.forgiven {
            let difference = tier.difference();
            self.notes.push(format!("Hunk {hunk} of {path} matched at line {line} but for {difference}."));
        }
        file.text = patched.text;
        Ok(file.encode())
    }
}

#[cfg(test)]
mod tests;
