//! What a command changed, judged path by path: each sentence of the contract that speaks of landing.

use super::*;
use crate::{ChangedPath, EffectsQuestion, EffectsVerdict, PathChange, PathTrait, decide_effects};
use arki_domain::ApprovalMode::{All, Ask, Edits, Never};
use arki_domain::Decision::{Allow, Approval, Deny, Preview};
use proptest::prelude::*;
use proptest::{collection, sample};

fn changed(name: &str) -> ChangedPath {
    let touched = path(name, name.starts_with(".vscode") || name.contains(".git/"), name.contains(".env"));
    ChangedPath { touched, change: PathChange::Changed, traits: Vec::new(), ignored: false }
}

fn added(name: &str) -> ChangedPath {
    ChangedPath { change: PathChange::Added, ..changed(name) }
}

fn removed(name: &str) -> ChangedPath {
    ChangedPath { change: PathChange::Removed, ..changed(name) }
}

fn moved(from: &str, to: &str) -> ChangedPath {
    ChangedPath { change: PathChange::Moved { from: changed(from).touched }, ..changed(to) }
}

fn ignored(change: ChangedPath) -> ChangedPath {
    ChangedPath { ignored: true, ..change }
}

fn with(traits: &[PathTrait], name: &str) -> ChangedPath {
    ChangedPath { traits: traits.to_vec(), ..changed(name) }
}

fn many(count: usize, one: impl Fn(&str) -> ChangedPath) -> Vec<ChangedPath> {
    (0..count).map(|number| one(&format!("src/f{number}.rs"))).collect()
}

struct Case {
    tool: &'static str,
    line: &'static str,
    network: bool,
    trusted: bool,
    settings: PolicySettings,
}

impl Case {
    fn new(line: &'static str, rules: serde_json::Value) -> Self {
        Self { tool: "run_command", line, network: false, trusted: true, settings: settings(rules).unwrap() }
    }

    fn verdict(&self, approve: ApprovalMode, changes: &[ChangedPath]) -> EffectsVerdict {
        let subject = subject_of(self.line, true);
        let question = EffectsQuestion {
            changes,
            tool: self.tool,
            subject: &subject,
            network: self.network,
            trusted: self.trusted,
            approve,
            lines: 3 * changes.len(),
        };
        decide_effects(&question, &self.settings)
    }

    fn each(&self, approve: ApprovalMode, changes: &[ChangedPath]) -> Vec<(Decision, String)> {
        self.verdict(approve, changes).paths.into_iter().map(|path| (path.decision, path.rule)).collect()
    }

    fn one(&self, approve: ApprovalMode, change: ChangedPath) -> (Decision, String) {
        self.each(approve, &[change]).remove(0)
    }
}

fn without_rules() -> Case {
    Case::new("mytool", json!([]))
}

#[track_caller]
fn check(approve: ApprovalMode, changes: &[ChangedPath], decision: Decision, rule: &str) {
    let verdict = without_rules().verdict(approve, changes);
    assert_eq!((verdict.decision, &*verdict.rule), (decision, rule), "{verdict:?}");
    assert!(!verdict.reason.to_string().is_empty());
}

#[test]
fn under_ask_source_files_are_reviewed_whatever_was_changed() {
    for change in [
        added("a.rs"),
        changed("a.rs"),
        removed("a.rs"),
        moved("a.rs", "b.rs"),
        with(&[PathTrait::Mode], "a"),
        with(&[PathTrait::Link], "a"),
        with(&[PathTrait::Binary], "a"),
        with(&[PathTrait::HardLink], "a"),
    ] {
        check(Ask, &[change], Preview, "category:write");
    }
    check(Ask, &many(11, changed), Preview, "builtin:large-change");
    check(Ask, &[changed("package.json")], Approval, "builtin:configuration");
}

#[test]
fn a_line_that_was_allowed_lands_nothing_by_that() {
    for (line, rules) in [
        ("cargo test", json!([])),
        ("mytool", json!([{"decision": "allow", "command": ["mytool"]}])),
        ("mytool", json!([{"decision": "allow", "tool": "run_command"}])),
        ("mytool", json!([{"decision": "allow", "tool": "run_command", "path": "**"}])),
        ("mytool", json!([{"decision": "allow", "tool": "edit_file", "path": "**"}])),
    ] {
        let mut case = Case::new(line, rules);
        assert_eq!(case.one(Ask, changed("a.rs")).0, Preview, "{line} {:?}", case.settings.rules);
        case.settings.grants = std::mem::take(&mut case.settings.rules);
        assert_eq!(case.one(Ask, changed("a.rs")).0, Preview, "{line} {:?}", case.settings.grants);
    }
}

#[test]
fn under_edits_changes_land_at_once_up_to_a_bound() {
    check(Edits, &many(50, changed), Allow, "approve:edits");
    check(Edits, &many(51, changed), Preview, "builtin:beyond-edits");
    check(Edits, &many(5, removed), Allow, "approve:edits");
    check(Edits, &many(6, removed), Preview, "builtin:beyond-edits");
    check(Edits, &many(20, |name| moved(name, "x")), Allow, "approve:edits");
    for kind in [PathTrait::Mode, PathTrait::Link, PathTrait::HardLink, PathTrait::Binary] {
        let changes = [changed("a.rs"), with(&[kind], "b")];
        check(Edits, &changes, Preview, "builtin:beyond-edits");
        assert!(without_rules().each(Edits, &changes).iter().all(|path| path.0 == Preview), "{kind:?}: all of it");
    }
    for name in ["package.json", "Makefile", ".github/workflows/x.yml"] {
        check(Edits, &[changed("a.rs"), changed(name)], Preview, "builtin:beyond-edits");
    }
    let each = without_rules().each(Edits, &[changed("a.rs"), changed(".vscode/tasks.json")]);
    let decisions: Vec<Decision> = each.iter().map(|path| path.0).collect();
    assert_eq!(decisions, [Preview, Approval]);
}

#[test]
fn all_lands_everything_but_the_sensitive() {
    check(All, &many(300, removed), Allow, "approve:edits");
    check(All, &[with(&[PathTrait::Mode, PathTrait::Link, PathTrait::Binary], "a")], Allow, "approve:edits");
    let changes = [
        changed("a.rs"),
        changed(".env"),
        changed(".vscode/tasks.json"),
        with(&[PathTrait::LinkOutside], "b"),
        with(&[PathTrait::Repository], "sub"),
        moved(".env", "c"),
        moved("c", ".vscode/tasks.json"),
    ];
    let each = without_rules().each(All, &changes);
    let rules: Vec<(Decision, &str)> = each.iter().map(|path| (path.0, path.1.as_str())).collect();
    let asked = |rule| (Approval, rule);
    let expected = [
        (Allow, "approve:edits"),
        asked("builtin:secret-file"),
        asked("builtin:protected-path"),
        asked("builtin:link-outside"),
        asked("builtin:git-directory"),
        asked("builtin:secret-file"),
        asked("builtin:protected-path"),
    ];
    assert_eq!(rules, expected);
    let verdict = without_rules().verdict(All, &changes);
    assert_eq!((verdict.decision, verdict.risk), (Approval, Risk::High));
    assert!(
        verdict.reason.to_string().contains(".env looks like") && verdict.reason.to_string().contains("more reason"),
        "{verdict:?}"
    );
}

#[test]
fn under_never_and_in_a_plan_nothing_lands() {
    let changes = [changed("a.rs"), ignored(added("b")), changed(".env"), with(&[PathTrait::LinkOutside], "c")];
    check(Never, &changes, Deny, "approve:never");
    for approve in [Ask, Edits, All, Never] {
        let mut case = Case::new("mytool", json!([{"decision": "allow", "command": ["mytool"], "effects": "allow"}]));
        case.settings.plan = true;
        assert!(case.each(approve, &changes).iter().all(|path| *path == (Deny, "builtin:plan".to_owned())));
        case.settings = PolicySettings { plan: false, read_only: true, ..case.settings };
        assert_eq!(case.verdict(approve, &changes).rule, "builtin:read-only-agent");
        case.settings =
            PolicySettings { read_only: false, refused: Some("It can't be read.".to_owned()), ..case.settings };
        assert_eq!(case.verdict(approve, &changes).decision, Deny);
        case.trusted = false;
        assert_eq!(case.verdict(approve, &changes).rule, UNTRUSTED_RULE);
    }
}

#[test]
fn a_rule_whose_effects_are_allowed_lands_what_isnt_sensitive() {
    let rules = json!([{"decision": "allow", "command": ["cargo", "fmt"], "effects": "allow"}]);
    let of = |line: &'static str| Case::new(line, rules.clone());
    let all = [many(60, removed), vec![with(&[PathTrait::Mode, PathTrait::Binary], "x"), changed("Makefile")]].concat();
    for approve in [Ask, Edits, All] {
        let verdict = of("cargo fmt --all").verdict(approve, &all);
        assert_eq!((verdict.decision, &*verdict.rule), (Allow, "config:rules[1]"));
    }
    assert_eq!(of("cargo fmt").verdict(Never, &all).decision, Deny);
    assert_eq!(of("cargo fmt").one(Ask, changed(".env")), (Approval, "builtin:secret-file".to_owned()));
    assert_eq!(of("cargo fmt").one(Ask, changed(".vscode/x")), (Approval, "builtin:protected-path".to_owned()));
    assert_eq!(of("cargo fmt").one(Ask, with(&[PathTrait::LinkOutside], "x")).0, Approval);
    #[cfg(unix)]
    for (line, decision) in [
        ("cd sub && cargo fmt | tail -3", Allow),
        ("cargo fmt || true", Allow),
        ("cargo fmt && mytool", Preview),
        ("cargo fmt && cargo build", Preview),
        ("cargo fmt > out.txt", Preview),
        ("cargo fmt $(mytool)", Preview),
        ("X=1 cargo fmt", Preview),
        ("cargo build", Preview),
    ] {
        assert_eq!(of(line).one(Ask, changed("a.rs")).0, decision, "{line}");
    }
    let networked = Case { network: true, ..of("cargo fmt") };
    assert_eq!(networked.one(Ask, changed("a.rs")).0, Preview, "the rule is for commands without it");
    let mut granted = of("cargo fmt");
    granted.settings.grants = std::mem::take(&mut granted.settings.rules);
    assert_eq!(granted.one(Ask, changed("a.rs")).0, Allow);
}

#[test]
fn effects_may_be_allowed_below_a_path_and_for_all_commands() {
    let rules = json!([{"decision": "allow", "command": ["gen"], "path": "generated/**", "effects": "allow"}]);
    let case = Case::new("gen x", rules);
    let each = case.each(Ask, &[changed("generated/a.rs"), changed("src/a.rs"), moved("src/b", "generated/b")]);
    assert_eq!(each.iter().map(|path| path.0).collect::<Vec<_>>(), [Allow, Preview, Preview]);
    let whole = |line| Case::new(line, json!([{"decision": "allow", "tool": "run_command", "effects": "allow"}]));
    assert_eq!(whole("mytool").one(Ask, changed("a.rs")).0, Allow);
    assert_eq!(whole("eval \"$X\"").one(Ask, changed("a.rs")).0, Preview, "it can't be followed");
}

#[test]
fn a_rule_for_commands_lands_nothing_that_a_server_changed() {
    for rule in [
        json!({"decision": "allow", "tool": "run_command", "effects": "allow"}),
        json!({"decision": "allow", "tool": "mcp__x__*"}),
    ] {
        let case = Case { tool: "mcp__x__echo", ..Case::new("", json!([rule])) };
        assert_eq!(case.one(Ask, changed("a.rs")).0, Preview);
        assert_eq!(case.one(Edits, changed("a.rs")).0, Allow);
        let reason = case.verdict(Edits, &many(6, removed)).reason.to_string();
        assert!(reason.starts_with("The MCP server removed 6 files"), "{reason}");
    }
}

#[cfg(unix)]
#[test]
fn the_rules_that_are_proposed_for_a_lines_changes_land_them() {
    let proposed = |line: &str, settings: &PolicySettings| {
        let subject = subject_of(line, true);
        let question = super::view::question(&subject, Ask);
        proposed_effects_rules(&question, settings)
    };
    let defaults = PolicySettings::default();
    for line in ["cargo fmt --all", "cd sub && npm run format | tail -3", "cargo fmt && npm run gen", "cargo build"] {
        let rules = proposed(line, &defaults);
        let with_rules = defaults.with_rules(&rules).unwrap();
        let case = |settings| Case { line, settings, ..without_rules() };
        assert_eq!(case(with_rules.clone()).one(Ask, changed("a.rs")).0, Allow, "{line}: {rules:?}");
        assert_eq!(case(defaults.clone()).one(Ask, changed("a.rs")).0, Preview, "{line}");
        assert!(proposed(line, &with_rules).is_empty(), "{line}");
    }
    for line in ["python3 gen.py", "rm -rf src", "./gen.sh", "eval x", "ls", "sh -c 'cargo fmt'"] {
        assert!(proposed(line, &defaults).is_empty(), "{line}");
    }
}

#[test]
fn only_a_rule_that_allows_commands_may_speak_of_effects() {
    for rule in [
        json!({"decision": "deny", "command": ["a"], "effects": "allow"}),
        json!({"decision": "approval", "command": ["a"], "effects": "allow"}),
        json!({"decision": "allow", "tool": "edit_file", "effects": "allow"}),
        json!({"decision": "allow", "host": "docs.rs", "effects": "allow"}),
    ] {
        assert!(matches!(settings(json!([rule])), Err(RuleError::Effects { number: 1 })), "{rule}");
    }
}

#[test]
fn rules_about_paths_hold_for_what_a_command_changes() {
    let all = [Ask, Edits, All];
    for (rule, decision) in [
        (json!({"decision": "deny", "path": "infra/**"}), Deny),
        (json!({"decision": "deny", "tool": "run_command", "path": "infra/**"}), Deny),
        (json!({"decision": "deny", "tool": "write_file", "path": "infra/**"}), Deny),
        (json!({"decision": "deny", "tool": "edit_file", "path": "INFRA/**"}), Deny),
        (json!({"decision": "approval", "path": "infra/**"}), Approval),
        (json!({"decision": "approval", "tool": "apply_patch", "path": "infra/**"}), Approval),
        (json!({"decision": "deny", "tool": "read_file", "path": "infra/**"}), Approval),
        (json!({"decision": "preview", "path": "infra/**"}), Preview),
    ] {
        let case = Case::new("mytool", json!([rule]));
        for approve in all {
            assert_eq!(case.one(approve, changed("infra/a")), (decision, "config:rules[1]".to_owned()), "{rule}");
            assert_eq!(case.one(approve, ignored(removed("infra/a"))).0, decision, "{rule}");
            assert_eq!(case.one(approve, moved("infra/a", "b")).0, decision, "{rule}");
            assert_ne!(case.one(approve, changed("b")).1, "config:rules[1]", "{rule}");
        }
        let verdict = case.verdict(All, &[changed("infra/a"), changed("b")]);
        let names_it = verdict.reason.to_string().contains("Not kept: infra/a (config:rules[1]).");
        assert_eq!(names_it, decision == Deny, "{verdict:?}");
    }
    let only = Case::new("mytool", json!([{"decision": "deny", "path": "infra/**"}]));
    assert_eq!(only.verdict(All, &[changed("infra/a")]).decision, Deny);
    let of_removal = Case::new("mytool", json!([{"decision": "deny", "tool": "delete_file", "path": "infra/**"}]));
    assert_eq!(of_removal.one(All, removed("infra/a")).0, Deny);
    assert_eq!(of_removal.one(All, changed("infra/a")).0, Allow);
    let of_command = |line| Case::new(line, json!([{"decision": "deny", "command": ["sed"], "path": "infra/**"}]));
    assert_eq!(of_command("sed -i s/a/b/ x").one(All, changed("infra/a")).0, Deny);
    assert_eq!(of_command("mytool").one(All, changed("infra/a")).0, Allow);
    let allowing = Case::new("mytool", json!([{"decision": "allow", "path": "docs/**"}]));
    assert_eq!(allowing.one(Ask, changed("docs/a.md")), (Allow, "config:rules[1]".to_owned()));
    assert_eq!(allowing.one(Never, changed("docs/a.md")).0, Deny);
}

#[test]
fn the_category_of_writing_decides_where_nothing_else_does() {
    let of = |decision, approve, change| {
        let mut case = without_rules();
        case.settings.categories.insert(Category::Write, decision);
        case.one(approve, change)
    };
    assert_eq!(of(Allow, Ask, changed("a.rs")), (Allow, "category:write".to_owned()));
    assert_eq!(of(Approval, Ask, changed("a.rs")).0, Approval);
    assert_eq!(of(Approval, Ask, ignored(added("a"))).0, Approval);
    assert_eq!(of(Approval, Edits, ignored(added("a"))).0, Allow);
    for approve in [Ask, Edits, All] {
        assert_eq!(of(Deny, approve, changed("a.rs")), (Deny, "category:write".to_owned()));
        assert_eq!(of(Deny, approve, ignored(added("a"))).0, Deny);
    }
}

#[test]
fn files_that_git_ignores_land_and_many_removals_of_them_ask() {
    for approve in [Ask, Edits] {
        for change in [added("a"), changed("a"), removed("a"), changed("Makefile"), with(&[PathTrait::Mode], "a")] {
            check(approve, &[ignored(change)], Allow, "builtin:ignored-file");
        }
        check(approve, &many(900, |name| ignored(added(name))), Allow, "builtin:ignored-file");
        check(approve, &many(20, |name| ignored(removed(name))), Allow, "builtin:ignored-file");
        check(approve, &many(21, |name| ignored(removed(name))), Approval, "builtin:many-removals");
        check(approve, &[ignored(changed(".env"))], Approval, "builtin:secret-file");
        check(approve, &[ignored(with(&[PathTrait::LinkOutside], "a"))], Approval, "builtin:link-outside");
        check(approve, &[ignored(with(&[PathTrait::Repository], "target/x"))], Approval, "builtin:git-directory");
    }
    check(All, &many(21, |name| ignored(removed(name))), Allow, "builtin:ignored-file");
    let mut mixed = many(50, changed);
    mixed.extend(many(30, |name| ignored(added(name))));
    check(Edits, &mixed, Allow, "approve:edits");
    let each = without_rules().each(Ask, &[changed("a.rs"), ignored(added("out.log"))]);
    assert_eq!(each.iter().map(|path| path.0).collect::<Vec<_>>(), [Preview, Allow]);
}

#[test]
fn a_change_of_nothing_lands() {
    check(Ask, &[], Allow, "builtin:no-change");
    check(Never, &[], Allow, "builtin:no-change");
}

fn any_change() -> impl Strategy<Value = ChangedPath> {
    let name = sample::select(&["a.rs", "docs/a.md", "infra/x", ".env", ".vscode/tasks.json", "Makefile"][..]);
    let kind = sample::select(&["added", "changed", "removed", "moved"][..]);
    let of_path = sample::select(
        &[
            PathTrait::Mode,
            PathTrait::Link,
            PathTrait::LinkOutside,
            PathTrait::HardLink,
            PathTrait::Binary,
            PathTrait::Repository,
        ][..],
    );
    (name.clone(), name, kind, collection::vec(of_path, 0..2), any::<bool>()).prop_map(
        |(name, from, kind, traits, ignored)| {
            let change = match kind {
                "added" => added(name),
                "removed" => removed(name),
                "moved" => moved(from, name),
                _ => changed(name),
            };
            ChangedPath { traits, ignored, ..change }
        },
    )
}

fn any_rules() -> impl Strategy<Value = serde_json::Value> {
    let rule = sample::select(vec![
        json!({"decision": "allow", "command": ["mytool"], "effects": "allow"}),
        json!({"decision": "allow", "tool": "run_command", "effects": "allow"}),
        json!({"decision": "allow", "path": "**"}),
        json!({"decision": "allow", "tool": "edit_file", "path": "**"}),
        json!({"decision": "preview", "path": "docs/**"}),
        json!({"decision": "approval", "tool": "write_file", "path": "docs/**"}),
        json!({"decision": "deny", "path": "infra/**"}),
    ]);
    collection::vec(rule, 0..4).prop_map(serde_json::Value::Array)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_granted_nothing_sensitive_or_denied_lands(
        changes in collection::vec(any_change(), 0..60),
        rules in any_rules(),
        granted in any_rules(),
        approve in sample::select(&[Ask, Edits, All, Never][..]),
        plan in proptest::bool::weighted(0.1),
        write in sample::select(&[Allow, Preview, Approval, Deny][..]),
    ) {
        let forbids = rules.as_array().unwrap().iter().any(|rule| rule["decision"] == "deny");
        let is_bare = rules == json!([]) && granted == json!([]);
        let mut case = Case::new("mytool x", rules);
        case.settings.grants = settings(granted).unwrap().rules;
        case.settings.grants.retain(PolicyRule::allows);
        case.settings.plan = plan;
        case.settings.categories.insert(Category::Write, write);
        let verdict = case.verdict(approve, &changes);
        prop_assert_eq!(verdict.paths.len(), changes.len());
        for (change, path) in changes.iter().zip(&verdict.paths) {
            let names = |name: &str| {
                let from = matches!(&change.change, PathChange::Moved { from } if from.path.starts_with(name));
                from || change.touched.path.starts_with(name)
            };
            let asks = change.traits.iter().any(|one| matches!(one, PathTrait::LinkOutside | PathTrait::Repository));
            if names(".env") || names(".vscode") || asks {
                prop_assert!(matches!(path.decision, Approval | Deny), "{:?}: {:?}", change, path);
            }
            if plan || approve == Never || write == Deny || (forbids && names("infra/")) {
                prop_assert_eq!(path.decision, Deny, "{:?}", change);
            }
            if is_bare && approve == Ask && !change.ignored && write != Allow {
                prop_assert!(path.decision >= Preview, "{:?}", change);
            }
            prop_assert!(path.decision == Deny || path.decision <= verdict.decision, "{:?}", verdict);
            prop_assert!(!path.rule.is_empty() && !path.reason.to_string().is_empty());
            prop_assert!(path.reason.sentences.iter().all(reasons::is_filled), "{:?}", path);
        }
        prop_assert!(verdict.reason.sentences.iter().all(reasons::is_filled), "{:?}", verdict);
    }
}
