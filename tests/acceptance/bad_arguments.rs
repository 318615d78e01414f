//! What a model may send by mistake or in malice: nothing happens, the model is told how to do better, the run goes on.

use crate::harness::{Stage, payload};
use arki_testkit::Turn;
use serde_json::{Value, json};

/// Plays one call with everything granted, and a last word. Returns the call's result as logged and as the model saw
/// it.
fn refused(stage: &Stage) -> (Value, String) {
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    let result = payload(&events, "tool.result");
    assert_eq!(result["isError"], json!(true), "{result}");
    assert!(events.iter().any(|event| event["type"] == "run.completed"));
    assert_eq!(stage.log().iter().filter(|event| event["type"] == "file.changed").count(), 0);
    stage.verifies();
    (result, stage.told())
}

fn call(name: &str, args: Value) -> Vec<Turn> {
    vec![Turn::calls().call(name, args), Turn::text("I see.")]
}

#[track_caller]
fn path_is_refused(stage: &Stage, path: &str, code: &str) {
    for (tool, args) in [
        ("write_file", json!({"path": path, "content": "x"})),
        ("read_file", json!({"path": path})),
        ("edit_file", json!({"path": path, "edits": [{"old_text": "a", "new_text": "b"}]})),
        ("list_directory", json!({"path": path})),
    ] {
        let other = Stage::new(call(tool, args));
        mirror(stage, &other);
        let (result, told) = refused(&other);
        assert_eq!(result["code"], code, "{tool} {path:?}: {result}");
        assert!(told.starts_with("Error: ") && told.len() > 30, "{told}");
    }
}

/// Links and files of one project in another.
fn mirror(from: &Stage, to: &Stage) {
    for entry in std::fs::read_dir(from.home.project_dir()).unwrap().flatten() {
        let target = to.path(&entry.file_name().to_string_lossy());
        #[cfg(unix)]
        if entry.file_type().unwrap().is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(entry.path()).unwrap(), target).unwrap();
        }
    }
}

#[test]
fn a_path_that_leads_out_of_the_project_is_refused() {
    let stage = Stage::new(Vec::new());
    for path in ["/etc/hostname", "../config/config.json", "src/../../data/arki.db", "a/../../b"] {
        path_is_refused(&stage, path, "PATH_OUTSIDE_PROJECT");
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_project_is_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("target.txt"), "untouched").unwrap();
    let stage = Stage::new(Vec::new());
    std::os::unix::fs::symlink(outside.path(), stage.path("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("target.txt"), stage.path("file.txt")).unwrap();
    path_is_refused(&stage, "folder/target.txt", "PATH_OUTSIDE_PROJECT");
    path_is_refused(&stage, "file.txt", "PATH_OUTSIDE_PROJECT");
    assert_eq!(std::fs::read_to_string(outside.path().join("target.txt")).unwrap(), "untouched");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_back_to_itself_is_called_that() {
    for (tool, args) in [
        ("read_file", json!({"path": "a.txt"})),
        ("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "a", "new_text": "b"}]})),
        ("list_directory", json!({"path": "a.txt"})),
    ] {
        let stage = Stage::new(call(tool, args));
        std::os::unix::fs::symlink("b.txt", stage.path("a.txt")).unwrap();
        std::os::unix::fs::symlink("a.txt", stage.path("b.txt")).unwrap();
        let (result, told) = refused(&stage);
        assert_eq!(result["code"], "FILE_NOT_FOUND", "{result}");
        assert!(told.contains("a.txt is a link that leads back to itself"), "{told}");
    }
}

#[test]
fn a_path_with_characters_that_deceive_the_eye_is_refused() {
    let stage = Stage::new(Vec::new());
    for path in ["src/ma\u{200b}in.rs", "\u{202e}sr.nigol", "a\u{2066}b.txt", "\u{feff}README", "a\u{0007}b", "x\0y"] {
        path_is_refused(&stage, path, "PATH_SUSPICIOUS");
    }
}

#[test]
fn a_binary_file_is_neither_read_nor_edited() {
    for (tool, args) in [
        ("read_file", json!({"path": "photo.bin"})),
        ("edit_file", json!({"path": "photo.bin", "edits": [{"old_text": "a", "new_text": "b"}]})),
    ] {
        let stage = Stage::new(call(tool, args));
        let bytes = [0x89, b'P', b'N', b'G', 0, 0xff, b'a', 0];
        let file = stage.write("photo.bin", bytes);
        let (result, told) = refused(&stage);
        assert_eq!(result["code"], "FILE_NOT_TEXT");
        assert!(told.contains("photo.bin"), "{told}");
        assert_eq!(std::fs::read(file).unwrap(), bytes);
    }
}

#[test]
fn a_gibibyte_is_not_read_into_memory() {
    for (tool, args) in [
        ("edit_file", json!({"path": "big.txt", "edits": [{"old_text": "a", "new_text": "b"}]})),
        ("write_file", json!({"path": "big.txt", "content": "small"})),
    ] {
        let stage = Stage::new(call(tool, args));
        std::fs::File::create(stage.path("big.txt")).unwrap().set_len(1 << 30).unwrap();
        let (result, told) = refused(&stage);
        assert_eq!(result["code"], "FILE_TOO_LARGE", "{result}");
        assert!(told.contains("big.txt"), "{told}");
    }
}

#[test]
fn an_unknown_tool_is_denied_and_the_nearest_one_is_named() {
    let stage = Stage::new(call("edit_files", json!({"path": "a"})));
    let (result, told) = refused(&stage);
    assert_eq!(result["code"], "TOOL_UNKNOWN");
    assert!(told.contains("edit_files") && told.contains("Did you mean edit_file?"), "{told}");
}

#[test]
fn arguments_that_are_no_json_are_told_as_such() {
    for raw in ["{\"path\": \"a", "path=a", "", "[1, 2]", "null", "\"a\""] {
        let stage = Stage::new(vec![Turn::calls().call_raw("read_file", raw), Turn::text("I see.")]);
        let (result, told) = refused(&stage);
        assert_eq!(result["code"], "ARGUMENTS_INVALID", "{raw:?}: {result}");
        assert!(told.contains("read_file"), "{told}");
    }
}

#[test]
fn arguments_that_break_the_schema_name_the_place() {
    for (args, named) in [
        (json!({}), "path"),
        (json!({"path": 7}), "/path"),
        (json!({"path": "a", "offset": "three"}), "/offset"),
        (json!({"path": "a", "offset": -1}), "/offset"),
    ] {
        let stage = Stage::new(call("read_file", args.clone()));
        let (result, told) = refused(&stage);
        assert_eq!(result["code"], "ARGUMENTS_INVALID", "{args}");
        assert!(told.contains(named), "{args}: {told}");
    }
}

#[test]
fn an_edit_that_fits_nowhere_or_twice_changes_nothing() {
    for (old_text, code) in [("nowhere", "EDIT_NOT_FOUND"), ("twice", "EDIT_AMBIGUOUS")] {
        let edits = json!([{"old_text": "once", "new_text": "ONCE"}, {"old_text": old_text, "new_text": "x"}]);
        let stage = Stage::new(call("edit_file", json!({"path": "a.txt", "edits": edits})));
        stage.write("a.txt", "once\ntwice\ntwice\n");
        let (result, _) = refused(&stage);
        assert_eq!(result["code"], code);
        assert_eq!(stage.read("a.txt"), "once\ntwice\ntwice\n");
    }
}

#[test]
fn a_search_pattern_that_is_no_regular_expression_is_explained() {
    let stage = Stage::new(call("search_files", json!({"pattern": "(unclosed"})));
    let (_, told) = refused(&stage);
    assert!(told.contains("(unclosed"), "{told}");
}

#[test]
fn a_missing_file_is_a_plain_answer() {
    let stage = Stage::new(call("read_file", json!({"path": "missing.txt"})));
    let (result, told) = refused(&stage);
    assert_eq!(result["code"], "FILE_NOT_FOUND");
    assert!(told.contains("missing.txt does not exist"), "{told}");
}

#[test]
fn what_is_not_there_is_said_in_words_for_people() {
    let stage = Stage::new(Vec::new());
    let rule = stage.arki(&["policy", "backtest", "nope"]).fails(2, "USAGE");
    assert!(rule.message.contains("no such file"), "{rule:?}");
    let session = stage.arki(&["sessions", "show", ""]).fails(2, "SESSION_NOT_FOUND");
    assert_eq!(session.message, "No session was given.");
}
