//! Nothing is written before the decision, and then exactly what was accepted.

use crate::harness::{Done, Stage, payload, payloads, text};
use crate::main_job::{look_edit_and_say, sixty_lines, two_edits};
use arki_testkit::{Turn, kinds};
use serde_json::{Value, json};

/// Stopped at the approval of an edit with two hunks.
fn waiting() -> (Stage, String) {
    let stage = Stage::new(look_edit_and_say());
    stage.write("src/app.txt", sixty_lines());
    stage.exec(&["change it"]).exits(3);
    assert_eq!(stage.read("src/app.txt"), sixty_lines(), "written before the decision");
    let id = stage.waiting();
    (stage, id)
}

fn approve(stage: &Stage, id: &str, more: &[&str]) -> Done {
    stage.arki(&[&["approvals", "approve", id, "--json"], more].concat())
}

#[test]
fn a_run_stops_at_its_first_approval_and_says_how_to_go_on() {
    let stage = Stage::new(look_edit_and_say());
    stage.write("src/app.txt", sixty_lines());
    let done = stage.arki(&["exec", "change it"]).exits(3);
    let id = stage.waiting();
    assert!(done.stderr.contains(&id) && done.stderr.contains("arki approvals approve"), "{}", done.stderr);
    assert_eq!(stage.model.requests().len(), 2, "the model was asked again before the decision");
    let log = stage.log();
    assert_eq!(kinds(&log)[log.len() - 3..], ["policy.decided", "approval.requested", "run.paused"]);
    assert_eq!(payload(&log, "run.paused"), json!({"reason": "approval", "approvalId": id}));
}

#[test]
fn the_inbox_has_everything_that_the_decision_needs() {
    let (stage, id) = waiting();
    let listed = &stage.inbox()[0];
    let requested = payload(&stage.log(), "approval.requested");
    for field in ["approvalId", "toolId", "args", "preview"] {
        assert_eq!(listed[field], requested[field], "{field}");
    }
    assert!(listed["requestedAt"].is_i64() && listed["sessionId"].is_string() && listed["runId"].is_string());
    assert_eq!(requested["toolId"], "edit_file");
    assert_eq!(requested["args"], two_edits());
    let preview = &requested["preview"];
    assert_eq!((&preview["filesAffected"], &preview["linesChanged"]), (&json!(["src/app.txt"]), &json!(4)));
    let hunk = |index: usize, start: usize| json!({"index": index, "path": "src/app.txt", "oldStart": start, "oldLines": 7, "newStart": start, "newLines": 7});
    assert_eq!(preview["hunks"], json!([hunk(1, 2), hunk(2, 47)]));
    assert_eq!(text(&preview["previewHash"]).len(), 64);
    assert!(text(&preview["diff"]).contains("-line 5\n+LINE FIVE\n"), "{preview}");
    let shown = stage.arki(&["approvals", "show", &id]).exits(0).stdout;
    for line in ["[hunk 1] @@ -2,7 +2,7 @@", "[hunk 2] @@ -47,7 +47,7 @@", "+LINE FIFTY ü"] {
        assert!(shown.contains(line), "{line} is missing in {shown}");
    }
}

#[test]
fn accepting_one_hunk_writes_exactly_that_one_and_the_model_is_told() {
    for (chosen, rejected, expected) in [
        ("2", "hunk 1", sixty_lines().replace("line 50\n", "LINE FIFTY ü\n")),
        ("1", "hunk 2", sixty_lines().replace("line 5\n", "LINE FIVE\n")),
    ] {
        let (stage, id) = waiting();
        let events = approve(&stage, &id, &["--hunks", chosen]).exits(0).lines();
        assert_eq!(stage.read("src/app.txt"), expected);
        assert_eq!(payload(&events, "file.changed")["hunks"], json!([chosen.parse::<usize>().unwrap()]));
        let told = stage.told();
        let fate = told.lines().find(|line| line.contains(rejected)).unwrap();
        assert!(fate.ends_with("rejected"), "{told}");
        assert!(told.contains(&format!("hunk {chosen} ")) && told.contains("applied"), "{told}");
        let log = stage.log();
        let resolved = payload(&log, "approval.resolved");
        assert_eq!((&resolved["decision"], &resolved["approvalId"]), (&json!("approve"), &json!(id)));
        let shown = &payload(&log, "approval.requested")["preview"]["previewHash"];
        assert_eq!(&resolved["previewHash"], shown);
        assert!(stage.inbox().is_empty());
        stage.verifies();
    }
}

#[test]
fn accepting_all_writes_all_and_the_run_goes_on_to_its_end() {
    let (stage, id) = waiting();
    let events = approve(&stage, &id, &["--note", "well done"]).exits(0).lines();
    assert!(stage.read("src/app.txt").contains("LINE FIVE") && stage.read("src/app.txt").contains("LINE FIFTY ü"));
    assert!(text(&payload(&events, "run.completed")["response"]).contains("日本"));
    assert_eq!(payload(&stage.log(), "run.resumed")["reason"], "approval");
    assert!(stage.told().contains("well done"), "{}", stage.told());
    assert_eq!(stage.model.requests().len(), 3);
}

#[test]
fn rejecting_writes_nothing_and_the_note_reaches_the_model() {
    let (stage, id) = waiting();
    let done = stage.arki(&["approvals", "reject", &id, "--note", "keep line 5 as it is", "--json"]).exits(0);
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    assert!(stage.told().contains("rejected") && stage.told().contains("keep line 5 as it is"), "{}", stage.told());
    assert_eq!(payloads(&done.lines(), "file.changed"), Vec::<Value>::new());
    assert_eq!(payload(&stage.log(), "approval.resolved")["decision"], "reject");
    assert!(stage.inbox().is_empty());
}

#[test]
fn a_decision_can_be_made_from_any_folder() {
    let (stage, id) = waiting();
    let elsewhere = tempfile::tempdir().unwrap();
    let child = stage.command(&["approvals", "approve", &id]).current_dir(elsewhere.path()).spawn().unwrap();
    Done::of_child(child).exits(0);
    assert!(stage.read("src/app.txt").contains("LINE FIVE"));
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written_and_a_fresh_preview_waits() {
    let (stage, id) = waiting();
    let theirs = sixty_lines().replace("line 30\n", "somebody else's line\n");
    stage.write("src/app.txt", &theirs);
    let done = approve(&stage, &id, &[]).exits(3);
    assert_eq!(stage.read("src/app.txt"), theirs);
    assert_eq!(payloads(&done.lines(), "file.changed"), Vec::<Value>::new());
    let fresh = &stage.inbox()[0];
    assert_ne!(fresh["approvalId"], json!(id));
    assert_eq!(fresh["supersedes"], json!(id));
    assert_eq!(stage.model.requests().len(), 2, "the model was asked before the new decision");
    approve(&stage, &text(&fresh["approvalId"]), &["--hunks", "1"]).exits(0);
    assert_eq!(stage.read("src/app.txt"), theirs.replace("line 5\n", "LINE FIVE\n"));
    stage.verifies();
}

/// There is nothing to show, so that nobody is asked: the run goes on, and the user is told as the model is.
#[cfg(unix)]
#[test]
fn a_link_that_took_the_files_place_is_another_change() {
    let (stage, id) = waiting();
    stage.write("src/other.txt", sixty_lines());
    std::fs::remove_file(stage.path("src/app.txt")).unwrap();
    std::os::unix::fs::symlink("other.txt", stage.path("src/app.txt")).unwrap();
    approve(&stage, &id, &[]).exits(3);
    assert_eq!(stage.read("src/other.txt"), sixty_lines());
    let fresh = stage.waiting();
    assert_ne!(fresh, id);
    approve(&stage, &fresh, &[]).exits(0);
    assert!(stage.read("src/other.txt").contains("LINE FIVE"));
}

#[test]
fn a_change_that_no_longer_fits_at_all_is_told_to_the_model() {
    for theirs in [Some("something else entirely\n"), None] {
        let (stage, id) = waiting();
        match theirs {
            Some(theirs) => drop(stage.write("src/app.txt", theirs)),
            None => std::fs::remove_file(stage.path("src/app.txt")).unwrap(),
        }
        let done = stage.arki(&["approvals", "approve", &id]).exits(0);
        let said = "src/app.txt changed after the preview was shown, so nothing was written.";
        assert!(done.stderr.contains(said), "{}", done.stderr);
        assert_eq!(std::fs::read_to_string(stage.path("src/app.txt")).ok().as_deref(), theirs);
        let result = payloads(&stage.log(), "tool.result").pop().unwrap();
        assert_eq!(result["code"], "STALE_PREVIEW", "{result}");
        assert!(stage.told().contains("Read the file again and propose the change again."), "{}", stage.told());
        assert!(stage.inbox().is_empty());
        stage.verifies();
    }
}

#[test]
fn a_file_that_is_gone_meanwhile_is_shown_anew_where_the_change_makes_it() {
    let write = Turn::calls().call("write_file", json!({"path": "a.txt", "content": "new\n"}));
    let stage = Stage::new(vec![write, Turn::text("Done.")]);
    stage.write("a.txt", "old\n");
    stage.exec(&["go"]).exits(3);
    let id = stage.waiting();
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    approve(&stage, &id, &[]).exits(3);
    assert!(!stage.path("a.txt").exists(), "written before the new decision");
    let fresh = &stage.inbox()[0];
    assert_eq!(fresh["supersedes"], json!(id));
    assert!(!text(&fresh["preview"]["diff"]).contains("-old"), "{fresh}");
    approve(&stage, &text(&fresh["approvalId"]), &[]).exits(0);
    assert_eq!(stage.read("a.txt"), "new\n");
}

#[test]
fn a_hunk_that_is_not_there_is_refused_and_the_approval_goes_on_waiting() {
    let (stage, id) = waiting();
    for hunks in ["7", "0", "1,3"] {
        let shown = approve(&stage, &id, &["--hunks", hunks]).fails(2, "HUNK_UNKNOWN");
        assert!(shown.message.contains("it has 2"), "{shown:?}");
    }
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    assert_eq!(stage.waiting(), id);
    approve(&stage, &id, &["--hunks", "2,1,2"]).exits(0);
    assert_eq!(payload(&stage.log(), "approval.resolved")["hunks"], json!([1, 2]));
}

#[test]
fn an_approval_is_decided_once() {
    let (stage, id) = waiting();
    approve(&stage, &id, &["--hunks", "1"]).exits(0);
    let after = stage.read("src/app.txt");
    approve(&stage, &id, &["--hunks", "2"]).fails(2, "APPROVAL_ALREADY_RESOLVED");
    stage.arki(&["approvals", "reject", &id]).fails(2, "APPROVAL_ALREADY_RESOLVED");
    assert_eq!(stage.read("src/app.txt"), after);
    assert_eq!(payloads(&stage.log(), "approval.resolved").len(), 1);
    approve(&stage, "0199-none", &[]).fails(2, "APPROVAL_NOT_FOUND");
}

#[test]
fn of_two_decisions_at_the_same_time_one_counts() {
    for _ in 0..4 {
        let (stage, id) = waiting();
        let yes = stage.start(&["approvals", "approve", &id, "--hunks", "1"]);
        let no = stage.start(&["approvals", "reject", &id]);
        let (yes, no) = (yes.end(), no.end());
        let log = stage.log();
        let resolved = payload(&log, "approval.resolved");
        let accepted = resolved["decision"] == "approve";
        assert_eq!(stage.read("src/app.txt").contains("LINE FIVE"), accepted, "{yes:?} {no:?}");
        assert_eq!(payloads(&log, "run.completed").len(), 1, "{yes:?} {no:?}");
        stage.verifies();
    }
}

#[test]
fn one_of_several_calls_that_are_asked_about_together_is_rejected() {
    let write = |path: &str| json!({"path": path, "content": "new\n"});
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", write("a.txt")).call("write_file", write("b.txt")),
        Turn::text("Both done."),
    ]);
    stage.exec(&["write two"]).exits(3);
    approve(&stage, &stage.waiting(), &["--hunks", "1"]).exits(0);
    assert!(stage.path("a.txt").exists() && !stage.path("b.txt").exists());
    let told = stage.told();
    assert!(told.contains("Written: a.txt") && told.contains("rejected"), "{told}");
}

#[test]
fn a_new_file_comes_into_being_only_when_it_is_accepted() {
    let stage = Stage::new(vec![
        Turn::calls().call("write_file", json!({"path": "deep/er/new.txt", "content": "fresh\n"})),
        Turn::text("Done."),
    ]);
    stage.exec(&["write it"]).exits(3);
    assert!(!stage.path("deep").exists());
    let id = stage.waiting();
    assert_eq!(stage.inbox()[0]["preview"]["hunks"].as_array().unwrap().len(), 1);
    let events = approve(&stage, &id, &[]).exits(0).lines();
    assert_eq!(stage.read("deep/er/new.txt"), "fresh\n");
    assert_eq!(payload(&events, "file.changed")["beforeHash"], Value::Null);
}

#[test]
fn a_decision_for_a_folder_that_is_no_longer_trusted_writes_nothing() {
    let (stage, id) = waiting();
    stage.arki(&["untrust"]).exits(0);
    approve(&stage, &id, &[]).exits(4);
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    assert!(stage.told().contains("not trusted"), "{}", stage.told());
}

#[test]
fn line_endings_marks_modes_and_a_missing_last_newline_survive_an_edit() {
    let stage = Stage::new(vec![
        Turn::calls().call(
            "edit_file",
            json!({"path": "dos.txt", "edits": [{"old_text": "two\nthree", "new_text": "zwei\ndrei"}]}),
        ),
        Turn::text("Done."),
    ]);
    let file = stage.write("dos.txt", "\u{feff}one\r\ntwo\r\nthree\r\nfour");
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o754)).unwrap();
    stage.exec(&["--approve", "edits", "translate"]).exits(0);
    assert_eq!(stage.read("dos.txt"), "\u{feff}one\r\nzwei\r\ndrei\r\nfour");
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions()) & 0o777, 0o754);
    assert_eq!(
        std::fs::read_dir(stage.home.project_dir())
            .unwrap()
            .filter(|e| { !e.as_ref().unwrap().file_name().to_string_lossy().starts_with(".arki") })
            .count(),
        1,
        "a temporary file was left behind"
    );
}
