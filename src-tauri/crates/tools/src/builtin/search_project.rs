//! `search_project`: the passages of the project that fit a question.

use crate::outcome::{Output, ToolError};
use crate::tool::{Action, ReadTask, Tool, arguments};
use arki_retrieval::{ContextPassage, ContextQuery, FoundContext};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) const NAME: &str = "search_project";
const USUAL_FILES: usize = 10;
const MAX_FILES: usize = 30;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
    limit: Option<usize>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>(NAME, include_str!("search_project/manual.md"), Action::Read(read))
}

fn read(task: &ReadTask) -> Result<Output, ToolError> {
    let arguments: Arguments = arguments(&task.args)?;
    let max_files = arguments.limit.unwrap_or(USUAL_FILES).clamp(1, MAX_FILES);
    let found = find(task, &arguments.query, max_files)?;
    let (mut text, mut truncated) = (String::new(), false);
    for passage in &found.passages {
        let lines = lines_of(passage);
        truncated = text.len() + lines.len() > task.max_output_bytes;
        if truncated {
            text.push_str("[more passages fit; ask for fewer files]\n");
            break;
        }
        text.push_str(&lines);
    }
    if found.passages.is_empty() {
        text.push_str("[nothing found]\n");
    }
    for note in &found.notes {
        text.push_str(&format!("[{note}]\n"));
    }
    Ok(Output { text, truncated })
}

/// Asks the index, without what this call must not see.
pub(crate) fn find(task: &ReadTask, question: &str, max_files: usize) -> Result<FoundContext, ToolError> {
    let query = ContextQuery { question, max_files, left_out: &task.left_out.files, cancel: &task.cancel };
    Ok(task.context.find(&query)?)
}

/// `path:first-last score`, and the lines below it.
fn lines_of(passage: &ContextPassage) -> String {
    let ContextPassage { path, first_line, last_line, score, excerpt } = passage;
    let head = format!("{path}:{first_line}-{last_line} (score {score:.1})\n");
    excerpt.iter().fold(head, |text, (number, line)| text + &format!("  {number}: {line}\n"))
}
