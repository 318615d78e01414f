//! A session that outgrows the model's window goes on: what is sent stays within it, the log keeps everything.

use crate::harness::{Stage, payloads};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const WINDOW: usize = 32_768;
const GOAL: &str = "Find every widget and note it down";

/// The server's own count: four bytes of what it was sent are a token.
fn count(request: &Value) -> usize {
    (request["messages"].to_string().len() + request["tools"].to_string().len()) / 4
}

pub(crate) fn is_summary(request: &Value) -> bool {
    request["tools"].as_array().is_none_or(Vec::is_empty)
}

/// One answer, with the server's count of its request.
pub(crate) fn answer(request: &Value, text: &str, call: Option<(&str, Value)>) -> Turn {
    let chunk = |delta: Value, reason: Option<&str>| {
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
    };
    let made = request["messages"].as_array().map_or(0, Vec::len);
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": text}), None)];
    let reason = if call.is_some() { "tool_calls" } else { "stop" };
    if let Some((name, args)) = call {
        let words: String = args.to_string().chars().filter(char::is_ascii_alphanumeric).take(30).collect();
        let id = format!("call_{made}_{words}");
        let function = json!({"name": name, "arguments": args.to_string()});
        chunks.push(chunk(
            json!({"tool_calls": [{"index": 0, "id": id, "type": "function", "function": function}]}),
            None,
        ));
    }
    chunks.push(chunk(json!({}), Some(reason)));
    let prompt = count(request);
    chunks.push(json!({"id": "u", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [],
        "usage": {"prompt_tokens": prompt, "completion_tokens": 10, "total_tokens": prompt + 10}}));
    Turn::chunks(&chunks)
}

fn too_long() -> Turn {
    let error =
        json!({"error": {"code": "context_length_exceeded", "message": "too long", "type": "invalid_request_error"}});
    Turn::json(400, error)
}

/// A model that reads, edits now and then, and ends after so many turns. It refuses what is over its window.
fn worker(turns: usize, summary: impl Fn(&Value) -> Turn + Send + Sync + 'static) -> Script {
    let made = Arc::new(AtomicUsize::new(0));
    Script::new(vec![Turn::computed(move |request| {
        if count(request) > WINDOW {
            return too_long();
        }
        if is_summary(request) {
            return summary(request);
        }
        match made.fetch_add(1, Ordering::SeqCst) {
            0 => answer(
                request,
                "",
                Some(("update_plan", json!({"steps": [{"title": "look through all parts", "state": "in_progress"}]}))),
            ),
            turn if turn + 1 >= turns => answer(request, "All widgets are noted.", None),
            turn if turn % 40 == 5 => {
                let edit = json!({"path": format!("notes/{turn}.txt"), "content": format!("noted {turn}\n")});
                answer(request, "", Some(("write_file", edit)))
            }
            turn => answer(
                request,
                &format!("Part {turn}."),
                Some(("read_file", json!({"path": format!("part{}.txt", turn % 7)}))),
            ),
        }
    })])
}

fn stage(script: Script, window: Option<usize>) -> Stage {
    let stage = Stage::of(script);
    for part in 0..7 {
        let line = format!("line of part {part} with some words about a widget or two and more\n");
        stage.write(&format!("part{part}.txt"), line.repeat(400));
    }
    if let Some(window) = window {
        stage.arki(&["config", "set", "providers.mock.models.mock.contextWindow", &window.to_string()]).exits(0);
    }
    stage.arki(&["config", "set", "limits.maxTurns", "1000"]).exits(0);
    stage
}

fn turns_of(stage: &Stage) -> Vec<Value> {
    stage.model.requests().iter().map(|request| request.json.clone()).filter(|request| !is_summary(request)).collect()
}

#[test]
fn three_hundred_turns_with_two_million_tokens_stay_within_a_window_of_32768() {
    let summary = |request: &Value| answer(request, "Parts were read in order; notes are in notes/.", None);
    let stage = stage(worker(300, summary), Some(WINDOW));
    let done = stage.exec(&["--approve", "edits", GOAL]).exits(0);
    assert!(done.stdout.contains("All widgets are noted."));
    let requests = turns_of(&stage);
    assert_eq!(requests.len(), 300, "a request was refused as too long");
    let log = stage.log();
    let read: usize = payloads(&log, "tool.result").iter().map(|result| result["result"].to_string().len() / 4).sum();
    assert!(read > 1_800_000, "only {read} tokens of results");
    let edited: Vec<String> =
        payloads(&log, "file.changed").iter().map(|change| change["path"].as_str().unwrap().to_owned()).collect();
    assert_eq!(edited.len(), 8);
    for (at, request) in requests.iter().enumerate() {
        let text = request["messages"].to_string();
        assert!(text.contains(GOAL), "request {at} has lost its goal");
        assert!(at == 0 || text.contains("look through all parts"), "request {at} has lost the plan");
        let known = edited.iter().filter(|path| text.contains(*path)).count();
        let made = (0..at).filter(|turn| turn % 40 == 5).count();
        assert!(known >= made, "request {at} knows {known} of {made} changed files");
    }
    let compacted = payloads(&log, "context.compacted");
    assert!(compacted.len() > 5, "{} compactions", compacted.len());
    for one in &compacted {
        assert!(one["tokensAfter"].as_u64() <= one["targetTokens"].as_u64(), "{one}");
        assert!(one["tokensAfter"].as_u64() < one["tokensBefore"].as_u64(), "{one}");
    }
    assert!(compacted.iter().any(|one| one["strategy"] == "prune" || one["strategy"] == "summarize-early"));
    only_grow_between_compactions(&requests, compacted.len());
    stage.verifies();
}

#[track_caller]
fn only_grow_between_compactions(requests: &[Value], compactions: usize) {
    let breaks = requests.windows(2).filter(|pair| {
        let (before, after) = (pair[0]["messages"].as_array().unwrap(), pair[1]["messages"].as_array().unwrap());
        !after.starts_with(before)
    });
    let breaks = breaks.count();
    assert!(breaks <= compactions, "{breaks} breaks in the prefix, {compactions} compactions");
}

#[test]
fn what_the_provider_finds_too_long_is_made_shorter_once_and_sent_again() {
    let summary = |request: &Value| answer(request, "Parts were read.", None);
    let stage = stage(worker(30, summary), None);
    stage.exec(&["--approve", "edits", GOAL]).exits(0);
    let log = stage.log();
    assert!(!payloads(&log, "context.compacted").is_empty());
    assert!(payloads(&log, "run.failed").is_empty());
    stage.verifies();
}

/// The window that a refusal shows is kept for the model: the next run, another process, makes room before it asks.
#[test]
fn a_window_that_a_refusal_showed_is_kept_for_the_model() {
    let small = 20_000;
    for words in [
        "This model's maximum context length is 20000 tokens. However, you requested 31234 tokens.",
        "Your input exceeds the context window of this model.",
    ] {
        let (made, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let refusals = Arc::clone(&refused);
        let script = Script::new(vec![Turn::computed(move |request| {
            if is_summary(request) {
                return answer(request, "Parts were read.", None);
            }
            if count(request) > small {
                refusals.fetch_add(1, Ordering::SeqCst);
                return Turn::json(400, json!({"error": {"message": words}}));
            }
            let turn = made.fetch_add(1, Ordering::SeqCst);
            let read = ("read_file", json!({"path": format!("part{}.txt", turn % 7), "limit": 200}));
            if turn % 12 == 11 { answer(request, "Done.", None) } else { answer(request, "", Some(read)) }
        })]);
        let stage = stage(script, None);
        let provider =
            json!({"kind": "custom", "baseUrl": stage.model.url(), "isLocal": false, "apiKeyEnv": "MOCK_KEY"});
        let config = json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}});
        stage.write_config(&config.to_string());
        stage.exec(&[GOAL]).exits(0);
        let first = refused.load(Ordering::SeqCst);
        assert!(first > 0, "the window wasn't reached");
        let compacted = payloads(&stage.log(), "context.compacted").len();
        stage.exec(&["--continue", GOAL]).exits(0);
        assert_eq!(refused.load(Ordering::SeqCst), first, "{words}: the second run drew a refusal");
        assert!(payloads(&stage.log(), "context.compacted").len() > compacted, "{words}");
        stage.exec(&["a new session"]).exits(0);
        assert_eq!(refused.load(Ordering::SeqCst), first, "{words}: a new session drew a refusal");
        // Whoever sets the window knows better.
        stage.arki(&["config", "set", "providers.mock.models.mock.contextWindow", "100000"]).exits(0);
        stage.exec(&["--continue", GOAL]).exits(0);
        assert!(refused.load(Ordering::SeqCst) > first, "{words}: what was learned outlived the setting");
        stage.verifies();
    }
}

#[test]
fn without_a_usable_summary_the_newest_messages_stay() {
    let bad: [fn(&Value) -> Turn; 4] = [
        |_| Turn::json(500, json!({"error": {"message": "down"}})),
        |request| answer(request, "", None),
        |request| answer(request, &"and so on ".repeat(20_000), None),
        |request| answer(request, "I look.", Some(("read_file", json!({"path": "part0.txt"})))),
    ];
    for summary in bad {
        // Long answers can't be pruned, so that messages have to go.
        let made = Arc::new(AtomicUsize::new(0));
        let script = Script::new(vec![Turn::computed(move |request| {
            if is_summary(request) {
                return summary(request);
            }
            let turn = made.fetch_add(1, Ordering::SeqCst);
            let call = ("read_file", json!({"path": format!("part{}.txt", turn % 7), "limit": 1}));
            let thought = "a long thought about widgets ".repeat(300);
            if turn == 29 { answer(request, "Done.", None) } else { answer(request, &thought, Some(call)) }
        })]);
        let stage = stage(script, Some(WINDOW));
        stage.exec(&[GOAL]).exits(0);
        let compacted = payloads(&stage.log(), "context.compacted");
        assert!(compacted.iter().any(|one| one["strategy"] == "keep-recent"), "{compacted:?}");
        assert!(compacted.iter().all(|one| one["strategy"] != "summarize-early"), "{compacted:?}");
    }
}

#[test]
fn a_result_that_was_taken_out_can_be_read_again() {
    let script = Script::new(vec![Turn::computed(|request| {
        let messages = request["messages"].as_array().unwrap();
        let note = messages.iter().find_map(|message| {
            let text = message["content"].as_str()?;
            let id = text.strip_prefix("[Taken out to save space")?.split('"').nth(1)?;
            Some(id.to_owned())
        });
        let last = messages.last().unwrap()["content"].as_str().unwrap_or_default();
        match (is_summary(request), note) {
            (true, _) => answer(request, "A summary.", None),
            (false, Some(_)) if last.contains("the later part") => answer(request, "Seen again.", None),
            (false, Some(id)) => {
                answer(request, "", Some(("read_result", json!({"call_id": id, "offset": 1900, "limit": 9}))))
            }
            (false, None) => {
                let part =
                    if messages.len() < 3 { "first.txt".to_owned() } else { format!("part{}.txt", messages.len() % 7) };
                answer(request, "", Some(("read_file", json!({"path": part}))))
            }
        }
    })]);
    let stage = stage(script, Some(WINDOW));
    stage.write("first.txt", format!("{}the later part\n", "more\n".repeat(1_903)));
    let done = stage.exec(&[GOAL]).exits(0);
    assert!(done.stdout.contains("Seen again."), "{done:?}");
}

#[test]
fn what_a_known_window_has_no_room_for_is_never_sent() {
    let stage = stage(Script::new(vec![Turn::computed(|request| answer(request, "Done.", None))]), Some(2_048));
    let shown = stage.exec(&[GOAL]).fails(1, "CONTEXT_TOO_LONG");
    assert!(shown.message.contains("window has 2048"), "{shown:?}");
    assert!(shown.hint.contains("arki context") && shown.hint.contains("larger context window"), "{shown:?}");
    assert!(stage.model.requests().is_empty(), "a request was sent");
    // As the hint says: what isn't needed is switched off, and then it fits.
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    let mut arguments = vec!["tools", "--session", &session];
    for tool in ["apply_patch", "ask_user", "delegate", "edit_file", "emit_artifact", "fetch_url", "run_command"] {
        arguments.extend(["--off", tool]);
    }
    stage.arki(&arguments).exits(0);
    stage.arki(&["exec", "--session", &session, GOAL]).exits(0);
    assert_eq!(stage.model.requests().len(), 1);
    stage.verifies();
}

#[test]
fn a_window_that_is_not_known_is_the_providers_to_judge() {
    let script = Script::new(vec![Turn::computed(|_| too_long())]);
    let stage = stage(script, None);
    let shown = stage.exec(&[GOAL]).fails(1, "CONTEXT_TOO_LONG");
    assert!(shown.hint.contains("larger context window"), "{shown:?}");
    assert!(!stage.model.requests().is_empty());
}

#[test]
fn a_window_of_4096_is_worked_in_with_all_tools() {
    const SMALL: usize = 4096;
    let made = Arc::new(AtomicUsize::new(0));
    let script = Script::new(vec![Turn::computed(move |request| {
        if count(request) > SMALL {
            return too_long();
        }
        if is_summary(request) {
            return answer(request, "Parts were read.", None);
        }
        let turn = made.fetch_add(1, Ordering::SeqCst);
        let call = ("read_file", json!({"path": "part0.txt", "offset": 1 + turn * 8, "limit": 8}));
        answer(request, if turn == 29 { "Done." } else { "" }, (turn < 29).then_some(call))
    })]);
    let stage = stage(script, Some(SMALL));
    stage.exec(&[GOAL]).exits(0);
    let log = stage.log();
    assert!(!payloads(&log, "context.compacted").is_empty());
    assert!(turns_of(&stage).iter().all(|request| count(request) <= SMALL));
    assert_eq!(turns_of(&stage).len(), 30, "a request was refused as too long");
    let shown = stage.arki(&["context", "last"]).exits(0).stdout;
    assert!(shown.contains("4096") && !shown.contains("not known"), "{shown}");
}

#[test]
fn the_next_request_is_shown_part_by_part_and_made_shorter_on_request() {
    let summary = |request: &Value| answer(request, "Parts were read.", None);
    let stage = stage(worker(6, summary), Some(WINDOW));
    stage.write("AGENTS.md", "Write short sentences.\n");
    stage.trust();
    stage.exec(&["--approve", "edits", GOAL]).exits(0);
    let fresh = stage.arki(&["context", "--json"]).exits(0).lines();
    let kinds: Vec<&str> = fresh.iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(kinds[0], "base");
    assert!(kinds.contains(&"tools") && fresh.iter().any(|part| part["origin"] == "AGENTS.md"), "{fresh:?}");
    let total = |stage: &Stage| -> u64 {
        let parts = stage.arki(&["context", "last", "--json"]).exits(0).lines();
        parts.iter().map(|part| part["tokens"].as_u64().unwrap()).sum()
    };
    let before = total(&stage);
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    let done = stage.arki(&["sessions", "compact", &session, "--focus", "the widgets", "--json"]).exits(0).lines();
    assert_eq!(done[0]["compacted"], true);
    let after = total(&stage);
    assert!(after < before, "{before} to {after}");
    let shown = stage.arki(&["context", &session]).exits(0).stdout;
    assert!(shown.contains("compacted (") && shown.contains("Left out:"), "{shown}");
    let help = stage.arki(&["context", "--help"]).exits(0).stdout;
    assert!(!help.contains("cost by day"), "{help}");
    // Going back to before it undoes it.
    let seq = stage.log().iter().find(|event| event["type"] == "context.compacted").unwrap()["seq"].as_u64().unwrap();
    stage.arki(&["rewind", &session, "--to", &(seq - 1).to_string(), "--conversation"]).exits(0);
    assert!(total(&stage) >= before * 9 / 10);
    stage.verifies();
}

#[test]
fn a_short_session_is_left_as_it_is() {
    for window in [None, Some(WINDOW)] {
        let stage = stage(Script::new(vec![Turn::text("Hello.")]), window);
        stage.exec(&["hi"]).exits(0);
        let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
        let done = stage.arki(&["sessions", "compact", &session, "--json"]).exits(0).lines();
        assert_eq!(done[0]["compacted"], false);
        assert!(payloads(&stage.log(), "context.compacted").is_empty());
    }
}

#[test]
fn a_limit_on_the_history_shortens_it_in_whole_turns_whatever_the_window() {
    let made = AtomicUsize::new(0);
    let script = Script::new(vec![Turn::computed(move |request| match made.fetch_add(1, Ordering::SeqCst) {
        turn @ 0..14 => answer(request, "", Some(("read_file", json!({"path": format!("{turn}.txt")})))),
        _ => answer(request, "All read.", None),
    })]);
    let stage = Stage::configured(script, &json!({"compaction": {"historyLimit": 10, "strategy": "keep-recent"}}));
    (0..14).for_each(|turn| _ = stage.write(&format!("{turn}.txt"), "word ".repeat(300)));
    let events = stage.exec(&[GOAL]).exits(0).lines();
    assert!(!payloads(&events, "context.compacted").is_empty(), "nothing was compacted");
    let sent = stage.model.requests();
    let last = sent.last().unwrap().json["messages"].as_array().unwrap();
    assert!(last.len() < 22, "{} messages", last.len());
    assert!(Value::from(last.clone()).to_string().contains(GOAL), "the goal stays");
    let calls: Vec<&Value> = last.iter().filter_map(|message| message["tool_calls"].as_array()).flatten().collect();
    let results: Vec<&Value> = last.iter().filter(|message| message["role"] == "tool").collect();
    assert!(calls.iter().map(|call| &call["id"]).eq(results.iter().map(|result| &result["tool_call_id"])));
    stage.verifies();
}
