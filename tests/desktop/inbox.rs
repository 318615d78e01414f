//! An approval waits for whoever opens the window, whichever process asked.

use crate::accessibility::no_barrier;
use crate::harness::{ALT, ENTER, ESCAPE, LEFT, Stage, Window, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines, two_edits};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

/// Waits until the title says how many decisions are pending.
#[track_caller]
fn pending(window: &Window<'_>, count: usize) {
    let begins = if count == 0 { String::new() } else { format!("({count}) ") };
    wait_until(&format!("{count} in the title"), || {
        let title = window.run("return document.title");
        title.as_str().is_some_and(|title| title.starts_with(&begins) && (count > 0 || !title.starts_with('(')))
    });
}

fn both_lines() -> String {
    sixty_lines().replace("line 5\n", "LINE FIVE\n").replace("line 50\n", "LINE FIFTY\n")
}

#[test]
fn an_approval_that_the_command_line_left_is_in_the_inbox_and_decided_in_the_window() {
    let stage = Stage::trusted(edit_and_say());
    let stopped = stage.try_arki(&["exec", "Change two lines"]);
    assert_eq!(stopped.code, Some(3), "{stopped:?}");

    let window = stage.open();
    // The session that waits may be open by then, and its title with it.
    pending(&window, 1);
    window.picture("inbox-light");
    window.click("Inbox");
    window.element("region", "src/app.txt");
    window.click("Accept all");
    window.says(DONE);
    assert_eq!(stage.read("src/app.txt"), both_lines());
    no_barrier(&window, "an inbox that is empty again");
    wait_until("the end of the run", || stage.events().last().unwrap()["type"] == "run.completed");
    stage.arki(&["verify"]);
}

#[test]
fn a_review_that_waits_is_decided_after_the_window_was_closed_and_opened_again() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt").all_inside("button", "Reject hunk")[0].click();
    stage.close(window);
    assert_eq!(stage.read("src/app.txt"), sixty_lines());
    let pages = std::fs::metadata(stage.home.data_dir().join("pages")).unwrap();
    assert_eq!(pages.permissions().mode() & 0o777, 0o700, "others can read what the page stores");

    let window = stage.open();
    pending(&window, 1);
    window.click("Inbox");
    let review = window.element("region", "src/app.txt");
    assert!(review.text().contains("rejected"), "what was decided before is lost: {}", review.text());
    no_barrier(&window, "a review after a restart");
    window.click("Accept all");
    window.says(DONE);
    pending(&window, 0);
    assert!(stage.read("src/app.txt").contains("LINE FIFTY"));
    no_barrier(&window, "what was decided after a restart");
    stage.arki(&["verify"]);
}

fn edit_or_make() -> Script {
    let asks = Turn::computed(|request| match request.to_string().contains("Make a file") {
        true => Turn::calls().call("run_command", json!({"command": "touch made.txt"})),
        false => Turn::calls().call("edit_file", two_edits()),
    });
    Script::new(vec![asks, Turn::text(DONE)])
}

/// Each in a session of its own; the one that makes a file is shown.
#[track_caller]
fn ask_for_both(window: &Window<'_>) {
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    window.click("New session");
    window.says("To a new session in project");
    window.ask("Make a file");
    window.element("button", "Approve");
    pending(window, 2);
}

#[test]
fn two_sessions_wait_at_once_and_the_inbox_leads_from_one_to_the_other() {
    let stage = Stage::asking(edit_or_make());
    let window = stage.open();
    ask_for_both(&window);
    window.pictures("two-that-wait");
    no_barrier(&window, "two sessions that wait");

    window.click("Show inbox");
    let inbox = window.element("region", "Inbox");
    wait_until("what waits in both", || {
        ["src/app.txt", "Change two lines", "touch made.txt", "Make a file"]
            .iter()
            .all(|one| inbox.text().contains(one))
    });
    no_barrier(&window, "the list of what waits");
    window.pictures("inbox-list");
    window.press(&[ESCAPE]);
    window.gone("region", "Inbox");

    // From the one that is shown to the one that isn't, and back.
    window.click("Inbox");
    window.element("heading", "Change two lines");
    window.click("Accept all");
    window.says(DONE);
    pending(&window, 1);
    window.click("Inbox");
    window.element("heading", "Make a file");
    window.click("Approve");
    window.says(DONE);
    pending(&window, 0);
    assert_eq!(stage.read("src/app.txt"), both_lines());
    assert!(stage.home.project_dir().join("made.txt").exists());
    no_barrier(&window, "two sessions that are done");
    stage.arki(&["verify"]);
}

#[test]
fn what_waits_is_decided_beside_its_list_and_back_leads_to_where_one_was() {
    let stage = Stage::asking(edit_or_make());
    let window = stage.open();
    ask_for_both(&window);
    window.click("Show inbox");
    let inbox = window.element("region", "Inbox");
    inbox.inside("heading", "Change two lines");
    inbox.inside("region", "src/app.txt");
    no_barrier(&window, "a review beside the list of what waits");
    window.picture("inbox-beside");

    inbox.inside("button", "Accept all").click();
    inbox.inside("heading", "Make a file");
    pending(&window, 1);
    wait_until("the change on disk", || stage.read("src/app.txt") == both_lines());
    wait_until("the focus on the next one", || {
        window.run("return document.activeElement?.getAttribute('aria-current') ?? ''") == "true"
    });

    inbox.inside("button", "Open its session").click();
    window.gone("region", "Inbox");
    window.element("heading", "Make a file");
    window.press(&[ALT, LEFT]);
    let inbox = window.element("region", "Inbox");
    inbox.inside("button", "Approve");

    // Without room for both, one of them.
    window.resize(720, 640);
    inbox.inside("list", "Waiting for you");
    window.gone("button", "Approve");
    window.run("document.querySelector('.inbox-row[aria-current]').focus()");
    no_barrier(&window, "the list of what waits in a narrow window");
    window.press(&[ENTER]);
    inbox.inside("button", "Approve");
    window.gone("list", "Waiting for you");
    no_barrier(&window, "what waits in a narrow window");
    window.picture("inbox-narrow");
    window.press(&[ESCAPE]);
    inbox.inside("list", "Waiting for you");
    window.press(&[ENTER]);
    inbox.inside("button", "Approve").click();
    window.says("Nothing waits for you");
    pending(&window, 0);
    window.press(&[ESCAPE]);
    window.gone("region", "Inbox");
    window.says(DONE);
    assert!(stage.home.project_dir().join("made.txt").exists());
    stage.arki(&["verify"]);
}
