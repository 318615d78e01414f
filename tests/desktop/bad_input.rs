//! What nobody wishes for, in the real window: it is shown, the window answers, and nothing is lost.

use crate::harness::{Screen, Services, Stage, wait_until};
use crate::scenes::{DONE, edit_and_say, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

/// Answers once a frame has been drawn, so that a window which hangs fails the test.
const DRAWS: &str = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))";

#[test]
fn an_answer_of_five_megabytes_in_one_line_is_shown_in_parts_and_kept_whole() {
    let words: Vec<String> = (0..7_000).map(|number| format!("w{number} ").repeat(120)).collect();
    assert!(words.iter().map(String::len).sum::<usize>() > 4_500_000);
    let pieces = words.iter().map(String::as_str).chain(["theverylast"]);
    let stage = Stage::trusted(Script::new(vec![Turn::pieces(pieces), Turn::text(DONE)]).sequential());
    let window = stage.open();
    window.ask("Go on for long");
    window.says("characters are left");
    window.picture("bad-long-line");
    window.button_saying("Show more").click();
    assert!(window.run_async(DRAWS) == true);
    wait_until("the end of it", || stage.events().iter().any(|event| event["type"] == "run.completed"));
    let events = stage.events();
    let answer = events.iter().find(|event| event["type"] == "output.message").unwrap();
    assert!(answer["payload"]["content"].as_str().unwrap().ends_with("theverylast"));
    window.ask("And now?");
    window.says(DONE);
}

#[test]
fn ten_thousand_calls_of_a_run_are_folded_and_the_window_answers() {
    const TURNS: usize = 40;
    let reads = |turn: usize| {
        (0..250).fold(Turn::text(format!("I look at part {turn}.")), |calls, number| {
            calls.call("read_file", json!({"path": format!("src/part-{turn}/{number}.txt")}))
        })
    };
    let turns = (0..TURNS).map(reads).chain([Turn::text(DONE), Turn::text("I still listen.")]);
    let stage = Stage::trusted(Script::new(turns.collect()).sequential());
    let window = stage.open();
    window.ask("Look at everything");
    for turn in (0..=TURNS).step_by(2) {
        wait_until("the next turns", || stage.model.requests().len() > turn);
        assert!(window.run_async(DRAWS) == true);
    }
    window.says(DONE);
    window.button_saying("250 reads");
    window.picture("bad-many-calls");
    window.ask("Do you hear me?");
    window.says("I still listen.");
    stage.arki(&["verify"]);
}

#[test]
fn characters_that_turn_words_around_are_shown_as_such_in_a_command_and_a_diff() {
    let command = json!({"command": "touch 'a\u{202e}txt.exe'"});
    let edit = json!({"path": "src/app.txt", "edits": [{"old_text": "line 5\n", "new_text": "if (user\u{2066} || admin\u{2069})\n"}]});
    let stage = Stage::asking(Script::new(vec![
        Turn::calls().call("run_command", command),
        Turn::calls().call("edit_file", edit),
        Turn::text(DONE),
    ]));
    let window = stage.open();
    window.ask("Do it");
    window.element("button", "Approve");
    assert!(window.text().contains("U+202E"), "{}", window.text());
    window.picture("bad-bidi-command");
    window.click("Reject");
    window.element("region", "src/app.txt");
    let shown = window.text();
    assert!(shown.contains("U+2066") && shown.contains("U+2069"), "{shown}");
    window.picture("bad-bidi-diff");
}

#[test]
fn without_a_desktop_bus_and_a_keychain_the_main_job_is_done_and_a_key_says_why_it_is_not_kept() {
    let stage = Stage::at(Screen::Usual, Services::None, edit_and_say(), |_| Value::Null, &[]);
    stage.write("src/app.txt", &sixty_lines());
    stage.trust();
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    window.click("Accept all");
    window.says(DONE);
    window.picture("bad-no-bus");
}

#[test]
fn a_page_whose_process_is_killed_comes_back_with_its_session() {
    let stage = Stage::trusted(edit_and_say());
    let window = stage.open();
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    let before = stage.pages();
    let shown = window.picture("bad-lost-page");
    stage.kill_pages();
    // The driver has lost its page too, so that the screen alone tells.
    wait_until("another page", || stage.pages().iter().any(|page| !before.contains(page)));
    wait_until("what was shown before", || stage.picture().is_like(&shown));
    stage.close_windows();
    stage.app_ends();
    stage.arki(&["verify"]);
}

#[test]
fn at_a_display_of_three_hundred_per_cent_the_window_is_used_as_ever() {
    let dense = [("GDK_SCALE", "3".to_owned())];
    let stage = Stage::at(Screen::Dense, Services::Usual, edit_and_say(), |_| Value::Null, &dense);
    stage.write("src/app.txt", &sixty_lines());
    stage.trust();
    let window = stage.open();
    assert_eq!(window.run("return window.devicePixelRatio"), 3);
    window.ask("Change two lines");
    window.element("region", "src/app.txt");
    window.picture_of((4320, 2700), "bad-dense");
    window.click("Accept all");
    window.says(DONE);
}
