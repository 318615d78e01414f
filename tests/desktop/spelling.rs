//! A word that no dictionary knows is underlined where one writes.

use crate::harness::{Element, Rect, Stage, wait_until};
use arki_testkit::Script;

/// As WebKit underlines.
fn is_reddish([red, green, blue]: [u8; 3]) -> bool {
    red > green.saturating_add(60) && red > blue.saturating_add(60)
}

fn rect_of(field: &Element<'_>) -> Rect {
    let sides = field.ask(
        "const { left, top, right, bottom } = arguments[0].getBoundingClientRect(); return [left, top, right, bottom]",
    );
    let side = |at: usize| sides[at].as_f64().unwrap() as usize;
    Rect { left: side(0), top: side(1), right: side(2), bottom: side(3) }
}

#[test]
fn a_misspelled_word_of_a_message_is_underlined_until_it_is_mended() {
    let stage = Stage::trusted(Script::new(Vec::new()));
    let window = stage.open();
    let field = window.element("textbox", "Message");
    let is_underlined = || window.picture("spelling").has(rect_of(&field), is_reddish);
    let says = |words: &str| {
        field.ask("arguments[0].focus(); arguments[0].select()");
        field.write(words);
    };
    // What was written before the dictionaries came is not looked at again.
    wait_until("the misspelled word to be underlined", || {
        says("A mistaek in it ");
        is_underlined()
    });
    says("A mistake in it ");
    wait_until("no word to be underlined", || !is_underlined());
}
