//! From the program's start to what it first shows, and until it can be used, beside an empty window.

use super::empty_window;
use crate::harness::account::{Account, began_at};
use crate::harness::{Stage, Window, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::json;

const RUNS: usize = 9;

/// When something was first painted, and when the folder, its sessions and the message box were, in milliseconds since
/// 1970.
const TIMES: &str = r"
    const at = (name) => performance.getEntriesByName(name)[0]?.startTime;
    const since = (time) => (time === undefined ? null : performance.timeOrigin + time);
    return [since(at('first-contentful-paint')), since(at('arki.usable'))];
";

#[derive(Clone, Copy)]
struct Start {
    painted: f64,
    usable: Option<f64>,
    pss_kib: f64,
}

pub(super) fn measure() {
    let stage = Stage::trusted(Script::new(vec![Turn::text("A first answer.\n\n- with\n- a list")]));
    stage.arki(&["exec", "Say something"]);
    let (mut empty, mut arki) = (Vec::new(), Vec::new());
    for run in 0..=RUNS {
        let window = stage.open_program(&empty_window());
        let of_empty = started(&stage, &window, Shows::Nothing);
        stage.close(window);
        let window = stage.open();
        let of_arki = started(&stage, &window, Shows::Sessions);
        stage.close(window);
        // The first fills the page cache.
        if run > 0 {
            empty.push(of_empty);
            arki.push(of_arki);
        }
    }
    report(&empty, &arki);
}

/// What is waited for after the first paint.
#[derive(Clone, Copy, PartialEq)]
enum Shows {
    Nothing,
    Sessions,
}

fn started(stage: &Stage, window: &Window<'_>, shows: Shows) -> Start {
    wait_until("the first paint", || window.run(TIMES)[0].is_number());
    if shows == Shows::Sessions {
        wait_until("the sessions", || window.run(TIMES)[1].is_number());
    }
    let times = window.run(TIMES);
    let app = stage.app();
    let began = began_at(app);
    let since = |index: usize| times[index].as_f64().map(|at| at - began);
    Start { painted: since(0).unwrap(), usable: since(1), pss_kib: Account::of(app).pss_kib as f64 }
}

pub(super) fn median(figures: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = figures.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn report(empty: &[Start], arki: &[Start]) {
    let base = median(empty.iter().map(|start| start.painted));
    let painted = median(arki.iter().map(|start| start.painted));
    let slowest = arki.iter().map(|start| start.painted).fold(0.0, f64::max);
    let usable = median(arki.iter().filter_map(|start| start.usable));
    let (base_kib, kib) =
        (median(empty.iter().map(|start| start.pss_kib)), median(arki.iter().map(|start| start.pss_kib)));
    println!("\nStart of the window, median of {RUNS} warm runs");
    let row = |what: &str, figure: f64| {
        println!("  {what:<34} {figure:>7.0} ms   {:.2} times the empty window", figure / base)
    };
    row("an empty window, first paint", base);
    row("Arki, first paint", painted);
    row("Arki, slowest first paint", slowest);
    row("Arki, it can be used", usable);
    println!("  {:<34} {:>7.0} MiB  {:.2} times {:.0} MiB", "memory", kib / 1024.0, kib / base_kib, base_kib / 1024.0);
    println!(
        "{}",
        json!({
            "bench": "window", "what": "start", "runs": RUNS, "emptyMs": base, "paintMs": painted, "slowestMs": slowest,
            "usableMs": usable, "paintToEmpty": painted / base, "usableToEmpty": usable / base,
            "emptyKib": base_kib, "kib": kib, "memoryToEmpty": kib / base_kib,
        })
    );
}
