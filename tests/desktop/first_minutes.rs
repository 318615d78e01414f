//! From an empty home to the first accepted change: a model is chosen, a folder opened, an example taken, an edit accepted.

use crate::accessibility::no_barrier;
use crate::harness::{ENTER, Stage, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use arki_testkit::{Script, ScriptedServer, Turn};
use serde_json::{Value, json};
use std::path::Path;

/// Starts a server that lists these models as Ollama does, and says of each that it can chat.
pub(crate) fn ollama(models: &[&str]) -> ScriptedServer {
    let list: Vec<_> = models.iter().map(|name| json!({"name": name, "model": name})).collect();
    let shown = json!({"capabilities": ["completion", "tools"], "model_info": {}});
    let script = Script::new(Vec::new()).telling("/api/tags", json!({"models": list})).telling("/api/show", shown);
    script.telling("/api/ps", json!({"models": []})).start().unwrap()
}

#[test]
fn a_model_a_folder_and_an_example_lead_to_the_first_accepted_change() {
    let server = ollama(&["qwen3:8b", "llama3.2:3b"]);
    let host = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let stage = Stage::furnished(edit_and_say(), |_| Value::Null, &[("OLLAMA_HOST", host)]);
    stage.write("src/app.txt", &sixty_lines());
    stage.write("src/main.rs", "fn main() {}\n");
    stage.write("Cargo.toml", "[package]\nname = \"notes\"\n");
    let window = stage.open_empty();
    window.says("Open a folder to work on");
    window.says("Ollama");
    window.says("needs no key");
    window.element("button", "Model of Ollama");
    window.pictures("welcome");
    no_barrier(&window, "the welcome");

    window.click("Enter a key");
    window.element("textbox", "API key for anthropic");
    window.pictures("welcome-key");
    no_barrier(&window, "the key at the welcome");
    window.click("Cancel");

    window.click("Use qwen3:8b");
    wait_until("the chosen model", || stage.arki(&["config", "show"]).stdout.contains("ollama/qwen3:8b"));
    window.says("In use");
    stage.arki(&["config", "set", "agents.arki.model", "mock/mock"]);

    stage.start_again(&stage.home.project_dir());
    window.element("dialog", "Trust this folder?").inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    window.says("To a new session in project");
    window.says("Explain what this project does");
    window.pictures("new-session");
    no_barrier(&window, "a new session");
    window.button_saying("Write tests for src/main.rs").click();
    let message = window.element("textbox", "Message");
    assert_eq!(message.ask("return arguments[0].value"), "Write tests for src/main.rs");
    assert!(message.is_focused());
    window.press(&[ENTER]);
    window.element("region", "src/app.txt");
    window.click("Accept all");
    window.says(DONE);
    assert!(stage.read("src/app.txt").contains("LINE FIVE"));
    no_barrier(&window, "the first accepted change");
}

#[test]
fn the_demo_on_a_sample_is_four_clicks_to_the_first_accepted_change() {
    let stage = Stage::new(Script::new(Vec::new()));
    let window = stage.open_empty();
    window.click("Try the demo on a sample");
    window.element("dialog", "Trust this folder?").inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    window.click("Send");
    window.click("Accept all");
    window.says("README.md");
    let sample = Path::new(&stage.home.env["HOME"]).join("arki-sample");
    let written = || std::fs::read_to_string(sample.join("README.md")).unwrap();
    wait_until("the accepted change", || written().contains("Windowsill: an overview"));
    no_barrier(&window, "the sample");
}

#[test]
fn in_an_untrusted_folder_a_denied_call_says_why_and_leads_to_trust() {
    let stage = Stage::new(edit_and_say());
    stage.write("src/app.txt", &sixty_lines());
    let window = stage.open();
    window.element("dialog", "Trust this folder?").inside("button", "Keep untrusted").click();
    window.gone("dialog", "Trust this folder?");
    window.ask("Change two lines");
    window.says(DONE);
    window.says("✕ denied");
    window.pictures("denied");
    no_barrier(&window, "a denied call");
    window.click("Trust folder");
    window.element("dialog", "Trust this folder?").inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    window.gone("button", "Trust folder");
}

#[test]
fn a_refused_key_is_replaced_where_it_was_refused() {
    let refused = Turn::json(401, json!({"error": {"message": "Incorrect API key provided"}}));
    let stage = Stage::trusted(Script::new(vec![refused]));
    let window = stage.open();
    window.ask("Say hello");
    window.element("button", "Replace key");
    window.pictures("refused-key");
    let first = "return document.querySelector('[role=log] .error-actions button').innerText";
    assert_eq!(window.run(first), "Replace key");
    window.click("Replace key");
    let settings = window.element("dialog", "Settings");
    let field = settings.inside("textbox", "API key for mock");
    field.gets_focus();
    field.write("sk-another-0123456789abcdef");
    window.press(&[ENTER]);
    // Tested at once: the server refuses this one too.
    window.says("Test again");
    window.says("✕");
}
