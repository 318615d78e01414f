//! The kinds and titles of tools for people.

use crate::messages::{ToolCallLocation, ToolKind};
use arki_engine::one_line;
use serde_json::Value;
use std::path::Path;

/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 160;

/// The facts of a call before anything happens.
pub(crate) struct ToolFacts {
    pub(crate) kind: ToolKind,
    pub(crate) title: String,
    pub(crate) locations: Vec<ToolCallLocation>,
}

/// Each tool's kind, the verb of its title, and the argument that completes it.
const TOOLS: &[(&str, ToolKind, &str, &str)] = &[
    ("apply_patch", ToolKind::Edit, "Apply a patch", ""),
    ("ask_user", ToolKind::Other, "Ask:", "question"),
    ("delegate", ToolKind::Other, "Hand over to", "agent"),
    ("delete_file", ToolKind::Delete, "Delete", "path"),
    ("edit_file", ToolKind::Edit, "Edit", "path"),
    ("emit_artifact", ToolKind::Other, "Keep", "name"),
    ("fetch_url", ToolKind::Fetch, "Fetch", "url"),
    ("find_files", ToolKind::Search, "Find", "glob"),
    ("list_directory", ToolKind::Read, "List", "path"),
    ("read_file", ToolKind::Read, "Read", "path"),
    ("read_procedure", ToolKind::Read, "Read the procedure", "name"),
    ("read_result", ToolKind::Read, "Read an earlier result", ""),
    ("read_skill", ToolKind::Read, "Read the skill", "name"),
    ("read_tool_manual", ToolKind::Read, "Read the manual of", "name"),
    ("run_command", ToolKind::Execute, "", "command"),
    ("search_files", ToolKind::Search, "Search for", "pattern"),
    ("search_project", ToolKind::Search, "Search the project for", "query"),
    ("take_changes", ToolKind::Edit, "Take over changes", ""),
    ("update_plan", ToolKind::Think, "Update the plan", ""),
    ("write_file", ToolKind::Edit, "Write", "path"),
];

/// Returns what a call is, seen from the session's folder.
pub(crate) fn tool_facts(folder: &Path, tool_id: &str, args: &Value) -> ToolFacts {
    let argument = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
    let known = TOOLS.iter().find(|(name, ..)| *name == tool_id);
    let (kind, title) = match known {
        Some((_, kind, verb, "")) => (*kind, (*verb).to_owned()),
        Some((_, kind, "", name)) => (*kind, format!("`{}`", argument(name))),
        Some((_, kind, verb, name)) => (*kind, format!("{verb} {}", argument(name))),
        None => (ToolKind::Other, tool_id.to_owned()),
    };
    let is_file = known.is_some_and(|(tool, .., name)| *name == "path" && *tool != "list_directory");
    let has_path = is_file && !argument("path").is_empty();
    let locations = has_path.then(|| location(folder, argument("path"), args.get("offset").and_then(Value::as_u64)));
    ToolFacts { kind, title: short(&title), locations: locations.into_iter().collect() }
}

/// A place in a file of the folder; lines count from 1.
pub(crate) fn location(folder: &Path, path: &str, line: Option<u64>) -> ToolCallLocation {
    let line = line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    ToolCallLocation { path: folder.join(path).display().to_string(), line }
}

fn short(title: &str) -> String {
    let title = one_line(title);
    if title.chars().count() <= MAX_TITLE_CHARS {
        return title;
    }
    let end = if title.starts_with('`') { "…`" } else { "…" };
    title.chars().take(MAX_TITLE_CHARS).collect::<String>() + end
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_have_titles_kinds_and_places() {
        let facts = |tool: &str, args: Value| {
            let ToolFacts { kind, title, locations } = tool_facts(Path::new("/p"), tool, &args);
            (kind, title, locations.first().map(|place| (place.path.clone(), place.line)))
        };
        let read = facts("read_file", json!({"path": "src/a.rs", "offset": 7}));
        assert_eq!(read, (ToolKind::Read, "Read src/a.rs".into(), Some(("/p/src/a.rs".into(), Some(7)))));
        let ran = facts("run_command", json!({"command": "cargo\ntest"}));
        assert_eq!((ran.0, ran.2), (ToolKind::Execute, None));
        assert!(ran.1.starts_with("`cargo") && !ran.1.contains('\n'), "{}", ran.1);
        assert_eq!(facts("lab__look", json!("raw")), (ToolKind::Other, "lab__look".into(), None));
        assert!(facts("run_command", json!({"command": "x".repeat(999)})).1.ends_with("…`"));
    }
}
