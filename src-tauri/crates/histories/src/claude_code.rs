//! Claude Code's sessions: `projects/FOLDER/ID.jsonl`, an append-only tree of lines.
//!
//! Each line names the one it follows, and going back begins a new branch, so the conversation is the way from the last
//! line to its beginning. A compaction begins a new tree whose first line names, apart, the one that it logically
//! follows. Results of calls made at once hang beside that way; they belong to it where their call does.

use crate::fields::{content_text, is_set, items, moment, text};
use crate::foreign_session::{ForeignSession, Told};
use crate::lines::read_lines;
use arki_domain::Error;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Words that the program puts into the user's mouth begin so.
const NOT_THE_USERS: [&str; 5] =
    ["<command-", "<local-command-", "<bash-", "<task-notification", "[Request interrupted by user"];

/// Reads a session's file.
///
/// # Errors
/// `HISTORY_UNREADABLE`.
pub(crate) fn read(path: &Path) -> Result<ForeignSession, Error> {
    let lines = read_lines(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut session = ForeignSession { id: name, left_out: lines.left_out, ..ForeignSession::default() };
    let way = Way::to_the_end_of(&lines.values);
    let mut model = String::new();
    for line in &lines.values {
        note_session(&mut session, line);
        if way.has(line) {
            note_line(&mut session, &mut model, line, &way);
        } else {
            note_results(&mut session, line, &way);
        }
    }
    Ok(session)
}

/// The lines of the conversation as it stands, and the calls that they make.
struct Way<'a> {
    lines: HashSet<&'a str>,
    calls: HashSet<&'a str>,
    /// The first line, where what it follows is in no file that is read.
    is_cut: bool,
}

impl<'a> Way<'a> {
    fn to_the_end_of(values: &'a [Value]) -> Self {
        let mut said = values.iter().filter(|line| matches!(text(line, "type"), "user" | "assistant"));
        let last = said.rfind(|line| !is_set(line, "isSidechain"));
        let by_id: HashMap<&str, &Value> =
            values.iter().rev().map(|line| (text(line, "uuid"), line)).filter(|(id, _)| !id.is_empty()).collect();
        let mut way = Self { lines: HashSet::new(), calls: HashSet::new(), is_cut: false };
        let mut next = last;
        while let Some(line) = next {
            if !way.lines.insert(text(line, "uuid")) {
                break;
            }
            let calls = items(&line["message"], "content").iter().filter(|block| text(block, "type") == "tool_use");
            way.calls.extend(calls.map(|call| text(call, "id")));
            let before = [text(line, "parentUuid"), text(line, "logicalParentUuid")];
            let before = before.into_iter().find(|id| !id.is_empty());
            next = before.and_then(|id| by_id.get(id).copied());
            way.is_cut = before.is_some() && next.is_none();
        }
        way
    }

    fn has(&self, line: &Value) -> bool {
        self.lines.contains(text(line, "uuid"))
    }
}

fn note_session(session: &mut ForeignSession, line: &Value) {
    if session.folder.is_empty() {
        session.folder = text(line, "cwd").to_owned();
    }
    let title = match text(line, "type") {
        "custom-title" => text(line, "customTitle"),
        "ai-title" => text(line, "aiTitle"),
        "summary" => text(line, "summary"),
        _ => return,
    };
    if !title.is_empty() {
        session.title = title.to_owned();
    }
}

fn note_line(session: &mut ForeignSession, model: &mut String, line: &Value, way: &Way<'_>) {
    let at_ms = moment(line, "timestamp");
    let message = &line["message"];
    match text(line, "type") {
        "assistant" if text(message, "model") != "<synthetic>" => {
            let named = text(message, "model");
            if !named.is_empty() && named != model {
                named.clone_into(model);
                session.note(at_ms, Told::Model(format!("anthropic/{named}")));
            }
            items(message, "content").iter().for_each(|block| note_block(session, at_ms, block));
        }
        "user" => {
            note_results(session, line, way);
            let is_summary = is_set(line, "isCompactSummary") && !way.is_cut;
            let said = content_text(&message["content"]);
            let is_the_users = !is_set(line, "isMeta") && !NOT_THE_USERS.iter().any(|words| said.starts_with(words));
            if is_the_users && !is_summary {
                session.note(at_ms, Told::Prompt(said));
            }
        }
        _ => {}
    }
}

fn note_block(session: &mut ForeignSession, at_ms: i64, block: &Value) {
    let told = match text(block, "type") {
        "text" => Told::Answer(text(block, "text").to_owned()),
        "thinking" => Told::Thought(text(block, "thinking").to_owned()),
        "tool_use" => Told::Call {
            id: text(block, "id").to_owned(),
            tool: text(block, "name").to_owned(),
            args: block.get("input").cloned().unwrap_or_default(),
        },
        _ => return,
    };
    session.note(at_ms, told);
}

fn note_results(session: &mut ForeignSession, line: &Value, way: &Way<'_>) {
    for block in items(&line["message"], "content") {
        let id = text(block, "tool_use_id");
        if text(block, "type") == "tool_result" && way.calls.contains(id) {
            let text = content_text(&block["content"]);
            let told = Told::Result { id: id.to_owned(), text, is_error: is_set(block, "is_error") };
            session.note(moment(line, "timestamp"), told);
        }
    }
}

#[cfg(test)]
mod tests;
