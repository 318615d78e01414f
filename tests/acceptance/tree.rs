//! A whole project's files, to be compared; and what going back is asked for.

use crate::harness::{Done, Stage, files_below, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// By path: the content, and whether it may be executed.
pub(crate) type Tree = BTreeMap<String, (Vec<u8>, bool)>;

pub(crate) fn tree(stage: &Stage) -> Tree {
    let root = stage.home.project_dir();
    let file = |path: std::path::PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        (name, (std::fs::read(&path).unwrap(), is_executable(&path)))
    };
    files_below(&root).into_iter().map(file).collect()
}

#[cfg(unix)]
pub(crate) fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &std::path::Path) -> bool {
    false
}

/// The model plays one turn a request, whatever was said before.
pub(crate) fn playing(turns: Vec<Turn>) -> Stage {
    Stage::of(Script::new(turns).sequential())
}

/// A call and then an answer: one whole run.
pub(crate) fn one_call(tool: &str, args: Value) -> [Turn; 2] {
    [Turn::calls().call(tool, args), Turn::text("Done.")]
}

pub(crate) fn writing(path: &str, content: &str) -> [Turn; 2] {
    one_call("write_file", json!({"path": path, "content": content}))
}

pub(crate) fn editing(path: &str, old: &str, new: &str) -> [Turn; 2] {
    one_call("edit_file", json!({"path": path, "edits": [{"old_text": old, "new_text": new}]}))
}

pub(crate) fn commanding(command: &str) -> [Turn; 2] {
    one_call("run_command", json!({"command": command}))
}

/// With everything granted; the session's id.
pub(crate) fn go(stage: &Stage) -> String {
    session_of(&stage.exec(&["--approve", "all", "go"]).exits(0).lines())
}

/// As [`go`], in the session that is there.
pub(crate) fn go_on(stage: &Stage, session: &str) {
    stage.exec(&["--approve", "all", "--session", session, "go on"]).exits(0);
}

pub(crate) fn session_of(events: &[Value]) -> String {
    text(&events[0]["sessionId"])
}

/// The number of the session's last event.
pub(crate) fn last_seq(stage: &Stage, session: &str) -> u64 {
    stage.events(session).last().unwrap()["seq"].as_u64().unwrap()
}

/// `arki rewind SESSION --to SEQ --json more...`
pub(crate) fn rewind(stage: &Stage, session: &str, to: u64, more: &[&str]) -> Done {
    stage.arki(&[&["rewind", session, "--to", &to.to_string(), "--json"], more].concat())
}

/// Pairs of path and action, as `rewind` and `undo` print them; an error may follow.
#[track_caller]
pub(crate) fn actions(done: &Done) -> Vec<(String, String)> {
    let pair = |line: &Value| {
        assert_eq!(line.as_object().unwrap().len(), 2, "{line}");
        (text(&line["path"]), text(&line["action"]))
    };
    done.lines().iter().filter(|line| line["type"] != "error").map(pair).collect()
}

#[track_caller]
pub(crate) fn are(done: &Done, expected: &[(&str, &str)]) {
    let expected: Vec<(String, String)> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    assert_eq!(actions(done), expected);
}

/// The number of the `file.changed` event, counted from the first.
#[track_caller]
pub(crate) fn change_seq(stage: &Stage, session: &str, place: usize) -> u64 {
    let events = stage.events(session);
    let changes: Vec<&Value> = events.iter().filter(|event| event["type"] == "file.changed").collect();
    changes[place]["seq"].as_u64().unwrap()
}
