//! Calls that a model may send by mistake or in malice: nothing happens, and it is told how to do better.

use super::*;
use serde_json::json;
use std::path::Path;

/// A call with everything granted, which must fail and change nothing. Returns the model's words and the code.
async fn refused(prepare: impl Fn(&Path), tool_id: &str, args: Value) -> (String, String) {
    let bench = Bench::new(Vec::new(), ApprovalMode::All);
    prepare(bench.folder.path());
    bench.called(tool_id, args.clone()).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished, "{tool_id} {args}");
    assert!(!bench.kinds().contains(&"file.changed".to_owned()), "{tool_id} {args}");
    let result = bench.whole_result();
    assert!(result.is_error && result.result.starts_with("Error: ") && result.result.len() > 30, "{result:?}");
    (result.result, result.code.unwrap())
}

fn nothing(_: &Path) {}

fn calls_on(path: &str) -> [(&'static str, Value); 4] {
    [
        ("write_file", json!({"path": path, "content": "x"})),
        ("read_file", json!({"path": path})),
        ("edit_file", json!({"path": path, "edits": [{"old_text": "a", "new_text": "b"}]})),
        ("list_directory", json!({"path": path})),
    ]
}

#[tokio::test]
async fn a_path_that_leads_out_of_the_project_is_refused() {
    for path in ["/etc/hostname", "../config/config.json", "src/../../data/arki.db", "a/../../b"] {
        for (tool_id, args) in calls_on(path) {
            assert_eq!(refused(nothing, tool_id, args).await.1, "PATH_OUTSIDE_PROJECT", "{tool_id} {path}");
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_out_of_the_project_is_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target.txt");
    std::fs::write(&target, "untouched").unwrap();
    let links = |root: &Path| {
        symlink(outside.path(), root.join("folder")).unwrap();
        symlink(&target, root.join("file.txt")).unwrap();
    };
    for path in ["folder/target.txt", "file.txt"] {
        for (tool_id, args) in calls_on(path) {
            assert_eq!(refused(links, tool_id, args).await.1, "PATH_OUTSIDE_PROJECT", "{tool_id} {path}");
        }
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "untouched");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_back_to_itself_is_called_that() {
    use std::os::unix::fs::symlink;
    let links = |root: &Path| {
        symlink("b.txt", root.join("a.txt")).unwrap();
        symlink("a.txt", root.join("b.txt")).unwrap();
    };
    for (tool_id, args) in calls_on("a.txt").into_iter().filter(|(tool_id, _)| *tool_id != "write_file") {
        let (told, code) = refused(links, tool_id, args).await;
        assert_eq!(code, "FILE_NOT_FOUND", "{tool_id}");
        assert!(told.contains("a.txt is a link that leads back to itself"), "{told}");
    }
}

#[tokio::test]
async fn a_path_with_characters_that_deceive_the_eye_is_refused() {
    for path in ["src/ma\u{200b}in.rs", "\u{202e}sr.nigol", "a\u{2066}b.txt", "\u{feff}README", "a\u{0007}b", "x\0y"] {
        for (tool_id, args) in calls_on(path) {
            assert_eq!(refused(nothing, tool_id, args).await.1, "PATH_SUSPICIOUS", "{tool_id} {path:?}");
        }
    }
}

#[tokio::test]
async fn a_binary_file_is_neither_read_nor_edited() {
    let bytes = [0x89, b'P', b'N', b'G', 0, 0xff, b'a', 0];
    let binary = |root: &Path| std::fs::write(root.join("photo.bin"), bytes).unwrap();
    let [_, reading, editing, _] = calls_on("photo.bin");
    for (tool_id, args) in [reading, editing] {
        let (told, code) = refused(binary, tool_id, args).await;
        assert!(code == "FILE_NOT_TEXT" && told.contains("photo.bin"), "{told}");
    }
}

#[tokio::test]
async fn a_gibibyte_is_not_read_into_memory() {
    let big = |root: &Path| std::fs::File::create(root.join("big.txt")).unwrap().set_len(1 << 30).unwrap();
    let [writing, _, editing, _] = calls_on("big.txt");
    for (tool_id, args) in [writing, editing] {
        let (told, code) = refused(big, tool_id, args).await;
        assert!(code == "FILE_TOO_LARGE" && told.contains("big.txt"), "{told}");
    }
}

#[tokio::test]
async fn arguments_that_break_the_schema_name_the_place() {
    for (args, named) in [
        (json!({}), "path"),
        (json!({"path": 7}), "/path"),
        (json!({"path": "a", "offset": "three"}), "/offset"),
        (json!({"path": "a", "offset": -1}), "/offset"),
    ] {
        let (told, code) = refused(nothing, "read_file", args.clone()).await;
        assert!(code == "ARGUMENTS_INVALID" && told.contains(named), "{args}: {told}");
    }
}

#[tokio::test]
async fn an_edit_that_fits_nowhere_or_twice_changes_nothing() {
    for (old_text, code) in [("nowhere", "EDIT_NOT_FOUND"), ("twice", "EDIT_AMBIGUOUS")] {
        let edits = json!([{"old_text": "once", "new_text": "ONCE"}, {"old_text": old_text, "new_text": "x"}]);
        let bench = Bench::new(Vec::new(), ApprovalMode::All);
        let file = bench.folder.path().join("a.txt");
        std::fs::write(&file, "once\ntwice\ntwice\n").unwrap();
        bench.called("edit_file", json!({"path": "a.txt", "edits": edits})).await;
        bench.carry_on().await;
        assert_eq!(bench.result().1.as_deref(), Some(code));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "once\ntwice\ntwice\n");
    }
}

#[tokio::test]
async fn what_cannot_be_searched_or_found_is_explained() {
    let (told, _) = refused(nothing, "search_files", json!({"pattern": "(unclosed"})).await;
    assert!(told.contains("(unclosed"), "{told}");
    let (told, code) = refused(nothing, "read_file", json!({"path": "missing.txt"})).await;
    assert!(code == "FILE_NOT_FOUND" && told.contains("missing.txt does not exist"), "{told}");
}

#[tokio::test]
async fn what_is_no_file_is_not_deleted() {
    let folder = |root: &Path| {
        std::fs::create_dir(root.join("data")).unwrap();
        std::fs::write(root.join("data/a"), "a").unwrap();
    };
    for (path, code) in [("data", "FILE_NOT_TEXT"), ("missing", "FILE_NOT_FOUND"), ("../x", "PATH_OUTSIDE_PROJECT")] {
        assert_eq!(refused(folder, "delete_file", json!({"path": path})).await.1, code, "{path}");
    }
}

#[tokio::test]
async fn the_strictest_of_a_patchs_files_decides() {
    let files = |root: &Path| {
        std::fs::write(root.join("app.txt"), "line 5\n").unwrap();
        std::fs::write(root.join("run.sh"), "#!/bin/sh\n").unwrap();
    };
    for (file, rule) in [(".env.local", "builtin:secret-file"), (".arki/notes.md", "builtin:protected-path")] {
        let patch =
            format!("*** Begin Patch\n*** Update File: app.txt\n@@\n-line 5\n+five\n*** Add File: {file}\n+x\n");
        let bench = Bench::new(Vec::new(), ApprovalMode::Edits);
        files(bench.folder.path());
        bench.called("apply_patch", json!({"patch": patch})).await;
        assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)), "{file}");
        let decided = bench.log.0.lock().unwrap().iter().find_map(|event| match event.body() {
            EventBody::PolicyDecided(decided) => Some(decided.rule),
            _ => None,
        });
        assert_eq!(decided.as_deref(), Some(rule), "{file}");
        assert_eq!(std::fs::read_to_string(bench.folder.path().join("app.txt")).unwrap(), "line 5\n");
        assert!(!bench.folder.path().join(file).exists(), "{file}");
    }
    for patch in
        ["--- /dev/null\n+++ b/../out.txt\n@@ -0,0 +1 @@\n+x\n", "*** Update File: run.sh\n*** Move to: ../out.sh\n"]
    {
        assert_eq!(refused(files, "apply_patch", json!({"patch": patch})).await.1, "PATH_OUTSIDE_PROJECT", "{patch}");
    }
}
