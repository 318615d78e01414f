//! A provider and its key, entered in the window: the key goes into the keychain and is never seen again.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, Stage};
use arki_testkit::{Script, Turn, json_lines};
use serde_json::json;
use std::path::Path;

const KEY: &str = "sk-lab-SECRET-fedcba9876543210";

#[test]
fn a_key_entered_in_the_settings_is_in_the_keychain_and_nowhere_else() {
    let stage = Stage::new(Script::new(vec![Turn::text("Hello from the lab.")]));
    stage.trust();
    let window = stage.open();
    window.click("Settings");
    let settings = window.element("dialog", "Settings");
    settings.inside("button", "Add provider").click();
    settings.inside("textbox", "Name").write("lab");
    settings.inside("button", "Kind").choose("openai-chat");
    settings.inside("textbox", "Base URL").write(&stage.model.url());
    settings.inside("button", "Save provider").click();
    window.says("! no key yet");
    settings.inside("button", "Set key").click();
    settings.inside("textbox", "API key for lab").write(KEY);
    window.pictures("settings-key");
    settings.inside("button", "Save key").click();
    window.says("✓ key in the keychain");
    window.pictures("settings");

    let providers = json_lines(&stage.arki(&["keys", "list", "--json"]).stdout).unwrap();
    let lab = providers.iter().find(|provider| provider["provider"] == "lab");
    assert_eq!(lab.map(|provider| &provider["keySource"]), Some(&"keychain".into()), "{providers:?}");
    stage.arki(&["exec", "--model", "lab/any", "Hello"]);
    let sent = stage.model.requests().pop().unwrap();
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));

    assert!(!window.everything_it_knows().contains(KEY), "the window knows the key");
    stage.no_key_in(&window);
    let root = stage.home.data_dir().parent().unwrap().to_owned();
    assert_eq!(files_with(&root, KEY), Vec::<String>::new());
}

/// The files below the folder that have these words in them, as they are.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(&entry.path(), words));
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            if bytes.windows(words.len()).any(|window| window == words.as_bytes()) {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

#[test]
fn every_setting_is_found_says_where_it_comes_from_and_is_changed() {
    let rules = json!([{"decision": "deny", "tool": "run_command", "command": ["rm"]}]);
    let policy = json!({"categories": {"read": "allow"}, "rules": rules});
    let stage = Stage::configured(Script::new(vec![Turn::text("Hello.")]), |_| json!({"policy": policy}));
    stage.write(".arki/config.json", r#"{"limits": {"maxTurns": 7}}"#);
    stage.trust();
    let window = stage.open();
    window.press(&[CONTROL, ","]);
    let settings = window.element("dialog", "Settings");
    settings.inside("tab", "All settings").click();
    window.says("limits.maxTurns");
    window.says("Never run commands that begin with rm in every folder");
    window.pictures("settings-all");
    no_barrier(&window, "all settings");
    settings.inside("searchbox", "Search settings").write("reflect");
    settings.inside("switch", "memory.reflect").click();
    settings.inside("button", "Reset memory.reflect");
    let shown = stage.arki(&["config", "show", "--origin"]).stdout;
    assert!(
        shown.lines().any(|line| line.starts_with("memory.reflect = true") && line.contains("config.json")),
        "{shown}"
    );
    settings.inside("tab", "Desktop").click();
    settings.inside("switch", "Notifications");
    window.pictures("settings-desktop");
    no_barrier(&window, "the desktop's settings");
    settings.inside("tab", "Shortcuts").click();
    window.says("Terminal here");
    window.resize(720, 600);
    window.picture("settings-narrow");
}

#[test]
fn a_hook_is_added_and_tried_and_an_item_of_a_list_is_changed_and_taken_back() {
    let policy = json!({"secretFiles": ["certs/**", "old/**"]});
    let stage = Stage::configured(Script::new(vec![Turn::text("Hello.")]), |_| json!({"policy": policy}));
    stage.trust();
    let window = stage.open();
    window.press(&[CONTROL, ","]);
    let settings = window.element("dialog", "Settings");
    settings.inside("tab", "Hooks, agents & skills").click();
    settings.inside("button", "Add hook").click();
    let form = settings.inside("form", "Add hook");
    form.inside("button", "When").choose("before a call");
    form.inside("textbox", "Command").write("echo no force >&2; exit 2");
    form.inside("textbox", "Name").write("no-force");
    window.pictures("settings-hook");
    no_barrier(&window, "a new hook");
    form.inside("button", "Save hook").click();
    settings.inside("button", "Test no-force").click();
    settings.inside("form", "Test no-force").inside("button", "Try it").click();
    window.says("✕ blocks it");
    window.says("no force");
    window.pictures("settings-hook-tried");
    no_barrier(&window, "a hook that was tried");
    let listed = stage.arki(&["hooks", "list"]).stdout;
    assert!(listed.contains("no-force"), "{listed}");
    settings.inside("button", "Add agent").click();
    window.pictures("settings-agent");
    no_barrier(&window, "a new agent");

    settings.inside("tab", "Limits & storage").click();
    window.says("Tidy up now");
    window.says("Logs of the app");
    window.pictures("settings-limits");
    no_barrier(&window, "limits and storage");

    settings.inside("tab", "All settings").click();
    settings.inside("searchbox", "Search settings").write("secretFiles");
    settings.inside("textbox", "policy.secretFiles[0]").write("/x");
    settings.inside("button", "Save policy.secretFiles[0]").click();
    settings.inside("button", "Remove policy.secretFiles[1]").click();
    window.says("policy.secretFiles[1] removed.");
    window.pictures("settings-list");
    no_barrier(&window, "a list in all settings");
    let shown = stage.arki(&["config", "show"]).stdout;
    assert!(shown.contains("certs/**/x") && !shown.contains("old/**"), "{shown}");
    settings.inside("button", "Undo").click();
    settings.inside("button", "Remove policy.secretFiles[1]");
    assert!(stage.arki(&["config", "show"]).stdout.contains("old/**"));
}

#[test]
fn a_rule_is_tried_on_past_calls_then_added_and_leads_to_where_it_would_have_counted() {
    let touch = Turn::calls().call("run_command", json!({"command": "touch made.txt"}));
    let hooks = json!({"PostToolUse": [{"condition": {"toolName": ["edit_file"]}, "command": "cargo fmt"}]});
    let stage = Stage::configured(
        Script::new(vec![touch]),
        |_| json!({"hooks": hooks, "policy": {"categories": {"exec": "approval"}}}),
    );
    stage.write(".agents/skills/release/SKILL.md", "---\nname: release\ndescription: Cuts a release.\n---\nTag it.");
    stage.trust();
    stage.try_arki(&["exec", "Make a file, please"]);
    let window = stage.open();
    window.press(&[CONTROL, ","]);
    let settings = window.element("dialog", "Settings");
    settings.inside("tab", "Rules").click();
    window.says("You have no rules yet");
    settings.inside("button", "Add rule").click();
    let form = settings.inside("form", "Add rule");
    form.inside("button", "Decision").choose("Never allow");
    form.inside("textbox", "Command").write("touch");
    window.says("Never run commands that begin with touch in every folder");
    form.inside("button", "What would it change?").click();
    window.says("1 past call looked at: the rule matches 1 and would decide 1 differently.");
    window.pictures("settings-rule");
    no_barrier(&window, "a rule that was tried");
    let judged = || stage.arki(&["policy", "check", "touch other.txt"]).stdout;
    assert!(judged().starts_with("Asks"), "{}", judged());
    form.inside("button", "Add rule").click();
    settings.inside("button", "Remove rule");
    assert!(judged().starts_with("Denied"), "{}", judged());
    window.pictures("settings-rules");

    settings.inside("tab", "Hooks, agents & skills").click();
    window.says("cargo fmt");
    window.says("Cuts a release.");
    window.says("Finds out where something is");
    window.pictures("settings-configured");
    no_barrier(&window, "hooks, agents and skills");

    settings.inside("tab", "Rules").click();
    settings.inside("button", "Remove rule").click();
    settings.inside("button", "Undo");
    assert!(judged().starts_with("Asks"), "{}", judged());
    settings.inside("button", "Add rule").click();
    let form = settings.inside("form", "Add rule");
    form.inside("textbox", "Tool").write("run_command");
    form.inside("button", "What would it change?").click();
    form.inside("button", "Make a file, please").click();
    window.gone("dialog", "Settings");
    assert!(window.transcript().contains("touch made.txt"), "{}", window.transcript());
    no_barrier(&window, "the call that a rule led to");
}
