//! How long the policy takes to decide on each labelled command, beside only splitting the line into words: the numbers
//! behind `cargo xtask bench policy`. Prints one `name=value` a line, in microseconds.

use arki_domain::{ApprovalMode, Category};
use arki_policy::{Impact, PolicyQuestion, PolicySettings, Subject, decide};
use std::hint::black_box;
use std::time::Instant;

/// Each line is decided on so often; the fastest counts, since what else the machine does only adds.
const ROUNDS: usize = 20;

#[allow(clippy::print_stdout, reason = "its output is its result")]
fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_default();
    let mut lines = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let text = std::fs::read_to_string(path)?;
            lines.extend(text.lines().filter_map(|line| line.split_once('\t')).map(|(_, line)| line.to_owned()));
        }
    }
    let settings = PolicySettings::default();
    let mut decisions: Vec<f64> =
        lines.iter().map(|line| fastest(|| drop(black_box(judge(line, &settings))))).collect();
    let mut splits: Vec<f64> = lines.iter().map(|line| fastest(|| drop(black_box(words(line))))).collect();
    decisions.sort_by(f64::total_cmp);
    splits.sort_by(f64::total_cmp);
    println!("lines={}", lines.len());
    for (name, sorted) in [("decide", &decisions), ("split", &splits)] {
        println!("{name}_median={}", at(sorted, 0.5));
        println!("{name}_p99={}", at(sorted, 0.99));
        println!("{name}_max={}", at(sorted, 1.0));
    }
    Ok(())
}

fn judge(line: &str, settings: &PolicySettings) -> arki_policy::Verdict {
    let subject = Subject { command: Some(line.to_owned()), wide_reads_checked: true, ..Subject::default() };
    let question = PolicyQuestion {
        tool: "run_command",
        category: Some(Category::Exec),
        subject: &subject,
        trusted: true,
        approve: ApprovalMode::Ask,
        sandboxed: true,
        has_view: false,
        impact: Impact::default(),
    };
    decide(&question, settings)
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn fastest(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

fn at(sorted: &[f64], share: f64) -> f64 {
    let place = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1));
    sorted.get(place - 1).copied().unwrap_or_default()
}
