//! Measurements in the real window, beside an empty one: `cargo xtask bench window` runs them, and says how.

#![allow(clippy::print_stdout, reason = "a measurement prints its figures")]

mod large;
mod material;
mod standstills;
mod start;
mod stream;

use std::path::PathBuf;

/// Which of them, all where it is empty; without it nothing is measured.
const CHOICE: &str = "ARKI_BENCH_WINDOW";

/// Whether this run measures instead of testing.
pub(crate) fn is_chosen() -> bool {
    std::env::var_os(CHOICE).is_some()
}

#[test]
fn window() {
    let Ok(choice) = std::env::var(CHOICE) else { return };
    let is_chosen = |name: &str| choice.is_empty() || choice == name;
    if is_chosen("start") {
        start::measure();
    }
    if is_chosen("large") {
        large::measure();
    }
    let chosen: Vec<_> = material::all().into_iter().filter(|one| is_chosen(one.name)).collect();
    if !chosen.is_empty() {
        stream::measure(&chosen);
    }
    assert!(["start", "large"].contains(&choice.as_str()) || !chosen.is_empty(), "there is no measurement {choice:?}");
}

/// What everything is compared with.
fn empty_window() -> PathBuf {
    std::env::var_os("ARKI_EMPTY_WINDOW_BIN").expect("xtask names the empty window").into()
}
