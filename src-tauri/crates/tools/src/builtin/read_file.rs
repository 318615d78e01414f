//! `read_file`: numbered lines of a text file or of a document's text, or a picture.

use crate::artifact;
use crate::document_reading::document_at;
use crate::outcome::{Output, ToolError};
use crate::picture_decoding::sendable_picture;
use crate::tool::{Action, ReadTask, Tool, arguments};
use crate::touched::Touched;
use arki_documents::DocumentText;
use arki_domain::{Image, MAX_IMAGE_BYTES, is_picture_name, picture_type};
use arki_files::{Project, ProjectPath, lines_of, read_lines};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

pub(crate) const NAME: &str = "read_file";

/// Lines returned when no limit is given.
const DEFAULT_LINES: u64 = 2000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// A file, or the `artifact:ID` of a stored result.
    path: String,
    /// First line, from 1.
    #[schemars(range(min = 1))]
    offset: Option<u64>,
    #[schemars(range(min = 1))]
    limit: Option<u64>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>(NAME, include_str!("read_file/manual.md"), Action::Read(read)).touching(touches)
}

/// Returns the paths touched; a kept result is no file.
fn touches(args: &Value) -> Touched {
    if artifact::id_in(args).is_some() { Touched::default() } else { Touched::by_name(args) }
}

/// A picture as models can be shown it; `None` where the file is something else.
pub(crate) fn picture_at(project: &Project, path: &ProjectPath) -> Result<Option<(Image, Vec<u8>)>, ToolError> {
    if !is_picture_name(path.as_str()) {
        return Ok(None);
    }
    let bytes = project.read(path, MAX_IMAGE_BYTES as u64)?.bytes;
    if picture_type(&bytes).is_none() {
        return Ok(None);
    }
    Ok(Some(sendable_picture(bytes)?))
}

fn picture_words(path: &ProjectPath, media_type: &str, bytes: usize, is_seen: bool) -> String {
    let shown = if is_seen {
        "It is shown to you behind this result."
    } else {
        "You can't see it: this model isn't known to see pictures. If it does, the user can add `vision` to its \
        capabilities in config.json."
    };
    format!("[{} is a picture: {media_type}, {bytes} bytes. {shown}]\n", path.as_str())
}

fn document_words(path: &ProjectPath, document: &DocumentText) -> String {
    let left_out = document.left_out.as_ref().map(|left_out| format!(" {left_out}")).unwrap_or_default();
    format!(
        "[{} is {}; this is its text, and the line numbers are the text's.{left_out}]\n",
        path.as_str(),
        document.what
    )
}

fn read(task: &ReadTask) -> Result<Output, ToolError> {
    let arguments: Arguments = arguments(&task.args)?;
    let offset = arguments.offset.unwrap_or(1);
    let limit = arguments.limit.unwrap_or(DEFAULT_LINES);
    let mut text = String::new();
    let window = match &task.artifact {
        Some(kept) => lines_of(&arguments.path, kept, offset, limit, task.max_output_bytes)?,
        None => {
            let path = task.project.resolve(&arguments.path)?;
            if let Some((image, bytes)) = picture_at(&task.project, &path)? {
                let text = picture_words(&path, &image.media_type, bytes.len(), task.sees_pictures);
                return Ok(Output { text, truncated: false });
            }
            match document_at(&task.project, &path, &task.cancel)? {
                Some(document) => {
                    text = document_words(&path, &document);
                    lines_of(&arguments.path, document.text.as_bytes(), offset, limit, task.max_output_bytes)?
                }
                None => read_lines(&task.project, &path, offset, limit, task.max_output_bytes)?,
            }
        }
    };
    for line in &window.lines {
        let _ = write!(text, "{}\t{}", line.number, line.text);
        if line.cut_bytes > 0 {
            let _ = write!(text, " … [{} more bytes in this line]", line.cut_bytes);
        }
        text.push('\n');
    }
    let total = window.total_lines.map_or_else(|| "an unknown number of".to_owned(), |lines| lines.to_string());
    if window.lines.is_empty() {
        let _ = writeln!(text, "[no lines here; the file has {total} lines, {} bytes]", window.total_bytes);
    } else if window.truncated {
        let last = window.lines.last().map_or(offset, |line| line.number);
        let _ = writeln!(text, "[cut after line {last} of {total}; continue with offset {}]", last + 1);
    } else if window.final_newline == Some(false) {
        text.push_str("[the file does not end with a newline]\n");
    }
    Ok(Output { text, truncated: window.truncated })
}
