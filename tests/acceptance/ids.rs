//! Ids on the command line: any unambiguous prefix or ending, `last`, and no id where only one approval waits. What one
//! command prints as an id, every other takes.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{change_seq, editing, go, playing, session_of, writing};
use arki_testkit::Turn;
use serde_json::json;

/// The first characters, of an id that has more.
fn ends(id: &str) -> [String; 2] {
    [id[..id.len() - 4].to_owned(), id[id.len() - 8..].to_owned()]
}

/// Stopped at the question whether this file may be written.
fn asking(paths: &[&str]) -> Stage {
    let calls = paths.iter().map(|path| Turn::calls().call("write_file", json!({"path": path, "content": "new\n"})));
    playing(calls.chain([Turn::text("Done."), Turn::text("Done.")]).collect())
}

#[test]
fn a_session_is_named_by_either_end_of_its_id_or_of_a_runs() {
    let stage = playing(vec![Turn::text("One."), Turn::text("Two.")]);
    let session = session_of(&stage.exec(&["first"]).exits(0).lines());
    let run = text(&stage.events(&session).iter().find(|event| event["type"] == "run.started").unwrap()["runId"]);
    let shown = stage.arki(&["sessions", "show", &session]).exits(0).stdout;
    for name in ends(&session).into_iter().chain(ends(&run)).chain([run.clone(), "last".to_owned()]) {
        assert_eq!(stage.arki(&["sessions", "show", &name]).exits(0).stdout, shown, "{name}");
        stage.arki(&["verify", &name]).exits(0);
        stage.arki(&["usage", &name]).exits(0);
        stage.arki(&["sessions", "export", &name]).exits(0);
        stage.arki(&["tools", "--session", &name]).exits(0);
        assert!(!stage.events(&name).is_empty());
    }
    // A session's first characters are mostly those of its first run too.
    let shared: String = session.chars().zip(run.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    assert!(shared.len() >= 4, "{session} {run}");
    assert_eq!(stage.arki(&["sessions", "show", &shared]).exits(0).stdout, shown);
    let run_alone = stage.events(&ends(&run)[1]);
    assert!(run_alone.iter().all(|event| event["runId"] == json!(run)), "{run_alone:?}");
    stage.exec(&["--session", &ends(&session)[1], "go on"]).exits(0);
    assert_eq!(payloads(&stage.log(), "run.started").len(), 2);
}

#[test]
fn an_ambiguous_name_is_refused_with_its_candidates_and_a_short_one_with_what_it_needs() {
    let stage = playing(vec![Turn::text("One."), Turn::text("Two.")]);
    let first = session_of(&stage.exec(&["first"]).exits(0).lines());
    let second = session_of(&stage.exec(&["second"]).exits(0).lines());
    let shared: String = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    for args in
        [&["sessions", "show", &shared][..], &["events", &shared], &["sessions", "rm", &shared], &["verify", &shared]]
    {
        let told = stage.arki(args).fails(2, "ID_AMBIGUOUS");
        assert!(told.message.contains(&first) && told.message.contains(&second), "{told:?}");
    }
    let told = stage.arki(&["sessions", "show", &first[first.len() - 3..]]).fails(2, "SESSION_NOT_FOUND");
    assert!(told.hint.contains("at least 4 characters"), "{told:?}");
    stage.arki(&["sessions", "show", ""]).fails(2, "SESSION_NOT_FOUND");
    let shown = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert!(shown.contains(&second), "the newest is the one that was used last: {shown}");
}

#[test]
fn the_only_approval_that_waits_needs_no_name() {
    let stage = asking(&["a.txt", "b.txt"]);
    let done = stage.arki(&["exec", "write"]).exits(3);
    let id = stage.waiting();
    assert!(done.stderr.contains("\n  arki approvals approve\n") && done.stderr.contains(&id), "{}", done.stderr);
    let shown = stage.arki(&["approvals", "show"]).exits(0);
    assert!(shown.stdout.contains("+new") && shown.stderr.contains(&id), "{shown:?}");
    for name in ends(&id).into_iter().chain(["last".to_owned(), session_of(&stage.log())]) {
        assert_eq!(stage.arki(&["approvals", "show", &name]).exits(0).stdout, shown.stdout, "{name}");
    }
    assert!(!stage.path("a.txt").exists());
    let approved = stage.arki(&["approvals", "approve"]).exits(3);
    assert!(approved.stderr.contains(&id), "{}", approved.stderr);
    assert_eq!(stage.read("a.txt"), "new\n");
    // The one that was decided begins like the one that waits, and can't be meant.
    let second = stage.waiting();
    let rejected = stage.arki(&["approvals", "reject", &second[..8], "--note", "no"]).exits(0);
    assert!(rejected.stderr.contains(&second), "{}", rejected.stderr);
    assert!(!stage.path("b.txt").exists());
    stage.arki(&["approvals", "approve"]).fails(2, "APPROVAL_NOT_FOUND");
    stage.arki(&["approvals", "approve", &ends(&id)[1]]).fails(2, "APPROVAL_ALREADY_RESOLVED");
    stage.verifies();
}

#[test]
fn several_that_wait_have_to_be_named_and_what_is_approved_or_removed_is_never_the_last() {
    let stage = asking(&["a.txt", "b.txt"]);
    stage.arki(&["exec", "one"]).exits(3);
    let done = stage.arki(&["exec", "two"]).exits(3);
    let waiting: Vec<String> = stage.inbox().iter().map(|listed| text(&listed["approvalId"])).collect();
    let [newest, oldest] = waiting.as_slice() else { panic!("{waiting:?}") };
    for verb in ["show", "approve", "reject"] {
        let told = stage.arki(&["approvals", verb]).fails(2, "ID_AMBIGUOUS");
        assert!(told.message.contains(newest) && told.message.contains(oldest), "{told:?}");
    }
    // The shortest line names it by an ending that no other has.
    let line = done.stderr.lines().find(|line| line.starts_with("  arki approvals approve ")).unwrap();
    let name = line.rsplit(' ').next().unwrap();
    assert!(newest.ends_with(name) && (4..8).contains(&name.len()), "{line}");
    let shown = stage.arki(&["approvals", "show", "last"]).exits(0);
    assert!(shown.stderr.contains(newest), "{shown:?}");
    let session = text(&stage.inbox()[0]["sessionId"]);
    let message = stage.arki(&["queue", "add", &session, "later"]).exits(0).stdout.trim().to_owned();
    for args in [
        &["approvals", "approve", "last"][..],
        &["sessions", "rm", "last"],
        &["resume", "last", "--approve", "all"],
        &["queue", "rm", "last", &message],
        &["queue", "rm", &session, "last"],
    ] {
        stage.arki(args).fails(2, "USAGE");
    }
    stage.arki(&["queue", "edit", &session, "last", "sooner"]).exits(0);
    stage.arki(&["queue", "rm", &ends(&session)[1], &ends(&message)[1]]).exits(0);
    stage.arki(&["approvals", "approve", name]).exits(0);
    assert_eq!(stage.waiting(), *oldest);
}

#[test]
fn what_blame_and_search_print_every_command_takes() {
    let stage = playing([editing("a.txt", "2\n", "two\n").to_vec(), writing("b.txt", "flamingo\n").to_vec()].concat());
    stage.write("a.txt", "1\n2\n3\n");
    let session = go(&stage);
    let blamed = stage.arki(&["blame", "a.txt"]).exits(0).stdout;
    let line = blamed.lines().find(|line| line.ends_with("two")).unwrap();
    let place = line.split_whitespace().find(|word| word.contains('#')).unwrap();
    stage.arki(&["sessions", "show", place]).exits(0);
    stage.arki(&["sessions", "rm", place]).fails(2, "USAGE");
    stage.arki(&["undo", &session]).fails(2, "USAGE");
    stage.arki(&["undo", place]).exits(0);
    assert_eq!(stage.read("a.txt"), "1\n2\n3\n");
    let taken = payload(&stage.log(), "change.taken_back");
    assert_eq!(taken["seq"], json!(change_seq(&stage, &session, 0)));
    let found = stage.arki(&["sessions", "search", "two"]).exits(0).stdout;
    let place = found.split_whitespace().find(|word| word.starts_with(&session)).unwrap().to_owned();
    let from = stage.arki(&["events", &place]).exits(0).stdout;
    let seq = place.rsplit_once('#').unwrap().1;
    assert_eq!(from.split_whitespace().next(), Some(seq), "{from}");
    let forked = stage.arki(&["sessions", "fork", &place, "--json"]).exits(0).lines();
    assert_eq!(forked[0]["fromSeq"].to_string(), seq);
}
