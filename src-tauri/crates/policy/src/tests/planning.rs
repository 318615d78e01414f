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
        let question =
            Question { tool, category: Some(category), subject: &subject, trusted, approve, sandboxed: true, impact };
        let verdict = decide(&question, &settings);
        (verdict.decision, verdict.rule)
    };
    assert_eq!(of("read_file", Category::Read, true).0, Decision::Allow);
    assert_eq!(of("edit_file", Category::Write, true), (Decision::Deny, "builtin:plan".to_owned()));
    assert_eq!(of("fetch_url", Category::Network, true), (Decision::Deny, "builtin:plan".to_owned()));
    assert_eq!(of("edit_file", Category::Write, false), (Decision::Deny, "builtin:untrusted".to_owned()));
}
