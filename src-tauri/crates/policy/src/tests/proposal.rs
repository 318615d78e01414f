//! "Always allow": what is proposed, and for what nothing is.

use super::*;

fn proposed(tool: &str, category: Category, subject: &Subject) -> Option<RuleDefinition> {
    let question = PolicyQuestion {
        tool,
        category: Some(category),
        subject,
        trusted: true,
        approve: ApprovalMode::Ask,
        sandboxed: true,
        has_view: false,
        impact: Impact { files: 1, lines: 2 },
    };
    all_proposed(&question).into_iter().next()
}

fn all_proposed(question: &PolicyQuestion<'_>) -> Vec<RuleDefinition> {
    let settings = PolicySettings::default();
    let rules = proposed_rules(question, &settings);
    let allows = settings.with_rules(&rules).is_some_and(|with_rules| would_allow(question, &settings, &with_rules));
    if allows { rules } else { Vec::new() }
}

fn for_line(line: &str) -> Option<Vec<String>> {
    let subject = Subject { command: Some(line.to_owned()), ..Subject::default() };
    proposed("run_command", Category::Exec, &subject)?.command
}

/// All that is proposed for a line of which what it reads was looked at.
fn all_for_line(line: &str) -> Vec<String> {
    let subject = subject_of(line, true);
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
    let told = |rule: RuleDefinition| {
        let fed = if rule.stdin { " <" } else { "" };
        format!("{}{fed}", rule.command.unwrap_or_default().join(" "))
    };
    all_proposed(&question).into_iter().map(told).collect()
}

#[test]
fn each_command_of_a_line_that_still_asks_gets_a_rule_of_its_own() {
    for (line, rules) in [
        ("git add -A && git commit -m one", &["git add", "git commit"][..]),
        ("cd sub && npm run deploy | tail -5", &["npm run deploy"]),
        ("ls; mkdir a; touch b || true", &["mkdir a", "touch b"]),
        ("echo x | git commit -F -", &["git commit <"]),
        ("cargo test && git add a && git add b", &["git add"]),
        ("mkdir a && rm b", &[]),
        ("mkdir a && python3 x.py", &[]),
    ] {
        assert_eq!(all_for_line(line), rules, "{line}");
    }
}

#[test]
fn a_command_is_allowed_by_program_and_subcommand_or_as_it_is() {
    for (line, prefix) in [
        ("cargo run -- x", "cargo run"),
        ("git commit -m 'x y'", "git commit"),
        ("git add . && git add b", "git add"),
        ("npm run dev", "npm run dev"),
        ("npm install left-pad", "npm install"),
        ("docker compose up -d", "docker compose up"),
        ("make deploy", "make deploy"),
        ("mkdir -p a/b", "mkdir -p a/b"),
        ("touch a.txt", "touch a.txt"),
        ("git stash push -m x", "git stash push"),
        ("git worktree add y", "git worktree add"),
        ("git merge x", "git merge"),
    ] {
        assert_eq!(for_line(line).map(|words| words.join(" ")).as_deref(), Some(prefix), "{line}");
    }
}

#[test]
fn nothing_is_proposed_for_what_no_lasting_permission_should_cover() {
    for line in [
        "python3 x.py",
        "python -c 'x'",
        "node x.js",
        "node -e 1",
        "bash x.sh",
        "bash -c 'mkdir a'",
        "sh -c 'cargo run'",
        "sudo mkdir a",
        "timeout 5 cargo run",
        "env X=1 mkdir a",
        "ls | xargs mkdir",
        "find . -exec mkdir {} +",
        "npx x",
        "ssh host x",
        "docker run x",
        "awk 1 a",
        "./run.sh",
        "/usr/bin/mkdir a",
        "rm a",
        "git push",
        "git reset --hard",
        "kill 1",
        "mkdir $X",
        "mkdir a > b",
        "mkdir *",
        "git -c a=b commit",
        "cargo +nightly run",
        "eval mkdir a",
        // One word more would delete or run anything.
        "git stash",
        "git checkout -b x",
        "git switch -c x",
        "git branch x",
        "git tag v1",
        "git rm x",
        "git rebase main",
        "git submodule update",
        "git difftool x",
        "git worktree",
        "tar xf a.tar",
        "rsync -a a b",
        "gcc a.c",
        // Allowed without a rule.
        "ls",
        "cargo test",
    ] {
        assert_eq!(for_line(line), None, "{line}");
    }
}

#[test]
fn files_and_hosts_are_named_exactly() {
    let paths = |paths: &[&str]| Subject {
        paths: paths.iter().map(|name| path(name, false, false)).collect(),
        ..Subject::default()
    };
    let glob = |subject: &Subject| proposed("apply_patch", Category::Write, subject).and_then(|rule| rule.path);
    assert_eq!(glob(&paths(&["src/a.rs"])).as_deref(), Some("src/a.rs"));
    assert_eq!(glob(&paths(&["a[1]*.rs"])).as_deref(), Some("a[[]1[]][*].rs"));
    assert_eq!(glob(&paths(&["src/a.rs", "src/b.rs"])).as_deref(), Some("src/**"));
    assert_eq!(glob(&paths(&["src/a.rs", "b.rs"])), None);
    for sensitive in [path(".env", false, true), path("AGENTS.md", true, false)] {
        assert_eq!(glob(&Subject { paths: vec![sensitive], ..Subject::default() }), None);
    }
    let hosts = |hosts: &[&str]| {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        proposed("fetch_url", Category::Network, &Subject { hosts, ..Subject::default() })
    };
    assert_eq!(hosts(&["docs.rs"]).unwrap().host.as_deref(), Some("docs.rs"));
    assert_eq!(hosts(&["docs.rs", "evil"]), None);
}

#[test]
fn a_rule_for_a_host_covers_that_host_alone() {
    let rules = settings(json!([
        {"decision": "allow", "tool": "fetch_url", "host": "docs.rs", "match": ["docs.rs"], "notMatch": ["evil.docs.rs"]},
        {"decision": "allow", "host": "*.example.org", "notMatch": ["example.org", "evilexample.org"]},
    ]))
    .unwrap();
    for (host, allowed) in [
        ("docs.rs", true),
        ("a.docs.rs", false),
        ("a.example.org", true),
        ("example.org", false),
        ("xexample.org", false),
    ] {
        let subject = Subject { hosts: vec![host.to_owned()], ..Subject::default() };
        let question = PolicyQuestion {
            tool: "fetch_url",
            category: Some(Category::Network),
            subject: &subject,
            trusted: true,
            approve: ApprovalMode::Ask,
            sandboxed: true,
            has_view: false,
            impact: Impact::default(),
        };
        assert_eq!(decide(&question, &rules).decision == Decision::Allow, allowed, "{host}");
    }
}

#[test]
fn a_rule_of_another_folder_is_left_out() {
    let mut rules = settings(json!([
        {"decision": "deny", "command": ["a"], "project": "/x"},
        {"decision": "deny", "command": ["b"]},
    ]))
    .unwrap();
    rules.keep_rules_of("/y");
    assert_eq!(command_with("a", &rules, ApprovalMode::Ask, true).decision, Decision::Approval);
    assert_eq!(command_with("b", &rules, ApprovalMode::Ask, true).rule, "config:rules[2]");
}
