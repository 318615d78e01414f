//! `write_file`: a new file, or the whole of one anew.

use crate::outcome::ToolError;
use crate::tool::{Tool, arguments, writing};
use arki_files::{ChangeSet, Project, plan_write};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("write_file", include_str!("write_file/manual.md"), writing(plan))
}

fn plan(project: &Project, args: &Value) -> Result<ChangeSet, ToolError> {
    let arguments: Arguments = arguments(args)?;
    let path = project.resolve(&arguments.path)?;
    Ok(plan_write(project, &path, &arguments.content)?)
}
