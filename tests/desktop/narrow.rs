//! The window made narrow: the conversation keeps its room, and nothing lies over anything else.

use crate::harness::{Stage, wait_until};
use crate::scenes::edit_and_say;
use serde_json::json;

/// What stands beside each other, from left to right, must not overlap; what is in the status bar must end inside it.
const OVERLAPS: &str = "
    const bar = document.querySelector('.status');
    const parts = [...bar.children].map((part) => part.getBoundingClientRect()).filter(({ width }) => width > 1);
    const over = parts.filter((part, place) => place > 0 && part.left < parts[place - 1].right - 0.5);
    const out = parts.filter(({ right }) => right > innerWidth + 0.5);
    const spilt = [...bar.querySelectorAll('button, .status-fact')].filter((part) =>
      getComputedStyle(part).overflowX === 'visible' && part.scrollWidth > part.clientWidth + 1);
    return over.length + out.length + spilt.length + (document.documentElement.scrollWidth > innerWidth ? 1 : 0);";

#[test]
fn columns_give_way_and_the_conversation_does_not() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    let main = window.element("main", "Conversation");
    for width in [1440, 1024, 800, 720] {
        window.resize(width, 900);
        wait_until("the new width", || window.run("return innerWidth") == json!(width));
        window.settle();
        let room = main.ask("return arguments[0].getBoundingClientRect().width").as_f64().unwrap();
        assert!(room >= 420.0, "{room} px for the conversation in a window of {width}");
        assert_eq!(window.run(OVERLAPS), json!(0), "parts of the status bar lie over each other at {width} px");
        window.pictures(&format!("narrow-{width}"));
    }
    // As a sheet it is still one key away, and leaves the conversation where it was.
    let before = main.ask("return arguments[0].getBoundingClientRect().width");
    window.click("Show inspector");
    window.element("button", "Accept all");
    assert_eq!(main.ask("return arguments[0].getBoundingClientRect().width"), before);
    window.pictures("narrow-sheet");
}
