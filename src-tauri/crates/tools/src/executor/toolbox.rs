//! The tools of an executor.

use super::{ExecutorSettings, ToolLimits};
use crate::builtin;
use crate::nearest::nearest_tool;
use crate::tool::{Action, Tool};
use arki_domain::{Category, Code, Error, ToolDefinition};
use arki_redaction::Redactor;
use std::sync::Arc;

/// All tools, and the definitions of those that are offered to the model.
pub(super) struct Toolbox {
    pub(super) tools: Arc<[Tool]>,
    pub(super) offered: Arc<[ToolDefinition]>,
}

impl Toolbox {
    /// Takes the tools from outside out of the settings.
    pub(super) fn new(settings: &mut ExecutorSettings, redactor: &Redactor) -> Self {
        let tools: Arc<[Tool]> = all_tools(std::mem::take(&mut settings.tools), &settings.model).into();
        let policy = &settings.policy;
        let is_there = |tool: &&Tool| {
            let reads = tool.definition.category == Category::Read;
            let may_plan = !policy.plan || reads;
            let may_read = !policy.read_only || reads || matches!(tool.action, Action::Command);
            let has_texts = match tool.name() {
                "read_skill" => !settings.guides.skills.is_empty(),
                "read_procedure" => !settings.guides.procedures.is_empty(),
                _ => true,
            };
            has_texts && may_plan && may_read && policy.has_tool(tool.name()) && !policy.is_disabled(tool.name())
        };
        let limits = settings.limits;
        let definition = |tool: &Tool| as_offered(&tool.definition, limits, redactor);
        let offered = tools.iter().filter(is_there).map(definition).collect();
        Self { tools, offered }
    }

    pub(super) fn tool(&self, tool_id: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| *tool.definition.name == *tool_id)
    }

    /// `TOOL_UNKNOWN`, with the nearest name.
    pub(super) fn unknown(&self, name: &str) -> Error {
        let hint = nearest_tool(&self.offered, name);
        Error::new(Code::TOOL_UNKNOWN, format!("There is no tool {name:?}."), hint)
    }
}

/// Returns the definition as the model sees it, with the limits that hold for its calls in the description: a tool from
/// outside may have read a secret and say it. Its own schema stays as it is, for that is what arguments are held against
/// once their secrets are back.
fn as_offered(definition: &ToolDefinition, limits: ToolLimits, redactor: &Redactor) -> ToolDefinition {
    let output = format!("{} KiB", limits.max_output_bytes.div_ceil(1024));
    let description = definition.description.replace("{{output}}", &output);
    let description = description.replace("{{timeout}}", &limits.timeout_seconds.to_string());
    ToolDefinition {
        description: redactor.redact(&description).into(),
        parameters: redactor.redact_json(definition.parameters.clone()),
        ..definition.clone()
    }
}

/// The built-in ones first. A name that is taken is not taken again: what a model calls must be one thing.
fn all_tools(others: Vec<Tool>, model: &str) -> Vec<Tool> {
    let mut tools = builtin::all();
    for tool in others {
        if tools.iter().any(|known| known.name() == tool.name()) {
            tracing::warn!(tool = tool.name(), "a tool of this name is there already, so this one is left out");
        } else {
            tools.push(tool);
        }
    }
    builtin::edit_tool_first(&mut tools, model);
    tools
}
