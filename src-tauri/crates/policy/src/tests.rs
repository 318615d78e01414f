use super::*;
use arki_domain::{ApprovalMode, Category, Decision, Risk, UNTRUSTED_RULE};
use serde_json::json;

mod coverage;
mod effects;
mod fuzz;
mod generated_folders;
mod hosts;
mod labelled;
mod lines;
mod planning;
mod powershell;
mod proposal;
mod reasons;
mod trace;
#[cfg(target_os = "linux")]
mod unchanged;
mod understood;
#[cfg(unix)]
mod unseen;
mod view;

/// Of a line, where whoever looked at what it reads found nothing.
fn command(line: &str) -> Verdict {
    command_with(line, &PolicySettings::default(), ApprovalMode::Ask, true)
}

fn command_with(line: &str, settings: &PolicySettings, approve: ApprovalMode, sandboxed: bool) -> Verdict {
    judged(&subject_of(line, true), settings, approve, sandboxed)
}

/// Whether somebody has looked at what the line reads.
fn looking(line: &str, looked: bool) -> Verdict {
    judged(&subject_of(line, looked), &PolicySettings::default(), ApprovalMode::Ask, true)
}

fn subject_of(line: &str, looked: bool) -> Subject {
    Subject { command: Some(line.to_owned()), wide_reads_checked: looked, ..Subject::default() }
}

fn judged(subject: &Subject, settings: &PolicySettings, approve: ApprovalMode, sandboxed: bool) -> Verdict {
    let question = PolicyQuestion {
        tool: "run_command",
        category: Some(Category::Exec),
        subject,
        trusted: true,
        approve,
        sandboxed,
        has_view: false,
        impact: Impact::default(),
    };
    decide(&question, settings)
}

fn write(path: TouchedPath, approve: ApprovalMode, trusted: bool) -> Verdict {
    let subject = Subject { paths: vec![path], ..Subject::default() };
    let question = PolicyQuestion {
        tool: "edit_file",
        category: Some(Category::Write),
        subject: &subject,
        trusted,
        approve,
        sandboxed: true,
        has_view: false,
        impact: Impact { files: 1, lines: 2 },
    };
    decide(&question, &PolicySettings::default())
}

fn path(path: &str, protected: bool, secret: bool) -> TouchedPath {
    TouchedPath { path: path.to_owned(), real: None, protected, secret }
}

fn settings(rules: serde_json::Value) -> Result<PolicySettings, RuleError> {
    let definitions: Vec<RuleDefinition> = serde_json::from_value(rules).unwrap();
    let rules: Result<Vec<_>, _> =
        definitions.into_iter().enumerate().map(|(i, rule)| PolicyRule::new(rule, "config", i + 1)).collect();
    Ok(PolicySettings { rules: rules?, ..PolicySettings::default() })
}

#[test]
fn denied_files_are_denied_whatever_else_is_granted() {
    let mut settings = settings(json!([{"decision": "allow", "tool": "run_command", "command": ["cat"]}])).unwrap();
    let globs = ["**/.env*", "keys/", "/etc/**", "../up", "**/.*", "docs/*", "*.key"].map(str::to_owned);
    settings.deny_files(&globs, "denylist_patterns", "It is kept from the run.").unwrap();
    let verdict = |mentioned: &str| {
        let mentioned = vec![mentioned.to_owned()];
        let subject = Subject { mentioned, ..subject_of("cat a", true) };
        judged(&subject, &settings, ApprovalMode::All, true)
    };
    for denied in [".env", "a/.ENV.local", "keys/a/b", "docs/a.md", "docs/.", "b/a.key"] {
        assert_eq!(verdict(denied).decision, Decision::Deny, "{denied}");
    }
    for allowed in ["a.txt", "a/.", "a/env", "docs/deep/a.md"] {
        assert_eq!(verdict(allowed).decision, Decision::Allow, "{allowed}");
    }
    assert_eq!(verdict("keys/.").decision, Decision::Deny, "a command that names the folder");
    assert_eq!(verdict("a/.env").rule, "denylist_patterns[1]");
    assert!(
        settings.denies_files() && settings.tightens_paths() && !settings.tightens_unseen_paths(),
        "they are looked for"
    );
    assert!(settings.deny_files(&["a[".to_owned()], "k", "r").is_err());
}

#[test]
fn a_rule_that_allows_reaches_no_further_than_its_glob_says() {
    let matches = |decision: &str, glob: &str, path: &str| {
        let rule = json!([{"decision": decision, "path": glob, "match": [path]}]);
        settings(rule).is_ok()
    };
    for (glob, path) in
        [("docs/*.md", "docs/a.md"), ("docs/", "docs/deep/a.md"), ("./docs/**", "docs/deep/a.md"), ("*.md", "a.md")]
    {
        assert!(matches("allow", glob, path) && matches("deny", glob, path), "{glob} {path}");
    }
    for (glob, path) in [("docs/*.md", "docs/deep/a.md"), ("docs/*", "docs/deep/a.md"), ("*.md", "docs/a.md")] {
        assert!(!matches("allow", glob, path), "{glob} {path}");
        assert!(matches("deny", glob, path) && matches("approval", glob, path), "{glob} {path}");
    }
}

#[test]
fn a_rule_about_what_is_outside_the_project_is_refused() {
    for glob in ["/etc/**", "../other/**", "src/../../x", "~/notes", "C:/x/**", "c:\\x"] {
        let refused = settings(json!([{"decision": "deny", "path": glob}]));
        assert!(matches!(refused, Err(RuleError::OutsideProject { number: 1, .. })), "{glob}");
    }
    for glob in ["~backup", "a:b", "..hidden", "a..b/c"] {
        assert!(settings(json!([{"decision": "deny", "path": glob, "match": [glob]}])).is_ok(), "{glob}");
    }
}

#[test]
fn an_untrusted_folder_denies_all_but_reading_whatever_was_granted() {
    let verdict = write(path("a", false, false), ApprovalMode::All, false);
    assert_eq!((verdict.decision, verdict.rule.as_str()), (Decision::Deny, UNTRUSTED_RULE));
}

#[test]
fn granted_edits_cover_neither_protected_paths_nor_secret_files() {
    for mode in [ApprovalMode::Edits, ApprovalMode::All] {
        assert_eq!(write(path("a", false, false), mode, true).decision, Decision::Allow);
        assert_eq!(write(path(".git/config", true, false), mode, true).rule, "builtin:protected-path");
        assert_eq!(write(path(".env", false, true), mode, true).rule, "builtin:secret-file");
    }
}

#[test]
fn a_command_that_names_a_protected_path_asks_unless_it_only_reads() {
    let verdict = |line: &str| {
        let subject = Subject {
            paths: vec![path(".git/hooks/p", true, false)],
            command: Some(line.to_owned()),
            wide_reads_checked: true,
            ..Subject::default()
        };
        let question = PolicyQuestion {
            tool: "run_command",
            category: Some(Category::Exec),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::All,
            sandboxed: true,
            has_view: false,
            impact: Impact::default(),
        };
        decide(&question, &PolicySettings::default())
    };
    assert_eq!(verdict("echo x > .git/hooks/p").rule, "builtin:protected-path");
    assert_eq!(verdict("cat .git/hooks/p").decision, Decision::Allow);
}

#[test]
fn a_write_is_shown_first_by_default() {
    let verdict = write(path("a", false, false), ApprovalMode::Ask, true);
    assert_eq!((verdict.decision, verdict.rule.as_str()), (Decision::Preview, "category:write"));
}

#[test]
fn granting_all_covers_commands_only_in_a_sandbox() {
    let settings = PolicySettings::default();
    assert_eq!(command_with("make", &settings, ApprovalMode::All, true).rule, "approve:all");
    assert_eq!(command_with("make", &settings, ApprovalMode::All, false).decision, Decision::Approval);
}

#[test]
fn an_allow_rule_needs_every_command_and_a_deny_rule_one() {
    let rules = settings(json!([
        {"decision": "allow", "tool": "run_command", "command": ["cargo", "test"],
         "match": ["cargo test -p x"], "notMatch": ["cargo test; rm -rf .", "cargo test > x"]},
        {"decision": "deny", "command": ["git", "push"]},
    ]))
    .unwrap();
    let verdict = |line| command_with(line, &rules, ApprovalMode::All, true);
    assert_eq!(verdict("cargo test && cargo test -p y").rule, "config:rules[1]");
    assert_eq!(verdict("cargo test && git push").rule, "config:rules[2]");
    assert_eq!(verdict("cargo test && git push").decision, Decision::Deny);
}

#[test]
fn a_deny_rule_also_holds_where_the_line_is_not_understood() {
    let rules =
        settings(json!([{"decision": "deny", "command": ["rm"]}, {"decision": "deny", "command": ["git", "push"]}]))
            .unwrap();
    for line in [
        "rm x > y",
        "(rm x)",
        "'rm' x",
        "rm x &",
        "FOO=1 rm x",
        "{ rm x; }",
        "! rm x",
        "\\rm x",
        "/bin/rm x",
        "git push > log",
    ] {
        assert_eq!(command_with(line, &rules, ApprovalMode::All, true).decision, Decision::Deny, "{line}");
    }
    assert_eq!(command_with("echo farm > x", &rules, ApprovalMode::All, true).decision, Decision::Allow);
}

#[test]
fn the_strictest_of_several_matching_rules_wins() {
    let rules = settings(json!([
        {"decision": "allow", "tool": "edit_file"},
        {"decision": "approval", "path": "src/**"},
    ]))
    .unwrap();
    let subject = Subject { paths: vec![path("src/a", false, false)], ..Subject::default() };
    let question = PolicyQuestion {
        tool: "edit_file",
        category: Some(Category::Write),
        subject: &subject,
        trusted: true,
        approve: ApprovalMode::Ask,
        sandboxed: true,
        has_view: false,
        impact: Impact::default(),
    };
    assert_eq!(decide(&question, &rules).rule, "config:rules[2]");
}

/// On some disks they are the same file, so an allowance in another case is none, and a prohibition is one.
#[test]
fn a_path_in_another_case_is_denied_too_and_not_allowed() {
    let decision = |decision: &str, touched: &str| {
        let rules = settings(json!([{"decision": decision, "path": "infra/**"}])).unwrap();
        let subject = Subject { paths: vec![path(touched, false, false)], ..Subject::default() };
        let question = PolicyQuestion {
            tool: "edit_file",
            category: Some(Category::Write),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::Ask,
            sandboxed: true,
            has_view: false,
            impact: Impact::default(),
        };
        decide(&question, &rules).decision
    };
    assert_eq!(decision("deny", "infra/a"), Decision::Deny);
    assert_eq!(decision("deny", "INFRA/a"), Decision::Deny);
    assert_eq!(decision("allow", "infra/a"), Decision::Allow);
    assert_ne!(decision("allow", "Infra/a"), Decision::Allow);
}

#[test]
fn a_rule_that_fails_its_own_examples_is_refused() {
    let failing = settings(json!([{"decision": "allow", "command": ["rm"], "match": ["ls"]}]));
    assert!(matches!(failing, Err(RuleError::MatchFailed { number: 1, .. })));
    let failing = settings(json!([{"decision": "deny", "command": ["rm"], "notMatch": ["ls; rm x"]}]));
    assert!(matches!(failing, Err(RuleError::NotMatchFailed { .. })));
    assert!(matches!(settings(json!([{"decision": "deny"}])), Err(RuleError::Empty { .. })));
    let as_people_write = json!([
        {"decision": "deny", "path": "src/*.rs", "match": ["./src/a.rs"]},
        {"decision": "allow", "tool": "fetch_url", "host": "docs.example", "match": ["Docs.Example"]},
    ]);
    assert!(settings(as_people_write).is_ok());
    let too_deep = format!("{}a{}", "{".repeat(500), "}".repeat(500));
    for path in ["a[", &too_deep] {
        let failing = settings(json!([{"decision": "deny", "path": path}]));
        assert!(matches!(failing, Err(RuleError::Glob { number: 1, .. })));
    }
}

#[test]
fn destructive_and_opaque_commands_are_high_risk() {
    for line in ["rm -rf build", "sudo ls", "curl x | sh `y`", "/bin/rm x"] {
        assert_eq!(command(line).risk, Risk::High, "{line}");
    }
    assert_eq!(command("make").risk, Risk::Medium);
    assert_eq!(command("ls").risk, Risk::Low);
}

#[test]
fn what_is_made_three_times_in_a_row_is_asked_about_whatever_is_granted_and_denied_where_it_was() {
    let repeated = |tool: &str, category, times_in_a_row, rules: serde_json::Value, trusted| {
        let subject = Subject { times_in_a_row, ..Subject::default() };
        let question = PolicyQuestion {
            tool,
            category: Some(category),
            subject: &subject,
            trusted,
            approve: ApprovalMode::All,
            sandboxed: true,
            has_view: false,
            impact: Impact::default(),
        };
        let verdict = decide(&question, &settings(rules).unwrap());
        (verdict.decision, verdict.rule, verdict.reason.to_string())
    };
    let allowed = json!([{"decision": "allow", "tool": "calculate"}]);
    assert_eq!(repeated("calculate", Category::Read, 2, allowed.clone(), true).0, Decision::Allow);
    for times in [3, 4] {
        let reason = format!("The same call was made {times} times in a row.");
        let asked = (Decision::Approval, "builtin:repeated-call".to_owned(), reason);
        assert_eq!(repeated("calculate", Category::Read, times, allowed.clone(), true), asked);
        assert_eq!(repeated("write_file", Category::Write, times, json!([]), true), asked);
    }
    let denied = json!([{"decision": "deny", "tool": "write_file"}]);
    assert_eq!(repeated("write_file", Category::Write, 3, denied, true).1, "config:rules[1]");
    assert_eq!(repeated("write_file", Category::Write, 3, json!([]), false).1, "builtin:untrusted");
}

#[test]
fn what_was_allowed_for_the_session_holds_where_no_rule_says_otherwise() {
    let granted = |rules: serde_json::Value, grants: serde_json::Value| {
        let grants = settings(grants).unwrap().rules;
        PolicySettings { grants, ..settings(rules).unwrap() }
    };
    let touch = json!([{"decision": "allow", "tool": "run_command", "command": ["touch"]}]);
    let of = |line: &str, settings: &PolicySettings, approve| {
        let verdict = command_with(line, settings, approve, false);
        (verdict.decision, verdict.rule)
    };
    let allowed = granted(json!([]), touch.clone());
    // Named as the engine names them.
    assert_eq!(of("touch a", &allowed, ApprovalMode::Never), (Decision::Allow, "config:rules[1]".to_owned()));
    assert_eq!(of("touch a; rm b", &allowed, ApprovalMode::Ask).0, Decision::Approval);
    for stricter in ["approval", "deny"] {
        let rules = json!([{"decision": stricter, "command": ["touch"]}]);
        assert_ne!(of("touch a", &granted(rules, touch.clone()), ApprovalMode::Ask).0, Decision::Allow);
    }
    let loosens_only = granted(json!([]), json!([{"decision": "deny", "tool": "run_command", "command": ["ls"]}]));
    assert_eq!(of("ls", &loosens_only, ApprovalMode::Ask).0, Decision::Allow);
}

#[test]
fn what_was_allowed_without_the_network_is_asked_about_with_it() {
    let rules = |decision: &str, network: bool| {
        let rule = json!({"decision": decision, "tool": "run_command", "command": ["cargo"], "network": network});
        settings(json!([rule])).unwrap()
    };
    let subject = Subject { command: Some("cargo fetch".into()), ..Subject::default() };
    let with_network = |settings: &PolicySettings| {
        let question = PolicyQuestion {
            tool: "run_command",
            category: Some(Category::Network),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::Ask,
            sandboxed: false,
            has_view: false,
            impact: Impact::default(),
        };
        decide(&question, settings).decision
    };
    let grants = rules("allow", true).rules;
    assert_eq!(with_network(&PolicySettings { grants, ..PolicySettings::default() }), Decision::Approval);
    assert_eq!(with_network(&rules("allow", false)), Decision::Approval);
    assert_eq!(with_network(&rules("allow", true)), Decision::Allow);
    assert_eq!(with_network(&rules("deny", false)), Decision::Deny);
    let without = command_with("cargo fetch", &rules("allow", false), ApprovalMode::Ask, true);
    assert_eq!(without.decision, Decision::Allow);
}
