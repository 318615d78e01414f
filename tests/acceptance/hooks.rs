//! Hooks at work in real runs: those that other agents' users wrote run as they are, and what they say holds.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{one_call, session_of, writing};
use arki_testkit::{Script, Turn, kinds};
use serde_json::{Value, json};

/// The model plays one turn a request; the hooks are the user's.
fn hooked(hooks: &Value, turns: Vec<Turn>) -> Stage {
    Stage::configured(Script::new(turns).sequential(), &json!({"hooks": hooks}))
}

/// In the form that other agents use.
fn command(matcher: &str, line: &str) -> Value {
    json!([{"matcher": matcher, "hooks": [{"type": "command", "command": line}]}])
}

/// What hooks of an event did: outcome and words.
fn ran(events: &[Value], event: &str) -> Vec<(String, Option<String>)> {
    let of_event = payloads(events, "hook.ran").into_iter().filter(|ran| ran["event"] == event);
    of_event.map(|ran| (text(&ran["outcome"]), ran["said"].as_str().map(str::to_owned))).collect()
}

/// Every message of the model's request, as one text.
fn request(stage: &Stage, index: usize) -> String {
    stage.model.requests()[index].json["messages"].to_string()
}

#[test]
fn a_stop_gate_sends_the_agent_back_to_work_until_it_lets_go() {
    let gate = r#"input=$(cat)
case $input in *'"stop_hook_active":true'*) exit 0;; esac
echo 'The tests have not run.' >&2; exit 2"#;
    let stage = hooked(&json!({"Stop": command("", gate)}), ["Done.", "Tests pass."].map(Turn::text).to_vec());
    let events = stage.exec(&["go"]).exits(0).lines();
    let outcomes: Vec<String> = ran(&events, "Stop").into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["blocked", "passed"]);
    assert!(request(&stage, 1).contains("The tests have not run."));
    assert_eq!(payload(&events, "run.completed")["response"], "Tests pass.");
    assert_eq!(kinds(&events).last(), Some(&"run.completed"));
    stage.verifies();
}

#[test]
fn a_gate_that_never_lets_go_holds_a_run_three_times() {
    let stage = hooked(
        &json!({"Stop": command("", "echo 'not yet' >&2; exit 2")}),
        ["a", "b", "c", "d"].map(Turn::text).to_vec(),
    );
    let done = stage.arki(&["exec", "go"]).exits(0);
    assert_eq!(stage.model.requests().len(), 4);
    assert!(done.stderr.contains("kept the agent going 3 times. The run has ended."), "{}", done.stderr);
}

#[test]
fn a_blocked_prompt_reaches_no_model_and_is_kept() {
    let check = r#"grep -q 'hunter2' && echo '{"decision": "block", "reason": "It has a password in it."}'; exit 0"#;
    let stage = hooked(&json!({"UserPromptSubmit": command("", check)}), ["Hello.", "Again."].map(Turn::text).to_vec());
    let done = stage.exec(&["log in with hunter2"]);
    let events = done.lines();
    done.fails(1, "HOOK_BLOCKED_PROMPT");
    assert!(text(&payload(&events, "run.failed")["message"]).contains("It has a password in it."));
    assert_eq!(payload(&events, "run.started")["prompt"], "log in with hunter2");
    assert_eq!(stage.model.requests().len(), 0);
    stage.exec(&["--session", &session_of(&events), "hello"]).exits(0);
    assert!(!request(&stage, 0).contains("hunter2"), "{}", request(&stage, 0));
    stage.verifies();
}

#[test]
fn a_blocked_prompt_goes_on_once_the_hook_lets_it_pass() {
    let check = "test -e open || { echo 'closed' >&2; exit 2; }; echo 'It is Monday.'";
    let stage = hooked(&json!({"UserPromptSubmit": command("", check)}), vec![Turn::text("Hello.")]);
    let session = session_of(&stage.exec(&["what day is it?"]).exits(1).lines());
    stage.write("open", "");
    stage.arki(&["resume", &session]).exits(0);
    assert!(request(&stage, 0).contains("what day is it?") && request(&stage, 0).contains("It is Monday."));
    stage.verifies();
}

#[test]
fn a_sessions_start_is_told_once_a_program() {
    let hooks = json!({"SessionStart": command("startup|resume", "echo told; cat")});
    let stage = hooked(&hooks, ["One.", "Two."].map(Turn::text).to_vec());
    let events = stage.exec(&["go"]).exits(0).lines();
    assert!(request(&stage, 0).contains(r#"\"source\":\"startup\""#), "{}", request(&stage, 0));
    let again = stage.exec(&["--session", &session_of(&events), "more"]).exits(0).lines();
    assert_eq!(payload(&again, "run.started")["sessionStart"], "resume");
    assert!(request(&stage, 1).contains(r#"\"source\":\"resume\""#));
    assert_eq!(ran(&stage.events(&session_of(&events)), "SessionStart").len(), 2);
}

#[test]
fn a_notification_says_what_the_run_waits_for() {
    let hooks = json!({"Notification": command("", "cat >&2; exit 1")});
    let stage = hooked(&hooks, writing("a.txt", "a\n").to_vec());
    let waiting = stage.exec(&["go"]).exits(3).lines();
    assert_eq!(kinds(&waiting).last(), Some(&"run.paused"));
    let session = session_of(&waiting);
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    let told = ran(&stage.events(&session), "Notification");
    let [(_, Some(asks)), (_, Some(is_done))] = &told[..] else { panic!("{told:?}") };
    assert!(asks.contains("permission_prompt") && asks.contains("permission to use write_file"), "{asks}");
    assert!(is_done.contains("idle_prompt"), "{is_done}");
    stage.verifies();
}

#[test]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    let hooks = json!({"UserPromptSubmit": command("", "exit 2"), "Stop": command("", "exit 2")});
    let script = Script::new(one_call("list_directory", json!({})).to_vec()).sequential();
    let stage = Stage::untrusted(script, &json!({"hooks": hooks}));
    let events = stage.exec(&["go"]).exits(0).lines();
    assert!(payloads(&events, "hook.ran").is_empty());
}

#[test]
fn a_projects_guard_that_changes_in_the_middle_of_a_run_runs_no_more_and_the_user_is_asked() {
    let path = std::sync::Arc::new(std::sync::OnceLock::<std::path::PathBuf>::new());
    let script = path.clone();
    let list = || Turn::calls().call("list_directory", json!({}));
    let changes = Turn::computed(move |_| {
        std::fs::write(script.get().unwrap(), "echo changed >&2; exit 2\n").unwrap();
        list()
    });
    let stage = Stage::of(Script::new(vec![list(), changes, Turn::text("Done.")]).sequential());
    path.set(stage.write("guard.sh", "exit 0\n")).unwrap();
    let hooks = json!({"PreToolUse": command("*", "sh guard.sh")});
    stage.write(".arki/config.json", json!({"hooks": hooks}).to_string());
    stage.trust();
    let events = stage.exec(&["look"]).exits(3).lines();
    let [(first, None), (second, Some(why))] = &ran(&events, "PreToolUse")[..] else { panic!("{events:?}") };
    assert_eq!((first.as_str(), second.as_str()), ("passed", "asked"));
    assert!(why.contains("changed since you approved it"), "{why}");
    stage.verifies();
}

/// A guard, a note and a formatter of the user's, and a project's own script.
fn listed() -> Stage {
    let hooks = json!({
        "PreToolUse": command("Bash", "grep -q push && echo 'no pushes' >&2 && exit 2; exit 0"),
        "UserPromptSubmit": [{"name": "note", "action": "remind", "text": "Mind {{prompt}}"}],
        "PostToolUse": command("Write", "echo x >made.txt && exit 3; echo read-only >&2; exit 1"),
    });
    let stage = hooked(&hooks, vec![]);
    stage.write("own.sh", "echo '{\"updatedInput\": {\"command\": \"ls\"}, \"additionalContext\": \"as you like\"}'\n");
    let own = json!({"hooks": {"PreToolUse": command("Bash", "sh own.sh")}});
    stage.write(".arki/config.json", own.to_string());
    stage.trust();
    stage
}

#[test]
fn the_list_says_which_hooks_are_off_and_why() {
    let stage = listed();
    let list = || stage.arki(&["hooks", "list", "--json"]).exits(0).lines();
    let own = |hooks: &[Value]| hooks.iter().find(|hook| hook["name"] == "sh own.sh").unwrap().clone();
    let hooks = list();
    assert_eq!(hooks.len(), 4);
    assert!(hooks.iter().all(|hook| hook["enabled"] == true), "{hooks:?}");
    let expected = json!({"name": "sh own.sh", "event": "PreToolUse", "condition": "Bash", "action": "command",
        "does": "sh own.sh", "timeoutSeconds": 60, "network": false, "origin": ".arki/config.json", "enabled": true});
    assert_eq!(own(&hooks), expected);
    stage.write("own.sh", "exit 2\n");
    assert_eq!(own(&list())["off"], "script_changed");
    stage.write(".arki/config.json", json!({"hooks": {"PreToolUse": command("*", "sh own.sh")}}).to_string());
    assert_eq!(own(&list())["off"], "configuration_changed");
    let people = stage.arki(&["hooks", "list"]).exits(0).stdout;
    assert!(people.contains("off: the project's configuration changed since you approved it"), "{people}");
    stage.write(".arki/config.json", r#"{"hooks": {"Stopp": []}}"#);
    let broken = stage.arki(&["hooks", "list"]).exits(0);
    assert!(
        broken.stderr.contains("Did you mean \"Stop\"?") && broken.stdout.lines().count() == 3,
        "{}",
        broken.stderr
    );
    stage.arki(&["untrust"]).exits(0);
    assert!(list().iter().all(|hook| hook["off"] == "untrusted"));
}

#[test]
fn a_test_runs_the_hooks_that_are_meant_and_nothing_else_happens() {
    let stage = listed();
    let test = |args: &[&str]| stage.arki(&[&["hooks", "test"], args, &["--json"]].concat()).exits(0).lines();
    let blocked = test(&["PreToolUse", "git push"]);
    assert_eq!(
        (blocked.len(), &blocked[0]["outcome"], &blocked[0]["said"]),
        (1, &json!("blocked"), &json!("no pushes"))
    );
    let changed = test(&["PreToolUse", "git status"]);
    assert_eq!((&changed[0]["outcome"], &changed[1]["args"]), (&json!("passed"), &json!({"command": "ls"})));
    assert_eq!(changed[1]["context"], "as you like");
    assert_eq!(test(&["UserPromptSubmit", "--text", "the gap"])[0]["said"], "Mind the gap");
    let args = r#"{"path": "a.txt", "content": "a"}"#;
    let formatted = test(&["PostToolUse", "--tool", "write_file", "--args", args]);
    assert!(text(&formatted[0]["said"]).contains("read-only"), "{formatted:?}");
    assert!(!stage.path("made.txt").exists() && !stage.path("a.txt").exists());
    assert!(stage.arki(&["hooks", "test", "Stop"]).exits(0).stderr.contains("No hook matches this"));
    stage.arki(&["hooks", "test", "Stopp"]).fails(2, "USAGE");
    for args in [&["hooks", "test", "PreToolUse"][..], &["hooks", "test", "PreToolUse", "--args", "{"]] {
        let hint = stage.arki(args).fails(2, "USAGE").hint;
        assert!(hint.contains("arki hooks test"), "{hint}");
    }
    stage.arki(&["hooks", "test", "SessionStart", "--kind", "never"]).fails(2, "USAGE");
    assert!(stage.sessions().is_empty());
    stage.arki(&["untrust"]).exits(0);
    assert!(stage.arki(&["hooks", "test", "PreToolUse", "git push"]).exits(0).stderr.contains("isn't trusted"));
}
