//! `delete_file`: a file goes; its content stays in the store, from which a rewind brings it back.

use crate::outcome::ToolError;
use crate::tool::{Tool, writing};
use arki_files::{ChangeSet, Project, plan_delete};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("delete_file", include_str!("delete_file/manual.md"), writing(plan))
}

fn plan(project: &Project, Arguments { path }: Arguments) -> Result<ChangeSet, ToolError> {
    Ok(plan_delete(project, &project.resolve(&path)?)?)
}
