//! Consecutive edits of an answer are one approval, decided together or hunk by hunk.

use crate::harness::{Stage, payload, payloads, text};
use crate::main_job::sixty_lines;
use arki_testkit::{Turn, kinds};
use serde_json::{Value, json};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old_text": old, "new_text": new}]})
}

/// Stopped at the approval of two edits and a new file, before a command.
fn waiting() -> (Stage, String) {
    let edits = Turn::text("Everywhere.")
        .call("edit_file", edit("a.txt", "line 5\n", "FIVE\n"))
        .call("edit_file", edit("b.txt", "line 5\n", "FIVE\n"))
        .call("write_file", json!({"path": "c.txt", "content": "new\n"}))
        .call("run_command", json!({"command": "cat a.txt c.txt"}));
    let stage = Stage::new(vec![edits, Turn::text("Done.")]);
    stage.write("a.txt", sixty_lines());
    stage.write("b.txt", sixty_lines());
    stage.exec(&["rename it"]).exits(3);
    let id = stage.waiting();
    (stage, id)
}

#[test]
fn the_inbox_has_one_approval_whose_hunks_name_their_calls() {
    let (stage, id) = waiting();
    assert_eq!(stage.inbox().len(), 1);
    let log = stage.log();
    assert_eq!(
        kinds(&log)[log.len() - 5..],
        [["policy.decided"; 3].as_slice(), &["approval.requested", "run.paused"]].concat()
    );
    let calls: Vec<Value> = payloads(&log, "tool.call").iter().map(|call| call["callId"].clone()).collect();
    let requested = payload(&log, "approval.requested");
    assert_eq!((&requested["callId"], &requested["toolId"]), (&calls[0], &json!("edit_file")));
    assert_eq!(requested["args"], edit("a.txt", "line 5\n", "FIVE\n"));
    let made = payloads(&log, "tool.call");
    let named = |of: &Value| ["callId", "toolId", "args"].map(|key| of[key].clone());
    let asked: Vec<_> = requested["calls"].as_array().unwrap().iter().map(named).collect();
    assert_eq!(asked, made[..3].iter().map(named).collect::<Vec<_>>());
    assert!(requested["calls"].as_array().unwrap().iter().all(|call| call["risk"].is_string()), "{requested}");
    let preview = &requested["preview"];
    assert_eq!(preview["filesAffected"], json!(["a.txt", "b.txt", "c.txt"]));
    let hunks = preview["hunks"].as_array().unwrap();
    let named: Vec<_> = hunks.iter().map(|hunk| (hunk["index"].as_u64().unwrap(), &hunk["callId"])).collect();
    assert_eq!(named, [(1, &calls[0]), (2, &calls[1]), (3, &calls[2])]);
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    for line in ["3 edits", "[hunk 1]", "[hunk 2]", "[hunk 3]", "+FIVE", "+new"] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
}

#[test]
fn hunks_of_several_calls_are_accepted_at_once_and_each_call_has_its_result() {
    let (stage, id) = waiting();
    let events = stage.arki(&["approvals", "approve", &id, "--json", "--hunks", "2,3"]).exits(0).lines();
    assert_eq!(stage.read("a.txt"), sixty_lines());
    assert_eq!(stage.read("b.txt"), sixty_lines().replace("line 5\n", "FIVE\n"));
    assert_eq!(stage.read("c.txt"), "new\n");
    let results = payloads(&events, "tool.result");
    assert_eq!(results.len(), 4);
    let fates: Vec<bool> = results.iter().map(|result| result["isError"].as_bool().unwrap_or_default()).collect();
    assert_eq!(fates, [true, false, false, false]);
    // The command runs after the decision and sees what was accepted.
    assert!(text(&results[3]["result"]).contains("line 5\n") && text(&results[3]["result"]).contains("new\n"));
    let changed: Vec<Value> = payloads(&events, "file.changed").iter().map(|one| one["hunks"].clone()).collect();
    assert_eq!(changed, [json!([2]), json!([3])]);
}

#[test]
fn a_file_that_changed_meanwhile_is_asked_about_anew_and_the_others_are_written() {
    let (stage, id) = waiting();
    let theirs = sixty_lines().replace("line 60\n", "mine\n");
    stage.write("b.txt", &theirs);
    stage.arki(&["approvals", "approve", &id]).exits(3);
    assert_eq!(stage.read("a.txt"), sixty_lines().replace("line 5\n", "FIVE\n"));
    assert_eq!(stage.read("b.txt"), theirs);
    let anew = stage.waiting();
    assert_ne!(anew, id);
    stage.arki(&["approvals", "approve", &anew]).exits(0);
    assert_eq!(stage.read("b.txt"), theirs.replace("line 5\n", "FIVE\n"));
    assert_eq!(stage.read("c.txt"), "new\n");
}

#[test]
fn nothing_lasting_is_offered_for_a_group() {
    let (stage, id) = waiting();
    let refused = stage.arki(&["approvals", "approve", &id, "--always"]);
    assert!(refused.stderr.contains("permission is offered"), "{}", refused.stderr);
    assert_eq!((refused.code, stage.waiting()), (Some(2), id.clone()));
    stage.arki(&["approvals", "reject", &id]).exits(0);
    assert_eq!(stage.read("b.txt"), sixty_lines());
}
