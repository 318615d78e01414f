//! The user's own `config.json`: read, and edited so that comments and everything else stay.
//!
//! As a whole it is edited in a copy: only a valid text takes the file's place, nothing that was typed is lost, and nothing
//! that was changed meanwhile is overwritten.

use crate::Accounts;
use arki_config::{Config, ConfigFile, parse};
use arki_disk::{change_private_file, remove_private_file, write_private_file};
use arki_domain::{Code, Error, io_words};
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use std::path::{Path, PathBuf};

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Accounts {
    /// The user's configuration alone.
    ///
    /// # Errors
    /// `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY`.
    pub fn user_config(&self) -> Result<Config, Error> {
        let path = self.directories.config_file();
        Config::merge(arki_config::ReadConfig::of(&self.user_file()?, &path), None)
    }

    /// The same as a file; its redaction rules apply from then on.
    pub(crate) fn user_file(&self) -> Result<ConfigFile, Error> {
        let file = arki_config::parse(&self.user_config_text()?, &self.directories.config_file())?;
        self.redactor.set_rules(file.policy.redaction_rules.clone());
        Ok(file)
    }

    /// Returns the values in the user's file, as they are written there.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(crate) fn user_values(&self) -> Result<Value, Error> {
        let text = self.user_config_text()?;
        jsonc_parser::parse_to_serde_value(text.trim_start_matches(BYTE_ORDER_MARK), &Default::default())
            .map_err(|error| arki_config::invalid(&self.directories.config_file(), &error.to_string()))
    }

    /// The file's text, without what counts as unset.
    pub(crate) fn user_config_text(&self) -> Result<String, Error> {
        Ok(arki_config::without_first_exec(&self.written_user_config()?).into_owned())
    }

    pub(crate) fn written_user_config(&self) -> Result<String, Error> {
        let path = self.directories.config_file();
        if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let message = format!("{} is not a readable file.", path.display());
            return Err(Error::new(Code::CONFIG_INVALID, message, "Replace it with a regular file, or remove it."));
        }
        match std::fs::read(&path) {
            Ok(bytes) => arki_config::text_of(&bytes, &path).map(str::to_owned),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(Error::new(
                Code::CONFIG_INVALID,
                format!("{} can't be read: {}.", path.display(), io_words(error.kind())),
                "Check the file's permissions.",
            )),
        }
    }

    /// Begins to edit the file as a whole, in a copy.
    ///
    /// # Errors
    /// When the file can't be read or the copy not be written.
    pub fn begin_config_edit(&self) -> Result<ConfigEdit, Error> {
        ConfigEdit::begin(self.directories.config_file(), &self.written_user_config()?)
    }

    /// Changes the file as it is at that moment; comments and everything else stay.
    ///
    /// # Errors
    /// Those of `edit`, and `CONFIG_INVALID` where what it leaves is none; then the file is as it was.
    pub(crate) fn edit_config(&self, edit: impl FnOnce(&CstRootNode) -> Result<(), Error>) -> Result<(), Error> {
        self.edit_config_checked(edit, |_| Ok(()))
    }

    /// The same, with a check of the text that the edit leaves.
    pub(crate) fn edit_config_checked(
        &self,
        edit: impl FnOnce(&CstRootNode) -> Result<(), Error>,
        check: impl FnOnce(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let path = self.directories.config_file();
        self.user_config_text()?;
        change_private_file(&path, |bytes| {
            let edited = self.edited_config(arki_config::text_of(bytes.unwrap_or_default(), &path)?, edit)?;
            check(&edited)?;
            Ok(edited.into_bytes())
        })
    }

    /// The text that an edit of `text` leaves, which is valid; nothing is written.
    pub(crate) fn edited_config(
        &self,
        text: &str,
        edit: impl FnOnce(&CstRootNode) -> Result<(), Error>,
    ) -> Result<String, Error> {
        let path = self.directories.config_file();
        let (mark, plain) = text.split_at(text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len());
        let root = CstRootNode::parse(plain, &jsonc_parser::ParseOptions::default())
            .map_err(|error| arki_config::invalid(&path, &error.to_string()))?;
        edit(&root)?;
        let edited = format!("{mark}{root}");
        let merged =
            parse(&edited, &path).and_then(|file| Config::merge(arki_config::ReadConfig::of(&file, &path), None));
        let was_valid = || parse(text, &path).is_ok();
        match merged {
            Err(fault) if was_valid() => {
                Err(Error { hint: "Give another value; the file is unchanged.".to_owned(), ..fault })
            }
            merged => merged.map(|_| edited),
        }
    }
}

/// A copy of the configuration that is being edited.
pub struct ConfigEdit {
    /// The file to edit.
    pub copy: PathBuf,
    /// The text of an earlier edit that was never saved. The configuration has changed since, so it's kept apart.
    pub set_aside: Option<PathBuf>,
    base: PathBuf,
    file: PathBuf,
}

impl ConfigEdit {
    /// Begins with `text`, which the configuration `file` has. An earlier text that could not be saved is edited on, if nothing has
    /// changed the configuration since.
    ///
    /// # Errors
    /// When the copy can't be written.
    pub(crate) fn begin(file: PathBuf, text: &str) -> Result<Self, Error> {
        let beside = |name: &str| file.with_file_name(name);
        let (copy, base) = (beside("config.edited.json"), beside("config.edited.base.json"));
        let mut set_aside = None;
        let begun_from = read(&base).ok();
        if begun_from.is_some() && begun_from == read(&copy).ok() {
            // Nothing was typed into it.
            remove_private_file(&copy)?;
        }
        if copy.exists() && begun_from.as_deref() != Some(text.as_bytes()) {
            let free = (1..).map(|number| beside(&format!("config.edited-{number}.json"))).find(|path| !path.exists());
            if let Some(free) = free {
                write_private_file(&free, &read(&copy)?)?;
                remove_private_file(&copy)?;
                set_aside = Some(free);
            }
        }
        if !copy.exists() {
            write_private_file(&base, text.as_bytes())?;
            write_private_file(&copy, text.as_bytes())?;
        }
        Ok(Self { copy, set_aside, base, file })
    }

    /// Puts the edited copy in the file's place. Returns whether that changes anything.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `CONFIG_UNKNOWN_KEY`, or `CONFIG_CHANGED` where something else has changed the configuration
    /// meanwhile. The file is then as it was, and the copy is kept.
    pub fn end(&self) -> Result<bool, Error> {
        let path = &self.file;
        let kept = |hint: &str| format!("Your text is kept in {}; {hint}", self.copy.display());
        let edit_on = |fault: Error| Error { hint: kept("`arki config edit` opens it again."), ..fault };
        let (bytes, base) = (read(&self.copy)?, read(&self.base)?);
        let is_changed = bytes != base;
        if is_changed {
            change_private_file(path, |found| {
                if found.unwrap_or_default() != base {
                    let message = "Your configuration was changed while you edited it.";
                    let hint = kept("run `arki config edit` again and copy over what you need.");
                    return Err(Error::new(Code::CONFIG_CHANGED, message, hint));
                }
                let text = arki_config::text_of(&bytes, path).map_err(edit_on)?;
                let file = arki_config::parse(text, path).map_err(edit_on)?;
                arki_config::Config::merge(arki_config::ReadConfig::of(&file, path), None).map_err(edit_on)?;
                Ok(bytes.clone())
            })?;
        }
        self.remove()?;
        Ok(is_changed)
    }

    /// Ends an edit whose editor failed with `fault`; a text that it changed is kept.
    #[must_use]
    pub fn abandon(&self, fault: Error) -> Error {
        let is_untouched = matches!((read(&self.copy), read(&self.base)), (Ok(copy), Ok(base)) if copy == base);
        if !is_untouched {
            let hint = format!("{} Your text is kept in {}.", fault.hint, self.copy.display());
            return Error { hint, ..fault };
        }
        match self.remove() {
            Ok(()) => fault,
            Err(failed) => failed,
        }
    }

    fn remove(&self) -> Result<(), Error> {
        remove_private_file(&self.copy)?;
        Ok(remove_private_file(&self.base)?)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        let message = format!("{} can't be read: {}.", path.display(), io_words(error.kind()));
        Error::new(Code::IO_FAILED, message, "Check the folder's permissions.")
    })
}

/// Sets a key of the file, wherever it stands.
pub(crate) fn set(object: &CstObject, key: &str, value: impl Into<CstInputValue>) {
    match object.get(key) {
        Some(property) => property.set_value(value.into()),
        None => drop(object.append(key, value.into())),
    }
}

pub(crate) fn input(value: &Value) -> CstInputValue {
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
