//! `write_file`: a new file, or the whole of one anew.

use crate::outcome::ToolError;
use crate::tool::{Tool, writing};
use arki_files::{ChangeSet, Project, plan_write};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("write_file", include_str!("write_file/manual.md"), writing(plan))
}

fn plan(project: &Project, Arguments { path, content }: Arguments) -> Result<ChangeSet, ToolError> {
    Ok(plan_write(project, &project.resolve(&path)?, &content)?)
}
