//! Codex's sessions: `sessions/YEAR/MONTH/DAY/rollout-….jsonl`, an append-only list of items; after a week
//! compressed, as `.jsonl.zst`.
//!
//! A prompt stands there twice: as the user wrote it (`event_msg`), and as the model was sent it, among texts that the
//! program adds in the user's name. The first is taken where there is one.

use crate::fields::{content_text, items, moment, text};
use crate::foreign_session::{ForeignSession, Told};
use crate::lines::read_lines;
use arki_domain::Error;
use serde_json::Value;
use std::path::Path;

/// Reads a session's file.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn read(path: &Path) -> Result<ForeignSession, Error> {
    let lines = read_lines(path)?;
    let mut session = ForeignSession { left_out: lines.left_out, ..ForeignSession::default() };
    let is_users = |line: &Value| text(line, "type") == "event_msg" && text(&line["payload"], "type") == "user_message";
    let has_prompts = lines.values.iter().any(is_users);
    let mut provider = "openai".to_owned();
    for line in &lines.values {
        let (at_ms, payload) = (moment(line, "timestamp"), &line["payload"]);
        match text(line, "type") {
            "session_meta" => note_meta(&mut session, &mut provider, payload),
            "turn_context" if !text(payload, "model").is_empty() => {
                session.note(at_ms, Told::Model(format!("{provider}/{}", text(payload, "model"))));
            }
            "event_msg" => note_event(&mut session, at_ms, payload),
            "response_item" => note_item(&mut session, at_ms, payload, has_prompts),
            _ => {}
        }
    }
    Ok(session)
}

/// The folder of a session that the user began, by its first line; `None` for a sub-agent's.
pub(crate) fn folder_of(first: &Value) -> Option<&str> {
    let meta = &first["payload"];
    let is_users = text(first, "type") == "session_meta" && !meta.get("source").is_some_and(Value::is_object);
    is_users.then(|| text(meta, "cwd"))
}

/// A session that goes on from another one begins with that one's lines, its own description first.
fn note_meta(session: &mut ForeignSession, provider: &mut String, meta: &Value) {
    if !session.id.is_empty() {
        return;
    }
    text(meta, "id").clone_into(&mut session.id);
    text(meta, "cwd").clone_into(&mut session.folder);
    if !text(meta, "model_provider").is_empty() {
        text(meta, "model_provider").clone_into(provider);
    }
}

fn note_event(session: &mut ForeignSession, at_ms: i64, event: &Value) {
    match text(event, "type") {
        "user_message" => session.note(at_ms, Told::Prompt(text(event, "message").to_owned())),
        "thread_rolled_back" => {
            let turns = event.get("num_turns").and_then(Value::as_u64).unwrap_or(1);
            session.forget_last_prompts(usize::try_from(turns).unwrap_or(usize::MAX));
        }
        _ => {}
    }
}

fn note_item(session: &mut ForeignSession, at_ms: i64, item: &Value, has_prompts: bool) {
    let id = || text(item, "call_id").to_owned();
    let told = match text(item, "type") {
        "message" if text(item, "role") == "assistant" => Told::Answer(content_text(&item["content"])),
        "message" if text(item, "role") == "user" && !has_prompts => match content_text(&item["content"]) {
            added if added.starts_with('<') || added.starts_with("# AGENTS.md") => return,
            prompt => Told::Prompt(prompt),
        },
        "reasoning" => {
            let parts: Vec<&str> = items(item, "summary").iter().map(|part| text(part, "text")).collect();
            Told::Thought(parts.join("\n\n"))
        }
        "function_call" => Told::Call { id: id(), tool: text(item, "name").to_owned(), args: arguments(item) },
        "custom_tool_call" => {
            let args = serde_json::json!({ "input": text(item, "input") });
            Told::Call { id: id(), tool: text(item, "name").to_owned(), args }
        }
        "local_shell_call" => {
            let args = item.get("action").cloned().unwrap_or_default();
            Told::Call { id: id(), tool: "local_shell".to_owned(), args }
        }
        "function_call_output" | "custom_tool_call_output" => {
            let (text, is_error) = output(&item["output"]);
            Told::Result { id: id(), text, is_error }
        }
        _ => return,
    };
    session.note(at_ms, told);
}

/// They are JSON in a string.
fn arguments(call: &Value) -> Value {
    let written = text(call, "arguments");
    serde_json::from_str(written).unwrap_or_else(|_| Value::from(written))
}

/// A result is a text, a list of blocks, or an object with either; a text can be such an object once more.
fn output(told: &Value) -> (String, bool) {
    match told {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.get("output").is_some_and(Value::is_string) => output(&inner),
            _ => (text.clone(), false),
        },
        Value::Object(_) => {
            let content = told.get("content").or_else(|| told.get("output")).unwrap_or(&Value::Null);
            let code = told["metadata"]["exit_code"].as_i64();
            let failed = told["success"] == false || code.is_some_and(|code| code != 0);
            (content_text(content), failed)
        }
        blocks => (content_text(blocks), false),
    }
}

#[cfg(test)]
mod tests;
