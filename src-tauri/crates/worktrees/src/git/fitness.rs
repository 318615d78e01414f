//! Folders of which there can be a worktree, as far as their files tell. Nothing is run to find out.

use super::Instead;
use arki_domain::{Code, Error};
use std::fs;
use std::path::Path;

/// # Errors
/// `WORKTREE_UNAVAILABLE`, with the reason.
pub(crate) fn ensure_fit(origin: &Path, instead: Instead) -> Result<(), Error> {
    let (why, advice) = match origin.join(".git").symlink_metadata() {
        Ok(found) if found.is_dir() => {
            ensure_has_all_of_git(&origin.join(".git"), instead)?;
            let has_submodules = origin.join(".gitmodules").symlink_metadata().is_ok();
            return if has_submodules { Err(submodules(instead)) } else { Ok(()) };
        }
        Ok(_) => (
            "The folder is itself a linked worktree, or part of another repository.",
            "Open the repository's main folder",
        ),
        Err(_) if ["HEAD", "objects", "refs"].iter().all(|name| origin.join(name).exists()) => {
            ("The folder is a bare repository, without files to work on.", "Open a clone of it")
        }
        Err(_) => {
            ("The folder is not the root of a git repository.", "Open the repository's root, run `git init` and commit")
        }
    };
    Err(unavailable(why, advice, instead))
}

/// Refuses a repository whose git directory leads elsewhere: git would write outside the folder.
fn ensure_has_all_of_git(git_dir: &Path, instead: Instead) -> Result<(), Error> {
    let found = |name: &str| git_dir.join(name).symlink_metadata();
    let leads_elsewhere = found("commondir").is_ok() || found("worktrees").is_ok_and(|found| !found.is_dir());
    if !leads_elsewhere {
        return Ok(());
    }
    let why = "The repository keeps a part of its git directory elsewhere.";
    Err(unavailable(why, "Open the repository's main folder", instead))
}

/// Refuses a repository that isn't whole by itself: where objects or branches are borrowed, linked, or fetched when they
/// are needed, a copy of it would lack some, and commands could have it lead to what they may not read.
///
/// # Errors
/// `WORKTREE_UNAVAILABLE`, with the reason.
pub(crate) fn ensure_keeps_to_itself(root: &Path, instead: Instead) -> Result<(), Error> {
    let git_dir = root.join(".git");
    let is_there = |name: &str| git_dir.join(name).symlink_metadata().is_ok();
    let borrows = ["commondir", "objects/info/alternates", "objects/info/http-alternates"].into_iter().any(is_there);
    if borrows || is_there("shallow") || !all_lie_in(&git_dir).unwrap_or(false) {
        let why = "The repository isn't complete by itself: it borrows, links or fetches a part of its objects.";
        return Err(unavailable(why, "Use a complete clone (`git fetch --unshallow`, `git repack -a`)", instead));
    }
    Ok(())
}

/// Returns whether git's folders and the files of its objects are such, and no links or promises.
fn all_lie_in(git_dir: &Path) -> std::io::Result<bool> {
    for folder in [git_dir.to_owned(), git_dir.join("objects"), git_dir.join("refs")] {
        if !folder.symlink_metadata()?.is_dir() {
            return Ok(false);
        }
    }
    for entry in fs::read_dir(git_dir.join("objects"))? {
        let entry = entry?;
        // A file that git is still writing may be here.
        if entry.file_type()?.is_dir() && !all_are_files(&entry.path())? || entry.file_type()?.is_symlink() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn all_are_files(folder: &Path) -> std::io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let is_plain = kind.is_file() && !name.as_encoded_bytes().ends_with(b".promisor");
        // Git keeps chains of commit graphs in folders; those aren't read.
        if !is_plain && !kind.is_dir() {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(crate) fn submodules(instead: Instead) -> Error {
    let why = "The repository has submodules, and a worktree would be without their files.";
    unavailable(why, "Work without submodules", instead)
}

pub(crate) fn unclear(instead: Instead) -> Error {
    let why = "Arki can't tell which programs git's configuration would run here.";
    unavailable(why, "Look at `git config --list`", instead)
}

pub(crate) fn no_commit(instead: Instead) -> Error {
    unavailable("The repository has no commit yet.", "Commit something first", instead)
}

pub(crate) fn no_git(instead: Instead) -> Error {
    unavailable("Git was not found on this computer.", "Install git", instead)
}

pub(crate) fn unavailable(why: &str, advice: &str, instead: Instead) -> Error {
    let message = format!("Can't create a worktree here. {why}");
    Error::new(Code::WORKTREE_UNAVAILABLE, message, format!("{advice}, or {instead}."))
}

#[cfg(test)]
mod tests;
