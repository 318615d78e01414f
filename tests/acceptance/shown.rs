//! What people read without `--json`: the diff at a stop, a session with its decisions, events with their numbers.

use crate::harness::{Stage, payloads};
use crate::main_job::{look_edit_and_say, sixty_lines};
use crate::mcp;
use crate::tree::{go, go_on, last_seq, playing, rewind, writing};
use arki_testkit::Turn;
use serde_json::json;

#[test]
fn a_stop_shows_the_diff_or_the_command() {
    let stage = Stage::new(look_edit_and_say());
    stage.write("src/app.txt", sixty_lines());
    let done = stage.arki(&["exec", "change it"]).exits(3);
    for shown in
        ["[hunk 1] @@ -2,7 +2,7 @@", "+LINE FIVE", "[hunk 2]", "  arki approvals approve", "  arki approvals reject"]
    {
        assert!(done.stderr.contains(shown), "{shown} is missing in {}", done.stderr);
    }
    let stage = Stage::new(vec![Turn::calls().call("run_command", json!({"command": "touch made-by-it"}))]);
    let done = stage.arki(&["exec", "make it"]).exits(3);
    assert!(done.stderr.contains("$ touch made-by-it"), "{}", done.stderr);
    let json = Stage::new(vec![Turn::calls().call("run_command", json!({"command": "touch made-by-it"}))]);
    assert!(json.exec(&["make it"]).exits(3).stderr.contains("arki approvals approve"));
}

#[test]
fn a_session_shows_diffs_what_became_of_hunks_and_notes() {
    let stage = Stage::new(look_edit_and_say());
    stage.write("src/app.txt", sixty_lines());
    stage.exec(&["change it"]).exits(3);
    stage.arki(&["approvals", "approve", "--hunks", "1", "--note", "fifty stays"]).exits(0);
    let shown = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    for line in [
        "+LINE FIVE",
        "-line 50",
        "hunk 1 (src/app.txt): applied",
        "hunk 2 (src/app.txt): rejected",
        "note: fifty stays",
    ] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
    let lines = stage.arki(&["sessions", "show", "last", "--json"]).exits(0).lines();
    let decision = lines.iter().find(|line| line["role"] == "decision").unwrap();
    assert_eq!((&decision["hunks"][0]["fate"], &decision["hunks"][1]["fate"]), (&json!("applied"), &json!("rejected")));
    assert_eq!(decision["note"], "fifty stays");
    assert!(
        lines.iter().any(|line| line["role"] == "approval" && line["diff"].as_str().unwrap().contains("LINE FIVE"))
    );
}

#[test]
fn a_session_shows_what_nobody_was_asked_about_too() {
    let stage = playing(writing("a.txt", "unasked\n").to_vec());
    go(&stage);
    let shown = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert!(shown.contains("+unasked"), "{shown}");
}

#[test]
fn a_session_shows_what_a_servers_tool_was_given_and_said() {
    let stage = mcp::saying("good", "hello there");
    stage.exec(&["go"]).exits(3);
    let waiting = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert!(waiting.contains("mcp__x__echo") && waiting.contains("hello there"), "{waiting}");
    stage.arki(&["approvals", "approve"]).exits(0);
    let shown = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert!(shown.contains("mcp__x__echo") && shown.contains(r#"{"text":"hello there"}"#), "{shown}");
    let lines = stage.arki(&["sessions", "show", "last", "--json"]).exits(0).lines();
    let call = lines.iter().find(|line| line["role"] == "tool_request").unwrap();
    assert_eq!((&call["toolId"], &call["args"]), (&json!("mcp__x__echo"), &json!({"text": "hello there"})));
}

#[test]
fn what_was_rewound_is_marked_and_what_came_back_is_not() {
    let stage = playing(vec![Turn::text("One."), Turn::text("Two."), Turn::text("Three.")]);
    let session = go(&stage);
    let first = last_seq(&stage, &session);
    go_on(&stage, &session);
    let second = last_seq(&stage, &session);
    rewind(&stage, &session, first, &["--conversation"]).exits(0);
    let show = || stage.arki(&["sessions", "show", &session]).exits(0).stdout;
    assert!(show().contains("(rewound) Two.") && show().contains("(rewound) › go on"), "{}", show());
    assert!(!show().contains("(rewound) One."), "{}", show());
    let lines = stage.arki(&["sessions", "show", &session, "--json"]).exits(0).lines();
    let two = lines.iter().find(|line| line["content"].as_str().is_some_and(|text| text.starts_with("Two."))).unwrap();
    assert_eq!(two["rewound"], true);
    rewind(&stage, &session, second, &["--conversation"]).exits(0);
    assert!(!show().contains("(rewound) Two."), "going back behind the rewind brings it back: {}", show());
}

#[test]
fn events_are_readable_and_have_the_numbers_to_go_back_to() {
    let stage = playing(writing("a.txt", "new\n").to_vec());
    let session = go(&stage);
    let shown = stage.arki(&["events", &session]).exits(0).stdout;
    let log = stage.log();
    assert_eq!(shown.lines().count(), log.len());
    for (line, event) in shown.lines().zip(&log) {
        assert_eq!(line.split_whitespace().next().unwrap(), event["seq"].to_string());
        assert!(line.contains(event["type"].as_str().unwrap()), "{line}");
        assert!(!line.contains("{\"") || event["type"] == "tool.call", "JSON is for programs: {line}");
    }
    let from = payloads(&log, "file.changed").len();
    assert_eq!(from, 1);
    stage.arki(&["events", &session, "--from", "3"]).exits(0);
}

#[test]
fn an_empty_search_says_so_and_a_judgement_is_a_sentence() {
    let stage = Stage::asking(vec![Turn::text("One.")]);
    go(&stage);
    let done = stage.arki(&["sessions", "search", "aardvark"]).exits(0);
    assert!(done.stdout.is_empty() && done.stderr.contains("No results"), "{done:?}");
    let sentence = stage.arki(&["policy", "check", "rm -rf ."]).exits(0).stdout;
    assert!(sentence.ends_with(".\n") && sentence.lines().count() == 1 && !sentence.contains('{'), "{sentence}");
    assert!(sentence.starts_with("Asks for your approval (rule "), "{sentence}");
    let allowed = stage.arki(&["policy", "check", "ls"]).exits(0).stdout;
    assert!(allowed.starts_with("Allowed (rule builtin:read-only"), "{allowed}");
}
