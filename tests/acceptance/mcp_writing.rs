//! What a server that may write the project changes in a call is reviewed after the call, as with a command: nothing of
//! it is in the project before the decision. The server goes on while the project is as it left it, and starts anew
//! where it isn't.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads, text, wait_until};
use crate::mcp::{with, writing};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn say(said: &str) -> Turn {
    Turn::calls().call("mcp__x__echo", json!({ "text": said }))
}

fn stage_of(turns: Vec<Turn>, server: &Value, limits: &Value) -> Stage {
    let server = with(server.clone(), &json!({"categories": {"echo": "read"}}));
    let config = json!({"mcpServers": {"x": server}, "limits": limits});
    Stage::configured(Script::new(turns).sequential(), &config)
}

/// Its calls run unasked, so that what is asked about is what they changed.
fn saying(said: &[&str]) -> Stage {
    let turns = said.iter().map(|said| say(said)).chain([Turn::text("Done.")]).collect();
    stage_of(turns, &writing("good"), &json!({}))
}

fn results(stage: &Stage) -> Vec<String> {
    payloads(&stage.log(), "tool.result").iter().map(|result| text(&result["result"])).collect()
}

fn asked(stage: &Stage) -> Vec<Value> {
    payloads(&stage.log(), "approval.requested")
}

const ANEW: &str = "[Its program was started anew before this call";

#[test]
fn what_a_server_changed_waits_for_a_review_and_lands_with_it() {
    let stage = saying(&["put a.txt two\n", "get a.txt"]);
    stage.write("a.txt", "one\n");
    stage.exec(&["go"]).exits(3);
    assert_eq!(stage.read("a.txt"), "one\n", "it landed before the decision");
    let requested = payload(&stage.log(), "approval.requested");
    assert_eq!((&requested["kind"], &requested["toolId"]), (&json!("effects"), &json!("mcp__x__echo")));
    assert_eq!(requested["preview"]["filesAffected"], json!(["a.txt"]));
    assert!(text(&requested["reason"]).contains("The MCP server changed 1 file"), "{requested}");
    assert_eq!(payload(&stage.log(), "command.ended")["files"], 1);
    let shown = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    for line in ["mcp__x__echo", "put a.txt", "+two", "[hunk 1]"] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(stage.read("a.txt"), "two\n");
    let results = results(&stage);
    assert!(results[0].starts_with("put a.txt") && results[0].contains("1 file changed: a.txt"), "{results:?}");
    assert_eq!(results[1], "two\n");
    stage.verifies();
}

#[test]
fn what_is_rejected_never_existed() {
    let stage = saying(&["put made.txt x", "get made.txt"]);
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "reject"]).exits(0);
    assert!(!stage.path("made.txt").exists());
    let results = results(&stage);
    assert!(results[0].contains("rejected") && results[1].contains("No such file"), "{results:?}");
    assert_eq!(payloads(&stage.log(), "file.changed"), Vec::<Value>::new());
    stage.verifies();
}

#[test]
fn where_nothing_may_land_the_next_call_begins_in_a_new_view() {
    let stage = saying(&["token", "put made.txt x", "get made.txt", "token"]);
    stage.exec(&["--approve", "never", "go"]).exits(0);
    assert!(!stage.path("made.txt").exists());
    let results = results(&stage);
    assert!(results[2].starts_with("No such file") && results[2].contains(ANEW), "{results:?}");
    assert_ne!(results[0], results[3]);
    assert_eq!(asked(&stage), Vec::<Value>::new());
}

#[test]
fn under_edits_changes_land_and_the_same_program_goes_on() {
    let said = [
        "token",
        "put a.txt two\n",
        "put new/b.txt b\n",
        "remove gone.txt",
        "put a.txt three\n",
        "get new/b.txt",
        "token",
    ];
    let stage = saying(&said);
    stage.write("a.txt", "one\n");
    stage.write("gone.txt", "x\n");
    stage.exec(&["--approve", "edits", "go"]).exits(0);
    assert_eq!((stage.read("a.txt"), stage.read("new/b.txt")), ("three\n".to_owned(), "b\n".to_owned()));
    assert!(!stage.path("gone.txt").exists());
    let results = results(&stage);
    for (result, path) in results[1..5].iter().zip(["a.txt", "new/b.txt", "gone.txt", "a.txt"]) {
        assert!(result.ends_with(&format!("[1 file changed: {path}.]")), "{results:?}");
    }
    assert_eq!((results[5].as_str(), &results[6]), ("b\n", &results[0]));
    assert_eq!(asked(&stage), Vec::<Value>::new());
    stage.verifies();
}

#[test]
fn a_server_sees_what_the_user_made_of_its_files() {
    let goes_on = Arc::new(AtomicBool::new(false));
    let may = goes_on.clone();
    let waits = Turn::computed(move |_| {
        wait_until("the user has edited the file", || may.load(Ordering::SeqCst));
        say("get a.txt")
    });
    let turns = vec![say("put a.txt from the server\n"), waits, Turn::text("Done.")];
    let stage = stage_of(turns, &writing("good"), &json!({}));
    let mut running = stage.start(&["exec", "--approve", "edits", "go"]);
    running.until_kind("tool.result");
    assert_eq!(stage.read("a.txt"), "from the server\n");
    stage.write("a.txt", "mine\n");
    goes_on.store(true, Ordering::SeqCst);
    running.end().exits(0);
    let results = results(&stage);
    assert!(results[1].starts_with("mine\n") && results[1].contains(ANEW), "{results:?}");
    assert_eq!(stage.read("a.txt"), "mine\n");
}

#[test]
fn secret_files_cant_be_opened_and_new_ones_never_land_unasked() {
    let stage = saying(&["get .e+nv", "put .e+nv x", "put sub/.e+nv KEY=value"]);
    stage.write(".env", "TOKEN=correct-horse-battery-staple\n");
    stage.exec(&["--approve", "all", "go"]).exits(3);
    let results = results(&stage);
    assert!(results.len() == 2 && results.iter().all(|result| result == "Permission denied"), "{results:?}");
    assert_eq!(stage.read(".env"), "TOKEN=correct-horse-battery-staple\n");
    assert_eq!(asked(&stage)[0]["preview"]["filesAffected"], json!(["sub/.env"]));
    assert!(!stage.path("sub/.env").exists());
}

#[test]
fn more_than_a_review_can_hold_is_thrown_away_and_the_model_is_told() {
    let turns = vec![say("fill big.bin 2"), say("put small.txt x"), Turn::text("Done.")];
    let stage = stage_of(turns, &writing("good"), &json!({"maxEffectsMegabytes": 1}));
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(!stage.path("big.bin").exists());
    assert_eq!(stage.read("small.txt"), "x");
    let log = stage.log();
    assert_eq!(payloads(&log, "tool.result")[0]["code"], "TOO_MANY_CHANGES");
    let results = results(&stage);
    assert!(results[0].contains("Nothing of what it changed was kept") && results[1].contains(ANEW), "{results:?}");
}

#[test]
fn what_a_server_changed_before_it_died_or_was_stopped_is_thrown_away() {
    let slow = with(writing("good"), &json!({ "timeoutSeconds": 2 }));
    let said = ["put-and-crash a.txt x", "put-and-hang b.txt x", "put c.txt x"];
    let turns = said.iter().map(|said| say(said)).chain([Turn::text("Done.")]).collect();
    let stage = stage_of(turns, &slow, &json!({}));
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert!(!stage.path("a.txt").exists() && !stage.path("b.txt").exists());
    assert_eq!(stage.read("c.txt"), "x");
    let results = results(&stage);
    assert!(results[..2].iter().all(|result| result.contains("was thrown away")), "{results:?}");
    assert!(!results[2].contains(ANEW), "{results:?}");
}
