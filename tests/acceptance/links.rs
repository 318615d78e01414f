//! Symbolic links are files of their own: one that is gone comes back as a link, and going back never reads or writes
//! through one.
#![cfg(unix)]

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{
    are, change_seq, commanding, editing, go, go_on, last_seq, one_call, playing, rewind, session_of, writing,
};
use serde_json::json;
use std::os::unix::fs::symlink;

fn link(stage: &Stage, name: &str, target: &str) {
    symlink(target, stage.path(name)).unwrap();
}

#[track_caller]
fn leads(stage: &Stage, name: &str, target: &str) {
    let found = std::fs::read_link(stage.path(name)).unwrap_or_else(|error| panic!("{name} is no link: {error}"));
    assert_eq!(found.to_str(), Some(target), "{name}");
}

#[track_caller]
fn is_file(stage: &Stage, name: &str, content: &str) {
    assert!(stage.path(name).symlink_metadata().unwrap().is_file(), "{name} is no file");
    assert_eq!(stage.read(name), content);
}

fn is_gone(stage: &Stage, name: &str) -> bool {
    stage.path(name).symlink_metadata().is_err()
}

#[test]
fn links_that_a_command_removed_replaced_and_made_go_back() {
    let stage = playing(
        commanding(
            "rm gone && rm file && printf 'a file\\n' > file && ln -sfn b.txt moved && ln -s a.txt made \
             && rm a-file && ln -s b.txt a-file && rm out broken && ln -sfn b.txt folder",
        )
        .to_vec(),
    );
    stage.write("a.txt", "a\n");
    stage.write("b.txt", "b\n");
    stage.write("a-file", "mine\n");
    stage.write("real/x.txt", "x\n");
    let links = [
        ("broken", "nowhere"),
        ("file", "a.txt"),
        ("folder", "real"),
        ("gone", "a.txt"),
        ("moved", "a.txt"),
        ("out", "/etc/hostname"),
    ];
    links.iter().for_each(|(name, target)| link(&stage, name, target));
    let session = go(&stage);
    let end = last_seq(&stage, &session);
    let expected = [
        ("a-file", "restore"),
        ("broken", "restore"),
        ("file", "restore"),
        ("folder", "restore"),
        ("gone", "restore"),
        ("made", "delete"),
        ("moved", "restore"),
        ("out", "restore"),
    ];
    for _ in 0..2 {
        are(&rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0), &expected);
        are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &expected);
        links.iter().for_each(|(name, target)| leads(&stage, name, target));
        is_file(&stage, "a-file", "mine\n");
        assert!(is_gone(&stage, "made"));
        rewind(&stage, &session, end, &["--files"]).exits(0);
        is_file(&stage, "file", "a file\n");
        [("a-file", "b.txt"), ("folder", "b.txt"), ("made", "a.txt"), ("moved", "b.txt")]
            .iter()
            .for_each(|(name, target)| leads(&stage, name, target));
        assert!(is_gone(&stage, "gone") && is_gone(&stage, "out") && is_gone(&stage, "broken"));
    }
    assert_eq!((stage.read("a.txt").as_str(), stage.read("b.txt").as_str()), ("a\n", "b\n"));
    assert_eq!(stage.read("real/x.txt"), "x\n");
    stage.verifies();
}

#[test]
fn a_link_that_a_tool_deleted_comes_back_as_a_link() {
    let patch =
        |lines: &str| one_call("apply_patch", json!({"patch": format!("*** Begin Patch\n{lines}\n*** End Patch\n")}));
    let deleting = |path: &str| one_call("delete_file", json!({"path": path}));
    let moved = "*** Update File: moved\n*** Move to: new.txt\n@@\n-a\n+A";
    let turns = [deleting("a-link"), patch("*** Delete File: b-link"), deleting("broken"), patch(moved)];
    let stage = playing(turns.concat());
    stage.write("a.txt", "a\n");
    let links = [("a-link", "a.txt"), ("b-link", "a.txt"), ("broken", "nowhere"), ("moved", "a.txt")];
    links.iter().for_each(|(name, target)| link(&stage, name, target));
    let session = go(&stage);
    (0..3).for_each(|_| go_on(&stage, &session));
    assert!(links.iter().all(|(name, _)| is_gone(&stage, name)));
    is_file(&stage, "new.txt", "A\n");
    let undone = change_seq(&stage, &session, 0).to_string();
    stage.arki(&["undo", &session, &undone]).exits(0);
    leads(&stage, "a-link", "a.txt");
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    links.iter().for_each(|(name, target)| leads(&stage, name, target));
    assert!(is_gone(&stage, "new.txt"));
    is_file(&stage, "a.txt", "a\n");
    stage.verifies();
}

#[test]
fn what_is_shown_of_a_link_that_is_to_go_is_where_it_leads() {
    let stage = playing(one_call("delete_file", json!({"path": "link"})).to_vec());
    stage.write("a.txt", "what it leads to\n");
    link(&stage, "link", "a.txt");
    stage.exec(&["go"]).exits(3);
    let preview = &payload(&stage.log(), "approval.requested")["preview"];
    let diff = text(&preview["diff"]);
    assert!(diff.contains("deleted file mode 120000") && diff.contains("-a.txt\n"), "{diff}");
    assert!(!diff.contains("what it leads to"), "{diff}");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(is_gone(&stage, "link"));
    is_file(&stage, "a.txt", "what it leads to\n");
}

/// The log tells of the file that was changed, and of no link.
#[test]
fn a_change_through_a_link_goes_back_where_it_was_made() {
    let stage = playing([editing("link", "old", "new"), writing("folder/made.txt", "made\n")].concat());
    stage.write("a.txt", "old\n");
    stage.write("b.txt", "new\n");
    stage.write("real/x.txt", "x\n");
    link(&stage, "link", "a.txt");
    link(&stage, "folder", "real");
    let session = go(&stage);
    go_on(&stage, &session);
    let told: Vec<String> = payloads(&stage.log(), "file.changed").iter().map(|change| text(&change["path"])).collect();
    assert_eq!(told, ["a.txt", "real/made.txt"]);
    for path in ["a.txt", "link"] {
        let blamed = stage.arki(&["blame", path]).exits(0).stdout;
        assert!(blamed.contains("new"), "{blamed}");
    }
    // Meanwhile the link leads to a file with just the content that the change left.
    std::fs::remove_file(stage.path("link")).unwrap();
    link(&stage, "link", "b.txt");
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("a.txt", "restore"), ("real/made.txt", "delete")]);
    is_file(&stage, "a.txt", "old\n");
    is_file(&stage, "b.txt", "new\n");
    stage.verifies();
}

#[test]
fn nothing_goes_back_through_a_link_that_the_user_put_in_the_way() {
    let turns = [writing("a.txt", "new\n"), writing("folder/b.txt", "new\n"), commanding("rm c.txt folder/d.txt")];
    let stage = playing(turns.concat());
    for name in ["a.txt", "folder/b.txt", "c.txt", "folder/d.txt"] {
        stage.write(name, "old\n");
    }
    let session = go(&stage);
    (0..2).for_each(|_| go_on(&stage, &session));
    stage.write("elsewhere/b.txt", "new\n");
    stage.write("mine.txt", "new\n");
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    std::fs::remove_dir_all(stage.path("folder")).unwrap();
    link(&stage, "a.txt", "mine.txt");
    link(&stage, "folder", "elsewhere");
    link(&stage, "c.txt", "nowhere");
    let expected =
        [("a.txt", "conflict"), ("c.txt", "conflict"), ("folder/b.txt", "conflict"), ("folder/d.txt", "conflict")];
    are(&rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0), &expected);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(1), &expected);
    is_file(&stage, "mine.txt", "new\n");
    is_file(&stage, "elsewhere/b.txt", "new\n");
    assert!(is_gone(&stage, "elsewhere/d.txt") && is_gone(&stage, "nowhere"));
    leads(&stage, "a.txt", "mine.txt");
}

#[test]
fn a_link_in_a_folders_place_goes_back_and_so_does_a_folder_in_a_links_place() {
    let stage = playing(
        commanding("rm -r folder && ln -s real folder && rm link && mkdir link && printf x > link/x.txt").to_vec(),
    );
    stage.write("folder/a.txt", "a\n");
    stage.write("real/a.txt", "real\n");
    link(&stage, "link", "real");
    let session = session_of(&stage.exec(&["--approve", "all", "go"]).exits(0).lines());
    let expected = [("folder", "delete"), ("folder/a.txt", "restore"), ("link", "restore"), ("link/x.txt", "delete")];
    are(&rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0), &expected);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &expected);
    is_file(&stage, "folder/a.txt", "a\n");
    leads(&stage, "link", "real");
    is_file(&stage, "real/a.txt", "real\n");
    assert!(is_gone(&stage, "real/x.txt"));
}
