//! An approval waits for whoever opens the window, whichever process asked.

use crate::harness::{Stage, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};

#[test]
fn an_approval_that_the_command_line_left_is_in_the_inbox_and_decided_in_the_window() {
    let stage = Stage::trusted(edit_and_say());
    let stopped = stage.try_arki(&["exec", "Change two lines"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");

    let window = stage.open();
    // The session that waits may be open by then, and its title with it.
    wait_until("its number in the title", || {
        window.run("return document.title").as_str().is_some_and(|title| title.starts_with("(1) "))
    });
    window.picture("inbox-light");
    window.click("Inbox");
    window.element("region", "src/app.txt");
    window.click("Accept all");
    window.says(DONE);
    let both = sixty_lines().replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY\n");
    assert_eq!(stage.read("src/app.txt"), both);
    wait_until("the end of the run", || stage.events().last().unwrap()["type"] == "run.completed");
    stage.arki(&["verify"]);
}
