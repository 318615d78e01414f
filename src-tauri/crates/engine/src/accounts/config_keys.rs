//! Changing one value of the user's `config.json` by its key; comments and everything else stay.

use crate::accounts::Accounts;
use arki_domain::{Code, Fault};
use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::Value;

/// No key of the configuration lies deeper.
const MAX_DEPTH: usize = 8;

impl Accounts {
    /// Sets `key`, such as `limits.maxTurns`, to `text`: JSON, or else a string as it stands. A name with a dot in it
    /// stands in double quotes.
    ///
    /// # Errors
    /// `USAGE` for a key that is none, `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY` for what may not stand there; then the
    /// file is as it was.
    pub fn set_config(&self, key: &str, text: &str) -> Result<(), Fault> {
        let path = key_path(key)?;
        let value: Value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
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
        let missing = || {
            let message = format!("Your configuration doesn't set {key}.");
            Fault::new(Code::CONFIG_UNKNOWN_KEY, message, "`arki config show --origin` lists what each file sets.")
        };
        was_there.then_some(()).ok_or_else(missing)
    }

    fn put_config(&self, path: &[String], value: &Value) -> Result<(), Fault> {
        let Some((name, folders)) = path.split_last() else { return Ok(()) };
        self.edit_config(|root| {
            let folder = |object: CstObject, name: &String| object.object_value_or_set(name);
            let object = folders.iter().fold(root.object_value_or_set(), folder);
            match object.get(name) {
                Some(property) => property.set_value(input(value)),
                None => drop(object.append(name, input(value))),
            }
        })
    }
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
