//! `delete_file`: a file goes; its content stays in the store, from which a rewind brings it back.

use crate::outcome::ToolError;
use crate::tool::{Tool, arguments, writing};
use arki_files::{ChangeSet, Project, plan_delete};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("delete_file", include_str!("delete_file/manual.md"), writing(plan))
}

fn plan(project: &Project, args: &Value) -> Result<ChangeSet, ToolError> {
    let arguments: Arguments = arguments(args)?;
    let path = project.resolve(&arguments.path)?;
    Ok(plan_delete(project, &path)?)
}
