//! Redaction rules of the user's own: what they match is as hidden as any other secret.

use crate::harness::{Stage, contains, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

const RULES: [(&str, &str); 2] = [("customer", r"\bCU-\d{6}\b"), ("host", r"[a-z0-9]+\.corp\.example")];

fn rules() -> Value {
    let [(customer, number), (host, name)] = RULES;
    json!({"policy": {"redactionRules": [
        {"name": customer, "pattern": number},
        {"name": host, "pattern": name, "replacement": "[internal host]"},
    ]}})
}

#[test]
fn what_a_rule_matches_reaches_neither_the_model_nor_the_log_nor_an_export() {
    let turns = vec![
        Turn::calls()
            .call("read_file", json!({"path": "notes.txt"}))
            .call("run_command", json!({"command": "cat notes.txt"})),
        Turn::computed(|request| {
            let shown = request.to_string();
            let start = shown.rfind("[secret:customer#").expect("a placeholder");
            let placeholder = &shown[start..=start + shown[start..].find(']').unwrap()];
            let (old, new) = (format!("{placeholder} on"), format!("{placeholder} off"));
            let edit = json!({"path": "notes.txt", "edits": [{"old_text": old, "new_text": new}]});
            Turn::calls().call("edit_file", edit)
        }),
        Turn::text("It was CU-123456 on db7.corp.example."),
    ];
    let stage = Stage::configured(Script::new(turns), &rules());
    stage.write("notes.txt", "order 1\nCU-123456 on db7.corp.example\n");
    stage.write("AGENTS.md", "Ask db7.corp.example about CU-123456.\n");
    let shown = stage.exec(&["--approve", "all", "look at CU-123456 on db7.corp.example"]).exits(0);
    assert_eq!(stage.read("notes.txt"), "order 1\nCU-123456 off db7.corp.example\n", "the tool wrote the real text");
    let session = text(&shown.lines()[0]["sessionId"]);
    let bundle = stage.arki(&["sessions", "export", &session]).exits(0).stdout;
    for secret in ["CU-123456", "db7.corp.example"] {
        let sent = stage.model.requests();
        assert!(!sent.is_empty() && !sent.iter().any(|request| contains(&request.body, secret.as_bytes())), "{secret}");
        assert!(!Value::from(stage.log()).to_string().contains(secret), "{secret} in the log");
        assert!(!shown.stdout.contains(secret) && !shown.stderr.contains(secret), "{secret} shown");
        assert!(!bundle.contains(secret), "{secret} in the export");
    }
    let results = payloads(&shown.lines(), "tool.result");
    assert!(text(&results[0]["result"]).contains("on [internal host]"), "{results:?}");
    stage.verifies();
}

#[test]
fn rules_are_shown_and_one_that_cannot_work_is_an_error_that_says_where() {
    let stage = Stage::configured(Script::new(vec![Turn::text("ok")]), &rules());
    assert!(stage.arki(&["config", "show"]).exits(0).stdout.contains("\"redactionRules\""));
    let more = r#"{"name": "ticket", "pattern": "T-[0-9]+"}"#;
    stage.arki(&["config", "set", "policy.redactionRules[]", more]).exits(0);
    stage.arki(&["config", "set", "policy.redactionRules[]", r#"{"name": "x", "pattern": "x*"}"#]).exits(2);
    assert!(stage.arki(&["config", "get", "policy.redactionRules"]).exits(0).stdout.contains("ticket"));
    stage.write_config("{\n  \"policy\": {\"redactionRules\": [{\"name\": \"a\", \"pattern\": \"(\"}]}\n}");
    let refused = stage.exec(&["look"]).fails(2, "CONFIG_INVALID");
    assert!(refused.message.contains("\"policy.redactionRules[0]\" (line 2"), "{}", refused.message);
}
