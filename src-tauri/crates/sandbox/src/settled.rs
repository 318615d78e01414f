//! Describes the findings of a look at what commands left.

use std::io;

use super::put_back::ChangedPaths;

/// Paths named in one sentence.
const MAX_NAMED: usize = 10;

/// The actions taken, in words.
#[derive(Default)]
pub(super) struct SettledNotes {
    pub(super) notes: Vec<String>,
    left: Vec<String>,
    pub(super) unfinished: Option<String>,
}

impl SettledNotes {
    pub(super) fn of_put_back(&mut self, changed: io::Result<ChangedPaths>) {
        match changed {
            Ok(changed) => {
                if !changed.put_back.is_empty() {
                    let paths = changed.put_back.join(", ");
                    self.notes.push(format!("Commands may not change {paths}: restored."));
                }
                changed.left.into_iter().for_each(|path| self.leave(path));
            }
            Err(error) => {
                self.notes
                    .push(format!("The command changed protected files, and they could not be restored: {error}"));
                self.unfinished.get_or_insert_with(|| format!("something could not be restored ({error})"));
            }
        }
    }

    /// Notes changed hooks: the user agreed to the command, not to what git runs from now on.
    pub(super) fn of_hooks(&mut self, changed: io::Result<Vec<String>>) {
        match changed {
            Ok(changed) if changed.is_empty() => {}
            Ok(changed) => self.notes.push(format!(
                "Git runs {} as hooks, and they changed. Git commands that may run them need your approval until you \
                 approve the hooks.",
                named(&changed)
            )),
            Err(error) => {
                self.unfinished.get_or_insert_with(|| format!("git's hooks can't be read ({error})"));
            }
        }
    }

    pub(super) fn leave(&mut self, path: String) {
        if !self.left.contains(&path) {
            self.left.push(path);
        }
    }

    pub(super) fn into_notes(mut self) -> Vec<String> {
        if !self.left.is_empty() {
            self.notes.push(format!(
                "Changed after Arki had ended, so left as they are: {}. If that wasn't you, check them before you use \
                 git there.",
                named(&self.left)
            ));
        }
        self.notes
    }
}

fn named(paths: &[String]) -> String {
    let shown = paths.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MAX_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
