//! A tool must not steer Arki: it could grant itself what the user would not.

use crate::harness::{Stage, payloads, program};
use arki_testkit::Turn;
use serde_json::json;

const STEERING: &[&[&str]] = &[
    &["trust"],
    &["trust", "--show"],
    &["untrust"],
    &["exec", "hello"],
    &["approvals", "list"],
    &["approvals", "approve", "x"],
    &["resume", "x"],
    &["keys", "list"],
    &["keys", "set", "mock"],
    &["policy", "check", "ls"],
    &["mcp", "agree", "x"],
    &["mcp", "login", "x"],
    &["mcp", "test", "x"],
    &["mcp", "add", "x", "--", "true"],
    &["mcp", "rm", "x"],
    &["providers", "add", "x", "--kind", "openai"],
    &["providers", "rm", "x"],
    &["memory", "accept", "x"],
    &["worktrees", "add", "x"],
    &["worktrees", "bring", "x"],
    &["worktrees", "rm", "x", "--force"],
    &["sessions", "configure", "x", "--model", "mock/mock"],
];

#[test]
fn under_a_tool_arki_refuses_to_steer_itself() {
    let mut stage = Stage::new(vec![Turn::text("ok")]);
    stage.home.env.insert("ARKI_TOOL".to_owned(), "1".to_owned());
    for args in STEERING {
        let shown = stage.arki(args).fails(2, "UNDER_TOOL");
        assert!(shown.message.contains("tool"), "{shown:?}");
        assert_eq!(stage.arki(&[&["--json"][..], args].concat()).exits(2).json_error().code, "UNDER_TOOL");
    }
    assert!(stage.model.requests().is_empty());
    stage.arki(&["sessions", "list"]).exits(0);
    stage.arki(&["verify"]).exits(0);
}

#[cfg(unix)]
#[test]
fn a_command_cannot_steer_arki_even_without_the_marker() {
    let arki = program();
    let folders = "ARKI_CONFIG_DIR=\"$PWD/../config\" ARKI_DATA_DIR=\"$PWD/../data\"";
    let unmarked = format!("env -u ARKI_TOOL -u ARKI_SANDBOX {folders}");
    let arki = arki.display();
    let commands = [
        format!("{folders} {arki} trust other"),
        format!("{unmarked} {arki} trust other"),
        format!("{unmarked} {arki} approvals list"),
        format!("{unmarked} {arki} -C other exec --model mock/mock hello"),
        format!("env -i {folders} {arki} trust other"),
        format!("env -i {arki} exec hello"),
    ];
    let calls = commands.iter().fold(Turn::calls(), |turn, line| turn.call("run_command", json!({"command": line})));
    let stage = Stage::new(vec![calls, Turn::text("ok")]);
    stage.write("other/a.txt", "a");
    if !stage.has_sandbox() {
        return;
    }
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let results = payloads(&events, "tool.result");
    assert_eq!(results.len(), commands.len());
    for (command, result) in commands.iter().zip(&results) {
        assert!(result["result"].as_str().unwrap().contains("error[UNDER_TOOL]"), "{command}: {result}");
        assert_eq!(result["isError"], json!(true), "{command}: {result}");
    }
    assert_eq!(stage.model.requests().len(), 2, "a run inside the run");
    let shown = stage.arki(&["trust", "--show", stage.path("other").to_str().unwrap()]).exits(0).stdout;
    assert!(shown.contains("not trusted"), "{shown}");
}
