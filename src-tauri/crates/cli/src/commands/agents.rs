//! `arki agents`: those of the configuration and of agents' files.

use super::providers;
use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, dim, visible};
use arki_api::{AgentEntries, NamedChange, SettingChange};
use arki_domain::{Code, Error};
use arki_engine::Engine;
use clap::Subcommand;
use std::path::Path;

/// List, add, remove or test agents
#[derive(Debug, Subcommand)]
pub(crate) enum AgentsCommand {
    /// List the agents that can be used in this folder, with their models and where they are configured
    List,
    /// Add an agent to your configuration, or change the one of this name
    Add {
        /// The agent's name
        name: String,
        /// The model, as PROVIDER/MODEL; default: that of the agent `arki`
        #[arg(long, value_name = "PROVIDER/MODEL")]
        model: Option<String>,
        /// Say in one line when to use it
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        /// Choose how it works: tool-loop or pes
        #[arg(long, value_name = "NAME")]
        core: Option<String>,
    },
    /// Remove an agent from your configuration
    Rm {
        /// The agent's name
        name: String,
    },
    /// Test an agent: ask its model for a word, which costs a few tokens; exit 1 if a step fails
    Test {
        /// The agent's name
        name: String,
    },
}

/// The agent that works where no other is named.
const MAIN_AGENT: &str = "arki";

pub(crate) async fn run(engine: &Engine, dir: &Path, command: AgentsCommand, output: &Printer) -> CommandExit {
    match command {
        AgentsCommand::List => list(&arki_engine::list_agents(engine.projects(), Some(dir))?, output),
        AgentsCommand::Add { name, model, description, core } => {
            let given = [("model", model), ("description", description), ("core", core)];
            add(engine, &name, given, output)?;
        }
        AgentsCommand::Rm { name } if name == MAIN_AGENT => {
            let hint = "Change it with `arki config set agents.arki.model PROVIDER/MODEL`.";
            return Err(wrong_use("The agent `arki` can't be removed.", hint));
        }
        AgentsCommand::Rm { name } => {
            find(engine, dir, &name)?;
            engine.accounts().unset_config(&key(&name))?;
            told("Removed", &name, output);
        }
        AgentsCommand::Test { name } => {
            let model = find(engine, dir, &name)?;
            let (provider, model) = model.split_once('/').unwrap_or((&model, ""));
            return providers::test(engine, provider, Some(model).filter(|model| !model.is_empty()), output).await;
        }
    }
    Ok(Exit::Done)
}

/// The agent's model, as PROVIDER/MODEL.
fn find(engine: &Engine, dir: &Path, name: &str) -> Result<String, Error> {
    let agents = arki_engine::list_agents(engine.projects(), Some(dir))?.agents;
    let found = agents.into_iter().find(|agent| agent.name == name);
    found.map(|agent| agent.model).ok_or_else(|| {
        let message = format!("No agent {name:?} is configured.");
        Error::new(Code::AGENT_UNKNOWN, message, "`arki agents list` lists all agents.")
    })
}

fn key(name: &str) -> String {
    if name.contains('.') { format!("agents.\"{name}\"") } else { format!("agents.{name}") }
}

fn add(engine: &Engine, name: &str, given: [(&str, Option<String>); 3], output: &Printer) -> Result<(), Error> {
    let set = given.into_iter().filter_map(|(field, value)| {
        let text = Some(serde_json::Value::String(value?).to_string());
        Some(SettingChange { key: format!("{}.{field}", key(name)), text, was: None })
    });
    let changes: Vec<SettingChange> = set.collect();
    if changes.is_empty() {
        let hint = "Give at least one of --model, --description and --core.";
        return Err(wrong_use(format!("The agent {name:?} would have no settings."), hint));
    }
    engine.accounts().change_config(&changes)?;
    told("Added", name, output);
    Ok(())
}

fn told(done: &str, name: &str, output: &Printer) {
    output.tell(&NamedChange::of(name), || format!("{done} the agent {}.", visible(name)));
}

fn list(AgentEntries { agents, warnings }: &AgentEntries, output: &Printer) {
    for agent in agents {
        output.tell(agent, || {
            let description = visible(agent.description.as_deref().unwrap_or_default());
            let origin = match agent.origins.as_slice() {
                [] => "built in".to_owned(),
                origins => origins.join(", "),
            };
            format!(
                "{:<16} {:<32} {:<10} {description}  {}",
                visible(&agent.name),
                visible(&agent.model),
                agent.core,
                dim(&visible(&origin))
            )
        });
    }
    warnings.iter().for_each(|warning| output.aside(visible(warning)));
}
