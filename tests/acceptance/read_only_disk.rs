//! Data that can't be written, or that can't be begun: what only reads works, and what writes says why it doesn't.
#![cfg(unix)]

use crate::harness::{Stage, Unprivileged};
use crate::tree::{change_seq, go, playing, writing};
use serde_json::json;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const READING: &[&[&str]] = &[
    &["policy", "check", "ls"],
    &["policy", "backtest", "rule.json"],
    &["tools"],
    &["keys", "list"],
    &["providers"],
    &["providers", "test", "demo"],
    &["mcp", "list"],
    &["hooks", "list"],
    &["hooks", "test", "PreToolUse", "ls"],
    &["schedule", "list"],
    &["sessions", "list"],
    &["sessions", "search", "go"],
    &["approvals", "list"],
    &["worktrees", "list"],
    &["memory", "list"],
    &["usage"],
    &["runs"],
    &["context"],
    &["config", "show"],
    &["trust", "--show"],
    &["trust", "--list"],
];

const WRITING: &[&[&str]] = &[
    &["trust"],
    &["untrust"],
    &["exec", "go"],
    &["sessions", "rename", "last", "x"],
    &["tools", "--session", "last", "--off", "calculate"],
];

fn close(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[track_caller]
fn only_reading_works(user: &Unprivileged<'_>, of_a_session: &[&[&str]]) {
    for args in READING.iter().chain(of_a_session) {
        let done = user.arki(args).exits(0);
        assert!(done.stderr.contains("Read-only: "), "{args:?}: {done:?}");
    }
    for args in WRITING {
        let shown = user.arki(args).fails(1, "PERMISSION_DENIED");
        assert!(shown.message.contains("arki.db") && shown.hint.contains("ARKI_DATA_DIR"), "{args:?}: {shown:?}");
    }
}

fn stage() -> Stage {
    let stage = playing(writing("a.txt", "a\n").to_vec());
    stage.write("rule.json", json!({"decision": "allow", "tool": "run_command", "command": ["ls"]}).to_string());
    stage
}

#[test]
fn where_the_data_cannot_be_written_it_can_be_read() {
    let stage = stage();
    let session = go(&stage);
    let change = change_seq(&stage, &session, 0).to_string();
    let (user, data) = (stage.unprivileged(), stage.home.data_dir());
    close(&stage.database(), 0o400);
    close(&data, 0o500);
    only_reading_works(
        &user,
        &[
            &["tools", "--session", &session],
            &["approvals", "granted", &session],
            &["rewind", &session, "--to", "1", "--dry-run"],
            &["undo", &session, &change, "--dry-run"],
        ],
    );
    let listed = user.arki(&["sessions", "list"]).exits(0).stdout;
    assert!(listed.contains(&session), "{listed}");
    close(&data, 0o700);
    close(&stage.database(), 0o600);
    stage.verifies();
}

#[test]
fn where_the_data_cannot_be_begun_there_is_nothing_to_read() {
    let stage = stage();
    let (user, data) = (stage.unprivileged(), stage.home.data_dir());
    std::fs::remove_dir_all(&data).unwrap();
    let home = data.parent().unwrap();
    close(home, 0o500);
    only_reading_works(&user, &[]);
    assert_eq!(user.arki(&["sessions", "list"]).exits(0).stdout, "");
    assert!(!data.exists());
    close(home, 0o700);
}
