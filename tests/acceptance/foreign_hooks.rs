//! Hooks of other agents, in their form and with their scripts, in real runs; and the session that shows how it all fits.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::playing;
use arki_testkit::{Script, Turn, kinds};
use serde_json::{Value, json};

/// `settings.json` of another agent: a formatter, two guards, context for the session, a check of prompts, a gate and a
/// notification.
const SETTINGS: &str = r#"{
  "PostToolUse": [{"matcher": "Edit|Write|MultiEdit", "hooks": [
    {"type": "command", "command": "python3 \"$CLAUDE_PROJECT_DIR/.claude/hooks/format.py\"", "timeout": 30}]}],
  "PreToolUse": [
    {"matcher": "Bash", "hooks": [
      {"type": "command", "command": "python3 $CLAUDE_PROJECT_DIR/.claude/hooks/no_rm.py"}]},
    {"matcher": "Edit|MultiEdit|Write", "hooks": [
      {"type": "command", "command": "python3 $CLAUDE_PROJECT_DIR/.claude/hooks/protect.py"}]}],
  "SessionStart": [{"matcher": "startup|resume|clear", "hooks": [
    {"type": "command", "command": "echo 'Recent work:'; tail -n 2 \"$CLAUDE_PROJECT_DIR\"/CHANGES.txt"}]}],
  "UserPromptSubmit": [{"hooks": [
    {"type": "command", "command": "python3 .claude/hooks/prompt.py"}]}],
  "Stop": [{"matcher": "", "hooks": [
    {"type": "command", "command": "python3 .claude/hooks/gate.py"}]}],
  "Notification": [{"matcher": "", "hooks": [
    {"type": "command", "command": "python3 .claude/hooks/notify.py"}]}]
}"#;

const SCRIPTS: [(&str, &str); 6] = [
    (
        "format.py",
        r#"import json, sys
data = json.load(sys.stdin)
path = data["tool_input"].get("file_path", "")
if not path.endswith(".py") or data["tool_response"].get("filePath") != path:
    sys.exit(0)
with open(path) as file:
    lines = [line.rstrip() for line in file]
with open(path, "w") as file:
    file.write("\n".join(lines) + "\n")
"#,
    ),
    (
        "no_rm.py",
        r#"import json, re, sys
data = json.load(sys.stdin)
if data["tool_name"] != "Bash":
    sys.exit(0)
if re.search(r"\brm\s+-[a-zA-Z]*[rf]", data["tool_input"]["command"]):
    print("Blocked: use the trash instead of rm -rf.", file=sys.stderr)
    sys.exit(2)
"#,
    ),
    (
        "protect.py",
        r#"import json, sys
data = json.load(sys.stdin)
if data["tool_input"]["file_path"].endswith("package-lock.json"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "The lock file is npm's."}}))
"#,
    ),
    (
        "prompt.py",
        r#"import json, re, sys
data = json.load(sys.stdin)
if re.search(r"(?i)\b(password|secret)\s*[:=]", data["prompt"]):
    print(json.dumps({"decision": "block", "reason": "Your prompt has a password in it."}))
    sys.exit(0)
print(json.dumps({"hookSpecificOutput": {"hookEventName": data["hook_event_name"],
    "additionalContext": "Today is a Monday."}}))
"#,
    ),
    (
        "gate.py",
        r#"import json, sys
data = json.load(sys.stdin)
if data["stop_hook_active"]:
    sys.exit(0)
print(json.dumps({"decision": "block", "reason": "Say what you changed."}))
"#,
    ),
    (
        "notify.py",
        r#"import json, sys
data = json.load(sys.stdin)
print(json.dumps({"systemMessage": data["session_id"] + " says: " + data["message"]}))
"#,
    ),
];

fn with_settings(turns: Vec<Turn>) -> Stage {
    let hooks: Value = serde_json::from_str(SETTINGS).unwrap();
    let stage = Stage::configured(Script::new(turns).sequential(), &json!({ "hooks": hooks }));
    for (name, script) in SCRIPTS {
        stage.write(&format!(".claude/hooks/{name}"), script);
    }
    stage.write("CHANGES.txt", "0.1: begun\n0.2: faster\n0.3: smaller\n");
    stage
}

fn request(stage: &Stage, index: usize) -> String {
    stage.model.requests()[index].json["messages"].to_string()
}

#[test]
fn hooks_of_other_agents_work_unchanged() {
    let stage = with_settings(vec![
        Turn::calls().call("run_command", json!({"command": "cd build && rm -rf ."})),
        Turn::calls().call("write_file", json!({"path": "package-lock.json", "content": "{}"})),
        Turn::calls().call("write_file", json!({"path": "tool.py", "content": "a = 1   \nb = 2\t\n"})),
        Turn::text("Done."),
        Turn::text("I made tool.py."),
    ]);
    let events = stage.exec(&["--approve", "all", "make a tool"]).exits(0).lines();
    let begun = request(&stage, 0);
    for words in ["Recent work:", "0.3: smaller", "Today is a Monday."] {
        assert!(begun.contains(words), "{words} in {begun}");
    }
    assert!(!begun.contains("0.1: begun"));
    let results: Vec<String> = payloads(&events, "tool.result").iter().map(|result| text(&result["result"])).collect();
    assert!(results[0].contains("use the trash"), "{results:?}");
    assert!(results[1].contains("The lock file is npm's."), "{results:?}");
    assert!(!stage.path("package-lock.json").exists());
    assert_eq!(stage.read("tool.py"), "a = 1\nb = 2\n");
    assert!(request(&stage, 4).contains("Say what you changed."));
    assert_eq!(payload(&events, "run.completed")["response"], "I made tool.py.");
    let session = text(&events[0]["sessionId"]);
    let notified = payloads(&stage.events(&session), "hook.ran").pop().unwrap();
    let said = text(&notified["said"]);
    assert!(said.starts_with(&session) && notified["event"] == "Notification", "{notified}");
    stage.exec(&["password: hunter2"]).fails(1, "HOOK_BLOCKED_PROMPT");
    stage.verifies();
}

/// What the appendix of the seed has a formatter do.
const FORMATTER: &str = r#"import json, sys
path = json.load(sys.stdin)["tool_input"]["file_path"]
text = open(path).read().replace('\t', '  ')
open(path, "w").write(text)
"#;

#[test]
fn the_session_of_the_seeds_appendix_has_its_events() {
    let loader = "packages/skills/src/skill-loader.ts";
    let (old, new) = (
        "\tconst content = await fs.readFile(path);",
        "\tconst content = await fs.readFile(path).catch(err => { throw new Error(`Failed to read skill: ${err.message}`); });",
    );
    let edits = json!([{"old_text": old, "new_text": new}]);
    let stage = playing(vec![
        Turn::calls().call("read_file", json!({ "path": loader })),
        Turn::calls().call("edit_file", json!({"path": loader, "edits": edits})),
        Turn::text("I've added error handling to the skill loader."),
    ]);
    stage.write(loader, format!("export async function load(path) {{\n{old}\n  return content;\n}}\n"));
    stage.write("CLAUDE.md", "Handle every error.\n");
    for skill in ["typescript-refactoring", "error-handling"] {
        let text = format!("---\nname: {skill}\ndescription: How we do {skill}.\n---\nMind the {skill}.\n");
        stage.write(&format!(".agent/skills/{skill}/SKILL.md"), text);
    }
    stage.write("format.py", FORMATTER);
    let hooks =
        json!({"PostToolUse": [{"condition": {"toolName": ["Write", "Edit"]}, "command": "python3 format.py"}]});
    stage.write(".arki/config.json", json!({ "hooks": hooks }).to_string());
    stage.trust();
    let skills = ["--skill", "typescript-refactoring", "--skill", "error-handling"];
    let first = [&skills[..], &["Add error handling to the skill loader"]].concat();
    stage.exec(&first).exits(3);
    let id = stage.waiting();
    stage.arki(&["approvals", "approve", &id]).exits(0);
    let events = stage.log();
    let of_the_appendix = [
        "run.started",
        "tool.call",
        "tool.result",
        "approval.requested",
        "run.paused",
        "approval.resolved",
        "run.resumed",
        "file.changed",
        "hook.ran",
        "output.message",
        "memory.observed",
        "run.completed",
    ];
    let kinds: Vec<&str> = kinds(&events).into_iter().filter(|kind| of_the_appendix.contains(kind)).collect();
    let expected = [
        "run.started",
        "tool.call",
        "tool.result",
        "tool.call",
        "approval.requested",
        "run.paused",
        "approval.resolved",
        "run.resumed",
        "file.changed",
        "tool.result",
        "file.changed",
        "hook.ran",
        "output.message",
        "memory.observed",
        "run.completed",
    ];
    assert_eq!(kinds, expected);
    let system = stage.system_prompt();
    assert!(system.contains("Handle every error.") && system.contains("Mind the error-handling."), "{system}");
    let asked = payload(&events, "approval.requested");
    assert_eq!(asked["preview"]["filesAffected"], json!([loader]));
    assert!(text(&asked["preview"]["diff"]).contains("Failed to read skill"));
    assert_eq!(payload(&events, "hook.ran")["changed"], json!([loader]));
    assert_eq!(payloads(&events, "file.changed")[1]["byHook"], "python3 format.py");
    let formatted = stage.read(loader);
    assert!(formatted.contains("  const content = await fs.readFile(path).catch("), "{formatted}");
    assert!(payload(&events, "memory.observed")["observations"].to_string().contains("skill-loader.ts"));
    assert_eq!(payload(&events, "run.completed")["response"], "I've added error handling to the skill loader.");
    assert_eq!(stage.sessions()[0]["state"], "done");
    stage.verifies();
}
