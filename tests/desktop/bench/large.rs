//! A long life: a session of 100,000 events among 10,000 sessions, opened, filtered, and left alone.

use super::empty_window;
use super::start::median;
use crate::harness::account::{Account, Threads};
use crate::harness::{Stage, Window, wait_until};
use arki_domain::{Event, EventId, GENESIS_HASH, RunId, SessionId};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::fmt;
use std::thread;
use std::time::Duration;

const EVENTS: usize = 100_000;
const SESSIONS: usize = 10_000;
/// Sessions of one import.
const AT_ONCE: usize = 1_000;
const OPENINGS: usize = 9;
/// Garbage is collected and memory given back for a while after work.
const SETTLING: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(60);

/// The words of the one session that is really run; sessions made from it have others in their place.
const ASKED: &str = "Look at the sixty lines";
const ANSWERED: &str = "There are sixty of them";
/// The title of the long session, and its last words.
const LONG: (&str, &str) = ("The long session", "That was the last word");

/// The arguments are a session's row and a word of its end. Answers with the milliseconds from the click until a frame
/// that has the word in it is over.
const OPEN: &str = r"
    const [title, words, done] = arguments;
    const row = [...document.querySelectorAll('nav button.session')].find((row) => row.textContent.includes(title));
    const began = performance.now();
    row.click();
    const look = () => {
        const log = document.querySelector('[role=log]');
        if (log === null || !log.innerText.includes(words)) requestAnimationFrame(look);
        else requestAnimationFrame(() => done(performance.now() - began));
    };
    look();
";

/// Types what is to be found, a character at a time, and deletes it again, by the commands that keys give: to set a focused
/// field's value costs WebKit 4 ms more. Answers with the milliseconds that each key takes until the frame with its rows in
/// it is drawn, that it takes while the list hears nothing of it, and with the key's longest frame of the two that follow.
const FILTER: &str = r"
    const [words, done] = arguments;
    const field = document.querySelector('input[type=search]');
    const frame = () => new Promise(requestAnimationFrame);
    // A frame's message comes when what that frame has to draw is drawn. One channel: each that was made slows all later ones.
    const { port1, port2 } = new MessageChannel();
    const drawn = () => new Promise((over) => {
        port1.onmessage = () => over(performance.now());
        port2.postMessage(null);
    });
    const longestFrom = async (before) => {
        const next = await frame();
        return Math.max(next - before, (await frame()) - next);
    };
    const unheard = (event) => event.stopImmediatePropagation();
    const press = async (key) => {
        const before = await frame();
        const began = performance.now();
        if (key === null) document.execCommand('delete');
        else document.execCommand('insertText', false, key);
        const [over, longest] = await Promise.all([drawn(), longestFrom(before)]);
        await frame();
        return [over - began, longest];
    };
    const pressUnheard = async (key) => {
        window.addEventListener('input', unheard, true);
        const [took] = await press(key);
        window.removeEventListener('input', unheard, true);
        return took;
    };
    const keys = [];
    const type = async (key) => {
        // First the list hears nothing of it: only the browser has something to do.
        const alone = await pressUnheard('x');
        await pressUnheard(null);
        const [took, longest] = await press(key);
        keys.push([took, alone, longest]);
    };
    (async () => {
        field.focus();
        await frame();
        for (const key of words) await type(key);
        const rows = [...document.querySelectorAll('nav button.session')];
        const fits = (row) => words.split(' ').every((word) => row.textContent.includes(word));
        const wrong = rows.length === 0 ? 'none' : rows.find((row) => !fits(row))?.textContent;
        for (const _ of words) await type(null);
        field.blur();
        done(wrong === undefined && field.value === '' ? keys : 'the list shows other sessions: ' + wrong);
    })();
";

/// Looks for a text that is nowhere in the long session. Answers with the milliseconds until that is known.
const FIND: &str = r"
    const [sessionId, done] = arguments;
    const began = performance.now();
    const params = { sessionId, text: 'nowhere to be found', limit: 1000 };
    window.__TAURI_INTERNALS__.invoke('call', { name: 'find_in_session', params }).then(
      (hits) => done(hits.length === 0 ? performance.now() - began : 'found'), (error) => done(error));
";
const FINDINGS: usize = 5;

pub(super) fn measure() {
    let stage = Stage::trusted(Script::new(vec![
        Turn::text("Let me look.").call("read_file", json!({"path": "src/app.txt"})),
        Turn::text(ANSWERED),
    ]));
    let empty = {
        let window = stage.open_program(&empty_window());
        let figures = left_alone(&stage);
        stage.close(window);
        figures
    };
    stage.arki(&["exec", ASKED]);
    let model: Vec<Event> = stage.events().iter().map(|event| serde_json::from_value(event.clone()).unwrap()).collect();
    for begin in (0..SESSIONS).step_by(AT_ONCE) {
        import(&stage, "many", (begin..begin + AT_ONCE).map(|number| numbered(&model, number)));
    }
    import(&stage, "long", [long(&model)].into_iter());

    let window = stage.open();
    wait_until("the sessions", || !window.elements("button", Some(LONG.0)).is_empty());
    let mut openings = Vec::new();
    for opening in 0..=OPENINGS {
        opened(&window, &title(SESSIONS - 1), "There are 9999 of them");
        let took = opened(&window, LONG.0, LONG.1);
        // The first fills the page cache.
        if opening > 0 {
            openings.push(took);
        }
    }
    let find = || window.run_async_with(FIND, &[json!("session-long")]).as_f64().expect("the time of finding");
    let finding = median((0..FINDINGS).map(|_| find()));
    let keys = filtered(&window, &title(77));
    let alone = left_alone(&stage);
    window.picture("bench-large");
    stage.close(window);
    report(openings, finding, &keys, &alone, &empty);
}

struct Alone {
    /// The share of one processor.
    cpu: f64,
    pss_kib: f64,
    /// The threads that were awake, the busiest first, with the processor time that each took.
    awake: Vec<(String, Duration)>,
}

/// So many of them are told.
const BUSIEST: usize = 6;

fn left_alone(stage: &Stage) -> Alone {
    thread::sleep(SETTLING);
    let (first, threads) = (Account::of(stage.app()), Threads::of(stage.app()));
    thread::sleep(IDLE);
    let (last, awake) = (Account::of(stage.app()), Threads::of(stage.app()).since(&threads));
    let cpu = (last.cpu - first.cpu).as_secs_f64() / IDLE.as_secs_f64();
    Alone { cpu, pss_kib: last.pss_kib as f64, awake }
}

fn opened(window: &Window<'_>, title: &str, words: &str) -> f64 {
    window.run_async_with(OPEN, &[json!(title), json!(words)]).as_f64().unwrap()
}

/// The milliseconds of each key of the filter.
struct Keys {
    until_drawn: Spread,
    /// The same keys while the list hears nothing of them.
    alone: Spread,
    frame: Spread,
}

struct Spread {
    median: f64,
    most: f64,
    longest: f64,
}

impl Spread {
    fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let (most, longest) = (values[values.len() * 95 / 100], values[values.len() - 1]);
        Self { median: median(values.into_iter()), most, longest }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ms, 95 % within {:.1} ms, the longest {:.1} ms", self.median, self.most, self.longest)
    }
}

fn filtered(window: &Window<'_>, words: &str) -> Keys {
    let keys = window.run_async_with(FILTER, &[json!(words)]);
    let keys: Vec<[f64; 3]> = serde_json::from_value(keys.clone()).unwrap_or_else(|_| panic!("{keys}"));
    let spread = |part: usize| Spread::of(keys.iter().map(|key| key[part]).collect());
    Keys { until_drawn: spread(0), alone: spread(1), frame: spread(2) }
}

fn title(number: usize) -> String {
    format!("Look at the {number} lines")
}

fn numbered(model: &[Event], number: usize) -> String {
    let (asked, answered) = (title(number), format!("There are {number} of them"));
    let mut chain = Chain::new(&model[0].session_id, format!("session-{number}"), number);
    model.iter().for_each(|event| chain.add(event, "run", &[(ASKED, &asked), (ANSWERED, &answered)]));
    chain.lines
}

/// The same run again and again.
fn long(model: &[Event]) -> String {
    let begins = model.iter().position(|event| event.kind == "run.started").unwrap();
    let (head, run) = model.split_at(begins);
    let mut chain = Chain::new(&model[0].session_id, "session-long".to_owned(), SESSIONS);
    head.iter().for_each(|event| chain.add(event, "run", &[(ASKED, LONG.0)]));
    for number in 0..EVENTS / run.len() {
        let is_last = number + 1 == EVENTS / run.len();
        let call = format!("call-{number}-");
        let answered = if is_last { LONG.1 } else { ANSWERED };
        for event in run {
            chain.add(event, &format!("run-{number}"), &[(ASKED, LONG.0), (ANSWERED, answered), ("call_", &call)]);
        }
    }
    chain.lines
}

/// The lines of one session's export.
struct Chain {
    of: SessionId,
    session: String,
    /// The list has the newest at its top.
    later_ms: i64,
    seq: u64,
    prev_hash: String,
    lines: String,
}

impl Chain {
    fn new(of: &SessionId, session: String, place: usize) -> Self {
        let (prev_hash, lines) = (GENESIS_HASH.to_owned(), String::new());
        Self { of: of.clone(), session, later_ms: 1000 + place as i64, seq: 0, prev_hash, lines }
    }

    /// Adds another event like this one, with other words in it.
    fn add(&mut self, like: &Event, run: &str, others: &[(&str, &str)]) {
        self.seq += 1;
        let mut payload = like.payload.get().replace(self.of.as_str(), &self.session);
        for (words, other) in others {
            payload = payload.replace(words, other);
        }
        let run_id = like.run_id.as_ref().map(|_| RunId::from(format!("{}-{run}", self.session)));
        let mut event = Event {
            event_id: EventId::from(format!("{}-{}", self.session, self.seq)),
            run_id,
            session_id: SessionId::from(self.session.clone()),
            seq: self.seq,
            ts: like.ts + self.later_ms,
            payload: serde_json::value::RawValue::from_string(payload).unwrap(),
            prev_hash: std::mem::take(&mut self.prev_hash),
            ..like.clone()
        };
        event.hash = event.computed_hash().unwrap();
        self.lines.push_str(&serde_json::to_string(&event).unwrap());
        self.lines.push('\n');
        self.prev_hash = event.hash;
    }
}

fn import(stage: &Stage, name: &str, sessions: impl Iterator<Item = String>) {
    let file = stage.home.project_dir().with_file_name(format!("{name}.jsonl"));
    std::fs::write(&file, sessions.collect::<String>()).unwrap();
    stage.arki(&["sessions", "import", &file.display().to_string()]);
}

fn report(mut openings: Vec<f64>, finding: f64, keys: &Keys, alone: &Alone, empty: &Alone) {
    openings.sort_by(f64::total_cmp);
    let (opening, slowest) = (median(openings.iter().copied()), openings[openings.len() - 1]);
    let memory = alone.pss_kib / empty.pss_kib;
    println!("\nA session of {EVENTS} events among {SESSIONS} sessions");
    println!("  opening it, median of {OPENINGS}: {opening:.0} ms, slowest {slowest:.0} ms");
    println!("  finding that a text is nowhere in it, median of {FINDINGS}: {finding:.0} ms");
    println!("  a key in the filter until its rows are drawn: {}", keys.until_drawn);
    println!("  the same key while the list hears nothing of it: {}", keys.alone);
    println!("  its longest frame: {}", keys.frame);
    println!(
        "  processor when nothing happens: {:.3} %, the empty window {:.3} %",
        alone.cpu * 100.0,
        empty.cpu * 100.0
    );
    for (thread, time) in alone.awake.iter().take(BUSIEST) {
        println!("    {thread}: {:.1} ms in {} s", time.as_secs_f64() * 1000.0, IDLE.as_secs());
    }
    println!("  memory: {:.0} MiB, {memory:.2} times the empty window's", alone.pss_kib / 1024.0);
    println!(
        "{}",
        json!({
            "bench": "window", "what": "large", "events": EVENTS, "sessions": SESSIONS, "openMs": opening,
            "slowestOpenMs": slowest, "findMs": finding, "filterMs": keys.until_drawn.median,
            "filter95Ms": keys.until_drawn.most, "longestFilterMs": keys.until_drawn.longest, "filterAloneMs": keys.alone.median,
            "filterFrameMs": keys.frame.median, "idleCores": alone.cpu, "emptyIdleCores": empty.cpu, "kib": alone.pss_kib, "emptyKib": empty.pss_kib, "memoryToEmpty": memory,
        })
    );
}
