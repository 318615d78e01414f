//! `edit_file`: exact replacements in one file, all or none.

use crate::outcome::ToolError;
use crate::tool::{Tool, writing};
use arki_edit::TextEdit;
use arki_files::{ChangeSet, Project, plan_edit};
use schemars::JsonSchema;
use serde::Deserialize;

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

fn plan(project: &Project, Arguments { path, edits }: Arguments) -> Result<ChangeSet, ToolError> {
    let path = project.resolve(&path)?;
    let edits = edits.into_iter().map(|EditArgument { old_text, new_text, replace_all }| TextEdit {
        old_text,
        new_text,
        replace_all: replace_all.unwrap_or(false),
    });
    Ok(plan_edit(project, &path, &Vec::from_iter(edits))?)
}
