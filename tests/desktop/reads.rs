//! Calls in a row that only read take one line.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};
use serde_json::json;

#[test]
fn reads_in_a_row_are_one_line_that_unfolds() {
    let read = |path: &str| Turn::calls().call("read_file", json!({ "path": path }));
    let looks = Turn::calls().call("search_files", json!({"pattern": "line 7"}));
    let script = Script::new(vec![looks, read("src/app.txt"), read("gone.txt"), Turn::text(DONE)]);
    let stage = Stage::trusted(script);
    let window = stage.open();
    window.ask("Look around");
    window.says(DONE);
    let line = window.element("button", "3 reads, 1 failed search_files, read_file");
    assert!(!window.transcript().contains("gone.txt"));
    window.pictures("reads-folded");
    line.click();
    wait_until("the calls", || window.transcript().contains("gone.txt"));
    window.pictures("reads-unfolded");
    no_barrier(&window, "reads in a row");
    line.click();
    wait_until("one line", || !window.transcript().contains("gone.txt"));
}
