//! `bench pipelines`: what Arki adds to each step of a pipeline, beside a shell script that runs the same commands,
//! and whether many steps that are ready at once take longer each.
//!
//! A step's own time is in its event: judging, the sandbox, the command. What lies between that and the time of the whole
//! is Arki's: taking up steps, keys, the log on the disk.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    home::Home,
    statistics::{median, milliseconds, ratio},
};
use crate::{failure::Failure, process, repository::Repository};

const STEPS: usize = 100;
const RUNS: usize = 5;
/// Ready at once.
const FEW: usize = 250;
const MANY: usize = 1000;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let home = Home::prepare(repository, "pipelines", "http://127.0.0.1:9")?;
    home.write("line.yaml", &definition(STEPS, ""))?;
    let (mut added, mut own, mut script) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let figures = Figures::of(&run(&home, "line.yaml")?)?;
        added.push(figures.whole.saturating_sub(figures.own) / count(figures.steps));
        own.push(figures.own / count(figures.steps));
        script.push(shell_script()? / count(STEPS));
    }
    println!("{STEPS} steps one after another, {RUNS} times, medians, per step");
    println!("{:<44}{:>8.2} ms", "in a shell script", milliseconds(median(&script)));
    println!("{:<44}{:>8.2} ms", "the step itself: judged, in its sandbox", milliseconds(median(&own)));
    println!("{:<44}{:>8.2} ms", "added by Arki", milliseconds(median(&added)));
    let mut at_once = Vec::new();
    for steps in [FEW, MANY] {
        home.write("wide.yaml", &definition(steps, ", needs: []"))?;
        let figures = Figures::of(&run(&home, "wide.yaml")?)?;
        at_once.push(figures.whole / count(steps));
        println!(
            "{:<44}{:>8.2} ms",
            format!("{steps} steps ready at once, whole"),
            milliseconds(figures.whole) / steps as f64
        );
    }
    println!("{:<44}{:>8.2} ×", "a step of many beside one of few", ratio(at_once[1], at_once[0]));
    Ok(())
}

fn count(steps: usize) -> u32 {
    u32::try_from(steps).unwrap_or(u32::MAX).max(1)
}

fn definition(steps: usize, more: &str) -> String {
    let step = |n: usize| format!("  - {{ name: s{n}, adapter: command, run: \"true\"{more} }}\n");
    format!("name: bench\nlimits: {{ max_steps: {MANY} }}\nsteps:\n{}", (0..steps).map(step).collect::<String>())
}

fn run(home: &Home, file: &str) -> Result<String, Failure> {
    process::capture(home.arki().args(["run", file, "--json"]).stdout(Stdio::piped()))
}

/// The same commands, each in a shell of its own as a step's is.
#[allow(clippy::disallowed_methods, reason = "the developer's command measures a program")]
fn shell_script() -> Result<Duration, Failure> {
    let script = "bash -c true\n".repeat(STEPS);
    let began = Instant::now();
    process::capture(Command::new("bash").arg("-c").arg(script))?;
    Ok(began.elapsed())
}

struct Figures {
    steps: usize,
    /// From the first step's beginning to the run's end.
    whole: Duration,
    /// The sum of the durations that the steps report, plus half a millisecond for each, since they report whole
    /// milliseconds.
    own: Duration,
}

impl Figures {
    fn of(lines: &str) -> Result<Self, Failure> {
        let of_kind =
            |kind: &'static str| lines.lines().filter(move |line| line.contains(&format!("\"type\":\"{kind}\"")));
        let began = of_kind("step.started").next().and_then(|line| number(line, "ts"));
        let ended = of_kind("run.completed").next().and_then(|line| number(line, "ts"));
        let (Some(began), Some(ended)) = (began, ended) else {
            return Err(Failure::new("the pipeline did not complete"));
        };
        let completed: Vec<u64> = of_kind("step.completed").filter_map(|line| number(line, "durationMs")).collect();
        let own = Duration::from_micros(completed.iter().map(|ms| ms * 1000 + 500).sum());
        Ok(Self { steps: completed.len(), whole: Duration::from_millis(ended - began), own })
    }
}

/// The number of a field, in a line of JSON that Arki wrote.
fn number(line: &str, field: &str) -> Option<u64> {
    let (_, rest) = line.split_once(&format!("\"{field}\":"))?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
