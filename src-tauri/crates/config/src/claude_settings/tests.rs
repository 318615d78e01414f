use super::*;
use arki_policy::Subject;

const NAME: &str = ".claude/settings.json";

fn parsed(text: &str) -> ClaudeSettings {
    ClaudeSettings::parse(text, NAME, Path::new(NAME)).unwrap()
}

type Parts = (Option<String>, Option<Vec<String>>, Option<String>, Option<String>);

fn rules_of(entry: &str) -> Vec<Parts> {
    let text = json!({ "permissions": { "deny": [entry] } }).to_string();
    let parts = |rule: &PolicyRule| {
        let rule = rule.definition().clone();
        assert_eq!(rule.decision, Decision::Deny);
        (rule.tool, rule.command, rule.path, rule.host)
    };
    parsed(&text).rules.iter().map(parts).collect()
}

#[test]
fn permissions_that_deny_become_rules_of_ours() {
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    let text = |text: &str| Some(text.to_owned());
    let command = text("run_command");
    assert_eq!(rules_of("Bash"), [(command.clone(), None, None, None)]);
    assert_eq!(rules_of("Bash(npm run *)"), [(command.clone(), words(&["npm", "run"]), None, None)]);
    assert_eq!(rules_of("Bash(npm run:*)"), [(command.clone(), words(&["npm", "run"]), None, None)]);
    assert_eq!(rules_of("mcp__x__y"), [(text("mcp__x__y"), None, None, None)]);
    assert_eq!(rules_of("mcp__x"), [(text("mcp__x__*"), None, None, None)]);
    assert_eq!(rules_of("WebFetch(domain:Example.org)"), [(text("fetch_url"), None, None, text("example.org"))]);
    let paths = |entry: &str| rules_of(entry).into_iter().map(|rule| (rule.0, rule.2.unwrap())).collect::<Vec<_>>();
    assert_eq!(paths("Read(./.env)"), [(None, ".env".to_owned()), (None, ".env/**".to_owned())]);
    assert_eq!(paths("Read(./secrets/**)"), [(None, "secrets/**".to_owned())]);
    assert_eq!(paths("Read(*.pem)"), [(None, "**/*.pem".to_owned()), (None, "**/*.pem/**".to_owned())]);
    let edits = paths("Edit(docs/**)");
    for tool in ["write_file", "edit_file", "apply_patch", "delete_file", "take_changes"] {
        assert!(edits.contains(&(text(tool), "docs/**".to_owned())), "{tool}: {edits:?}");
    }
    let objects = parsed(r#"{"permissions": {"deny": [{"path": ".env*"}, {"command": "bun", "args": ["test"]}]}}"#);
    assert_eq!(objects.rules.len(), 2);
    assert_eq!(objects.rules[1].definition().command, words(&["bun", "test"]));
    assert!(objects.notes.is_empty(), "{:?}", objects.notes);
}

#[test]
fn what_is_not_meant_exactly_is_stricter_and_told() {
    for (entry, first, told) in [
        ("Bash(git push)", Some("git"), "begins with git push"),
        ("Bash(git * main)", Some("git"), "begins with git"),
        ("Bash(rm*)", None, "every other command"),
        ("Bash(curl \"http://x\")", Some("curl"), "begins with curl"),
        ("Task(Explore)", None, "delegate"),
    ] {
        let settings = parsed(&json!({ "permissions": { "ask": [entry] } }).to_string());
        let rule = settings.rules[0].definition();
        assert_eq!(rule.decision, Decision::Approval, "{entry}");
        assert_eq!(rule.command.as_ref().and_then(|words| words.first()).map(String::as_str), first, "{entry}");
        assert!(settings.notes.iter().any(|note| note.contains(entry) && note.contains(told)), "{:?}", settings.notes);
    }
    for entry in ["WebSearch", "Read(~/.ssh/**)", "Read(//etc/passwd)", "Read(../x)"] {
        let settings = parsed(&json!({ "permissions": { "deny": [entry] } }).to_string());
        assert!(settings.rules.is_empty() && settings.notes[0].contains(entry), "{settings:?}");
    }
}

#[test]
fn a_denied_path_is_denied_in_each_tool() {
    let settings = parsed(r#"{"permissions": {"deny": ["Read(./config/keys/*)", "mcp__files"]}}"#);
    let subject = Subject { mentioned: vec!["config/keys/a.txt".to_owned()], ..Subject::default() };
    assert!(settings.rules.iter().any(|rule| rule.speaks_of("read_file", &subject)));
    assert!(settings.rules.iter().any(|rule| rule.speaks_of("mcp__files__read", &Subject::default())));
    assert!(!settings.rules.iter().any(|rule| rule.speaks_of("mcp__filesystem__read", &Subject::default())));
}

#[test]
fn what_would_loosen_or_start_something_is_ignored_and_named() {
    let settings = parsed(
        r#"{"$schema": "x", "env": {"A": "b"}, "apiKeyHelper": "./key.sh", "statusLine": {"command": "x"},
            "permissions": {"allow": ["Bash"], "defaultMode": "bypassPermissions", "deny": []}}"#,
    );
    assert!(settings.rules.is_empty() && settings.hooks.is_empty());
    let told = settings.notes.join(" ");
    assert_eq!(
        told,
        "Arki ignores apiKeyHelper, env, permissions.allow, permissions.defaultMode, statusLine of .claude/settings.json."
    );
}

#[test]
fn hooks_are_taken_and_one_that_cannot_be_takes_no_other_along() {
    let settings = parsed(
        r#"{"hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [
                {"type": "prompt", "prompt": "?"}, {"type": "command", "command": "cargo fmt", "timeout": 5}]}],
            "SessionStart:compact": [{"action": "inject", "content": "file:///.claude/start.md"}],
            "Unheard": [{"command": "x"}]}}"#,
    );
    let names: Vec<&str> = settings.hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!(names, ["cargo fmt", "inject"]);
    assert!(settings.hooks.iter().all(|hook| hook.origin == HookOrigin::Project(NAME)));
    assert_eq!(settings.hooks[1].action.file(), Some(".claude/start.md"));
    assert!(settings.notes.iter().any(|note| note.contains("Unheard")), "{:?}", settings.notes);
    assert_eq!(settings.notes.len(), 2);
    assert!(parsed(r#"{"disableAllHooks": true, "hooks": {"Stop": [{"command": "x"}]}}"#).hooks.is_empty());
}

#[test]
fn denials_that_cannot_be_read_are_an_error() {
    for text in [
        "{",
        "[]",
        r#"{"permissions": []}"#,
        r#"{"permissions": {"deny": "Bash"}}"#,
        r#"{"permissions": {"deny": [7]}}"#,
    ] {
        assert!(ClaudeSettings::parse(text, NAME, Path::new(NAME)).is_err(), "{text}");
    }
}
