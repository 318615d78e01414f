//! `apply_patch`: changes to several files at once, all or nothing.

use crate::outcome::ToolError;
use crate::tool::{Tool, writing};
use crate::touched::Touched;
use arki_edit::patch::patch_paths;
use arki_files::{ChangeSet, Project, plan_patch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) const NAME: &str = "apply_patch";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    patch: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>(NAME, include_str!("apply_patch/manual.md"), writing(plan)).touching(touches)
}

/// Every file that it names: the strictest of them decides.
fn touches(args: &Value) -> Touched {
    let patch = args.get("patch").and_then(Value::as_str).unwrap_or_default();
    Touched { paths: patch_paths(patch), ..Touched::default() }
}

fn plan(project: &Project, Arguments { patch }: Arguments) -> Result<ChangeSet, ToolError> {
    Ok(plan_patch(project, &patch)?)
}
