//! `arki sessions files`: a session's files as they were at any of its events.

use crate::harness::{Stage, payloads, text};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn seq_of_changes(stage: &Stage, session: &str) -> Vec<u64> {
    let events = stage.events(session);
    events.iter().filter(|event| event["type"] == "file.changed").map(|event| event["seq"].as_u64().unwrap()).collect()
}

/// A session that makes, edits and deletes `new.txt`, and edits `old.txt`.
fn session() -> (Stage, String, Vec<u64>) {
    let edit = |path: &str, old: &str, new: &str| {
        Turn::calls().call("edit_file", json!({"path": path, "edits": [{"old_text": old, "new_text": new}]}))
    };
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "new.txt", "content": "one\n"})),
        edit("new.txt", "one", "two"),
        edit("old.txt", "before", "after"),
        Turn::calls().call("delete_file", json!({"path": "new.txt"})),
        Turn::text("Done."),
    ]);
    stage.write("old.txt", "before\n");
    let events = stage.exec(&["go", "--approve", "edits"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    let changes = seq_of_changes(&stage, &session);
    assert_eq!((changes.len(), payloads(&events, "file.changed").len()), (4, 4));
    (stage, session, changes)
}

#[test]
fn files_are_listed_and_printed_as_they_were_at_an_event() {
    let (stage, session, changes) = session();
    // What is on the disk by now plays no part.
    stage.write("old.txt", "something else\n");
    let listed = |at: u64| stage.arki(&["--json", "sessions", "files", &session, "--at", &at.to_string()]).lines();
    assert_eq!(
        listed(changes[1]),
        [json!({"path": "new.txt", "change": "added"}), json!({"path": "old.txt", "change": null})]
    );
    assert_eq!(
        listed(changes[3]),
        [json!({"path": "new.txt", "change": null}), json!({"path": "old.txt", "change": "modified"})]
    );
    let printed = |at: u64, path: &str| {
        stage.arki(&["sessions", "files", &session, path, "--at", &at.to_string()]).exits(0).stdout
    };
    assert_eq!(printed(changes[0], "new.txt"), "one\n");
    assert_eq!(printed(changes[1], "new.txt"), "two\n");
    assert_eq!(printed(changes[1], "old.txt"), "before\n");
    assert_eq!(printed(changes[2], "old.txt"), "after\n");
    let diff = stage.arki(&["sessions", "files", &session, "old.txt", "--diff"]).exits(0).stdout;
    assert!(diff.contains("-before\n+after"), "{diff}");
    let one = &stage.arki(&["--json", "sessions", "files", &session, "old.txt"]).exits(0).lines()[0];
    assert_eq!(one["text"], "after\n");
}

#[test]
fn what_was_not_there_is_an_error_with_a_way_on() {
    let (stage, session, changes) = session();
    let at = changes[3].to_string();
    stage.arki(&["sessions", "files", &session, "new.txt", "--at", &at]).fails(1, "FILE_NOT_FOUND");
    stage.arki(&["sessions", "files", &session, "other.txt"]).fails(1, "FILE_NOT_FOUND");
    stage.arki(&["sessions", "files", &session, "--at", "0"]).fails(2, "EVENT_NOT_FOUND");
    stage.arki(&["sessions", "files", &session, "--at", "9999"]).fails(2, "EVENT_NOT_FOUND");
    let nothing: Vec<Value> = stage.arki(&["--json", "sessions", "files", &session, "--at", "1"]).exits(0).lines();
    assert!(nothing.iter().all(|file| file["change"].is_null()), "{nothing:?}");
}
