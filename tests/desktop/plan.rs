//! A plan that is approved before anything is done: seen, changed and approved in the window.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn plan(steps: &[&str], path: &str) -> Turn {
    let calls = json!([{"toolName": "read_file", "arguments": {"path": path}}]);
    Turn::text(json!({"intent": "Look at the app", "plan": steps, "toolCalls": calls}).to_string())
}

fn stage(turns: Vec<Turn>) -> Stage {
    let agents = json!({"arki": {"model": "mock/mock", "core": "pes"}});
    let config = move |_: &str| json!({"agents": agents, "plan": {"approve": true}});
    let stage = Stage::configured(Script::new(turns).sequential(), config);
    stage.write("src/app.txt", "the text\n");
    stage.trust();
    stage
}

fn kinds(stage: &Stage, kind: &str) -> Vec<Value> {
    stage.events().into_iter().filter(|event| event["type"] == kind).collect()
}

#[test]
fn a_plan_waits_in_the_window_and_its_steps_can_be_changed() {
    let turns = vec![
        plan(&["Read everything", "Say what it is"], "src/app.txt"),
        plan(&["Read src/app.txt"], "src/app.txt"),
        Turn::text("It has the text."),
    ];
    let stage = stage(turns);
    let window = stage.open();
    window.ask("What is in the app?");
    window.says("Plan: Look at the app (2 steps)");
    window.element("tab", "Plan").click();
    let steps = window.element("textbox", "Steps of the plan, one per line");
    window.pictures("plan-approval");
    no_barrier(&window, "a plan that waits");
    steps.write(", then stop");
    window.click("Approve");
    window.says("It has the text.");
    let resolved = &kinds(&stage, "approval.resolved")[0]["payload"];
    assert_eq!(resolved["plan"], json!(["Read everything", "Say what it is, then stop"]));
    wait_until("the end of the run", || kinds(&stage, "run.completed").len() == 1);
    window.pictures("plan-done");
}

#[test]
fn a_plan_is_rejected_with_a_note_and_another_one_comes() {
    let turns = vec![
        plan(&["Read everything"], "src/app.txt"),
        plan(&["Read src/app.txt"], "src/app.txt"),
        Turn::text("It has the text."),
    ];
    let stage = stage(turns);
    let window = stage.open();
    window.ask("What is in the app?");
    // The inspector opens by itself for the decision: what is found before that is drawn anew.
    window.says("Plan: Look at the app");
    window.element("tab", "Plan").click();
    window.element("textbox", "Note to the model").write("only that file");
    window.click("Reject");
    wait_until("another plan", || kinds(&stage, "plan.proposed").len() == 2);
    assert!(stage.request(2).contains("only that file"));
    window.click("Approve");
    window.says("It has the text.");
}
