//! Several `delegate` calls of one answer: agents that only read work side by side, whatever one of them waits for, and
//! each goes on after a crash.

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::{Recorded, Script, Turn};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longer than anything that a test waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The calls that hand these tasks to an agent that only reads, in one answer.
fn handed(tasks: &[&str]) -> Turn {
    let call = |turn: Turn, task: &&str| turn.call("delegate", json!({"agent": "explorer", "task": task}));
    tasks.iter().fold(Turn::calls(), call)
}

/// The task of the sub-agent whose request this is; `None` for the run above.
fn task_of(request: &Value) -> Option<String> {
    let messages = request["messages"].as_array()?;
    let first = messages.iter().find(|message| message["role"] == "user")?["content"].to_string();
    first.find("look at ").map(|start| first[start..start + "look at 1".len()].to_owned())
}

/// The number of answers of the model in a request.
fn answers(request: &Value) -> usize {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    messages.iter().filter(|message| message["role"] == "assistant").count()
}

/// A run that hands over these tasks and then says what it was told; each sub-agent answers as `beneath` says.
fn script(tasks: &'static [&'static str], beneath: impl Fn(&str, &Value) -> Turn + Send + Sync + 'static) -> Script {
    Script::new(vec![Turn::computed(move |request| match task_of(request) {
        Some(task) => beneath(&task, request),
        None if answers(request) == 0 => handed(tasks),
        None => Turn::text("All are done."),
    })])
}

fn told(stage: &Stage) -> Vec<String> {
    let messages = stage.messages();
    messages.iter().filter(|message| message["role"] == "tool").map(|message| text(&message["content"])).collect()
}

const THREE: &[&str] = &["look at 1", "look at 2", "look at 3"];

#[test]
fn three_readers_end_in_the_time_of_the_slowest() {
    const SLOWEST: Duration = Duration::from_secs(3);
    let stage = Stage::of(script(THREE, |task, _| {
        let pause = match task {
            "look at 1" => SLOWEST,
            "look at 2" => SLOWEST / 2,
            _ => SLOWEST / 3,
        };
        Turn::text(format!("{task} is done.")).pause(pause)
    }));
    let events = stage.exec(&["go"]).exits(0).lines();
    assert_eq!(told(&stage), ["look at 1 is done. ", "look at 2 is done. ", "look at 3 is done. "]);
    assert_eq!(payloads(&events, "subagent.started").len(), 3);
    let requests = stage.model.requests();
    let (first, last): (&Recorded, &Recorded) = (&requests[1], &requests[4]);
    let took = last.at - first.at;
    assert!(took >= SLOWEST && took <= SLOWEST.mul_f64(1.2), "{took:?} beside {SLOWEST:?}");
    stage.verifies();
}

#[test]
fn what_each_of_them_does_is_seen_in_the_terminal() {
    let stage = Stage::of(script(THREE, |task, request| match answers(request) {
        0 => Turn::calls().call("find_files", json!({"glob": format!("{}*", &task["look at ".len()..])})),
        _ => Turn::text("Done."),
    }));
    let told = stage.arki(&["exec", "go"]).exits(0);
    for place in 1..=3 {
        assert!(told.stderr.contains(&format!("    ▸ find_files {place}*")), "{}", told.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_crash_in_the_middle_resumes_each_of_them() {
    let asked: Mutex<HashMap<String, usize>> = Mutex::default();
    // Each is at its second request when the program is killed: that one is never answered.
    let stage = Stage::of(script(THREE, move |task, request| {
        let mut asked = asked.lock().unwrap();
        let times = asked.entry(task.to_owned()).or_default();
        *times += 1;
        match (answers(request), *times) {
            (0, _) => Turn::calls().call("list_directory", json!({})),
            (_, 2) => Turn::silent(),
            _ => Turn::text(format!("{task} is done.")),
        }
    }));
    let mut running = stage.start(&["exec", "go"]);
    let session = text(&running.until_kind("run.started")["sessionId"]);
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 7));
    running.signal(rustix::process::Signal::KILL);
    running.end();

    stage.arki(&["resume", &session]).exits(0);
    assert_eq!(told(&stage), ["look at 1 is done. ", "look at 2 is done. ", "look at 3 is done. "]);
    let above = stage.events(&session);
    let begun = payloads(&above, "subagent.started");
    assert_eq!((begun.len(), payloads(&above, "tool.result").len()), (3, 3));
    for started in begun {
        let events = stage.events(&text(&started["sessionId"]));
        payload(&events, "run.started");
        assert_eq!(payload(&events, "run.resumed")["reason"], "interrupted");
        payload(&events, "tool.call");
    }
    stage.verifies();
}

/// Becomes true once.
#[derive(Clone, Default)]
struct Latch(Arc<(Mutex<bool>, Condvar)>);

impl Latch {
    fn set(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let (state, waited) = self.0.1.wait_timeout_while(self.0.0.lock().unwrap(), PATIENCE, |set| !*set).unwrap();
        drop(state);
        assert!(!waited.timed_out(), "the first sub-agent did not go on while the second worked");
    }
}

/// The first wants to read a secret file, and the second works until the first went on after that was decided.
fn one_waits(config: &Value) -> Stage {
    let went_on = Latch::default();
    let script = script(&["look at 1", "look at 2"], move |task, request| match (task, answers(request)) {
        ("look at 1", 0) => Turn::calls().call("read_file", json!({"path": ".env"})),
        ("look at 1", _) => {
            went_on.set();
            Turn::text("I know.")
        }
        _ => {
            went_on.wait();
            Turn::text("I looked.")
        }
    });
    let stage = Stage::configured(script, config);
    stage.write(".env", "MODE=green\n");
    stage
}

#[test]
fn one_that_waits_goes_on_when_another_process_decides_while_others_work() {
    let stage = one_waits(&Value::Null);
    let mut running = stage.start(&["exec", "go"]);
    running.until_kind("subagent.started");
    crate::harness::wait_until("the approval", || !stage.inbox().is_empty());
    let told_there = stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(told_there.stderr.contains("continues the run"), "{}", told_there.stderr);
    let events = running.end().exits(0).lines();
    assert_eq!(payload(&events, "run.completed")["response"], "All are done.");
    assert!(payloads(&events, "run.paused").is_empty(), "the run above never waited");
    assert_eq!(told(&stage), ["I know. ", "I looked. "]);
    stage.verifies();
}

#[test]
fn one_whose_time_is_over_goes_on_while_others_work() {
    let stage = one_waits(&json!({"limits": {"approvalTimeoutSeconds": 1}}));
    let events = stage.exec(&["go"]).exits(0).lines();
    let first = text(&payloads(&events, "subagent.started")[0]["sessionId"]);
    let events = stage.events(&first);
    assert_eq!(payload(&events, "approval.resolved")["decision"], "reject");
    assert_eq!(told(&stage), ["I know. ", "I looked. "]);
}

#[test]
fn a_row_that_stops_at_an_approval_is_ended_by_the_decision() {
    let stage = Stage::of(script(&["look at 1", "look at 2"], |task, request| match (task, answers(request)) {
        ("look at 1", 0) => Turn::calls().call("read_file", json!({"path": ".env"})),
        _ => Turn::text(format!("{task} is done.")),
    }));
    stage.write(".env", "MODE=green\n");
    let events = stage.exec(&["go"]).exits(3).lines();
    assert!(payloads(&events, "tool.result").is_empty(), "results come in the order of the calls");
    let shown = stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(shown.stdout.contains("All are done."), "{}", shown.stdout);
    assert_eq!(told(&stage), ["look at 1 is done. ", "look at 2 is done. "]);
    assert_eq!(stage.model.requests().len(), 5, "the second is not asked again");
    stage.verifies();
}

#[test]
fn agents_that_may_write_work_one_after_the_other() {
    let tasks = ["look at 1", "look at 2"];
    let stage = Stage::of(Script::new(vec![Turn::computed(move |request| match task_of(request) {
        Some(task) => Turn::text(format!("{task} is done.")),
        None if answers(request) == 0 => {
            let call = |turn: Turn, task: &str| turn.call("delegate", json!({"agent": "arki", "task": task}));
            tasks.into_iter().fold(Turn::calls(), call)
        }
        None => Turn::text("All are done."),
    })]));
    let events = stage.exec(&["go"]).exits(0).lines();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let told: Vec<&&str> = kinds.iter().filter(|kind| matches!(**kind, "subagent.started" | "tool.result")).collect();
    assert_eq!(told, [&"subagent.started", &"tool.result", &"subagent.started", &"tool.result"]);
}
