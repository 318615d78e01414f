//! Words that are read to the left, and a window that is.
//!
//! The window takes its direction from its language, and no language that is read to the left has a catalogue yet. So
//! this sets what `app/locale` would set with such a language: the `dir` of the page.

use crate::accessibility::no_barrier;
use crate::harness::{CONTROL, DOWN, ESCAPE, Element, LEFT, RIGHT, Stage, Window, wait_until};
use crate::scenes::{sixty_lines, two_edits};
use crate::widths::fits;
use arki_testkit::{Script, Turn};
use serde_json::json;

const TITLE: &str = "שתי שורות";
const ANSWER: &str = "أغيّر السطرين معًا";
const DONE: &str = "זה הכול.";

/// Says so in Arabic, shows code, and proposes two edits.
fn script() -> Script {
    let words = format!("{ANSWER}\n\n```python\nprint('to the right')\n```");
    Script::new(vec![Turn::text(words).call("edit_file", two_edits()), Turn::text(DONE)])
}

/// Where the words of the first that fits the selector begin and end, and where the box they stand in does: `[left, right, left, right]`.
const EDGES: &str = "
    const place = document.querySelector(arguments[0]);
    const words = document.createRange();
    words.selectNodeContents(place);
    const [line, box] = [words.getBoundingClientRect(), place.getBoundingClientRect()];
    return [line.left, line.right, box.left, box.right];";

fn edges(window: &Window<'_>, selector: &str) -> [f64; 4] {
    serde_json::from_value(window.run_with(EDGES, &[json!(selector)])).unwrap()
}

fn number(element: &Element<'_>, script: &str) -> f64 {
    element.ask(script).as_f64().unwrap()
}

fn left(element: &Element<'_>) -> f64 {
    number(element, "return arguments[0].getBoundingClientRect().left")
}

fn width(element: &Element<'_>) -> f64 {
    number(element, "return arguments[0].getBoundingClientRect().width")
}

/// The innermost direction of whatever fits the selector, one for each.
fn directions(window: &Window<'_>, selector: &str) -> Vec<String> {
    let script = "return [...document.querySelectorAll(arguments[0])].map((one) => getComputedStyle(one).direction)";
    serde_json::from_value(window.run_with(script, &[json!(selector)])).unwrap()
}

#[track_caller]
fn all_read(window: &Window<'_>, selector: &str, direction: &str) {
    let found = directions(window, selector);
    assert!(!found.is_empty() && found.iter().all(|one| one == direction), "{selector}: {found:?}");
}

#[track_caller]
fn is_fine(window: &Window<'_>, view: &str) {
    fits(window, view);
    no_barrier(window, view);
}

#[test]
fn a_window_read_to_the_left_is_used_from_trust_to_settings() {
    let stage = Stage::new(script());
    stage.write("src/app.txt", &sixty_lines());
    stage.write("AGENTS.md", "Be brief.\n");
    let window = stage.open();
    let trust = window.element("dialog", "Trust this folder?");
    window.run("document.documentElement.dir = 'rtl'");
    is_fine(&window, "the question of trust, read to the left");
    trust.inside("button", "Trust folder").click();
    window.gone("dialog", "Trust this folder?");
    is_fine(&window, "the first view, read to the left");

    window.ask(TITLE);
    let diff = window.element("region", "src/app.txt");
    let [sessions, main, inspector] =
        [("navigation", "Sessions"), ("main", "Conversation"), ("complementary", "Inspector")]
            .map(|(role, name)| window.element(role, name));
    assert!(left(&sessions) > left(&main) && left(&main) > left(&inspector), "the columns are not mirrored");
    is_fine(&window, "a review, read to the left");
    all_read(&window, ".diff, .diff-row, [role=log] pre, [role=log] code", "ltr");
    all_read(&window, ".status", "rtl");
    let [begins, ends, from, to] = edges(&window, ".tool-main");
    assert!(to - ends < 2.0, "the path is away from its tool: {begins} to {ends} in {from} to {to}");
    window.pictures("right-to-left");

    walks_the_other_way(&window);
    window.press(&[CONTROL, "1"]);
    diff.all_inside("button", "Accept hunk")[0].click();
    diff.inside("button", "Accept hunk").click();
    window.says(DONE);
    assert!(stage.read("src/app.txt").contains("LINE FIFTY"));

    window.press(&[CONTROL, ","]);
    let settings = window.element("dialog", "Settings");
    is_fine(&window, "the settings, read to the left");
    settings.inside("tab", "Models & providers").ask("arguments[0].focus()");
    for (tab, view) in [("Rules", "the rules"), ("Hooks, agents & skills", "hooks"), ("MCP servers", "the servers")] {
        window.press(&[DOWN]);
        let next = settings.inside("tab", tab);
        next.gets_focus();
        next.click();
        is_fine(&window, &format!("{view}, read to the left"));
    }
    settings.inside("tab", "All settings").click();
    window.says("limits.maxTurns");
    is_fine(&window, "all settings, read to the left");
    window.pictures("right-to-left-settings");
    window.press(&[ESCAPE]);
    window.gone("dialog", "Settings");
}

/// Tabs, and the borders between columns.
fn walks_the_other_way(window: &Window<'_>) {
    window.element("tab", "Changes").ask("arguments[0].focus()");
    window.press(&[LEFT]);
    let timeline = window.element("tab", "Timeline");
    timeline.gets_focus();
    window.press(&[RIGHT]);
    let changes = window.element("tab", "Changes");
    changes.gets_focus();

    for (border, role, name) in
        [("Width of the sessions", "navigation", "Sessions"), ("Width of the inspector", "complementary", "Inspector")]
    {
        let column = window.element(role, name);
        let before = width(&column);
        window.element("separator", border).ask("arguments[0].focus()");
        // Away from the column's own edge of the window: the sessions are at the right, the inspector at the left.
        window.press(&[if role == "navigation" { LEFT } else { RIGHT }]);
        wait_until(&format!("a wider {name}"), || width(&column) > before);
    }
}

#[test]
fn words_read_to_the_left_are_laid_out_so_in_a_window_read_to_the_right() {
    let stage = Stage::trusted(script());
    let window = stage.open();
    window.ask(TITLE);
    window.click("Accept all");
    window.says(DONE);
    all_read(&window, "html, nav, main, aside", "ltr");
    all_read(&window, ".markdown, .markdown p, .user-text, .main-head h2", "rtl");
    all_read(&window, "[role=log] pre, [role=log] code", "ltr");

    // Words of an answer begin at the right; a title in a list keeps to the list's side.
    let [begins, ends, from, to] = edges(&window, ".markdown p");
    assert!(to - ends < 2.0 && begins - from > 100.0, "the answer: {begins} to {ends} in {from} to {to}");
    let [begins, ends, from, to] = edges(&window, "nav .session .cut");
    assert!(begins - from < 2.0 && to - ends > 0.0, "the title: {begins} to {ends} in {from} to {to}");
    window.pictures("words-read-to-the-left");
    is_fine(&window, "words that are read to the left");

    let message = window.element("textbox", "Message");
    message.write("עוד אחת");
    assert_eq!(message.ask("return getComputedStyle(arguments[0]).direction"), "rtl");
}
