//! Several windows of one app, and links that lead to a session.

use crate::harness::{ALT, CONTROL, Stage, wait_until};
use arki_testkit::{Script, Turn, json_lines};
use std::path::Path;

fn answering() -> Stage {
    Stage::trusted(Script::new(vec![Turn::computed(|request| {
        let asked = request.to_string();
        Turn::text(if asked.contains("And here?") { "From the second window." } else { "From the first window." })
    })]))
}

fn session_of(stage: &Stage, title: &str) -> String {
    let sessions = json_lines(&stage.arki(&["sessions", "list", "--json"]).stdout).unwrap();
    let session = sessions.iter().find(|session| session["title"] == title);
    session.unwrap_or_else(|| panic!("{sessions:?}"))["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn two_windows_show_two_sessions_side_by_side_and_one_may_go() {
    let stage = answering();
    let window = stage.open();
    window.ask("Who are you?");
    window.says("From the first window.");

    window.press(&[CONTROL, ALT, "n"]);
    window.switch();
    assert_eq!(window.count(), 2);
    assert!(!window.transcript().contains("From the first window."), "a new window begins a session of its own");
    window.ask("And here?");
    window.says("From the second window.");
    window.picture("second-window");

    window.switch();
    assert!(window.transcript().contains("From the first window."));
    assert!(!window.transcript().contains("From the second window."), "the other window's session is shown here too");
    // Both know of both.
    window.says("And here?");

    window.switch();
    window.close_this();
    assert_eq!(window.count(), 1);
    window.ask("Still there?");
    wait_until("an answer", || window.transcript().matches("From the first window.").count() == 2);
}

#[test]
fn a_link_shows_its_session_and_nothing_else_happens() {
    let stage = answering();
    let window = stage.open();
    window.ask("Who are you?");
    window.says("From the first window.");
    let session = session_of(&stage, "Who are you?");
    window.click("New session");
    wait_until("an empty session", || !window.transcript().contains("From the first window."));

    stage.start_with(&format!("arki://session/{session}"));
    wait_until("the session of the link", || window.transcript().contains("From the first window."));

    window.click("New session");
    wait_until("an empty session", || !window.transcript().contains("From the first window."));
    // These lead nowhere.
    stage.start_with("arki://session/00000000-0000-7000-8000-000000000000");
    stage.start_with(&format!("arki://session/{session}?send=rm"));
    assert_eq!(window.count(), 1);
    assert!(!window.transcript().contains("From the first window."));
    stage.close(window);

    // The link that starts the app.
    let window = stage.open_on(Path::new(&format!("arki://session/{session}")));
    wait_until("the session of the link", || window.transcript().contains("From the first window."));
}
