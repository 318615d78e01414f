//! Everything without a mouse, and always seeing where one is.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Element, Stage, Window, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};

#[test]
fn a_change_is_asked_for_and_reviewed_by_keys_alone() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    let message = window.element("textbox", "Message");
    // A window that has only just opened may not have the keys yet.
    wait_until("the focus", || {
        window.press(&[CONTROL, "l"]);
        message.is_focused()
    });
    window.write("Change two lines");
    window.press(&[ENTER]);
    window.element("region", "src/app.txt");

    window.press(&[CONTROL, "j"]);
    let first = window.element("group", "Hunk 1 of 2, lines 2–8 of src/app.txt");
    let second = window.element("group", "Hunk 2 of 2, lines 47–53 of src/app.txt");
    focused(&first);
    assert!(shows_focus(&window), "the focus cannot be seen");
    window.pictures("hunk-with-focus");
    window.press(&["j"]);
    focused(&second);
    window.press(&["k"]);
    focused(&first);
    window.press(&["r"]);
    focused(&window.element("group", "Hunk 2 of 2, lines 47–53 of src/app.txt"));
    window.press(&["a"]);
    window.says(DONE);
    assert_eq!(stage.read("src/app.txt"), sixty_lines().replace("line 50\n", "LINE FIFTY\n"));
    window.press(&[ESCAPE]);
    focused(&window.element("textbox", "Message"));
    no_barrier(&window, "a review that was done by keys");
}

#[test]
fn the_palette_leads_everywhere_and_escape_one_step_out() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.element("textbox", "Message");
    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    window.pictures("palette");
    window.write("settings");
    window.press(&[ENTER]);
    window.element("dialog", "Settings");
    window.gone("dialog", "Command palette");
    assert!(shows_focus(&window), "the focus cannot be seen");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");

    window.press(&[CONTROL, "k"]);
    window.element("dialog", "Command palette");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Command palette");
    window.press(&[ESCAPE]);
    focused(&window.element("textbox", "Message"));
}

#[track_caller]
fn focused(element: &Element<'_>) {
    element.gets_focus();
}

/// Whatever has the focus has an outline that is there and not see-through.
pub(crate) fn shows_focus(window: &Window<'_>) -> bool {
    window.run(
        "const style = getComputedStyle(document.activeElement);
         return document.activeElement !== document.body && document.activeElement.matches(':focus-visible')
           && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1
           && style.outlineColor !== 'rgba(0, 0, 0, 0)';",
    ) == true
}
