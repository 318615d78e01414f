//! `read_procedure`: the steps of recurring work.

use crate::guide::find_guide;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("read_procedure", include_str!("read_procedure/manual.md"), Action::Inside(read))
}

fn read(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { name } = arguments(task.args)?;
    let procedure = find_guide(&task.guides.procedures, "procedure", &name)?;
    Ok(Output { text: procedure.text.to_string(), truncated: false }.into())
}
