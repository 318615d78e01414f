//! Editing the user's `config.json` as a whole, in a copy: only a valid text takes the file's place, nothing that was typed
//! is lost, and nothing that was changed meanwhile is overwritten.

use crate::accounts::Accounts;
use arki_disk::{change_private_file, remove_private_file, write_private_file};
use arki_domain::{Code, Fault, io_words};
use std::path::{Path, PathBuf};

/// A copy of the configuration that is being edited.
pub struct ConfigEdit {
    /// The file to edit.
    pub copy: PathBuf,
    /// The text of an earlier edit that was never saved. The configuration has changed since, so it's kept apart.
    pub set_aside: Option<PathBuf>,
    base: PathBuf,
}

impl Accounts {
    /// Begins with the configuration as it is. An earlier text that could not be saved is edited on, if nothing has
    /// changed the configuration since.
    ///
    /// # Errors
    /// When the file can't be read or the copy not be written.
    pub fn begin_config_edit(&self) -> Result<ConfigEdit, Fault> {
        let text = self.user_config_text()?;
        let beside = |name: &str| self.directories.config_file().with_file_name(name);
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
        Ok(ConfigEdit { copy, set_aside, base })
    }

    /// Puts the edited copy in the file's place. Returns whether that changes anything.
    ///
    /// # Errors
    /// `CONFIG_INVALID`, `CONFIG_UNKNOWN_KEY`, or `CONFIG_CHANGED` where something else has changed the configuration
    /// meanwhile. The file is then as it was, and the copy is kept.
    pub fn end_config_edit(&self, edit: &ConfigEdit) -> Result<bool, Fault> {
        let path = self.directories.config_file();
        let kept = |hint: &str| format!("Your text is kept in {}; {hint}", edit.copy.display());
        let edit_on = |fault: Fault| Fault { hint: kept("`arki config edit` opens it again."), ..fault };
        let (bytes, base) = (read(&edit.copy)?, read(&edit.base)?);
        let is_changed = bytes != base;
        if is_changed {
            change_private_file(&path, |found| {
                if found.unwrap_or_default() != base {
                    let message = "Your configuration was changed while you edited it.";
                    let hint = kept("run `arki config edit` again and copy over what you need.");
                    return Err(Fault::new(Code::CONFIG_CHANGED, message, hint));
                }
                let text = crate::config::text_of(&bytes, &path).map_err(edit_on)?;
                let file = crate::config::parse(text, &path).map_err(edit_on)?;
                crate::config::Config::merge((&file, &path), None).map_err(edit_on)?;
                Ok(bytes.clone())
            })?;
        }
        remove(edit)?;
        Ok(is_changed)
    }

    /// Ends an edit whose editor failed with `fault`; a text that it changed is kept.
    #[must_use]
    pub fn abandon_config_edit(&self, edit: &ConfigEdit, fault: Fault) -> Fault {
        let is_untouched = matches!((read(&edit.copy), read(&edit.base)), (Ok(copy), Ok(base)) if copy == base);
        if !is_untouched {
            let hint = format!("{} Your text is kept in {}.", fault.hint, edit.copy.display());
            return Fault { hint, ..fault };
        }
        match remove(edit) {
            Ok(()) => fault,
            Err(failed) => failed,
        }
    }
}

fn remove(edit: &ConfigEdit) -> Result<(), Fault> {
    remove_private_file(&edit.copy)?;
    Ok(remove_private_file(&edit.base)?)
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(path).map_err(|error| {
        let message = format!("{} can't be read: {}.", path.display(), io_words(error.kind()));
        Fault::new(Code::IO_FAILED, message, "Check the folder's permissions.")
    })
}
