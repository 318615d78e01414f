//! A tool call in words: what is to be done, and what was done.

use super::draft::{duration, line};
use crate::{Code, ToolResult};
use serde_json::Value;

/// A slower call says how long it took.
const SLOW_MS: u64 = 1000;

/// `to_do` is an instruction ("Run `cargo test`"), `done` a report ("Ran `cargo test`").
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) to_do: String,
    pub(super) done: String,
}

/// The form of the argument in the title.
enum Object {
    Plain(&'static str),
    /// A subject that is shown between backticks.
    Code(&'static str),
    None,
}

impl Phrase {
    pub(super) fn of(tool_id: &str, args: &Value) -> Self {
        let Some((to_do, done, object)) = words(tool_id) else { return Self::general(tool_id) };
        let argument = |name| args.get(name).and_then(Value::as_str).map(line).filter(|text| !text.is_empty());
        let object = match object {
            Object::Plain(name) => argument(name),
            Object::Code(name) => argument(name).map(|text| format!("`{text}`")),
            Object::None => Some(String::new()),
        };
        match object {
            Some(object) => Self {
                to_do: format!("{to_do} {object}").trim_end().to_owned(),
                done: format!("{done} {object}").trim_end().to_owned(),
            },
            None if tool_id == "list_directory" => {
                Self::of(tool_id, &serde_json::json!({"path": "the project folder"}))
            }
            None => Self::general(tool_id),
        }
    }

    /// Returns the words for a tool without words of its own, or a call that is not known.
    pub(super) fn general(tool_id: &str) -> Self {
        let tool = match tool_id.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, tool)) => format!("`{}` of {}", line(tool), line(server)),
            None => format!("`{}`", line(tool_id)),
        };
        Self { to_do: format!("Call {tool}"), done: format!("Called {tool}") }
    }

    pub(super) fn failed(&self) -> String {
        let mut letters = self.to_do.chars();
        let first = letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
        format!("Could not {first}{}", letters.as_str())
    }

    pub(super) fn with_result(&self, result: &ToolResult) -> String {
        if result.async_call_id.is_some() && !result.is_error {
            return format!("In the background: {}", self.to_do);
        }
        let took = duration(result.duration_ms);
        let is_command = result.tool_id == "run_command";
        // A command's result begins with how it ended.
        let exit_code = result.result.lines().next().and_then(|first| first.strip_prefix("exit code "));
        match (result.code.as_deref(), exit_code) {
            (None, Some(exit_code)) if is_command => format!("{} (exit {exit_code}, {took})", self.done),
            (Some(code), _) if is_command && code == Code::TOOL_TIMEOUT.0 => {
                format!("{} (out of time after {took})", self.done)
            }
            (Some(code), _) if is_command && code == Code::CANCELLED.0 => {
                format!("{} (stopped after {took})", self.done)
            }
            (Some(code), _) if result.is_error => format!("{} ({code})", self.failed()),
            (None, _) if result.is_error => self.failed(),
            _ if result.duration_ms >= SLOW_MS => format!("{} ({took})", self.done),
            _ => self.done.clone(),
        }
    }
}

fn words(tool_id: &str) -> Option<(&'static str, &'static str, Object)> {
    Some(match tool_id {
        "read_file" => ("Read", "Read", Object::Plain("path")),
        "list_directory" => ("List", "Listed", Object::Plain("path")),
        "search_files" => ("Search for", "Searched for", Object::Code("pattern")),
        "search_project" => ("Look in the project for", "Looked in the project for", Object::Plain("query")),
        "find_files" => ("Look for", "Looked for", Object::Code("glob")),
        "write_file" => ("Write", "Wrote", Object::Plain("path")),
        "edit_file" => ("Edit", "Edited", Object::Plain("path")),
        "apply_patch" => ("Apply a patch", "Applied a patch", Object::None),
        "delete_file" => ("Delete", "Deleted", Object::Plain("path")),
        "run_command" => ("Run", "Ran", Object::Code("command")),
        "fetch_url" => ("Fetch", "Fetched", Object::Plain("url")),
        "calculate" => ("Calculate", "Calculated", Object::Code("expression")),
        "read_tool_manual" => ("Read the manual of", "Read the manual of", Object::Code("name")),
        "read_procedure" => ("Read the procedure", "Read the procedure", Object::Code("name")),
        "read_skill" => ("Read the skill", "Read the skill", Object::Code("name")),
        "update_plan" => ("Update the plan", "Updated the plan", Object::None),
        "emit_artifact" => ("Keep", "Kept", Object::Plain("name")),
        "ask_user" => ("Ask the user:", "Asked the user:", Object::Plain("question")),
        "delegate" => ("Delegate to", "Delegated to", Object::Plain("agent")),
        "take_changes" => ("Take a sub-agent's changes", "Took a sub-agent's changes", Object::None),
        _ => return None,
    })
}
