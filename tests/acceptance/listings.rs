//! The lists and views that people read, as they are printed: each is reviewed as a file below `fixtures/listings`.
#![cfg(unix)]

use crate::harness::{Stage, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::process::Command;

const PIPELINE: &str = "name: note\ndescription: Notes the time.\nparams: {where: {default: here, description: The place.}}\nsteps:\n  - \
    { name: ask, adapter: agent, prompt: Say something. }\n  - { name: keep, adapter: command, run: cat, needs: [ask] }\n";
const SKILL: &str =
    "---\nname: tests\ndescription: How tests are run here.\nkeywords: [test]\n---\nRun `make check`.\n";

/// Commands, with the file of what they print.
const LISTINGS: [(&str, &[&str]); 30] = [
    ("agents_list", &["agents", "list"]),
    ("approvals_list", &["approvals", "list"]),
    ("approvals_show", &["approvals", "show"]),
    ("artifacts_list", &["artifacts", "list"]),
    ("blame", &["blame", "notes.txt"]),
    ("config_show", &["config", "show", "policy"]),
    ("config_show_origin", &["config", "show", "--origin", "limits"]),
    ("events", &["events", "last"]),
    ("hooks_list", &["hooks", "list"]),
    ("keys_list", &["keys", "list"]),
    ("mcp_list", &["mcp", "list"]),
    ("memory_list", &["memory", "list"]),
    ("models", &["models", "mock"]),
    ("pipelines_list", &["pipelines", "list"]),
    ("pipelines_show", &["pipelines", "show", "note"]),
    ("policy_check", &["policy", "check", "git push"]),
    ("policy_check_trace", &["policy", "check", "--trace", "ls && git push"]),
    ("procedures", &["procedures"]),
    ("providers", &["providers"]),
    ("runs", &["runs"]),
    ("schedule_list", &["schedule", "list"]),
    ("search", &["sessions", "search", "notes"]),
    ("sessions_list", &["sessions", "list"]),
    ("sessions_show", &["sessions", "show", "last"]),
    ("skills", &["skills"]),
    ("tools", &["tools"]),
    ("trust_list", &["trust", "--list"]),
    ("trust_show", &["trust", "--show"]),
    ("usage", &["usage"]),
    ("worktrees_list", &["worktrees", "list"]),
];

/// The commands that have nothing to list in a new home, and say so.
const EMPTY: [&[&str]; 12] = [
    &["sessions", "list"],
    &["approvals", "list"],
    &["artifacts", "list"],
    &["memory", "list"],
    &["mcp", "list"],
    &["worktrees", "list"],
    &["schedule", "list"],
    &["runs"],
    &["usage"],
    &["skills"],
    &["hooks", "list"],
    &["trust", "--list"],
];

fn git(stage: &Stage, line: &str) {
    let mut git = Command::new("git");
    let done = git.args(line.split(' ')).envs(&stage.home.env).current_dir(stage.home.project_dir()).output().unwrap();
    assert!(done.status.success(), "git {line}");
}

/// A project with a bit of everything: two sessions, one of which waits for an approval.
fn prepared() -> Stage {
    let turns = vec![
        Turn::calls().call("write_file", json!({"path": "notes.txt", "content": "one\ntwo\n"})).call(
            "emit_artifact",
            json!({"name": "report.md", "content": "# Report\n", "media_type": "text/markdown"}),
        ),
        Turn::text("The notes are written."),
        Turn::calls().call("read_file", json!({"path": "notes.txt"})),
        Turn::calls().call("edit_file", json!({"path": "notes.txt", "edits": [{"old_text": "two", "new_text": "2"}]})),
    ];
    let config = json!({
        "hooks": {"PreToolUse": [{"matcher": "run_command", "hooks": [{"type": "command", "command": "true"}]}]},
        "mcpServers": {"lab": {"command": "lab-server", "args": ["--quiet"]}, "web": {"url": "http://127.0.0.1:9/mcp"}},
    });
    let stage = Stage::untrusted(Script::new(turns).sequential(), &config);
    for line in ["init -q -b main .", "config user.name me", "config user.email me@example.org"] {
        git(&stage, line);
    }
    stage.write(".arki/pipelines/note.yaml", PIPELINE);
    stage.write(".agents/skills/tests/SKILL.md", SKILL);
    stage.trust();
    stage.arki(&["exec", "Write notes", "--approve", "edits"]).exits(0);
    stage.arki(&["exec", "Change notes"]).exits(3);
    let at = ["--cron", "30 7 * * MON-FRI", "--time-zone", "UTC"];
    stage.arki(&[["schedule", "add", "mornings", "note"].as_slice(), &at].concat()).exits(0);
    stage
}

/// Puts letters for the digits of `pattern` wherever a text of that form is; the width stays.
fn masked(line: &str, pattern: &str) -> String {
    let (line, pattern): (Vec<char>, Vec<char>) = (line.chars().collect(), pattern.chars().collect());
    let fits = |at: usize| {
        pattern.iter().enumerate().all(|(place, wanted)| {
            let is_letter = wanted.is_ascii_alphabetic() && !['T', 'Z'].contains(wanted);
            line.get(at + place)
                .is_some_and(|found| if is_letter { found.is_ascii_hexdigit() } else { found == wanted })
        })
    };
    let mut masked = String::new();
    let mut at = 0;
    while at < line.len() {
        if fits(at) {
            masked.extend(&pattern);
            at += pattern.len();
        } else {
            masked.push(line[at]);
            at += 1;
        }
    }
    masked
}

/// An event's id, an artifact's, a time in milliseconds, a hash, a session's beginning and times.
const FORMS: [&str; 9] = [
    "YYYY-MM-DDThh:mm:ss.xxxZ",
    "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
    "xxxxxxxxxxxxxxxx",
    "xxxxxxxxxxxxx",
    "xxxxxxxxxxxx",
    "xxxxxxxx#",
    "YYYY-MM-DD hh:mm:ss",
    "YYYY-MM-DD hh:mm",
    "YYYY-MM-DD",
];

/// The text without what differs from run to run.
fn plain(stage: &Stage, text: &str) -> String {
    let project = stage.home.project_dir().canonicalize().unwrap();
    let root = project.parent().unwrap().display().to_string();
    let text = text.replace(&root, "/HOME").replace(stage.model.url().trim_end_matches("/v1"), "http://HOST");
    let lines = text.lines().map(|line| {
        let line = FORMS.iter().fold(line.to_owned(), |line, form| masked(&line, form));
        let words: Vec<&str> = line.split(' ').collect();
        let is_duration = |at: usize| words.get(at + 1) == Some(&"ms");
        let words = words.iter().enumerate().map(|(at, word)| if is_duration(at) { "N" } else { word });
        words.collect::<Vec<_>>().join(" ").trim_end().to_owned() + "\n"
    });
    lines.collect()
}

/// Compares with the reviewed file; `ARKI_REVIEW=1` writes it anew.
fn differs(name: &str, found: &str) -> Option<String> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/listings/{name}.txt"));
    if std::env::var_os("ARKI_REVIEW").is_some() {
        std::fs::write(&file, found).unwrap();
    }
    let reviewed = std::fs::read_to_string(&file).unwrap_or_default();
    (reviewed != found).then(|| format!("{name}:\n{reviewed}---- now:\n{found}"))
}

#[test]
fn lists_and_views_are_as_reviewed() {
    let stage = prepared();
    let differing: Vec<String> = LISTINGS
        .iter()
        .filter_map(|(name, command)| {
            let done = stage.arki(command);
            let aside = if done.stderr.is_empty() { String::new() } else { format!("---- stderr\n{}", done.stderr) };
            differs(name, &plain(&stage, &(done.stdout + &aside)))
        })
        .collect();
    assert!(differing.is_empty(), "review with ARKI_REVIEW=1:\n{}", differing.join("\n"));
}

/// In a command, the session that wrote the notes.
const WRITING: &str = "WRITING";

/// Commands in the order in which they are run: what each prints with `--json` is in `json.txt`, keys in their order.
const OBJECTS: [&[&str]; 72] = [
    &["agents", "list"],
    &["approvals", "list"],
    &["approvals", "show"],
    &["artifacts", "list"],
    &["artifacts", "get", "report.md", "-o", "report.md"],
    &["blame", "notes.txt"],
    &["config", "show", "limits"],
    &["config", "show", "--origin", "limits"],
    &["config", "get", "limits.maxTurns"],
    &["config", "set", "limits.maxTurns", "40"],
    &["config", "unset", "limits.maxTurns"],
    &["context", "last"],
    &["events", "last"],
    &["events", "last", "--format", "arkai"],
    &["events", "last", "--observations"],
    &["hooks", "list"],
    &["hooks", "test", "PreToolUse", "true"],
    &["keys", "list"],
    &["mcp", "list"],
    &["mcp", "add", "echo", "--", "echo-server"],
    &["mcp", "rm", "echo"],
    &["models", "mock"],
    &["pipelines", "list"],
    &["pipelines", "show", "note"],
    &["pipelines", "check", "wrong.yaml"],
    &["policy", "check", "git push"],
    &["policy", "check", "--trace", "ls && git push"],
    &["policy", "backtest", "rule.json"],
    &["procedures"],
    &["providers"],
    &["providers", "add", "lab", "--kind", "custom", "--base-url", "http://127.0.0.1:9/v1"],
    &["providers", "test", "lab"],
    &["providers", "rm", "lab"],
    &["queue", "add", "last", "Then this"],
    &["queue", "list", "last"],
    &["runs"],
    &["schedule", "list"],
    &["sessions", "list"],
    &["sessions", "search", "notes"],
    &["sessions", "show", "last"],
    &["sessions", "files", WRITING],
    &["sessions", "files", WRITING, "notes.txt"],
    &["sessions", "state", "last"],
    &["sessions", "rename", "last", "Renamed"],
    &["sessions", "pin", "last"],
    &["sessions", "configure", "last", "--effort", "low", "--off", "tool:fetch_url"],
    &["sessions", "fork", "last", "--at", "3"],
    &["sessions", "compact", "last"],
    &["sessions", "export", "last", "-o", "session.jsonl"],
    &["sessions", "import", "session.jsonl"],
    &["skills"],
    &["tools"],
    &["tools", "--session", "last"],
    &["trust", "--list"],
    &["trust", "--show"],
    &["usage"],
    &["verify"],
    &["verify", "--contents"],
    &["worktrees", "add", "beside"],
    &["worktrees", "list"],
    &["worktrees", "bring", "beside"],
    &["worktrees", "rm", "beside", "--force"],
    &["run", "echo.yaml", "--input", "notes.txt"],
    &["runs"],
    &["status", "last"],
    &["exec", "Change notes"],
    &["stop", "last"],
    &["rewind", WRITING, "--to", "1", "--dry-run"],
    &["rewind", WRITING, "--to", "1"],
    &["undo", WRITING, "10"],
    &["sessions", "show", "nothing"],
    &["schedule", "rm", "mornings"],
];

/// The fields of an object whose figures differ from run to run.
const FIGURES: [&str; 5] = ["\"durationMs\":", "\"ttftMs\":", "\"share\":", "\"freedBytes\":", "{\"bytes\":"];

/// A line without what differs from run to run.
fn plain_object(stage: &Stage, line: &str) -> String {
    let mut plain = plain(stage, line);
    for field in FIGURES {
        let parts: Vec<&str> = plain.split(field).collect();
        let rest = parts[1..].iter().map(|part| part.trim_start_matches(|figure| ![',', '}'].contains(&figure)));
        plain = std::iter::once(parts[0]).chain(rest).collect::<Vec<_>>().join(&format!("{field}N"));
    }
    plain
}

/// The lines that are of interest here: of a log and of tools only the first, as the rest is reviewed elsewhere.
fn objects(stage: &Stage, command: &[&str]) -> String {
    const FIRST: usize = 3;
    let done = stage.arki(&[&["--json"], command].concat());
    let is_long = ["exec", "run", "events", "tools"].contains(&command[0]);
    let lines = done.stdout.lines().filter(|line| command[0] != "exec" || line.contains("output.delta"));
    let lines: String =
        lines.take(if is_long { FIRST } else { usize::MAX }).map(|line| plain_object(stage, line)).collect();
    let command = plain(stage, &format!("$ arki {} [{}]", command.join(" "), done.code.unwrap_or_default()));
    format!("{command}{lines}\n")
}

#[test]
fn what_programs_read_is_as_reviewed() {
    let stage = prepared();
    stage.write("wrong.yaml", "name: wrong\nsteps:\n  - { name: a, adapter: nothing }\n");
    stage.write("rule.json", r#"{"decision": "deny", "tool": "edit_file"}"#);
    stage
        .write("echo.yaml", "name: echo\nsteps:\n  - { name: say, adapter: agent, prompt: Hello, model: demo/echo }\n");
    git(&stage, "commit -q --allow-empty -m first");
    let listed = stage.sessions();
    let writing = text(&listed.iter().find(|session| session["title"] == "Write notes").unwrap()["sessionId"]);
    let run = |command: &&[&str]| {
        let command: Vec<&str> = command.iter().map(|word| if *word == WRITING { &writing } else { *word }).collect();
        objects(&stage, &command)
    };
    let mut found: String = OBJECTS.iter().map(run).collect();
    found += &objects(&Stage::new(vec![Turn::text("Hello.")]), &["exec", "Say hello"]);
    if let Some(differing) = differs("json", &found) {
        panic!("review with ARKI_REVIEW=1:\n{differing}");
    }
}

#[test]
fn an_empty_list_says_that_it_is_empty() {
    let stage = Stage::untrusted(Script::new(vec![]), &Value::Null);
    for command in EMPTY {
        let done = stage.arki(command).exits(0);
        assert!(
            done.stdout.is_empty() && done.stderr.starts_with("No "),
            "{command:?}: {:?} {:?}",
            done.stdout,
            done.stderr
        );
    }
}

#[test]
fn doctor_aligns_its_checks() {
    let stage = Stage::new(vec![]);
    let printed = stage.arki(&["doctor"]).stdout;
    for line in printed.lines() {
        let column: Vec<char> = line.chars().collect();
        assert!(column[17] == ' ' && column[18] != ' ', "{line}");
    }
}
