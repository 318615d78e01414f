//! A session's past and its queue: going back, what waits to be said, what another program does meanwhile.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use arki_testkit::{Script, Turn};

const PROMPT: &str = "Change two lines";

#[test]
fn going_back_puts_the_file_and_the_words_back() {
    let stage = Stage::trusted(edit_and_say());
    stage.write("src/app.txt", &sixty_lines());
    let window = stage.open();
    window.ask(PROMPT);
    window.click("Accept all");
    window.says(DONE);
    assert!(stage.read("src/app.txt").contains("LINE FIVE"));

    window.click("Rewind to here");
    let dialog = window.element("dialog", "Rewind to this message");
    wait_until("the dry run", || dialog.text().contains("src/app.txt"));
    assert!(stage.read("src/app.txt").contains("LINE FIVE"), "looking changed something");
    window.pictures("rewind");
    no_barrier(&window, "the question what to rewind");
    dialog.inside("button", "Rewind").click();
    window.gone("dialog", "Rewind to this message");
    wait_until("the file", || stage.read("src/app.txt") == sixty_lines());
    let message = window.element("textbox", "Message");
    wait_until("the words", || message.ask("return arguments[0].value") == PROMPT);
    window.pictures("rewound");
    no_barrier(&window, "a session that was rewound");
    let rewound = stage.events().into_iter().find(|event| event["type"] == "session.rewound").unwrap();
    assert_eq!((&rewound["payload"]["files"], &rewound["payload"]["conversation"]), (&true.into(), &true.into()));
    stage.arki(&["verify"]);
}

#[test]
fn what_is_said_meanwhile_waits_and_is_sent_when_asked_for() {
    let stage = Stage::trusted(Script::new(vec![Turn::silent(), Turn::text(DONE)]).sequential());
    let window = stage.open();
    window.ask("Take your time");
    assert!(stage.model.wait_until(|journal| journal.requests.len() == 1), "the model was not asked");
    window.element("button", "Stop");
    window.ask("And the tests, please");
    let queue = window.element("region", "Queued messages");
    wait_until("the queued message", || queue.text().contains("And the tests, please"));
    window.pictures("queued");
    window.click("Stop");
    window.gone("button", "Stop");
    window.click("Send next");
    window.says(DONE);
    window.gone("region", "Queued messages");
    assert!(stage.request(2).contains("And the tests, please"));
}

#[test]
fn a_session_of_another_program_shows_without_asking() {
    let stage = Stage::trusted(Script::new(vec![Turn::text(DONE)]));
    let window = stage.open();
    stage.arki(&["exec", "From the terminal"]);
    let sessions = window.element("navigation", "Sessions");
    wait_until("the session in the list", || sessions.text().contains("From the terminal"));
    sessions.inside("button", "From the terminal").click();
    window.says(DONE);
}
