//! What the model asks the user: a card with a box to answer in, which outlives the window.

use crate::harness::{CONTROL, DOWN, ENTER, Stage, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};
use serde_json::json;

const QUESTION: &str = "Which colour shall the roof have?";
const DARK: &str = "A blue that is rather dark, and under the snow almost black, as old slate is";

fn asks_and_says() -> Script {
    let question = json!({"question": QUESTION, "options": ["Red", DARK]});
    Script::new(vec![Turn::text("Two would do.").call("ask_user", question), Turn::text(DONE)])
}

#[test]
fn a_question_is_answered_by_an_option_and_the_model_is_told() {
    let stage = Stage::trusted(asks_and_says());
    let window = stage.open();
    window.ask("Paint the house");
    let option = window.element("button", DARK);
    wait_until("its number in the title", || {
        window.run("return document.title").as_str().is_some_and(|title| title.starts_with("(1) "))
    });
    assert!(window.transcript().contains(QUESTION));
    window.element("textbox", "Your answer");
    window.pictures("question");

    // Away from the message box by one key, and on to the second option.
    window.press(&[CONTROL, "j"]);
    let first = window.element("button", "Red");
    first.gets_focus();
    window.press(&[DOWN]);
    option.gets_focus();
    window.pictures("question-with-focus");
    window.press(&[ENTER]);
    window.says(DONE);
    assert!(stage.request(2).contains(DARK), "{}", stage.request(2));
    window.gone("textbox", "Your answer");
    assert!(window.transcript().contains(DARK));
    window.pictures("question-answered");
    let message = window.element("textbox", "Message");
    message.gets_focus();
    stage.arki(&["verify"]);
}

#[test]
fn a_question_outlives_the_window_and_is_answered_in_ones_own_words_anywhere() {
    let stage = Stage::trusted(asks_and_says());
    let window = stage.open();
    window.ask("Paint the house");
    window.element("button", "Red");
    stage.close(window);

    let session = stage.events()[0]["sessionId"].as_str().unwrap().to_owned();
    assert!(stage.arki(&["sessions", "list"]).stdout.contains("waiting"));
    let shown = stage.try_arki(&["resume", &session]);
    assert_eq!(shown.code, Some(3), "{shown:?}");
    assert!(shown.stderr.contains(QUESTION) && shown.stderr.contains(DARK), "{shown:?}");
    assert!(stage.arki(&["approvals", "list"]).stderr.contains(QUESTION));

    let window = stage.open();
    window.element("button", "Red");
    stage.close(window);
    let answered = stage.arki(&["resume", &session, "--answer", "Leave it as it is"]);
    assert!(answered.stdout.contains(DONE), "{answered:?}");
    assert!(stage.request(2).contains("Leave it as it is"));
    let twice = stage.try_arki(&["resume", &session, "--answer", "Red"]);
    assert_eq!(twice.code, Some(2), "{twice:?}");
    assert!(twice.stderr.contains("QUESTION_NOT_FOUND"), "{twice:?}");
}

#[test]
fn a_question_is_one_key_away_from_another_session_and_takes_the_focus() {
    let question = json!({"question": QUESTION});
    let asks = Turn::computed(move |request| {
        if request.to_string().contains("Paint the house") {
            return Turn::text("One thing first.").call("ask_user", question.clone());
        }
        Turn::text("Of course.")
    });
    let stage = Stage::trusted(Script::new(vec![asks, Turn::text(DONE)]));
    let window = stage.open();
    window.ask("Paint the house");
    window.element("textbox", "Your answer");
    for _ in 0..3 {
        window.click("New session");
        window.gone("textbox", "Your answer");
        window.press(&[CONTROL, "j"]);
        let answer = window.element("textbox", "Your answer");
        answer.gets_focus();
    }
    // Where it is shown already, from the message box.
    window.press(&[CONTROL, "l"]);
    let message = window.element("textbox", "Message");
    message.gets_focus();
    window.press(&[CONTROL, "j"]);
    let answer = window.element("textbox", "Your answer");
    answer.gets_focus();
}
