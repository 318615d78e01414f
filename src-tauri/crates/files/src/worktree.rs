//! The folders of worktrees, and what a repository has of a linked one besides the worktree itself.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arki_disk::{create_private_dir, remove_private_dir};

/// The longest list of files to ignore that is copied, in bytes.
const MAX_EXCLUDE_BYTES: u64 = 1 << 20;

/// Makes the folder of a worktree, for the owner alone, and the folder around it. Returns its canonical path.
///
/// # Errors
/// Also where it is there already, so that only one maker has it, or where the folder around it is a link or a file.
pub fn make_worktree_folder(place: &Path) -> io::Result<PathBuf> {
    let private = |path: &Path| create_private_dir(path).map_err(io::Error::other);
    if let Some(all) = place.parent() {
        match all.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(io::ErrorKind::NotADirectory.into()),
            Err(_) => private(all)?,
        }
    }
    match fs::create_dir(place) {
        // A kill may have left it before anything was in it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::remove_dir(place).map_err(|_| error)?;
            fs::create_dir(place)?;
        }
        made => made?,
    }
    private(place)?;
    place.canonicalize()
}

/// Closes a folder and all files in it to writing. No link is followed.
pub fn close_to_writing(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            close_to_writing(&entry.path())?;
        } else if kind.is_file() {
            make_read_only(&entry.path())?;
        }
    }
    make_read_only(folder)
}

fn make_read_only(path: &Path) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(path, permissions)
}

/// Removes the folder of a worktree with all that is in it, and the folder around it where no other is there. No link is
/// followed.
pub fn remove_worktree_folder(folder: &Path) -> io::Result<()> {
    remove_private_dir(folder)?;
    if let Some(all) = folder.parent() {
        // Only where it is empty.
        let _ = fs::remove_dir(all);
    }
    Ok(())
}

/// Has git ignore in a new worktree what it ignores in the project's repository alone, and `also` one more pattern.
pub fn copy_git_exclude(project: &Path, folder: &Path, also: Option<&str>) -> io::Result<()> {
    let place = |root: &Path| root.join(".git/info/exclude");
    let mut text = Vec::new();
    if place(project).symlink_metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_EXCLUDE_BYTES) {
        fs::File::open(place(project))?.take(MAX_EXCLUDE_BYTES).read_to_end(&mut text)?;
    }
    if let Some(pattern) = also {
        text.extend(format!("\n{pattern}\n").into_bytes());
    }
    fs::create_dir_all(folder.join(".git/info"))?;
    fs::write(place(folder), text)
}

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
