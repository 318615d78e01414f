//! How long searching a large tree takes, beside `rg` on the same tree: `cargo xtask bench search`. Takes the folder.
//! Prints a figure a line: medians of alternating rounds, in microseconds. Both leave out what git ignores and look into
//! hidden files; `rg` is started anew each time, as an agent would.

#![allow(clippy::print_stdout, reason = "a measurement is for reading")]

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use arki_files::{Project, SearchQuery, search};
use globset::GlobSet;
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 15;
/// Thrown away: they fill the page cache.
const WARM_UP: usize = 2;
/// More than anything here finds: neither stops early.
const ENOUGH: usize = 1_000_000;

/// A word that is nowhere, one in some hundred lines, and an expression without a fixed word.
const PATTERNS: [(&str, &str); 3] = [
    ("nowhere", "nowhere_in_any_of_it_at_all"),
    ("word", "compile_error!"),
    ("expression", r"\b[a-z]+_[0-9]{4}_[a-z]+\("),
];

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let project = Project::open(Path::new(&folder))?;
    for (name, pattern) in PATTERNS {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..WARM_UP + ROUNDS {
            let (found, took) = timed(|| arki(&project, pattern))?;
            let (expected, their) = timed(|| rg(&folder, pattern))?;
            if found != expected {
                return Err(format!("{name}: {found} lines, but {expected} by rg").into());
            }
            if round >= WARM_UP {
                ours.push(took);
                theirs.push(their);
            }
        }
        println!("{name}_arki {}\n{name}_rg {}", median(ours).as_micros(), median(theirs).as_micros());
    }
    Ok(())
}

/// Lines found.
fn arki(project: &Project, pattern: &str) -> Outcome<usize> {
    let query = SearchQuery {
        pattern: pattern.to_owned(),
        shown_pattern: pattern.to_owned(),
        glob: None,
        include_ignored: false,
        case_sensitive: true,
        context: 0,
        max_results: ENOUGH,
        max_bytes: usize::MAX,
        secrets: GlobSet::empty(),
    };
    Ok(search(project, &query, &arki_redaction::Redactor::default(), &CancellationToken::new())?.matches)
}

#[allow(clippy::disallowed_methods, reason = "what Arki is measured against is no command of an agent's")]
fn rg(folder: &str, pattern: &str) -> Outcome<usize> {
    let options =
        ["--no-config", "--hidden", "--no-require-git", "--glob=!.git", "--crlf", "--line-number", "--regexp"];
    let output = Command::new("rg").args(options).arg(pattern).arg(folder).output()?;
    Ok(output.stdout.split(|byte| *byte == b'\n').count().saturating_sub(1))
}

fn timed<T>(work: impl Fn() -> Outcome<T>) -> Outcome<(T, Duration)> {
    let started = Instant::now();
    let done = work()?;
    Ok((done, started.elapsed()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
