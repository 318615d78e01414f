//! `arki config`: what holds in a folder and why, and changes to the user's own file.

use crate::commands::editor;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible};
use arki_api::{ChangedSetting, ModelFigures, SettingValue};
use arki_domain::{Code, Error};
use arki_engine::Engine;
use clap::Subcommand;
use serde_json::Value;
use std::path::Path;

/// Show, change and edit the configuration
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the configuration that holds in this folder: the defaults, your file and a trusted project's, merged
    Show {
        /// Print each value with the file that sets it
        #[arg(long)]
        origin: bool,
        /// Print only this key and what is below it, such as `limits`
        key: Option<String>,
    },
    /// Print one value of the configuration that holds in this folder
    Get {
        /// The key, such as `limits.maxTurns`; a name that has a dot in it goes in double quotes
        key: String,
    },
    /// Set a value in your configuration; comments stay
    Set {
        /// The key, such as `limits.maxTurns`; a name that has a dot in it goes in double quotes
        key: String,
        /// JSON, or a plain string
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Remove a value from your configuration, so that its default holds
    Unset {
        /// The key, such as `limits.maxTurns`
        key: String,
    },
    /// Edit your configuration in your editor (`VISUAL` or `EDITOR`); only a valid one takes its place
    Edit,
}

pub(crate) fn run(engine: &Engine, dir: &Path, command: ConfigCommand, output: &Printer) -> CommandExit {
    match command {
        ConfigCommand::Show { origin, key } => show(engine, dir, origin, key.as_deref(), output)?,
        ConfigCommand::Get { key } => get(engine, dir, &key, output)?,
        ConfigCommand::Set { key, value } => {
            engine.accounts().set_config(&key, &value)?;
            done(&key, &format!("Set {key}."), output);
            let models = engine.accounts().models().unwrap_or_default();
            if models.iter().any(|model| model.id == value && model.source == ModelFigures::Default) {
                output.aside(format!("Arki doesn't know {value}. `arki providers test` with --model tries it."));
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

fn done(key: &str, words: &str, output: &Printer) {
    match output.json {
        true => output.object(&ChangedSetting { key: key.to_owned() }),
        false => output.aside(words),
    }
}

/// One value: a text as it is, anything else as JSON.
fn get(engine: &Engine, dir: &Path, key: &str, output: &Printer) -> Result<(), Error> {
    let merged = engine.projects().shown_config(dir)?.merged;
    let value = engine.redactor().redact_json(below(&merged, key)?.clone());
    match (&value, output.json) {
        (_, true) => output.object(&SettingValue { key: key.to_owned(), value: value.clone() }),
        (Value::String(text), false) => output.line(visible(text)),
        (value, false) => output.line(visible(&format!("{value:#}"))),
    }
    Ok(())
}

/// The value at a key such as `limits.maxTurns`, `policy.rules[0]` or `providers."my.lab".kind`.
fn below<'a>(merged: &'a Value, key: &str) -> Result<&'a Value, Error> {
    let unknown = || {
        let hint = "`arki config show --origin` lists all keys that are set or have a default.";
        Error::new(Code::CONFIG_UNKNOWN_KEY, format!("The configuration has no value at {key:?}."), hint)
    };
    let mut value = merged;
    for part in parts(key) {
        let index = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).and_then(|index| index.parse().ok());
        let found = index.map_or_else(|| value.get(&part), |index: usize| value.get(index));
        value = found.ok_or_else(unknown)?;
    }
    Ok(value)
}

/// The names in a key; a number in brackets is a part of its own.
fn parts(key: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted) = (Vec::new(), String::new(), false);
    for letter in key.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => parts.push(std::mem::take(&mut part)),
            '[' if !is_quoted => {
                parts.push(std::mem::take(&mut part));
                part.push('[');
            }
            letter => part.push(letter),
        }
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty());
    parts
}

fn show(engine: &Engine, dir: &Path, origin: bool, key: Option<&str>, output: &Printer) -> Result<(), Error> {
    let mut shown = engine.projects().shown_config(dir)?;
    if let Some(key) = key {
        shown.merged = below(&shown.merged, key)?.clone();
        let wanted = parts(key);
        shown.values.retain(|value| parts(&value.key).starts_with(&wanted));
    }
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

/// Edits a copy, so that only a valid text replaces the file and nothing that was typed is lost.
fn edit(engine: &Engine, output: &Printer) -> Result<(), Error> {
    let accounts = engine.accounts();
    let edit = accounts.begin_config_edit()?;
    if let Some(set_aside) = &edit.set_aside {
        let path = visible(&set_aside.display().to_string());
        output.aside(format!("Your configuration has changed since you left an edit unsaved. Its text is in {path}."));
    }
    if let Err(fault) = editor::open(&edit.copy) {
        return Err(edit.abandon(fault));
    }
    let is_changed = edit.end()?;
    output.aside(if is_changed { "Saved your configuration." } else { "Nothing changed." });
    tell_unusable_model(engine, output);
    Ok(())
}

fn tell_unusable_model(engine: &Engine, output: &Printer) {
    if let Err(fault) = engine.accounts().ensure_model_usable() {
        output.aside(visible(&format!("{} {}", fault.message, fault.hint)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_key_is_followed_to_its_value() {
        let merged = json!({"a": {"b": [1, {"c": "x"}], "d.e": true}});
        assert_eq!(below(&merged, "a.b[1].c").unwrap(), "x");
        assert_eq!(below(&merged, "a.\"d.e\"").unwrap(), &json!(true));
        assert!(below(&merged, "a.x").unwrap_err().is(Code::CONFIG_UNKNOWN_KEY));
        assert!(below(&merged, "a.b[7]").unwrap_err().is(Code::CONFIG_UNKNOWN_KEY));
    }
}
