//! Returns what of an event can be searched for: everything that was said, run and changed. Not what repeats it (an
//! approval's copy of the call, a run's copy of its last answer), nor what only the machine reads.

use arki_domain::{Event, EventBody};
use serde_json::Value;
use std::borrow::Cow;

/// The most that is searched of one event, in bytes; of a longer one its beginning and its end.
pub const MAX_SEARCHABLE_BYTES: usize = 16 << 10;
/// The share of the end in that.
const TAIL_BYTES: usize = 4 << 10;
/// The tool whose results are lines with their numbers.
const NUMBERING_TOOL: &str = "read_file";
/// Stands where the middle was left out.
const GAP: &str = "\n…\n";
/// Arguments of tools that name files.
const PATH_ARGUMENTS: &[&str] = &["path", "paths", "file", "files", "directory"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Searchable<'a> {
    pub(crate) text: Cow<'a, str>,
    /// The files it speaks of, one a line.
    pub(crate) paths: Cow<'a, str>,
    pub(crate) tool: Option<&'a str>,
}

/// `None` where there is nothing to be found.
pub(crate) fn searchable(body: &EventBody) -> Option<Searchable<'_>> {
    let (texts, paths) = (texts(body), paths(body));
    let found = Searchable { text: bounded(joined(&texts)), paths: bounded(joined(&paths)), tool: tool(body) };
    (!found.text.is_empty() || !found.paths.is_empty()).then_some(found)
}

/// All of it, then the files it speaks of, one a line.
pub(crate) fn whole_text(body: &EventBody) -> String {
    [texts(body), paths(body)].concat().join("\n")
}

/// Kinds of events in which there is nothing to be found, which spares these being parsed.
pub(crate) const UNSEARCHABLE: [&str; 4] = ["engine.request", "engine.response", "policy.decided", "trust.changed"];

pub(crate) fn is_searchable(event: &Event) -> bool {
    !UNSEARCHABLE.contains(&event.kind.as_str())
}

fn texts(body: &EventBody) -> Vec<&str> {
    match body {
        EventBody::SessionCreated(created) => vec![&created.title],
        EventBody::MessageQueued(queued) => vec![&queued.text],
        EventBody::QueueChanged(changed) => changed.queued.iter().filter_map(|entry| entry.text.as_deref()).collect(),
        EventBody::QuestionAsked(asked) => {
            std::iter::once(&asked.text).chain(&asked.options).map(String::as_str).collect()
        }
        EventBody::QuestionAnswered(answered) => vec![&answered.text],
        EventBody::RunStarted(started) => vec![&started.prompt],
        EventBody::RunFailed(failed) => vec![&failed.code, &failed.message],
        EventBody::OutputMessage(message) => {
            std::iter::once(message.content.as_str()).chain(message.thoughts.as_deref()).collect()
        }
        EventBody::ApprovalRequested(requested) => vec![&requested.reason],
        EventBody::ApprovalResolved(resolved) => {
            resolved.reason.iter().chain(resolved.edited.values()).map(String::as_str).collect()
        }
        other => texts_of_work(other),
    }
}

fn texts_of_work(body: &EventBody) -> Vec<&str> {
    match body {
        EventBody::ToolCall(call) => {
            let mut texts = Vec::new();
            collect(&call.args, false, &mut |names_files, text| texts.extend((!names_files).then_some(text)));
            texts
        }
        EventBody::ToolResult(result) if result.tool_id == NUMBERING_TOOL => {
            result.result.lines().map(without_number).collect()
        }
        EventBody::ToolResult(result) => vec![&result.result],
        EventBody::ToolAsyncResult(result) => vec![&result.result],
        EventBody::HookRan(hook) => vec![&hook.hook, &hook.command],
        EventBody::ArtifactEmitted(artifact) => vec![&artifact.name],
        EventBody::PlanProposed(plan) => of_plan(&plan.intent, &plan.steps),
        EventBody::PlanUpdated(plan) => of_plan(&plan.intent, &plan.steps),
        EventBody::ContextAdded(added) => vec![&added.origin, &added.text],
        EventBody::ContextCompacted(compacted) => vec![&compacted.summary],
        EventBody::MemoryObserved(observed) => observed.observations.iter().map(|fact| fact.text.as_str()).collect(),
        EventBody::MemoryReviewed(reviewed) => reviewed.text.iter().map(String::as_str).collect(),
        EventBody::MemoryReflected(reflected) => reflected.reflections.iter().map(|fact| fact.text.as_str()).collect(),
        EventBody::StepStarted(step) => vec![&step.step],
        EventBody::StepCompleted(step) => step.output.iter().map(String::as_str).collect(),
        EventBody::StepFailed(step) => vec![&step.step, &step.code, &step.message],
        _ => Vec::new(),
    }
}

/// Removes a line's number: between the lines of a file, numbers would part a phrase and be found by mistake.
fn without_number(line: &str) -> &str {
    match line.split_once('\t') {
        Some((number, text)) if number.trim_start().bytes().all(|byte| byte.is_ascii_digit()) => text,
        _ => line,
    }
}

fn of_plan<'a>(intent: &'a str, steps: &'a [arki_domain::PlanStep]) -> Vec<&'a str> {
    std::iter::once(intent).chain(steps.iter().map(|step| step.title.as_str())).collect()
}

fn paths(body: &EventBody) -> Vec<&str> {
    match body {
        EventBody::ToolCall(call) => {
            let mut paths = Vec::new();
            collect(&call.args, false, &mut |names_files, text| paths.extend(names_files.then_some(text)));
            paths
        }
        EventBody::FileChanged(changed) => vec![&changed.path],
        EventBody::ChangeTakenBack(taken) => taken.changes.iter().map(|file| file.path.as_str()).collect(),
        EventBody::SessionRewound(rewound) => rewound.changes.iter().map(|file| file.path.as_str()).collect(),
        EventBody::ApprovalRequested(requested) => {
            let preview = requested.preview.iter();
            preview.flat_map(|preview| &preview.files_affected).map(String::as_str).collect()
        }
        _ => Vec::new(),
    }
}

fn tool(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::ToolCall(call) => Some(&call.tool_id),
        EventBody::ToolResult(result) => Some(&result.tool_id),
        EventBody::ToolAsyncResult(result) => Some(&result.tool_id),
        EventBody::ApprovalRequested(requested) => Some(&requested.tool_id),
        _ => None,
    }
}

/// Hands over every text of the arguments, and whether it stands under a name that is used for files.
fn collect<'a>(args: &'a Value, names_files: bool, take: &mut impl FnMut(bool, &'a str)) {
    match args {
        Value::String(text) => take(names_files, text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, names_files, take)),
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, PATH_ARGUMENTS.contains(&name.as_str()), take);
            }
        }
        _ => {}
    }
}

fn joined<'a>(texts: &[&'a str]) -> Cow<'a, str> {
    match texts {
        [one] => Cow::Borrowed(one),
        several => Cow::Owned(several.join("\n")),
    }
}

fn bounded(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= MAX_SEARCHABLE_BYTES {
        return text;
    }
    let head = text.floor_char_boundary(MAX_SEARCHABLE_BYTES - TAIL_BYTES - GAP.len());
    let tail = text.ceil_char_boundary(text.len() - TAIL_BYTES);
    Cow::Owned([&text[..head], GAP, &text[tail..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn found(kind: &str, payload: &Value) -> Option<(String, String, Option<String>)> {
        let body = EventBody::parse(kind, &payload.to_string());
        assert_ne!(body, EventBody::Unknown, "{kind} {payload}");
        searchable(&body).map(|found| (found.text.into(), found.paths.into(), found.tool.map(str::to_owned)))
    }

    #[test]
    fn a_calls_texts_are_told_from_the_files_it_names() {
        let args = json!({
            "path": "src/a.rs", "content": "fn a() {}", "more": {"paths": ["b.rs", "c.rs"]}, "limit": 3, "on": true,
        });
        let call = json!({"turn": 1, "callId": "c", "toolId": "write_file", "args": args, "category": null});
        let (text, paths, tool) = found("tool.call", &call).unwrap();
        assert_eq!((text.as_str(), tool.as_deref()), ("fn a() {}", Some("write_file")));
        assert_eq!(paths, "b.rs\nc.rs\nsrc/a.rs");
    }

    #[test]
    fn lines_that_were_read_are_searched_without_their_numbers() {
        let result = |tool: &str| {
            json!({
                "callId": "c", "toolId": tool, "result": "1\tone\n     2\ttwo\t3\nx\tthree\n[cut after line 3 of 9]\n",
                "isError": false, "durationMs": 1, "truncated": true,
            })
        };
        let (text, ..) = found("tool.result", &result("read_file")).unwrap();
        assert_eq!(text, "one\ntwo\t3\nx\tthree\n[cut after line 3 of 9]");
        assert!(found("tool.result", &result("run_command")).unwrap().0.starts_with("1\tone"));
    }

    #[test]
    fn arguments_that_are_no_json_are_searched_as_they_are() {
        let call = json!({"turn": 1, "callId": "c", "toolId": "x", "args": "{broken", "category": null});
        assert_eq!(found("tool.call", &call).unwrap().0, "{broken");
    }

    #[test]
    fn an_approvals_note_and_edits_are_found() {
        let resolved = json!({
            "approvalId": "a", "decision": "approve", "edited": {"1": "mine"}, "reason": "shorter", "resolvedBy": "user",
            "previewHash": "00",
        });
        assert_eq!(found("approval.resolved", &resolved).unwrap().0, "shorter\nmine");
    }

    #[test]
    fn what_says_nothing_is_not_found() {
        assert_eq!(found("run.paused", &json!({"reason": "user"})), None);
        let response = json!({"response": "said before", "turns": 1, "usage": {}});
        assert_eq!(found("run.completed", &response), None);
    }

    #[test]
    fn of_a_long_result_the_beginning_and_the_end_are_kept() {
        let long = format!("begin{}end", "é".repeat(MAX_SEARCHABLE_BYTES));
        let kept = bounded(Cow::Borrowed(&long));
        assert!(kept.len() <= MAX_SEARCHABLE_BYTES && kept.starts_with("begin") && kept.ends_with("end"));
        assert!(kept.contains(GAP));
    }

    proptest! {
        #[test]
        fn no_text_is_longer_than_the_limit(text in "[a-zé😀]{0,80}", times in 1..600_usize) {
            let text = text.repeat(times);
            let kept = bounded(Cow::Borrowed(&text));
            prop_assert!(kept.len() <= MAX_SEARCHABLE_BYTES);
            prop_assert!(text.len() > MAX_SEARCHABLE_BYTES || kept == text);
        }
    }
}
