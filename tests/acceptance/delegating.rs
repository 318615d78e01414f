//! `delegate`: a sub-agent works in a session of its own, and what it asks is asked of the user.

use crate::harness::{Stage, payload};
use arki_testkit::{Script, Turn};
use serde_json::json;

fn delegated(agent: &str) -> Turn {
    Turn::calls().call("delegate", json!({"agent": agent, "task": "Write notes.txt."}))
}

fn written() -> Turn {
    Turn::calls().call("write_file", json!({"path": "notes.txt", "content": "noted\n"}))
}

/// One script for all sessions, turn by turn.
fn stage(turns: Vec<Turn>) -> Stage {
    Stage::of(Script::new(turns).sequential())
}

#[test]
fn a_sub_agents_approval_is_in_the_inbox_and_approving_it_ends_the_run_above() {
    let stage = stage(vec![delegated("arki"), written(), Turn::text("Noted."), Turn::text("All is done.")]);
    let events = stage.exec(&["go"]).exits(3).lines();
    let (started, paused) = (payload(&events, "subagent.started"), payload(&events, "run.paused"));
    let waiting = stage.arki(&["approvals", "list", "--json"]).exits(0).lines();
    assert_eq!(waiting[0]["sessionId"], started["sessionId"]);
    assert_eq!(waiting[0]["approvalId"], paused["approvalId"]);
    assert!(!stage.path("notes.txt").exists());

    let approval = waiting[0]["approvalId"].as_str().unwrap().to_owned();
    let told = stage.arki(&["approvals", "approve", &approval]).exits(0);
    assert!(told.stdout.contains("All is done."), "{}", told.stdout);
    assert_eq!(stage.read("notes.txt"), "noted\n");
    stage.arki(&["verify"]).exits(0);
    let child = started["sessionId"].as_str().unwrap();
    let events = stage.arki(&["events", child, "--json"]).exits(0).lines();
    assert_eq!(payload(&events, "session.created")["parentSession"], waiting_parent(&stage, child));
    assert_eq!(payload(&events, "run.completed")["response"], "Noted. ");
}

/// The other one of the two sessions.
fn waiting_parent(stage: &Stage, child: &str) -> serde_json::Value {
    let sessions = stage.sessions();
    assert_eq!(sessions.len(), 2);
    sessions.iter().find(|session| session["sessionId"] != child).unwrap()["sessionId"].clone()
}

#[test]
fn a_rejected_change_is_told_to_the_sub_agent_and_not_to_the_run_above() {
    let stage = stage(vec![delegated("arki"), written(), Turn::text("Not wanted."), Turn::text("I see.")]);
    stage.exec(&["go"]).exits(3);
    let waiting = stage.arki(&["approvals", "list", "--json"]).exits(0).lines();
    let approval = waiting[0]["approvalId"].as_str().unwrap().to_owned();
    stage.arki(&["approvals", "reject", &approval, "--note", "no notes"]).exits(0);
    assert!(!stage.path("notes.txt").exists());
    assert!(stage.told().contains("Not wanted."), "{}", stage.told());
    assert!(!stage.told().contains("no notes"), "{}", stage.told());
}

#[test]
fn an_agent_of_the_configuration_works_with_its_own_prompt_and_tools() {
    let agents = json!({"agents": {
        "arki": {"model": "mock/mock"},
        "explorer": {"description": "Looks around.", "systemPrompt": "You only look.", "tools": ["read_file"]},
    }});
    let turns = vec![delegated("explorer"), written(), Turn::text("I may not."), Turn::text("I see.")];
    let stage = Stage::configured(Script::new(turns).sequential(), &agents);
    stage.exec(&["go", "--approve", "all"]).exits(0);
    assert!(!stage.path("notes.txt").exists());
    let requests: Vec<String> = stage.model.requests().iter().map(|request| request.json.to_string()).collect();
    assert!(requests[0].contains("explorer: Looks around."), "{}", requests[0]);
    assert!(requests[1].contains("You only look."), "{}", requests[1]);
    assert!(!requests[1].contains("\"name\":\"edit_file\""), "{}", requests[1]);
}

#[test]
fn what_a_sub_agent_does_is_seen_in_the_terminal() {
    let stage = stage(vec![delegated("arki"), written(), Turn::text("Noted."), Turn::text("All is done.")]);
    let told = stage.arki(&["exec", "go", "--approve", "all"]).exits(0);
    assert!(told.stderr.contains("▸ delegate arki"), "{}", told.stderr);
    assert!(told.stderr.contains("    ▸ write_file notes.txt"), "{}", told.stderr);
    assert_eq!(told.stdout.trim(), "All is done.");
}
