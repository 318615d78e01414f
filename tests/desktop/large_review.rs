//! A change of 50 MB in 100 files is reviewed like any other: folded, in pages, and exact.

use crate::harness::{Stage, wait_until};
use crate::scenes::DONE;
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::time::{Duration, Instant};

const FILES: usize = 100;
const LINES: usize = 10_000;
/// Between a click and what it shows; a debug build under load is not fast.
const PATIENCE: Duration = Duration::from_secs(10);

fn name(number: usize) -> String {
    format!("data/{number:03}.txt")
}

/// Half a megabyte.
fn content(number: usize) -> String {
    (0..LINES).map(|line| format!("{number} {line} what stands in this line of the file, as it is\n")).collect()
}

#[test]
fn a_change_of_fifty_megabytes_is_reviewed_file_by_file() {
    let patch: String = (1..=FILES).map(|number| format!("*** Delete File: {}\n", name(number))).collect();
    let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
    let script = Script::new(vec![Turn::calls().call("apply_patch", json!({ "patch": patch })), Turn::text(DONE)]);
    let stage = Stage::trusted(script);
    for number in 1..=FILES {
        stage.write(&name(number), &content(number));
    }
    let window = stage.open();
    window.ask("Clear the data");
    for number in [1, 50, FILES] {
        window.element("region", &name(number));
    }
    let rows = "return document.querySelectorAll('article.approval .diff-row').length";
    assert_eq!(window.run(rows), 0, "nothing is drawn before it is unfolded");
    window.pictures("large-review");

    let began = Instant::now();
    let file = window.element("region", &name(7));
    file.inside("button", "Unfold").click();
    wait_until("the first page", || window.text().contains("7 0 what stands in this line of the file"));
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    window.pictures("large-review-file");
    let hidden = r"
        const words = [...document.querySelectorAll('button')].map((button) => button.textContent);
        return Number(words.find((text) => /more lines$/.test(text))?.replace(/\D/g, '') ?? 0);
    ";
    let first_page = window.run(hidden).as_u64().unwrap_or_default();
    assert!(first_page > 0 && window.run(rows).as_u64().is_some_and(|rows| rows < 1_000), "a page is drawn in part");
    file.inside("button", "Show more").click();
    wait_until("the next page", || window.run(hidden).as_u64().is_some_and(|lines| lines > first_page));

    let scroll =
        format!("document.querySelector('section[aria-label=\"{}\"]').scrollIntoView({{block: 'center'}})", name(9));
    window.run(&scroll);
    let kept = window.element("region", &name(9));
    kept.inside("button", "Unfold").click();
    kept.inside("button", "Reject file").click();
    window.click("Accept all");
    window.says(DONE);
    for number in 1..=FILES {
        assert_eq!(stage.home.project_dir().join(name(number)).exists(), number == 9, "{number}");
    }
    stage.arki(&["verify"]);
}

/// One file, of which the 20th line changes and all from the 101st on.
#[test]
fn a_large_change_shows_what_is_around_a_hunk_and_can_be_allowed_for_the_session() {
    let file = |twentieth: &str, rest: &str| -> String {
        let line = |number| match number {
            20 => format!("{twentieth}\n"),
            ..=100 => format!("note {number}\n"),
            _ => format!("{number} {rest} stands in this line of the file, as it is\n"),
        };
        (1..=6 * LINES).map(line).collect()
    };
    let after = file("note twenty", "this");
    let write = json!({"path": "notes.txt", "content": after});
    let stage = Stage::trusted(Script::new(vec![Turn::calls().call("write_file", write)]));
    stage.write("notes.txt", &file("note 20", "what"));
    let window = stage.open();
    window.ask("Rewrite the notes");
    let card = window.element("region", "notes.txt");
    window.element("button", "Always approve");
    card.inside("button", "Unfold").click();
    card.inside("button", "Show lines above").click();
    wait_until("the file's first line", || card.text().contains("note 1\n"));
    card.inside("button", "Show lines below").click();
    wait_until("lines below", || card.text().contains("note 43\n"));
    window.pictures("large-review-around");
    window.click("Approve for this session");
    let notes = stage.home.project_dir().join("notes.txt");
    wait_until("the change on disk", || std::fs::read_to_string(&notes).unwrap() == after);
    let granted = stage.arki(&["approvals", "granted", "last"]).stdout;
    assert!(granted.contains("notes.txt"), "no rule is kept: {granted}");
}
