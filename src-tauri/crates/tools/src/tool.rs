//! A tool: what the model is told of it, and how the executor carries it out.

use crate::guide::Guides;
use crate::left_out::LeftOut;
use crate::manual::Manual;
use crate::outcome::{Output, ToolError};
use crate::remote_tool::RemoteTool;
use crate::schema;
use crate::subagents::{SubagentChanges, Subagents};
use crate::touched::Touched;
use arki_domain::projection::AgentState;
use arki_domain::{Category, Code, Content, Error, EventBody, ToolDefinition};
use arki_files::{ChangeSet, Project};
use arki_redaction::Redactor;
use arki_retrieval::ContextProvider;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The longest name of a tool that every vendor takes.
pub const MAX_TOOL_NAME_BYTES: usize = 64;

/// The input of a read tool.
pub(crate) struct ReadTask {
    pub(crate) project: Arc<Project>,
    pub(crate) args: Value,
    /// The content to read in place of a file: a kept one that the argument `path` names, or a file's unsaved text.
    pub(crate) artifact: Option<Vec<u8>>,
    pub(crate) left_out: LeftOut,
    pub(crate) context: Arc<dyn ContextProvider>,
    pub(crate) redactor: Redactor,
    /// The model can be shown pictures.
    pub(crate) sees_pictures: bool,
    pub(crate) max_output_bytes: usize,
    pub(crate) cancel: CancellationToken,
}

/// The input of a tool that works on Arki's own things alone: the session's log, the kept contents, the tools themselves.
/// It touches neither the project nor anything outside.
pub(crate) struct InsideTask<'a> {
    pub(crate) args: &'a Value,
    /// The manual of the tool of that name; empty where it has none.
    pub(crate) manual_of: &'a (dyn Fn(&str) -> Option<Arc<str>> + Sync + 'a),
    /// The tools that the model has.
    pub(crate) offered: &'a [ToolDefinition],
    pub(crate) guides: &'a Guides,
    /// The result that is to be read again.
    pub(crate) previous: Option<&'a str>,
    /// The session's state.
    pub(crate) agent_state: &'a AgentState,
    pub(crate) redactor: &'a Redactor,
}

/// The result of such a tool: for the model, for the log besides, and for keeping.
#[derive(Default)]
pub(crate) struct InsideResult {
    pub(crate) output: Output,
    pub(crate) events: Vec<EventBody>,
    pub(crate) contents: Vec<Content>,
}

impl From<Output> for InsideResult {
    fn from(output: Output) -> Self {
        Self { output, ..Self::default() }
    }
}

pub(crate) type InsideAction = fn(&InsideTask<'_>) -> Result<InsideResult, ToolError>;
pub(crate) type ReadAction = fn(&ReadTask) -> Result<Output, ToolError>;
pub(crate) type WriteAction = Arc<dyn Fn(&Project, &Value) -> Result<ChangeSet, ToolError> + Send + Sync>;
type Touches = Arc<dyn Fn(&Value) -> Touched + Send + Sync>;

/// The action of a tool that writes.
pub(crate) fn writing<Arguments: DeserializeOwned>(
    plan: impl Fn(&Project, Arguments) -> Result<ChangeSet, ToolError> + Send + Sync + 'static,
) -> Action {
    Action::Write(Arc::new(move |project, args| plan(project, arguments(args)?)))
}

/// The way in which the executor carries a tool out. A write tool only computes the change; the executor makes it, after
/// the decision.
pub(crate) enum Action {
    Read(ReadAction),
    Write(WriteAction),
    Command,
    Inside(InsideAction),
    /// A question to the user.
    Ask,
    /// Work for a sub-agent.
    Delegate(Arc<dyn Subagents>),
    Remote(Arc<dyn RemoteTool>),
}

/// The executor's treatment of a tool's calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolTraits {
    /// Doing it twice is like doing it once: a call that a crash interrupted is made again instead of being told as of
    /// unknown effect.
    pub is_idempotent: bool,
    /// `limits.toolTimeoutSeconds` where there is none. All attempts together.
    pub time_limit: Option<Duration>,
    /// The retries of tools from outside that are idempotent.
    pub retry: Option<Retry>,
}

/// A failure that may pass: the call is made again by itself, a few times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The fault that may pass.
    pub on: Code,
    /// The first one counts.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles before each further one.
    pub pause: Duration,
}

pub struct Tool {
    pub(crate) definition: ToolDefinition,
    /// Empty where there is none.
    pub(crate) manual: Arc<str>,
    pub(crate) action: Action,
    pub(crate) conduct: ToolTraits,
    touches: Touches,
    /// The worktrees whose changes it takes.
    pub(crate) changes: Option<Arc<dyn SubagentChanges>>,
    validator: OnceLock<Result<jsonschema::Validator, String>>,
}

impl Tool {
    pub(crate) fn new<Arguments: JsonSchema>(name: &str, manual: &str, action: Action) -> Self {
        let category = match action {
            Action::Read(_) | Action::Inside(_) | Action::Ask | Action::Delegate(_) => Category::Read,
            Action::Write(_) => Category::Write,
            Action::Command => Category::Exec,
            Action::Remote(_) => Category::Network,
        };
        let manual = Manual::parse(manual);
        let definition = ToolDefinition {
            name: name.into(),
            description: manual.description.into(),
            category,
            parameters: schema::of_type::<Arguments>(),
        };
        let conduct = ToolTraits { is_idempotent: category == Category::Read, ..ToolTraits::default() };
        Self {
            definition,
            manual: manual.text.into(),
            action,
            conduct,
            touches: Arc::new(Touched::by_name),
            changes: None,
            validator: OnceLock::new(),
        }
    }

    /// A tool from outside, of category `network`. `parameters` is a JSON Schema from whoever knows where.
    pub fn remote(
        name: &str,
        description: &str,
        parameters: Value,
        remote: Arc<dyn RemoteTool>,
    ) -> Result<Self, Error> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > MAX_TOOL_NAME_BYTES || !name.chars().all(is_plain) {
            let hint = format!("Names have 1 to {MAX_TOOL_NAME_BYTES} letters, digits, `_` and `-`.");
            return Err(Error::new(Code::TOOL_UNUSABLE, format!("{name:?} is not a valid tool name."), hint));
        }
        let (parameters, validator) = schema::foreign(name, parameters)?;
        Ok(Self {
            definition: ToolDefinition {
                name: name.into(),
                description: description.into(),
                category: Category::Network,
                parameters,
            },
            manual: "".into(),
            action: Action::Remote(remote),
            conduct: ToolTraits::default(),
            touches: Arc::new(Touched::mentioned_in),
            changes: None,
            validator: OnceLock::from(Ok(validator)),
        })
    }

    /// Another category than its kind's. Only the user's word loosens: never a server's.
    #[must_use]
    pub fn in_category(mut self, category: Category) -> Self {
        self.definition.category = category;
        self
    }

    #[must_use]
    pub fn with_conduct(mut self, conduct: ToolTraits) -> Self {
        self.conduct = conduct;
        self
    }

    /// Only these values for one of the arguments, and what they are said in the description.
    #[must_use]
    pub(crate) fn with_choices(mut self, argument: &str, values: Vec<Value>, description: &str) -> Self {
        let ToolDefinition { description: told, parameters, .. } = &mut self.definition;
        *told = format!("{told}{description}").into();
        if let Some(argument) = parameters["properties"].get_mut(argument) {
            argument["enum"] = Value::Array(values);
        }
        self
    }

    /// Sets what a call touches, for tools whose files are not in an argument `path`, nor their shell line in
    /// `command`.
    #[must_use]
    pub(crate) fn touching(mut self, touches: impl Fn(&Value) -> Touched + Send + Sync + 'static) -> Self {
        self.touches = Arc::new(touches);
        self
    }

    /// Sets the port of the tool that takes changes out of worktrees.
    #[must_use]
    pub(crate) fn taking(mut self, changes: Arc<dyn SubagentChanges>) -> Self {
        self.changes = Some(changes);
        self
    }

    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns what a call with these arguments, which may be wrong, touches.
    pub(crate) fn touches(&self, args: &Value) -> Touched {
        match &self.action {
            Action::Remote(remote) => remote.touches(args),
            _ => (self.touches)(args),
        }
    }

    /// Checks arguments against the schema; the validator is made when it is first needed.
    pub(crate) fn validate(&self, args: &Value) -> Result<(), Error> {
        match self.validator.get_or_init(|| schema::compile(&schema::of_calls(&self.definition.parameters))) {
            Ok(validator) => schema::validate(self.name(), validator, args),
            Err(why) => Err(Error::internal(format_args!("the schema of {} is not valid: {why}", self.name()))),
        }
    }
}

/// The arguments as a type; they have been validated before.
pub(crate) fn arguments<Arguments: DeserializeOwned>(args: &Value) -> Result<Arguments, ToolError> {
    Ok(Arguments::deserialize(args)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_tool::CallScope;

    struct Nothing;

    #[async_trait::async_trait]
    impl RemoteTool for Nothing {
        async fn call(&self, _: Value, _: CallScope) -> Result<Output, Error> {
            Ok(Output::default())
        }
    }

    #[test]
    fn a_tool_from_outside_has_a_name_that_vendors_take() {
        let named = |name: &str| Tool::remote(name, "d", Value::Null, Arc::new(Nothing)).map(|tool| tool.definition);
        assert_eq!(named("mcp__a__b-C2").unwrap().category, Category::Network);
        for name in ["", "a b", "ä", "a.b", &"x".repeat(MAX_TOOL_NAME_BYTES + 1)] {
            assert_eq!(named(name).unwrap_err().code, "TOOL_UNUSABLE", "{name}");
        }
    }
}
