//! Agents in files of their own: those of a folder, as far as it is trusted and they are as they were agreed to; then the
//! user's. They are put beneath the user's configuration, key by key, before a project's is merged over it, so that every
//! restriction holds for them too.

use crate::projects::Projects;
use crate::projects::guides::{files_of, text_of};
use crate::projects::open::OpenProject;
use arki_config::{ConfigFile, add_agent_files};
use arki_context::{AgentFile, FileWarning};
use arki_files::{PinKind, Project};

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
