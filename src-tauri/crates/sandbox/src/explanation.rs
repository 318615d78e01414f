//! Explains a command's failure because of the sandbox, as far as its output tells.

use super::sensitive::Sensitive;
use super::{GitAccess, OWN_GIT, ProjectAccess, Sandbox, SecretSight};

const GIT_IS_READ_ONLY: &str = "\n[Only a line of nothing but git commands may write a git directory: no other programs, \
                                 variables or substitutions, and no -c. Run them by themselves.]\n";
const SECRETS_ARE_HIDDEN: &str = "\n[Secret files can't be opened by a command that the user didn't approve. Name the file in \
                                  the line, and the user is asked.]\n";

const PROJECT_IS_READ_ONLY: &str = "\n[This line was taken for one that only reads, so nothing could be written. If it has to write, say it in a way \
                                    that shows it, such as a redirection to the file: then the user is asked.]\n";

impl Sandbox {
    /// Returns what to say where a command failed because it may not write a git directory, or read a file of secrets,
    /// of which its output then has the name.
    pub(crate) fn explanation(&self, output: &str, found: &Sensitive) -> Option<&'static str> {
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
        if self.secrets != SecretSight::Shown && output.lines().any(is_hidden) {
            return Some(SECRETS_ARE_HIDDEN);
        }
        let is_read_only = self.project == ProjectAccess::ReadOnly;
        if is_read_only && output.lines().any(|line| line.contains("Read-only file system")) {
            return Some(PROJECT_IS_READ_ONLY);
        }
        let is_refused = |line: &str| {
            line.contains(OWN_GIT)
                && (line.contains("Read-only file system") || line.contains("Operation not permitted"))
        };
        (!is_read_only && self.git == GitAccess::ReadOnly && output.lines().any(is_refused)).then_some(GIT_IS_READ_ONLY)
    }
}
