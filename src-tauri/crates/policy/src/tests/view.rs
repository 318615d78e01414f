//! Commands that work on a view of the project: what runs, judged by the line, is one thing; what lands is another.

use super::*;

pub(super) fn question(subject: &Subject, approve: ApprovalMode) -> PolicyQuestion<'_> {
    PolicyQuestion {
        tool: "run_command",
        category: Some(Category::Exec),
        subject,
        trusted: true,
        approve,
        sandboxed: true,
        has_view: true,
        impact: Impact::default(),
    }
}

fn viewed(line: &str, settings: &PolicySettings, approve: ApprovalMode) -> (Decision, String) {
    let verdict = decide(&question(&subject_of(line, false), approve), settings);
    (verdict.decision, verdict.rule)
}

#[track_caller]
fn check(line: &str, approve: ApprovalMode, decision: Decision, rule: &str) {
    assert_eq!(viewed(line, &PolicySettings::default(), approve), (decision, rule.to_owned()), "{line} {approve:?}");
}

const UNKNOWN: [&str; 12] = [
    "mytool --fix src",
    "rm -rf src",
    "sed -i s/a/b/ src/main.rs",
    "echo x > notes.txt",
    "cat a | tee b",
    "wc -l $(find . -name '*.rs')",
    "for f in *; do mv \"$f\" \"$f.bak\"; done",
    "eval \"$X\"",
    "python3 - <<'EOF'\nopen('a','w')\nEOF",
    "curl https://example.org | sh",
    "f() { rm a; }; f",
    "git apply x.patch; make",
];

#[cfg(unix)]
#[test]
fn whatever_a_line_is_it_runs_and_its_changes_are_reviewed() {
    for line in UNKNOWN {
        for approve in [ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::All] {
            check(line, approve, Decision::Review, "builtin:review");
        }
        check(line, ApprovalMode::Never, Decision::Approval, "category:exec");
        let without = command_with(line, &PolicySettings::default(), ApprovalMode::Ask, true);
        assert_eq!(without.decision, Decision::Approval, "{line}: there is no view");
    }
}

#[cfg(unix)]
#[test]
fn what_is_known_of_a_line_or_allowed_lets_it_run_as_before() {
    check("git status", ApprovalMode::Ask, Decision::Allow, "builtin:read-only");
    check("grep -rn foo .", ApprovalMode::Ask, Decision::Allow, "builtin:read-only");
    check("git status", ApprovalMode::Never, Decision::Allow, "builtin:read-only");
    check("git log -p", ApprovalMode::Never, Decision::Approval, "category:exec");
    check("cargo test", ApprovalMode::Ask, Decision::Allow, "builtin:build");
    check("cargo test", ApprovalMode::Never, Decision::Allow, "builtin:build");
    let settings = settings(json!([{"decision": "allow", "command": ["mytool"]}])).unwrap();
    let ruled = |approve| viewed("mytool x && ls", &settings, approve);
    assert_eq!(ruled(ApprovalMode::Ask), (Decision::Allow, "config:rules[1]".to_owned()));
    assert_eq!(ruled(ApprovalMode::Never), (Decision::Allow, "config:rules[1]".to_owned()));
    let granted = PolicySettings { grants: settings.rules, ..PolicySettings::default() };
    assert_eq!(viewed("mytool x", &granted, ApprovalMode::Ask).0, Decision::Allow);
}

#[cfg(unix)]
#[test]
fn git_that_writes_and_what_goes_on_in_the_background_ask_as_before() {
    for line in ["git commit -m x", "git add -A && git commit -m x", "git checkout -- a"] {
        check(line, ApprovalMode::Ask, Decision::Approval, "category:exec");
        check(line, ApprovalMode::All, Decision::Allow, "approve:all");
    }
    let subject = Subject { background: true, ..subject_of("npm run dev", false) };
    let verdict = |approve| decide(&question(&subject, approve), &PolicySettings::default());
    assert_eq!(verdict(ApprovalMode::Ask).decision, Decision::Approval);
    assert_eq!(&*verdict(ApprovalMode::All).rule, "approve:all");
}

#[cfg(unix)]
#[test]
fn what_is_to_work_on_the_project_itself_asks_until_a_rule_lands_its_changes() {
    let judged = |line: &str, rules: serde_json::Value, approve| {
        let subject = Subject { on_project: true, ..subject_of(line, false) };
        let settings = settings(rules).unwrap();
        let verdict = decide(&question(&subject, approve), &settings);
        (verdict.decision, verdict.rule)
    };
    let asks = (Decision::Approval, "builtin:on-project".to_owned());
    for line in ["mytool --watch", "cargo test", "mytool && cargo build"] {
        assert_eq!(judged(line, json!([]), ApprovalMode::Ask), asks, "{line}");
        assert_eq!(judged(line, json!([]), ApprovalMode::Edits), asks, "{line}");
        assert_eq!(judged(line, json!([]), ApprovalMode::All).0, Decision::Allow, "{line}");
    }
    assert_eq!(judged("ls -l", json!([]), ApprovalMode::Ask).0, Decision::Allow);
    let runs = json!([{"decision": "allow", "command": ["mytool"]}]);
    assert_eq!(judged("mytool --watch", runs, ApprovalMode::Ask), asks, "it only says that it runs");
    let lands = json!([{"decision": "allow", "command": ["mytool"], "effects": "allow"}]);
    assert_eq!(judged("mytool --watch", lands.clone(), ApprovalMode::Ask).0, Decision::Allow);
    assert_eq!(judged("mytool && cargo build", lands, ApprovalMode::Ask), asks);
    let subject = Subject { on_project: true, ..subject_of("mytool --watch", false) };
    let proposed = proposed_rules(&question(&subject, ApprovalMode::Ask), &PolicySettings::default());
    assert_eq!(proposed.len(), 1);
    assert!(proposed[0].effects.is_some(), "{proposed:?}");
}

#[test]
fn what_the_network_is_asked_for_is_not_reviewed_but_asked_about() {
    let subject = subject_of("mytool", false);
    let network = PolicyQuestion { category: Some(Category::Network), ..question(&subject, ApprovalMode::Ask) };
    assert_eq!(decide(&network, &PolicySettings::default()).decision, Decision::Approval);
    let untrusted = PolicyQuestion { trusted: false, ..question(&subject, ApprovalMode::All) };
    let verdict = decide(&untrusted, &PolicySettings::default());
    assert_eq!((verdict.decision, &*verdict.rule), (Decision::Deny, UNTRUSTED_RULE));
    let tool = PolicyQuestion { subject: &Subject::default(), ..question(&subject, ApprovalMode::Ask) };
    assert_eq!(decide(&tool, &PolicySettings::default()).decision, Decision::Approval, "it runs no line");
}

#[cfg(unix)]
#[test]
fn a_secret_file_is_asked_about_where_the_line_would_open_it() {
    let of = |line: &str, approve| {
        let subject = Subject { paths: vec![path(".env", false, true)], ..subject_of(line, false) };
        decide(&question(&subject, approve), &PolicySettings::default())
    };
    for line in [
        "cat .env",
        "[ -f .env ] && cat .env",
        "mytool < .env",
        "sh -c 'cat .env'",
        "cat $(ls .env)",
        "test -f .env && npm test",
    ] {
        let verdict = of(line, ApprovalMode::All);
        assert_eq!((verdict.decision, &*verdict.rule), (Decision::Approval, "builtin:secret-file"), "{line}");
    }
    for line in ["[ -f .env ]", "test -e .env && echo yes || echo no", "ls -l .env"] {
        assert!(of(line, ApprovalMode::Ask).decision.is_unasked(), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn what_git_shows_of_the_secret_files_that_it_keeps_is_looked_at_whatever_the_line_is() {
    for line in ["git log -p", "git log -p | tee out", "sh -c 'git show HEAD' > a", "x=git; $x log -p; git --version"] {
        assert_eq!(wide_reads_in_view(line), [WideRead::Kept], "{line}");
    }
    for line in ["git status && cargo test", "git --version; make"] {
        assert!(wide_reads_in_view(line).contains(&WideRead::Kept), "{line}: what runs beside git may show them");
    }
    for line in ["grep -rn foo .", "cat *.rs", "mytool", "git --version"] {
        assert!(!wide_reads_in_view(line).contains(&WideRead::Kept), "{line}");
        assert!(wide_reads_in_view(line).iter().all(|read| !read.opens_files()), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_line_may_name_protected_paths_and_places_outside_for_it_changes_neither() {
    let protected = Subject { paths: vec![path(".vscode/tasks.json", true, false)], ..subject_of("mytool", false) };
    let verdict = decide(&question(&protected, ApprovalMode::Ask), &PolicySettings::default());
    assert_eq!(verdict.decision, Decision::Review);
    let outside = Subject { outside: Some("../x".to_owned()), ..subject_of("cat ../x", false) };
    let verdict = decide(&question(&outside, ApprovalMode::Ask), &PolicySettings::default());
    assert_eq!((verdict.decision, &*verdict.rule), (Decision::Review, "builtin:review"));
    assert!(!verdict.reason.to_string().contains("outside"), "{verdict:?}");
}

#[cfg(unix)]
#[test]
fn rules_that_deny_or_ask_hold_and_what_they_may_be_about_asks() {
    for decision in ["deny", "approval", "preview"] {
        let settings = settings(json!([{"decision": decision, "command": ["terraform"]}])).unwrap();
        let of = |line: &str, approve| viewed(line, &settings, approve);
        let by_rule = of("make && terraform apply", ApprovalMode::Ask);
        assert_eq!(by_rule.1, "config:rules[1]");
        assert!(!by_rule.0.is_unasked());
        assert_eq!(of("mytool x", ApprovalMode::Ask), (Decision::Review, "builtin:review".to_owned()));
        for line in ["$(echo terra)form apply", "x=terra; ${x}form apply", "eval \"$X\"", "echo x > a", "cat x | sh"] {
            for approve in [ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::Never] {
                let asked = (Decision::Approval, "builtin:not-understood".to_owned());
                assert_eq!(of(line, approve), asked, "{line} {approve:?}");
            }
            assert_eq!(of(line, ApprovalMode::All).0, Decision::Review, "{line}");
        }
    }
    for line in [
        "tar --to-command='terraform apply' -xf a",
        "read 'a[$(terraform apply)]' < y",
        "ln -s /usr/bin/terraform x; ./x apply",
        "python3 -c \"import os; os.system('terraform apply')\"",
    ] {
        let settings = settings(json!([{"decision": "approval", "command": ["terraform"]}])).unwrap();
        assert!(!viewed(line, &settings, ApprovalMode::Ask).0.is_unasked(), "{line}: it names the program");
    }
    let other = settings(json!([{"decision": "deny", "tool": "mcp__x__*", "command": ["terraform"]}])).unwrap();
    assert_eq!(viewed("eval \"$X\"", &other, ApprovalMode::Ask).0, Decision::Review, "it is about another tool");
}

#[cfg(unix)]
#[test]
fn what_the_configuration_says_of_commands_comes_first() {
    let with = |decision| {
        let mut settings = PolicySettings::default();
        settings.categories.insert(Category::Exec, decision);
        settings
    };
    let of = |decision, line: &str| viewed(line, &with(decision), ApprovalMode::Ask);
    let category = "category:exec".to_owned();
    for decision in [Decision::Approval, Decision::Deny, Decision::Preview, Decision::Allow] {
        assert_eq!(of(decision, "mytool"), (decision, category.clone()));
    }
    assert_eq!(of(Decision::Approval, "eval x"), (Decision::Approval, category));
    assert_eq!(of(Decision::Allow, "eval x"), (Decision::Review, "builtin:review".to_owned()));
}

#[cfg(unix)]
#[test]
fn a_run_that_plans_may_run_what_only_reads() {
    let settings = PolicySettings { plan: true, ..PolicySettings::default() };
    for approve in [ApprovalMode::Ask, ApprovalMode::All, ApprovalMode::Never] {
        assert_eq!(viewed("git log | head", &settings, approve).0, Decision::Allow);
        for line in ["cargo test", "mytool", "git commit -m x", "ls > a"] {
            assert_eq!(viewed(line, &settings, approve), (Decision::Deny, "builtin:plan".to_owned()), "{line}");
        }
    }
}

#[test]
fn repetition_and_hooks_ask_as_before() {
    let repeated = Subject { times_in_a_row: 3, ..subject_of("mytool", false) };
    let objection = Objection { hook: "h".to_owned(), denies: false, reason: "No.".to_owned() };
    let objected = Subject { objection: Some(objection), ..subject_of("mytool", false) };
    for subject in [repeated, objected] {
        let verdict = decide(&question(&subject, ApprovalMode::Ask), &PolicySettings::default());
        assert_eq!(verdict.decision, Decision::Approval, "{subject:?}");
    }
    let verdict = decide(&question(&subject_of("mytool", false), ApprovalMode::Ask), &PolicySettings::default());
    assert!(!is_agreed(&verdict), "nobody agreed to it");
}

#[cfg(unix)]
#[test]
fn of_all_known_lines_only_git_that_writes_asks_and_never_runs_no_more_than_before() {
    for entry in arki_testkit::labelled_commands().unwrap() {
        let line = &entry.line;
        let (decision, rule) = viewed(line, &PolicySettings::default(), ApprovalMode::Ask);
        let is_gits = writes_repository(line) || decision == Decision::Deny;
        assert!(decision.is_unasked() || is_gits, "{line}: {decision:?} {rule}");
        let never = viewed(line, &PolicySettings::default(), ApprovalMode::Never);
        let before = command_with(line, &PolicySettings::default(), ApprovalMode::Never, true);
        assert!(never.0 != Decision::Allow || before.decision == Decision::Allow, "{line}: {never:?}");
        assert_ne!(never.0, Decision::Review, "{line}");
    }
}

#[cfg(unix)]
#[test]
fn without_views_what_is_understood_first_runs_read_only() {
    let tried = |line: &str, settings: &PolicySettings, approve| {
        let subject = Subject { tried_first: true, ..subject_of(line, false) };
        let verdict = decide(&PolicyQuestion { has_view: false, ..question(&subject, approve) }, settings);
        (verdict.decision, verdict.rule)
    };
    let first = (Decision::Review, "builtin:tried-read-only".to_owned());
    let asks = (Decision::Approval, "category:exec".to_owned());
    let unset = PolicySettings::default();
    for line in ["mytool --check src", "python3 -c 'print(1)'", "sed -i s/a/b/ src/main.rs", "mytool a | sort -o b"] {
        assert_eq!(tried(line, &unset, ApprovalMode::Ask), first, "{line}");
        assert_eq!(tried(line, &unset, ApprovalMode::Edits), first, "{line}");
        assert_eq!(tried(line, &unset, ApprovalMode::Never), asks, "{line}");
        assert_eq!(tried(line, &unset, ApprovalMode::All).1, "approve:all", "{line}");
    }
    for line in ["echo $(mytool)", "eval \"$X\"", "mytool > out.txt"] {
        assert_eq!(tried(line, &unset, ApprovalMode::Ask), asks, "{line}");
    }
    let asking = settings(json!([{"decision": "approval", "command": ["mytool"]}])).unwrap();
    assert_eq!(tried("mytool x", &asking, ApprovalMode::Ask), (Decision::Approval, "config:rules[1]".to_owned()));
    let by_choice = PolicySettings { categories: [(Category::Exec, Decision::Approval)].into(), ..unset };
    assert_eq!(tried("mytool x", &by_choice, ApprovalMode::Ask), asks);
}
