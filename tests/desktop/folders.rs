//! Two folders in one window: what is shown is what is acted on.

use crate::harness::{Stage, wait_until};
use arki_testkit::{Script, Turn, json_lines};

#[test]
fn a_second_folder_takes_the_window_and_its_messages_with_it() {
    let answer = Turn::computed(|request| {
        let is_second = request.to_string().contains("And where now?");
        Turn::text(if is_second { "From the second." } else { "From the first." })
    });
    let stage = Stage::trusted(Script::new(vec![answer]));
    let second = stage.home.project_dir().with_file_name("garden");
    std::fs::create_dir(&second).unwrap();
    stage.arki(&["trust", &second.display().to_string()]);
    let window = stage.open();
    window.ask("Say where you are");
    window.says("From the first.");

    // As a second start of the app does it: the folder is handed to the window that is open.
    stage.start_again(&second);
    let status = window.element("contentinfo", "Status");
    wait_until("the folder in the status bar", || status.text().contains("garden"));
    assert!(!window.text().contains("From the first."), "the first folder's session is still shown");
    window.says("To a new session in garden");
    window.ask("And where now?");
    window.says("From the second.");
    window.pictures("second-folder");

    let sessions = json_lines(&stage.arki(&["sessions", "list", "--json"]).stdout).unwrap();
    let of = |title: &str| {
        let session = sessions.iter().find(|session| session["title"] == title);
        session.unwrap_or_else(|| panic!("{sessions:?}"))["project"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("And where now?"), second.canonicalize().unwrap().display().to_string());
    assert!(!of("Say where you are").ends_with("garden"));

    // And back by the first one's session: its folder comes with it.
    window.click("Say where you are");
    window.says("From the first.");
    wait_until("the first folder in the status bar", || !status.text().contains("garden"));
}
