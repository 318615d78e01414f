//! Changing one value of the user's `config.json` by its key; comments and everything else stay.

use crate::accounts::Accounts;
use crate::config::{self, Config, ConfigFile};
use arki_disk::write_private_file;
use arki_domain::{Code, Fault};
use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::Value;
use std::collections::BTreeSet;

/// No key of the configuration lies deeper.
const MAX_DEPTH: usize = 8;

impl Accounts {
    /// Sets `key`, such as `limits.maxTurns`, to `text`: JSON, or else a string as it stands. A name with a dot in it
    /// stands in double quotes.
    ///
    /// # Errors
    /// `USAGE` for a key that is none, `CONFIG_UNKNOWN_KEY` for one that there isn't, `CONFIG_INVALID` for what may not
    /// stand there, such as a model that no run could begin with; then the file is as it was.
    pub fn set_config(&self, key: &str, text: &str) -> Result<(), Fault> {
        let path = key_path(key)?;
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        config::ensure_known(&path, &value)?;
        match self.put_config(&path, &value) {
            // "5" where a string is wanted, such as a model's name that is a number.
            Err(_) if !value.is_string() => match self.put_config(&path, &Value::String(text.to_owned())) {
                Ok(()) => Ok(()),
                Err(_) => self.put_config(&path, &value),
            },
            put => put,
        }
    }

    /// Removes `key` from the file, so that its default holds.
    ///
    /// # Errors
    /// As of [`Self::set_config`], and `CONFIG_UNKNOWN_KEY` where the file doesn't have the key.
    pub fn unset_config(&self, key: &str) -> Result<(), Fault> {
        let path = key_path(key)?;
        let mut was_there = false;
        self.edit_config(|root| {
            let (name, folders) = path.split_last().map_or(("", [].as_slice()), |(name, rest)| (name.as_str(), rest));
            let parent = folders.iter().try_fold(root.object_value_or_set(), |object, name| object.object_value(name));
            if let Some(property) = parent.and_then(|parent| parent.get(name)) {
                was_there = true;
                property.remove();
            }
        })?;
        if was_there {
            return Ok(());
        }
        config::ensure_known(&path, &Value::Null)?;
        let message = format!("Your configuration doesn't set {key}.");
        Err(Fault::new(Code::CONFIG_UNKNOWN_KEY, message, "`arki config show --origin` lists what each file sets."))
    }

    fn put_config(&self, path: &[String], value: &Value) -> Result<(), Fault> {
        let Some((name, folders)) = path.split_last() else { return Ok(()) };
        let edited = self.edited_config(|root| {
            let folder = |object: CstObject, name: &String| object.object_value_or_set(name);
            let object = folders.iter().fold(root.object_value_or_set(), folder);
            match object.get(name) {
                Some(property) => property.set_value(input(value)),
                None => drop(object.append(name, input(value))),
            }
        })?;
        self.ensure_models_known(&edited)?;
        Ok(write_private_file(&self.directories.config_file(), edited.as_bytes())?)
    }

    /// Checks the models that an edited text names and the file doesn't: those that were there before are no fault of
    /// the edit. A provider may know more models than Arki does.
    fn ensure_models_known(&self, edited: &str) -> Result<(), Fault> {
        let path = self.directories.config_file();
        let file = config::parse(edited, &path)?;
        let providers = self.providers(&Config::merge((&file, &path), None)?);
        let before = self.user_file().map(|file| named_models(&file)).unwrap_or_default();
        named_models(&file).difference(&before).try_for_each(|(key, model)| match providers.model(model) {
            Ok(_) => Ok(()),
            Err(Fault { message, hint, .. }) => {
                Err(Fault::new(Code::CONFIG_INVALID, format!("\"{key}\": {message}"), hint))
            }
        })
    }
}

/// The models that a file names, each with its key.
fn named_models(file: &ConfigFile) -> BTreeSet<(String, String)> {
    let agents = file.agents.iter().map(|(name, agent)| (format!("agents.{name}.model"), &agent.model));
    let all = agents.chain([("compaction.model".to_owned(), &file.compaction.model)]);
    all.filter_map(|(key, model)| Some((key, model.clone()?))).collect()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// The names of a key, from the outermost.
pub(crate) fn key_path(key: &str) -> Result<Vec<String>, Fault> {
    let refused = || {
        let hint = "Join the names with dots, such as `limits.maxTurns`; quote a name that has a dot in it.";
        Fault::new(Code::USAGE, format!("\"{key}\" is not a key."), hint)
    };
    let (mut names, mut rest) = (Vec::new(), key.trim());
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (name, after) = quoted.split_once('"').ok_or_else(refused)?;
                (name, after)
            }
            None => rest.split_at(rest.find('.').unwrap_or(rest.len())),
        };
        if name.is_empty() || names.len() == MAX_DEPTH {
            return Err(refused());
        }
        names.push(name.to_owned());
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(names),
            None => return Err(refused()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_names_with_dots_between_them() {
        assert_eq!(key_path("limits.maxTurns").unwrap(), ["limits", "maxTurns"]);
        assert_eq!(key_path("providers.o.models.\"gpt-5.1\".price").unwrap()[3], "gpt-5.1");
        for wrong in ["", ".", "a.", ".a", "a..b", "\"a", "\"a\"b", "a.b.c.d.e.f.g.h.i"] {
            assert!(key_path(wrong).is_err_and(|fault| fault.is(Code::USAGE)), "{wrong}");
        }
    }
}
