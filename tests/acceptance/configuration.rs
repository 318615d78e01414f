//! A configuration with a mistake in it stops everything that depends on it, and says where and how to mend it.

use crate::harness::{Done, Shown, Stage};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn stage() -> Stage {
    Stage::new(vec![Turn::text("ok")])
}

#[track_caller]
fn refuses(stage: &Stage, code: &str) -> Shown {
    let done = stage.exec(&["hello"]).exits(2);
    assert_eq!(done.json_error().code, code);
    assert!(stage.model.requests().is_empty());
    assert!(stage.sessions().is_empty(), "a run that could not begin has left a session");
    done.error()
}

#[test]
fn an_unknown_key_is_named_with_its_place_and_the_nearest_known_one() {
    for (config, place, nearest) in [
        (r#"{"providres": {}}"#, "\"providres\"", "\"providers\""),
        (r#"{"limits": {"maxTurn": 3}}"#, "\"limits.maxTurn\"", "\"maxTurns\""),
        (
            r#"{"providers": {"x": {"kind": "custom", "baseURL": "http://x"}}}"#,
            "\"providers.x.baseURL\"",
            "\"baseUrl\"",
        ),
        (r#"{"agents": {"arki": {"modle": "a/b"}}}"#, "\"agents.arki.modle\"", "\"model\""),
    ] {
        let stage = stage();
        stage.write_config(config);
        let shown = refuses(&stage, "CONFIG_UNKNOWN_KEY");
        assert!(shown.message.contains(place) && shown.message.contains("config.json"), "{shown:?}");
        assert!(shown.hint.contains(nearest), "{shown:?}");
    }
}

#[test]
fn broken_json_says_where() {
    for config in ["{\"agents\": ", "{]", "not json", "[]", "7", "{\"limits\": {\"maxTurns\": \"many\"}}"] {
        let stage = stage();
        stage.write_config(config);
        let shown = refuses(&stage, "CONFIG_INVALID");
        assert!(shown.message.contains("config.json"), "{shown:?}");
    }
}

#[test]
fn a_rule_whose_own_example_fails_is_an_error() {
    for (rule, example) in [
        (
            json!({"decision": "allow", "tool": "run_command", "command": ["cargo", "test"], "match": ["cargo build"]}),
            "cargo build",
        ),
        (json!({"decision": "deny", "command": ["git"], "notMatch": ["git status"]}), "git status"),
        (json!({"decision": "deny", "path": "src/**", "match": ["docs/a.md"]}), "docs/a.md"),
    ] {
        let stage = stage();
        stage.write_config(&json!({"policy": {"rules": [rule]}}).to_string());
        let shown = refuses(&stage, "CONFIG_INVALID");
        assert!(shown.message.contains(example) && shown.message.contains("rule 1"), "{shown:?}");
    }
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_fine() {
    let stage = stage();
    let url = stage.model.url();
    stage.write_config(&format!(
        "\u{feff}// mine\n{{\"agents\": {{\"arki\": {{\"model\": \"mock/mock\"}}}}, /* here */ \"providers\": \
         {{\"mock\": {{\"kind\": \"custom\", \"baseUrl\": \"{url}\",}},}},}}"
    ));
    stage.exec(&["hello"]).exits(0);
}

#[test]
fn a_mistake_is_mended_by_mending_the_file() {
    let stage = stage();
    let good = std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap();
    stage.write_config("{");
    refuses(&stage, "CONFIG_INVALID");
    let doctor = stage.arki(&["doctor", "--json"]).exits(1).lines();
    assert!(doctor.iter().any(|check| check["name"] == "configuration" && check["state"] == "failed"), "{doctor:?}");
    stage.write_config(&good);
    stage.exec(&["hello"]).exits(0);
}

#[test]
fn a_project_may_not_loosen_what_the_user_has_set() {
    for project in [
        json!({"providers": {"evil": {"kind": "custom", "baseUrl": "http://127.0.0.1:1/v1"}}}),
        json!({"agents": {"arki": {"model": "evil/x"}}}),
        json!({"limits": {"maxTurns": 500}}),
        json!({"limits": {"maxToolOutputBytes": 100_000_000}}),
        json!({"policy": {"categories": {"exec": "allow"}}}),
        json!({"policy": {"rules": [{"decision": "allow", "tool": "run_command"}]}}),
    ] {
        let stage = Stage::untrusted(Script::new(vec![Turn::text("ok")]), &Value::Null);
        stage.write(".arki/config.json", project.to_string());
        stage.exec(&["untrusted, it is not even read"]).exits(0);
        stage.trust();
        let done: Done = stage.exec(&["hello"]).exits(2);
        let shown = done.json_error();
        assert_eq!(shown.code, "CONFIG_INVALID", "{project}");
        assert!(shown.message.contains(".arki/config.json"), "{shown:?}");
        assert_eq!(stage.model.requests().len(), 1);
    }
}

#[test]
fn a_project_may_tighten() {
    let stage = Stage::untrusted(
        Script::new(vec![Turn::calls().call("read_file", json!({"path": "a"})), Turn::text("ok")]),
        &Value::Null,
    );
    stage.write(".arki/config.json", json!({"limits": {"maxTurns": 1}}).to_string());
    stage.trust();
    stage.exec(&["hello"]).exits(5);
    // Changed since, the lower limit holds on until the user agrees to the other, and that is said.
    stage.write(".arki/config.json", json!({"limits": {"maxTurns": 2}}).to_string());
    let told = stage.exec(&["hello"]).exits(5).stderr;
    assert!(told.contains("off until you approve the changes: .arki/config.json"), "{told}");
    stage.trust();
    stage.exec(&["hello"]).exits(0);
}

#[test]
fn an_address_header_or_name_that_cannot_be_used_is_named_before_anything_is_stored() {
    let stage = Stage::new(Vec::new());
    for (name, provider) in [
        ("lab", json!({"kind": "custom", "baseUrl": "not a url"})),
        ("lab", json!({"kind": "custom", "baseUrl": "ftp://a/b"})),
        ("lab", json!({"kind": "custom", "baseUrl": "http://127.0.0.1:9/v1", "headers": {"X-A": "two\nlines"}})),
        ("a/b", json!({"kind": "custom", "baseUrl": "http://127.0.0.1:9/v1"})),
    ] {
        stage.write_config(&json!({"providers": {name: provider}}).to_string());
        let shown = stage.arki(&["exec", "--model", &format!("{name}/m"), "hi"]).fails(2, "CONFIG_INVALID");
        assert!(shown.message.contains(name) && shown.message.contains("config.json"), "{shown:?}");
    }
    stage.write_config("{}");
    assert!(stage.sessions().is_empty());
}

#[test]
fn a_missing_command_is_an_error_in_both_forms() {
    let stage = Stage::new(Vec::new());
    for group in ["sessions", "approvals", "queue", "keys", "policy"] {
        assert_eq!(stage.arki(&[group, "--json"]).exits(2).json_error().code, "USAGE");
        let told = stage.arki(&[group]).exits(2).stderr;
        assert!(told.contains("error[USAGE]") && told.contains("Use one of: ") && !told.contains("Usage:"), "{told}");
    }
}

#[test]
fn a_key_of_the_wrong_kind_is_named_with_its_line_and_column() {
    let stage = stage();
    stage.write_config("// mine\n{\n  \"limits\": {\n    \"maxTurns\": \"many\"\n  }\n}");
    let shown = refuses(&stage, "CONFIG_INVALID");
    assert!(shown.message.contains("\"limits.maxTurns\" (line 4, column 5)"), "{shown:?}");
    stage.write_config("{\n\"limits\": { \"maxTurn\": 3 }}");
    let shown = refuses(&stage, "CONFIG_UNKNOWN_KEY");
    assert!(shown.message.contains("\"limits.maxTurn\" (line 2, column 13)"), "{shown:?}");
    stage.write_config(r#"{"providers": {"lab": {"kind": "custom", "baseUrl": "ftp://a"}}}"#);
    assert!(refuses(&stage, "CONFIG_INVALID").message.contains("\"providers.lab\""));
}

#[test]
fn a_model_of_a_provider_that_is_not_there_is_told_before_anything_runs() {
    let stage = stage();
    stage.write_config(r#"{"agents": {"arki": {"model": "nobody/x"}}}"#);
    let shown = stage.arki(&["providers", "--json"]).exits(2).json_error();
    assert!(shown.code == "UNKNOWN_PROVIDER" && shown.message.contains("\"agents.arki.model\""), "{shown:?}");
    let doctor = stage.arki(&["doctor", "--json"]).exits(1).lines();
    let check = doctor.iter().find(|check| check["name"] == "configuration").unwrap();
    assert_eq!(check["state"], "failed");
    assert!(check["detail"].as_str().unwrap().contains("nobody"), "{check}");
    refuses(&stage, "UNKNOWN_PROVIDER");
}

#[test]
fn a_log_level_that_is_none_is_refused() {
    let stage = stage();
    for level in ["loud", "info,loud", "arki_llm=loud", "arki_llm"] {
        let shown = stage.arki(&["--log", level, "models", "--json"]).exits(2).json_error();
        assert!(shown.code == "USAGE" && shown.hint.contains("trace"), "{level}: {shown:?}");
    }
    for level in ["off", "WARN", "arki_llm=debug,error"] {
        stage.arki(&["--log", level, "providers"]).exits(0);
    }
}

#[test]
fn an_unknown_provider_is_named() {
    let stage = stage();
    let shown = stage.exec(&["--model", "nobody/x", "hello"]).fails(2, "UNKNOWN_PROVIDER");
    assert!(shown.message.contains("nobody"), "{shown:?}");
    for model in ["mock", "", "/", "mock/"] {
        let done = stage.exec(&["--model", model, "hello"]).exits(2);
        done.json_error();
    }
    assert!(stage.sessions().is_empty());
}

#[cfg(unix)]
#[test]
fn the_first_start_writes_a_private_template_and_a_private_database() {
    use std::os::unix::fs::PermissionsExt;
    let mut stage = stage();
    let root = stage.home.data_dir().with_file_name("first");
    for (name, folder) in [("ARKI_CONFIG_DIR", "config"), ("ARKI_DATA_DIR", "data")] {
        stage.home.env.insert(name.to_owned(), root.join(folder).display().to_string());
    }
    stage.exec(&["hello"]).exits(0);
    let mode = |path: &str| root.join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("config"), mode("config/config.json")), (0o700, 0o600));
    assert_eq!(mode("config/config.schema.json"), 0o600);
    let schema: Value =
        serde_json::from_slice(&std::fs::read(root.join("config/config.schema.json")).unwrap()).unwrap();
    assert_eq!(schema["properties"]["limits"]["additionalProperties"], false);
    assert_eq!((mode("data"), mode("data/arki.db")), (0o700, 0o600));
}
