//! The labelled commands of `tests/fixtures/commands`.

use super::{command_with, verdict_of};
use crate::policy::PolicySettings;
use arki_domain::{ApprovalMode, Decision};
use std::path::Path;

/// At least so much of what plainly reads needs no question where there is no sandbox, which would hold a mistake.
const SHARE_UNASKED_OUTSIDE: f64 = 0.9;
const AT_LEAST: usize = 500;

struct Labelled {
    label: String,
    line: String,
}

fn labelled() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/commands");
    let mut all = Vec::new();
    for file in ["read.txt", "script.txt", "look.txt", "build.txt", "everyday.txt", "ask.txt", "dangerous.txt"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
            let (label, line) = line.split_once('\t').expect(line);
            all.push(Labelled { label: label.to_owned(), line: characters(line) });
        }
    }
    all
}

/// Whatever their label.
#[cfg(target_os = "linux")]
pub(super) fn all_lines() -> Vec<String> {
    labelled().into_iter().map(|entry| entry.line).collect()
}

/// `⟨U+000A⟩` is the character of that number.
fn characters(text: &str) -> String {
    let mut parts = text.split("⟨U+");
    let mut line = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('⟩').expect(text);
        line.push(char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap());
        line.push_str(rest);
    }
    line
}

#[test]
fn labelled_commands_are_classified() {
    let all = labelled();
    assert!(all.len() >= AT_LEAST);
    let mut wrong = Vec::new();
    let mut figures = Vec::new();
    for (label, unasked_inside, unasked_outside) in [
        ("read", true, true),
        ("script", true, false),
        ("look", true, false),
        ("build", true, false),
        ("ask", false, false),
        ("danger", false, false),
    ] {
        let lines: Vec<&str> =
            all.iter().filter(|entry| entry.label == label).map(|entry| entry.line.as_str()).collect();
        let allowed = |sandboxed: bool| -> Vec<&str> {
            let settings = PolicySettings::default();
            let is_allowed = |line: &&str| match label {
                // The second time nobody has looked.
                "look" if !sandboxed => super::looking(line, false).decision == Decision::Allow,
                _ => command_with(line, &settings, ApprovalMode::Ask, sandboxed).decision == Decision::Allow,
            };
            lines.iter().copied().filter(is_allowed).collect()
        };
        let (inside, outside) = (allowed(true), allowed(false));
        figures.push(format!(
            "{label}: {} of {} unasked in a sandbox, {} outside",
            inside.len(),
            lines.len(),
            outside.len()
        ));
        for (allowed, unasked, share) in
            [(inside, unasked_inside, 1.0), (outside, unasked_outside, SHARE_UNASKED_OUTSIDE)]
        {
            if !unasked {
                wrong.extend(allowed.iter().map(|line| format!("{label} is allowed: {line:?}")));
            } else if (allowed.len() as f64) < share * lines.len() as f64 {
                wrong.extend(
                    lines.iter().filter(|line| !allowed.contains(line)).map(|line| format!("{label} asks: {line:?}")),
                );
            }
            if unasked && std::env::var_os("ARKI_SHOW_ASKED").is_some() {
                lines.iter().filter(|line| !allowed.contains(line)).for_each(|line| println!("{label} asks: {line:?}"));
            }
        }
    }
    println!("{} labelled commands\n{}", all.len(), figures.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_dangerous_command_is_allowed_by_no_rule_for_another() {
    let rules = super::settings(serde_json::json!([
        {"decision": "allow", "tool": "run_command", "command": ["ls"]},
        {"decision": "allow", "command": ["git", "status"]},
        {"decision": "allow", "command": ["cargo", "test"]},
        {"decision": "allow", "command": ["timeout"]},
        {"decision": "allow", "command": ["env"]},
        {"decision": "allow", "command": ["bash"]},
        {"decision": "allow", "command": ["xargs"]},
        {"decision": "allow", "command": ["sudo"]},
    ]))
    .unwrap();
    let removes = |entry: &Labelled| entry.line.contains("rm x") || entry.line.contains("rm -rf");
    let removing = labelled().into_iter().filter(|entry| entry.label == "danger" && removes(entry));
    for entry in removing {
        // A script or a program of that name is what the rule names.
        if ["bash evil", "bash -i", "ls --version"].iter().any(|named| entry.line.starts_with(named)) {
            continue;
        }
        let verdict = command_with(&entry.line, &rules, ApprovalMode::Ask, true);
        assert_ne!(verdict.decision, Decision::Allow, "{:?}: {}", entry.line, verdict.rule);
    }
}

#[test]
fn a_rule_against_a_program_finds_it_wherever_it_hides() {
    let rules = super::settings(serde_json::json!([{"decision": "deny", "command": ["rm"]}])).unwrap();
    // Mere text, and another program's subcommand.
    let is_none = |line: &str| line.starts_with("printf '%s'") || line.starts_with("docker inspect");
    let hides = |line: &str| line.contains("rm x") && !is_none(line);
    let mut missed = Vec::new();
    let mut count = 0;
    for entry in labelled().into_iter().filter(|entry| hides(&entry.line)) {
        count += 1;
        if command_with(&entry.line, &rules, ApprovalMode::All, true).decision != Decision::Deny {
            missed.push(entry.line);
        }
    }
    println!("{} of {count} denied; missed: {missed:#?}", count - missed.len());
    assert!(missed.is_empty());
}

#[test]
fn every_verdict_names_its_rule_and_why() {
    for entry in labelled() {
        let verdict = verdict_of(&entry.line);
        assert!(!verdict.rule.is_empty() && !verdict.reason.is_empty(), "{:?}", entry.line);
    }
}
