//! Several files in one patch, deletions, and files found by name: reviewed, granted, and taken back.

use crate::harness::{Stage, payload, payloads, text};
use crate::main_job::sixty_lines;
use crate::tree::{are, change_seq, go, is_executable, one_call, playing, rewind, session_of, tree};
use arki_testkit::{Turn, verify_chain};
use serde_json::{Value, json};

/// Two hunks in one file, a file that comes, one that goes, and one that moves.
const PATCH: &str = "*** Begin Patch
*** Update File: src/app.txt
@@
 line 4
-line 5
+LINE FIVE
 line 6
@@
 line 49
-line 50
+LINE FIFTY
*** Add File: new/deep/made.txt
+made
*** Delete File: gone.bin
*** Update File: run.sh
*** Move to: bin/run.sh
*** End Patch
";

fn edited() -> String {
    sixty_lines().replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY\n")
}

fn patching(patch: &str) -> Stage {
    let stage = playing(one_call("apply_patch", json!({"patch": patch})).into());
    stage.write("src/app.txt", sixty_lines());
    stage.write("gone.bin", b"\0\x01binary\xff");
    let script = stage.write("run.sh", "#!/bin/sh\n");
    make_executable(&script);
    stage
}

#[cfg(unix)]
fn make_executable(file: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) {}

#[test]
fn a_patch_is_shown_whole_and_writes_nothing_before_the_decision() {
    let stage = patching(PATCH);
    let before = tree(&stage);
    stage.exec(&["change it"]).exits(3);
    assert_eq!(tree(&stage), before);
    let preview = payload(&stage.log(), "approval.requested")["preview"].clone();
    assert_eq!(
        preview["filesAffected"],
        json!(["bin/run.sh", "gone.bin", "new/deep/made.txt", "run.sh", "src/app.txt"])
    );
    let hunks = preview["hunks"].as_array().unwrap();
    let indexes: Vec<&Value> = hunks.iter().map(|hunk| &hunk["index"]).collect();
    assert_eq!(indexes, [1, 2, 3, 4, 5, 6]);
    let diff = text(&preview["diff"]);
    assert!(diff.contains("Binary files a/gone.bin and /dev/null differ (9 bytes before, none after)"), "{diff}");
    assert!(diff.contains("new file mode 100755\n--- /dev/null\n+++ b/bin/run.sh"), "{diff}");
}

#[test]
fn of_a_patch_exactly_the_accepted_hunks_are_written_and_the_model_is_told() {
    let stage = patching(PATCH);
    stage.exec(&["change it"]).exits(3);
    // The new file, and the second hunk of the text.
    let events = stage.arki(&["approvals", "approve", &stage.waiting(), "--hunks", "3,6", "--json"]).exits(0).lines();
    assert_eq!(stage.read("src/app.txt"), sixty_lines().replace("line 50\n", "LINE FIFTY\n"));
    assert_eq!(stage.read("new/deep/made.txt"), "made\n");
    assert!(stage.path("gone.bin").exists() && stage.path("run.sh").exists() && !stage.path("bin").exists());
    let changed: Vec<(String, Value)> = payloads(&events, "file.changed")
        .iter()
        .map(|change| (text(&change["path"]), change["hunks"].clone()))
        .collect();
    assert_eq!(changed, [("new/deep/made.txt".to_owned(), json!([3])), ("src/app.txt".to_owned(), json!([6]))]);
    let told = stage.told();
    for (hunk, fate) in
        [(1, "rejected"), (2, "rejected"), (3, "applied"), (4, "rejected"), (5, "rejected"), (6, "applied")]
    {
        let line = told.lines().find(|line| line.contains(&format!("hunk {hunk} "))).unwrap();
        assert!(line.ends_with(fate), "{told}");
    }
    stage.verifies();
}

#[test]
fn a_granted_patch_is_written_at_once_and_a_rewind_restores_every_file() {
    let stage = patching(PATCH);
    let before = tree(&stage);
    let session = go(&stage);
    assert_eq!(stage.read("src/app.txt"), edited());
    assert_eq!(stage.read("bin/run.sh"), "#!/bin/sh\n");
    assert!(!stage.path("gone.bin").exists() && !stage.path("run.sh").exists());
    assert_eq!(is_executable(&stage.path("bin/run.sh")), cfg!(unix), "a move keeps the mode");
    assert!(stage.told().starts_with("Written: bin/run.sh, new/deep/made.txt, src/app.txt; deleted: gone.bin, run.sh"));
    are(
        &rewind(&stage, &session, 3, &["--files"]).exits(0),
        &[
            ("bin/run.sh", "delete"),
            ("gone.bin", "restore"),
            ("new/deep/made.txt", "delete"),
            ("run.sh", "restore"),
            ("src/app.txt", "restore"),
        ],
    );
    assert_eq!(tree(&stage), before);
    stage.verifies();
}

#[test]
fn a_patch_that_fits_in_part_changes_nothing_and_says_where_it_fails() {
    let stage = patching(&PATCH.replace("-line 50", "-line fifty"));
    let before = tree(&stage);
    let events = stage.exec(&["--approve", "all", "change it"]).exits(0).lines();
    assert_eq!(tree(&stage), before);
    let result = payload(&events, "tool.result");
    assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("EDIT_NOT_FOUND")));
    assert!(text(&result["result"]).contains("Hunk 2 of src/app.txt (line 8 of the patch)"), "{result}");
}

#[test]
fn a_deleted_file_is_kept_and_an_undo_brings_it_back() {
    let turns = one_call("delete_file", json!({"path": "data/photo.png"}));
    for content in [&b"\x89PNG\0\xff"[..], b"text\r\nwithout end"] {
        let stage = playing(turns.clone().into());
        stage.write("data/photo.png", content);
        stage.write("data/other", "stays");
        let before = tree(&stage);
        stage.exec(&["tidy up"]).exits(3);
        assert_eq!(tree(&stage), before);
        assert_eq!(payload(&stage.log(), "approval.requested")["preview"]["filesAffected"], json!(["data/photo.png"]));
        stage.arki(&["approvals", "approve", &stage.waiting(), "--json"]).exits(0);
        assert!(!stage.path("data/photo.png").exists() && stage.path("data/other").exists());
        let told = stage.told();
        assert!(told.starts_with("Deleted: data/photo.png") && told.contains("`arki undo`"), "{told}");
        let session = session_of(&stage.log());
        are(
            &stage.arki(&["undo", &session, &change_seq(&stage, &session, 0).to_string(), "--json"]).exits(0),
            &[("data/photo.png", "restore")],
        );
        assert_eq!(tree(&stage), before);
        assert_eq!(verify_chain(&stage.events(&session)), Ok(()));
    }
}

#[test]
fn files_are_found_by_name_without_what_is_ignored_or_secret() {
    let stage = playing(one_call("find_files", json!({"glob": "*.txt"})).into());
    for file in ["a.txt", "deep/b.txt", "ignored/c.txt", "d.md", ".env.txt"] {
        stage.write(file, "x");
    }
    stage.write(".gitignore", "ignored/\n");
    stage.exec(&["look"]).exits(0);
    assert_eq!(
        stage.told(),
        "a.txt\ndeep/b.txt\n[1 secret file was left out: .env.txt]\n\
         [left out: ignored by git: ignored/; \"include_ignored\": true includes them]\n"
    );
}

#[test]
fn an_edit_that_had_to_be_forgiven_lands_and_says_so() {
    let edit = json!({"path": "a.py", "edits": [{"old_text": "def f():\n    return 1\n", "new_text": "def f():\n    return 2\n"}]});
    let stage = playing(vec![Turn::calls().call("edit_file", edit), Turn::text("Done.")]);
    stage.write("a.py", "class A:\n    def f():\n        return 1\n");
    stage.exec(&["--approve", "edits", "change it"]).exits(0);
    assert_eq!(stage.read("a.py"), "class A:\n    def f():\n        return 2\n");
    assert!(stage.told().contains("Edit 1 matched at line 2 but for indentation."), "{}", stage.told());
}
