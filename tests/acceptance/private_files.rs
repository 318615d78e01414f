//! What nobody approved opens no secret file, and no file of the user's outside the project.
#![cfg(unix)]

use crate::harness::{Stage, payload};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn running(line: &str) -> Stage {
    configured(line, &Value::Null)
}

fn configured(line: &str, config: &Value) -> Stage {
    let turns = vec![Turn::calls().call("run_command", json!({"command": line})), Turn::text("Done.")];
    let stage = Stage::configured(Script::new(turns), config);
    stage.write(".env", "PIN=1234secret9876\n");
    stage.write("keys/tls.pem", "PEMSECRET\n");
    stage.write("../tax.txt", "TAXES\n");
    stage
}

fn is_closed(told: &str) -> bool {
    !told.contains("UElOPT")
        && !told.contains("6789terces4321")
        && !told.contains("PEMSECRET")
        && !told.contains("SEXAT")
}

const READING: &str = "base64 .env; rev .env; cat keys/*.pem; rev ../tax.txt; echo ran";

#[test]
fn npm_runs_and_tells_none() {
    let stage = running("npm test");
    stage.write("package.json", json!({"name": "x", "scripts": {"test": READING}}).to_string());
    check(&stage, "never");
}

#[test]
fn make_runs_and_tells_none() {
    for approve in ["never", "all"] {
        let stage = running("make test");
        stage.write("Makefile", format!("test:\n\t{READING}\n"));
        check(&stage, approve);
    }
}

#[test]
fn cargo_builds_and_tells_none() {
    let stage = running("cargo build --offline");
    stage.write("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    stage.write("src/main.rs", "fn main() {}\n");
    let read = "let told = std::fs::read_to_string(file).map(|t| t.chars().rev().collect::<String>());\n\
                println!(\"cargo:warning={told:?}\");";
    let files = "[\".env\", \"keys/tls.pem\", \"../tax.txt\"]";
    stage.write(
        "build.rs",
        format!("fn main() {{ for file in {files} {{ {read} }} println!(\"cargo:warning=ran\"); }}"),
    );
    check(&stage, "never");
}

#[test]
fn a_rule_makes_none_visible() {
    let rule = json!({"decision": "allow", "command": ["sh", "check.sh"]});
    let stage = configured("sh check.sh", &json!({"policy": {"rules": [rule]}}));
    stage.write("check.sh", READING);
    check(&stage, "ask");
}

fn check(stage: &Stage, approve: &str) {
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", approve, "go"]).exits(0);
    let told = stage.told();
    assert!(told.contains("ran") && is_closed(&told), "{told}");
    assert!(told.contains("ermission denied"), "never empty: {told}");
}

#[test]
fn an_approval_says_so_first() {
    let stage = running("rev ../tax.txt && sh -c \"rev .env\"");
    stage.exec(&["go"]).exits(3);
    let shown = stage.arki(&["approvals", "show"]).exits(0);
    if stage.has_sandbox() {
        assert!(shown.stdout.contains("secret files"), "{}", shown.stdout);
        assert_eq!(payload(&stage.log(), "approval.requested")["command"]["confinement"]["readsPrivate"], true);
    }
    stage.arki(&["approvals", "approve"]).exits(0);
    assert!(stage.told().contains("SEXAT"), "{}", stage.told());
}
