//! Errors of copying a project's files to another folder.

use arki_domain::Code;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    #[error("The folder has more than {limit} files that git doesn't ignore.")]
    TooMany { limit: usize },
    #[error("The files that git doesn't ignore have more than {} MiB in all.", .limit >> 20)]
    TooLarge { limit: u64 },
}

impl CopyError {
    pub(super) fn code(&self) -> Code {
        Code::WORKTREE_TOO_LARGE
    }

    pub(super) fn hint(&self) -> String {
        "Delegate without `isolation`, or add what needn't be copied to .gitignore.".to_owned()
    }
}
