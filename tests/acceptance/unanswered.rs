//! `limits.approvalTimeoutSeconds`: what nobody answers in time is rejected, and the model hears of it.

use crate::harness::{Stage, payload, text};
use arki_testkit::{Script, Turn};
use serde_json::json;

fn writing(seconds: u64) -> Stage {
    let call = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "new\n"}));
    let script = Script::new(vec![call, Turn::text("Then not.")]);
    Stage::configured(script, &json!({"limits": {"approvalTimeoutSeconds": seconds}}))
}

#[test]
fn what_nobody_answered_in_time_is_not_approved_and_the_run_goes_on_without_it() {
    let stage = writing(0);
    let events = stage.exec(&["go"]).exits(3).lines();
    assert_eq!(payload(&events, "approval.requested")["timeoutSeconds"], 0);
    let id = stage.waiting();
    assert_eq!(stage.inbox()[0]["expired"], true);
    assert!(stage.arki(&["approvals", "list"]).stdout.contains("(expired)"));
    stage.arki(&["approvals", "approve", &id]).fails(2, "APPROVAL_EXPIRED");
    assert_eq!(stage.inbox().len(), 1);
    stage.arki(&["resume", &text(&stage.sessions()[0]["sessionId"]), "--approve", "all"]).exits(0);
    let resolved = payload(&stage.log(), "approval.resolved");
    assert_eq!((&resolved["decision"], &resolved["resolvedBy"]), (&json!("reject"), &json!("timeout")));
    assert!(stage.told().contains("Rejected: Nobody answered within 0 s. Nothing was done."), "{}", stage.told());
    assert!(!stage.path("a.txt").exists());
}

#[test]
fn in_time_it_is_answered_as_ever() {
    let stage = writing(3600);
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert_eq!(stage.read("a.txt"), "new\n");
}
