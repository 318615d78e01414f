//! Tests of the labelled commands of `tests/fixtures/commands`, for what holds whatever is in the project. How each is
//! judged in one is tested where there is one, beside `arki-tools`' `executor::reading`.

use super::{command_with, looking};
use arki_domain::{ApprovalMode, Decision};
use arki_testkit::labelled_commands;

/// Whatever their label.
#[cfg(target_os = "linux")]
pub(super) fn all_lines() -> Vec<String> {
    labelled_commands().unwrap().into_iter().map(|command| command.line).collect()
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
    let removes = |line: &str| line.contains("rm x") || line.contains("rm -rf");
    let all = labelled_commands().unwrap().into_iter();
    let removing = all.filter(|entry| entry.label == "danger" && removes(&entry.line));
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
    for entry in labelled_commands().unwrap().into_iter().filter(|entry| hides(&entry.line)) {
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
    for entry in labelled_commands().unwrap() {
        for looked in [true, false] {
            let verdict = looking(&entry.line, looked);
            assert!(!verdict.rule.is_empty() && !verdict.reason.to_string().is_empty(), "{:?}", entry.line);
        }
    }
}
