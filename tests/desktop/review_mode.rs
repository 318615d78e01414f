//! Review mode: the diff has the main column, and all of a review is done in it by keys.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Element, SHIFT, Stage, Window, wait_until};
use crate::scenes::{DONE, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::json;

/// Two hunks in one file, the first with a line too many, and one in another.
fn script() -> Script {
    let app = json!({"path": "src/app.txt", "edits": [
        {"old_text": "line 5\n", "new_text": "LINE FIVE\nONE TOO MANY\n"},
        {"old_text": "line 50\n", "new_text": "LINE FIFTY\n"},
    ]});
    let lib = json!({"path": "src/lib.txt", "edits": [{"old_text": "line 30\n", "new_text": "LINE THIRTY\n"}]});
    Script::new(vec![Turn::text("I'll shout in both.").call("edit_file", app).call("edit_file", lib), Turn::text(DONE)])
}

fn width(element: &Element<'_>) -> f64 {
    element.ask("return arguments[0].getBoundingClientRect().width").as_f64().unwrap()
}

fn enters_or_leaves(window: &Window<'_>) {
    window.press(&[CONTROL, SHIFT, "r"]);
}

#[test]
fn a_review_is_done_by_keys_alone_in_review_mode() {
    let stage = Stage::trusted(script());
    stage.write("src/app.txt", &sixty_lines());
    stage.write("src/lib.txt", &sixty_lines());
    let window = stage.open();
    window.ask("Shout in both");
    window.element("region", "src/lib.txt");
    enters_or_leaves(&window);
    window.element("separator", "Width of the conversation");
    let first = window.element("group", "Hunk 1 of 3, lines 2–9 of src/app.txt");
    first.gets_focus();
    let conversation = window.element("main", "Conversation");
    window.settle();
    assert!(width(&first) > 2.0 * width(&conversation), "{} beside {}", width(&first), width(&conversation));
    assert!(conversation.text().contains("Shout in both"));
    window.press(&["s"]);
    wait_until("both sides", || window.run("return document.querySelector('.diff-split') !== null") == true);
    window.pictures("review-mode");
    no_barrier(&window, "review mode");

    leaves_a_line_out(&window, &first);
    window.press(&["a"]);
    window.element("group", "Hunk 2 of 3, lines 48–54 of src/app.txt").gets_focus();
    window.element("button", "Show hunk");
    window.press(&["k"]);
    window.press(&["o"]);
    window.element("button", "Hide hunk");
    window.press(&["j"]);
    window.press(&["a"]);
    let last = window.element("group", "Hunk 3 of 3, lines 27–33 of src/lib.txt");
    last.gets_focus();
    window.says("Decided so far");
    writes_in_its_place(&window, &last);

    window.says(DONE);
    let app = sixty_lines().replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY\n");
    assert_eq!(stage.read("src/app.txt"), app);
    let lib = stage.read("src/lib.txt");
    assert!(lib.contains("line 26\nmine\nline 34\n"), "{lib}");
    window.press(&[ESCAPE]);
    window.element("separator", "Width of the inspector");
}

/// It stays in sight with an empty box, and the hunk says how many of its lines are taken.
fn leaves_a_line_out(window: &Window<'_>, hunk: &Element<'_>) {
    window.press(&["l"]);
    window.element("checkbox", "Removed line 5").gets_focus();
    window.press(&["j"]);
    window.press(&["j"]);
    window.element("checkbox", "Added line 6").gets_focus();
    window.press(&[" "]);
    window.press(&[ESCAPE]);
    hunk_says(hunk, "2 of 3 lines");
    assert!(hunk.text().contains("ONE TOO MANY"), "{}", hunk.text());
    assert_eq!(hunk.ask("return arguments[0].querySelectorAll('.off').length"), 1);
}

fn hunk_says(hunk: &Element<'_>, words: &str) {
    wait_until(words, || hunk.text().contains(words));
}

/// The old lines stay in sight meanwhile.
fn writes_in_its_place(window: &Window<'_>, hunk: &Element<'_>) {
    window.press(&["e"]);
    window.element("textbox", "New text of this hunk").gets_focus();
    assert!(hunk.text().contains("line 30"), "{}", hunk.text());
    window.pictures("review-mode-editor");
    no_barrier(window, "editing in review mode");
    window.press(&[CONTROL, "a"]);
    window.write("mine");
    window.press(&[CONTROL, ENTER]);
}
