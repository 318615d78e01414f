//! Summaries of events, on one line each.

use arki_domain::visible::one_line;
use serde_json::Value;

/// A longer summary or error is cut there, in characters.
const SUMMARY_CHARS: usize = 160;

pub(super) fn summary(kind: &str, payload: &Value) -> String {
    let text = |name: &str| payload[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| payload[name].as_u64().unwrap_or_default();
    let count = |name: &str| payload[name].as_array().map_or(0, Vec::len);
    let is = |name: &str| payload[name] == Value::Bool(true);
    let words = match kind {
        "session.created" => text("title"),
        "run.started" => text("prompt"),
        "run.completed" => text("response"),
        "run.paused" | "run.resumed" => text("reason"),
        "run.failed" | "run.cancelled" => failure(payload),
        "engine.request" => format!("{}/{}, {} messages", text("provider"), text("model"), number("messageCount")),
        "engine.response" => {
            let tokens = payload["usage"]["totalTokens"].as_u64();
            let tokens = tokens.map_or_else(|| "tokens unknown".to_owned(), |tokens| format!("{tokens} tokens"));
            format!("{}, {tokens}", text("finishReason"))
        }
        "output.message" => text("content"),
        "message.queued" | "question.asked" | "question.answered" => text("text"),
        "tool.call" => format!("{} {}", text("toolId"), payload["args"]),
        "tool.result" | "tool.async_result" => format!("{}: {}", text("toolId"), text("result")),
        "policy.decided" => format!("{} by {}", text("decision"), text("rule")),
        "approval.requested" => format!("{}: {}", text("toolId"), text("reason")),
        "approval.resolved" => format!("{} by {}", text("decision"), text("resolvedBy")),
        "file.changed" => text("path"),
        "session.forked" => format!("from event {} of {}", number("fromSeq"), text("fromSession")),
        "session.rewound" => format!("{} back to event {}", scope(is("files"), is("conversation")), number("toSeq")),
        "change.taken_back" => format!("the change of event {}", number("seq")),
        "trust.changed" if is("trusted") => format!("trusted with {}", pieces(count("pins"))),
        "trust.changed" => "not trusted".to_owned(),
        "context.compacted" => {
            format!("{}: {} to {} tokens", text("strategy"), number("tokensBefore"), number("tokensAfter"))
        }
        "session.configured" => {
            payload.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join(", ")
        }
        "state.changed" => {
            let keys = payload["set"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
            let removed = payload["removed"].as_array().into_iter().flatten().filter_map(Value::as_str);
            keys.chain(removed).collect::<Vec<_>>().join(", ")
        }
        "working_memory.snapshot" => {
            format!("{} observations, {} reflections", count("observations"), count("reflections"))
        }
        "memory.observed" => texts(&payload["observations"]),
        "memory.reflected" => texts(&payload["reflections"]),
        "memory.reviewed" => format!("{} {}", text("decision"), text("text")).trim_end().to_owned(),
        "artifact.emitted" => format!("{}, {} bytes", text("name"), number("bytes")),
        "queue.changed" => format!("{} waiting, {} told", count("queued"), count("delivered")),
        "subagent.started" => format!("{} in session {}", text("agent"), text("sessionId")),
        "engine.retry" => format!("{}, attempt {}", text("code"), number("attempt")),
        "step.started" | "step.completed" | "step.failed" | "step.skipped" => text("step"),
        _ => payload.to_string(),
    };
    cut(&words)
}

/// Returns the words for what was rewound.
fn scope(files: bool, conversation: bool) -> &'static str {
    match (files, conversation) {
        (true, false) => "files",
        (false, true) => "conversation",
        _ => "files and conversation",
    }
}

fn texts(entries: &Value) -> String {
    let entries = entries.as_array().into_iter().flatten();
    entries.filter_map(|entry| entry["text"].as_str()).collect::<Vec<_>>().join(" ")
}

fn pieces(count: usize) -> String {
    if count == 1 { "1 piece".to_owned() } else { format!("{count} pieces") }
}

/// Why it failed, whatever the event calls it.
pub(super) fn failure(payload: &Value) -> String {
    let text = |name: &str| payload[name].as_str().filter(|text| !text.is_empty());
    let what = ["message", "error", "result"].into_iter().find_map(text);
    match (text("code"), what, payload["exitCode"].as_i64()) {
        (Some(code), Some(what), _) => cut(&format!("{code}: {what}")),
        (Some(code), None, _) => cut(code),
        (None, Some(what), _) => cut(what),
        (None, None, Some(code)) => format!("exit code {code}"),
        (None, None, None) => "interrupted".to_owned(),
    }
}

fn cut(text: &str) -> String {
    let mut line = one_line(text);
    if let Some((at, _)) = line.char_indices().nth(SUMMARY_CHARS) {
        line.truncate(at);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_summary_is_one_line_of_bounded_length() {
        let line = summary("run.started", &json!({"prompt": format!("a\nb {}", "x".repeat(500))}));
        assert!(line.starts_with("a b xxx") && line.ends_with('…'), "{line}");
        assert_eq!(line.chars().count(), SUMMARY_CHARS + 1);
    }

    #[test]
    fn a_kind_from_a_later_version_is_summed_up_by_what_it_says() {
        assert_eq!(summary("plan.imagined", &json!({"a": 1})), "{\"a\":1}");
    }

    #[test]
    fn a_failure_says_what_it_can() {
        assert_eq!(failure(&json!({"code": "X", "message": "no"})), "X: no");
        assert_eq!(failure(&json!({"exitCode": 2})), "exit code 2");
        assert_eq!(failure(&json!({"interrupted": true})), "interrupted");
    }
}
