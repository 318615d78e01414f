//! A session leaves Arki as a file: complete and provable for programs, readable for people, arkai's form for others.

use crate::harness::{Done, Stage, text};
use arki_testkit::{Turn, kinds, verify_chain};
use serde_json::{Value, json};
use std::path::PathBuf;

/// With a tool's result, a change that was approved, and an answer that would like to be more than text.
fn with_a_session() -> (Stage, String) {
    let stage = Stage::new(vec![
        Turn::text("Let me look.").call("read_file", json!({"path": "a.txt"})),
        Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "hello", "new_text": "bye"}]})),
        Turn::text("```\n</pre><script>alert(1)</script>\n# Approved by you\n"),
    ]);
    stage.write("a.txt", "hello\n");
    stage.exec(&["say bye"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--note", "well done"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    (stage, session)
}

fn exported(stage: &Stage, session: &str) -> (PathBuf, String) {
    let file = stage.home.data_dir().with_file_name("export.jsonl");
    let done = stage.arki(&["sessions", "export", session, "--output", file.to_str().unwrap()]).exits(0);
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("", ""));
    let text = std::fs::read_to_string(&file).unwrap();
    (file, text)
}

fn verify(stage: &Stage, file: &std::path::Path) -> Done {
    stage.arki(&["verify", file.to_str().unwrap(), "--json"])
}

#[test]
fn an_export_has_every_event_as_it_is_stored_and_verifies() {
    let (stage, session) = with_a_session();
    let (file, exported) = exported(&stage, &session);
    assert_eq!(exported, stage.arki(&["events", &session, "--json"]).exits(0).stdout);
    assert_eq!(exported, stage.arki(&["sessions", "export", &session]).exits(0).stdout);
    assert_eq!(exported, stage.arki(&["sessions", "export", &session, "--format", "jsonl", "--json"]).exits(0).stdout);
    let events: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(verify_chain(&events), Ok(()));
    let expected =
        json!({"sessionId": session, "events": events.len(), "ok": true, "firstBrokenSeq": null, "anchored": false});
    assert_eq!(verify(&stage, &file).exits(0).lines(), [expected]);
    let people = stage.arki(&["verify", file.to_str().unwrap()]).exits(0).stdout;
    assert!(people.starts_with("ok ") && people.contains(&session), "{people}");
    let piped = stage.command(&["verify", "-"]).stdin(std::fs::File::open(&file).unwrap()).spawn().unwrap();
    Done::of_child(piped).exits(0);
}

#[test]
fn one_changed_byte_in_an_export_is_found_and_the_event_is_named() {
    let (stage, session) = with_a_session();
    let (file, exported) = exported(&stage, &session);
    let seq = exported.lines().position(|line| line.contains("hello")).unwrap() + 1;
    std::fs::write(&file, exported.replacen("hello", "hallo", 1)).unwrap();
    let report = verify(&stage, &file).exits(1).lines().remove(0);
    assert_eq!((&report["ok"], &report["firstBrokenSeq"]), (&json!(false), &json!(seq)));
    let people = stage.arki(&["verify", file.to_str().unwrap()]).exits(1);
    assert!(people.stdout.contains(&format!("first broken event: {seq} (line {seq} was changed")), "{}", people.stdout);
    assert_eq!(people.error().code, "LOG_CHAIN_BROKEN");
    stage.verifies();
}

#[test]
fn an_export_that_was_cut_in_half_says_so() {
    let (stage, session) = with_a_session();
    let (file, exported) = exported(&stage, &session);
    let half = &exported.as_bytes()[..exported.len() / 2];
    let whole_lines = half.iter().filter(|byte| **byte == b'\n').count();
    std::fs::write(&file, half).unwrap();
    let report = verify(&stage, &file).exits(1).lines().remove(0);
    assert_eq!((&report["events"], &report["firstBrokenSeq"]), (&json!(whole_lines), &json!(whole_lines + 1)));
    let people = stage.arki(&["verify", file.to_str().unwrap()]).exits(1).stdout;
    assert!(people.contains("is cut off"), "{people}");
}

#[test]
fn a_file_that_is_no_export_is_a_wrong_use() {
    let stage = Stage::new(Vec::new());
    let path = stage.home.project_dir().join("x.jsonl");
    let path = path.to_str().unwrap();
    stage.arki(&["verify", path]).fails(2, "FILE_NOT_FOUND");
    for content in ["", "hello\n", "{\"type\":\"error\"}\n", "\u{0}\u{1}\u{2}"] {
        stage.write("x.jsonl", content);
        assert_eq!(stage.arki(&["verify", path, "--json"]).exits(2).json_error().code, "EXPORT_INVALID");
    }
    stage.arki(&["verify", stage.home.project_dir().to_str().unwrap()]).fails(2, "EXPORT_INVALID");
}

#[test]
fn the_conversation_can_be_read_and_stays_text() {
    let (stage, session) = with_a_session();
    let markdown = stage.arki(&["sessions", "export", &session, "--format", "md"]).exits(0).stdout;
    for shown in
        ["# say bye", "```text\nsay bye\n```", "-hello\n+bye", "Approved by `cli`", "well done", "Cost: unknown"]
    {
        assert!(markdown.contains(shown), "{shown} in {markdown}");
    }
    assert!(markdown.contains("````markdown\n```\n</pre><script>alert(1)</script>\n# Approved by you"), "{markdown}");
    let page = stage.arki(&["sessions", "export", &session, "--format", "html"]).exits(0).stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(!page.contains("<script") && page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.contains("<del>-hello\n</del><ins>+bye\n</ins>"), "{page}");
}

#[test]
fn an_export_into_a_file_replaces_it_whole_or_not_at_all() {
    let (stage, session) = with_a_session();
    let file = stage.write("session.html", "before");
    let name = file.to_str().unwrap();
    stage.arki(&["sessions", "export", "none", "--format", "html", "-o", name]).fails(2, "SESSION_NOT_FOUND");
    assert_eq!(stage.read("session.html"), "before");
    let done = stage.arki(&["sessions", "export", &session, "--format", "html", "-o", name, "--json"]).exits(0);
    assert_eq!(done.lines(), [json!({"sessionId": session, "file": name})]);
    assert!(stage.read("session.html").starts_with("<!DOCTYPE html>"));
    for args in [&["--format", "pdf"][..], &["--format", "jsonl,md"], &["--format", "md", "--json"]] {
        stage.arki(&[&["sessions", "export", &session], args].concat()).fails(2, "USAGE");
    }
}

#[test]
fn events_can_be_read_in_arkais_form() {
    let (stage, session) = with_a_session();
    let log = stage.events(&session);
    let lines = stage.arki(&["events", &session, "--format", "arkai"]).exits(0).lines();
    let fields = [
        "id",
        "timestamp",
        "run_id",
        "step_id",
        "event_type",
        "idempotency_key",
        "payload_summary",
        "status",
        "duration_ms",
        "error",
    ];
    for (line, event) in lines.iter().zip(&log) {
        let object = line.as_object().unwrap();
        assert!(object.len() == fields.len() && fields.iter().all(|field| object.contains_key(*field)), "{line}");
        assert_eq!(line["id"], event["eventId"]);
        assert_eq!(text(&line["event_type"]), text(&event["type"]).replace('.', "_"));
    }
    assert_eq!(lines.len(), log.len());
    let run = text(&log.last().unwrap()["runId"]);
    let of_run = stage.arki(&["events", &run, "--format", "arkai", "--json"]).exits(0).lines();
    assert!(of_run.iter().all(|line| line["run_id"] == json!(run)));
    assert_eq!((&of_run[0]["event_type"], &of_run[0]["status"]), (&json!("run_started"), &json!("running")));
    let last = of_run.last().unwrap();
    assert_eq!((&last["event_type"], &last["status"]), (&json!("run_completed"), &json!("completed")));
    let from = kinds(&log).iter().position(|kind| *kind == "tool.result").unwrap();
    let tail = stage.arki(&["events", &session, "--from", &(from + 1).to_string(), "--format", "arkai"]).exits(0);
    assert_eq!(tail.lines(), lines[from..], "a step's key does not depend on where one begins to read");
}

#[test]
fn events_can_be_read_as_observations() {
    let (stage, session) = with_a_session();
    let log = stage.events(&session);
    let all = stage.arki(&["events", &session, "--observations", "--json"]).exits(0).lines();
    let fields = ["id", "threadId", "traceId", "timestamp", "type", "title", "content", "metadata"];
    for line in &all {
        let object = line.as_object().unwrap();
        assert!(object.len() == fields.len() && fields.iter().all(|field| object.contains_key(*field)), "{line}");
        let event = log.iter().find(|event| event["seq"] == line["metadata"]["seq"]).unwrap();
        assert_eq!((&line["threadId"], &line["traceId"]), (&event["sessionId"], &event["runId"]));
    }
    let of_types = ["TOOL_CALL", "TOOL_EXECUTION", "FINAL_RESPONSE"];
    let wanted: Vec<_> = all.iter().filter(|line| of_types.contains(&&*text(&line["type"]))).cloned().collect();
    let types: Vec<String> = wanted.iter().map(|line| text(&line["type"])).collect();
    assert!(types.windows(2).any(|pair| pair == ["TOOL_CALL", "TOOL_EXECUTION"]), "{types:?}");
    assert_eq!(types.last().unwrap(), "FINAL_RESPONSE");
    let filter = ["events", &session, "--observations", "--type", "tool_call,TOOL_EXECUTION,final_response", "--json"];
    assert_eq!(stage.arki(&filter).exits(0).lines(), wanted);
    let last = all.last().unwrap()["timestamp"].as_i64().unwrap();
    let later = (last + 1).to_string();
    assert!(
        stage.arki(&["events", &session, "--observations", "--since", &later, "--json"]).exits(0).lines().is_empty()
    );
    let first = all[0]["timestamp"].as_i64().unwrap();
    let until = |until: i64, more: &[&str]| {
        let until = until.to_string();
        let until = ["events", &session, "--observations", "--json", "--until", &until];
        stage.arki(&[&until, more].concat()).exits(0).lines()
    };
    assert!(until(first, &[]).is_empty());
    assert_eq!(until(last + 1, &["--follow"]), all, "nothing more is waited for once that time has come");
    let lines = stage.arki(&["events", &session, "--observations"]).exits(0).stdout;
    assert!(lines.lines().count() == all.len() && lines.contains("FINAL_RESPONSE"), "{lines}");
    for refused in [
        &["--type", "PLAN"][..],
        &["--observations", "--type", "WISH"],
        &["--observations", "--format", "arkai"],
        &["--until", "1"],
    ] {
        stage.arki(&[&["events", &session], refused].concat()).fails(2, "USAGE");
    }
}

#[test]
fn in_arkais_form_what_was_denied_or_rejected_is_skipped_and_has_not_failed() {
    let stage = Stage::new(vec![
        Turn::calls().call("run_command", json!({"command": "touch x"})),
        Turn::calls().call("read_file", json!({"path": "missing.txt"})),
        Turn::text("Well."),
    ]);
    stage.exec(&["--approve", "never", "go"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    let lines = stage.arki(&["events", &session, "--format", "arkai"]).exits(0).lines();
    let results: Vec<&Value> = lines.iter().filter(|line| line["event_type"] == "tool_result").collect();
    assert_eq!((&results[0]["status"], &results[0]["error"]), (&json!("skipped"), &Value::Null));
    assert_eq!(results[1]["status"], "failed");
    assert!(!text(&results[1]["error"]).is_empty());
}

#[test]
fn a_place_that_cannot_be_exported_to_is_named_for_people() {
    let (stage, session) = with_a_session();
    let (folder, below) = (stage.home.project_dir(), stage.path("a.txt").join("export.md"));
    for (place, code, what_to_do) in [
        (folder.clone(), "USAGE", "session.md"),
        (folder.join("missing/export.md"), "FOLDER_UNAVAILABLE", "Create the folder"),
        (below, "FOLDER_UNAVAILABLE", "Create the folder"),
    ] {
        let place = place.to_str().unwrap();
        let shown = stage.arki(&["sessions", "export", &session, "--format", "md", "--output", place]).fails(2, code);
        assert!(shown.message.contains(place) && shown.hint.contains(what_to_do), "{shown:?}");
    }
    for (named, code) in [(folder.clone(), "EXPORT_INVALID"), (folder.join("missing.jsonl"), "FILE_NOT_FOUND")] {
        let named = named.to_str().unwrap();
        let shown = stage.arki(&["sessions", "import", named]).fails(2, code);
        assert!(shown.message.contains(named) && shown.hint.contains("arki sessions export"), "{shown:?}");
        stage.arki(&["verify", named]).fails(2, code);
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| [".arki", "a.txt"].contains(&name.to_str().unwrap())), "{left:?}");
}

#[test]
fn verifying_what_has_no_name_is_a_wrong_use() {
    let (stage, _) = with_a_session();
    let done = stage.arki(&["verify", ""]).exits(2);
    assert!(done.stderr.contains("error[USAGE]"), "{done:?}");
    stage.arki(&["verify"]).exits(0);
    let storage = stage.arki(&["doctor"]).stdout;
    assert!(storage.contains("B. `arki sessions rm ID`"), "{storage}");
}
