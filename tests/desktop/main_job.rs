//! Open a folder, trust it, ask, watch, review the change hunk by hunk, find it on disk, and the session again.

use crate::harness::{Stage, wait_until};
use crate::scenes::{sixty_lines, two_edits};
use arki_testkit::{Script, Turn};
use std::time::Duration;

const PROMPT: &str = "Write the numbers out";
const FIRST_WORDS: &str = "Let me change";
const LAST_WORDS: &str = "both of them now.";

fn script() -> Script {
    let words = format!("{FIRST_WORDS} the two lines you mean, one near the start and one near the end, {LAST_WORDS}");
    let turns = vec![
        Turn::text(words).call("edit_file", two_edits()).chunk_pause(Duration::from_millis(100)),
        Turn::text("One of them is done."),
    ];
    Script::new(turns).chunk(256)
}

#[test]
fn the_main_job_is_done_in_the_window() {
    let stage = Stage::new(script());
    stage.write("src/app.txt", &sixty_lines());
    stage.write("AGENTS.md", "Be brief.\n");
    let window = stage.open();

    let trust = window.element("dialog", "Trust this folder?");
    assert!(trust.text().contains("AGENTS.md"), "{}", trust.text());
    window.pictures("trust");
    trust.inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    window.pictures("first-words");

    window.ask(PROMPT);
    wait_until("a part of the answer", || {
        let seen = window.transcript();
        assert!(!seen.contains(LAST_WORDS), "the answer came in one piece: {seen}");
        seen.contains(FIRST_WORDS)
    });
    assert!(window.has("button", "Stop"));
    window.picture("streaming-light");

    let diff = window.element("region", "src/app.txt");
    window.says("1 waiting for you");
    window.pictures("review");
    assert_eq!(stage.read("src/app.txt"), sixty_lines(), "nothing is written before the decision");
    diff.all_inside("button", "Reject hunk")[0].click();
    diff.inside("button", "Accept hunk").click();

    window.says("One of them is done.");
    let half = sixty_lines().replace("line 50\n", "LINE FIFTY\n");
    assert_eq!(stage.read("src/app.txt"), half);
    let told = stage.request(2);
    assert!(told.contains("rejected") && told.contains("applied"), "{told}");
    window.pictures("reviewed");
    stage.no_key_in(&window);
    stage.no_key_in_web_processes();
    stage.close(window);

    let window = stage.open();
    assert!(!window.has("dialog", "Trust this folder?"), "asked again about a folder that is trusted");
    window.element("navigation", "Sessions").inside("button", PROMPT).click();
    let log = window.element("log", "Transcript");
    wait_until("the conversation", || log.text().contains("One of them is done.") && log.text().contains(LAST_WORDS));
    window.pictures("reopened");
    stage.no_key_in(&window);
    stage.close(window);
    stage.arki(&["verify"]);
}
