//! What was closed to others stays so: whoever writes a file keeps its permissions, and a file that is gone comes back with
//! those that it had.
#![cfg(unix)]

use crate::harness::{Stage, payloads};
use crate::tree::{are, change_seq, commanding, editing, go, go_on, last_seq, one_call, playing, rewind, writing};
use arki_testkit::Turn;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

fn closed(stage: &Stage, name: &str, mode: u32) {
    let path = stage.write(name, format!("{name}\n"));
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

#[track_caller]
fn has_mode(stage: &Stage, name: &str, mode: u32) {
    let found = std::fs::metadata(stage.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(format!("{found:o}"), format!("{mode:o}"), "{name}");
}

fn deleting(path: &str) -> [Turn; 2] {
    one_call("delete_file", json!({"path": path}))
}

fn patching(lines: &str) -> [Turn; 2] {
    one_call("apply_patch", json!({"patch": format!("*** Begin Patch\n{lines}\n*** End Patch\n")}))
}

#[test]
fn a_file_that_is_gone_comes_back_with_the_permissions_that_it_had() {
    let turns = [commanding("rm a.txt b.sh"), deleting("c.txt"), patching("*** Delete File: d.txt")];
    let stage = playing(turns.concat());
    let files = [("a.txt", 0o600), ("b.sh", 0o700), ("c.txt", 0o600), ("d.txt", 0o640)];
    files.iter().for_each(|(name, mode)| closed(&stage, name, *mode));
    let session = go(&stage);
    go_on(&stage, &session);
    go_on(&stage, &session);
    let end = last_seq(&stage, &session);
    // The second time it is a rewind that removed them.
    for _ in 0..2 {
        let restored = files.map(|(name, _)| (name, "restore"));
        are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &restored);
        files.iter().for_each(|(name, mode)| has_mode(&stage, name, *mode));
        are(&rewind(&stage, &session, end, &["--files"]).exits(0), &files.map(|(name, _)| (name, "delete")));
    }
    stage.verifies();
}

#[test]
fn a_change_that_is_undone_brings_the_permissions_back() {
    let stage = playing([deleting("c.txt"), commanding("rm d.txt")].concat());
    closed(&stage, "c.txt", 0o600);
    closed(&stage, "d.txt", 0o600);
    let session = go(&stage);
    go_on(&stage, &session);
    for (place, name) in ["c.txt", "d.txt"].into_iter().enumerate() {
        stage.arki(&["undo", &session, &change_seq(&stage, &session, place).to_string()]).exits(0);
        has_mode(&stage, name, 0o600);
    }
}

/// An edit says nothing of permissions, which it keeps; the event of the command does.
#[test]
fn a_file_that_was_edited_before_it_was_removed_comes_back_as_closed_as_it_was() {
    let stage = playing([editing("a.txt", "a.txt", "edited"), commanding("rm a.txt")].concat());
    closed(&stage, "a.txt", 0o600);
    let session = go(&stage);
    has_mode(&stage, "a.txt", 0o600);
    go_on(&stage, &session);
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    assert_eq!(stage.read("a.txt"), "a.txt\n");
    has_mode(&stage, "a.txt", 0o600);
}

#[test]
fn a_content_that_was_closed_is_not_put_into_a_file_that_is_open_to_all() {
    let stage = playing(commanding("rm a.txt && printf 'new\\n' > a.txt && chmod 644 a.txt").to_vec());
    closed(&stage, "a.txt", 0o600);
    let session = go(&stage);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("a.txt", "restore")]);
    assert_eq!(stage.read("a.txt"), "a.txt\n");
    has_mode(&stage, "a.txt", 0o600);
}

#[test]
fn tools_keep_the_permissions_of_what_they_write_and_move() {
    let update = "*** Update File: c.txt\n@@\n-c.txt\n+patched";
    let moved = "*** Update File: d.txt\n*** Move to: moved.txt\n@@\n-d.txt\n+moved";
    let turns = [editing("a.txt", "a.txt", "edited"), writing("b.txt", "written\n"), patching(update), patching(moved)];
    let stage = playing(turns.concat());
    ["a.txt", "b.txt", "c.txt", "d.txt"].iter().for_each(|name| closed(&stage, name, 0o600));
    let session = go(&stage);
    (0..3).for_each(|_| go_on(&stage, &session));
    for (name, content) in [("a.txt", "edited"), ("b.txt", "written"), ("c.txt", "patched"), ("moved.txt", "moved")] {
        assert_eq!(stage.read(name).trim_end(), content);
        has_mode(&stage, name, 0o600);
    }
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    ["a.txt", "b.txt", "c.txt", "d.txt"].iter().for_each(|name| has_mode(&stage, name, 0o600));
    assert!(!stage.path("moved.txt").exists());
}

#[test]
fn an_event_tells_permissions_only_where_they_are_not_the_ordinary_ones() {
    let stage = playing(commanding("rm a.txt b.sh c.txt").to_vec());
    for (name, mode) in [("a.txt", 0o644), ("b.sh", 0o755), ("c.txt", 0o600)] {
        closed(&stage, name, mode);
    }
    go(&stage);
    let told: Vec<_> = payloads(&stage.log(), "file.changed")
        .iter()
        .map(|change| (change.get("beforeExecutable").cloned(), change.get("beforeMode").cloned()))
        .collect();
    assert_eq!(told, [(None, None), (Some(json!(true)), None), (None, Some(json!("600")))]);
}
