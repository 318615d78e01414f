//! Before there is a session: no folder, no key, no trust, no words.

use super::{Look, Way, as_it_is};
use crate::first_minutes::ollama;
use crate::harness::{Screen, Stage};
use arki_testkit::Script;
use serde_json::Value;

pub(super) fn look(way: Way) {
    let server = ollama(&["qwen3:8b", "llama3.2:3b", "a-model-with-a-very-long-name-of-its-own:70b-instruct-q4_K_M"]);
    let host = server.url().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let stage = Stage::on(Screen::Large, Script::new(Vec::new()), |_| Value::Null, &[("OLLAMA_HOST", host)]);
    stage.write("src/main.rs", "fn main() {}\n");
    stage.write("Cargo.toml", "[package]\nname = \"notes\"\n");
    stage.write("AGENTS.md", "Be brief.\n");
    stage.write(".agents/skills/release/SKILL.md", "---\nname: release\ndescription: Cuts a release.\n---\nTag it.");
    stage.write(".arki/config.json", r#"{"hooks": {"PostToolUse": [{"command": "cargo fmt --all"}]}}"#);
    let look = Look::at(stage.open_empty(), way);
    look.window.says("needs no key");
    look.takes("welcome", as_it_is);
    look.window.click("Enter a key");
    look.window.element("textbox", "API key for anthropic");
    look.takes("welcome-key", as_it_is);
    look.window.click("Cancel");
    stage.start_again(&stage.home.project_dir());
    let trust = look.window.element("dialog", "Trust this folder?");
    look.takes("trust", as_it_is);
    trust.inside("button", "Trust folder").click();
    look.window.gone("dialog", "Trust this folder?");
    look.takes("new-session", as_it_is);
    look.all_fits();
}
