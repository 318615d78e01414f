//! `arki open`: starts the desktop app and does not wait for it.

use crate::arguments::folder_at;
use crate::exit::{CommandExit, Exit};
use arki_domain::{Code, Error};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn run(dir: &Path, folder: Option<&Path>) -> CommandExit {
    let folder = folder_at(dir, folder);
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    // The user's own app, not a tool's process: no sandbox and no stop belong to it.
    #[allow(clippy::disallowed_methods)]
    let started =
        Command::new(program()).arg(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(_) => Ok(Exit::Done),
        Err(_) => Err(Error::new(
            Code::COMMAND_SPAWN_FAILED,
            "The desktop app arki-desktop was not found.",
            "Install it next to `arki`, or add its folder to PATH.",
        )),
    }
}

/// The one beside this program, else the one on PATH.
fn program() -> PathBuf {
    let name = format!("arki-desktop{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|program| program.with_file_name(&name));
    beside.filter(|program| program.is_file()).unwrap_or_else(|| PathBuf::from(name))
}
