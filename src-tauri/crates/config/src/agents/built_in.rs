//! The agents that are there without any configuration, besides `arki`: what is written of them counts more, key by key.

use crate::file::{AgentConfig, Agents};
use arki_domain::ToolNames;

struct BuiltInAgent {
    name: &'static str,
    description: &'static str,
    system_prompt: &'static str,
    /// The tools that it gets, as far as `arki` has them.
    tools: &'static [&'static str],
}

const BUILT_IN: [BuiltInAgent; 2] = [
    BuiltInAgent {
        name: "explorer",
        description: "Finds out where something is and how it works. Changes nothing.",
        system_prompt: include_str!("built_in/explorer.md"),
        tools: &["calculate", "find_files", "list_directory", "read_*", "search_*"],
    },
    BuiltInAgent {
        name: "reviewer",
        description: "Reviews what isn't committed. Changes nothing.",
        system_prompt: include_str!("built_in/reviewer.md"),
        tools: &["calculate", "find_files", "list_directory", "read_*", "run_command", "search_*"],
    },
];

pub(crate) fn is_name(name: &str) -> bool {
    BUILT_IN.iter().any(|built_in| built_in.name == name)
}

/// Adds them to the user's, with what the user leaves open.
pub(crate) fn add(agents: &mut Agents) {
    for built_in in &BUILT_IN {
        let agent = agents.entry(built_in.name.to_owned()).or_default();
        agent.description.get_or_insert_with(|| built_in.description.to_owned());
        agent.system_prompt.get_or_insert_with(|| built_in.system_prompt.trim_end().to_owned());
    }
}

/// Returns the agent with the tools that a built-in one has where none are written: never more than `arki` has, and only
/// to read.
pub(crate) fn with_tools(name: &str, agent: AgentConfig, arki: Option<&ToolNames>) -> AgentConfig {
    let built_in = BUILT_IN.iter().find(|built_in| built_in.name == name);
    let Some(built_in) = built_in.filter(|_| agent.tools.is_none()) else { return agent };
    let tools = ToolNames::new(built_in.tools.iter().map(|&tool| tool.to_owned()).collect()).unwrap_or_default();
    let tools = arki.map_or_else(|| tools.clone(), |arki| tools.narrowed_to(arki));
    AgentConfig { tools: Some(tools), read_only: agent.read_only.or(Some(true)), ..agent }
}
