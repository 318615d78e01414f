//! Zoom: everything larger or smaller by keys, and so again at the next start.

use crate::harness::{CONTROL, Stage, Window, wait_until};
use arki_testkit::Script;

fn width(window: &Window<'_>) -> u64 {
    window.run("return window.innerWidth").as_u64().unwrap()
}

#[test]
fn zoom_follows_its_keys_and_is_kept() {
    let stage = Stage::trusted(Script::new(Vec::new()));
    let window = stage.open();
    let usual = width(&window);
    let step = |window: &Window<'_>, key: &str, expected: u64| {
        window.press(&[CONTROL, key]);
        wait_until(&format!("{expected} pixels after Ctrl+{key}"), || width(window).abs_diff(expected) <= 1);
    };
    step(&window, "=", usual * 100 / 110);
    step(&window, "=", usual * 100 / 125);
    stage.close(window);
    let window = stage.open();
    wait_until("the zoom of before", || width(&window).abs_diff(usual * 100 / 125) <= 1);
    window.pictures("zoomed-in");
    step(&window, "=", usual * 100 / 150);
    step(&window, "=", usual * 100 / 175);
    step(&window, "=", usual * 100 / 200);
    window.pictures("zoomed-twice");
    for percent in [175, 150, 125] {
        step(&window, "-", usual * 100 / percent);
    }
    step(&window, "-", usual * 100 / 110);
    step(&window, "0", usual);
}
