//! Starting other programs: what is run is shown, and a failure says which.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use crate::failure::Failure;

/// Runs with the terminal inherited, so a tool's own output and its closing
/// lines reach the reader unchanged.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    println!("$ {}", shown(command));
    let status = status(command)?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("`{}` failed ({status})", shown(command)))) }
}

/// Runs silently and returns standard output; on failure, what it printed is
/// part of the error.
pub(crate) fn capture(command: &mut Command) -> Result<String, Failure> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("`{}` failed ({})\n{}{}", shown(command), output.status, stdout, stderr.trim_end())))
}

/// Runs with the standard streams as they are set, and says how it ended.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, Failure> {
    command.status().map_err(|error| not_started(command, &error))
}

/// Runs a command silently and returns whether it succeeds: for probes, where failing is an answer.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The Cargo that runs this command, so that a chosen toolchain stays chosen.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // Set by the outer `cargo run` for this package alone: handed on, they
    // would make build scripts rerun for no reason.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

pub(crate) fn npm(root: &Path) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(root);
    command
}

pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    // Daemons and the X server may stand where only root's PATH looks.
    let system = ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map(PathBuf::from);
    env::split_paths(&path)
        .chain(system)
        .map(|folder| folder.join(format!("{name}{}", env::consts::EXE_SUFFIX)))
        .find(|candidate| candidate.is_file())
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start `{}`: {error}", shown(command)))
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![program.file_stem().unwrap_or(program.as_os_str()).to_string_lossy()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy()));
    words.join(" ")
}
