//! Agents of the configuration: which tools they have, and what of a configuration can be no agent.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn arki_with(tools: &Value) -> Value {
    json!({"agents": {"arki": {"model": "mock/mock", "tools": tools}}})
}

fn offered(stage: &Stage) -> Vec<String> {
    let tools = stage.model.requests().last().unwrap().json["tools"].clone();
    tools.as_array().unwrap().iter().map(|tool| text(&tool["function"]["name"])).collect()
}

fn configure(stage: &Stage, config: &Value) {
    let file = stage.home.config_dir().join("config.json");
    let mut whole: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    for (key, value) in config.as_object().unwrap() {
        whole[key] = value.clone();
    }
    std::fs::write(file, whole.to_string()).unwrap();
}

#[test]
fn a_tool_that_the_agent_does_not_have_is_neither_offered_nor_carried_out() {
    let turns = vec![Turn::calls().call("run_command", json!({"command": "touch made"})), Turn::text("I see.")];
    let stage = Stage::configured(Script::new(turns), &arki_with(&json!(["read_*", "search_files"])));
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    assert_eq!(offered(&stage), ["read_file", "search_files", "read_tool_manual", "read_procedure", "read_result"]);
    assert!(!stage.path("made").exists());
    let decided = payload(&events, "policy.decided");
    assert_eq!((&decided["decision"], &decided["rule"]), (&json!("deny"), &json!("builtin:agent-tools")));
    assert_eq!(payloads(&events, "tool.result")[0]["isError"], true);
    assert_eq!(payload(&events, "run.started")["options"]["tools"], json!(["read_*", "search_files"]));
    let listed = stage.arki(&["tools", "--json"]).exits(0).lines();
    assert_eq!(listed.len(), 5, "{listed:?}");
    let checked = stage.arki(&["policy", "check", "--tool", "write_file", "--args", "{}", "--json"]).lines();
    assert_eq!(checked[0]["rule"], "builtin:agent-tools");
}

#[test]
fn a_run_keeps_the_tools_that_it_began_with() {
    let write = json!({"path": "a.txt", "content": "a\n"});
    let turns = vec![Turn::calls().call("write_file", write), Turn::text("Written."), Turn::text("No more.")];
    let stage = Stage::configured(Script::new(turns), &arki_with(&json!(["write_file"])));
    let events = stage.exec(&["write it"]).exits(3).lines();
    configure(&stage, &arki_with(&json!(["read_file"])));
    stage.arki(&["approvals", "approve", &text(&payload(&events, "approval.requested")["approvalId"])]).exits(0);
    assert_eq!((stage.read("a.txt").as_str(), offered(&stage)), ("a\n", vec!["write_file".to_owned()]));
    stage.exec(&["--session", &text(&events[0]["sessionId"]), "again"]).exits(0);
    assert_eq!(offered(&stage), ["read_file"], "the next run begins with what holds then");
}

#[test]
fn a_project_narrows_the_tools_and_never_widens_them() {
    let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &arki_with(&json!(["read_file", "write_file"])));
    stage.write(".arki/config.json", json!({"agents": {"arki": {"tools": ["read_*", "run_command"]}}}).to_string());
    stage.trust();
    stage.exec(&["hello"]).exits(0);
    assert_eq!(offered(&stage), ["read_file"]);
}

#[test]
fn what_can_be_no_agent_is_told_with_its_place() {
    let stage = Stage::new(vec![Turn::text("ok")]);
    for (agents, words) in [
        (json!({"Explorer": {}}), "agents.Explorer"),
        (json!({"explorer": {"tools": ["read file"]}}), "agents.explorer.tools"),
        (json!({"explorer": {"description": "two\nlines"}}), "agents.explorer.description"),
    ] {
        configure(&stage, &json!({ "agents": agents }));
        let shown = stage.exec(&["hello"]).fails(2, "CONFIG_INVALID");
        assert!(shown.message.contains(words) && shown.message.contains("line 1"), "{shown:?}");
    }
    configure(&stage, &json!({"agents": {"explorer": {"tool": []}}}));
    assert!(stage.exec(&["hello"]).fails(2, "CONFIG_UNKNOWN_KEY").hint.contains("tools"));
    configure(&stage, &json!({"agents": {"arki": {"model": "mock/mock"}, "explorer": {"model": "nobody/x"}}}));
    let doctor = stage.arki(&["doctor", "--json"]).lines();
    let configuration = doctor.iter().find(|check| check["name"] == "configuration").unwrap();
    assert!(configuration.to_string().contains("agents.explorer.model"), "{configuration}");
    assert_eq!(stage.model.requests().len(), 0);
}
