//! Sessions that other agents kept come along: they can be read, searched and forked.

use crate::harness::{Done, Stage, text};
use arki_testkit::{Turn, kinds};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const ID: &str = "0ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b";

/// The homes of the other agents, beside the data of this stage.
fn homes(stage: &Stage) -> PathBuf {
    stage.home.data_dir().with_file_name("others")
}

fn import(stage: &Stage, more: &[&str]) -> Done {
    let mut arguments = vec!["sessions", "import", "--json"];
    arguments.extend_from_slice(more);
    let mut command = stage.command(&arguments);
    command.env("CLAUDE_CONFIG_DIR", homes(stage).join("claude")).env("CODEX_HOME", homes(stage).join("codex"));
    command.env("XDG_DATA_HOME", homes(stage).join("data"));
    Done::of_child(command.stdin(Stdio::null()).spawn().unwrap())
}

fn put(stage: &Stage, place: &str, lines: &[Value]) {
    let path = homes(stage).join(place);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
}

fn project(stage: &Stage) -> String {
    stage.home.project_dir().canonicalize().unwrap().display().to_string()
}

/// A session of Claude Code's: a question, a call, its result and an answer.
fn claude(folder: &str) -> Vec<Value> {
    let line = |kind: &str, id: &str, parent: Value, message: Value| {
        json!({
            "type": kind, "uuid": id, "parentUuid": parent, "sessionId": ID, "cwd": folder,
            "timestamp": "2026-02-24T10:10:36.754Z", "message": message,
        })
    };
    let said = |blocks: Value| json!({ "role": "assistant", "model": "claude-5", "content": blocks });
    let call = json!([
        { "type": "text", "text": "I look into it." },
        { "type": "tool_use", "id": "toolu_1", "name": "Read", "input": { "file_path": "a.txt" } },
    ]);
    let result = json!([{ "type": "tool_result", "tool_use_id": "toolu_1", "content": "the walrus" }]);
    vec![
        line("user", "1", Value::Null, json!({ "role": "user", "content": "Which animal is it?" })),
        line("assistant", "2", json!("1"), said(call)),
        line("user", "3", json!("2"), json!({ "role": "user", "content": result })),
        line("assistant", "4", json!("3"), said(json!([{ "type": "text", "text": "A walrus." }]))),
    ]
}

fn put_claude(stage: &Stage, lines: &[Value]) {
    put(stage, &format!("claude/projects/-project/{ID}.jsonl"), lines);
}

fn outcomes(done: &Done) -> Vec<String> {
    done.lines().iter().map(|session| text(&session["outcome"])).collect()
}

#[test]
fn a_session_of_claude_code_is_read_searched_and_forked() {
    let stage = Stage::new(vec![Turn::text("It is a walrus still.")]);
    put_claude(&stage, &claude(&project(&stage)));
    let brought = import(&stage, &["--from", "claude-code"]).exits(0).lines();
    let [session] = brought.as_slice() else { panic!("{brought:?}") };
    assert_eq!((text(&session["title"]), text(&session["outcome"])), ("Which animal is it?".into(), "added".into()));
    let id = text(&session["sessionId"]);
    let events = stage.events(&id);
    let expected = [
        "session.created",
        "run.started",
        "output.message",
        "tool.call",
        "tool.result",
        "output.message",
        "run.completed",
    ];
    assert_eq!(kinds(&events), expected);
    stage.verifies();
    let shown = stage.arki(&["sessions", "show", &id]).exits(0).stdout;
    assert!(shown.contains("Which animal is it?") && shown.contains("A walrus."), "{shown}");
    let found = stage.arki(&["sessions", "search", "walrus"]).exits(0).stdout;
    assert!(found.contains(&id[..8]), "{found}");

    let fork = stage.arki(&["sessions", "fork", &id]).exits(0).stdout;
    stage.exec(&["--session", fork.trim(), "Are you sure?"]).exits(0);
    let told = serde_json::to_string(&stage.messages()).unwrap();
    for words in ["Which animal is it?", "I look into it.", "the walrus", "A walrus.", "Are you sure?"] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

#[test]
fn what_is_brought_in_again_is_found_and_what_grew_takes_its_place() {
    let stage = Stage::new(vec![Turn::text("Yes.")]);
    let lines = claude(&project(&stage));
    put_claude(&stage, &lines[..1]);
    let again = || outcomes(&import(&stage, &["--from", "claude-code"]).exits(0));
    assert_eq!([again(), again()], [["added"], ["unchanged"]]);
    put_claude(&stage, &lines);
    assert_eq!([again(), again()], [["replaced"], ["unchanged"]]);
    let [session] = stage.sessions().try_into().unwrap();
    assert_eq!(kinds(&stage.events(&text(&session["sessionId"]))).last(), Some(&"run.completed"));

    // What was continued here is never lost.
    stage.exec(&["--session", &text(&session["sessionId"]), "Go on"]).exits(0);
    put_claude(&stage, &lines[..3]);
    assert_eq!(again(), ["kept"]);
    assert_eq!(stage.sessions().len(), 1);
    stage.verifies();
}

#[test]
fn only_this_folders_sessions_come_unless_all_are_asked_for() {
    let stage = Stage::new(Vec::new());
    put_claude(&stage, &claude("/somewhere/else"));
    let none = import(&stage, &["--from", "claude-code"]).exits(0);
    assert!(none.stdout.is_empty() && none.stderr.contains("--all"), "{}", none.stderr);
    let all = import(&stage, &["--from", "claude-code", "--all"]).exits(0).lines();
    assert_eq!(text(&all[0]["project"]), "/somewhere/else");
}

#[test]
fn those_of_codex_and_opencode_come_too() {
    let stage = Stage::new(Vec::new());
    let folder = project(&stage);
    let line =
        |kind: &str, payload: Value| json!({ "timestamp": "2026-05-01T08:00:00Z", "type": kind, "payload": payload });
    put(
        &stage,
        "codex/sessions/2026/05/01/rollout-1.jsonl",
        &[
            line("session_meta", json!({ "id": "c", "cwd": folder })),
            line("event_msg", json!({ "type": "user_message", "message": "From Codex" })),
        ],
    );
    put(&stage, "data/opencode/storage/session/p/s.json", &[json!({ "id": "s", "directory": folder, "title": "" })]);
    put(&stage, "data/opencode/storage/message/s/m.json", &[json!({ "role": "user", "time": { "created": 1000 } })]);
    put(&stage, "data/opencode/storage/part/m/p.json", &[json!({ "type": "text", "text": "From opencode" })]);
    for (agent, title) in [("codex", "From Codex"), ("opencode", "From opencode")] {
        let brought = import(&stage, &["--from", agent]).exits(0).lines();
        assert_eq!(text(&brought[0]["title"]), title);
    }
    stage.verifies();
}

#[test]
fn a_damaged_history_holds_no_other_up_and_secrets_are_replaced() {
    let stage = Stage::new(Vec::new());
    let mut lines = claude(&project(&stage));
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    // Has no secret's form: only the folder's own file tells that it is one.
    stage.write(".env", "DATABASE_PASSWORD=quiet-walrus-breakfast\n");
    lines[3]["message"]["content"][0]["text"] =
        json!(format!("The token is {secret}, the password quiet-walrus-breakfast."));
    put_claude(&stage, &lines);
    let folder = homes(&stage).join("claude/projects/-project");
    let half = serde_json::to_string(&lines[0]).unwrap();
    let damaged = format!("{half}\n{}\n\0\0\0\n", &half[..half.len() / 2]);
    std::fs::write(folder.join("1ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b.jsonl"), damaged).unwrap();
    std::fs::create_dir(folder.join("2ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b.jsonl")).unwrap();
    let mut mkfifo = Command::new("mkfifo");
    assert!(mkfifo.arg(folder.join("3ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b.jsonl")).status().unwrap().success());
    // Sparse: it is told, and read no further.
    let large = std::fs::File::create(folder.join("4ad3cf10-9ea4-4a6c-8f63-7d9a3d5a8e1b.jsonl")).unwrap();
    writeln!(&large, "{half}").unwrap();
    large.set_len(300 << 20).unwrap();
    let done = import(&stage, &["--from", "claude-code"]).exits(0);
    assert!(done.stderr.contains("larger than 256 MiB"), "{}", done.stderr);
    let brought = done.lines();
    let left_out: Vec<u64> = brought.iter().filter_map(|session| session["leftOut"].as_u64()).collect();
    assert_eq!(left_out, [0, 2]);
    let exported = stage.arki(&["sessions", "export", &text(&brought[0]["sessionId"])]).exits(0).stdout;
    assert!(exported.contains("The token is"), "{exported}");
    for secret in [secret.as_str(), "quiet-walrus-breakfast"] {
        assert!(!exported.contains(secret), "{exported}");
    }
}

#[test]
fn a_wrong_call_says_what_to_name() {
    let stage = Stage::new(Vec::new());
    stage.arki(&["sessions", "import"]).exits(2);
    stage.arki(&["sessions", "import", "--from", "emacs"]).exits(2);
    stage.arki(&["sessions", "import", "--from", "codex", "file.jsonl"]).exits(2);
    stage.arki(&["sessions", "import", "--all", "file.jsonl"]).exits(2);
}
