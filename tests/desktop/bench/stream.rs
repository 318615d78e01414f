//! 2,000 tokens a second into the window: how evenly it draws, and what that takes.

use super::empty_window;
use super::material::Material;
use super::standstills::{Watch, within};
use crate::harness::account::Account;
use crate::harness::{Stage, Window};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::thread;
use std::time::{Duration, Instant};

const TOKENS_A_SECOND: u32 = 2_000;
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// What the beginning of a stream has filled is not growth.
const SETTLED_AFTER: Duration = Duration::from_secs(6);
/// Nobody has typed a message sooner: the window is still coming to rest.
const TYPING: Duration = Duration::from_secs(3);
/// Goes on for so long after the last token: the end of an answer must not freeze the window either.
const AFTERWARDS: Duration = Duration::from_secs(3);
const LONGEST: Duration = Duration::from_secs(240);
/// A gap between two frames that is seen.
const JERK_MS: f64 = 50.0;
const EMPTY_FOR: Duration = Duration::from_secs(10);

const COUNT_FRAMES: &str = r"
    const seen = (window.seen = { frames: [] });
    const frame = (now) => {
        seen.frames.push(performance.timeOrigin + now);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
";
/// When each was drawn, in milliseconds since 1970.
const FRAMES: &str = "const { frames } = window.seen; window.seen.frames = []; return frames.join(' ')";

/// A gap that is seen as a jerk.
struct Jerk {
    ms: f64,
    /// Seconds since the first frame.
    at: f64,
    /// For so many milliseconds of it the machine stood still.
    still_ms: f64,
}

struct Figures {
    /// Milliseconds, the shortest first.
    gaps: Vec<f64>,
    jerks: Vec<Jerk>,
    /// False where nobody may see the machine stand still.
    is_watched: bool,
    cpu: f64,
    settled_kib: u64,
    end_kib: u64,
    peak_kib: u64,
    seconds: f64,
}

pub(super) fn measure(materials: &[Material]) {
    let empty = of_the_empty_window();
    println!("\nThe window while {TOKENS_A_SECOND} tokens a second come");
    println!(
        "  {:<30} {:>8} {:>8} {:>8} {:>7} {:>7} {:>16} {:>9}",
        "", "95 %", "99 %", "worst", "> 50", "CPU", "memory", "peak"
    );
    report("empty", "an empty window", &empty, &empty);
    for material in materials {
        report(material.name, material.words, &streamed(material), &empty);
    }
}

fn of_the_empty_window() -> Figures {
    let stage = Stage::new(Script::new(vec![Turn::text("")]));
    let window = stage.open_program(&empty_window());
    let figures = watched(&stage, &window, |after| after > EMPTY_FOR);
    drop(window);
    figures
}

fn streamed(material: &Material) -> Figures {
    let turn = Turn::pieces(material.tokens()).events_a_second(TOKENS_A_SECOND);
    let stage = Stage::trusted(Script::new(vec![turn]));
    let window = stage.open();
    window.element("textbox", "Message").write("Go on for long");
    thread::sleep(TYPING);
    window.click("Send");
    let mut ended = None;
    let figures = watched(&stage, &window, |after| {
        let runs = window.run("return document.querySelector('[aria-busy=true]') !== null") == true;
        if !runs && after > Duration::from_secs(4) && ended.is_none() {
            ended = Some(after);
        }
        assert!(after < LONGEST, "the stream did not end");
        ended.is_some_and(|at| after > at + AFTERWARDS)
    });
    let whole = stage.events().into_iter().rfind(|event| event["type"] == "output.message").unwrap();
    assert!(whole["payload"]["content"] == material.text, "the answer is not what was said");
    let at_end =
        "return [...document.querySelectorAll('[role=log]')].some((log) => log.innerText.includes(arguments[0]))";
    let last = material.text.split_whitespace().next_back().unwrap().trim_matches(|c: char| !c.is_alphanumeric());
    assert!(window.run_with(at_end, &[json!(last)]) == true, "the end of the answer is not to be seen");
    let to_end = "const log = document.querySelector('[role=log]'); return log.scrollHeight - log.scrollTop - log.clientHeight < 2";
    assert!(window.run(to_end) == true, "the transcript does not stand at its end");
    window.picture(&format!("bench-{}", material.name));
    figures
}

fn watched(stage: &Stage, window: &Window<'_>, mut is_over: impl FnMut(Duration) -> bool) -> Figures {
    window.run(COUNT_FRAMES);
    let watch = Watch::begin();
    let app = stage.app();
    let (started, first) = (Instant::now(), Account::of(app));
    let (mut frames, mut pss): (Vec<f64>, Vec<(Duration, u64)>) = (Vec::new(), Vec::new());
    let mut look = |frames: &mut Vec<f64>| {
        let text = window.run(FRAMES);
        frames.extend(text.as_str().unwrap().split(' ').filter_map(|at| at.parse::<f64>().ok()));
        pss.push((started.elapsed(), Account::of(app).pss_kib));
    };
    while !is_over(started.elapsed()) {
        thread::sleep(LOOK_EVERY);
        look(&mut frames);
    }
    let (seconds, last) = (started.elapsed().as_secs_f64(), Account::of(app));
    let settled = pss.iter().find(|(at, _)| *at >= SETTLED_AFTER).or(pss.last()).unwrap().1;
    let still = watch.end();
    let mut gaps: Vec<f64> = frames.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    Figures {
        gaps,
        jerks: jerks_in(&frames, still.as_deref().unwrap_or_default()),
        is_watched: still.is_some(),
        cpu: (last.cpu - first.cpu).as_secs_f64() / seconds,
        settled_kib: settled,
        end_kib: last.pss_kib,
        peak_kib: pss.iter().map(|(_, kib)| *kib).max().unwrap(),
        seconds,
    }
}

fn jerks_in(frames: &[f64], still: &[(f64, f64)]) -> Vec<Jerk> {
    let jerk = |pair: &[f64]| Jerk {
        ms: pair[1] - pair[0],
        at: (pair[1] - frames[0]) / 1e3,
        still_ms: within((pair[0], pair[1]), still),
    };
    frames.windows(2).map(jerk).filter(|jerk| jerk.ms > JERK_MS).collect()
}

impl Figures {
    fn gap(&self, share: f64) -> f64 {
        self.gaps[((self.gaps.len() - 1) as f64 * share) as usize]
    }

    fn longer_than(&self, milliseconds: f64) -> usize {
        self.gaps.iter().filter(|gap| **gap > milliseconds).count()
    }
}

fn report(name: &str, words: &str, figures: &Figures, empty: &Figures) {
    let mib = |kib: u64| kib as f64 / 1024.0;
    let (p95, p99, worst, over) = (figures.gap(0.95), figures.gap(0.99), figures.gap(1.0), figures.jerks.len());
    let own = figures.jerks.iter().filter(|jerk| jerk.ms - jerk.still_ms > JERK_MS).count();
    let memory = format!("{:.0} → {:.0} MiB", mib(figures.settled_kib), mib(figures.end_kib));
    println!(
        "  {words:<30} {p95:>5.1} ms {p99:>5.1} ms {worst:>5.0} ms {over:>7} {:>5.0} % {memory:>16} {:>5.0} MiB",
        figures.cpu * 100.0,
        mib(figures.peak_kib),
    );
    for Jerk { ms, at, still_ms } in &figures.jerks {
        println!("    {ms:.0} ms at {at:.1} s; the machine stood still for {still_ms:.0} ms of it");
    }
    if !figures.is_watched {
        println!("    whether the machine stood still is not known: that takes the right to a realtime priority");
    }
    println!(
        "{}",
        json!({
            "bench": "window", "what": name, "seconds": figures.seconds, "frames": figures.gaps.len(),
            "gap95Ms": p95, "gap99Ms": p99, "worstGapMs": worst, "over50Ms": over, "ownOver50Ms": own,
            "over100Ms": figures.longer_than(100.0), "cores": figures.cpu,
            "settledKib": figures.settled_kib, "endKib": figures.end_kib, "peakKib": figures.peak_kib,
            "gap95ToEmpty": p95 / empty.gap(0.95), "memoryToEmpty": figures.end_kib as f64 / empty.end_kib as f64,
        })
    );
}
