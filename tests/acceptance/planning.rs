//! `--plan`: nothing but reading exists in the run, by mechanism.

use crate::harness::{Stage, payload, payloads};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn offered(stage: &Stage) -> Vec<String> {
    let requests = stage.model.requests();
    let tools = requests.last().unwrap().json["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_run_that_plans_is_offered_only_what_reads_and_all_else_is_denied() {
    for (tool, args) in [
        ("write_file", json!({"path": "a.txt", "content": "new\n"})),
        ("run_command", json!({"command": "touch a.txt"})),
        ("fetch_url", json!({"url": "https://example.org"})),
    ] {
        let stage = Stage::new(vec![Turn::calls().call(tool, args), Turn::text("First this, then that.")]);
        let events = stage.exec(&["--plan", "--approve", "all", "go"]).exits(0).lines();
        let decided = payload(&events, "policy.decided");
        assert_eq!((&decided["decision"], &decided["rule"]), (&json!("deny"), &json!("builtin:plan")), "{tool}");
        assert!(stage.told().contains("This run only plans"), "{}", stage.told());
        assert!(!stage.path("a.txt").exists());
        let offered = offered(&stage);
        assert!(offered.contains(&"read_file".to_owned()) && !offered.contains(&tool.to_owned()), "{offered:?}");
        assert!(
            !["edit_file", "apply_patch", "delete_file"].iter().any(|tool| offered.iter().any(|name| name == tool))
        );
    }
}

#[test]
fn it_still_plans_when_it_is_gone_on_with_and_the_next_run_need_not() {
    let writing = || Turn::calls().call("write_file", json!({"path": "a.txt", "content": "new\n"}));
    let script = arki_testkit::Script::new(vec![
        Turn::calls().call("list_directory", json!({})),
        writing(),
        Turn::text("Planned."),
        writing(),
        Turn::text("Done."),
    ]);
    let stage = Stage::of(script.sequential());
    stage.exec(&["--plan", "--max-turns", "1", "go"]).exits(5);
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    stage.arki(&["resume", &session, "--approve", "all"]).exits(5);
    stage.arki(&["resume", &session]).exits(0);
    assert_eq!(payloads(&stage.log(), "file.changed"), Vec::<Value>::new());
    stage.exec(&["--session", &session, "--approve", "edits", "now do it"]).exits(0);
    assert!(stage.path("a.txt").exists());
    assert!(offered(&stage).contains(&"write_file".to_owned()));
}
