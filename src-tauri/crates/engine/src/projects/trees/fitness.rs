//! Folders of which there can be a worktree, as far as their files tell. Nothing is run to find out.

use arki_domain::{Code, Fault};
use std::path::Path;

/// # Errors
/// `WORKTREE_UNAVAILABLE`, with the reason.
pub(super) fn ensure_fit(origin: &Path) -> Result<(), Fault> {
    match origin.join(".git").symlink_metadata() {
        Ok(found) if found.is_dir() => ensure_has_all_of_git(&origin.join(".git"))?,
        Ok(_) => {
            return Err(unavailable(
                "The folder is itself a linked worktree, or part of another repository.",
                "Open the repository's main folder, or delegate without `isolation`.",
            ));
        }
        Err(_) if ["HEAD", "objects", "refs"].iter().all(|name| origin.join(name).exists()) => {
            return Err(unavailable(
                "The folder is a bare repository, without files to work on.",
                "Open a clone of it, or delegate without `isolation`.",
            ));
        }
        Err(_) => {
            return Err(unavailable(
                "The folder is not the root of a git repository.",
                "Open the repository's root, run `git init` and commit, or delegate without `isolation`.",
            ));
        }
    }
    match origin.join(".gitmodules").symlink_metadata() {
        Ok(_) => Err(submodules()),
        Err(_) => Ok(()),
    }
}

/// Refuses a repository whose git directory leads elsewhere: git would write outside the folder.
fn ensure_has_all_of_git(git_dir: &Path) -> Result<(), Fault> {
    let found = |name: &str| git_dir.join(name).symlink_metadata();
    let leads_elsewhere = found("commondir").is_ok() || found("worktrees").is_ok_and(|found| !found.is_dir());
    match leads_elsewhere {
        true => Err(unavailable(
            "The repository keeps a part of its git directory elsewhere.",
            "Open the repository's main folder, or delegate without `isolation`.",
        )),
        false => Ok(()),
    }
}

pub(super) fn submodules() -> Fault {
    unavailable(
        "The repository has submodules, and a worktree would be without their files.",
        "Delegate without `isolation`.",
    )
}

pub(super) fn no_commit() -> Fault {
    unavailable("The repository has no commit yet.", "Commit something first, or delegate without `isolation`.")
}

pub(super) fn no_git() -> Fault {
    unavailable("Git was not found on this computer.", "Install git, or delegate without `isolation`.")
}

fn unavailable(why: &str, hint: &str) -> Fault {
    Fault::new(Code::WORKTREE_UNAVAILABLE, format!("There can be no worktree here. {why}"), hint)
}

#[cfg(test)]
mod tests;
