//! The transcript is never blank, whatever comes at once and wherever somebody goes.

use crate::harness::{Stage, Window, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const ROUNDS: usize = 50;

/// How many of nine places down the middle of what is seen show nothing of the conversation.
const BLANK_PLACES: &str = r"
    const log = document.querySelector('[role=log]');
    const { left, top, width, height } = log.getBoundingClientRect();
    const isBlank = (part) => {
        const y = top + (height * part) / 10;
        const seen = [0.3, 0.4, 0.5].map((x) => document.elementFromPoint(left + width * x, y));
        const lines = [...log.querySelectorAll('.row')].filter((row) => {
            const box = row.getBoundingClientRect();
            return box.top <= y && box.bottom >= y && row.innerText.trim() !== '';
        });
        return lines.length === 0 || seen.every((one) => one === null);
    };
    return [1, 2, 3, 4, 5, 6, 7, 8, 9].filter(isBlank).length;
";

/// How much of the conversation, in px, is below what is seen.
const BELOW: &str = r"
    const log = document.querySelector('[role=log]');
    return log.scrollHeight - log.scrollTop - log.clientHeight;
";

/// The view is higher for a moment that no frame shows, as when what is below it is drawn twice at once.
const GROW_AND_SHRINK: &str = r"
    const log = document.querySelector('[role=log]');
    log.style.bottom = '-19px';
    log.getBoundingClientRect();
    log.style.bottom = '';
";

/// As a wheel does, also where it is at the top already.
const TO_TOP: &str = r"
    const log = document.querySelector('[role=log]');
    log.focus();
    log.scrollTop = 0;
    log.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, bubbles: true }));
";

/// A person's small scroll up, after which the end is still near.
const SCROLL_A_LITTLE: &str = r"
    const log = document.querySelector('[role=log]');
    log.dispatchEvent(new WheelEvent('wheel', { deltaY: -20, bubbles: true }));
    log.scrollTop -= 20;
";
/// Long enough for the scroll to be heard of, and for several frames.
const SOME_FRAMES: Duration = Duration::from_millis(500);

/// The last code block that has syntax colours.
const COLOURED: &str = r#"
    const words = [...document.querySelectorAll('.code-block code span[style*=\"--code-\"]')];
    return words.at(-1)?.closest('code').innerText ?? '';
"#;

/// Fifty messages by keys would take minutes.
const SEND: &str = r"
    const box = document.querySelector('textarea');
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(box, 'Go on');
    box.dispatchEvent(new Event('input', { bubbles: true }));
    box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
";
/// The box keeps a message until the engine has said that it has it, which may come after the whole answer.
const IS_IDLE: &str = r"
    const isSent = document.querySelector('textarea').value === '';
    return isSent && ![...document.querySelectorAll('button')].some((button) => button.textContent.includes('Stop'));
";

/// Work for half of all processors beside the window, for as long as it lives.
struct Load(std::sync::Arc<AtomicBool>);

impl Load {
    fn start() -> Self {
        let goes_on = std::sync::Arc::new(AtomicBool::new(true));
        for _ in 0..thread::available_parallelism().map_or(1, |all| usize::from(all).div_ceil(2)) {
            let goes_on = goes_on.clone();
            thread::spawn(move || {
                let mut number = 0_u64;
                while goes_on.load(Ordering::Relaxed) {
                    number = std::hint::black_box(number.wrapping_mul(31).wrapping_add(7));
                }
            });
        }
        Self(goes_on)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Thoughts for a while, then an answer taller than the pane in one burst.
fn burst(round: usize) -> Turn {
    let lines: String = (1..=60).map(|line| format!("- line {line} of answer {round}\n")).collect();
    let code = "```rust\nfn main() {}\n```\n";
    let text = format!("# Answer {round}\n\n{lines}\n{code}\nEnd of answer {round}.");
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let thoughts = (0..10).map(|number| delta(json!({"reasoning_content": format!("thought {number} ")})));
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let events: Vec<Value> = thoughts.chain([delta(json!({"content": text})), end]).collect();
    Turn::chunks(&events).chunk_pause(Duration::from_millis(3))
}

#[track_caller]
fn is_full(window: &Window<'_>, when: &str) {
    let mut blank = Value::Null;
    for _ in 0..60 {
        blank = window.run(BLANK_PLACES);
        if blank == 0 {
            return;
        }
        thread::sleep(Duration::from_millis(16));
    }
    panic!("{when}: {blank} of 9 places show nothing");
}

/// The end is in view. Looked at more than once: what came since the last frame is put right before the next is drawn.
#[track_caller]
fn is_followed(window: &Window<'_>, round: usize) {
    let mut below = Value::Null;
    for _ in 0..60 {
        below = window.run(BELOW);
        if below.as_f64().is_some_and(|below| below < 2.0) {
            return;
        }
        thread::sleep(Duration::from_millis(16));
    }
    panic!("answer {round} is not followed: {below} px are below");
}

#[test]
fn an_answer_taller_than_the_pane_that_comes_at_once_after_thinking_shows() {
    let script = Script::new((1..=ROUNDS).map(burst).collect()).sequential().chunk(300);
    let stage = Stage::trusted(script);
    let window = stage.open();
    window.element("textbox", "Message");
    let load = Load::start();
    for round in 1..=ROUNDS {
        window.run(SEND);
        let ended = format!("End of answer {round}.");
        let end = "return document.querySelector('[role=log]')?.lastElementChild.lastElementChild?.innerText ?? ''";
        wait_until(&format!("the end of answer {round}"), || {
            window.run(end).as_str().is_some_and(|text| text.contains(&ended))
        });
        is_full(&window, &format!("after answer {round}"));
        is_followed(&window, round);
        wait_until("the end of the run", || window.run(IS_IDLE) == true);
    }
    drop(load);
    // From a worker, which only a real window starts.
    wait_until("the code's colours", || window.run(COLOURED).as_str() == Some("fn main() {}"));
    window.run(GROW_AND_SHRINK);
    is_followed(&window, ROUNDS);
    window.run(SCROLL_A_LITTLE);
    thread::sleep(SOME_FRAMES);
    assert_eq!(window.run(BELOW).as_f64().map(f64::round), Some(20.0), "a person's scroll was taken back");
    window.pictures("transcript-burst");
}

#[test]
fn home_leads_to_the_first_message_of_a_long_session() {
    // As many as are wanted; thousands take a while to make.
    let calls = std::env::var("ARKI_TEST_CALLS").ok().and_then(|calls| calls.parse().ok()).unwrap_or(2_000);
    let call = |number: usize| ("read_file", json!({"path": "src/app.txt", "offset": number % 50 + 1, "limit": 1}));
    let turn = |turn: usize| {
        (0..20).fold(Turn::text(format!("Step {turn}.")), |all, number| {
            let (name, arguments) = call(turn * 20 + number);
            all.call(name, arguments)
        })
    };
    let mut turns: Vec<Turn> = (0..calls / 20).map(turn).collect();
    turns.push(Turn::text("That was long."));
    let stage = Stage::trusted(Script::new(turns));
    stage.arki(&["exec", "--approve", "all", "--max-turns", "1000", "The very first words"]);
    let window = stage.open();
    let sessions = window.element("navigation", "Sessions");
    sessions.inside("button", "The very first words").click();
    window.says("That was long.");
    let load = Load::start();
    let first = "return document.querySelector('[role=log] .row')?.innerText.includes('The very first words') ?? false";
    for round in 0..ROUNDS {
        let loaded = "return document.querySelector('[role=log] .row').dataset.row";
        let before = window.run(loaded);
        window.run(TO_TOP);
        is_full(&window, &format!("after Home {round}"));
        if window.run(first) == true {
            break;
        }
        wait_until(&format!("an older page after Home {round}"), || window.run(loaded) != before);
        is_full(&window, &format!("with the older page {round}"));
    }
    assert!(window.run(first) == true, "the first message was not reached");
    for round in 1..=ROUNDS {
        window.run("const log = document.querySelector('[role=log]'); log.scrollTop = log.scrollHeight");
        is_full(&window, &format!("after End {round}"));
        window.run("document.querySelector('[role=log]').scrollTop = 0");
        is_full(&window, &format!("after Home {round} with all pages"));
    }
    drop(load);
    window.picture("transcript-home");
    window.run(TO_TOP);
    window.click("Newest");
    window.says("That was long.");
    is_full(&window, "at the end again");
}

#[test]
fn the_end_of_an_answer_under_way_is_left_by_the_scroll_bar() {
    let lines: Vec<String> = (1..=600).map(|line| format!("- line {line}\n")).collect();
    let turn = Turn::pieces(lines.iter().map(String::as_str).collect::<Vec<_>>()).events_a_second(60);
    let stage = Stage::trusted(Script::new(vec![turn]));
    let window = stage.open();
    window.ask("Go on for long");
    let height = || window.run("return document.querySelector('[role=log]')?.scrollHeight ?? 0").as_f64().unwrap();
    wait_until("much to scroll", || height() > 2000.0);
    assert!(window.run(BELOW).as_f64().unwrap() < 100.0, "it does not follow");
    let edge = "const box = document.querySelector('[role=log]').getBoundingClientRect(); \
                return [Math.round(box.right) - 4, Math.round(box.bottom) - 12]";
    let (x, y): (i64, i64) = serde_json::from_value(window.run(edge)).unwrap();
    window.drag((x, y), (x, y - 300));
    let (left_at, before) = (window.run(BELOW).as_f64().unwrap(), height());
    assert!(left_at > 200.0, "the bar did not scroll: {left_at}");
    wait_until("more of the answer", || height() > before + 200.0);
    assert!(window.run(BELOW).as_f64().unwrap() > left_at, "it was drawn back to its end");
}
