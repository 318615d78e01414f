//! `edit_file`: exact replacements in one file, all or none.

use crate::outcome::ToolError;
use crate::tool::{Tool, arguments, writing};
use arki_edit::TextEdit;
use arki_files::{ChangeSet, Project, plan_edit};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) const NAME: &str = "edit_file";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[schemars(length(min = 1))]
    edits: Vec<EditArgument>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditArgument {
    old_text: String,
    new_text: String,
    /// Every occurrence.
    replace_all: Option<bool>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>(NAME, include_str!("edit_file/manual.md"), writing(plan))
}

fn plan(project: &Project, args: &Value) -> Result<ChangeSet, ToolError> {
    let arguments: Arguments = arguments(args)?;
    let path = project.resolve(&arguments.path)?;
    let edits: Vec<TextEdit> = arguments
        .edits
        .into_iter()
        .map(|edit| TextEdit {
            old_text: edit.old_text,
            new_text: edit.new_text,
            replace_all: edit.replace_all.unwrap_or(false),
        })
        .collect();
    Ok(plan_edit(project, &path, &edits)?)
}
