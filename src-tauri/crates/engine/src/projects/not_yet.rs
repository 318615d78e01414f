//! Settings that this version does not support: said wherever somebody might rely on one.

use crate::config;
use crate::projects::Projects;
use crate::projects::config_in_force::{PROJECT_CONFIG, ProjectConfig};
use crate::projects::open::{OpenProject, OpenedFolder};
use arki_domain::Fault;
use std::path::Path;

impl Projects {
    /// In plain words, what the configurations in force for a folder ask for in vain; `None` where there is nothing.
    #[must_use]
    pub fn not_done_yet(&self, folder: &OpenedFolder) -> Option<String> {
        let mut files = self.files_with_own_hooks();
        if has_hooks(&folder.0) {
            files.push(PROJECT_CONFIG.to_owned());
        }
        told(&files)
    }

    /// The same of the user's own configuration alone.
    pub(crate) fn not_done_yet_of_user(&self) -> Option<String> {
        told(&self.files_with_own_hooks())
    }

    /// Why the configuration of a folder can't be used, if so: nothing works there but to mend it.
    #[must_use]
    pub fn configuration_fault(&self, folder: &Path) -> Option<Fault> {
        self.config_of(&self.load_project(folder).ok()?).err()
    }

    fn files_with_own_hooks(&self) -> Vec<String> {
        let has_hooks = self.accounts.user_file().is_ok_and(|file| !file.hooks.is_empty());
        if has_hooks { vec![self.records.directories().config_file().display().to_string()] } else { Vec::new() }
    }
}

fn has_hooks(open: &OpenProject) -> bool {
    let config = ProjectConfig::of(open);
    let file = config.agreed_text().and_then(|text| config::parse(text, Path::new(PROJECT_CONFIG)).ok());
    file.is_some_and(|file| !file.hooks.is_empty())
}

fn told(files: &[String]) -> Option<String> {
    let files = files.join(" and in ");
    (!files.is_empty())
        .then(|| format!("This version runs no hooks: \"hooks\" in {files} does nothing, and guards against nothing."))
}
