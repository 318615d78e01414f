//! `read_tool_manual`: the manual of a tool whose description begins with 📘.

use crate::nearest::nearest_tool;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("read_tool_manual", include_str!("read_tool_manual/manual.md"), Action::Inside(read))
}

fn read(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { name } = arguments(task.args)?;
    let Some(manual) = (task.manual_of)(&name) else {
        let hint = nearest_tool(task.offered, &name);
        return Err(Error::new(Code::TOOL_UNKNOWN, format!("There is no tool {name:?}."), hint).into());
    };
    let text = if manual.is_empty() {
        format!("{name} has no manual. Its description and schema say everything.")
    } else {
        manual.to_string()
    };
    Ok(Output { text, truncated: false }.into())
}
