//! Editing the user's `config.json` as a whole, in a copy: only a valid text takes the file's place, nothing that was typed
//! is lost, and nothing that was changed meanwhile is overwritten.

use arki_disk::{change_private_file, remove_private_file, write_private_file};
use arki_domain::{Code, Error, io_words};
use std::path::{Path, PathBuf};

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
