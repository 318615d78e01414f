//! The agents of a folder as people see them, each with the files that say something of it; and agents in files of their
//! own.
//!
//! Those are the folder's, as far as it is trusted and they are as they were agreed to; then the user's. They are put
//! beneath the user's configuration, key by key, before a project's is merged over it, so that every restriction holds for
//! them too.

use crate::projects::config_in_force::ProjectConfig;
use crate::projects::guides::{files_of, text_of};
use crate::{OpenProject, Projects};
use arki_api::AgentEntries;
use arki_config::{Config, ConfigFile, PROJECT_CONFIG, add_agent_files};
use arki_context::{AgentFile, FileWarning};
use arki_domain::Error;
use arki_files::{PinKind, Project};
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
    let named =
        |(path, agent): &(String, Result<AgentFile, String>)| Some((agent.as_ref().ok()?.name.clone(), path.clone()));
    let named_by = NamedBy {
        project: open.as_ref().map(of_project).transpose()?.unwrap_or_default(),
        user: file.agents.keys().cloned().collect(),
        user_file: path.display().to_string(),
        files: found.iter().filter_map(named).collect(),
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

/// The project's folders of agents, in the order of their precedence.
const PROJECT_AGENTS: [&str; 2] = [".arki/agents", ".claude/agents"];
/// The folder of the user's agents in the configuration folder.
const OWN_AGENTS: &str = "agents";

/// The agents' files by path, for people.
pub(super) type FoundAgents = Vec<(String, Result<AgentFile, String>)>;

/// Adds them to the user's configuration.
pub(super) fn add_found_agents(projects: &Projects, open: &OpenProject, file: &mut ConfigFile) -> Vec<FileWarning> {
    add_agent_files(file, agent_files(projects, Some(open)))
}

/// Returns the warnings about agents' files; none if the user's own configuration has an error.
pub(super) fn agent_warnings(projects: &Projects, open: &OpenProject) -> Vec<FileWarning> {
    projects.accounts.user_file().map(|mut file| add_found_agents(projects, open, &mut file)).unwrap_or_default()
}

/// `None`: the user's alone.
pub(super) fn agent_files(projects: &Projects, open: Option<&OpenProject>) -> FoundAgents {
    let mut found = FoundAgents::new();
    for (open, folder) in open.into_iter().flat_map(|open| PROJECT_AGENTS.map(|folder| (open, folder))) {
        let of_folder = |path: &&str| path.strip_prefix(folder).is_some_and(|inside| inside.starts_with('/'));
        let paths = open.pinned(PinKind::Agent).map(|pin| pin.path.as_str());
        for path in paths.filter(of_folder) {
            take(&mut found, path, path.to_owned(), || open.agreed_text(PinKind::Agent, path));
        }
    }
    let own = projects.records.directories().config.join(OWN_AGENTS);
    if let Ok(folder) = Project::open(&own) {
        for inside in files_of(&folder) {
            let path = own.join(&inside).display().to_string();
            take(&mut found, &inside, path, || text_of(&folder, &inside));
        }
    }
    found
}

fn take(found: &mut FoundAgents, file: &str, path: String, text: impl FnOnce() -> Option<String>) {
    let Some(name) = file.strip_suffix(".md").map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file)) else {
        return;
    };
    if let Some(text) = text() {
        found.push((path, AgentFile::read(name, &text)));
    }
}
