//! `arki resume`: a run that failed, paused or was interrupted goes on where it stood; one that has ended does not.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{one_call, playing, session_of};
use arki_testkit::{Turn, kinds};
use serde_json::{Value, json};

/// As long as the request is tried again.
fn broken() -> Vec<Turn> {
    let turn = Turn::json(500, json!({"error": {"message": "the model is not well"}}));
    vec![turn.header("retry-after-ms", "1"); 12]
}

fn run_of(events: &[Value]) -> String {
    text(&events.iter().find(|event| event["type"] == "run.started").unwrap()["runId"])
}

#[test]
fn a_failed_run_goes_on_once_the_provider_answers() {
    let reading = Turn::calls().call("read_file", json!({"path": "a.txt"}));
    let stage = playing([vec![reading], broken(), vec![Turn::text("Now it is done.")]].concat());
    stage.write("a.txt", "a\n");
    let events = stage.exec(&["go"]).exits(1).lines();
    let run = run_of(&events);
    let failed = payload(&events, "run.failed");
    assert_eq!(failed["retryable"], json!(true));
    let resumed = stage.arki(&["resume", &run, "--json"]).exits(0).lines();
    assert_eq!(payload(&resumed, "run.completed")["response"], "Now it is done.");
    assert!(resumed.iter().filter(|event| !event["runId"].is_null()).all(|event| event["runId"] == json!(run)));
    assert_eq!(kinds(&resumed)[0], "run.resumed");
    let requests = stage.model.requests();
    assert_eq!(requests[1].json["messages"], requests[6].json["messages"], "the same question, word by word");
    stage.verifies();
}

#[test]
fn approve_grants_from_now_on() {
    let stage = playing(
        [
            broken(),
            one_call("write_file", json!({"path": "a.txt", "content": "a\n"})).to_vec(),
            one_call("write_file", json!({"path": "b.txt", "content": "b\n"})).to_vec(),
        ]
        .concat(),
    );
    let events = stage.exec(&["go"]).exits(1).lines();
    stage.arki(&["resume", &run_of(&events), "--approve", "all"]).exits(0);
    assert_eq!(stage.read("a.txt"), "a\n");
    assert_eq!(payload(&stage.log(), "run.resumed")["approve"], "all");
    // It was granted to that run alone.
    stage.exec(&["--continue", "and b"]).exits(3);
    assert!(!stage.path("b.txt").exists());
    stage.arki(&["resume", &session_of(&events), "--approve", "sometimes"]).fails(2, "USAGE");
}

#[test]
fn a_run_that_its_budget_paused_goes_on_with_a_fresh_one() {
    let stage = playing(vec![
        Turn::calls().call("list_directory", json!({})),
        Turn::calls().call("list_directory", json!({})),
        Turn::text("Done."),
    ]);
    let run = run_of(&stage.exec(&["--max-turns", "1", "go"]).exits(5).lines());
    stage.arki(&["resume", &run]).exits(5);
    stage.arki(&["resume", &run]).exits(0);
    let reasons: Vec<Value> =
        payloads(&stage.log(), "run.resumed").iter().map(|resumed| resumed["reason"].clone()).collect();
    assert_eq!(reasons, [json!("budget"), json!("budget")]);
    stage.verifies();
}

/// A run that waits for its first write to be approved, and its id.
fn waiting(path: &str) -> (Stage, String) {
    let stage = playing(one_call("write_file", json!({"path": path, "content": "a\n"})).to_vec());
    let events = stage.exec(&["go"]).exits(3).lines();
    (stage, run_of(&events))
}

#[test]
fn a_run_that_waits_for_an_approval_says_so_again() {
    let (stage, run) = waiting("a.txt");
    let (approval, before) = (stage.waiting(), stage.log());
    for args in [&["resume", &run][..], &["resume", &run, "--approve", "ask"]] {
        stage.arki(args).exits(3);
        assert_eq!((stage.waiting(), stage.log()), (approval.clone(), before.clone()), "still the same question");
    }
    assert!(!stage.path("a.txt").exists());
    stage.arki(&["approvals", "approve", &approval]).exits(0);
    assert_eq!(stage.read("a.txt"), "a\n");
    stage.verifies();
}

#[test]
fn what_is_granted_from_now_on_holds_for_the_call_that_waits() {
    for mode in ["edits", "all"] {
        let (stage, run) = waiting("a.txt");
        let approval = stage.waiting();
        // Another preview than the one that was shown: what is granted is the call.
        stage.write("a.txt", "by the user\n");
        let events = stage.arki(&["resume", &run, "--approve", mode, "--json"]).exits(0).lines();
        assert_eq!(kinds(&events)[..3], ["approval.resolved", "run.resumed", "policy.decided"]);
        let resolved = payload(&events, "approval.resolved");
        assert_eq!(resolved["approvalId"], json!(approval));
        assert_eq!(
            (&resolved["decision"], &resolved["resolvedBy"]),
            (&json!("approve"), &json!(format!("approve:{mode}")))
        );
        let resumed = payload(&events, "run.resumed");
        assert_eq!((&resumed["reason"], &resumed["approve"]), (&json!("approval"), &json!(mode)));
        let decided = payload(&events, "policy.decided");
        assert_eq!((&decided["decision"], &decided["rule"]), (&json!("allow"), &json!("approve:edits")));
        assert_eq!((stage.read("a.txt"), stage.inbox()), ("a\n".to_owned(), Vec::new()));
        assert!(!stage.told().contains("reviewed"), "nobody has: {}", stage.told());
        stage.arki(&["approvals", "approve", &approval]).fails(2, "APPROVAL_ALREADY_RESOLVED");
        stage.verifies();
    }
}

#[test]
fn with_nothing_to_be_approved_the_call_that_waits_is_rejected() {
    let (stage, run) = waiting("a.txt");
    let events = stage.arki(&["resume", &run, "--approve", "never", "--json"]).exits(0).lines();
    let resolved = payload(&events, "approval.resolved");
    assert_eq!((&resolved["decision"], &resolved["resolvedBy"]), (&json!("reject"), &json!("approve:never")));
    assert!(stage.told().contains("--approve never"), "{}", stage.told());
    assert!(!stage.path("a.txt").exists() && stage.inbox().is_empty());
    stage.verifies();
}

#[test]
fn what_no_grant_covers_goes_on_waiting_and_the_grant_holds_for_what_follows() {
    let stage = playing(vec![
        Turn::calls().call("write_file", json!({"path": "AGENTS.md", "content": "be kind\n"})),
        Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a\n"})),
        Turn::text("Done."),
    ]);
    let run = run_of(&stage.exec(&["go"]).exits(3).lines());
    let approval = stage.waiting();
    stage.arki(&["resume", &run, "--approve", "all"]).exits(3);
    assert_eq!(stage.waiting(), approval, "a protected path still asks");
    assert!(!stage.path("AGENTS.md").exists());
    stage.arki(&["approvals", "approve", &approval]).exits(0);
    assert_eq!((stage.read("AGENTS.md"), stage.read("a.txt")), ("be kind\n".to_owned(), "a\n".to_owned()));
    assert_eq!(payloads(&stage.log(), "approval.requested").len(), 1);
    stage.verifies();
}

#[test]
fn in_a_folder_that_is_no_longer_trusted_nothing_is_granted() {
    let (stage, run) = waiting("a.txt");
    let approval = stage.waiting();
    stage.arki(&["untrust"]).exits(0);
    stage.arki(&["resume", &run, "--approve", "all"]).exits(3);
    assert_eq!(stage.waiting(), approval);
    assert!(!stage.path("a.txt").exists());
}

#[test]
fn what_has_ended_is_not_gone_on_with() {
    let stage = playing([vec![Turn::text("Done.")], broken(), vec![Turn::text("never")]].concat());
    let events = stage.exec(&["go"]).exits(0).lines();
    let (session, run) = (session_of(&events), run_of(&events));
    let before = stage.events(&session);
    for id in [&run, &session] {
        let shown = stage.arki(&["resume", id, "--json"]).exits(2).json_error();
        assert_eq!(shown.code, "RUN_NOT_FOUND");
        assert!(shown.message.contains("ended"), "{shown:?}");
    }
    assert_eq!(stage.events(&session), before);
    // Nor does naming it go on with the one that came after it.
    stage.exec(&["--session", &session, "more"]).exits(1);
    stage.arki(&["resume", &run]).fails(2, "RUN_NOT_FOUND");
    assert_eq!(stage.model.requests().len(), 13);
}

#[cfg(unix)]
#[test]
fn a_cancelled_run_has_ended_too() {
    use rustix::process::Signal;
    let stage = playing(vec![Turn::text("These words have come and the rest has not").hang_after(700)]);
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("output.delta");
    running.signal(Signal::INT);
    let run = run_of(&running.end().exits(130).lines());
    let shown = stage.arki(&["resume", &run]).fails(2, "RUN_NOT_FOUND");
    assert!(shown.message.contains("ended") && !shown.hint.is_empty(), "{shown:?}");
    stage.verifies();
}
