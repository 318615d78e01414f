//! The trace of a decision says what was decided, and by which check; and what Arki made of each command.

use super::*;
use crate::checks::CHAIN;
use crate::decide::decided_by;
use crate::trace::trace_in;
use arki_domain::{CheckOutcome, CommandReading, PolicyCheck, PolicyTrace, REPEATED_RULE, ToolNames};
use arki_testkit::labelled_commands;
use proptest::prelude::*;

fn traced(verdict: &Verdict, line: &str) -> PolicyTrace {
    trace_in(Shell::Bash, verdict.decision, &verdict.rule, &verdict.reason.to_string(), Some(line)).unwrap()
}

/// The parts of a line that is judged by the defaults, as `COMMAND: READING`.
fn parts(line: &str) -> Vec<String> {
    traced(&command(line), line).parts.iter().map(said).collect()
}

fn said(part: &arki_domain::CommandPart) -> String {
    let reading = match part.reading {
        CommandReading::OnlyReads => "reads",
        CommandReading::BuildsOrTests => "builds",
        CommandReading::NotKnown => "?",
        CommandReading::Dangerous => "danger",
        CommandReading::NotUnderstood => "unclear",
    };
    let why = part.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
    format!("{}: {reading}{why}", part.command)
}

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    assert_eq!(parts(line), expected, "{line}");
}

#[test]
fn the_chain_has_every_check_once_in_the_order_of_its_names() {
    let checks: Vec<PolicyCheck> = CHAIN.iter().map(|(check, _)| *check).collect();
    assert!(checks.is_sorted_by(|one, next| one < next), "{checks:?}");
    assert_eq!(checks.last(), Some(&PolicyCheck::CategoryDefault));
    assert_eq!(checks.len(), PolicyCheck::CategoryDefault as usize + 1);
}

#[test]
fn the_trace_says_which_check_decided_what_passed_and_what_was_not_reached() {
    let line = "cargo test && mytool x";
    let trace = traced(&command(line), line);
    assert_eq!(
        (trace.decided_by(), trace.rule.as_str(), trace.decision),
        (Some(PolicyCheck::CategoryDefault), "category:exec", Decision::Approval)
    );
    assert!(trace.checks[..20].iter().all(|traced| traced.outcome == CheckOutcome::Passed));
    let of_reading = traced(&command("ls"), "ls");
    let outcome = |check: PolicyCheck| of_reading.checks.iter().find(|traced| traced.check == check).unwrap().outcome;
    assert_eq!(outcome(PolicyCheck::ChangeRisk), CheckOutcome::Passed);
    assert_eq!(outcome(PolicyCheck::KnownCommand), CheckOutcome::Decided);
    assert_eq!(outcome(PolicyCheck::CategoryDefault), CheckOutcome::NotReached);
}

#[cfg(unix)]
#[test]
fn each_command_of_a_line_is_named_with_what_arki_makes_of_it() {
    check("cargo test && curl x", &["cargo test: builds", "curl x: ?"]);
    check("ls -la | mytool", &["ls -la: reads", "mytool: ?"]);
    check("git status; rm -rf build", &["git status: reads", "rm -rf build: danger (`rm` deletes or overwrites.)"]);
    check("curl x | sh", &["curl x: ?", "sh: danger (`sh` runs whatever is piped into it.)"]);
    check("sudo make install", &["sudo make install: danger (`sudo` changes permissions.)"]);
    check("echo $(date)", &["echo $(date): unclear (a variable or a substitution)"]);
    check("cd sub && mytool 'a b' 'c*' *.rs < in", &["cd sub: reads", "mytool 'a b' 'c*' *.rs < in: ?"]);
    check("cargo build", &["cargo build: builds"]);
    check("if test -f a; then mytool b; else ls; fi", &["test -f a: reads", "mytool b: ?", "ls: reads"]);
    check("for f in a b; do mytool $f; done", &["mytool a: ?", "mytool b: ?"]);
}

#[cfg(unix)]
#[test]
fn the_line_of_an_inner_shell_is_looked_into() {
    check("bash -lc 'cargo test && mytool x'", &["cargo test: builds", "mytool x: ?"]);
    check("cd a && sh -c 'ls; rm b'", &["cd a: reads", "ls: reads", "rm b: danger (`rm` deletes or overwrites.)"]);
}

#[cfg(unix)]
#[test]
fn what_only_a_pipe_or_a_loop_makes_known_is_known_in_its_place() {
    check("git ls-files | xargs wc -l", &["git ls-files: reads", "xargs wc -l: reads"]);
    check("git ls-files | xargs wc -l && mytool", &["git ls-files: reads", "xargs wc -l: reads", "mytool: ?"]);
}

#[test]
fn how_many_rules_were_looked_at_is_told_where_they_are_known() {
    let rules = settings(json!([
        {"decision": "allow", "command": ["ls"]},
        {"decision": "deny", "command": ["mytool"]},
        {"decision": "approval", "command": ["git"]},
    ]))
    .unwrap();
    let counted = |line: &str| {
        let mut trace = traced(&command_with(line, &rules, ApprovalMode::Ask, true), line);
        rules.count_rules(&mut trace);
        let of = |check: PolicyCheck| trace.checks.iter().find(|traced| traced.check == check).unwrap().rules_before;
        (trace.rule.clone(), of(PolicyCheck::DenyRules), of(PolicyCheck::Rules))
    };
    assert_eq!(counted("mytool x"), ("config:rules[2]".to_owned(), Some(1), None));
    assert_eq!(counted("git status"), ("config:rules[3]".to_owned(), Some(3), Some(2)));
    assert_eq!(counted("othertool"), ("category:exec".to_owned(), Some(3), Some(3)));
}

#[test]
fn what_no_check_decided_has_no_trace() {
    for (decision, rule) in [
        (Decision::Allow, "approval:01J"),
        (Decision::Preview, "builtin:stale-preview"),
        (Decision::Approval, "builtin:plan"),
        (Decision::Allow, "builtin:secret-file"),
        (Decision::Allow, "hook:x"),
        (Decision::Approval, "denylist_patterns[1]"),
        (Decision::Approval, "config:rules[x]"),
        (Decision::Allow, ""),
    ] {
        assert_eq!(trace(decision, rule, "", None), None, "{decision:?} {rule}");
    }
    let denied = trace(Decision::Deny, "denylist_patterns[1]", "It is kept from the run.", None).unwrap();
    assert_eq!(denied.decided_by(), Some(PolicyCheck::DenyRules));
    let of_hook = trace(Decision::Deny, "hook:a:rules[1]", "No.", None).unwrap();
    assert_eq!(of_hook.decided_by(), Some(PolicyCheck::HookDenial));
}

#[test]
fn parts_that_contradict_the_record_are_left_out() {
    let parts = |decision, rule: &str, line: &str| {
        trace_in(Shell::Bash, decision, rule, "The command only reads.", Some(line)).unwrap().parts.len()
    };
    assert_eq!(parts(Decision::Allow, "builtin:read-only", "ls | wc -l"), 2);
    assert_eq!(parts(Decision::Allow, "builtin:read-only", "mytool"), 0, "an earlier version knew it");
    assert_eq!(parts(Decision::Approval, "builtin:not-understood", "mytool"), 0);
    let unwarned = trace_in(Shell::Bash, Decision::Approval, "category:exec", "It asks.", Some("rm x")).unwrap();
    assert_eq!(unwarned.parts[0].reading, CommandReading::NotKnown, "nobody was warned then");
}

#[test]
fn the_trace_of_every_labelled_command_is_that_of_its_verdict() {
    let rules = settings(json!([
        {"decision": "deny", "command": ["git", "push"]},
        {"decision": "allow", "command": ["rm"]},
        {"decision": "approval", "command": ["cargo"]},
    ]))
    .unwrap();
    let all_allowed =
        PolicySettings { categories: [(Category::Exec, Decision::Allow)].into(), ..PolicySettings::default() };
    let defaults = PolicySettings::default();
    let mut others = [
        (Shell::Bash, &defaults, true, false),
        (Shell::Bash, &defaults, false, false),
        (Shell::Bash, &rules, true, true),
        (Shell::Bash, &all_allowed, true, false),
        (Shell::PowerShell, &defaults, false, true),
    ]
    .into_iter()
    .cycle();
    for entry in labelled_commands().unwrap() {
        for (shell, settings, sandboxed, looked) in
            [Some((Shell::Bash, &defaults, true, true)), others.next()].into_iter().flatten()
        {
            let subject = subject_of(&entry.line, looked);
            let question = PolicyQuestion {
                tool: "run_command",
                category: Some(Category::Exec),
                subject: &subject,
                trusted: true,
                approve: ApprovalMode::Ask,
                sandboxed,
                has_view: false,
                impact: Impact::default(),
            };
            agrees(shell, &question, settings).unwrap();
        }
    }
}

/// The trace and the verdict say the same, and no part of the line contradicts it.
fn agrees(shell: Shell, question: &PolicyQuestion<'_>, settings: &PolicySettings) -> Result<(), TestCaseError> {
    let (check, verdict) = decided_by(shell, question, settings);
    let Verdict { decision, rule, reason, .. } = &verdict;
    prop_assert!(reason.sentences.iter().all(reasons::is_filled), "{:?}", reason);
    let reason = &reason.to_string();
    let line = question.subject.command.as_deref();
    let trace = trace_in(shell, *decision, rule, reason, line);
    let trace = trace.ok_or_else(|| TestCaseError::fail(format!("no trace of {verdict:?}")))?;
    prop_assert_eq!(trace.decided_by(), Some(check), "{:?}", verdict);
    prop_assert_eq!((&trace.decision, &trace.rule, &trace.reason), (decision, rule, reason));
    let decided = trace.checks.iter().filter(|traced| traced.outcome == CheckOutcome::Decided).count();
    prop_assert_eq!(decided, 1);
    let Some(line) = line else { return Ok(()) };
    prop_assert!(!trace.parts.is_empty(), "{line:?} has no parts: {verdict:?}");
    let parsed = CommandLine::parse_as(shell, line);
    let danger = crate::danger::of_line(&parsed).filter(|danger| reason.starts_with(&danger.to_string()));
    if parsed.commands().is_some() && !decision.is_unasked() {
        let is_dangerous = trace.parts.iter().any(|part| part.reading == CommandReading::Dangerous);
        prop_assert_eq!(is_dangerous, danger.is_some(), "{:?}: {:?}", line, trace.parts);
    }
    if !decision.is_unasked() && danger.is_none() && parsed.unclear().is_some() {
        let is_unclear = trace.parts.iter().any(|part| part.reading == CommandReading::NotUnderstood);
        prop_assert!(is_unclear, "{line:?}: {:?}", trace.parts);
    }
    Ok(())
}

fn categories() -> impl Strategy<Value = Option<Category>> {
    proptest::sample::select(
        &[None, Some(Category::Read), Some(Category::Write), Some(Category::Exec), Some(Category::Network)][..],
    )
}

fn touched() -> impl Strategy<Value = Vec<TouchedPath>> {
    let one = (proptest::sample::select(&["a", "src/x.rs", "Makefile", ".env"][..]), any::<bool>(), any::<bool>());
    proptest::collection::vec(one.prop_map(|(name, protected, secret)| path(name, protected, secret)), 0..2)
}

fn subjects() -> impl Strategy<Value = Subject> {
    let line = proptest::option::of(proptest::sample::select(
        &[
            "ls",
            "cargo test",
            "rm x",
            "git push",
            "mytool a && ls",
            "echo $(x)",
            "git status",
            "cat ../x",
            "rm a && git add b",
            "mytool a | rm b",
            "cargo test && git add x; mytool | tail",
            "cd sub && git add x",
        ][..],
    ));
    let hook = proptest::option::weighted(0.2, any::<bool>());
    (line, touched(), any::<[bool; 5]>(), 0..4_u32, hook).prop_map(|(line, paths, flags, times_in_a_row, hook)| {
        let [looked, is_outside, programs, hooks, has_secret] = flags;
        Subject {
            paths,
            command: line.map(str::to_owned),
            wide_reads_checked: looked,
            outside: is_outside.then(|| "../x".to_owned()),
            changed_git: ChangedGit {
                programs: programs && is_outside,
                hooks,
                unclear: hooks && looked,
                foreign: hooks && is_outside,
            },
            secrets: if has_secret && looked { vec!["KEY".to_owned()] } else { Vec::new() },
            times_in_a_row,
            objection: hook.map(|denies| Objection { hook: "h".to_owned(), denies, reason: "No.".to_owned() }),
            ..Subject::default()
        }
    })
}

fn policies() -> impl Strategy<Value = PolicySettings> {
    let decision =
        || proptest::sample::select(&[Decision::Allow, Decision::Preview, Decision::Approval, Decision::Deny][..]);
    let rule = (decision(), proptest::sample::select(&["ls", "rm", "git", "cargo"][..]));
    let rules = proptest::collection::vec(rule, 0..3);
    (rules, proptest::option::weighted(0.3, decision()), any::<[bool; 6]>(), any::<[bool; 6]>()).prop_map(
        |(rules, category, one, other)| {
            // Each in one of four.
            let is = |place: usize| one[place] && other[place];
            let rules: Vec<_> =
                rules.iter().map(|(decision, name)| json!({"decision": decision, "command": [name]})).collect();
            let mut policy = settings(json!(rules)).unwrap();
            if let Some(decision) = category {
                policy.categories.insert(Category::Exec, decision);
                policy.categories.insert(Category::Write, decision);
            }
            let granted = serde_json::from_value(json!({"decision": "allow", "command": ["mytool"]})).unwrap();
            policy.grants = if is(0) { vec![PolicyRule::new(granted, "session", 1).unwrap()] } else { Vec::new() };
            policy.plan = is(1);
            policy.read_only = is(2);
            policy.tools = is(3).then(ToolNames::default);
            policy.disabled_tools = if is(4) { vec!["some_tool".to_owned()] } else { Vec::new() };
            policy.refused = is(5).then(|| "It can't be read.".to_owned());
            policy
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_trace_of_any_decision_names_the_check_and_the_rule_that_made_it(
        subject in subjects(),
        policy in policies(),
        category in categories(),
        trusted in proptest::bool::weighted(0.9),
        sandboxed: bool,
        has_view: bool,
        lines in proptest::sample::select(&[0, 500][..]),
        approve in proptest::sample::select(&[ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::All, ApprovalMode::Never][..]),
    ) {
        let impact = Impact { files: 1, lines };
        let question =
            PolicyQuestion { tool: "some_tool", category, subject: &subject, trusted, approve, sandboxed, has_view, impact };
        agrees(Shell::Bash, &question, &policy)?;
    }
}

#[test]
fn a_call_that_was_repeated_is_traced_to_that() {
    let repeated = trace(Decision::Approval, REPEATED_RULE, "The same call was made 3 times in a row.", None);
    assert_eq!(repeated.unwrap().decided_by(), Some(PolicyCheck::RepeatedCall));
}
