//! `list_directory`: what is in a folder.

use crate::left_out::ignored_note;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, ReadTask, Tool, arguments};
use arki_disk::EntryKind;
use arki_files::{ListQuery, ProjectPath, list};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt::Write;

/// More entries than this are not listed.
const MAX_ENTRIES: usize = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: Option<String>,
    /// Levels; default 1.
    #[schemars(range(min = 1, max = 20))]
    depth: Option<usize>,
    include_ignored: Option<bool>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("list_directory", include_str!("list_directory/manual.md"), Action::Read(read))
}

fn read(task: &ReadTask) -> Result<Output, ToolError> {
    let arguments: Arguments = arguments(&task.args)?;
    let path = match arguments.path.as_deref() {
        None | Some("" | "." | "./") => ProjectPath::root(),
        Some(path) => task.project.resolve(path)?,
    };
    let query = ListQuery {
        depth: arguments.depth.unwrap_or(1),
        max_entries: MAX_ENTRIES,
        include_ignored: arguments.include_ignored.unwrap_or_default(),
    };
    let listing = list(&task.project, &path, query)?;
    let mut text = String::new();
    for entry in &listing.entries {
        let _ = match (entry.kind, entry.size) {
            (EntryKind::Folder, _) => writeln!(text, "{}/", entry.path),
            (_, Some(size)) => writeln!(text, "{}\t{size} bytes", entry.path),
            (_, None) => writeln!(text, "{}", entry.path),
        };
    }
    if listing.entries.is_empty() {
        text.push_str("[the folder is empty]\n");
    }
    if listing.truncated {
        let _ = writeln!(text, "[more than {MAX_ENTRIES} entries; list a subfolder, or use less depth]");
    }
    for unreadable in &listing.unreadable {
        let _ = writeln!(text, "[no permission to read {unreadable}]");
    }
    text.push_str(&ignored_note(&listing.ignored));
    Ok(Output { text, truncated: listing.truncated })
}
