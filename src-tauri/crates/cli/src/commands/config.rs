//! `arki config`: what holds in a folder and why, and changes to the user's own file.

use crate::arguments::ConfigCommand;
use crate::commands::editor;
use crate::exit::Exit;
use crate::output::{Output, dim, visible};
use arki_api::ModelFigures;
use arki_domain::Fault;
use arki_engine::Engine;
use serde_json::json;
use std::path::Path;

pub(crate) fn run(engine: &Engine, dir: &Path, command: ConfigCommand, output: &Output) -> Result<Exit, Fault> {
    match command {
        ConfigCommand::Show { origin } => show(engine, dir, origin, output)?,
        ConfigCommand::Set { key, value } => {
            engine.accounts().set_config(&key, &value)?;
            done(&key, &format!("Set {key}."), output);
            let models = engine.accounts().models().unwrap_or_default();
            if models.iter().any(|model| model.id == value && model.source == ModelFigures::Default) {
                output.aside(format!("Arki knows nothing of {value}. `arki providers test` with --model tries it."));
            }
        }
        ConfigCommand::Unset { key } => {
            engine.accounts().unset_config(&key)?;
            done(&key, &format!("Removed {key}."), output);
            tell_unusable_model(engine, output);
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

/// On a copy, so that only a valid text takes the file's place and nothing that was typed is lost.
fn edit(engine: &Engine, output: &Output) -> Result<(), Fault> {
    let accounts = engine.accounts();
    let edit = accounts.begin_config_edit()?;
    if let Some(set_aside) = &edit.set_aside {
        let path = visible(&set_aside.display().to_string());
        output.aside(format!("Your configuration has changed since you left an edit unsaved. Its text is in {path}."));
    }
    if let Err(fault) = editor::open(&edit.copy) {
        return Err(accounts.abandon_config_edit(&edit, fault));
    }
    let is_changed = accounts.end_config_edit(&edit)?;
    output.aside(if is_changed { "Saved your configuration." } else { "Nothing changed." });
    tell_unusable_model(engine, output);
    Ok(())
}

fn tell_unusable_model(engine: &Engine, output: &Output) {
    if let Err(fault) = engine.accounts().ensure_model_usable() {
        output.aside(visible(&format!("{} {}", fault.message, fault.hint)));
    }
}
