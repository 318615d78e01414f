//! `delegate`: hands a task to a sub-agent. Only what it says is read here; how the sub-agent works is behind
//! [`Subagents`].

use crate::outcome::ToolError;
use crate::subagents::{AgentChoice, Subagents};
use crate::tool::{Action, Tool, arguments};
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

pub(crate) const NAME: &str = arki_domain::DELEGATE_TOOL;
/// The longest task, in bytes.
const MAX_TASK_BYTES: usize = 64 << 10;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    pub(crate) agent: String,
    pub(crate) task: String,
    #[serde(default)]
    pub(crate) background: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) isolation: Option<Isolation>,
}

/// The agent's own place.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Isolation {
    Worktree,
}

/// The tool, where there are these agents. Calls that name another are refused by its schema.
#[must_use]
pub fn delegate(agents: &[AgentChoice], subagents: Arc<dyn Subagents>) -> Tool {
    let manual = include_str!("delegate/manual.md");
    let names = agents.iter().map(|agent| Value::from(agent.name.as_str())).collect();
    let mut description = String::from(" Agents: ");
    for (place, AgentChoice { name, description: what }) in agents.iter().enumerate() {
        let separator = if place == 0 { "" } else { "; " };
        let colon = if what.is_empty() { "" } else { ": " };
        description.push_str(&format!("{separator}{name}{colon}{what}"));
    }
    Tool::new::<Arguments>(NAME, manual, Action::Delegate(subagents)).with_choices("agent", names, &description)
}

/// The task without blanks around it.
pub(crate) fn parse(args: &Value) -> Result<Arguments, ToolError> {
    let parsed: Arguments = arguments(args)?;
    let task = parsed.task.trim().to_owned();
    if task.is_empty() || task.len() > MAX_TASK_BYTES {
        return Err(Error::new(
            Code::ARGUMENTS_INVALID,
            format!("The task must have 1 to {MAX_TASK_BYTES} bytes."),
            "Say what you want, and name files that contain the rest.",
        )
        .into());
    }
    Ok(Arguments { task, ..parsed })
}
