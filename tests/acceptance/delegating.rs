//! `delegate`: a sub-agent works in a session of its own, and what it asks is asked of the user.

use crate::harness::{Stage, payload, text};
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
    assert_eq!(payload(&events, "run.completed")["response"], "Noted.");
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

/// A session that waits for its sub-agent, and that one's: `(parent, child)`.
fn with_subagent(stage: &Stage) -> (String, String) {
    let events = stage.exec(&["Have it noted"]).exits(3).lines();
    (text(&events[0]["sessionId"]), text(&payload(&events, "subagent.started")["sessionId"]))
}

#[test]
fn a_sub_agents_session_is_listed_beneath_its_parents_and_is_nobodys_to_continue() {
    let turns = vec![delegated("arki"), written(), Turn::text("Noted."), Turn::text("Done."), Turn::text("Again.")];
    let stage = stage(turns);
    let (parent, child) = with_subagent(&stage);
    let listed = stage.sessions();
    let of = |id: &str| listed.iter().find(|session| session["sessionId"] == id).unwrap();
    assert_eq!((&of(&child)["parentSession"], &of(&child)["agent"]), (&json!(parent), &json!("arki")));
    assert_eq!(of(&parent).get("parentSession"), None);
    let shown = stage.arki(&["sessions", "list"]).exits(0).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].contains(&parent) && lines[0].ends_with("Have it noted"), "{shown}");
    assert!(lines[1].contains(&child) && lines[1].ends_with("└ arki: Write notes.txt"), "{shown}");

    stage.arki(&["resume", &parent, "--approve", "all"]).exits(0);
    let events = stage.exec(&["--continue", "and again"]).exits(0).lines();
    assert_eq!(events[0]["sessionId"], parent.as_str());
}

#[test]
fn a_session_takes_those_of_its_sub_agents_with_it_and_one_that_is_waited_for_stays() {
    let stage = stage(vec![delegated("arki"), written(), Turn::text("Noted."), Turn::text("Done.")]);
    let (parent, child) = with_subagent(&stage);
    let shown = stage.arki(&["sessions", "rm", &child]).fails(1, "SESSION_BUSY");
    assert!(shown.message.contains(&parent), "{shown:?}");
    let told = stage.arki(&["sessions", "rm", &parent, "--json"]).exits(0).lines();
    assert_eq!(told[0]["subagents"], json!([child]));
    assert_eq!(stage.sessions(), Vec::<serde_json::Value>::new());
    assert_eq!(stage.arki(&["approvals", "list", "--json"]).exits(0).lines(), Vec::<serde_json::Value>::new());
    stage.arki(&["verify"]).exits(0);
}

#[test]
fn a_sub_agents_session_of_an_import_is_waited_for_by_nobody() {
    let there = stage(vec![delegated("arki"), written()]);
    let (parent, child) = with_subagent(&there);
    let here = stage(Vec::new());
    for session in [&parent, &child] {
        let exported = there.arki(&["sessions", "export", session]).exits(0).stdout;
        here.arki(&["sessions", "import", here.write("export.jsonl", exported).to_str().unwrap()]).exits(0);
    }
    here.arki(&["sessions", "rm", &child]).exits(0);
    here.arki(&["resume", &parent]).fails(2, "RUN_NOT_FOUND");
    here.arki(&["sessions", "rm", &parent]).exits(0);
    assert_eq!(here.sessions(), Vec::<serde_json::Value>::new());
}

#[test]
fn a_sub_agents_session_that_has_ended_can_be_removed_alone() {
    let stage = stage(vec![delegated("arki"), Turn::text("Nothing to do."), Turn::text("Done."), Turn::text("Again.")]);
    let events = stage.exec(&["go"]).exits(0).lines();
    let (parent, child) = (text(&events[0]["sessionId"]), text(&payload(&events, "subagent.started")["sessionId"]));
    let told = stage.arki(&["sessions", "rm", &child]).exits(0).stdout;
    assert!(told.starts_with(&format!("Removed {child};")), "{told}");
    assert_eq!(stage.sessions().len(), 1);
    stage.exec(&["--session", &parent, "again"]).exits(0);
    stage.arki(&["verify"]).exits(0);
    let told = stage.arki(&["sessions", "rm", &parent]).exits(0).stdout;
    assert!(told.starts_with(&format!("Removed {parent};")), "{told}");
}

#[test]
fn a_sub_agent_has_the_tools_of_its_agent() {
    let turns = vec![delegated("reader"), written(), Turn::text("I can't."), Turn::text("Done.")];
    let agents = json!({"arki": {"model": "mock/mock"}, "reader": {"tools": ["read_*"], "systemPrompt": "Only read."}});
    let stage = Stage::configured(Script::new(turns).sequential(), &json!({ "agents": agents }));
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    assert!(!stage.path("notes.txt").exists());
    let child = text(&payload(&events, "subagent.started")["sessionId"]);
    let events = stage.arki(&["events", &child, "--json"]).exits(0).lines();
    assert_eq!(payload(&events, "policy.decided")["rule"], "builtin:agent-tools");
    let listed = stage.arki(&["tools", "--session", &child, "--json"]).exits(0).lines();
    let names: Vec<String> = listed.iter().map(|tool| text(&tool["name"])).collect();
    assert!(names.iter().all(|name| name.starts_with("read_")) && names.contains(&"read_file".to_owned()), "{names:?}");
    assert!(stage.model.requests()[1].json["messages"][0].to_string().contains("Only read."));
}

#[test]
fn what_a_sub_agent_is_denied_for_lack_of_trust_is_in_the_exit_code() {
    let turns = vec![delegated("arki"), written(), Turn::text("It may not be."), Turn::text("So it is.")];
    let stage = Stage::untrusted(Script::new(turns).sequential(), &serde_json::Value::Null);
    stage.exec(&["go", "--approve", "all"]).exits(4);
    assert!(!stage.path("notes.txt").exists());
}

fn delegated_to(agent: &str) -> Turn {
    Turn::calls().call("delegate", json!({"agent": agent, "task": "Look at it."}))
}

#[test]
fn the_built_in_agents_only_read_whatever_is_granted() {
    for agent in ["explorer", "reviewer"] {
        let command = Turn::calls().call("run_command", json!({"command": "touch made"}));
        let stage =
            stage(vec![delegated_to(agent), written(), command, Turn::text("I only read."), Turn::text("I see.")]);
        let events = stage.exec(&["go", "--approve", "all"]).exits(0).lines();
        assert!(!stage.path("notes.txt").exists() && !stage.path("made").exists(), "{agent}");
        let child = text(&payload(&events, "subagent.started")["sessionId"]);
        let events = stage.arki(&["events", &child, "--json"]).exits(0).lines();
        assert_eq!(payload(&events, "run.started")["options"]["readOnly"], true);
        let requests = stage.model.requests();
        let (above, beneath) = (requests[0].json.to_string(), requests[1].json.to_string());
        assert!(above.contains("explorer: Finds out") && above.contains("reviewer: Reviews"), "{above}");
        assert!(beneath.contains("\"name\":\"read_file\"") && !beneath.contains("\"name\":\"write_file\""));
        assert_eq!(beneath.contains("\"name\":\"run_command\""), agent == "reviewer", "{beneath}");
    }
}

#[test]
fn the_reviewer_sees_what_is_not_committed_without_asking() {
    let diff = Turn::calls().call("run_command", json!({"command": "git diff HEAD"}));
    let stage = stage(vec![delegated_to("reviewer"), diff, Turn::text("It is wrong."), Turn::text("I see.")]);
    stage.write("a.txt", "before\n");
    for line in ["init -q", "add a.txt", "-c user.name=a -c user.email=a@example.org commit -qm one"] {
        let mut git = std::process::Command::new("git");
        git.args(line.split(' ')).current_dir(stage.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(git.status().unwrap().success(), "{line}");
    }
    stage.write("a.txt", "after\n");
    stage.trust();
    stage.exec(&["go"]).exits(0);
    let told = stage.model.requests()[2].json.to_string();
    assert!(told.contains("-before") && told.contains("+after"), "{told}");
}

#[test]
fn the_explorer_works_with_the_model_that_is_configured_for_it() {
    let agents = json!({"agents": {"arki": {"model": "mock/mock"}, "explorer": {"model": "mock/cheap"}}});
    let turns = vec![delegated_to("explorer"), Turn::text("Here."), Turn::text("I see.")];
    let stage = Stage::configured(Script::new(turns).sequential(), &agents);
    stage.exec(&["go"]).exits(0);
    let models: Vec<String> = stage.model.requests().iter().map(|request| text(&request.json["model"])).collect();
    assert_eq!(models, ["mock", "cheap", "mock"]);
}

const LOOKER: &str =
    "---\nname: looker\ndescription: Looks at files.\ntools: Read, Grep\nmodel: sonnet\n---\nYou only look.\n";

#[test]
fn an_agent_of_another_program_works_as_its_file_says_once_it_is_trusted() {
    let turns = vec![delegated_to("looker"), written(), Turn::text("I only look."), Turn::text("I see.")];
    let script = Script::new(turns).sequential();
    let stage = Stage::untrusted(script, &json!({"agents": {"arki": {"model": "mock/mock"}}}));
    stage.write(".claude/agents/looker.md", LOOKER);
    let shown = stage.arki(&["trust", "--show", "--json"]).exits(0).lines();
    assert!(shown.iter().any(|pin| pin["kind"] == "agent" && pin["path"] == ".claude/agents/looker.md"), "{shown:?}");
    stage.trust();
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let requests = stage.model.requests();
    assert!(requests[0].json["tools"].to_string().contains("looker: Looks at files."), "{}", requests[0].json["tools"]);
    assert!(requests[1].json["messages"].to_string().contains("You only look."), "{}", requests[1].json);
    assert_eq!(requests[1].json["model"], "mock", "a name of another vendor's model is none of ours");
    assert!(!stage.path("notes.txt").exists(), "its tools only read");
    assert!(text(&payload(&events, "tool.result")["result"]).contains("I only look."));

    stage.write(".claude/agents/looker.md", LOOKER.replace("only look", "may do anything"));
    let doctor = stage.arki(&["doctor", "--json"]).lines();
    assert!(format!("{doctor:?}").contains("looker.md"), "{doctor:?}");
    stage.exec(&["again"]);
    let requests = stage.model.requests();
    let last = &requests.last().unwrap().json["tools"];
    assert!(!last.to_string().contains("looker"), "what changed is off: {last}");
}
