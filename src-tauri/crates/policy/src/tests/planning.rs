//! A run that only plans.

use super::*;

#[test]
fn a_run_that_plans_has_nothing_but_reading_whatever_is_granted() {
    let rules = json!([{"decision": "allow", "tool": "run_command", "command": ["ls"]}]);
    let settings = PolicySettings { plan: true, ..settings(rules).unwrap() };
    let verdict = command_with("ls", &settings, ApprovalMode::All, true);
    assert_eq!((verdict.decision, &*verdict.rule), (Decision::Deny, "builtin:plan"));
    let subject = Subject::default();
    let of = |tool, category, trusted| {
        let (approve, impact) = (ApprovalMode::All, Impact::default());
        let question = PolicyQuestion {
            tool,
            category: Some(category),
            subject: &subject,
            trusted,
            approve,
            sandboxed: true,
            has_view: false,
            impact,
        };
        let verdict = decide(&question, &settings);
        (verdict.decision, verdict.rule)
    };
    assert_eq!(of("read_file", Category::Read, true).0, Decision::Allow);
    assert_eq!(of("edit_file", Category::Write, true), (Decision::Deny, "builtin:plan".to_owned()));
    assert_eq!(of("fetch_url", Category::Network, true), (Decision::Deny, "builtin:plan".to_owned()));
    assert_eq!(of("edit_file", Category::Write, false), (Decision::Deny, "builtin:untrusted".to_owned()));
}

#[test]
fn an_agent_that_only_reads_has_no_other_commands_whatever_is_granted() {
    let rules = json!([{"decision": "allow", "tool": "run_command", "command": ["touch"]}]);
    let settings = PolicySettings { read_only: true, ..settings(rules).unwrap() };
    for (line, decision, rule) in [
        ("git diff HEAD", Decision::Allow, "approve:all"),
        ("git status --short | head", Decision::Allow, "approve:all"),
        ("touch made", Decision::Deny, "builtin:read-only-agent"),
        ("cargo test", Decision::Deny, "builtin:read-only-agent"),
        ("git diff $(touch made)", Decision::Deny, "builtin:read-only-agent"),
        ("git diff > made", Decision::Deny, "builtin:read-only-agent"),
    ] {
        let verdict = command_with(line, &settings, ApprovalMode::All, true);
        assert_eq!((verdict.decision, &*verdict.rule), (decision, rule), "{line}");
    }
    let verdict = command_with("git diff HEAD", &settings, ApprovalMode::Ask, true);
    assert_eq!((verdict.decision, &*verdict.rule), (Decision::Allow, "builtin:read-only"));
    let subject = Subject::default();
    for (tool, category, decision) in [
        ("read_file", Category::Read, Decision::Allow),
        ("edit_file", Category::Write, Decision::Deny),
        ("fetch_url", Category::Network, Decision::Deny),
    ] {
        let (approve, impact) = (ApprovalMode::All, Impact::default());
        let question = PolicyQuestion {
            tool,
            category: Some(category),
            subject: &subject,
            trusted: true,
            approve,
            sandboxed: true,
            has_view: false,
            impact,
        };
        assert_eq!(decide(&question, &settings).decision, decision, "{tool}");
    }
}
