//! The user's own editor, which `arki config edit` starts and waits for.

use crate::exit::wrong_use;
use arki_domain::{Code, Error};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

pub(super) fn open(file: &Path) -> Result<(), Error> {
    let named =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|set| !set.is_empty()));
    if named.is_none() && !std::io::stdin().is_terminal() {
        let what = "No editor can be opened: EDITOR isn't set, and standard input isn't a terminal.";
        let hint = "Set EDITOR to your editor, or change values with `arki config set KEY VALUE`.";
        return Err(wrong_use(what, hint));
    }
    let editor = named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let failed =
        |what: String| Error::new(Code::COMMAND_SPAWN_FAILED, what, "Set EDITOR to the program you edit text with.");
    let words = shlex::split(&editor).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else {
        return Err(failed(format!("\"{editor}\" isn't a program.")));
    };
    // Not a tool's process: no sandbox belongs to it.
    #[allow(clippy::disallowed_methods)]
    let ended = Command::new(program).args(arguments).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(failed(format!("{program} ended with an error. Nothing was changed."))),
        Err(_) => Err(failed(format!("{program} can't be started."))),
    }
}
