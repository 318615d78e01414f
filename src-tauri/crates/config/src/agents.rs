//! The agents of a configuration. What one other than `arki` leaves open is as for `arki`, but for its system prompt.

mod built_in;
mod files;

pub use files::add_agent_files;

use super::config::{AGENT, Config, DEFAULT_CORE, DEFAULT_EFFORT, DEFAULT_MODEL};
use super::file::{AgentConfig, Agents, ConfigFile, ReasoningEffort};
use super::invalid::invalid;
use arki_api::ConfiguredAgent;
use arki_domain::{Code, Error, ModelOptions, ToolNames};
use arki_llm::{ModelInfo, ProviderSettings};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// The limit for configured agents; of the built-in ones only `arki` counts.
const MAX_AGENTS: usize = 32;
const MAX_NAME_CHARS: usize = 32;

/// An agent as it is shown, and told to models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEntry {
    pub name: String,
    /// When to use it: one line.
    pub description: Option<String>,
}

impl Config {
    /// All that there are, by name.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentEntry> {
        let entry = |(name, agent): (&String, &AgentConfig)| AgentEntry {
            name: name.clone(),
            description: agent.description.clone(),
        };
        self.agents.iter().map(entry).collect()
    }

    /// All that there are, by name, each as it would work. Their files are for others to say.
    pub fn configured_agents(&self) -> Vec<ConfiguredAgent> {
        let readers = self.reading_agents();
        let agents = self.agents.keys().filter_map(|name| Some((name, self.whole_agent(name)?)));
        let configured = agents.map(|(name, agent)| ConfiguredAgent {
            name: name.clone(),
            description: agent.description,
            model: agent.model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            core: agent.core.unwrap_or_else(|| DEFAULT_CORE.to_owned()),
            tools: agent.tools,
            read_only: readers.contains(name),
            isolated: agent.isolation.is_some(),
            built_in: name == AGENT || built_in::is_name(name),
            origins: Vec::new(),
        });
        configured.collect()
    }

    /// The same configuration with another agent at work: its model, core and options, system prompt and tools.
    ///
    /// # Errors
    /// `AGENT_UNKNOWN`, with the nearest name.
    pub fn for_agent(&self, name: &str) -> Result<Self, Error> {
        let mut config = self.clone();
        config.choose(name)?;
        Ok(config)
    }

    /// The effort that a model is asked to think with: `chosen` for the run, or as configured, or that of every model that
    /// is known to think.
    pub fn effort_of(&self, chosen: Option<&String>, model: &ModelInfo) -> Option<String> {
        let chosen = chosen.or(self.model_options.reasoning_effort.as_ref()).cloned();
        chosen.or_else(|| model.thinks().then(|| DEFAULT_EFFORT.to_owned()))
    }

    /// The model that an agent was given for itself; `arki` works with whatever a run is begun with.
    pub fn own_model_of(&self, agent: &str) -> Option<&str> {
        self.agents.get(agent).filter(|_| agent != AGENT)?.model.as_deref()
    }

    /// The names of the agents with which nothing is changed: they have only tools that read, or all that this run may
    /// do is read.
    pub fn reading_agents(&self) -> HashSet<String> {
        let everybody = self.policy.plan || self.policy.read_only;
        let only_reads = |agent: &AgentConfig| {
            agent.read_only == Some(true) || agent.tools.as_ref().is_some_and(ToolNames::only_read)
        };
        let is_reader = |name: &&String| everybody || self.whole_agent(name).is_some_and(|agent| only_reads(&agent));
        self.agents.keys().filter(is_reader).cloned().collect()
    }

    /// The names of the agents that work in a worktree of their own as sub-agents.
    pub fn isolated_agents(&self) -> HashSet<String> {
        let isolated = self.agents.iter().filter(|(_, agent)| agent.isolation.is_some());
        isolated.map(|(name, _)| name.clone()).collect()
    }

    pub(crate) fn choose(&mut self, name: &str) -> Result<(), Error> {
        let agent = self.whole_agent(name).ok_or_else(|| self.unknown_agent(name))?;
        self.model = agent.model.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        self.core = agent.core.unwrap_or_else(|| DEFAULT_CORE.to_owned());
        self.model_options = ModelOptions {
            flex: agent.flex.unwrap_or_default(),
            max_completion_tokens: agent.max_completion_tokens,
            reasoning_effort: agent.reasoning_effort.map(|effort| effort.word().to_owned()),
            output_schema: None,
        };
        self.system_prompt = agent.system_prompt;
        self.policy.tools = agent.tools;
        self.policy.read_only = agent.read_only.unwrap_or_default();
        Ok(())
    }

    /// The agent with what is as for `arki`.
    fn whole_agent(&self, name: &str) -> Option<AgentConfig> {
        let agent = self.agents.get(name).cloned()?;
        Some(match self.agents.get(AGENT) {
            Some(base) => built_in::with_tools(name, agent, base.tools.as_ref()).completed_by(base),
            None => agent,
        })
    }

    fn unknown_agent(&self, name: &str) -> Error {
        let nearest = self.agents.keys().min_by_key(|known| strsim::damerau_levenshtein(known, name));
        let hint = nearest.map_or_else(String::new, |nearest| format!("The nearest is \"{nearest}\"."));
        Error::new(Code::AGENT_UNKNOWN, format!("There is no agent {name:?} in the configuration."), hint)
    }
}

impl AgentConfig {
    /// Completes the settings with those of `base`. A system prompt and a description are never inherited.
    fn completed_by(self, base: &Self) -> Self {
        Self {
            model: self.model.or_else(|| base.model.clone()),
            core: self.core.or_else(|| base.core.clone()),
            flex: self.flex.or(base.flex),
            reasoning_effort: self.reasoning_effort.or(base.reasoning_effort),
            max_completion_tokens: self.max_completion_tokens.or(base.max_completion_tokens),
            tools: self.tools.or_else(|| base.tools.clone()),
            read_only: self.read_only.or(base.read_only),
            ..self
        }
    }
}

/// Returns the defaults of an agent whose entry sets nothing, in the form of such an entry: those of `arki`, or those
/// of the built-in agent. `arki` is the entry of that agent.
pub fn agent_defaults(name: &str, arki: &Value) -> Value {
    let arki = serde_json::from_value::<AgentConfig>(arki.clone()).unwrap_or_default();
    let mut built_in = Agents::new();
    built_in::add(&mut built_in);
    let agent = built_in.remove(name).unwrap_or_default();
    let agent = built_in::with_tools(name, agent, arki.tools.as_ref()).completed_by(&arki);
    json!({
        "model": agent.model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
        "core": agent.core.unwrap_or_else(|| DEFAULT_CORE.to_owned()),
        "flex": agent.flex.unwrap_or_default(),
        "reasoningEffort": agent.reasoning_effort.map_or(DEFAULT_EFFORT, ReasoningEffort::word),
        "maxCompletionTokens": agent.max_completion_tokens,
        "systemPrompt": agent.system_prompt,
        "description": agent.description,
        "tools": agent.tools,
        "readOnly": agent.read_only.unwrap_or_default(),
    })
}

/// # Errors
/// `CONFIG_INVALID` where there are too many.
pub(crate) fn of_user(file: &ConfigFile, path: &Path) -> Result<Agents, Error> {
    let mut agents = file.agents.clone();
    agents.entry(AGENT.to_owned()).or_default();
    built_in::add(&mut agents);
    ensure_few(&agents, path)?;
    Ok(agents)
}

/// A project may bring agents of its own and change the user's. It never widens what tools there are: those it lists
/// are the ones that the user's agent has too, or else the user's `arki`.
///
/// # Errors
/// `CONFIG_INVALID` where one names a provider that the user does not have, or there are too many.
pub(crate) fn add_projects(
    agents: &mut Agents,
    file: &ConfigFile,
    providers: &[ProviderSettings],
    path: &Path,
) -> Result<(), Error> {
    let allowed = agents.get(AGENT).and_then(|arki| arki.tools.clone());
    for (name, projects) in &file.agents {
        ensure_known_provider(name, projects, providers, path)?;
        let users = built_in::with_tools(name, agents.remove(name).unwrap_or_default(), allowed.as_ref());
        // It may say so, and not go back on it.
        let read_only = projects.read_only.filter(|read_only| *read_only).or(users.read_only);
        let tools = match (&projects.tools, users.tools.as_ref().or(allowed.as_ref())) {
            (Some(tools), Some(allowed)) => Some(tools.narrowed_to(allowed)),
            (Some(tools), None) => Some(tools.clone()),
            (None, _) => users.tools.clone(),
        };
        let merged = AgentConfig {
            tools,
            read_only,
            system_prompt: projects.system_prompt.clone().or_else(|| users.system_prompt.clone()),
            description: projects.description.clone().or_else(|| users.description.clone()),
            isolation: projects.isolation.or(users.isolation),
            ..projects.clone().completed_by(&users)
        };
        agents.insert(name.clone(), merged);
    }
    ensure_few(agents, path)
}

/// Narrows the agents to what `file` leaves them. It adds no agent.
pub(crate) fn narrow(agents: &mut Agents, file: &ConfigFile) {
    let arki = agents.get(AGENT).and_then(|arki| arki.tools.clone());
    for (name, agent) in agents {
        let Some(projects) = file.agents.get(name) else { continue };
        if let Some(left) = &projects.tools {
            *agent = built_in::with_tools(name, std::mem::take(agent), arki.as_ref());
            let own = agent.tools.as_ref().or(arki.as_ref());
            agent.tools = Some(own.map_or_else(|| left.clone(), |own| left.narrowed_to(own)));
        }
        agent.read_only = projects.read_only.filter(|read_only| *read_only).or(agent.read_only);
    }
}

/// Returns whether the text can name an agent: short, and nothing that a model or a terminal could take for something
/// else.
pub(crate) fn is_name(name: &str) -> bool {
    let is_first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= MAX_NAME_CHARS
        && name.starts_with(is_first)
        && name.chars().all(|c| is_first(c) || matches!(c, '_' | '-'))
}

fn ensure_few(agents: &Agents, path: &Path) -> Result<(), Error> {
    let is_counted = |(name, agent): &(&String, &AgentConfig)| !built_in::is_name(name) && !agent.is_from_file;
    if agents.iter().filter(is_counted).count() > MAX_AGENTS {
        return Err(invalid(path, &format!("with it there are more than {MAX_AGENTS} agents")));
    }
    Ok(())
}

fn ensure_known_provider(
    name: &str,
    agent: &AgentConfig,
    providers: &[ProviderSettings],
    path: &Path,
) -> Result<(), Error> {
    let Some(model) = &agent.model else { return Ok(()) };
    let provider = model.split('/').next().unwrap_or_default();
    if provider == "demo" || providers.iter().any(|known| known.name == provider) {
        return Ok(());
    }
    Err(invalid(path, &format!("\"agents.{name}\" names the provider \"{provider}\", which you don't have")))
}

#[cfg(test)]
mod tests;
