//! Programs of the user's own that Arki starts because they asked for one: an editor, a terminal. No tool's processes:
//! no sandbox, no limit and no stop belongs to them, and they stay when Arki ends.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::login_path::inherited_environment;

/// Returns where a program lies: by its name on the PATH of the user's login shell, or by its absolute path.
#[must_use]
pub fn own_program(name: &str) -> Option<PathBuf> {
    let path = inherited_environment().into_iter().find(|(variable, _)| variable.eq_ignore_ascii_case("PATH"));
    found(name, &path.map(|(_, path)| path).unwrap_or_default())
}

fn found(name: &str, path: &str) -> Option<PathBuf> {
    let named = Path::new(name);
    if named.is_absolute() {
        return named.is_file().then(|| named.to_owned());
    }
    // What lies in the folder at hand is nobody's choice.
    if name.is_empty() || named.components().count() != 1 {
        return None;
    }
    let folders: Vec<PathBuf> = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect();
    let candidates =
        folders.iter().flat_map(|folder| ENDINGS.iter().map(move |end| folder.join(format!("{name}{end}"))));
    candidates.into_iter().find(|candidate| is_program(candidate))
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
        assert_eq!(found("editor", &path), None, "it is not executable");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found("editor", &path), Some(program.clone()));
        assert_eq!(found(&program.display().to_string(), ""), Some(program));
        for nothing in ["", "./editor", "../editor", "a/editor", "/"] {
            assert_eq!(found(nothing, &path), None, "{nothing}");
        }
        assert_eq!(found("editor", "relative:."), None);
    }
}
