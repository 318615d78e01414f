//! The timeline as bars over time.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, DOWN, ENTER, ESCAPE, Stage, wait_until};
use crate::scenes::{DONE, two_edits};
use arki_testkit::{Script, Turn};
use serde_json::json;

const END: &str = "\u{e010}";

#[test]
fn a_run_is_shown_as_bars_and_each_leads_to_its_events() {
    let read = || json!({"path": "src/app.txt"});
    let stage = Stage::trusted(Script::new(vec![
        Turn::calls().call("read_file", read()).call("list_directory", json!({"path": "src"})),
        Turn::calls().call("edit_file", two_edits()),
        Turn::text(DONE),
    ]));
    let window = stage.open();
    window.ask("Change two lines");
    window.element("button", "Accept all").click();
    window.says(DONE);
    window.press(&[CONTROL, "2"]);
    window.element("radio", "Waterfall").ask("arguments[0].click()");
    let tree = window.element("tree", "Waterfall");
    tree.ask("arguments[0].focus()");
    let rows = || tree.text();
    wait_until("the rows", || rows().contains("Waiting for approval") && rows().contains("edit_file"));
    assert!(rows().contains("Turn 3") && rows().contains("mock"), "{}", rows());
    no_barrier(&window, "the waterfall");
    for _ in 0..2 {
        window.press(&[DOWN]);
    }
    window.press(&[ENTER]);
    wait_until("the events", || window.text().contains("\"ttftMs\""));
    no_barrier(&window, "a bar's events");
    window.pictures("waterfall");
    // What was sent opens from the bar, and is proven.
    window.element("button", "Show what was sent").click();
    wait_until("what was sent", || window.text().contains("Proven: this is what was sent."));
    window.element("dialog", "Sent to the model");
    wait_until("the prompt", || window.text().contains("Change two lines") && window.text().contains("read_file"));
    no_barrier(&window, "what was sent");
    window.pictures("sent");
    window.element("radio", "Answer").ask("arguments[0].click()");
    wait_until("the answer", || window.text().contains("src/app.txt"));
    window.press(&[ESCAPE]);
    window.gone("dialog", "Sent to the model");
    window.press(&[ESCAPE]);
    wait_until("no events", || !window.text().contains("\"ttftMs\""));
    assert!(tree.is_focused());
    window.press(&[END]);
    window.pictures("waterfall-all");
    window.resize(720, 600);
    // Without room the inspector gives way, and the answer stays.
    window.gone("tree", "Waterfall");
    window.says(DONE);
    window.press(&[CONTROL, "2"]);
    window.element("tree", "Waterfall");
    window.picture("waterfall-narrow");
}
