//! The user's own `config.json`: read, and edited so that comments and everything else stay.

use crate::accounts::Accounts;
use crate::accounts::config_edit::ConfigEdit;
use arki_config::{Config, ConfigFile, parse};
use arki_disk::change_private_file;
use arki_domain::{Code, Error, io_words};
use jsonc_parser::cst::CstRootNode;
use serde_json::Value;

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
