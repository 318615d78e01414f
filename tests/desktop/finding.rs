//! Finding in the whole session, whatever of it is seen.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, ENTER, ESCAPE, Stage, Window, wait_until};
use arki_testkit::{Script, Turn};

/// The places that are marked, and whether the row that was found is in sight.
const MARKED: &str = r"
    const row = document.querySelector('.row.found')?.getBoundingClientRect();
    const log = document.querySelector('[role=log]').getBoundingClientRect();
    const isSeen = row !== undefined && row.bottom > log.top && row.top < log.bottom;
    return isSeen ? (CSS.highlights.get('found')?.size ?? 0) : 0;
";

fn lands_on(window: &Window<'_>, words: &str) {
    wait_until(&format!("{words:?} in sight and marked"), || {
        let row = window.run("return document.querySelector('.row.found')?.innerText ?? ''");
        row.as_str().unwrap().contains(words) && window.run(MARKED) == 1
    });
}

#[test]
fn words_are_found_in_the_whole_session_and_marked() {
    let lines: String = (1..=80).map(|number| format!("- line {number} of an answer\n")).collect();
    let stage = Stage::trusted(Script::new(vec![Turn::text(lines)]));
    stage.arki(&["exec", "Why does the parser fail?"]);
    let session = stage.events()[0]["sessionId"].as_str().unwrap().to_owned();
    for prompt in ["Go on", "Is the parsing over?", "Go on"] {
        stage.arki(&["exec", "--session", &session, prompt]);
    }
    let window = stage.open();
    window.element("navigation", "Sessions").inside("button", "Why does the parser fail?").click();
    window.says("line 80 of an answer");
    window.press(&[CONTROL, "f"]);
    let field = window.element("searchbox", "Find in this session");
    field.write("pars");
    window.says("2 of 2");
    lands_on(&window, "Is the parsing over?");
    window.press(&[ENTER]);
    window.says("1 of 2");
    lands_on(&window, "Why does the parser fail?");
    assert!(field.is_focused());
    window.pictures("find-in-session");
    no_barrier(&window, "finding in a session");
    window.press(&[ESCAPE]);
    window.gone("searchbox", "Find in this session");
    assert!(window.element("textbox", "Message").is_focused());
}

/// Answers if the first mark is in sight as a whole.
const MARK_IN_SIGHT: &str = r"
    const [range] = CSS.highlights.get('found') ?? [];
    if (range === undefined) return false;
    const place = new Range();
    place.setStart(range.startContainer, range.startOffset);
    place.setEnd(range.endContainer, range.endOffset);
    const { top, bottom, height } = place.getBoundingClientRect();
    const log = document.querySelector('[role=log]').getBoundingClientRect();
    return height > 0 && top >= log.top && bottom <= log.bottom;
";

#[test]
fn words_deep_in_a_long_answer_are_brought_into_sight() {
    let lines: String = (1..=600).map(|number| format!("let x{number} = {number};\n")).collect();
    let answer = format!("Here it is:\n\n```rust\n{lines}```\n\nThe footnote is at its end.");
    let stage = Stage::trusted(Script::new(vec![Turn::text(answer)]));
    stage.arki(&["exec", "Write much"]);
    let window = stage.open();
    window.element("navigation", "Sessions").inside("button", "Write much").click();
    window.says("The footnote");
    window.press(&[CONTROL, "f"]);
    let field = window.element("searchbox", "Find in this session");
    for words in ["x550", "x20 ", "footnote", "x300"] {
        window.press(&[CONTROL, "a"]);
        field.write(words);
        wait_until(&format!("{words} in sight"), || {
            let marked =
                window.run("return [...(CSS.highlights.get('found') ?? [])][0]?.startContainer.textContent ?? ''");
            marked.as_str().unwrap().contains(words.trim()) && window.run(MARK_IN_SIGHT) == true
        });
    }
}

#[test]
fn words_of_another_session_are_found_in_the_palette_and_lead_there() {
    let stage = Stage::trusted(Script::new(vec![Turn::text("The zeppelin is in the third hangar.")]));
    stage.arki(&["exec", "Where is it kept?"]);
    let window = stage.open();
    window.element("textbox", "Message");
    window.press(&[CONTROL, "k"]);
    let palette = window.element("dialog", "Command palette");
    window.write("ept");
    wait_until("the session, by a part of its title", || palette.text().contains("Where is it kept?"));
    window.press(&[ESCAPE]);
    window.gone("dialog", "Command palette");
    window.press(&[CONTROL, "k"]);
    let palette = window.element("dialog", "Command palette");
    window.write("zeppel");
    wait_until("what was found", || {
        palette.text().contains("Where is it kept?") && palette.text().contains("zeppelin")
    });
    window.pictures("search-hits");
    no_barrier(&window, "what was found in all sessions");
    window.press(&[ENTER]);
    window.gone("dialog", "Command palette");
    window.element("heading", "Where is it kept?");
    wait_until("its words", || window.transcript().contains("third hangar"));
    no_barrier(&window, "a session that was found");
}
