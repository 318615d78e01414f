//! A session's own effort and prompt: set in the window, sent with its next run.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ESCAPE, SHIFT, Stage, wait_until};
use arki_testkit::{Script, Turn};

/// Notes how high the dialog is in each frame from now on.
const WATCH_HEIGHT: &str = "
    window.heights = new Set();
    const look = () => {
      const dialog = document.querySelector('.dialog');
      if (dialog) window.heights.add(dialog.offsetHeight);
      requestAnimationFrame(look);
    };
    look();";

#[test]
fn the_settings_of_a_session_open_at_their_size() {
    let stage = Stage::trusted(Script::new(vec![Turn::text("Hello.")]));
    let window = stage.open();
    window.ask("Say hello");
    window.says("Hello.");
    for width in [720, 1440] {
        window.resize(width, 900);
        wait_until("the new width", || window.run("return innerWidth") == width);
        window.run(WATCH_HEIGHT);
        window.press(&[CONTROL, SHIFT, "s"]);
        window.element("textbox", "Prompt");
        window.settle();
        let heights = window.run("return [...window.heights]");
        assert_eq!(heights.as_array().unwrap().len(), 1, "{heights} at {width} px");
        window.press(&[ESCAPE]);
        window.gone("dialog", "Session settings");
    }
}

#[test]
fn effort_and_prompt_of_a_session_take_effect_with_its_next_run() {
    let stage = Stage::trusted(Script::new(vec![Turn::text("Hello.")]));
    let window = stage.open();
    window.ask("Say hello");
    window.says("Hello.");
    assert!(!stage.request(1).contains("reasoning_effort"));
    window.press(&[CONTROL, SHIFT, "s"]);
    let dialog = window.element("dialog", "Session settings");
    dialog.inside("button", "Reasoning effort").choose("high");
    window.says("Saved. It applies from the next run.");
    dialog.inside("textbox", "Prompt").write("Answer in verse about {{nothing}}.");
    dialog.inside("button", "Save prompt").click();
    window.says("The prompt from the session has unknown variables: {{nothing}}.");
    window.pictures("session-settings");
    no_barrier(&window, "the settings of a session");
    dialog.inside("button", "Done").click();
    window.gone("dialog", "Session settings");
    assert!(window.element("button", "Session settings").text().contains("high"));
    window.ask("And again");
    let request = stage.request(2);
    assert!(request.contains(r#""reasoning_effort":"high""#) && request.contains("Answer in verse"), "{request}");
}
