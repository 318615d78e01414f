//! The agents of a folder as people see them, each with the files that say something of it.

use crate::projects::Projects;
use crate::projects::agent_files::agent_files;
use crate::projects::config_in_force::ProjectConfig;
use crate::projects::open::OpenProject;
use arki_api::AgentEntries;
use arki_config::PROJECT_CONFIG;
use arki_config::{Config, add_agent_files};
use arki_context::FileWarning;
use arki_domain::Error;
use std::collections::BTreeSet;
use std::path::Path;

/// The agents of the user and of a folder, or of the user alone where there is none, by name.
///
/// # Errors
/// When the folder or the configuration can't be used.
pub fn list_agents(projects: &Projects, folder: Option<&Path>) -> Result<AgentEntries, Error> {
    let open = folder.map(|folder| projects.load_project(folder)).transpose()?;
    let path = projects.records.directories().config_file();
    let mut file = projects.accounts.user_file()?;
    let found = agent_files(projects, open.as_ref());
    let named_by = NamedBy {
        project: open.as_ref().map(of_project).transpose()?.unwrap_or_default(),
        user: file.agents.keys().cloned().collect(),
        user_file: path.display().to_string(),
        files: found
            .iter()
            .filter_map(|(path, agent)| Some((agent.as_ref().ok()?.name.clone(), path.clone())))
            .collect(),
    };
    let warnings = add_agent_files(&mut file, found);
    let config = match &open {
        Some(open) => projects.config_of(open)?,
        None => Config::merge(arki_config::ReadConfig::of(&file, &path), None)?,
    };
    let mut agents = config.configured_agents();
    agents.iter_mut().for_each(|agent| agent.origins = named_by.origins(&agent.name));
    let sentence = |FileWarning { path, message }| format!("{path}: {message}.");
    Ok(AgentEntries { agents, warnings: warnings.into_iter().map(sentence).collect() })
}

/// The names of the agents that each source has.
struct NamedBy {
    project: BTreeSet<String>,
    user: BTreeSet<String>,
    user_file: String,
    /// The agents that have a file, each with its file.
    files: Vec<(String, String)>,
}

impl NamedBy {
    /// Returns where an agent is configured; of several files for one agent only the first counts.
    fn origins(&self, agent: &str) -> Vec<String> {
        let project = self.project.contains(agent).then_some(PROJECT_CONFIG);
        let user = self.user.contains(agent).then_some(self.user_file.as_str());
        let file = self.files.iter().find(|(name, _)| name == agent).map(|(_, path)| path.as_str());
        [project, user, file].into_iter().flatten().map(str::to_owned).collect()
    }
}

fn of_project(open: &OpenProject) -> Result<BTreeSet<String>, Error> {
    let project = ProjectConfig::of(open);
    let Some((_, file)) = project.text_and_file()? else { return Ok(BTreeSet::new()) };
    let Some(text) = project.agreed_text() else { return Ok(BTreeSet::new()) };
    Ok(arki_config::parse(text, file)?.agents.into_keys().collect())
}
