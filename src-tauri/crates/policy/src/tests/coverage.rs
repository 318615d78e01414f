//! Rules add up to the permission to run, and to nothing else.
#![cfg(unix)]

use super::*;

fn rules() -> PolicySettings {
    settings(json!([
        {"decision": "allow", "tool": "run_command", "command": ["git", "add"], "reason": "Adding is fine."},
        {"decision": "allow", "tool": "run_command", "command": ["git", "commit"]},
        {"decision": "allow", "tool": "run_command", "command": ["npm", "run", "deploy"]},
        {"decision": "allow", "tool": "run_command", "command": ["import"], "stdin": true},
        {"decision": "allow", "tool": "edit_file", "command": ["othertool"]},
    ]))
    .unwrap()
}

fn decided(line: &str) -> Verdict {
    command_with(line, &rules(), ApprovalMode::Ask, true)
}

#[track_caller]
fn allows(line: &str, rule: &str) {
    let verdict = decided(line);
    assert_eq!((verdict.decision, verdict.rule.as_str()), (Decision::Allow, rule), "{line}");
    let traced = trace(verdict.decision, &verdict.rule, &verdict.reason.to_string(), Some(line)).unwrap();
    assert_eq!(traced.decided_by(), Some(arki_domain::PolicyCheck::Rules), "{line}");
}

#[test]
fn each_command_is_allowed_by_some_rule_or_by_what_it_does() {
    allows("git add -A && git commit -m one", "config:rules[1], config:rules[2]");
    for line in [
        "npm run deploy",
        "cd sub && npm run deploy",
        "npm run deploy 2>&1 | tail -5",
        "npm run deploy || true",
        "npm run deploy; echo done",
        "npm run deploy >/dev/null 2>&1 </dev/null",
        "(cd sub && npm run deploy) | grep -v x | head",
        "if test -f a; then npm run deploy; fi",
        "for x in a b; do npm run deploy $x; done",
        "CI=1 npm run deploy",
        "timeout 60 npm run deploy",
        "bash -c 'cd sub && npm run deploy | tail'",
        "ls && npm run deploy",
    ] {
        allows(line, "config:rules[3]");
    }
    allows("cargo test && git add -A", "config:rules[1], builtin:build");
    allows("cat a | import", "config:rules[4]");
    allows("import < a", "config:rules[4]");
    for line in ["import <<'E'\n$x `y`\nE", "import <<E\nx\nE\nls", "import <<< hi", "import <<<'a $b' | tail"] {
        allows(line, "config:rules[4]");
    }
    assert_eq!(
        decided("git add -A && npm run deploy").reason.to_string(),
        "Adding is fine. Matched by one of your rules."
    );
}

#[test]
fn whatever_no_rule_allows_still_asks() {
    for line in [
        "git add -A && git push",
        "npm run deploy && npm run other",
        "npm run deploy; rm -rf .",
        "npm run deploy | sh",
        "npm run deploy | tee out",
        "npm run deploy > out",
        "npm run deploy & rm x",
        "npm run deploy $(rm x)",
        "echo $(npm run deploy)",
        "eval npm run deploy",
        "sudo npm run deploy",
        "xargs npm run deploy",
        "npm run \"$X\"",
        "npm $X deploy",
        "cd \"$X\" && npm run deploy",
        "cd - && npm run deploy",
        "pushd sub && npm run deploy",
        "alias npm=rm; npm run deploy",
        "export PATH=. && npm run deploy",
        "PATH=. npm run deploy",
        "NODE_OPTIONS=--require=./x npm run deploy",
        "PYTHONPATH=src npm run deploy",
        "env X=1 npm run deploy",
        "othertool",
        "npm run deploy-all",
    ] {
        assert_ne!(decided(line).decision, Decision::Allow, "{line}");
    }
}

#[test]
fn a_command_that_a_rule_allows_is_fed_nothing_unless_the_rule_says_so() {
    for line in [
        "cat a | npm run deploy",
        "cat a | tail | npm run deploy",
        "npm run deploy < a",
        "cat a | (npm run deploy)",
        "(cd sub; npm run deploy) < a",
        "cat a | { ls; npm run deploy; }",
        "cat a | timeout 5 npm run deploy",
        "cat a | bash -c 'npm run deploy'",
        "bash -c 'npm run deploy' < a",
        "ls | xargs npm run deploy",
        "git ls-files | while read -r f; do npm run deploy \"$f\"; done",
        "while read -r f; do npm run deploy; done < a",
        "if true; then npm run deploy; fi < a",
        "npm run deploy <<< x",
        "import <<E\n$(x)\nE",
        "import <<< \"$(x)\"",
        "import <<< $x",
        "import <<<a\\\nb",
        "import <<< x | sh",
        "import <<< x; bash <<< 'rm x'",
        "import <<'E'; python3 <<'E2'\nx\nE\ny\nE2",
        "npm run deploy <<'EOF'\nx\nEOF",
        "npm run deploy | git commit -F -",
    ] {
        assert_ne!(decided(line).decision, Decision::Allow, "{line}");
    }
}

#[test]
fn a_rule_for_all_commands_allows_none_that_is_not_understood() {
    for rule in [
        json!({"decision": "allow", "tool": "run_command"}),
        json!({"decision": "allow", "tool": "run_*"}),
        json!({"decision": "allow", "path": "**"}),
    ] {
        let Ok(settings) = settings(json!([rule])) else { continue };
        let of = |line: &str| command_with(line, &settings, ApprovalMode::Ask, true);
        let names_paths = rule["path"].is_string();
        for line in ["rm -rf target", "git push && npm run deploy", "cat a | sort", "echo done 2>&1"] {
            assert!(names_paths || of(line).rule == "config:rules[1]", "{line}: {:?}", of(line));
        }
        for line in [
            "npm run $(cat a)",
            "npm run `cat a`",
            "echo x > a",
            "eval x",
            "$X y",
            "cat a | sh",
            "bash < a",
            "bash <<'EOF'\nrm -rf .\nEOF",
            "source ./a",
            "ls; . ./a",
            "env -S 'a b'",
            "if true; then $X; fi",
            "echo \"unclosed",
        ] {
            let verdict = of(line);
            assert_ne!(verdict.decision, Decision::Allow, "{line}: {verdict:?}");
            assert!(names_paths || verdict.rule == "builtin:not-understood", "{line}: {verdict:?}");
        }
        let grants = settings.rules.clone();
        let settings = PolicySettings { grants, ..PolicySettings::default() };
        assert_ne!(command_with("eval x", &settings, ApprovalMode::Ask, true).decision, Decision::Allow);
    }
}

#[test]
fn where_a_command_runs_has_to_be_looked_at() {
    for line in ["cd sub && npm run deploy", "bash -c 'cd sub; npm run deploy'", "cd a && bash -c 'npm run deploy'"] {
        let subject = subject_of(line, false);
        assert_ne!(judged(&subject, &rules(), ApprovalMode::Ask, true).decision, Decision::Allow, "{line}");
        let question = PolicyQuestion {
            tool: "run_command",
            category: Some(Category::Exec),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::Ask,
            sandboxed: true,
            has_view: false,
            impact: Impact::default(),
        };
        let reads = reads_under_rules(&question, &rules()).unwrap();
        assert!(reads.iter().any(|read| matches!(read, WideRead::OwnFolder(_))), "{line}: {reads:?}");
        // Only what was looked at and is harmless counts.
        let some = Subject { harmless_reads: reads[1..].to_vec(), ..subject.clone() };
        assert_ne!(judged(&some, &rules(), ApprovalMode::Ask, true).decision, Decision::Allow, "{line}");
        let all = Subject { harmless_reads: reads, ..subject.clone() };
        assert_eq!(judged(&all, &rules(), ApprovalMode::Ask, true).decision, Decision::Allow, "{line}");
    }
}

#[test]
fn without_a_sandbox_nothing_is_allowed_because_it_builds() {
    let of = |line| command_with(line, &rules(), ApprovalMode::Ask, false).decision;
    assert_eq!(of("cargo test && git add -A"), Decision::Approval);
    assert_eq!(of("ls && git add -A"), Decision::Allow);
}

#[test]
fn one_rule_that_forbids_or_asks_suffices() {
    for stricter in ["deny", "approval"] {
        let rules = settings(json!([
            {"decision": "allow", "command": ["a"]},
            {"decision": "allow", "command": ["b"]},
            {"decision": stricter, "command": ["b", "x"]},
        ]))
        .unwrap();
        let of = |line| command_with(line, &rules, ApprovalMode::Ask, true);
        assert_eq!(of("a; b y").decision, Decision::Allow);
        assert_eq!((of("a; b x").decision == Decision::Allow, of("a; b x").rule.as_str()), (false, "config:rules[3]"));
    }
}

#[test]
fn the_network_is_each_commands_own() {
    let rules = settings(json!([
        {"decision": "allow", "command": ["npm", "ci"], "network": true},
        {"decision": "allow", "command": ["curl"], "network": true},
        {"decision": "allow", "command": ["make"]},
    ]))
    .unwrap();
    let of = |line: &str| {
        let subject = subject_of(line, true);
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
        decide(&question, &rules).decision
    };
    assert_eq!(of("npm ci && curl x"), Decision::Allow);
    for line in ["npm ci && make", "npm ci; cat a", "cat a; curl x", "cargo test && npm ci"] {
        assert_eq!(of(line), Decision::Approval, "{line}");
    }
}

#[test]
fn what_was_allowed_for_the_session_adds_up_with_the_rules() {
    let grants = settings(json!([{"decision": "allow", "command": ["touch"]}])).unwrap().rules;
    let named: Vec<_> =
        grants.iter().map(|rule| PolicyRule::new(rule.definition().clone(), "session", 1).unwrap()).collect();
    let settings = PolicySettings { grants: named, ..rules() };
    let of = |line: &str| command_with(line, &settings, ApprovalMode::Ask, true).rule;
    assert_eq!(of("touch a && git add a"), "config:rules[1], session:rules[1]");
    assert_eq!(of("touch a && ls"), "session:rules[1]");
    assert_eq!(of("touch a && mytool"), "category:exec");
    assert_eq!(of("cat a | touch a"), "category:exec");
}

#[test]
fn a_refused_git_is_told_why_and_nothing_else() {
    for line in ["HOME=$PWD/gh git commit -am one", "GIT_CONFIG_COUNT=1 git diff && git commit -am one"] {
        let verdict = decided(line);
        assert_eq!((verdict.decision, verdict.rule.as_str()), (Decision::Deny, "builtin:git-program"), "{line}");
        assert!(verdict.reason.to_string().starts_with("The variable "), "{}", verdict.reason);
    }
}
