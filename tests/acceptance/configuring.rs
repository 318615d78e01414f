//! Providers and MCP servers are added and removed without anybody editing JSON, and what else the file says stays.

use crate::harness::{Shown, Stage};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const OWN: &str = "// mine\n{\n    // two spaces more\n    \"limits\": { \"maxTurns\": 7 }, // why not\n}\n";

fn stage() -> Stage {
    let stage = Stage::new(vec![Turn::text("ok")]);
    stage.write_config(OWN);
    stage
}

fn config(stage: &Stage) -> String {
    std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap()
}

/// Refused, and the file is to the byte what it was.
#[track_caller]
fn refuses(stage: &Stage, args: &[&str], code: &str) -> Shown {
    let before = config(stage);
    let shown = stage.arki(args).fails(2, code);
    assert_eq!(config(stage), before, "{args:?}");
    shown
}

#[test]
fn a_provider_is_added_with_all_comments_kept_and_works_at_once() {
    let mut stage = stage();
    stage.home.env.insert("LAB_KEY".into(), "sk-lab-0123456789abcdef".into());
    let url = stage.model.url();
    let added = ["providers", "add", "lab", "--kind", "custom", "--base-url", &url, "--key-env", "LAB_KEY"];
    let done = stage.arki(&added).exits(0);
    assert!(done.stdout.contains("lab"), "{done:?}");
    let text = config(&stage);
    for kept in ["// mine\n", "    // two spaces more\n", "\"limits\": { \"maxTurns\": 7 }", "// why not"] {
        assert!(text.contains(kept), "{text}");
    }
    let listed = stage.arki(&["providers", "--json"]).exits(0).lines();
    let lab = listed.iter().find(|provider| provider["name"] == "lab").unwrap();
    assert_eq!((&lab["kind"], &lab["keyEnv"]), (&json!("custom"), &json!("LAB_KEY")));
    stage.exec(&["--model", "lab/mock", "hi"]).exits(0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = stage.home.config_dir().join("config.json");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    refuses(&stage, &added, "USAGE");
    stage.arki(&["providers", "rm", "lab"]).exits(0);
    assert!(!config(&stage).contains("lab") && config(&stage).contains("// why not"));
    refuses(&stage, &["providers", "rm", "lab"], "UNKNOWN_PROVIDER");
}

#[test]
fn what_could_not_be_used_is_not_written() {
    let stage = stage();
    for (args, code) in [
        (&["a b", "--kind", "openai"][..], "USAGE"),
        (&["", "--kind", "openai"], "USAGE"),
        (&["lab/x", "--kind", "openai"], "USAGE"),
        (&["lab", "--kind", "chatgpt"], "CONFIG_INVALID"),
        (&["lab", "--kind", "custom"], "CONFIG_INVALID"),
        (&["lab", "--kind", "custom", "--base-url", "ftp://x"], "CONFIG_INVALID"),
        (&["lab", "--kind", "openai", "--key-env", "sk-proj-1234567890abcdef"], "USAGE"),
        (&["lab"], "USAGE"),
    ] {
        refuses(&stage, &[&["providers", "add"], args].concat(), code);
    }
    for (args, code) in [
        (&["a__b", "--", "x"][..], "USAGE"),
        (&["x"], "USAGE"),
        (&["x", "--", ""], "CONFIG_INVALID"),
        (&["x", "--url", "file:///x"], "CONFIG_INVALID"),
        (&["x", "--url", "http://x", "--", "y"], "USAGE"),
        (&["x", "--env", "A=1", "--url", "http://x"], "USAGE"),
        (&["x", "--env", "A", "--", "y"], "USAGE"),
        (&["x", "--env", "A-B=1", "--", "y"], "USAGE"),
    ] {
        refuses(&stage, &[&["mcp", "add"], args].concat(), code);
    }
    refuses(&stage, &["mcp", "rm", "x"], "MCP_SERVER_UNKNOWN");
    stage.write_config("{ \"limits\": ");
    refuses(&stage, &["providers", "add", "lab", "--kind", "openai"], "CONFIG_INVALID");
    stage.write_config("{ \"limts\": {} }");
    refuses(&stage, &["mcp", "add", "x", "--", "y"], "CONFIG_UNKNOWN_KEY");
}

#[test]
fn an_mcp_server_is_added_as_it_would_be_written_and_removed() {
    let stage = stage();
    let added = ["mcp", "add", "git", "--env", "A=1", "--env", "B=x=y", "--", "uvx", "--from", "a b", "-y"];
    stage.arki(&added).exits(0);
    stage.arki(&["mcp", "add", "docs", "--url", "https://h/mcp", "--header", "Authorization: Bearer ${T}"]).exits(0);
    let text = config(&stage);
    let value: Value = jsonc_parser::parse_to_serde_value(&text, &jsonc_parser::ParseOptions::default()).unwrap();
    let expected = json!({
        "git": {"command": "uvx", "args": ["--from", "a b", "-y"], "env": {"A": "1", "B": "x=y"}},
        "docs": {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${T}"}},
    });
    assert_eq!(value["mcpServers"], expected);
    assert!(text.starts_with("// mine\n{\n    // two spaces more"), "{text}");
    let listed = stage.arki(&["mcp", "list", "--json"]).exits(0).lines();
    assert_eq!(listed.len(), 2);
    stage.arki(&["mcp", "rm", "git"]).exits(0);
    assert_eq!(stage.arki(&["mcp", "list"]).exits(0).stdout.lines().count(), 1);
}

#[test]
fn a_secret_in_the_clear_is_warned_of() {
    let stage = Stage::of(Script::new(vec![Turn::text("ok")]));
    let told = stage.arki(&["mcp", "add", "x", "--env", "API_TOKEN=abc", "--", "y"]).exits(0).stderr;
    assert!(told.contains("${API_TOKEN}") && !told.contains("abc"), "{told}");
    let told = stage.arki(&["mcp", "add", "z", "--env", "API_TOKEN=${API_TOKEN}", "--", "y"]).exits(0).stderr;
    assert!(told.is_empty(), "{told}");
}

#[test]
fn each_value_of_the_configuration_names_the_file_that_sets_it() {
    let stage = stage();
    stage.write(".arki/config.json", r#"{"limits": {"maxTurns": 3}}"#);
    stage.trust();
    let lines = stage.arki(&["config", "show", "--origin", "--json"]).exits(0).lines();
    let of = |key: &str| lines.iter().find(|line| line["key"] == key).cloned().unwrap();
    assert_eq!(of("limits.maxTurns")["value"], 3);
    assert!(of("limits.maxTurns")["origin"].as_str().unwrap().ends_with(".arki/config.json"));
    assert_eq!(of("limits.maxAnswerSeconds")["origin"], "default");
    let merged = stage.arki(&["config", "show", "--json"]).exits(0).lines();
    assert_eq!(merged[0]["limits"]["maxTurns"], 3);
    // What was not agreed to sets nothing.
    stage.write(".arki/config.json", r#"{"agents": {"arki": {"model": "demo/echo"}}}"#);
    assert_eq!(stage.arki(&["config", "show", "--json"]).exits(0).lines()[0]["limits"]["maxTurns"], 7);
}

#[test]
fn a_value_is_set_and_removed_by_its_key_with_all_comments_kept() {
    let stage = stage();
    stage.arki(&["config", "set", "limits.maxTurns", "9"]).exits(0);
    stage.arki(&["config", "set", "providers.lab", r#"{"kind": "openai"}"#]).exits(0);
    stage.arki(&["config", "set", "providers.lab.models.\"gpt-5.1\".contextWindow", "1000"]).exits(0);
    let text = config(&stage);
    for kept in ["// mine\n", "    // two spaces more\n", "\"maxTurns\": 9 }, // why not", "\"gpt-5.1\""] {
        assert!(text.contains(kept), "{text}");
    }
    stage.arki(&["config", "unset", "limits.maxTurns"]).exits(0);
    assert!(!config(&stage).contains("maxTurns"));
    refuses(&stage, &["config", "set", "limits.maxTurns", "many"], "CONFIG_INVALID");
    refuses(&stage, &["config", "set", "limits.maxTurns", "0"], "CONFIG_INVALID");
    refuses(&stage, &["config", "set", "limits..maxTurns", "3"], "USAGE");
    refuses(&stage, &["config", "unset", "limits.maxTurns"], "CONFIG_UNKNOWN_KEY");
}

#[test]
fn the_demo_is_not_removed_because_it_is_always_there() {
    let stage = stage();
    let hint = refuses(&stage, &["providers", "rm", "demo"], "USAGE").hint;
    assert!(hint.contains("agents.arki.model"), "{hint}");
    stage.arki(&["config", "set", "providers.demo.kind", "demo"]).exits(0);
    refuses(&stage, &["providers", "rm", "demo"], "USAGE");
    // A provider of that name stands before it, and can go.
    stage.arki(&["config", "set", "providers.demo", r#"{"kind": "openai"}"#]).exits(0);
    stage.arki(&["providers", "rm", "demo"]).exits(0);
}

#[test]
fn a_key_that_is_not_there_is_told_with_the_nearest_one() {
    let stage = stage();
    for (args, key, nearest) in [
        (&["set", "limits.maxTurn", "3"][..], "limits.maxTurn", "maxTurns"),
        (&["set", "providers.lab", r#"{"kind": "custom", "baseURL": "http://x"}"#], "providers.lab.baseURL", "baseUrl"),
        (&["unset", "limit.maxTurns"], "limit", "limits"),
    ] {
        let shown = refuses(&stage, &[&["config"], args].concat(), "CONFIG_UNKNOWN_KEY");
        assert_eq!(shown.message, format!("The configuration has no key \"{key}\"."));
        assert_eq!(shown.hint, format!("Did you mean \"{nearest}\"?"));
    }
}

#[test]
fn a_model_that_no_run_could_begin_with_is_refused() {
    let stage = stage();
    for (key, model, told) in [
        ("agents.arki.model", "openai/gpt-5.1", "arki providers add openai --kind openai"),
        ("agents.explorer", r#"{"model": "nobody/x"}"#, "arki providers add"),
        ("compaction.model", "nobody/x", "arki providers add"),
        ("agents.arki.model", "gpt", "PROVIDER/MODEL"),
        ("agents.arki.model", "demo/gpt", "demo, echo"),
    ] {
        let shown = refuses(&stage, &["config", "set", key, model], "CONFIG_INVALID");
        assert!(shown.message.starts_with('"') && shown.hint.contains(told), "{shown:?}");
    }
    stage.arki(&["config", "set", "agents.arki.model", "demo/echo"]).exits(0);
    stage.arki(&["config", "set", "providers.openai.kind", "openai"]).exits(0);
    let told = stage.arki(&["config", "set", "agents.arki.model", "openai/unheard-of"]).exits(0).stderr;
    assert!(told.contains("openai/unheard-of"), "{told}");
    // A provider that is gone is no reason to refuse another change.
    let told = stage.arki(&["config", "unset", "providers.openai"]).exits(0).stderr;
    assert!(told.contains("no provider"), "{told}");
    stage.arki(&["config", "set", "limits.maxTurns", "9"]).exits(0);
}

#[cfg(unix)]
#[test]
fn an_edited_configuration_is_taken_only_where_it_is_valid() {
    let mut stage = stage();
    stage.home.env.insert("EDITOR".into(), "sed -i s/7/8/".into());
    stage.home.env.remove("VISUAL");
    stage.arki(&["config", "edit"]).exits(0);
    assert!(config(&stage).contains("\"maxTurns\": 8 }, // why not"));
    stage.home.env.insert("EDITOR".into(), "sed -i s/8/eight/".into());
    refuses(&stage, &["config", "edit"], "CONFIG_INVALID");
    let kept = std::fs::read_to_string(stage.home.config_dir().join("config.edited.json")).unwrap();
    assert!(kept.contains("eight"), "{kept}");
}

#[cfg(unix)]
#[test]
fn an_edit_left_unsaved_never_replaces_what_was_changed_since() {
    let mut stage = stage();
    let folder = stage.home.config_dir();
    let files = || std::fs::read_dir(&folder).unwrap().flatten().filter(|one| one.path().is_file()).count();
    stage.arki(&["config", "show"]).exits(0);
    let before = files();
    stage.home.env.insert("EDITOR".into(), "false".into());
    stage.home.env.remove("VISUAL");
    stage.arki(&["config", "edit"]).fails(1, "COMMAND_SPAWN_FAILED");
    assert_eq!(files(), before, "an untouched copy is left");

    stage.home.env.insert("EDITOR".into(), "sed -i s/7/seven/".into());
    refuses(&stage, &["config", "edit"], "CONFIG_INVALID");
    stage.arki(&["config", "set", "limits.maxTurns", "9"]).exits(0);
    stage.home.env.insert("EDITOR".into(), "true".into());
    let told = stage.arki(&["config", "edit"]).exits(0).stderr;
    assert!(told.contains("config.edited-1.json"), "{told}");
    assert!(config(&stage).contains("\"maxTurns\": 9"));
    assert!(std::fs::read_to_string(folder.join("config.edited-1.json")).unwrap().contains("seven"));

    // An editor that was killed leaves a copy in which nothing was typed.
    for name in ["config.edited.json", "config.edited.base.json"] {
        std::fs::copy(folder.join("config.json"), folder.join(name)).unwrap();
    }
    stage.arki(&["config", "set", "limits.maxTurns", "9"]).exits(0);
    let told = stage.arki(&["config", "edit"]).exits(0).stderr;
    assert!(!told.contains("config.edited-2.json"), "{told}");

    // By another program, while the editor is open.
    let other = format!("sed -i s/9/5/ {} && sed -i s/9/6/", folder.join("config.json").display());
    stage.write("edit.sh", format!("{other} \"$1\"\n"));
    let script = stage.home.project_dir().join("edit.sh");
    stage.home.env.insert("EDITOR".into(), format!("sh {}", script.display()));
    stage.arki(&["config", "edit"]).fails(2, "CONFIG_CHANGED");
    assert!(config(&stage).contains("\"maxTurns\": 5"));
    assert!(std::fs::read_to_string(folder.join("config.edited.json")).unwrap().contains("\"maxTurns\": 6"));
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let stage = stage();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stage.arki(&["completions", shell]).exits(0).stdout.contains("approvals"), "{shell}");
    }
    assert!(stage.arki(&["man"]).exits(0).stdout.starts_with(".ie"));
    let folder = stage.write("man/.keep", "").parent().unwrap().display().to_string();
    stage.arki(&["man", "--out", &folder]).exits(0);
    assert!(stage.read("man/arki-approvals-approve.1").contains("hunks"));
    let pages: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|page| page.unwrap().file_name()).collect();
    let about_help = |name: &&std::ffi::OsString| name.to_string_lossy().contains("help");
    assert_eq!(pages.iter().find(about_help), None);
    assert!(!stage.read("man/arki.1").contains("help(1)"));
}
