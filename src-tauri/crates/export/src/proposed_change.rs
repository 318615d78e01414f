//! The change that a call would make, as its arguments say it: shown as a diff where no preview was made.

use arki_domain::projection::{CallItem, ItemPart};
use arki_domain::{Category, Decision, PolicyDecided};
use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

/// Longer texts are shown as one removal and one addition: comparing them costs more than it tells.
const MAX_COMPARED_BYTES: usize = 64 << 10;

/// The diff of what a call would write, where this part of it is the first to show it: no approval did.
#[must_use]
pub fn new_diff(call: &CallItem, part: ItemPart) -> Option<String> {
    let is_shown = |decisions: &[PolicyDecided]| decisions.iter().any(|decided| shows_diff(call, decided));
    let (is_due, earlier) = match (part, call.decisions.as_slice()) {
        (ItemPart::Decision, [earlier @ .., last]) => (shows_diff(call, last), earlier),
        (ItemPart::Result | ItemPart::Placeholder | ItemPart::Unanswered, all) => (true, all),
        _ => return None,
    };
    (is_due && call.approval.is_none() && !is_shown(earlier)).then(|| proposed_diff(call)).flatten()
}

fn shows_diff(call: &CallItem, decided: &PolicyDecided) -> bool {
    decided.decision == Decision::Allow && call.category != Some(Category::Read)
}

/// The arguments, but for the text that [`proposed_diff`] shows.
pub(crate) fn arguments_without_text(call: &CallItem) -> String {
    let shown_apart: &[&str] = match (proposed_diff(call), call.tool_id.as_str()) {
        (Some(_), "edit_file") => &["edits"],
        (Some(_), "write_file") => &["content"],
        (Some(_), "apply_patch") => &["patch"],
        _ => &[],
    };
    match &call.args {
        Value::String(raw) => raw.clone(),
        Value::Object(map) => {
            let kept: Map<String, Value> = map
                .iter()
                .filter(|(name, _)| !shown_apart.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            pretty(&Value::Object(kept))
        }
        other => pretty(other),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// `None` for a call that writes no text, or whose arguments are not what the tool asks for.
fn proposed_diff(call: &CallItem) -> Option<String> {
    let argument = |name: &str| call.args.get(name)?.as_str();
    match call.tool_id.as_str() {
        "apply_patch" => argument("patch").map(str::to_owned),
        "write_file" => {
            let mut diff = format!("+++ {}\n", argument("path")?);
            push_lines(&mut diff, '+', argument("content")?);
            Some(diff)
        }
        "edit_file" => edits(argument("path")?, call.args.get("edits")?.as_array()?),
        _ => None,
    }
}

fn edits(path: &str, edits: &[Value]) -> Option<String> {
    let mut diff = format!("--- {path}\n+++ {path}\n");
    for (index, edit) in edits.iter().enumerate() {
        let (old, new) = (edit.get("old_text")?.as_str()?, edit.get("new_text")?.as_str()?);
        let everywhere = if edit.get("replace_all") == Some(&Value::Bool(true)) { ", everywhere" } else { "" };
        diff.push_str(&format!("@@ edit {} of {}{everywhere} @@\n", index + 1, edits.len()));
        push_edit(&mut diff, old, new);
    }
    Some(diff)
}

fn push_edit(diff: &mut String, old: &str, new: &str) {
    if old.len() + new.len() > MAX_COMPARED_BYTES {
        push_lines(diff, '-', old);
        push_lines(diff, '+', new);
        return;
    }
    for change in TextDiff::from_lines(old, new).iter_all_changes() {
        let sign = match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        push_lines(diff, sign, change.value());
    }
}

fn push_lines(diff: &mut String, sign: char, text: &str) {
    for line in text.split_terminator('\n') {
        diff.push(sign);
        diff.push_str(line);
        diff.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::CallId;
    use serde_json::json;

    fn call(tool_id: &str, args: Value) -> CallItem {
        CallItem { category: Some(Category::Write), ..CallItem::new(None, CallId::from("c"), tool_id, args) }
    }

    #[test]
    fn an_edit_is_shown_as_a_diff_and_no_longer_among_the_arguments() {
        let args = json!({"path": "a.rs", "edits": [{"old_text": "one\ntwo\n", "new_text": "one\n2\n"}]});
        let call = call("edit_file", args);
        assert_eq!(proposed_diff(&call).unwrap(), "--- a.rs\n+++ a.rs\n@@ edit 1 of 1 @@\n one\n-two\n+2\n");
        assert_eq!(arguments_without_text(&call), "{\n  \"path\": \"a.rs\"\n}");
    }

    #[test]
    fn texts_longer_than_the_limit_are_not_compared() {
        let long = "same\n".repeat(MAX_COMPARED_BYTES / 5 + 1);
        let args = json!({"path": "a", "edits": [{"old_text": long, "new_text": "same\n", "replace_all": true}]});
        let diff = proposed_diff(&call("edit_file", args)).unwrap();
        assert!(diff.contains("everywhere") && diff.ends_with("-same\n+same\n"));
    }

    #[test]
    fn arguments_that_are_not_what_the_tool_asks_for_stay_as_they_are() {
        for args in [json!({"path": "a", "edits": [{"old": 1}]}), json!("{not json")] {
            let call = call("edit_file", args.clone());
            assert_eq!(proposed_diff(&call), None);
            assert_eq!(arguments_without_text(&call), args.as_str().map_or_else(|| pretty(&args), str::to_owned));
        }
    }
}
