//! Several edits of one answer: one review, one decision, a hunk of each.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, Window};
use crate::scenes::{DONE, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old_text": old, "new_text": new}]})
}

/// Two edits of one file, the second on top of the first, and one of another, before a command.
fn three_edits() -> Script {
    let edits = Turn::text("I'll rename it everywhere.")
        .call("edit_file", edit("src/app.txt", "line 5\n", "LINE FIVE\n"))
        .call("edit_file", edit("src/app.txt", "LINE FIVE\nline 6\n", "LINE FIVE\nLINE SIX\n"))
        .call("edit_file", edit("src/lib.txt", "line 50\n", "LINE FIFTY\n"))
        .call("run_command", json!({"command": "cat src/app.txt src/lib.txt"}));
    Script::new(vec![edits, Turn::text(DONE)])
}

fn stage() -> Stage {
    let stage = Stage::trusted(three_edits());
    stage.write("src/app.txt", &sixty_lines());
    stage.write("src/lib.txt", &sixty_lines());
    stage
}

fn asked(stage: &Stage) -> Window<'_> {
    let window = stage.open();
    window.ask("Rename it");
    window.element("region", "src/lib.txt");
    window
}

#[test]
fn three_edits_of_one_answer_are_accepted_with_one_act() {
    let stage = stage();
    let window = asked(&stage);
    let said = window.element("tabpanel", "Changes").text();
    assert!(said.contains("2 files, 3 hunks") && said.contains("on top of the change above"), "{said}");
    window.pictures("one-review");
    no_barrier(&window, "a review of three edits");
    window.click("Accept all");
    window.says(DONE);
    assert!(stage.read("src/app.txt").contains("LINE FIVE\nLINE SIX\n"));
    assert!(stage.read("src/lib.txt").contains("LINE FIFTY\n"));
    // The command after them saw what was accepted.
    assert!(window.transcript().contains("run_command"));
    no_barrier(&window, "three accepted edits");
}

#[test]
fn a_hunk_of_one_edit_is_rejected_by_keyboard_and_the_others_are_written() {
    let stage = stage();
    let window = asked(&stage);
    window.elements("button", Some("Reject hunk"))[0].ask("arguments[0].closest('.hunk').focus()");
    window.press(&["r"]);
    window.click("Accept all");
    window.says(DONE);
    let app = stage.read("src/app.txt");
    assert!(app.contains("line 5\nline 6\n"), "what came on top of the rejected edit fell with it: {app}");
    assert!(stage.read("src/lib.txt").contains("LINE FIFTY\n"));
    window.pictures("one-review-partly");
}
