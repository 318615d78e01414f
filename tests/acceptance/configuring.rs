//! Providers and MCP servers are added and removed without anybody editing JSON, and what else the file says stays.

use crate::harness::Stage;
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
fn refuses(stage: &Stage, args: &[&str], code: &str) {
    let before = config(stage);
    stage.arki(args).fails(2, code);
    assert_eq!(config(stage), before, "{args:?}");
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
