//! A pipeline in the window: started by its form, watched as a graph, its gate decided.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, wait_until};
use arki_testkit::Script;

pub(crate) const DEFINITION: &str = r#"name: greeting
description: Greets somebody once you agree.
params:
  who: { description: Whom to greet. }
steps:
  - { name: words, adapter: command, run: "printf 'Good morning, %s' \"$who\"" }
  - { name: gate, adapter: approval, message: "Send the greeting?" }
  - { name: sent, adapter: command, run: "cat; echo ' (sent)'" }
"#;

#[test]
fn a_pipeline_is_started_by_its_form_and_goes_on_when_its_gate_is_decided() {
    let stage = Stage::new(Script::new(Vec::new()));
    stage.write(".arki/pipelines/greeting.yaml", DEFINITION);
    stage.trust();
    let window = stage.open();
    window.element("button", "Pipelines").click();
    window.element("region", "Pipelines");
    window.button_saying("greeting").click();
    let form = window.element("form", "Parameters and input");
    no_barrier(&window, "the form of a pipeline");
    window.pictures("pipelines");
    form.inside("textbox", "who").write("Ada");
    form.inside("button", "Start pipeline").click();
    window.element("list", "Steps");
    wait_until("the gate", || window.text().contains("Send the greeting?"));
    no_barrier(&window, "a run that waits");
    window.pictures("pipeline-gate");
    window.element("button", "Approve").click();
    wait_until("the end", || window.text().contains("3 of 3") || window.text().contains("(sent)"));
    window.element("button", "sent").click();
    wait_until("what it printed", || window.text().contains("Good morning, Ada (sent)"));
    no_barrier(&window, "a run that is done");
    window.pictures("pipeline-done");
}
