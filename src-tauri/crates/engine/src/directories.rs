//! The folders of Arki's own data.

use arki_disk::create_private_dir;
use arki_domain::{Code, Error, sha256_hex};
use std::path::PathBuf;

/// Enough of a hash to tell projects apart; some programs have trouble with long paths.
const CHECKS_NAME_CHARS: usize = 16;

/// The configuration's folder and the data's; both may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    pub config: PathBuf,
    /// Holds `arki.db` and the logs.
    pub data: PathBuf,
}

impl Directories {
    /// `ARKI_CONFIG_DIR` and `ARKI_DATA_DIR`, else the platform's places.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when there is neither a variable nor a home, or the home's path is relative: then nobody could
    /// tell what is secret in it.
    pub fn from_environment() -> Result<Self, Error> {
        if let Some(home) = std::env::home_dir().filter(|home| !home.is_absolute()) {
            let message = format!("The home folder {:?} is not an absolute path.", home.display().to_string());
            return Err(Error::new(Code::CONFIG_INVALID, message, "Set HOME to the full path of your home folder."));
        }
        Self::whatever_home()
    }

    /// As [`Self::from_environment`], also where the home's path is relative: to look, not to write.
    ///
    /// # Errors
    /// `CONFIG_INVALID` when there is neither a variable nor a home.
    pub fn whatever_home() -> Result<Self, Error> {
        let config = variable("ARKI_CONFIG_DIR").or_else(default_config).ok_or_else(no_home)?;
        let data = variable("ARKI_DATA_DIR").or_else(default_data).ok_or_else(no_home)?;
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        Ok(Self { config: absolute(config), data: absolute(data) })
    }

    /// # Errors
    /// `CONFIG_INVALID` where one of them is a file.
    pub(crate) fn ensure_are_folders(&self) -> Result<(), Error> {
        let both = [("configuration", &self.config, "ARKI_CONFIG_DIR"), ("data", &self.data, "ARKI_DATA_DIR")];
        both.into_iter().try_for_each(|(what, path, variable)| match path.metadata() {
            Ok(found) if !found.is_dir() => Err(Error::new(
                Code::CONFIG_INVALID,
                format!("The {what} folder {} is a file.", path.display()),
                format!("Set {variable} to a folder, or move the file away."),
            )),
            _ => Ok(()),
        })
    }

    /// These, and the platform's places where variables name others: what an Arki without them wrote is no less secret.
    pub(crate) fn own(&self) -> Vec<PathBuf> {
        let usual = default_config().into_iter().chain(default_data()).chain(pages_on_macos());
        [self.config.clone(), self.data.clone()].into_iter().chain(usual).collect()
    }

    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.json")
    }

    /// Returns the folder for files that commands left behind and that were removed.
    pub(crate) fn trash(&self) -> PathBuf {
        self.data.join("trash")
    }

    /// Returns the folder for the views of commands, while they run.
    pub(crate) fn views(&self) -> PathBuf {
        self.data.join("views")
    }

    /// Returns the folder for projects as commands would change them, which people try.
    pub(crate) fn changed_trees(&self) -> PathBuf {
        self.data.join("changed")
    }

    /// Returns the folder for notes about projects that were not announced yet.
    pub(crate) fn untold(&self) -> PathBuf {
        self.data.join("untold")
    }

    /// Returns the folder for the journals of projects in which commands run.
    pub(crate) fn journals(&self) -> PathBuf {
        self.data.join("journals")
    }

    /// Returns the folder for what the checkers of the project in `folder` build.
    pub(crate) fn checks(&self, folder: &str) -> PathBuf {
        self.data.join("checks").join(&sha256_hex(folder.as_bytes())[..CHECKS_NAME_CHARS])
    }

    /// Returns the folder for the search indexes of trusted folders.
    pub(crate) fn indexes(&self) -> PathBuf {
        self.data.join("retrieval")
    }

    /// Returns the folder for sub-agents' worktrees: beside the data and not in it, since commands work in them.
    pub(crate) fn trees(&self) -> PathBuf {
        let mut name = self.data.file_name().unwrap_or_default().to_owned();
        name.push("-worktrees");
        self.data.with_file_name(name)
    }

    /// Returns the folder for notes on sub-agents' worktrees, and for the files that these began with.
    pub(crate) fn tree_notes(&self) -> PathBuf {
        self.data.join("worktrees")
    }

    /// Returns the folder for notes on the worktrees of sessions.
    pub(crate) fn session_tree_notes(&self) -> PathBuf {
        self.data.join("session-worktrees")
    }

    /// Names of exports that are being written.
    pub(crate) fn unfinished_exports(&self) -> PathBuf {
        self.data.join("exports")
    }

    /// The folder with the desktop app's diagnostics.
    pub(crate) fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// Makes the folder for the desktop app's diagnostics, for the user alone; `None` where it can't be made.
    #[must_use]
    pub fn make_logs(&self) -> Option<PathBuf> {
        let logs = self.logs();
        create_private_dir(&logs).ok()?;
        Some(logs)
    }

    /// Makes the folder for what the window's pages store, for the user alone, and returns it.
    #[must_use]
    pub fn make_pages(&self) -> PathBuf {
        let pages = self.data.join("pages");
        if let Err(error) = create_private_dir(&pages) {
            tracing::warn!(%error, "what the pages store has no folder");
        }
        pages
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.data.join("arki.db")
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn default_config() -> Option<PathBuf> {
    if cfg!(windows) {
        let roaming = || Some(std::env::home_dir()?.join("AppData").join("Roaming"));
        return Some(variable("APPDATA").or_else(roaming)?.join("arki"));
    }
    Some(std::env::home_dir()?.join(".config").join("arki"))
}

fn default_data() -> Option<PathBuf> {
    if cfg!(windows) {
        let local = || Some(std::env::home_dir()?.join("AppData").join("Local"));
        return Some(variable("LOCALAPPDATA").or_else(local)?.join("arki"));
    }
    if cfg!(target_os = "macos") {
        return Some(std::env::home_dir()?.join("Library").join("Application Support").join("arki"));
    }
    let share = || Some(std::env::home_dir()?.join(".local").join("share"));
    Some(variable("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(share)?.join("arki"))
}

/// WebKit chooses the place there.
fn pages_on_macos() -> Option<PathBuf> {
    let home = std::env::home_dir().filter(|_| cfg!(target_os = "macos"))?;
    Some(home.join("Library").join("WebKit").join("org.arki.desktop"))
}

fn no_home() -> Error {
    let message = "There is no home folder to keep the configuration and the data in.";
    Error::new(Code::CONFIG_INVALID, message, "Set ARKI_CONFIG_DIR and ARKI_DATA_DIR.")
}
