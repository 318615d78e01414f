//! `arki rewind`: files and conversation go back to how they stood after an event; what the user did since stays theirs.

use crate::harness::{Stage, payload, payloads, text};
use crate::tree::{
    Tree, actions, are, commanding, editing, go, go_on, last_seq, playing, rewind, session_of, tree, writing,
};
use arki_testkit::{Turn, kinds, verify_chain};
use serde_json::{Value, json};

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

/// Every kind of change that the tools make; the tree before it, and the session.
fn changed_by_tools() -> (Stage, Tree, String) {
    let stage = playing(vec![
        Turn::calls()
            .call("write_file", json!({"path": "made/here/a.txt", "content": "made\n"}))
            .call("edit_file", json!({"path": "crlf.txt", "edits": [{"old_text": "two", "new_text": "zwei"}]}))
            .call("write_file", json!({"path": "doomed.txt", "content": ""})),
        Turn::calls().call("write_file", json!({"path": "made/here/a.txt", "content": "made again\n"})),
        Turn::text("Done."),
    ]);
    stage.write("crlf.txt", "one\r\ntwo\r\nthree");
    stage.write("doomed.txt", "\u{feff}doomed\n");
    stage.write("untouched.txt", "u\n");
    let before = tree(&stage);
    let session = go(&stage);
    (stage, before, session)
}

#[test]
fn what_the_tools_changed_goes_back_byte_for_byte() {
    let (stage, before, session) = changed_by_tools();
    let after = tree(&stage);
    assert_ne!(before, after);
    let done = rewind(&stage, &session, 1, &["--files"]).exits(0);
    are(&done, &[("crlf.txt", "restore"), ("doomed.txt", "restore"), ("made/here/a.txt", "delete")]);
    assert_eq!(tree(&stage), before);
    let events = stage.events(&session);
    let rewound = payload(&events, "session.rewound");
    assert_eq!(
        (&rewound["toSeq"], &rewound["files"], &rewound["conversation"]),
        (&json!(1), &json!(true), &json!(false))
    );
    assert_eq!(rewound["changes"].as_array().unwrap().len(), 3);
    let checkpoint = payload(&events, "checkpoint.created");
    assert_eq!(checkpoint["checkpointId"], rewound["checkpointId"]);
    assert_eq!(verify_chain(&events), Ok(()));
    stage.verifies();
}

#[test]
fn a_rewind_can_be_rewound_and_that_too() {
    let (stage, before, session) = changed_by_tools();
    let after = tree(&stage);
    let end = last_seq(&stage, &session);
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    let rewound = last_seq(&stage, &session);
    rewind(&stage, &session, end, &["--files"]).exits(0);
    assert_eq!(tree(&stage), after);
    rewind(&stage, &session, rewound, &["--files"]).exits(0);
    assert_eq!(tree(&stage), before);
    stage.verifies();
}

#[test]
fn going_back_twice_in_a_row_keeps_what_is_there() {
    let (stage, before, session) = changed_by_tools();
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    let again = rewind(&stage, &session, 1, &["--files"]).exits(0);
    assert!(again.lines().iter().all(|line| line["action"] == "keep"), "{}", again.stdout);
    assert_eq!(tree(&stage), before);
    stage.verifies();
}

#[test]
fn to_the_middle_only_what_came_later_goes_back() {
    let stage = playing([writing("a.txt", "first\n"), writing("a.txt", "second\n"), writing("b.txt", "b\n")].concat());
    let session = go(&stage);
    let middle = last_seq(&stage, &session);
    go_on(&stage, &session);
    go_on(&stage, &session);
    are(&rewind(&stage, &session, middle, &["--files"]).exits(0), &[("a.txt", "restore"), ("b.txt", "delete")]);
    assert_eq!(stage.read("a.txt"), "first\n");
    assert!(!stage.path("b.txt").exists());
}

#[test]
fn a_dry_run_names_every_file_and_changes_nothing() {
    let (stage, before, session) = changed_by_tools();
    stage.write("doomed.txt", "back again, by the user\n");
    let (files, events) = (tree(&stage), stage.events(&session));
    let planned = rewind(&stage, &session, 1, &["--files", "--dry-run"]);
    assert_eq!((tree(&stage), stage.events(&session)), (files, events));
    let planned = planned.exits(0);
    std::fs::remove_file(stage.path("doomed.txt")).unwrap();
    stage.write("doomed.txt", "back again, by the user\n");
    let done = rewind(&stage, &session, 1, &["--files"]);
    assert_eq!(actions(&planned), actions(&done), "what is done is what was announced");
    assert_eq!(stage.read("doomed.txt"), "back again, by the user\n");
    assert_eq!(tree(&stage)["crlf.txt"], before["crlf.txt"]);
    let people = stage.arki(&["rewind", &session, "--to", "1", "--dry-run"]).exits(0).stdout;
    assert!(people.contains("crlf.txt") && people.contains("keep"), "{people}");
}

#[test]
fn the_users_later_edits_are_merged_where_they_do_not_overlap() {
    let stage = playing(editing("a.txt", "2\n", "two\n").to_vec());
    stage.write("a.txt", TEN);
    let session = go(&stage);
    let theirs = stage.read("a.txt").replace("9\n", "nine\n");
    stage.write("a.txt", theirs);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("a.txt", "restore")]);
    assert_eq!(stage.read("a.txt"), TEN.replace("9\n", "nine\n"));
    // The merge can be gone back on as well: the user's edit is in neither image of Arki's.
    let rewound = last_seq(&stage, &session);
    rewind(&stage, &session, rewound - 2, &["--files"]).exits(0);
    assert_eq!(stage.read("a.txt"), TEN.replace("9\n", "nine\n").replace("2\n", "two\n"));
}

#[test]
fn what_the_user_edits_between_two_changes_is_kept_too() {
    let again = [editing("a.txt", "2\n", "two\n"), editing("a.txt", "5\n", "five\n")].concat();
    let made = [writing("new.txt", "1\n"), editing("new.txt", "1\n", "one\n")].concat();
    let stage = playing([again, made].concat());
    stage.write("a.txt", TEN);
    let session = go(&stage);
    stage.write("a.txt", stage.read("a.txt").replace("9\n", "nine\n"));
    go_on(&stage, &session);
    go_on(&stage, &session);
    stage.write("new.txt", "1\n2\nmine\n");
    go_on(&stage, &session);
    let planned = rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0);
    are(&planned, &[("a.txt", "restore"), ("new.txt", "conflict")]);
    rewind(&stage, &session, 1, &["--files"]).exits(1);
    assert_eq!(stage.read("a.txt"), TEN.replace("9\n", "nine\n"));
    assert_eq!(stage.read("new.txt"), "one\n2\nmine\n");
}

#[test]
fn the_users_edit_of_the_same_lines_is_left_alone_and_said() {
    let stage = playing([editing("a.txt", "2\n", "two\n"), writing("b.txt", "b\n")].concat());
    stage.write("a.txt", TEN);
    let session = go(&stage);
    go_on(&stage, &session);
    let theirs = stage.read("a.txt").replace("two\n", "TWO!\n");
    stage.write("a.txt", &theirs);
    let planned = rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0);
    are(&planned, &[("a.txt", "conflict"), ("b.txt", "delete")]);
    let done = rewind(&stage, &session, 1, &["--files"]).exits(1);
    are(&done, &[("a.txt", "conflict"), ("b.txt", "delete")]);
    let shown = done.json_error();
    assert_eq!(shown.code, "CHANGE_CONFLICT");
    assert!(shown.message.contains("except for these files: a.txt.") && !shown.hint.is_empty(), "{shown:?}");
    assert_eq!(stage.read("a.txt"), theirs);
    assert!(!stage.path("b.txt").exists(), "the others go back");
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn files_that_the_user_removed_or_put_in_place_are_not_overwritten() {
    let stage = playing(
        [editing("edited.txt", "2\n", "two\n"), writing("made.txt", "made\n"), commanding("rm deleted.txt")].concat(),
    );
    stage.write("edited.txt", TEN);
    stage.write("deleted.txt", "old\n");
    let session = go(&stage);
    go_on(&stage, &session);
    go_on(&stage, &session);
    std::fs::remove_file(stage.path("edited.txt")).unwrap();
    std::fs::remove_file(stage.path("made.txt")).unwrap();
    stage.write("deleted.txt", "the user's own\n");
    let done = rewind(&stage, &session, 1, &["--files"]).exits(1);
    are(&done, &[("deleted.txt", "conflict"), ("edited.txt", "conflict"), ("made.txt", "keep")]);
    assert!(!stage.path("edited.txt").exists() && !stage.path("made.txt").exists());
    assert_eq!(stage.read("deleted.txt"), "the user's own\n");
}

#[test]
fn the_conversation_goes_back_and_the_files_stay() {
    let stage = playing(
        [vec![Turn::text("One.")], writing("a.txt", "a\n").to_vec(), vec![Turn::text("Three."), Turn::text("Four.")]]
            .concat(),
    );
    let session = session_of(&stage.exec(&["first"]).exits(0).lines());
    let first = last_seq(&stage, &session);
    go_on(&stage, &session);
    let done = rewind(&stage, &session, first, &["--conversation"]).exits(0);
    assert_eq!(done.stdout, "");
    assert_eq!(stage.read("a.txt"), "a\n");
    stage.exec(&["--session", &session, "again"]).exits(0);
    assert_eq!(said(&stage), ["first", "One. ", "again"]);
    let shown = stage.arki(&["sessions", "show", &session]).exits(0).stdout;
    assert!(shown.contains(&format!("↶ conversation back to event {first}")), "{shown}");
    assert!(payloads(&stage.log(), "run.started").iter().any(|run| run["prompt"] == "go on"), "the log keeps it");
    stage.verifies();
}

#[test]
fn rewinding_a_rewind_brings_the_conversation_back() {
    let stage = playing(["One.", "Two.", "Three.", "Four."].map(Turn::text).to_vec());
    let session = session_of(&stage.exec(&["first"]).exits(0).lines());
    let first = last_seq(&stage, &session);
    stage.exec(&["--session", &session, "second"]).exits(0);
    let second = last_seq(&stage, &session);
    rewind(&stage, &session, first, &["--conversation"]).exits(0);
    rewind(&stage, &session, second, &["--conversation"]).exits(0);
    stage.exec(&["--session", &session, "third"]).exits(0);
    assert_eq!(said(&stage), ["first", "One. ", "second", "Two. ", "third"]);
    // Between the two rewinds only the first message stood.
    rewind(&stage, &session, second + 1, &["--conversation"]).exits(0);
    stage.exec(&["--session", &session, "fourth"]).exits(0);
    assert_eq!(said(&stage), ["first", "One. ", "fourth"]);
    stage.verifies();
}

#[test]
fn with_neither_files_nor_conversation_named_both_go_back() {
    let stage = playing([writing("a.txt", "a\n").to_vec(), vec![Turn::text("Again.")]].concat());
    let session = go(&stage);
    are(&rewind(&stage, &session, 1, &[]).exits(0), &[("a.txt", "delete")]);
    assert!(!stage.path("a.txt").exists());
    stage.exec(&["--session", &session, "anew"]).exits(0);
    assert_eq!(said(&stage), ["anew"]);
    let rewound = payload(&stage.log(), "session.rewound");
    assert_eq!((&rewound["files"], &rewound["conversation"]), (&json!(true), &json!(true)));
}

/// What the model was last sent, without the system prompt.
fn said(stage: &Stage) -> Vec<String> {
    stage.messages()[1..].iter().map(|message| text(&message["content"])).collect()
}

#[test]
fn a_run_that_waits_for_an_approval_ends_when_it_is_gone_back_on() {
    let stage = playing([writing("a.txt", "a\n"), writing("a.txt", "b\n")].concat());
    let session = session_of(&stage.exec(&["go"]).exits(3).lines());
    let approval = stage.waiting();
    let planned = rewind(&stage, &session, 1, &["--dry-run"]).exits(0);
    assert_eq!((planned.stdout.as_str(), stage.waiting()), ("", approval.clone()), "a dry run ends nothing");
    assert!(planned.stderr.contains("would end the run") && planned.stderr.contains(&approval), "{planned:?}");
    let done = rewind(&stage, &session, 1, &[]).exits(0);
    assert!(done.stderr.contains("Ended the run") && done.stderr.contains(&approval), "{done:?}");
    let again = rewind(&stage, &session, 1, &[]).exits(0);
    assert!(!again.stderr.contains("the run"), "{again:?}");
    assert_eq!(stage.inbox(), Vec::<Value>::new());
    assert_eq!(payloads(&stage.log(), "run.cancelled").len(), 1);
    stage.arki(&["approvals", "approve", &approval]).exits(2);
    assert!(!stage.path("a.txt").exists());
    stage.exec(&["--session", &session, "--approve", "all", "again"]).exits(0);
    stage.verifies();
}

#[test]
fn a_failed_run_that_was_gone_back_on_is_not_gone_on_with() {
    let stage = playing(vec![Turn::json(400, json!({"error": {"message": "no"}})), Turn::text("Done.")]);
    let events = stage.exec(&["go"]).exits(1).lines();
    let session = session_of(&events);
    rewind(&stage, &session, 1, &["--conversation"]).exits(0);
    let shown = stage.arki(&["resume", &text(&events[2]["runId"])]).fails(2, "RUN_NOT_FOUND");
    assert!(!shown.hint.is_empty());
    stage.exec(&["--session", &session, "anew"]).exits(0);
    assert_eq!(said(&stage), ["anew"]);
}

#[test]
fn in_a_folder_that_is_not_trusted_nothing_is_written_and_nothing_ends() {
    let stage = playing([writing("a.txt", "a\n"), writing("b.txt", "b\n")].concat());
    let session = go(&stage);
    stage.exec(&["--session", &session, "more", "--approve", "ask"]).exits(3);
    let waiting = stage.waiting();
    stage.arki(&["untrust"]).exits(0);
    let (files, events) = (tree(&stage), stage.events(&session));
    are(&rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0), &[("a.txt", "delete")]);
    assert_eq!(rewind(&stage, &session, 1, &[]).exits(1).json_error().code, "UNTRUSTED");
    assert_eq!((tree(&stage), stage.events(&session), stage.waiting()), (files, events, waiting));
    rewind(&stage, &session, 1, &["--conversation"]).exits(0);
    stage.trust();
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("a.txt", "delete")]);
}

#[test]
fn a_number_that_is_no_event_and_a_session_that_is_not_there_are_wrong_uses() {
    let stage = playing(writing("a.txt", "a\n").to_vec());
    let session = go(&stage);
    let before = (tree(&stage), stage.events(&session));
    let beyond = last_seq(&stage, &session) + 1;
    for to in [0, beyond, u64::MAX] {
        assert_eq!(rewind(&stage, &session, to, &[]).exits(2).json_error().code, "EVENT_NOT_FOUND");
        assert_eq!(rewind(&stage, &session, to, &["--dry-run"]).exits(2).json_error().code, "EVENT_NOT_FOUND");
    }
    for to in ["x", "-1", "1.5", "", "18446744073709551616"] {
        stage.arki(&["rewind", &session, &format!("--to={to}")]).fails(2, "USAGE");
    }
    let negative = stage.arki(&["rewind", &session, "--to", "-1"]).fails(2, "USAGE");
    assert!(negative.message.contains("-1") && !negative.hint.contains("-- -1"), "{negative:?}");
    stage.arki(&["rewind", &session]).fails(2, "USAGE");
    rewind(&stage, "none", 1, &[]).fails(2, "SESSION_NOT_FOUND");
    assert_eq!((tree(&stage), stage.events(&session)), before);
    // After the last event nothing has changed.
    assert_eq!(rewind(&stage, &session, beyond - 1, &[]).exits(0).stdout, "");
    stage.verifies();
}

#[cfg(unix)]
#[test]
fn while_another_process_runs_the_session_nothing_goes_back() {
    use rustix::process::Signal;
    let stage = playing(
        [
            writing("a.txt", "a\n").to_vec(),
            vec![Turn::text("These words have come and the rest has not").hang_after(700)],
        ]
        .concat(),
    );
    let session = go(&stage);
    let mut run = stage.start(&["exec", "--session", &session, "more"]);
    run.until_kind("output.delta");
    let before = (tree(&stage), stage.events(&session));
    assert_eq!(rewind(&stage, &session, 1, &[]).exits(1).json_error().code, "SESSION_BUSY");
    let change = crate::tree::change_seq(&stage, &session, 0).to_string();
    stage.arki(&["undo", &session, &change]).fails(1, "SESSION_BUSY");
    assert_eq!((tree(&stage), stage.events(&session)), before);
    run.signal(Signal::INT);
    run.end().exits(130);
    are(&rewind(&stage, &session, 1, &[]).exits(0), &[("a.txt", "delete")]);
    assert!(kinds(&stage.log()).contains(&"session.rewound"));
}

/// With git and without, commands' changes go back: made, changed, removed, ignored, in folders, with CRLF.
#[cfg(unix)]
#[test]
fn what_a_command_changed_goes_back_byte_for_byte() {
    for with_git in [false, true] {
        let stage = playing(
            commanding(
                "printf 'made\\n' > made.txt && mkdir -p new/er && printf x > new/er/x.txt \
                 && printf '1\\r\\n2\\r\\nmore' > crlf.txt && rm gone.txt nested/gone.txt && rmdir nested \
                 && printf 'ignored now\\n' > debug.log && printf 'changed\\n' > run.sh",
            )
            .to_vec(),
        );
        stage.write("crlf.txt", "1\r\n2\r\n");
        stage.write("gone.txt", "\u{feff}gone");
        stage.write("nested/gone.txt", "gone\n");
        stage.write(".gitignore", "*.log\n");
        stage.write("debug.log", "ignored\n");
        executable(&stage, "run.sh", "#!/bin/sh\n");
        if with_git {
            stage.write(".git/HEAD", "ref: refs/heads/main\n");
        }
        stage.trust();
        let before = tree(&stage);
        let session = go(&stage);
        let done = rewind(&stage, &session, 1, &["--files"]).exits(0);
        are(
            &done,
            &[
                ("crlf.txt", "restore"),
                ("debug.log", "restore"),
                ("gone.txt", "restore"),
                ("made.txt", "delete"),
                ("nested/gone.txt", "restore"),
                ("new/er/x.txt", "delete"),
                ("run.sh", "restore"),
            ],
        );
        assert_eq!(tree(&stage), before, "with git: {with_git}");
        stage.verifies();
    }
}

#[cfg(unix)]
fn executable(stage: &Stage, name: &str, content: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = stage.write(name, content);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(unix)]
#[test]
fn a_program_that_was_removed_can_be_executed_again() {
    let stage = playing(commanding("rm run.sh && printf '#!/bin/sh\\n' > made.sh && chmod +x made.sh").to_vec());
    executable(&stage, "run.sh", "#!/bin/sh\n");
    let before = tree(&stage);
    let session = go(&stage);
    let (after, end) = (tree(&stage), last_seq(&stage, &session));
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("made.sh", "delete"), ("run.sh", "restore")]);
    assert_eq!(tree(&stage), before);
    // Removed by going back, and back by going back on that.
    rewind(&stage, &session, end, &["--files"]).exits(0);
    assert_eq!(tree(&stage), after);
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    assert_eq!(tree(&stage), before);
}

/// Only text is imaged: what else a command changed is named and left alone, what it made is removed by nobody.
#[cfg(unix)]
#[test]
fn what_is_not_text_is_named_and_left_alone_where_there_is_no_view() {
    let stage = Stage::asking(commanding("printf '\\0changed' > a.bin && printf a > a.txt").to_vec());
    stage.write("a.bin", b"\0before");
    let session = go(&stage);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(1), &[("a.bin", "conflict"), ("a.txt", "delete")]);
    assert_eq!(stage.read("a.bin"), "\0changed");
}

/// Each is one rewind; the way back is another.
#[cfg(unix)]
#[test]
fn a_file_in_a_folders_place_goes_back_at_once_and_so_does_a_folder_in_a_files_place() {
    let stage = playing(
        commanding(
            "rm -r folder && printf 'a file\\n' > folder && rm file && mkdir -p file/deep && printf x > file/deep/x",
        )
        .to_vec(),
    );
    stage.write("folder/deep/a.txt", "a\n");
    stage.write("folder/b.txt", "b\n");
    stage.write("file", "f\n");
    let before = tree(&stage);
    let session = go(&stage);
    let (after, end) = (tree(&stage), last_seq(&stage, &session));
    let expected = [
        ("file", "restore"),
        ("file/deep/x", "delete"),
        ("folder", "delete"),
        ("folder/b.txt", "restore"),
        ("folder/deep/a.txt", "restore"),
    ];
    are(&rewind(&stage, &session, 1, &["--files", "--dry-run"]).exits(0), &expected);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &expected);
    assert_eq!(tree(&stage), before);
    rewind(&stage, &session, end, &["--files"]).exits(0);
    assert_eq!(tree(&stage), after);
    // What the user put there keeps its place, and so does the folder.
    stage.write("file/mine.txt", "mine\n");
    let done = rewind(&stage, &session, 1, &["--files"]).exits(1);
    assert!(crate::tree::actions(&done).contains(&("file".to_owned(), "conflict".to_owned())), "{}", done.stdout);
    assert_eq!(stage.read("file/mine.txt"), "mine\n");
    stage.verifies();
}

/// Each of them has the place of the other, as the session left them: there is nothing to do, and nothing in the way.
#[test]
fn going_back_again_where_a_file_and_a_folder_had_one_place_finds_all_as_it_is() {
    let stage = playing(commanding("rm -r x; echo file > x").to_vec());
    stage.write("x/deep/kept.txt", "kept\n");
    let before = tree(&stage);
    let session = go(&stage);
    let after = tree(&stage);
    let end = last_seq(&stage, &session);
    rewind(&stage, &session, 1, &["--files"]).exits(0);
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("x", "keep"), ("x/deep/kept.txt", "keep")]);
    assert_eq!(tree(&stage), before);
    rewind(&stage, &session, end, &["--files"]).exits(0);
    are(&rewind(&stage, &session, end, &["--files"]).exits(0), &[("x", "keep"), ("x/deep/kept.txt", "keep")]);
    assert_eq!(tree(&stage), after);
}

#[cfg(unix)]
#[test]
fn a_write_protected_file_goes_back_and_stays_so() {
    use std::os::unix::fs::PermissionsExt;
    let stage = playing([editing("a.txt", "2\n", "two\n"), writing("b.txt", "b\n")].concat());
    stage.write("a.txt", TEN);
    let session = go(&stage);
    go_on(&stage, &session);
    std::fs::set_permissions(stage.path("a.txt"), PermissionsExt::from_mode(0o444)).unwrap();
    are(&rewind(&stage, &session, 1, &["--files"]).exits(0), &[("a.txt", "restore"), ("b.txt", "delete")]);
    assert_eq!(stage.read("a.txt"), TEN);
    assert_eq!(std::fs::metadata(stage.path("a.txt")).unwrap().permissions().mode() & 0o777, 0o444);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_keeps_its_files_and_the_others_go_back() {
    use std::os::unix::fs::PermissionsExt;
    let stage = playing([editing("closed/a.txt", "2\n", "two\n"), writing("b.txt", "b\n")].concat());
    stage.write("closed/a.txt", TEN);
    let session = go(&stage);
    go_on(&stage, &session);
    std::fs::set_permissions(stage.path("closed"), PermissionsExt::from_mode(0o555)).unwrap();
    let expected = [("b.txt", "delete"), ("closed/a.txt", "conflict")];
    let user = stage.unprivileged();
    let rewind = ["rewind", &session, "--to", "1", "--files", "--json"];
    are(&user.arki(&[&rewind[..], &["--dry-run"]].concat()).exits(0), &expected);
    let done = user.arki(&rewind).exits(1);
    are(&done, &expected);
    assert!(done.stderr.contains("can't be written"), "{}", done.stderr);
    assert_eq!(stage.read("closed/a.txt"), TEN.replace("2\n", "two\n"));
    assert!(!stage.path("b.txt").exists());
    std::fs::set_permissions(stage.path("closed"), PermissionsExt::from_mode(0o755)).unwrap();
}
