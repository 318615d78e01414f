//! `arki config`: what holds in a folder and why, and changes to the user's own file.

use crate::arguments::ConfigCommand;
use crate::exit::Exit;
use crate::output::{Output, dim, visible};
use arki_domain::{Code, Fault, io_words};
use arki_engine::Engine;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run(engine: &Engine, dir: &Path, command: ConfigCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        ConfigCommand::Show { origin } => show(engine, dir, origin, output)?,
        ConfigCommand::Set { key, value } => {
            engine.accounts().set_config(&key, &value)?;
            done(&key, &format!("Set {key}."), output);
        }
        ConfigCommand::Unset { key } => {
            engine.accounts().unset_config(&key)?;
            done(&key, &format!("Removed {key}."), output);
        }
        ConfigCommand::Edit => edit(engine, output)?,
    }
    Ok(Exit::Done)
}

fn done(key: &str, words: &str, output: &Output) {
    match output.json {
        true => output.object(&json!({ "key": key })),
        false => output.aside(words),
    }
}

fn show(engine: &Engine, dir: &Path, origin: bool, output: &Output) -> Result<(), Fault> {
    let shown = engine.projects().shown_config(dir)?;
    let redacted = |text: String| visible(&engine.redactor().redact(&text));
    match (origin, output.json) {
        (true, true) => {
            let objects = shown.values.iter().filter_map(|value| serde_json::to_value(value).ok());
            objects.for_each(|object| output.object(&engine.redactor().redact_json(object)));
        }
        (true, false) => shown.values.iter().for_each(|value| {
            let set = redacted(format!("{} = {}", value.key, value.value));
            output.line(format!("{set}  {}", dim(&value.origin)));
        }),
        (false, true) => output.object(&engine.redactor().redact_json(shown.merged)),
        (false, false) => output.line(redacted(format!("{:#}", shown.merged))),
    }
    Ok(())
}

/// On a copy beside the file, which stays where it isn't valid, so that nothing that was typed is lost.
fn edit(engine: &Engine, output: &Output) -> Result<(), Fault> {
    let file = engine.directories().config_file();
    let copy = file.with_file_name("config.edited.json");
    let failed = |path: &Path, error: &std::io::Error| {
        let what = format!("{} can't be used: {}.", path.display(), io_words(error.kind()));
        Fault::new(Code::IO_FAILED, what, "Check the folder's permissions.")
    };
    if !copy.exists() {
        std::fs::copy(&file, &copy).map_err(|error| failed(&file, &error))?;
    }
    let before = std::fs::read(&copy).map_err(|error| failed(&copy, &error))?;
    open_editor(&copy)?;
    let text = std::fs::read_to_string(&copy).map_err(|error| failed(&copy, &error))?;
    let keep = |fault: Fault| Fault {
        hint: format!("Your text is kept in {}; `arki config edit` opens it again.", copy.display()),
        ..fault
    };
    let unchanged = text.as_bytes() == before && std::fs::read(&file).is_ok_and(|now| now == before);
    if !unchanged {
        engine.accounts().replace_config(&text).map_err(keep)?;
    }
    let _ = std::fs::remove_file(&copy);
    output.aside(if unchanged { "Nothing changed." } else { "Saved your configuration." });
    Ok(())
}

fn open_editor(file: &Path) -> Result<(), Fault> {
    let named =
        ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|set| !set.is_empty()));
    let editor = named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let failed =
        |what: String| Fault::new(Code::COMMAND_SPAWN_FAILED, what, "Set EDITOR to the program you edit text with.");
    let words = shlex::split(&editor).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| failed(format!("\"{editor}\" is no program.")))?;
    let program = PathBuf::from(&words[0]);
    // The user's own editor, not a tool's process: no sandbox belongs to it.
    #[allow(clippy::disallowed_methods)]
    let ended = Command::new(&program).args(&words[1..]).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(failed(format!("{} ended with an error; nothing was changed.", program.display()))),
        Err(_) => Err(failed(format!("{} can't be started.", program.display()))),
    }
}
