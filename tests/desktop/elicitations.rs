//! What an MCP server asks in the middle of a call: a form in the window, filled in by keyboard and mouse.

use crate::accessibility::no_barrier;
use crate::harness::{ENTER, Stage, Window, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::path::Path;

/// The server asks in the middle of this call.
fn asks(text: &str) -> Stage {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("acceptance/mcp_server.py");
    let call = Turn::calls().call("mcp__tickets__echo", json!({ "text": text }));
    let script = Script::new(vec![call, Turn::text("That was all.")]).sequential();
    let server = json!({ "command": "python3", "args": [program, "good"], "category": "read" });
    let stage = Stage::configured(script, |_| json!({ "mcpServers": { "tickets": server } }));
    stage.trust();
    stage
}

/// What was asked and answered, as the log has it.
fn noted(stage: &Stage) -> Value {
    let events = stage.events();
    let result = events.iter().find(|event| event["type"] == "tool.result").unwrap();
    result["payload"]["elicitations"][0].clone()
}

fn title(window: &Window<'_>) -> String {
    window.run("return document.title").as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_form_is_filled_in_mended_and_sent() {
    let stage = asks("form");
    let window = stage.open();
    window.ask("Book a seat");
    let form = window.element("form", "The MCP server tickets asks you");
    wait_until("its number in the title", || title(&window).starts_with("(1) "));
    assert!(form.text().contains("Whom is the ticket for?"), "{}", form.text());
    window.pictures("elicitation");
    no_barrier(&window, "the form");

    form.inside("button", "Send answer").click();
    let name = form.inside("textbox", "Name");
    name.gets_focus();
    wait_until("what is wrong there", || form.text().contains("Fill this in."));
    window.pictures("elicitation-wrong");
    no_barrier(&window, "the form with a fault");

    name.write("Ada");
    form.inside("textbox", "E-mail").write("ada@example.org");
    form.inside("button", "Class").choose("First");
    form.inside("checkbox", "dog").click();
    name.click();
    window.press(&[ENTER]);
    window.says("That was all.");
    window.gone("form", "The MCP server tickets asks you");
    let noted = noted(&stage);
    let values = json!({ "who": "Ada", "mail": "ada@example.org", "seats": 1, "window": true, "class": "1",
        "extras": ["dog"] });
    assert_eq!((&noted["answer"], &noted["values"]), (&json!("accepted"), &values));
    assert!(stage.request(2).contains("accept"), "{}", stage.request(2));
    stage.arki(&["verify"]);
}

#[test]
fn a_page_is_shown_with_its_host_and_may_be_declined() {
    let stage = asks("page");
    let window = stage.open();
    window.ask("Book a seat");
    let card = window.element("form", "The MCP server tickets asks you");
    assert!(card.text().contains("https://login.example/authorize?client=arki"), "{}", card.text());
    card.inside("button", "Open page");
    window.pictures("elicitation-page");
    no_barrier(&window, "the page");
    card.inside("button", "Decline").click();
    window.says("That was all.");
    assert_eq!(noted(&stage)["answer"], "declined");
}
