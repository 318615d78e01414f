//! What a repository has of a linked worktree, besides the worktree itself.

use std::path::Path;
use std::{fs, io};

/// Removes what the repository has of a worktree: the folder in `.git/worktrees` that leads to it. No other is touched.
pub fn forget_worktree(root: &Path, tree: &Path) -> io::Result<()> {
    let Some(name) = tree.file_name() else { return Ok(()) };
    let all = root.join(".git").join("worktrees");
    let own = all.join(name);
    // Both as they are: no link is followed out of the repository.
    if ![&all, &own].iter().all(|folder| folder.symlink_metadata().is_ok_and(|found| found.is_dir())) {
        return Ok(());
    }
    let leads_to = fs::read_to_string(own.join("gitdir")).unwrap_or_default();
    if !leads_to.trim().is_empty() && Path::new(leads_to.trim()) != tree.join(".git") {
        return Ok(());
    }
    fs::remove_dir_all(&own)?;
    // Only where no other is in it.
    let _ = fs::remove_dir(&all);
    Ok(())
}
