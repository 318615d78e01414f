//! `find_files`: files by their names.

use crate::left_out::ignored_note;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, ReadTask, Tool, arguments};
use arki_files::{FindQuery, find};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// More files than this are not returned.
const MAX_FILES: usize = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    glob: String,
    include_ignored: Option<bool>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("find_files", include_str!("find_files/manual.md"), Action::Read(read))
}

fn read(task: &ReadTask) -> Result<Output, ToolError> {
    let arguments: Arguments = arguments(&task.args)?;
    let query = FindQuery {
        glob: &arguments.glob,
        include_ignored: arguments.include_ignored.unwrap_or_default(),
        secrets: &task.left_out.files,
        max: MAX_FILES,
    };
    let found = find(&task.project, &query, &task.cancel)?;
    let mut text = String::new();
    for path in &found.paths {
        text.push_str(path);
        text.push('\n');
    }
    if found.paths.is_empty() {
        text.push_str("[no files match]\n");
    }
    if found.truncated {
        let _ = writeln!(text, "[more than {MAX_FILES} files; narrow the glob]");
    }
    text.push_str(&task.left_out.note(&found.secrets));
    text.push_str(&ignored_note(&found.ignored));
    Ok(Output { text, truncated: found.truncated })
}
