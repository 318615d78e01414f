//! `delegate` in the background: answered at once, told when the sub-agent has finished, and never left behind.

use crate::harness::{Stage, payload, payloads, text, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

fn handed(agent: &str, task: &str) -> Turn {
    Turn::calls().call("delegate", json!({"agent": agent, "task": task, "background": true}))
}

/// What the user and the tools have said in a request, and the number of the model's answers in it.
fn heard(request: &Value) -> (String, usize) {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let answers = messages.iter().filter(|message| message["role"] == "assistant").count();
    (messages.iter().map(|message| message["content"].to_string()).collect(), answers)
}

fn is_of_subagent(request: &Value) -> bool {
    request["messages"].as_array().is_some_and(|messages| {
        messages.iter().any(|message| message["role"] == "user" && message["content"].to_string().contains("look at"))
    })
}

/// A run of which the model's turns are told by what it has heard, and that of its sub-agents.
fn script(
    above: impl Fn(&str, usize) -> Turn + Send + Sync + 'static,
    beneath: impl Fn(&str, usize) -> Turn + Send + Sync + 'static,
) -> Script {
    Script::new(vec![Turn::computed(move |request| {
        let (heard, answers) = heard(request);
        if is_of_subagent(request) { beneath(&heard, answers) } else { above(&heard, answers) }
    })])
}

#[test]
fn the_answer_comes_later_and_the_run_waits_for_it() {
    let above_worked = Arc::new(AtomicBool::new(false));
    let worked = above_worked.clone();
    let stage = Stage::of(script(
        move |heard, answers| match answers {
            0 => handed("explorer", "look at 1"),
            1 => {
                above_worked.store(true, Ordering::SeqCst);
                Turn::text("I have nothing else to do.")
            }
            _ => Turn::text(format!("I heard: {heard}")),
        },
        move |_, _| {
            wait_until("the run above went on", || worked.load(Ordering::SeqCst));
            Turn::text("Found it.")
        },
    ));
    let events = stage.exec(&["go"]).exits(0).lines();
    let (call, placeholder) = (payload(&events, "tool.call"), payload(&events, "tool.result"));
    assert_eq!((&call["asyncCallId"], &placeholder["asyncCallId"]), (&call["callId"], &call["callId"]));
    let late = payload(&events, "tool.async_result");
    assert_eq!((&late["asyncCallId"], &late["isError"]), (&call["callId"], &json!(false)));
    assert_eq!(text(&late["result"]).trim(), "Found it.");
    let response = text(&payload(&events, "run.completed")["response"]);
    assert!(response.contains("AsyncToolResult: the call") && response.contains("Found it."), "{response}");
    assert!(payloads(&events, "run.paused").is_empty());
    stage.verifies();
}

#[test]
fn an_agent_that_may_write_is_refused() {
    let stage = Stage::of(script(
        |heard, answers| if answers == 0 { handed("arki", "look at 1") } else { Turn::text(heard) },
        |_, _| Turn::text("Never asked."),
    ));
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(payload(&events, "tool.result")["code"], "BACKGROUND_WOULD_WRITE");
    assert!(payloads(&events, "subagent.started").is_empty());
}

#[test]
fn more_than_four_are_refused() {
    let stage = Stage::of(script(
        |_, answers| match answers {
            0 => (1..=5).fold(Turn::calls(), |turn, place| {
                let args = json!({"agent": "explorer", "task": format!("look at {place}"), "background": true});
                turn.call("delegate", args)
            }),
            _ => Turn::text("Done."),
        },
        |_, _| Turn::text("Found it.").pause(std::time::Duration::from_secs(1)),
    ));
    let events = stage.exec(&["go"]).exits(0).lines();
    let codes: Vec<Value> = payloads(&events, "tool.result").iter().map(|result| result["code"].clone()).collect();
    assert_eq!((&codes[3], &codes[4]), (&json!(null), &json!("BACKGROUND_FULL")));
    assert_eq!(payloads(&events, "tool.async_result").len(), 4);
}

#[cfg(unix)]
#[test]
fn after_a_crash_the_result_comes_with_the_resumed_run() {
    let asked: Mutex<usize> = Mutex::default();
    let stage = Stage::of(script(
        |heard, answers| match answers {
            0 => handed("explorer", "look at 1"),
            1 => Turn::text("I wait."),
            _ => Turn::text(format!("I heard: {heard}")),
        },
        move |_, answers| {
            let mut asked = asked.lock().unwrap();
            *asked += 1;
            match (answers, *asked) {
                (0, _) => Turn::calls().call("list_directory", json!({})),
                (_, 2) => Turn::silent(),
                _ => Turn::text("Found it."),
            }
        },
    ));
    let mut running = stage.start(&["exec", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 4));
    running.signal(rustix::process::Signal::KILL);
    running.end();

    let events = stage.arki(&["resume", &session, "--json"]).exits(0).lines();
    assert_eq!(text(&payload(&events, "tool.async_result")["result"]).trim(), "Found it.");
    assert!(text(&payload(&events, "run.completed")["response"]).contains("Found it."));
    let above = stage.events(&session);
    let beneath = stage.events(&text(&payload(&above, "subagent.started")["sessionId"]));
    assert_eq!(payload(&beneath, "run.resumed")["reason"], "interrupted");
    payload(&beneath, "tool.call");
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn stopping_the_run_stops_them_and_says_so() {
    let stage = Stage::of(script(
        |_, answers| if answers == 0 { handed("explorer", "look at 1") } else { Turn::text("I wait.") },
        |_, _| Turn::silent(),
    ));
    let mut running = stage.start(&["exec", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 3));
    running.signal(rustix::process::Signal::INT);
    running.end();
    let above = stage.events(&session);
    assert_eq!(payload(&above, "tool.async_result")["isError"], true);
    payload(&above, "run.cancelled");
    let beneath = stage.events(&text(&payload(&above, "subagent.started")["sessionId"]));
    payload(&beneath, "run.cancelled");
    stage.verifies();
}

/// The sub-agent wants to read a secret file.
fn asks(_: &str, answers: usize) -> Turn {
    match answers {
        0 => Turn::calls().call("read_file", json!({"path": ".env"})),
        _ => Turn::text("I know."),
    }
}

fn waits(heard: &str, answers: usize) -> Turn {
    match answers {
        0 => handed("explorer", "look at 1"),
        1 => Turn::text("I wait."),
        _ => Turn::text(format!("I heard: {heard}")),
    }
}

#[test]
fn a_run_that_waits_for_one_that_asks_stops_and_the_decision_goes_on_with_it() {
    let stage = Stage::of(script(waits, asks));
    stage.write(".env", "MODE=green\n");
    let events = stage.exec(&["go"]).exits(3).lines();
    assert_eq!(payload(&events, "run.paused")["reason"], "approval");
    let shown = stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(shown.stdout.contains("I know."), "{}", shown.stdout);
    stage.verifies();
}

/// The run above asks too, while its sub-agent works: it is decided first, and the sub-agent never paused.
#[test]
fn a_decision_on_the_run_above_does_not_wait_for_the_sub_agent() {
    let decided = Arc::new(AtomicBool::new(false));
    let is_decided = decided.clone();
    let stage = Stage::of(script(
        move |heard, answers| match answers {
            0 => handed("explorer", "look at 1"),
            1 => Turn::calls().call("write_file", json!({"path": "notes.txt", "content": "noted\n"})),
            2 => {
                decided.store(true, Ordering::SeqCst);
                Turn::text("Noted.")
            }
            _ => Turn::text(format!("I heard: {heard}")),
        },
        move |_, _| {
            wait_until("the run above went on", || is_decided.load(Ordering::SeqCst));
            Turn::text("Found it.")
        },
    ));
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("approval.requested");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let events = running.end().exits(0).lines();
    assert!(payloads(&events, "run.paused").is_empty(), "{events:?}");
    assert_eq!(stage.read("notes.txt"), "noted\n");
    assert!(text(&payload(&events, "run.completed")["response"]).contains("Found it."));
    stage.verifies();
}

/// The answer of the core `pes` is made of what its calls came to, these included.
#[test]
fn a_run_in_stages_answers_once_they_have_finished() {
    let stage = Stage::of(script(
        |heard, answers| match answers {
            0 => {
                let arguments = json!({"agent": "explorer", "task": "look at 1", "background": true});
                let calls = json!([{"toolName": "delegate", "arguments": arguments}]);
                Turn::text(json!({"intent": "Look", "plan": ["Look"], "toolCalls": calls}).to_string())
            }
            _ => Turn::text(format!("I heard: {heard}")),
        },
        |_, _| Turn::text("Found it.").pause(std::time::Duration::from_secs(1)),
    ));
    let events = stage.exec(&["--core", "pes", "go"]).exits(0).lines();
    let stages: Vec<Value> =
        payloads(&events, "engine.request").iter().map(|request| request["stage"].clone()).collect();
    assert_eq!(stages, ["plan", "synthesize"]);
    assert!(text(&payload(&events, "run.completed")["response"]).contains("Found it."));
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn after_a_crash_the_decision_on_a_sub_agents_call_resumes_both() {
    let asked: Mutex<usize> = Mutex::default();
    let above = move |heard: &str, answers: usize| {
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        if *asked == 2 { Turn::silent() } else { waits(heard, answers) }
    };
    let stage = Stage::of(script(above, asks));
    stage.write(".env", "MODE=green\n");
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("subagent.started");
    wait_until("the approval", || !stage.inbox().is_empty());
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 3));
    running.signal(rustix::process::Signal::KILL);
    running.end();
    let shown = stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(shown.stdout.contains("I know."), "{}", shown.stdout);
    stage.verifies();
}
