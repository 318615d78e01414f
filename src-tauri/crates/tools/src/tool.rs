//! A tool: what the model is told of it, and how the kernel carries it out.

use crate::error::ToolError;
use crate::manual::Manual;
use arki_domain::{Category, Fault, ToolDefinition};
use arki_workspace::{ChangeSet, Project};
use globset::GlobSet;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// What a read tool is given.
pub(crate) struct ReadTask {
    pub(crate) project: Arc<Project>,
    pub(crate) args: Value,
    pub(crate) secrets: GlobSet,
    pub(crate) max_output_bytes: usize,
    pub(crate) cancel: CancellationToken,
}

/// Text for the model, and whether it was cut.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) truncated: bool,
}

pub(crate) type ReadAction = fn(&ReadTask) -> Result<Output, ToolError>;
pub(crate) type WriteAction = fn(&Project, &Value) -> Result<ChangeSet, ToolError>;

/// How the kernel carries a tool out. A write tool only computes the change; the kernel makes it, after the decision.
pub(crate) enum Action {
    Read(ReadAction),
    Write(WriteAction),
    Command,
}

pub(crate) struct Tool {
    pub(crate) definition: ToolDefinition,
    pub(crate) action: Action,
    validator: OnceLock<Option<jsonschema::Validator>>,
}

impl Tool {
    pub(crate) fn new<Arguments: JsonSchema>(name: &'static str, manual: &str, action: Action) -> Self {
        let category = match action {
            Action::Read(_) => Category::Read,
            Action::Write(_) => Category::Write,
            Action::Command => Category::Exec,
        };
        let definition = ToolDefinition {
            name,
            description: Manual::parse(manual).description,
            category,
            parameters: parameters::<Arguments>(),
        };
        Self { definition, action, validator: OnceLock::new() }
    }

    /// Checks arguments against the schema; the validator is made when it is first needed.
    pub(crate) fn validate(&self, args: &Value) -> Result<(), Fault> {
        let validator = self.validator.get_or_init(|| jsonschema::draft202012::new(&self.definition.parameters).ok());
        match validator {
            Some(validator) => crate::arguments::validate(self.definition.name, validator, args),
            None => Err(Fault::internal(format_args!("the schema of {} is not valid", self.definition.name))),
        }
    }
}

/// The arguments as a type; they have been validated before.
pub(crate) fn arguments<Arguments: DeserializeOwned>(args: &Value) -> Result<Arguments, ToolError> {
    Ok(Arguments::deserialize(args)?)
}

fn parameters<Arguments: JsonSchema>() -> Value {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<Arguments>();
    schema.remove("title");
    schema.to_value()
}
