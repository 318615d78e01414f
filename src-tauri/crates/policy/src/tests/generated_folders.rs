//! The folders that a build may write for real, and the lines that may.

use super::*;
use arki_domain::{Reason, Risk};

fn by(decision: Decision, rule: &str) -> Verdict {
    Verdict { decision, rule: rule.to_owned(), reason: Reason::default(), risk: Risk::Low }
}

#[test]
fn a_name_counts_only_where_nobody_gives_it_to_sources() {
    for name in ["target", "node_modules", ".venv", "__pycache__", ".gradle"] {
        assert_eq!(generated_folder(name), Some(GeneratedFolder::ByName), "{name}");
    }
    for name in ["build", "bin", "obj", "_build"] {
        assert_eq!(generated_folder(name), Some(GeneratedFolder::IfIgnored), "{name}");
    }
    for name in
        ["src", "vendor", "dist", "deps", "Target", "target/debug", "", ".", ".git", ".arki", ".cargo", "my.venv"]
    {
        assert_eq!(generated_folder(name), None, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn builds_tests_and_installs_write_there_and_other_lines_only_where_somebody_allowed_them() {
    let review = by(Decision::Review, "builtin:review");
    for line in [
        "cargo build --release",
        "npm test",
        "npm ci",
        "npm install left-pad && npm run build",
        "cd sub && npm ci",
        "pip install -r requirements.txt",
        "cargo fetch | tail -3",
        "uv sync || true",
        "poetry install --no-root",
        "go mod download",
        "bundle install",
        "yarn",
    ] {
        assert!(writes_generated_folders(line, &review), "{line}");
    }
    for line in [
        "mytool",
        "npm ci && mytool",
        "npm ci; echo x > target/a",
        "npm install $(cat packages)",
        "npm ci | sh",
        "yarn do-anything",
        "npm exec evil",
        "touch target/x",
        "cat target/x",
        "ls",
    ] {
        assert!(!writes_generated_folders(line, &review), "{line}");
    }
    for rule in ["config:rules[1]", "session:rules[1]", "approval:01J", "approve:all", "config:rules[1], builtin:build"]
    {
        assert!(writes_generated_folders("mytool", &by(Decision::Allow, rule)), "{rule}");
    }
    assert!(!writes_generated_folders("ls", &by(Decision::Allow, "builtin:read-only")));
    assert!(!writes_generated_folders("mytool", &by(Decision::Approval, "category:exec")));
}
