//! A session's own model, prompt and context: they take effect with its next run, and whatever is off comes back.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage() -> (Stage, String) {
    let script = Script::new(vec![Turn::computed(|request| {
        let asks = request["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
        match asks.contains("look") {
            true => Turn::calls().call("read_file", json!({"path": "long.txt"})),
            false => Turn::text("ok"),
        }
    })]);
    let stage = Stage::of(script);
    stage.write("AGENTS.md", "Write short sentences.\n");
    stage.write(".skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Fills forms.\n---\nOpen it.\n");
    stage.write("long.txt", "a line of many words that say little\n".repeat(200));
    stage.trust();
    let events = stage.exec(&["look"]).exits(0).lines();
    let session = text(&events[0]["sessionId"]);
    (stage, session)
}

fn last_request(stage: &Stage) -> Value {
    stage.model.requests().last().unwrap().json.clone()
}

#[test]
fn another_model_prompt_and_effort_take_effect_with_the_next_run() {
    let (stage, session) = stage();
    let before = last_request(&stage)["model"].clone();
    let set = ["--model", "mock/other", "--effort", "low", "--system", "Answer in verse."];
    let told = stage.arki(&[&["sessions", "configure", &session][..], &set, &["--json"]].concat()).exits(0).lines();
    assert_eq!((&told[0]["model"], &told[0]["effort"]), (&json!("mock/other"), &json!("low")));
    stage.exec(&["--session", &session, "again"]).exits(0);
    let request = last_request(&stage);
    assert_eq!(request["model"], "other");
    assert_eq!(request["reasoning_effort"], "low");
    assert!(stage.system_prompt().contains("Answer in verse."));
    stage.exec(&["--session", &session, "--system", "Answer in prose.", "again"]).exits(0);
    assert!(stage.system_prompt().contains("in prose") && !stage.system_prompt().contains("in verse"));
    let reset = ["--model", "", "--effort", "", "--system", ""];
    stage.arki(&[&["sessions", "configure", &session][..], &reset].concat()).exits(0);
    stage.exec(&["--session", &session, "again"]).exits(0);
    let request = last_request(&stage);
    assert!(request["model"] == before && request["reasoning_effort"].is_null(), "{request}");
    assert!(!stage.system_prompt().contains("in verse"));
    stage.verifies();
}

#[test]
fn a_part_that_is_off_is_gone_from_the_next_request_and_comes_back() {
    let (stage, session) = stage();
    let parts = stage.arki(&["context", &session, "--json"]).exits(0).lines();
    let result = parts.iter().find(|part| part["part"] == "results").unwrap()["id"].clone();
    let off = ["rule:AGENTS.md", "skill:pdf", result.as_str().unwrap(), "tool:run_command"];
    let switch = |how: &str| {
        let named: Vec<&str> = off.iter().flat_map(|part| [how, *part]).collect();
        stage.arki(&[&["sessions", "configure", &session][..], &named].concat()).exits(0);
    };
    let request = || {
        stage.exec(&["--session", &session, "again"]).exits(0);
        last_request(&stage).to_string()
    };
    let things = ["Write short sentences.", "Fills forms.", "words that say little", "\"run_command\""];
    switch("--off");
    let listed = stage.arki(&["context", &session, "--json"]).exits(0).lines();
    let is_off = listed.iter().filter(|part| part["off"] == true).count();
    assert_eq!(is_off, 3, "{listed:?}");
    let without = request();
    things.iter().for_each(|thing| assert!(!without.contains(thing), "{thing} is still there"));
    assert!(without.contains("Taken out to save space"), "{without}");
    switch("--on");
    let with = request();
    things.iter().for_each(|thing| assert!(with.contains(thing), "{thing} did not come back"));
    let configured = payloads(&stage.log(), "session.configured");
    assert_eq!(configured.len(), 2);
    assert_eq!(configured[1]["off"], json!([]));
    stage.verifies();
}

#[test]
fn a_rule_and_a_mention_that_came_late_can_be_switched_off() {
    let read = Turn::calls().call("read_file", json!({"path": "sub/a.txt"}));
    let stage = Stage::new(vec![read, Turn::text("ok")]);
    stage.write("sub/AGENTS.md", "Tabs in this folder.\n");
    stage.write("sub/a.txt", "words of a file\n");
    stage.trust();
    let session = text(&stage.exec(&["see @sub/a.txt"]).exits(0).lines()[0]["sessionId"]);
    assert!(last_request(&stage)["messages"].to_string().contains("Tabs in this folder."));
    let run = |prompt: &str| {
        stage.exec(&["--session", &session, prompt]).exits(0);
        last_request(&stage)["messages"].to_string()
    };
    let switch = |how: &str, parts: &[&str]| {
        let named: Vec<&str> = parts.iter().flat_map(|part| [how, *part]).collect();
        stage.arki(&[&["sessions", "configure", &session][..], &named].concat()).exits(0);
    };
    let late = || {
        let parts = stage.arki(&["context", &session, "--json"]).exits(0).lines();
        let late = parts.into_iter().filter(|part| ["rule", "rules", "mention"].contains(&&*text(&part["part"])));
        let late = late.map(|part| (text(&part["id"]), text(&part["origin"]), part["off"] == true));
        late.filter(|(_, origin, _)| origin.starts_with("sub/")).collect::<Vec<_>>()
    };
    let (mention, rule) = (late()[0].0.clone(), "rule:sub/AGENTS.md".to_owned());
    assert!(mention.starts_with("mention:") && late()[1] == (rule.clone(), "sub/AGENTS.md".to_owned(), false));
    switch("--off", &[&mention, &rule]);
    assert!(late().len() == 2 && late().iter().all(|(_, _, off)| *off), "{:?}", late());
    let without = run("again");
    assert!(!without.contains("Tabs in this folder.") && !without.contains("mentions the file"), "{without}");
    assert!(run("once more @sub/a.txt").contains("The user mentions the file sub/a.txt"), "it is mentioned anew");
    switch("--on", &[&mention, &rule]);
    let with = run("again");
    assert!(with.contains("Tabs in this folder.") && with.matches("mentions the file").count() == 2, "{with}");
    stage.verifies();
}

#[test]
fn a_fork_keeps_the_settings_of_its_origin() {
    let (stage, session) = stage();
    stage.arki(&["sessions", "configure", &session, "--off", "rule:AGENTS.md", "--model", "mock/other"]).exits(0);
    let fork = stage.arki(&["sessions", "fork", &session, "--json"]).exits(0).lines();
    stage.exec(&["--session", &text(&fork[0]["sessionId"]), "again"]).exits(0);
    assert_eq!(last_request(&stage)["model"], "other");
    assert!(!stage.system_prompt().contains("Write short sentences."));
}

#[test]
fn a_run_that_waits_goes_on_as_it_began() {
    let write = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a\n"}));
    let stage = Stage::new(vec![write, Turn::text("ok")]);
    let events = stage.exec(&["go"]).exits(3).lines();
    let session = text(&events[0]["sessionId"]);
    stage.arki(&["sessions", "configure", &session, "--model", "mock/other", "--effort", "high"]).exits(0);
    stage.arki(&["approvals", "approve"]).exits(0);
    let request = last_request(&stage);
    assert!(request["model"] == "mock" && request["reasoning_effort"].is_null(), "{request}");
    assert_eq!(payload(&stage.events(&session), "session.configured")["model"], "mock/other");
}

#[test]
fn what_is_not_known_changes_nothing_and_says_what_there_is() {
    let (stage, session) = stage();
    let refused = |args: &[&str], code: &str| {
        stage.arki(&[&["sessions", "configure", &session][..], args].concat()).fails(2, code)
    };
    assert!(refused(&["--off", "rule:AGENT.md"], "PART_UNKNOWN").hint.contains("rule:AGENTS.md"));
    refused(&["--off", "nonsense", "--model", "mock/other"], "PART_UNKNOWN");
    refused(&["--model", "nobody/x"], "UNKNOWN_PROVIDER");
    assert!(refused(&["--effort", "extreme"], "USAGE").hint.contains("medium"));
    refused(&["--system", " "], "PROMPT_VALIDATION_FAILED");
    assert!(refused(&["--off", "tool:run_comand"], "TOOL_UNKNOWN").hint.contains("run_command"));
    assert!(payloads(&stage.log(), "session.configured").is_empty());
}
