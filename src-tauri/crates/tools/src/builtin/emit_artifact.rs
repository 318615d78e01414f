//! `emit_artifact`: keeps a text for the user, in Arki's own store and not in the project.

use crate::artifact;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, InsideResult, InsideTask, Tool, arguments};
use arki_domain::{Code, Error};
use schemars::JsonSchema;
use serde::Deserialize;

/// The longest name, in bytes.
const MAX_NAME_BYTES: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    /// Such as `text/markdown`.
    #[schemars(regex(pattern = r"^[a-zA-Z0-9.+-]{1,60}/[a-zA-Z0-9.+-]{1,60}$"))]
    media_type: String,
    content: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("emit_artifact", include_str!("emit_artifact/manual.md"), Action::Inside(emit))
}

fn emit(task: &InsideTask<'_>) -> Result<InsideResult, ToolError> {
    let Arguments { name, media_type, content } = arguments(task.args)?;
    if name.trim().is_empty()
        || name.len() > MAX_NAME_BYTES
        || name.chars().any(|c| c.is_control() || "/\\".contains(c))
    {
        return Err(Error::new(
            Code::ARGUMENTS_INVALID,
            format!("{name:?} is not a file name."),
            format!("Use 1 to {MAX_NAME_BYTES} bytes without slashes or control characters."),
        )
        .into());
    }
    let (content, emitted) = artifact::of_text(&name, &media_type, &content, task.redactor);
    let text = format!("Saved {name} ({} bytes) for the user as {}.", emitted.bytes, artifact::reference(&emitted));
    Ok(InsideResult {
        output: Output { text, truncated: false },
        events: vec![emitted.into()],
        contents: vec![content],
    })
}
