//! `arki blame` says who wrote each line, and `arki undo` takes one change back alone.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{
    are, change_seq, commanding, editing, go, go_on, last_seq, playing, rewind, session_of, tree, writing,
};
use arki_testkit::{Turn, verify_chain};
use serde_json::{Value, json};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn undo(stage: &Stage, session: &str, seq: u64, more: &[&str]) -> crate::harness::Done {
    stage.arki(&[&["undo", session, &seq.to_string(), "--json"], more].concat())
}

/// Two changes of one file, ten lines before; the session.
fn changed_twice(first: [Turn; 2], second: [Turn; 2]) -> (Stage, String) {
    let stage = playing([first, second].concat());
    stage.write("a.txt", TEN);
    let session = go(&stage);
    go_on(&stage, &session);
    (stage, session)
}

#[test]
fn one_change_is_taken_back_and_later_ones_stay() {
    let (stage, session) = changed_twice(editing("a.txt", "2\n", "two\n"), editing("a.txt", "8\n", "eight\n"));
    let seq = change_seq(&stage, &session, 0);
    let before = (tree(&stage), stage.events(&session));
    are(&undo(&stage, &session, seq, &["--dry-run"]).exits(0), &[("a.txt", "restore")]);
    assert_eq!((tree(&stage), stage.events(&session)), before, "a dry run changes nothing");
    are(&undo(&stage, &session, seq, &[]).exits(0), &[("a.txt", "restore")]);
    assert_eq!(stage.read("a.txt"), TEN.replace("8\n", "eight\n"));
    let events = stage.events(&session);
    let taken = payload(&events, "change.taken_back");
    assert_eq!((&taken["seq"], &taken["callId"]), (&json!(seq), &payloads(&events, "file.changed")[0]["callId"]));
    assert_eq!(verify_chain(&events), Ok(()));
    // Once more there is nothing left of it.
    are(&undo(&stage, &session, seq, &[]).exits(0), &[("a.txt", "keep")]);
    assert_eq!(stage.read("a.txt"), TEN.replace("8\n", "eight\n"));
    // Going back reaches behind it, and before everything.
    rewind(&stage, &session, before.1.len() as u64, &["--files"]).exits(0);
    assert_eq!(tree(&stage), before.0);
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    assert_eq!(stage.read("a.txt"), TEN);
    stage.verifies();
}

#[test]
fn a_change_that_was_changed_again_is_a_conflict_and_nothing_is_written() {
    let (stage, session) = changed_twice(editing("a.txt", "2\n", "two\n"), editing("a.txt", "two\n", "zwei\n"));
    let before = (tree(&stage), stage.events(&session));
    let (first, second) = (change_seq(&stage, &session, 0), change_seq(&stage, &session, 1));
    are(&undo(&stage, &session, first, &["--dry-run"]).exits(0), &[("a.txt", "conflict")]);
    assert_eq!(undo(&stage, &session, first, &[]).exits(1).json_error().code, "CHANGE_CONFLICT");
    assert_eq!((tree(&stage), stage.events(&session)), before);
    // The later one first.
    undo(&stage, &session, second, &[]).exits(0);
    undo(&stage, &session, first, &[]).exits(0);
    assert_eq!(stage.read("a.txt"), TEN);
}

#[test]
fn a_made_file_goes_and_one_that_the_user_edited_stays() {
    let (stage, session) = changed_twice(writing("new/b.txt", "b\n"), writing("c.txt", "c\n"));
    stage.write("c.txt", "the user's\n");
    are(&undo(&stage, &session, change_seq(&stage, &session, 0), &[]).exits(0), &[("new/b.txt", "delete")]);
    assert!(!stage.path("new/b.txt").exists());
    let shown = undo(&stage, &session, change_seq(&stage, &session, 1), &[]).exits(1).json_error();
    assert_eq!(shown.code, "CHANGE_CONFLICT");
    assert_eq!(stage.read("c.txt"), "the user's\n");
}

#[test]
fn what_is_no_change_and_where_nothing_may_be_written_is_said() {
    let (stage, session) = changed_twice(editing("a.txt", "2\n", "two\n"), editing("a.txt", "8\n", "eight\n"));
    let last = last_seq(&stage, &session);
    for seq in [0, 1, last, last + 1, u64::MAX] {
        assert_eq!(undo(&stage, &session, seq, &[]).exits(2).json_error().code, "CHANGE_NOT_FOUND");
    }
    stage.arki(&["undo", &session, "x"]).fails(2, "USAGE");
    stage.arki(&["undo", &session]).fails(2, "USAGE");
    undo(&stage, "none", 1, &[]).fails(2, "SESSION_NOT_FOUND");
    let before = (tree(&stage), stage.events(&session));
    stage.arki(&["untrust"]).exits(0);
    let change = change_seq(&stage, &session, 0);
    assert_eq!(undo(&stage, &session, change, &[]).exits(1).json_error().code, "UNTRUSTED");
    are(&undo(&stage, &session, change, &["--dry-run"]).exits(0), &[("a.txt", "restore")]);
    assert_eq!((tree(&stage), stage.events(&session)), before);
}

/// `author` of each line.
fn authors(lines: &[Value]) -> Vec<String> {
    lines.iter().map(|line| text(&line["author"])).collect()
}

#[test]
fn blaming_what_is_no_file_of_the_project_is_a_wrong_use() {
    let stage = playing(vec![Turn::text("Done.")]);
    stage.arki(&["blame", "../x"]).fails(2, "PATH_OUTSIDE_PROJECT");
    stage.arki(&["blame", ""]).exits(2);
}

fn blame(stage: &Stage, path: &str) -> Vec<Value> {
    stage.arki(&["blame", path, "--json"]).exits(0).lines()
}

#[test]
fn each_line_has_who_wrote_it_also_across_sessions() {
    let stage = playing(
        [
            editing("a.txt", "2\n", "two\n").to_vec(),
            editing("a.txt", "4\n", "four\nand a half\n").to_vec(),
            vec![Turn::text("Nothing.")],
        ]
        .concat(),
    );
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    let first = session_of(&stage.exec(&["first"]).exits(3).lines());
    let approval = stage.waiting();
    stage.arki(&["approvals", "approve", &approval]).exits(0);
    let second = go(&stage);
    stage.write("a.txt", stage.read("a.txt").replace("5\n", "five\n"));
    let lines = blame(&stage, "a.txt");
    assert_eq!(authors(&lines), ["before", "arki", "before", "arki", "arki", "user"]);
    assert_eq!(lines.iter().map(|line| line["number"].as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(text(&lines[4]["text"]), "and a half");
    let events = stage.events(&first);
    let call = payload(&events, "tool.call");
    let line = &lines[1];
    assert_eq!(line["sessionId"], json!(first));
    assert_eq!(line["seq"], json!(change_seq(&stage, &first, 0)));
    assert_eq!((&line["runId"], &line["turn"]), (&events.last().unwrap()["runId"], &json!(1)));
    assert_eq!((&line["callId"], &line["toolId"]), (&call["callId"], &json!("edit_file")));
    assert_eq!(line["approvalId"], json!(approval));
    assert_eq!((&lines[3]["sessionId"], &lines[3]["approvalId"]), (&json!(second), &Value::Null));
    assert!(lines[0]["sessionId"].is_null() && lines[5]["seq"].is_null());
    let people = stage.arki(&["blame", "a.txt"]).exits(0).stdout;
    assert!(people.lines().count() == 6 && people.contains("you") && people.contains("and a half"), "{people}");
    let (absolute, path) = (stage.path("a.txt"), "./a.txt");
    assert_eq!(blame(&stage, absolute.to_str().unwrap()), lines);
    assert_eq!(blame(&stage, path), lines);
}

#[test]
fn line_endings_and_the_files_end_do_not_change_who_wrote_the_words() {
    let stage = playing(editing("a.txt", "two", "zwei").to_vec());
    stage.write("a.txt", "one\r\ntwo\r\nthree");
    go(&stage);
    assert_eq!(authors(&blame(&stage, "a.txt")), ["before", "arki", "before"]);
    let words: Vec<String> = blame(&stage, "a.txt").iter().map(|line| text(&line["text"])).collect();
    assert_eq!(words, ["one", "zwei", "three"]);
    stage.write("a.txt", stage.read("a.txt").replace("\r\n", "\n") + "\n");
    assert_eq!(authors(&blame(&stage, "a.txt")), ["before", "arki", "before"]);
}

#[test]
fn moved_lines_are_by_who_moved_them_and_restored_ones_come_back() {
    let stage = playing(writing("a.txt", "c\na\nb\n").to_vec());
    stage.write("a.txt", "a\nb\nc\n");
    let session = go(&stage);
    assert_eq!(authors(&blame(&stage, "a.txt")), ["arki", "before", "before"]);
    stage.write("a.txt", "a\nb\nc\nd\n");
    assert_eq!(authors(&blame(&stage, "a.txt")), ["before", "before", "user", "user"]);
    stage.write("a.txt", "c\na\nb\n");
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    assert_eq!(blame(&stage, "a.txt").len(), 3);
}

#[test]
fn a_moved_file_keeps_who_wrote_its_lines() {
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: sub/b.txt\n@@\n-4\n+four\n*** Add File: other.txt\n+new\n*** End Patch";
    let moved = Turn::calls().call("apply_patch", json!({"patch": patch}));
    let turns = [
        editing("a.txt", "2\n", "two\n")[..1].to_vec(),
        vec![moved],
        commanding("mv sub/b.txt c.txt && printf x > unlike.txt").to_vec(),
    ];
    let stage = playing(turns.concat());
    stage.write("a.txt", "1\n2\n3\n4\n5\n");
    let session = go(&stage);
    let lines = blame(&stage, "c.txt");
    assert_eq!(authors(&lines), ["before", "arki", "before", "arki", "before"]);
    let changed = payloads(&stage.events(&session), "file.changed");
    assert_eq!((&changed[0]["path"], &lines[1]["callId"]), (&json!("a.txt"), &changed[0]["callId"]));
    assert_eq!((&lines[3]["toolId"], &lines[1]["toolId"]), (&json!("apply_patch"), &json!("edit_file")));
    for made in ["other.txt", "unlike.txt"] {
        assert_eq!(authors(&blame(&stage, made)), ["arki"], "{made}");
    }
}

#[test]
fn a_file_that_arki_never_changed_or_that_is_gone_is_said() {
    let stage = playing(writing("a.txt", "a\n").to_vec());
    stage.write("own.txt", "mine\n");
    go(&stage);
    for path in ["own.txt", "none.txt"] {
        stage.arki(&["blame", path]).fails(2, "CHANGE_NOT_FOUND");
    }
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    assert_eq!(stage.arki(&["blame", "a.txt", "--json"]).exits(1).json_error().code, "FILE_NOT_FOUND");
    stage.write("a.txt", b"\0\0");
    stage.arki(&["blame", "a.txt"]).fails(1, "FILE_NOT_TEXT");
    for outside in ["../a.txt", "/etc/hostname"] {
        let shown = stage.arki(&["blame", outside]).error();
        assert!(shown.code.starts_with("PATH_"), "{shown:?}");
    }
    stage.arki(&["blame"]).fails(2, "USAGE");
}
