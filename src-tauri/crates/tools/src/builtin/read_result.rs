//! `read_result`: an earlier call's result that a compaction took out of what the model is shown.

use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::projection::READ_RESULT_TOOL;
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    call_id: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>(READ_RESULT_TOOL, include_str!("read_result/manual.md"), Action::Inside(read))
}

fn read(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { call_id, offset, limit } = arguments(task.args)?;
    let result = task.previous.ok_or_else(|| {
        let hint = "Use a call_id that a note in this conversation names.";
        Error::new(Code::ARGUMENTS_INVALID, format!("This conversation has no result of the call {call_id:?}."), hint)
    })?;
    let (skipped, most) = (offset.unwrap_or(1).saturating_sub(1), limit.unwrap_or(usize::MAX));
    let text = match (skipped, most) {
        (0, usize::MAX) => result.to_owned(),
        _ => result.split_inclusive('\n').skip(skipped).take(most).collect(),
    };
    Ok(Output { text, truncated: false }.into())
}
