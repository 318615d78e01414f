//! Commands in the background: answered at once, told when they have ended, and never left behind.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, is_running, payload, payloads, pid_in, text, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn begins(command: &str) -> Turn {
    Turn::calls().call("run_command", json!({"command": command, "background": true}))
}

fn stage(turns: Vec<Turn>) -> Option<Stage> {
    let stage = Stage::of(Script::new(turns).sequential());
    // Without a sandbox every command is asked about, and the program that asks ends.
    stage.has_sandbox().then_some(stage)
}

fn granted(stage: &Stage) -> Vec<Value> {
    let done = stage.exec(&["--approve", "all", "go"]);
    assert_eq!(done.code == Some(1), done.stderr.contains("when this program ended"), "{done:?}");
    assert!(matches!(done.code, Some(0 | 1)), "{done:?}");
    done.lines()
}

fn waits(seconds: &str) -> Turn {
    Turn::calls().call("run_command", json!({"command": format!("sleep {seconds}")}))
}

#[test]
fn the_result_comes_as_a_message_of_a_later_turn() {
    let told = |request: &Value| Turn::text(format!("{}", request["messages"]));
    let Some(stage) = stage(vec![begins("echo over there > made.txt; cat made.txt"), waits("1"), Turn::computed(told)])
    else {
        return;
    };
    let events = granted(&stage);
    let call = &payloads(&events, "tool.call")[0];
    let placeholder = &payloads(&events, "tool.result")[0];
    assert_eq!((&call["asyncCallId"], &placeholder["asyncCallId"]), (&call["callId"], &call["callId"]));
    assert_eq!(placeholder["isError"], json!(false));
    let result = payload(&events, "tool.async_result");
    assert_eq!((&result["asyncCallId"], &result["isError"]), (&call["callId"], &json!(false)));
    assert_eq!(result["result"], "exit code 0\nover there\n");
    assert_eq!(payload(&events, "file.changed")["path"], "made.txt");
    let answer = text(&payload(&events, "run.completed")["response"]);
    assert!(answer.contains("AsyncToolResult") && answer.contains("over there"), "{answer}");
    stage.verifies();
}

#[test]
fn at_a_terminal_too_it_is_told_at_its_end_and_ends_with_the_program() {
    let begins = |command: &str| {
        let args = json!({"command": command, "background": true, "terminal": true});
        Turn::calls().call("run_command", args)
    };
    let Some(stage) = stage(vec![
        begins("test -t 1 && printf 'half\\rwhole\\n'"),
        begins("trap '' TERM HUP; echo $$ > pid.txt; sleep 600; sleep 600"),
        waits("1"),
        Turn::text("It runs."),
    ]) else {
        return;
    };
    let results = payloads(&granted(&stage), "tool.async_result");
    let results: Vec<String> = results.iter().map(|result| text(&result["result"])).collect();
    assert!(results.contains(&"exit code 0\nwhole\n".to_owned()), "{results:?}");
    assert!(results.iter().any(|result| result.starts_with("stopped because Arki ended")), "{results:?}");
    let pid = pid_in(&stage.path("pid.txt"));
    wait_until("it has ended", || !is_running(pid));
}

#[test]
fn what_still_goes_on_when_the_program_ends_is_stopped_and_told() {
    let Some(stage) = stage(vec![
        begins("trap '' TERM; sleep 600 & echo $! > child.txt; echo $$ > pid.txt; sleep 600"),
        waits("1"),
        Turn::text("It runs."),
    ]) else {
        return;
    };
    let done = stage.exec(&["--approve", "all", "go"]).exits(1);
    assert!(done.stderr.contains("Stopped 1 background command when this program ended."), "{done:?}");
    let events = done.lines();
    let result = payload(&events, "tool.async_result");
    assert!(text(&result["result"]).starts_with("stopped because Arki ended"), "{result}");
    assert_eq!(result["isError"], json!(true));
    for file in ["pid.txt", "child.txt"] {
        let pid = pid_in(&stage.path(file));
        wait_until("what it started has ended", || !is_running(pid));
    }
    stage.verifies();
}

#[test]
fn the_next_run_is_told_what_came_late() {
    let turns = vec![
        begins("sleep 600"),
        Turn::text("It runs."),
        Turn::computed(|request| Turn::text(request["messages"].to_string())),
    ];
    let Some(stage) = stage(turns) else { return };
    let events = granted(&stage);
    let session = text(&events[0]["sessionId"]);
    let next = stage.exec(&["--session", &session, "and?"]).exits(0).lines();
    let answer = text(&payload(&next, "run.completed")["response"]);
    assert!(answer.contains("AsyncToolResult") && answer.contains("because Arki ended"), "{answer}");
    assert!(payloads(&next, "tool.async_result").is_empty(), "told once");
}

#[test]
fn what_a_killed_program_left_is_told_as_of_unknown_effect() {
    let told = |request: &Value| {
        let messages = request["messages"].to_string();
        if messages.contains("AsyncToolResult:") { Turn::text(messages) } else { Turn::silent() }
    };
    let turns = vec![begins("sleep 600"), Turn::computed(told), Turn::computed(told)];
    let Some(stage) = stage(turns) else { return };
    let mut running = stage.start(&["exec", "--approve", "all", "go"]);
    let placeholder = running.until_kind("tool.result");
    running.until_kind("engine.request");
    running.signal(rustix::process::Signal::KILL);
    running.end();
    let session = text(&placeholder["sessionId"]);
    let next = stage.arki(&["resume", &session, "--json"]).exits(0).lines();
    let late = payload(&next, "tool.async_result");
    assert!(text(&late["result"]).contains("effect is unknown"), "{late}");
    assert!(text(&payload(&next, "run.completed")["response"]).contains("effect is unknown"));
    stage.verifies();
}

#[test]
fn only_so_many_go_on_at_once() {
    let begins = |number: usize| json!({"command": format!("sleep {}", 600 + number), "background": true});
    let calls = (0..9).fold(Turn::calls(), |turn, number| turn.call("run_command", begins(number)));
    let Some(stage) = stage(vec![calls, Turn::text("Done.")]) else { return };
    let events = granted(&stage);
    let codes: Vec<Value> = payloads(&events, "tool.result").iter().map(|result| result["code"].clone()).collect();
    assert_eq!((&codes[7], &codes[8]), (&json!(null), &json!("BACKGROUND_FULL")));
    assert_eq!(payloads(&events, "tool.async_result").len(), 8);
}

#[test]
fn a_flood_in_the_background_is_bounded_and_ended_in_time() {
    let args = json!({"command": "yes 0123456789", "background": true, "timeout_seconds": 1});
    let Some(stage) = stage(vec![Turn::calls().call("run_command", args), waits("2"), Turn::text("Done.")]) else {
        return;
    };
    let events = granted(&stage);
    let result = text(&payload(&events, "tool.async_result")["result"]);
    assert!(result.starts_with("ended: it took longer than 1 s") && result.len() < 70_000, "{}", &result[..80]);
    assert!(payload(&events, "artifact.emitted")["bytes"].as_u64().unwrap() < 17 << 20);
}

/// What an edit changed meanwhile is the edit's alone.
#[test]
fn a_change_is_told_once() {
    let turns = vec![
        begins("sleep 1; echo two > by_command.txt"),
        Turn::calls().call("write_file", json!({"path": "by_edit.txt", "content": "one\n"})),
        waits("2"),
        Turn::text("Done."),
    ];
    let Some(stage) = stage(turns) else { return };
    let events = granted(&stage);
    let mut paths: Vec<String> = payloads(&events, "file.changed").iter().map(|change| text(&change["path"])).collect();
    paths.sort();
    // The command in the foreground sees the file appear too: whoever tells first has it.
    assert_eq!(paths, ["by_command.txt", "by_edit.txt"]);
    stage.verifies();
}

fn delegated() -> Turn {
    Turn::calls().call("delegate", json!({"agent": "arki", "task": "Test it."}))
}

fn until(file: &str) -> Turn {
    let command = format!("until test -e {file}; do sleep 0.05; done; sleep 0.5");
    Turn::calls().call("run_command", json!({ "command": command }))
}

/// The model of the sub-agent is not asked any more: the run that handed the task over is told.
#[test]
fn what_a_sub_agent_left_in_the_background_is_told_the_run_above() {
    let told = |request: &Value| Turn::text(request["messages"].to_string());
    let turns = vec![
        delegated(),
        begins("until test -e go.txt; do sleep 0.05; done; echo late > made.txt; echo all passed"),
        Turn::text("The tests run."),
        Turn::calls().call("write_file", json!({"path": "go.txt", "content": "go\n"})),
        until("made.txt"),
        Turn::computed(told),
    ];
    let Some(stage) = stage(turns) else { return };
    let events = granted(&stage);
    let own: Vec<Value> = events.iter().filter(|event| event["sessionId"] == events[0]["sessionId"]).cloned().collect();
    let results = payloads(&own, "tool.result");
    let answer = results.iter().find(|result| result["toolId"] == "delegate").unwrap();
    assert_eq!(answer["background"][0]["toolId"], "run_command");
    let announced = text(&answer["background"][0]["asyncCallId"]);
    assert!(text(&answer["result"]).starts_with("The tests run."), "{answer}");
    assert!(text(&answer["result"]).contains(&announced), "{answer}");

    let late = payloads(&own, "tool.async_result");
    assert_eq!(late.len(), 1, "{late:?}");
    assert_eq!((&late[0]["asyncCallId"], &late[0]["isError"]), (&json!(announced), &json!(false)));
    assert!(text(&late[0]["result"]).ends_with("exit code 0\nall passed\n"), "{}", late[0]);
    let heard = text(&payload(&own, "run.completed")["response"]);
    assert!(heard.contains("AsyncToolResult: the call") && heard.contains("all passed"), "{heard}");
    let changes = payloads(&own, "file.changed");
    let made: Vec<&Value> = changes.iter().filter(|change| change["path"] == "made.txt").collect();
    assert_eq!(made.len(), 1, "{changes:?}");
    assert_eq!(made[0]["bySession"], payload(&own, "subagent.started")["sessionId"]);
    stage.verifies();

    let session = text(&own[0]["sessionId"]);
    stage.arki(&["rewind", &session, "--to", "1", "--files"]).exits(0);
    assert!(!stage.path("made.txt").exists(), "going back takes it along");
}

#[test]
fn what_a_sub_agent_left_is_told_the_next_run_where_the_one_above_has_ended() {
    let told = |request: &Value| Turn::text(request["messages"].to_string());
    let turns =
        vec![delegated(), begins("sleep 600"), Turn::text("It is served."), Turn::text("Done."), Turn::computed(told)];
    let Some(stage) = stage(turns) else { return };
    let events = granted(&stage);
    let session = text(&events[0]["sessionId"]);
    let next = stage.exec(&["--session", &session, "and?"]).exits(0).lines();
    let answer = text(&payload(&next, "run.completed")["response"]);
    assert!(answer.contains("AsyncToolResult: the call") && answer.contains("because Arki ended"), "{answer}");
    stage.verifies();
}

/// Only the sub-agent's log says what a command came to whose Arki was killed before it could tell it above.
#[test]
fn what_a_killed_program_left_of_a_sub_agents_is_told_above_too() {
    let told = |request: &Value| {
        let messages = request["messages"].to_string();
        if messages.contains("AsyncToolResult: the call") { Turn::text(messages) } else { Turn::silent() }
    };
    let turns =
        vec![delegated(), begins("sleep 600"), Turn::text("It is served."), Turn::computed(told), Turn::computed(told)];
    let Some(stage) = stage(turns) else { return };
    let mut running = stage.start(&["exec", "--approve", "all", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    loop {
        let event = running.until_kind("tool.result");
        if event["payload"]["toolId"] == "delegate" {
            break;
        }
    }
    running.until_kind("engine.request");
    running.signal(rustix::process::Signal::KILL);
    running.end();
    let next = stage.arki(&["resume", &session, "--json"]).exits(0).lines();
    let late = payload(&next, "tool.async_result");
    assert!(text(&late["result"]).contains("effect is unknown"), "{late}");
    assert!(text(&payload(&next, "run.completed")["response"]).contains("effect is unknown"));
    stage.verifies();
}
