//! `bench providers`: an answer of 100,000 events through the reader that a run uses, beside a bare parser over the same
//! bytes from the same server; and how long a first token takes from the server's hands to a subscriber's.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    home::Home,
    model_server::ModelServer,
    script,
    statistics::{median, milliseconds, ratio},
    turns::peak_memory_kib,
};
use crate::{
    failure::{Context, Failure},
    process,
    repository::Repository,
};

const EVENTS: usize = 100_000;
/// The smaller number, to see whether memory grows with the number of events.
const FEW_EVENTS: usize = 10_000;
const ROUNDS: usize = 9;
const FIRST_TOKENS: usize = 50;
/// Thrown away: they fill the page cache and create the database.
const WARM_UP: usize = 3;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let load = load();
    let example = Example::build(repository)?;
    let many = ModelServer::start(vec![script::words(EVENTS)])?;
    let few = ModelServer::start(vec![script::words(FEW_EVENTS)])?;
    let mut rounds = Rounds::default();
    for _ in 0..ROUNDS {
        rounds.stack.push(example.read("stack", &many.base_url, EVENTS)?);
        rounds.bare.push(example.read("bare", &many.base_url, EVENTS)?);
        rounds.short.push(example.read("stack", &few.base_url, FEW_EVENTS)?);
    }
    let run = whole_run(repository, &many)?;
    let first = first_tokens(repository)?;
    report(&load, &rounds, &run, &first);
    Ok(())
}

/// The example of `arki-llm` that reads one answer.
struct Example(PathBuf);

#[derive(Clone, Copy)]
struct Reading {
    took: Duration,
    peak_kib: u64,
}

#[derive(Default)]
struct Rounds {
    stack: Vec<Reading>,
    bare: Vec<Reading>,
    short: Vec<Reading>,
}

impl Example {
    fn build(repository: &Repository) -> Result<Self, Failure> {
        let build = ["build", "--release", "--locked", "--package", "arki-llm", "--example", "stream_speed"];
        process::run(process::cargo(&repository.root).args(build))?;
        Ok(Self(repository.binary("release", "examples/stream_speed")))
    }

    fn read(&self, way: &str, base_url: &str, events: usize) -> Result<Reading, Failure> {
        let printed = process::capture(Command::new(&self.0).args([way, base_url]))?;
        let figure = |name| figure(&printed, name).ok_or_else(|| Failure::new(format!("no {name} in: {printed}")));
        // The stack brings the end and the figures besides; the bare parser their events and `[DONE]`.
        if (figure("events")? as usize) < events {
            return Err(Failure::new(format!("only {} of {events} events came", figure("events")?)));
        }
        Ok(Reading { took: Duration::from_secs_f64(figure("seconds")?), peak_kib: figure("peak_kib")? as u64 })
    }
}

/// The value of a line `name value`.
fn figure(printed: &str, name: &str) -> Option<f64> {
    printed.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

/// `arki exec --json` over an answer of as many events.
struct WholeRun {
    took: Duration,
    peak_kib: u64,
    printed: usize,
}

fn whole_run(repository: &Repository, server: &ModelServer) -> Result<WholeRun, Failure> {
    let home = Home::prepare(repository, "providers", &server.base_url)?;
    let mut peak_kib = 0;
    let started = Instant::now();
    let mut command = home.arki();
    command.args(["exec", "--json", "count"]).stderr(home.log()?).stdout(Stdio::piped());
    let mut child = command.spawn().context(|| "start arki".into())?;
    let lines = thread::spawn({
        let stdout = child.stdout.take();
        move || {
            stdout.map_or(0, |stdout| {
                BufReader::new(stdout).lines().map_while(Result::ok).filter(|line| is_delta(line)).count()
            })
        }
    });
    home.finish(child, |id| peak_kib = peak_memory_kib(id).max(peak_kib))?;
    let took = started.elapsed();
    let printed = lines.join().map_err(|_| Failure::new("nobody read what arki printed"))?;
    Ok(WholeRun { took, peak_kib, printed })
}

/// From just before the server writes the first event until its line of `arki exec --json` has been read.
fn first_tokens(repository: &Repository) -> Result<Vec<Duration>, Failure> {
    let server = ModelServer::pausing(vec![script::words(20)])?;
    let home = Home::prepare(repository, "first-token", &server.base_url)?;
    let mut took = Vec::new();
    for run in 0..FIRST_TOKENS + WARM_UP {
        let mut command = home.arki();
        command.args(["exec", "--json", "hi"]).stderr(home.log()?).stdout(Stdio::piped());
        let mut child = command.spawn().context(|| "start arki".into())?;
        let stdout = child.stdout.take().ok_or_else(|| Failure::new("arki has no standard output"))?;
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let first = lines.find(|line| is_delta(line)).map(|_| Instant::now());
        lines.for_each(drop);
        home.finish(child, |_| {})?;
        let written = server.exchanges().last().map(|exchange| exchange.arrived);
        let (Some(first), Some(written)) = (first, written) else {
            return Err(home.failed("there was no token"));
        };
        if run >= WARM_UP {
            took.push(first.saturating_duration_since(written));
        }
    }
    Ok(took)
}

fn is_delta(line: &str) -> bool {
    line.contains(r#""type":"output.delta""#)
}

/// Returns the machine's load: the mean of the last minute.
fn load() -> String {
    let load = fs::read_to_string(Path::new("/proc/loadavg")).unwrap_or_default();
    load.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

fn report(load: &str, rounds: &Rounds, run: &WholeRun, first: &[Duration]) {
    let time = |readings: &[Reading]| median(&readings.iter().map(|reading| reading.took).collect::<Vec<_>>());
    let peak = |readings: &[Reading]| readings.iter().map(|reading| reading.peak_kib).max().unwrap_or(0);
    let (stack, bare) = (time(&rounds.stack), time(&rounds.bare));
    let a_second = |took: Duration| EVENTS as f64 / took.as_secs_f64().max(f64::MIN_POSITIVE);
    println!("\nOne answer of {EVENTS} events on one thread, median of {ROUNDS} alternating rounds; load {load}");
    for (name, took) in [("read and delivered", stack), ("bare parser", bare)] {
        println!("  {name:<34} {:>9.0} ms {:>12.0} events a second", milliseconds(took), a_second(took));
    }
    println!("  {:<34} {:>9.2} times the bare parser's time; under 1 s", "", ratio(stack, bare));
    let mib = |kib: u64| kib as f64 / 1024.0;
    println!("  {:<34} {:>9.1} MiB", "peak memory", mib(peak(&rounds.stack)));
    println!("  {:<34} {:>9.1} MiB", format!("of {FEW_EVENTS} events"), mib(peak(&rounds.short)));
    println!("  {:<34} {:>9.1} MiB", "of the bare parser", mib(peak(&rounds.bare)));
    println!("`arki exec --json` over the same answer, start and log included");
    println!("  {:<34} {:>9.0} ms {:>12} pieces printed", "", milliseconds(run.took), run.printed);
    println!("  {:<34} {:>9.1} MiB", "peak memory", mib(run.peak_kib));
    let token = median(first);
    let late = first.iter().max().copied().unwrap_or_default();
    println!("First token, from the server's write to a reader of `arki exec --json`, {FIRST_TOKENS} runs");
    println!("  {:<34} {:>9.2} ms; under 2 ms", "median", milliseconds(token));
    println!("  {:<34} {:>9.2} ms", "the latest", milliseconds(late));
    println!(
        r#"{{"bench":"providers","load":"{load}","events":{EVENTS},"stackMs":{:.3},"bareMs":{:.3},"toBare":{:.3},"peakKib":{},"shortPeakKib":{},"barePeakKib":{},"runMs":{:.1},"runPeakKib":{},"printed":{},"firstTokenMs":{:.3},"latestTokenMs":{:.3}}}"#,
        milliseconds(stack),
        milliseconds(bare),
        ratio(stack, bare),
        peak(&rounds.stack),
        peak(&rounds.short),
        peak(&rounds.bare),
        milliseconds(run.took),
        run.peak_kib,
        run.printed,
        milliseconds(token),
        milliseconds(late)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_off_the_examples_lines() {
        let printed = "seconds 0.25\nevents 100002\npeak_kib 9000\n";
        assert_eq!(figure(printed, "seconds"), Some(0.25));
        assert_eq!(figure(printed, "events"), Some(100_002.0));
        assert_eq!(figure(printed, "nothing"), None);
    }
}
