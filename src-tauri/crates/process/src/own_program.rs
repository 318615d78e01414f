//! Programs of the user's own that Arki starts outside of any sandbox: an editor and a terminal because they asked for
//! one, git for a worktree. What a command in the sandbox could have written is never taken for one of them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::login_path::inherited_environment;

/// Returns where a program lies: by its name on the PATH of the user's login shell, or by its absolute path. None that lies
/// in one of the folders that commands in a sandbox may write, such as a project's `.venv/bin`.
#[must_use]
pub fn own_program(name: &str, writable: &[&Path]) -> Option<PathBuf> {
    found(name, &own_path(writable), writable)
}

/// Returns the folders of that PATH without relative ones and those that lie in `writable`.
#[must_use]
pub fn own_path(writable: &[&Path]) -> Vec<PathBuf> {
    let path = inherited_environment().into_iter().find(|(variable, _)| variable.eq_ignore_ascii_case("PATH"));
    folders_of(&path.map(|(_, path)| path).unwrap_or_default(), writable)
}

fn folders_of(path: &str, writable: &[&Path]) -> Vec<PathBuf> {
    std::env::split_paths(path).filter(|folder| folder.is_absolute() && !lies_in(folder, writable)).collect()
}

/// Returns whether the path is in one of the folders, by their real places: a link leads there too.
fn lies_in(path: &Path, folders: &[&Path]) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    folders.iter().any(|folder| real(path).starts_with(real(folder)))
}

fn found(name: &str, folders: &[PathBuf], writable: &[&Path]) -> Option<PathBuf> {
    let named = Path::new(name);
    if named.is_absolute() {
        return (named.is_file() && !lies_in(named, writable)).then(|| named.to_owned());
    }
    // What lies in the folder at hand is nobody's choice.
    if name.is_empty() || named.components().count() != 1 {
        return None;
    }
    let candidates =
        folders.iter().flat_map(|folder| ENDINGS.iter().map(move |end| folder.join(format!("{name}{end}"))));
    candidates.into_iter().find(|candidate| is_program(candidate) && !lies_in(candidate, writable))
}

#[cfg(windows)]
const ENDINGS: &[&str] = &[".exe", ".cmd", ".bat", ""];
#[cfg(not(windows))]
const ENDINGS: &[&str] = &[""];

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Starts a program in a folder and doesn't wait for it.
///
/// # Errors
/// When it can't be started.
pub fn start_own(program: &Path, arguments: &[OsString], folder: &Path) -> std::io::Result<()> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env_clear().envs(inherited_environment());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // So that nothing is left of it in the table of processes.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_programs_on_the_path_or_by_their_whole_path_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("editor");
        std::fs::write(&program, "").unwrap();
        let path = format!(".:{}", folder.path().display());
        let found = |name: &str, path: &str| found(name, &folders_of(path, &[]), &[]);
        assert_eq!(found("editor", &path), None, "it is not executable");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found("editor", &path), Some(program.clone()));
        assert_eq!(found(&program.display().to_string(), ""), Some(program));
        for nothing in ["", "./editor", "../editor", "a/editor", "/"] {
            assert_eq!(found(nothing, &path), None, "{nothing}");
        }
        assert_eq!(found("editor", "relative:."), None);
    }

    #[test]
    fn what_a_command_could_have_written_is_no_program_of_the_users() {
        let (project, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let made = |folder: &Path| {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("git"), "").unwrap();
            std::fs::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
            folder.join("git")
        };
        let (theirs, own) = (made(&project.path().join(".venv/bin")), made(&elsewhere.path().join("bin")));
        let linked = elsewhere.path().join("linked");
        std::os::unix::fs::symlink(project.path().join(".venv/bin"), &linked).unwrap();
        let path =
            [theirs.parent().unwrap(), &linked, own.parent().unwrap()].map(|folder| folder.display().to_string());
        let writable = [project.path()];
        assert_eq!(found("git", &folders_of(&path.join(":"), &writable), &writable), Some(own));
        assert_eq!(found(&theirs.display().to_string(), &[], &writable), None);
    }
}
