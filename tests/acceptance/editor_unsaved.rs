//! Changes of files with unsaved text in the editor: made on top of it, by the editor itself.

use crate::editor_buffers::{READ, asked, editor, reading};
use crate::editor_client::Editor;
use crate::harness::{Stage, payload, payloads};
use crate::tree::{change_seq, editing, one_call, playing};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const WRITE: &str = "fs/write_text_file";
const PERMISSION: &str = "session/request_permission";

fn hash(text: &str) -> String {
    arki_domain::sha256_hex(text.as_bytes())
}

/// The editor's way with a new text.
#[derive(Clone, Copy, PartialEq)]
enum OnWrite {
    Saves,
    /// With a line of its own.
    Formats,
    Keeps,
    Refuses,
    /// It takes the text and doesn't say so.
    SaysNothing,
}

/// One file that is open, with the user typing into it.
struct OpenFile<'a> {
    stage: &'a Stage,
    path: &'a str,
    text: String,
    on_write: OnWrite,
}

impl OpenFile<'_> {
    /// Answers what is asked about the file, and allows every change, until the prompt ends.
    fn attend(&mut self, editor: &mut Editor, prompt: u64) -> String {
        loop {
            let message = editor.until(|message| {
                (message["id"] == prompt && message["method"].is_null())
                    || (!message["id"].is_null() && !message["method"].is_null())
            });
            let is_it = message["params"]["path"] == json!(self.stage.path(self.path));
            match message["method"].as_str() {
                None => {
                    return message["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{message}")).to_owned();
                }
                Some(READ) if is_it => editor.reply(&message, &json!({"content": self.text})),
                Some(WRITE) if is_it && self.on_write != OnWrite::Refuses => {
                    self.text = message["params"]["content"].as_str().unwrap().to_owned();
                    if self.on_write == OnWrite::Formats {
                        self.text.push_str("formatted\n");
                    }
                    if matches!(self.on_write, OnWrite::Saves | OnWrite::Formats) {
                        self.stage.write(self.path, &self.text);
                    }
                    if self.on_write != OnWrite::SaysNothing {
                        editor.reply(&message, &json!({}));
                    }
                }
                Some(READ | WRITE) => {
                    let error = json!({"code": -32002, "message": "not open"});
                    editor.say(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
                }
                Some(PERMISSION) => editor.choose(&message, "allow"),
                Some(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn a_change_of_an_unsaved_file_is_made_in_the_editor_on_top_of_its_text() {
    for (on_write, said) in [
        (OnWrite::Saves, "and saved with them"),
        (OnWrite::Keeps, "isn't saved yet"),
        (OnWrite::SaysNothing, "isn't saved yet"),
    ] {
        let stage = playing(editing("a.txt", "mine", "ours").to_vec());
        stage.write("a.txt", "one\n");
        let mut editor = editor(&stage);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Change it");
        let mut open = OpenFile { stage: &stage, path: "a.txt", text: "one\nmine\n".to_owned(), on_write };
        assert_eq!(open.attend(&mut editor, prompt), "end_turn");
        assert_eq!(open.text, "one\nours\n");
        let written = asked(&editor, WRITE);
        assert_eq!(written, [json!({"sessionId": session, "path": stage.path("a.txt"), "content": "one\nours\n"})]);
        assert!(stage.told().contains(said), "{}", stage.told());
        let shown = asked(&editor, PERMISSION);
        assert_eq!(shown.len(), 1, "{shown:?}");
        let content = &shown[0]["toolCall"]["content"];
        assert!(content[1]["content"]["text"].as_str().unwrap().contains("a.txt has unsaved changes"), "{content}");
        let diff = &content[0];
        assert!(diff["oldText"].as_str().unwrap().contains("mine"), "{diff}");
        let events = stage.events(&session);
        let requested = payload(&events, "approval.requested");
        assert!(requested["reason"].as_str().unwrap().contains("a.txt has unsaved changes"), "{requested}");
        let changed = payload(&events, "file.changed");
        assert_eq!(changed["beforeHash"], hash("one\nmine\n"), "{changed}");
        assert_eq!(changed["afterHash"], hash("one\nours\n"));
        let on_disk = if on_write == OnWrite::Saves { "one\nours\n" } else { "one\n" };
        assert_eq!(stage.read("a.txt"), on_disk);
        if on_write == OnWrite::Saves {
            // What the user had typed comes back, saved or not.
            editor.end();
            let change = change_seq(&stage, &session, 0).to_string();
            stage.arki(&["undo", &session, &change]).exits(0);
            assert_eq!(stage.read("a.txt"), "one\nmine\n");
        }
    }
}

#[test]
fn what_the_editor_makes_of_the_change_as_it_saves_is_known_and_can_be_undone() {
    let stage = playing(editing("a.txt", "mine", "ours").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let text = "one\nmine\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Formats };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert!(stage.told().contains("changed the file further"), "{}", stage.told());
    let changed = payload(&stage.events(&session), "file.changed");
    assert_eq!(changed["afterHash"], hash("one\nours\nformatted\n"));
    editor.end();
    let change = change_seq(&stage, &session, 0).to_string();
    stage.arki(&["undo", &session, &change]).exits(0);
    assert_eq!(stage.read("a.txt"), "one\nmine\n");
}

#[test]
fn an_editors_line_ends_are_its_own() {
    let stage = playing(editing("a.txt", "two", "2").to_vec());
    stage.write("a.txt", "\u{feff}one\r\ntwo\r\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let text = "one\ntwo\nmine\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Keeps };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!(open.text, "one\n2\nmine\n");
    // The log has the file as it is once it is saved.
    let changed = payload(&stage.events(&session), "file.changed");
    assert_eq!(changed["beforeHash"], hash("\u{feff}one\r\ntwo\r\nmine\r\n"));
}

#[test]
fn a_text_without_a_last_line_end_stays_so() {
    let stage = playing(editing("a.txt", "one", "1").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let text = "one\nmine".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Saves };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!(stage.read("a.txt"), "1\nmine");
    assert_eq!(payload(&stage.events(&session), "file.changed")["beforeHash"], hash("one\nmine"));
}

#[test]
fn edits_of_an_unsaved_file_are_reviewed_one_by_one() {
    let edit = |old: &str, new: &str| json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]});
    let both = Turn::calls().call("edit_file", edit("mine", "ours")).call("edit_file", edit("ours", "theirs"));
    let stage = playing(vec![both, Turn::text("Done.")]);
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let text = "one\nmine\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Keeps };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!((open.text.as_str(), asked(&editor, PERMISSION).len()), ("one\ntheirs\n", 2));
}

#[test]
fn what_the_editor_cannot_take_is_refused_before_anybody_is_asked() {
    let patch =
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-one\n+1\n*** End Patch";
    let reads_only = json!({"fs": {"readTextFile": true}});
    let both = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
    for (capabilities, turns) in [
        (&reads_only, editing("a.txt", "one", "1")),
        (&both, one_call("delete_file", json!({"path": "a.txt"}))),
        (&both, one_call("apply_patch", json!({"patch": patch}))),
    ] {
        let stage = playing(turns.to_vec());
        stage.write("a.txt", "one\n");
        stage.write("b.txt", "one\n");
        let mut editor = Editor::with(&stage, capabilities);
        let session = editor.open(&stage);
        let prompt = editor.prompt(&session, "Change it");
        let text = "one\nmine\n".to_owned();
        let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Saves };
        assert_eq!(open.attend(&mut editor, prompt), "end_turn");
        let result = payload(&stage.events(&session), "tool.result");
        assert_eq!(result["code"], "UNSAVED_CHANGES", "{result}");
        assert_eq!((asked(&editor, PERMISSION).len(), asked(&editor, WRITE).len()), (0, 0));
        assert_eq!((stage.read("a.txt").as_str(), stage.read("b.txt").as_str()), ("one\n", "one\n"));
        let shown = Value::from(editor.updates("tool_call_update")).to_string();
        assert!(shown.contains("a.txt has unsaved changes in the editor"), "{shown}");
    }
}

#[test]
fn an_editor_that_refuses_the_change_keeps_its_text() {
    let stage = playing(editing("a.txt", "mine", "ours").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let text = "one\nmine\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Refuses };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!((open.text.as_str(), stage.read("a.txt").as_str()), ("one\nmine\n", "one\n"));
    let result = payload(&stage.events(&session), "tool.result");
    assert_eq!(result["code"], "UNSAVED_CHANGES", "{result}");
    assert!(payloads(&stage.events(&session), "file.changed").is_empty());
}

#[test]
fn what_is_typed_during_the_review_is_shown_and_kept() {
    let stage = playing(editing("a.txt", "one", "1").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let saved = editor.asked(READ);
    editor.reply(&saved, &json!({"content": "one\n"}));
    let permission = editor.asked(PERMISSION);
    editor.choose(&permission, "allow");
    let text = "one\nmore\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Saves };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!((asked(&editor, PERMISSION).len(), stage.read("a.txt").as_str()), (2, "1\nmore\n"));
}

#[test]
fn what_is_typed_just_before_the_change_is_made_is_not_overwritten() {
    let stage = playing(editing("a.txt", "mine", "ours").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    for text in ["one\nmine\n", "one\nmine\n", "one\nmine\nmore\n"] {
        let message = editor.until(|message| message["method"] == READ || message["method"] == PERMISSION);
        let message = if message["method"] == PERMISSION {
            editor.choose(&message, "allow");
            editor.asked(READ)
        } else {
            message
        };
        editor.reply(&message, &json!({"content": text}));
    }
    assert_eq!(editor.stop_reason(prompt), "end_turn");
    assert_eq!((asked(&editor, WRITE).len(), stage.read("a.txt").as_str()), (0, "one\n"));
    assert_eq!(payload(&stage.events(&session), "tool.result")["code"], "STALE_PREVIEW");
}

#[test]
fn a_prompt_that_is_cancelled_while_the_editor_is_asked_writes_nothing() {
    for refuses in [true, false] {
        let stage = playing(editing("a.txt", "one", "1").to_vec());
        stage.write("a.txt", "one\n");
        let mut editor = editor(&stage);
        let session = editor.open(&stage);
        let mode = json!({"sessionId": session, "modeId": "edits"});
        assert!(editor.ask("session/set_mode", mode)["error"].is_null());
        let prompt = editor.prompt(&session, "Change it");
        let question = editor.asked(READ);
        if refuses {
            let error = json!({"code": -32800, "message": "cancelled"});
            editor.say(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
        }
        let since = Instant::now();
        editor.notify("session/cancel", &json!({"sessionId": session}));
        assert_eq!(editor.stop_reason(prompt), "cancelled");
        assert!(since.elapsed() < Duration::from_millis(2500), "it isn't waited for");
        assert_eq!(stage.read("a.txt"), "one\n");
    }
}

#[test]
fn an_editor_that_falls_silent_about_an_unsaved_file_keeps_its_text() {
    // What it said holds for every session of the folder.
    for opens_another in [false, true] {
        let stage = playing([reading("a.txt"), editing("a.txt", "one", "1").to_vec()].concat());
        stage.write("a.txt", "one\n");
        let mut editor = editor(&stage);
        let session = editor.open(&stage);
        let mode = json!({"sessionId": session, "modeId": "edits"});
        assert!(editor.ask("session/set_mode", mode)["error"].is_null());
        for (words, content) in [("Read it", json!("one\nmine\n")), ("Change it", json!(null))] {
            let prompt = editor.prompt(&session, words);
            let question = editor.asked(READ);
            editor.reply(&question, &json!({"content": content}));
            assert_eq!(editor.stop_reason(prompt), "end_turn");
            if opens_another {
                editor.open(&stage);
            }
        }
        assert_eq!(stage.read("a.txt"), "one\n");
        assert!(stage.told().contains("may have unsaved changes"), "{}", stage.told());
    }
}

#[test]
fn what_was_shown_on_unsaved_text_is_not_approved_without_the_editor() {
    let stage = playing(editing("a.txt", "mine", "ours").to_vec());
    stage.write("a.txt", "one\n");
    let mut editor = editor(&stage);
    let session = editor.open(&stage);
    let prompt = editor.prompt(&session, "Change it");
    let question = editor.asked(READ);
    editor.reply(&question, &json!({"content": "one\nmine\n"}));
    let permission = editor.asked(PERMISSION);
    stage.arki(&["approvals", "approve", &stage.waiting()]).fails(1, "UNSAVED_CHANGES");
    stage.arki(&["resume", &session, "--approve", "all"]);
    assert_eq!(stage.read("a.txt"), "one\n");
    editor.choose(&permission, "allow");
    let text = "one\nmine\n".to_owned();
    let mut open = OpenFile { stage: &stage, path: "a.txt", text, on_write: OnWrite::Saves };
    assert_eq!(open.attend(&mut editor, prompt), "end_turn");
    assert_eq!(stage.read("a.txt"), "one\nours\n");
}
