//! A change of many files: the list of them leads through the review, by keys alone.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Element, LEFT, Stage, wait_until};
use crate::scenes::{DONE, edit_and_say};
use arki_testkit::{Script, Turn};
use serde_json::json;

const NAMES: [&str; 5] = ["README.md", "src/app.txt", "src/deep/inner.txt", "src/deep/other.txt", "tests/one.txt"];

fn five_files() -> Script {
    let updates: String =
        NAMES.iter().map(|name| format!("*** Update File: {name}\n@@\n one\n-two\n+TWO\n three\n")).collect();
    let patch = format!("*** Begin Patch\n{updates}*** End Patch\n");
    Script::new(vec![Turn::calls().call("apply_patch", json!({ "patch": patch })), Turn::text(DONE)])
}

#[track_caller]
fn focused(element: &Element<'_>) {
    element.gets_focus();
}

#[test]
fn the_review_of_many_files_is_decided_from_their_list_by_keys() {
    let stage = Stage::trusted(five_files());
    for name in NAMES {
        stage.write(name, "one\ntwo\nthree\n");
    }
    let window = stage.open();
    window.ask("Shout two everywhere");
    let list = window.element("list", "Files in this change");
    let row = |name: &str| list.inside("button", name);
    window.press(&[CONTROL, "j"]);
    focused(&window.element("group", "Hunk 1 of 5, lines 1–3 of README.md"));
    window.press(&["f"]);
    focused(&row("README.md"));
    window.pictures("review-files");
    no_barrier(&window, "the list of files");

    window.press(&["a"]);
    focused(&row("src/app.txt"));
    window.press(&["r"]);
    focused(&row("src/deep/inner.txt"));
    window.press(&[ENTER]);
    focused(&window.element("group", "Hunk 3 of 5, lines 1–3 of src/deep/inner.txt"));
    window.press(&["a"]);
    focused(&window.element("group", "Hunk 4 of 5, lines 1–3 of src/deep/other.txt"));
    window.press(&["f"]);
    wait_until("three of them", || window.text().contains("3 of 5 files decided"));
    window.pictures("review-files-decided");
    no_barrier(&window, "the list of files, some decided");
    let resize = |width: u32| {
        window.resize(width, 900);
        wait_until("the new width", || window.run("return innerWidth") == json!(width));
    };
    resize(720);
    // The column has become a sheet, which is closed until it is asked for.
    window.gone("separator", "Width of the inspector");
    window.press(&[CONTROL, "j"]);
    window.pictures("review-files-narrow");
    resize(1440);
    window.element("separator", "Width of the inspector").ask("arguments[0].focus()");
    for _ in 0..20 {
        window.press(&[LEFT]);
    }
    window.press(&[CONTROL, "j"]);
    let open = window.element("group", "Hunk 4 of 5, lines 1–3 of src/deep/other.txt");
    focused(&open);
    // It was in sight before, at a height that depends on when each width was laid out.
    open.ask("arguments[0].scrollIntoView({ block: 'center' })");
    window.pictures("review-files-wide");
    window.press(&[CONTROL, ENTER]);
    window.says(DONE);
    for name in NAMES {
        assert_eq!(stage.read(name).contains("TWO"), name != "src/app.txt", "{name}");
    }
}

#[test]
fn a_hunk_is_accepted_by_lines_and_a_comment_reaches_the_model() {
    let edit = json!({"path": "src/app.txt", "edits": [{"old_text": "two", "new_text": "TWO\nnew"}]});
    let script = Script::new(vec![Turn::calls().call("edit_file", edit), Turn::text(DONE)]);
    let stage = Stage::trusted(script);
    stage.write("src/app.txt", "one\r\ntwo\r\nthree");
    let window = stage.open();
    window.ask("Shout two");
    window.element("region", "src/app.txt");
    window.press(&[CONTROL, "j"]);
    focused(&window.element("group", "Hunk 1 of 1, lines 1–4 of src/app.txt"));
    window.press(&["c"]);
    focused(&window.element("textbox", "Comment on line 2"));
    window.write("Why so loud?");
    window.press(&[CONTROL, ENTER]);
    focused(&window.element("checkbox", "Added line 2"));
    window.press(&["j"]);
    focused(&window.element("checkbox", "Added line 3"));
    window.press(&[" "]);
    window.says("2 of 3 changed lines selected");
    window.pictures("review-by-line");
    no_barrier(&window, "a hunk by its lines");
    window.press(&[ESCAPE]);
    window.element("list", "Your comments");
    window.pictures("review-comment");
    no_barrier(&window, "a comment on a line");

    window.press(&["l"]);
    focused(&window.element("checkbox", "Removed line 2"));
    window.says("2 of 3 changed lines selected");
    window.press(&[CONTROL, ENTER]);
    window.says(DONE);
    assert_eq!(stage.read("src/app.txt"), "one\r\nTWO\r\nthree");
    assert!(stage.request(2).contains("src/app.txt:2: Why so loud?"));
}

#[test]
fn lines_around_a_hunk_are_shown_as_they_stand_in_the_file() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    let diff = window.element("region", "src/app.txt");
    assert!(!diff.text().contains("line 60"));
    // Above the first hunk, below it and above the second, and below that.
    diff.all_inside("button", "Show lines below").last().unwrap().click();
    wait_until("the end of the file", || diff.text().contains("line 60"));
    diff.all_inside("button", "Show lines above")[0].click();
    wait_until("its beginning", || diff.text().contains("line 1\n") || diff.text().contains("line 1 "));
    window.pictures("review-context");
    no_barrier(&window, "lines around a hunk");
    window.click("Accept all");
    window.says(DONE);
    assert!(stage.read("src/app.txt").contains("LINE FIFTY"));
}
