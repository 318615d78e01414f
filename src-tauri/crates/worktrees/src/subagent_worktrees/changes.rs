//! The change that a sub-agent's worktree would bring to its project.

use super::SubagentWorktrees;
use arki_domain::{Code, Error, SessionId};
use arki_files::{ChangeSet, Project, TakenChanges, plan_take};

/// The longest diff that a conflict shows, in bytes.
const MAX_CONFLICT_BYTES: usize = 16 << 10;

impl SubagentWorktrees {
    /// The files that were changed in a worktree, once its sub-agent has ended; none where there is no such worktree.
    #[must_use]
    pub fn changed_files(&self, worktree: &SessionId) -> Vec<String> {
        self.note(worktree).and_then(|note| note.changed).unwrap_or_default()
    }

    /// Computes the change that brings these files to the project as it is now; all where `only` is `None`.
    ///
    /// # Errors
    /// `WORKTREE_GONE`, `WORKTREE_CONFLICT`, `ARGUMENTS_INVALID` for a file that was not changed, and what reading says.
    pub fn plan_changes(
        &self,
        project: &Project,
        worktree: &SessionId,
        only: Option<&[String]>,
    ) -> Result<ChangeSet, Error> {
        let note = self.note(worktree).filter(|note| note.origin == project.root());
        let Some(changed) = note.and_then(|note| note.changed) else { return Err(gone(worktree)) };
        let paths = match only {
            None => changed,
            Some(only) => among(project, &changed, only)?,
        };
        let planned = self.planned(project, worktree, &paths).map_err(|fault| match paths.len() {
            1 => fault,
            _ => Error { hint: format!("Take the other files with `paths`. {}", fault.hint), ..fault },
        });
        match planned? {
            TakenChanges::Change(change) => Ok(change),
            TakenChanges::Conflicts(wanted) => Err(conflict(&wanted)),
        }
    }

    fn planned(&self, project: &Project, session_id: &SessionId, paths: &[String]) -> Result<TakenChanges, Error> {
        let (base, tree) = (Project::open(&self.base_of(session_id))?, Project::open(&self.place_of(session_id))?);
        Ok(plan_take(&base, &tree, project, paths)?)
    }
}

/// # Errors
/// `ARGUMENTS_INVALID` where one was not changed.
fn among(project: &Project, changed: &[String], only: &[String]) -> Result<Vec<String>, Error> {
    let mut paths = Vec::new();
    for path in only {
        let path = project.resolve(path)?.to_string();
        if !changed.contains(&path) {
            let hint = format!("It changed {}.", changed.join(", "));
            return Err(Error::new(Code::ARGUMENTS_INVALID, format!("The sub-agent did not change {path}."), hint));
        }
        paths.push(path);
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// The model gets to see what the sub-agent wanted, for the worktree's files are out of its reach.
fn conflict(wanted: &ChangeSet) -> Error {
    let paths: Vec<String> = wanted.files().iter().map(|change| change.path.to_string()).collect();
    let diff = wanted.preview().diff;
    let shown = &diff[..diff.floor_char_boundary(MAX_CONFLICT_BYTES)];
    let cut = if shown.len() < diff.len() { "\n[cut]" } else { "" };
    let message = format!(
        "Nothing was written. The project and the sub-agent have changed the same place in {}. The sub-agent's \
             changes there:\n\n{}{cut}\n\n",
        paths.join(", "),
        shown.trim_end()
    );
    let hint = "Make these changes yourself or delegate them again. Take the other files with `paths`: the worktree stays \
         until your run ends.";
    Error::new(Code::WORKTREE_CONFLICT, message, hint)
}

fn gone(worktree: &SessionId) -> Error {
    Error::new(
        Code::WORKTREE_GONE,
        format!("There is no worktree {worktree} with changes to take."),
        "They were taken, rejected, or discarded when the run ended. The result of `delegate` names the worktree.",
    )
}
