//! Hosts that rules grant to commands: to these alone, and never against a rule that denies one.

use super::*;
use crate::{HostVerdict, WideRead};

const NPM: &str = "registry.npmjs.org";

fn granted() -> serde_json::Value {
    json!({"decision": "allow", "command": ["npm", "ci"], "host": NPM})
}

fn verdict(rules: serde_json::Value, line: &str, host: &str) -> HostVerdict {
    let is_harmless = |read: &WideRead| !format!("{read:?}").contains("elsewhere");
    settings(rules).unwrap().host_verdict(line, host, &is_harmless)
}

fn has(rules: serde_json::Value, line: &str) -> bool {
    verdict(rules, line, NPM) == HostVerdict::Granted
}

#[test]
fn a_host_is_granted_to_a_command_and_to_no_other() {
    for line in
        ["npm ci", "npm ci --no-audit", "timeout 60 npm ci", "cd sub && npm ci 2>&1 | tail -3", "ls; npm ci || true"]
    {
        assert!(has(json!([granted()]), line), "{line}");
    }
    for line in [
        "curl https://registry.npmjs.org/x",
        "npm install",
        "npm ci && curl https://registry.npmjs.org/x",
        "npm ci; node x.js",
        "npm ci $(cat a)",
        "npm ci > log.txt",
        "cat a | npm ci",
        "cd elsewhere && npm ci",
        "EVIL=1 npm ci",
        "",
    ] {
        assert!(!has(json!([granted()]), line), "{line}");
    }
    for host in ["npmjs.org", "x.registry.npmjs.org", "registry.npmjs.org.evil.net", "pypi.org"] {
        assert_eq!(verdict(json!([granted()]), "npm ci", host), HostVerdict::NotGranted, "{host}");
    }
}

#[test]
fn each_command_of_a_line_needs_the_host() {
    let of_pip = json!({"decision": "allow", "command": ["pip", "install"], "host": "*.npmjs.org"});
    assert!(has(json!([granted(), of_pip]), "npm ci && pip install flask"));
    let of_another = json!({"decision": "allow", "command": ["pip", "install"], "host": "pypi.org"});
    assert!(!has(json!([granted(), of_another]), "npm ci && pip install flask"));
    let to_run = json!({"decision": "allow", "command": ["pip", "install"], "network": true});
    assert!(!has(json!([granted(), to_run]), "npm ci && pip install flask"));
}

#[test]
fn a_rule_that_denies_or_asks_wins() {
    for deny in [
        json!({"decision": "deny", "host": "*.npmjs.org"}),
        json!({"decision": "deny", "command": ["npm"], "host": NPM}),
        json!({"decision": "deny", "tool": "run_command", "host": NPM}),
    ] {
        let denied = HostVerdict::Denied("config:rules[2]".to_owned());
        assert_eq!(verdict(json!([granted(), deny]), "npm ci", NPM), denied, "{deny}");
    }
    let others = json!([
        granted(),
        {"decision": "deny", "host": "pypi.org"},
        {"decision": "deny", "command": ["curl"], "host": NPM},
        {"decision": "deny", "tool": "fetch_url", "host": NPM},
    ]);
    assert!(has(others, "npm ci"));
    let asks = json!({"decision": "approval", "command": ["npm"], "host": NPM});
    assert_eq!(verdict(json!([granted(), asks]), "npm ci", NPM), HostVerdict::NotGranted);
    let mut without = settings(json!([granted()])).unwrap();
    without.categories.insert(Category::Network, Decision::Deny);
    let denied = HostVerdict::Denied("category:network".to_owned());
    assert_eq!(without.host_verdict("npm ci", NPM, &|_| true), denied);
}

#[test]
fn a_host_is_no_permission_to_run_and_a_host_alone_is_no_commands() {
    let run = |rules: serde_json::Value, hosts: &[&str]| {
        let subject = Subject {
            command: Some("npm ci".to_owned()),
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            ..Subject::default()
        };
        let question = PolicyQuestion {
            tool: "run_command",
            category: Some(Category::Exec),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::Ask,
            sandboxed: false,
            has_view: false,
            impact: Impact::default(),
        };
        decide(&question, &settings(rules).unwrap()).decision
    };
    for hosts in [&[][..], &[NPM]] {
        assert_eq!(run(json!([granted()]), hosts), Decision::Approval);
        assert_eq!(run(json!([{"decision": "allow", "host": NPM}]), hosts), Decision::Approval);
    }
    assert_eq!(run(json!([{"decision": "deny", "host": NPM}]), &[NPM]), Decision::Deny);
    assert!(!has(json!([{"decision": "allow", "host": NPM}]), "npm ci"));
    let refused = settings(json!([{"decision": "allow", "tool": "run_command", "host": NPM}])).unwrap_err();
    assert!(refused.to_string().contains("never to every line"), "{refused}");
}

#[test]
fn the_rules_that_are_offered_are_for_the_command_and_the_host() {
    let offered = |line: &str, hosts: &[&str]| {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let rules = settings(json!([granted()])).unwrap().proposed_host_rules(line, &hosts, &|_| true);
        let told = |rule: RuleDefinition| format!("{} {}", rule.command.unwrap().join(" "), rule.host.unwrap());
        rules.into_iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(offered("npm install left-pad", &[NPM]), ["npm install registry.npmjs.org"]);
    assert_eq!(offered("npm ci", &[NPM, "github.com"]), ["npm ci github.com"]);
    assert_eq!(offered("npm ci && pip install flask", &[NPM]), ["pip install registry.npmjs.org"]);
    for line in ["python3 x.py", "npm ci $(x)", "npm publish", "./install.sh", "npm ci"] {
        assert_eq!(offered(line, &[NPM]), Vec::<String>::new(), "{line}");
    }
}
