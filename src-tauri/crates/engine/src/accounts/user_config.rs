//! The user's own `config.json`: read, and edited so that comments and everything else stay.

use crate::accounts::Accounts;
use crate::config::{self, Config, ConfigFile, parse};
use arki_disk::write_private_file;
use arki_domain::{Code, Fault, io_words};
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;
use std::sync::PoisonError;

impl Accounts {
    /// The user's configuration alone.
    ///
    /// # Errors
    /// `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY`.
    pub fn user_config(&self) -> Result<Config, Fault> {
        let path = self.directories.config_file();
        Config::merge((&self.user_file()?, &path), None)
    }

    pub(crate) fn user_file(&self) -> Result<ConfigFile, Fault> {
        config::parse(&self.user_config_text()?, &self.directories.config_file())
    }

    /// What the user's file says, as it stands there.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(crate) fn user_values(&self) -> Result<Value, Fault> {
        let text = self.user_config_text()?;
        jsonc_parser::parse_to_serde_value(text.trim_start_matches('\u{feff}'), &Default::default())
            .map_err(|error| crate::config::invalid(&self.directories.config_file(), &error.to_string()))
    }

    pub(crate) fn user_config_text(&self) -> Result<String, Fault> {
        let path = self.directories.config_file();
        if std::fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let message = format!("{} is not a readable file.", path.display());
            return Err(Fault::new(Code::CONFIG_INVALID, message, "Replace it with a regular file, or remove it."));
        }
        match std::fs::read(&path) {
            Ok(bytes) => config::text_of(&bytes, &path).map(str::to_owned),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            Err(error) => Err(Fault::new(
                Code::CONFIG_INVALID,
                format!("{} can't be read: {}.", path.display(), io_words(error.kind())),
                "Check the file's permissions.",
            )),
        }
    }

    pub(crate) fn edit_config(&self, edit: impl FnOnce(&CstRootNode)) -> Result<(), Fault> {
        let _editing = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
        let edited = self.edited_config(edit)?;
        Ok(write_private_file(&self.directories.config_file(), edited.as_bytes())?)
    }

    /// The text that an edit would leave, which is valid; nothing is written.
    pub(crate) fn edited_config(&self, edit: impl FnOnce(&CstRootNode)) -> Result<String, Fault> {
        let path = self.directories.config_file();
        let text = self.user_config_text()?;
        let root = CstRootNode::parse(&text, &jsonc_parser::ParseOptions::default())
            .map_err(|error| crate::config::invalid(&path, &error.to_string()))?;
        edit(&root);
        let edited = root.to_string();
        let merged = parse(&edited, &path).and_then(|file| Config::merge((&file, &path), None));
        let was_valid = || parse(&text, &path).is_ok();
        match merged {
            Err(fault) if was_valid() => {
                Err(Fault { hint: "Give another value; the file is as it was.".to_owned(), ..fault })
            }
            merged => merged.map(|_| edited),
        }
    }
}
