//! `bench turns`: what Arki itself adds to each of 100 turns, whether that
//! grows, and how much memory it takes.
//!
//! A turn's time runs from the last byte of the model's answer to the arrival
//! of the next request: parsing, policy, the tool, the log, the next prompt.

use std::{
    fs,
    process::{Child, Command},
    time::{Duration, Instant},
};

use super::{
    home::Home,
    model_server::{Exchange, ModelServer},
    script,
    start::spawned,
    statistics::{median, milliseconds, ratio},
};
use crate::{failure::Failure, process, repository::Repository};

const TURNS: usize = 100;
const TOOLS: [&str; 3] = ["read_file", "edit_file", "run_command"];
/// Turns on each side that make up "around turn 10": whole rounds of tools.
const AROUND: usize = 6;
const BASELINE_RUNS: usize = 25;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let mut answers: Vec<Vec<u8>> = (0..TURNS).map(answer).collect();
    answers.push(script::text("done"));
    let server = ModelServer::start(answers)?;
    let home = Home::prepare(repository, "turns", &server.base_url)?;
    let lines: Vec<String> = (1..=200).map(|number| format!("line {number}\n")).collect();
    home.write("src/app.txt", &lines.concat())?;

    let mut peak_kib = 0;
    let started = Instant::now();
    let child = start(&home)?;
    home.finish(child, |id| peak_kib = peak_memory_kib(id).max(peak_kib))?;
    let total = started.elapsed();

    let exchanges = server.exchanges();
    if exchanges.len() != TURNS + 1 {
        return Err(Failure::new(format!("{} requests came, not {}", exchanges.len(), TURNS + 1)));
    }
    report(&Figures::new(&exchanges, total, peak_kib));
    Ok(())
}

fn start(home: &Home) -> Result<Child, Failure> {
    let mut command = home.arki();
    command.args(["exec", "--json", "--approve", "all", "--max-turns", "200", "work on src/app.txt"]);
    command.stderr(home.log()?).spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))
}

fn answer(turn: usize) -> Vec<u8> {
    let (plain, loud) = ("line 5\\n", "LINE FIVE\\n");
    let round = turn / TOOLS.len();
    let (old, new) = if round.is_multiple_of(2) { (plain, loud) } else { (loud, plain) };
    let arguments = match TOOLS[turn % TOOLS.len()] {
        "read_file" => r#"{"path":"src/app.txt"}"#.to_owned(),
        "edit_file" => format!(r#"{{"path":"src/app.txt","edits":[{{"old_text":"{old}","new_text":"{new}"}}]}}"#),
        _ => r#"{"command":"true"}"#.to_owned(),
    };
    script::call(turn, TOOLS[turn % TOOLS.len()], &arguments)
}

struct Figures {
    gaps: Vec<Duration>,
    total: Duration,
    peak_kib: u64,
}

impl Figures {
    fn new(exchanges: &[Exchange], total: Duration, peak_kib: u64) -> Self {
        let gaps =
            exchanges.windows(2).map(|pair| pair[1].arrived.saturating_duration_since(pair[0].answered)).collect();
        Self { gaps, total, peak_kib }
    }

    fn of_tool(&self, tool: usize) -> Duration {
        let own: Vec<Duration> = self.gaps.iter().skip(tool).step_by(TOOLS.len()).copied().collect();
        median(&own)
    }

    /// The median over turns on both sides of `turn`, counted from 1.
    fn around(&self, turn: usize) -> Duration {
        let end = (turn + AROUND).min(self.gaps.len());
        median(&self.gaps[end.saturating_sub(2 * AROUND)..end])
    }
}

/// The peak so far, from the kernel's own account of the process; 0 where
/// there is no such account.
fn peak_memory_kib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Starting the same command without Arki: plainly, and with new namespaces
/// as a sandbox makes them.
fn baselines() -> (Duration, Option<Duration>) {
    let shell = ["bash", "-c", "true"];
    let sandbox = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all"];
    let plain = || spawned(Command::new(shell[0]).args(&shell[1..]));
    let sandboxed = || spawned(Command::new("bwrap").args(sandbox).args(shell));
    let plain: Vec<Duration> = (0..BASELINE_RUNS).filter_map(|_| plain()).collect();
    let sandboxed: Vec<Duration> = match process::find_program("bwrap") {
        Some(_) => (0..BASELINE_RUNS).filter_map(|_| sandboxed()).collect(),
        None => Vec::new(),
    };
    (median(&plain), (!sandboxed.is_empty()).then(|| median(&sandboxed)))
}

fn report(figures: &Figures) {
    let (plain, sandboxed) = baselines();
    let (all, early, late) = (median(&figures.gaps), figures.around(10), figures.around(TURNS));
    println!("\nEnd of an answer to the next request, {TURNS} turns in {:.1} s", figures.total.as_secs_f64());
    let row = |name: &str, value: Duration| println!("  {name:<34} {:>9.2} ms", milliseconds(value));
    row("median of all turns", all);
    for (index, tool) in TOOLS.iter().enumerate() {
        row(&format!("  after {tool}"), figures.of_tool(index));
    }
    row("median around turn 10", early);
    row("median around turn 100", late);
    println!("  {:<34} {:>9.2} times", "turn 100 beside turn 10", ratio(late, early));
    row("baseline: bash -c true", plain);
    if let Some(sandboxed) = sandboxed {
        row("baseline: the same in bwrap", sandboxed);
    }
    let baseline = sandboxed.unwrap_or(plain);
    println!("  {:<34} {:>9.2} times", "a command turn beside it", ratio(figures.of_tool(2), baseline));
    println!("  {:<34} {:>9.1} MiB", "peak memory", figures.peak_kib as f64 / 1024.0);
    println!(
        r#"{{"bench":"turns","turns":{TURNS},"medianMs":{:.3},"readMs":{:.3},"editMs":{:.3},"commandMs":{:.3},"turn10Ms":{:.3},"turn100Ms":{:.3},"growth":{:.3},"spawnMs":{:.3},"sandboxedSpawnMs":{:.3},"commandToSpawn":{:.3},"peakKib":{},"totalMs":{:.1}}}"#,
        milliseconds(all),
        milliseconds(figures.of_tool(0)),
        milliseconds(figures.of_tool(1)),
        milliseconds(figures.of_tool(2)),
        milliseconds(early),
        milliseconds(late),
        ratio(late, early),
        milliseconds(plain),
        milliseconds(sandboxed.unwrap_or_default()),
        ratio(figures.of_tool(2), baseline),
        figures.peak_kib,
        milliseconds(figures.total)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_windows_hold_the_same_mix_of_tools() {
        assert_eq!((2 * AROUND) % TOOLS.len(), 0);
    }

    #[test]
    fn every_edit_finds_what_the_one_before_left() {
        let edits: Vec<String> =
            (1..TURNS).step_by(TOOLS.len()).map(|turn| String::from_utf8_lossy(&answer(turn)).into_owned()).collect();
        assert!(edits.iter().all(|edit| edit.contains("edit_file")));
        assert!(edits.windows(2).all(|pair| {
            let finds_plain = |edit: &str| edit.contains(r#"old_text\":\"line 5"#);
            finds_plain(&pair[0]) != finds_plain(&pair[1])
        }));
    }
}
