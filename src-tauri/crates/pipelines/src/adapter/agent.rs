//! `agent`: a prompt for an agent, whose tools run under the policy as ever; what it asks waits in the inbox.

use super::{Adapter, AttemptResult, KeyProblem, StepFault, checked, fabric, of_child};
use crate::key_schema;
use crate::step_host::{AgentTask, StepHost, Task};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const DEFAULT_AGENT: &str = "arki";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AgentSettings {
    /// The prompt. Without `{{input}}` or `{{steps.NAME}}` the input follows it.
    #[serde(default)]
    prompt: Option<String>,
    /// One of fabric's patterns, as the system prompt; the program isn't needed.
    #[serde(default)]
    pattern: Option<String>,
    /// `provider/model`; the configured one without it.
    #[serde(default)]
    model: Option<String>,
    /// The name of a configured agent.
    #[serde(default)]
    agent: Option<String>,
    /// `tool-loop` or `pes`.
    #[serde(default)]
    core: Option<String>,
    /// Added to the system prompt.
    #[serde(default)]
    system: Option<String>,
    #[serde(default)]
    max_turns: Option<u32>,
    /// Gives the agent only tools that read.
    #[serde(default)]
    read_only: bool,
}

pub(super) struct Agent;

#[async_trait]
impl Adapter for Agent {
    fn name(&self) -> &'static str {
        "agent"
    }

    fn about(&self) -> &'static str {
        "Lets an agent answer a prompt, with its tools under the policy. The answer is the output."
    }

    fn settings(&self) -> Value {
        key_schema::of::<AgentSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: AgentSettings = checked(settings)?;
        let is_empty = settings.prompt.as_deref().is_none_or(|prompt| prompt.trim().is_empty());
        match &settings.pattern {
            None if is_empty => Err(KeyProblem {
                key: None,
                message: "An agent step needs a `prompt` or a `pattern`.".to_owned(),
                hint: "For example: `prompt: \"Summarise this:\\n{{input}}\"`.".to_owned(),
            }),
            Some(pattern) if !fabric::is_word(pattern) || pattern.contains(['/', ':']) || pattern.starts_with('.') => {
                Err(KeyProblem::of("pattern", format!("`pattern` can't be {pattern:?}."), "Use a pattern's name."))
            }
            _ => Ok(()),
        }
    }

    fn templates(&self) -> &'static [&'static str] {
        &["prompt", "system"]
    }

    fn child(&self, settings: &Value) -> Option<String> {
        let settings: AgentSettings = checked(settings).ok()?;
        Some(settings.agent.unwrap_or_else(|| DEFAULT_AGENT.to_owned()))
    }

    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let settings: AgentSettings = task.read()?;
        let prompt = match &settings.prompt {
            None => task.input.to_string(),
            Some(prompt) => {
                let template = task.template(prompt)?;
                let filled = template.fill(&task.values());
                let has_input = template.names_input() || task.input.trim().is_empty();
                if has_input { filled } else { format!("{filled}\n\n{}", task.input) }
            }
        };
        let agent = AgentTask {
            prompt,
            pattern: settings.pattern,
            model: settings.model,
            core: settings.core,
            system: settings.system.as_deref().map(|system| task.filled(system)).transpose()?,
            max_turns: settings.max_turns,
            is_read_only: settings.read_only,
        };
        of_child(world.agent(agent, task).await.map_err(StepFault::final_)?)
    }
}
