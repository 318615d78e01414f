//! Going through a session that is over: the conversation and the files as they were.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Stage, wait_until};
use crate::scenes::{DONE, two_edits};
use arki_testkit::{Script, Turn};

#[test]
fn a_session_is_replayed_by_keys_with_its_files() {
    let stage = Stage::trusted(Script::new(vec![Turn::calls().call("edit_file", two_edits()), Turn::text(DONE)]));
    let window = stage.open();
    window.ask("Change two lines");
    window.element("button", "Accept all").click();
    window.says(DONE);

    window.press(&[CONTROL, "k"]);
    window.write("Replay this session");
    window.press(&[ENTER]);
    let slider = window.element("slider", "Moment");
    slider.gets_focus();
    wait_until("only the prompt", || !window.text().contains(DONE) && window.text().contains("Change two lines"));
    wait_until("no change yet", || window.text().contains("as before"));
    no_barrier(&window, "the replay's beginning");
    assert!(!window.has("textbox", "Message"), "nothing can be said to the past");

    let next = window.element("button", "Next step");
    wait_until("the change", || {
        next.click();
        !window.text().contains("as before")
    });
    window.element("button", "src/app.txt").click();
    let rows = "return document.querySelectorAll('.replayed-file .diff-row').length";
    wait_until("the difference", || window.run(rows).as_u64().is_some_and(|rows| rows > 0));
    no_barrier(&window, "the replay's files");
    window.pictures("replay");

    slider.ask("arguments[0].focus()");
    window.press(&[ESCAPE]);
    window.gone("slider", "Moment");
    window.says(DONE);
    window.element("textbox", "Message");
    no_barrier(&window, "the present again");
}
