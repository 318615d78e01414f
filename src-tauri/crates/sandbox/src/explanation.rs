//! Explains what failed because of the sandbox, as far as a command's output tells.

use std::path::Path;

use super::sensitive::Sensitive;
use super::{ARKI_FOLDER, GitAccess, OWN_GIT, ProjectAccess, Sandbox, SecretSight};
use arki_process::ExitOutcome;

const GIT_IS_READ_ONLY: &str = "Only git's own commands, beside programs that only read, may write a git directory: no other programs, no \
                                substitutions, and no redirection to a file. Run the git commands by themselves.";
const STEERS_GIT: &str = "Git's configuration, hooks and attributes can't be changed by commands, nor anything outside the \
                          project. `git -c NAME=VALUE …` sets a value for one command. Else ask the user to run this.";
const SECRETS_ARE_HIDDEN: &str = "\n[Secret files can't be opened by a command that the user didn't approve. Name the file in \
                                  the line, and the user is asked.]\n";

const STORES_ARE_HIDDEN: &str = "\n[This repository keeps secret files, so only a command that names git can read what git keeps. Run git in a line \
                                 of its own.]\n";
const PROJECT_IS_READ_ONLY: &str = "\n[Arki took this line for one that only reads, so nothing could be written. If \
                                    it has to write, make that visible, for example with a redirection to the file. \
                                    Then the user is asked.]\n";

/// The words of programs about a file that they can't write.
const REFUSALS: &[&str] =
    &["Read-only file system", "Operation not permitted", "Device or resource busy", "Permission denied"];

/// The words of git about objects that it can't find.
const MISSING_OBJECTS: &[&str] = &[
    "fatal: bad object",
    "fatal: unable to read",
    "fatal: could not parse",
    "fatal: invalid object",
    "fatal: ambiguous argument 'HEAD",
];

impl Sandbox {
    /// Returns what to say where a command could not read a file of secrets, of which its output then has the name, or
    /// could not write a git directory, whether it failed or went on.
    pub(crate) fn explanation(&self, output: &str, outcome: ExitOutcome, found: &Sensitive) -> Option<String> {
        if self.is_trial {
            return None;
        }
        let names_secret = |line: &str| {
            let mut names = found.secrets.iter().filter_map(|path| path.file_name()?.to_str());
            names.any(|name| line.contains(name))
        };
        let is_hidden = |line: &str| {
            [
                "ermission denied",
                "EACCES",
                "Errno 13",
                "os error 13",
                "can only add regular files",
                "unsupported file type",
            ]
            .iter()
            .any(|words| line.contains(words))
                && names_secret(line)
        };
        let has_failed = outcome == ExitOutcome::Failed;
        if has_failed && self.secrets != SecretSight::Shown && output.lines().any(is_hidden) {
            return Some(SECRETS_ARE_HIDDEN.to_owned());
        }
        let misses_object = |line: &str| MISSING_OBJECTS.iter().any(|words| line.contains(words));
        if has_failed && self.secrets == SecretSight::HiddenAlsoInStores && output.lines().any(misses_object) {
            return Some(STORES_ARE_HIDDEN.to_owned());
        }
        if self.project == ProjectAccess::ReadOnly {
            let is_refused = has_failed && output.lines().any(|line| line.contains(REFUSALS[0]));
            return is_refused.then(|| PROJECT_IS_READ_ONLY.to_owned());
        }
        let path = output.lines().find_map(|line| refused_path(line, found))?;
        let root = self.root();
        let path = Path::new(path).strip_prefix(&root).unwrap_or(Path::new(path)).display();
        let why = if self.git == GitAccess::ReadOnly { GIT_IS_READ_ONLY } else { STEERS_GIT };
        Some(format!("\n[{path} is read-only here. {why}]\n"))
    }
}

/// The path that a line of output says could not be written, if it is one that commands are kept from.
fn refused_path<'a>(line: &'a str, found: &Sensitive) -> Option<&'a str> {
    if !REFUSALS.iter().any(|words| line.contains(words)) {
        return None;
    }
    let is_kept = |word: &&str| {
        let path = Path::new(word);
        let mut kept = found.hooks.iter().chain(&found.included).chain(found.folders.keys());
        path.iter().any(|name| name == OWN_GIT || name == ARKI_FOLDER) || kept.any(|kept| path.starts_with(kept))
    };
    let quoted = line.split('\'').skip(1).step_by(2);
    let words = line.split(|next: char| next.is_whitespace() || "'\"`:()".contains(next));
    quoted.chain(words).find(is_kept)
}
