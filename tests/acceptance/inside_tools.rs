//! Tools that touch Arki's own things alone: `calculate`, `update_plan`, `emit_artifact`, `read_tool_manual`, and long
//! results that are kept whole.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn calling(calls: &[(&str, Value)]) -> Stage {
    let calls = calls.iter().fold(Turn::calls(), |turn, (tool, args)| turn.call(tool, args.clone()));
    Stage::new(vec![calls, Turn::text("Done.")])
}

fn results(events: &[Value]) -> Vec<String> {
    payloads(events, "tool.result").iter().map(|result| text(&result["result"])).collect()
}

fn sum(expression: &str) -> Turn {
    Turn::calls().call("calculate", json!({"expression": expression}))
}

#[test]
fn ans_is_the_sessions_and_outlives_the_process() {
    let turns =
        vec![sum("2 + 3*4"), Turn::text("14."), sum("ans / 3"), Turn::text("So."), sum("ans * 3"), Turn::text("14.")];
    let stage = Stage::of(Script::new(turns).sequential());
    let first = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(results(&first), ["14"]);
    let session = text(&first[0]["sessionId"]);
    let again = stage.exec(&["--session", &session, "go on"]).exits(0).lines();
    assert_eq!(results(&again), ["4.666666666666667 (exactly 14/3)"]);
    let last = stage.exec(&["--session", &session, "go on"]).exits(0).lines();
    assert_eq!(results(&last), ["14"]);
    stage.verifies();
}

#[test]
fn going_back_takes_ans_back_too() {
    let turns =
        vec![sum("1 + 1"), Turn::text("2."), sum("ans * 100"), Turn::text("200."), sum("ans + 1"), Turn::text("3.")];
    let stage = Stage::of(Script::new(turns).sequential());
    let first = stage.exec(&["go"]).exits(0).lines();
    let session = text(&first[0]["sessionId"]);
    let seq = first.iter().filter_map(|event| event["seq"].as_u64()).max().unwrap().to_string();
    assert_eq!(results(&stage.exec(&["--session", &session, "more"]).exits(0).lines()), ["200"]);
    stage.arki(&["rewind", &session, "--to", &seq, "--conversation"]).exits(0);
    assert_eq!(results(&stage.exec(&["--session", &session, "other"]).exits(0).lines()), ["3"]);
}

#[test]
fn an_expression_without_a_value_is_an_error_that_helps() {
    let stage = calling(&[("calculate", json!({"expression": "squrt(2)"}))]);
    let result = payload(&stage.exec(&["go"]).exits(0).lines(), "tool.result");
    assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("EXPRESSION_INVALID")));
    assert!(text(&result["result"]).contains("did you mean \"sqrt\""), "{result}");
}

#[test]
fn a_plan_is_an_event() {
    let steps =
        json!([{"title": "Look", "state": "done"}, {"title": "Mend", "state": "in_progress"}, {"title": "Test"}]);
    let stage = calling(&[("update_plan", json!({"intent": "Mend it", "steps": steps}))]);
    let events = stage.exec(&["go"]).exits(0).lines();
    let plan = payload(&events, "plan.updated");
    assert_eq!(plan["intent"], "Mend it");
    assert_eq!(plan["steps"][1], json!({"title": "Mend", "state": "in_progress"}));
    assert_eq!(plan["steps"][2], json!({"title": "Test", "state": "pending"}));
    assert!(results(&events)[0].contains("3 steps, 2 of them still to do"));
}

#[test]
fn an_artifact_is_kept_outside_of_the_project_and_can_be_read_again() {
    let args = json!({"name": "report.md", "media_type": "text/markdown", "content": "# Report\n\nGood.\n"});
    let reads = |request: &Value| {
        let messages = request["messages"].as_array().unwrap();
        let told = text(&messages[messages.len() - 1]["content"]);
        let reference = told.split_whitespace().last().unwrap().trim_end_matches('.').to_owned();
        Turn::calls().call("read_file", json!({"path": reference}))
    };
    let stage = Stage::of(
        Script::new(vec![Turn::calls().call("emit_artifact", args), Turn::computed(reads), Turn::text("Done.")])
            .sequential(),
    );
    let events = stage.exec(&["go"]).exits(0).lines();
    let emitted = payload(&events, "artifact.emitted");
    assert_eq!(
        (&emitted["name"], &emitted["mediaType"], &emitted["bytes"]),
        (&json!("report.md"), &json!("text/markdown"), &json!(16))
    );
    assert_eq!(emitted["contentHash"].as_str().unwrap().len(), 64);
    assert_eq!(results(&events)[1], "1\t# Report\n2\t\n3\tGood.\n");
    assert!(!stage.path("report.md").exists());
    stage.verifies();
}

#[test]
fn the_manual_of_a_marked_tool_can_be_read() {
    let calls =
        [("read_tool_manual", json!({"name": "calculate"})), ("read_tool_manual", json!({"name": "calculater"}))];
    let stage = calling(&calls);
    let told = results(&stage.exec(&["go"]).exits(0).lines());
    assert!(told[0].starts_with("Operators") && told[1].contains("Did you mean calculate?"), "{told:?}");
    assert!(stage.system_prompt().contains("📘"));
}

#[test]
#[cfg(unix)]
fn a_long_output_is_told_by_its_ends_and_kept_whole() {
    let reads = |request: &Value| {
        let messages = request["messages"].as_array().unwrap();
        let told = text(&messages[messages.len() - 1]["content"]);
        let reference = told.rsplit('"').nth(1).unwrap().to_owned();
        Turn::calls().call("read_file", json!({"path": reference, "offset": 60_001, "limit": 1}))
    };
    let turns = vec![
        Turn::calls().call("run_command", json!({"command": "seq 100000"})),
        Turn::computed(reads),
        Turn::text("Done."),
    ];
    let stage = Stage::of(Script::new(turns).sequential());
    let events = stage.exec(&["--approve", "all", "go"]).exits(if stage.has_sandbox() { 0 } else { 3 }).lines();
    if !stage.has_sandbox() {
        return;
    }
    let told = results(&events);
    assert!(told[0].len() < 70_000 && told[0].contains("\n1\n2\n") && told[0].contains("\n100000\n"), "{}", told[0]);
    assert_eq!(payloads(&events, "tool.result")[0]["truncated"], json!(true));
    // The first line says how it ended.
    assert!(told[1].starts_with("60001\t60000\n"), "{}", told[1]);
    assert_eq!(payload(&events, "artifact.emitted")["bytes"], json!(588_895 + "exit code 0\n".len()));
}

/// As fast as a pipe takes it, until its time is up.
#[test]
#[cfg(target_os = "linux")]
fn a_flood_is_bounded_in_memory_and_on_the_disk() {
    let stage = calling(&[("run_command", json!({"command": "yes 0123456789", "timeout_seconds": 2}))]);
    if !stage.has_sandbox() {
        return;
    }
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let result = payload(&events, "tool.result");
    assert_eq!((&result["code"], &result["truncated"]), (&json!("TOOL_TIMEOUT"), &json!(true)));
    assert!(text(&result["result"]).len() < 70_000);
    let kept = payload(&events, "artifact.emitted")["bytes"].as_u64().unwrap();
    // More than the model is told, however slow the machine.
    assert!((70_000..17 << 20).contains(&kept), "{kept}");
    assert!(std::fs::metadata(stage.database()).unwrap().len() < 8 << 20);
}

#[test]
fn arki_tells_the_tools_of_a_project() {
    let stage = Stage::new(Vec::new());
    let listed = stage.arki(&["tools", "--json"]).exits(0).lines();
    let names: Vec<&str> = listed.iter().filter_map(|tool| tool["name"].as_str()).collect();
    for (name, category) in
        [("read_file", "read"), ("write_file", "write"), ("run_command", "exec"), ("calculate", "read")]
    {
        let tool = listed.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["category"], category);
        assert_eq!(tool["parameters"]["type"], "object");
    }
    let people = stage.arki(&["tools"]).exits(0).stdout;
    assert_eq!(people.lines().count(), names.len());
    assert!(people.contains("calculate") && people.contains("📘"), "{people}");
}

#[test]
fn reads_of_one_answer_come_back_in_its_order() {
    let reads = (0..20).fold(Turn::calls(), |turn, n| turn.call("read_file", json!({"path": format!("{n}.txt")})));
    let stage = Stage::new(vec![reads, Turn::text("Done.")]);
    for n in 0..20 {
        stage.write(&format!("{n}.txt"), format!("file {n}\n").repeat(if n % 2 == 0 { 1 } else { 2000 }));
    }
    let events = stage.exec(&["go"]).exits(0).lines();
    let told = results(&events);
    for (n, told) in told.iter().enumerate() {
        assert!(told.starts_with(&format!("1\tfile {n}\n")), "{n}: {}", &told[..20]);
    }
    assert_eq!(told.len(), 20);
    stage.verifies();
}
