//! `bench turns`: what Arki itself adds to each of 100 turns, whether that
//! grows, and how much memory it takes.
//!
//! A turn's time runs from the last byte of the model's answer to the arrival
//! of the next request: parsing, policy, the tool, the log, the next prompt.

use std::{
    fs,
    path::PathBuf,
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
/// The baseline's process is as large as Arki is in a run: starting others from a larger one takes longer.
const RESIDENT_MIB: &str = "20";

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let server = ModelServer::start(answers(TURNS))?;
    let home = Home::prepare(repository, "turns", &server.base_url)?;
    write_worked_on(&home)?;

    let mut peak_kib = 0;
    let started = Instant::now();
    let child = start(&home)?;
    home.finish(child, |id| peak_kib = peak_memory_kib(id).max(peak_kib))?;
    let total = started.elapsed();

    let exchanges = server.exchanges();
    if exchanges.len() != TURNS + 1 {
        return Err(Failure::new(format!("{} requests came, not {}", exchanges.len(), TURNS + 1)));
    }
    report(&Figures::new(&exchanges, total, peak_kib), &spawns(repository, &home)?);
    Ok(())
}

/// A short run of the same kind, for whoever wants to know what `arki` does in it.
pub(crate) struct Recorded {
    home: Home,
    _server: ModelServer,
}

impl Recorded {
    /// `arki` is the program that will run.
    pub(crate) fn prepare(arki: PathBuf) -> Result<Self, Failure> {
        let server = ModelServer::start(answers(2 * TOOLS.len()))?;
        let home = Home::lay("recorded", &server.base_url, arki)?;
        write_worked_on(&home)?;
        Ok(Self { home, _server: server })
    }

    pub(crate) fn command(&self) -> Command {
        run(&self.home)
    }
}

fn write_worked_on(home: &Home) -> Result<(), Failure> {
    let lines: Vec<String> = (1..=200).map(|number| format!("line {number}\n")).collect();
    home.write("src/app.txt", &lines.concat())
}

fn answers(turns: usize) -> Vec<Vec<u8>> {
    (0..turns).map(answer).chain([script::text("done")]).collect()
}

fn run(home: &Home) -> Command {
    let mut command = home.arki();
    command.args(["exec", "--json", "--approve", "all", "--max-turns", "200", "work on src/app.txt"]);
    command
}

fn start(home: &Home) -> Result<Child, Failure> {
    let mut command = run(home);
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

    /// Each turn's time without the spawn that a command turn contains.
    fn besides(&self, spawn: Duration) -> Vec<Duration> {
        let is_command = |turn: usize| TOOLS[turn % TOOLS.len()] == "run_command";
        let own = |(turn, gap): (usize, &Duration)| if is_command(turn) { gap.saturating_sub(spawn) } else { *gap };
        self.gaps.iter().enumerate().map(own).collect()
    }
}

/// The median over turns on both sides of `turn`, counted from 1.
fn around(overheads: &[Duration], turn: usize) -> Duration {
    let end = (turn + AROUND).min(overheads.len());
    median(&overheads[end.saturating_sub(2 * AROUND)..end])
}

/// The peak so far, from the kernel's own account of the process; 0 where
/// there is no such account.
pub(crate) fn peak_memory_kib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Starting the same command without Arki: plainly, and in the sandbox that Arki's commands run in.
struct Spawns {
    plain: Duration,
    sandboxed: Duration,
}

fn spawns(repository: &Repository, home: &Home) -> Result<Spawns, Failure> {
    let plain: Vec<Duration> =
        (0..BASELINE_RUNS).filter_map(|_| spawned(Command::new("bash").args(["-c", "true"]))).collect();
    let example =
        ["run", "--release", "--quiet", "--locked", "--package", "arki-sandbox", "--example", "spawn_overhead"];
    let printed =
        process::capture(process::cargo(&repository.root).args(example).arg(RESIDENT_MIB).arg(home.project()))?;
    let sandboxed = sandboxed_spawn(&printed).ok_or_else(|| Failure::new(format!("no spawn time in: {printed}")))?;
    Ok(Spawns { plain: median(&plain), sandboxed })
}

/// The example's median of `true` in the sandbox.
fn sandboxed_spawn(printed: &str) -> Option<Duration> {
    let line = printed.lines().find_map(|line| line.strip_prefix("run in the sandbox: median "))?;
    let microseconds = line.split(' ').next()?.parse().ok()?;
    Some(Duration::from_micros(microseconds))
}

fn report(figures: &Figures, spawns: &Spawns) {
    let overheads = figures.besides(spawns.sandboxed);
    let (all, early, late) = (median(&overheads), around(&overheads, 10), around(&overheads, TURNS));
    println!("\nEnd of an answer to the next request, {TURNS} turns in {:.1} s", figures.total.as_secs_f64());
    let row = |name: &str, value: Duration| println!("  {name:<34} {:>9.2} ms", milliseconds(value));
    row("median, besides the spawns", all);
    for (index, tool) in TOOLS.iter().enumerate() {
        row(&format!("  after {tool}, all in"), figures.of_tool(index));
    }
    row("around turn 10", early);
    row("around turn 100", late);
    println!("  {:<34} {:>9.2} times", "turn 100 beside turn 10", ratio(late, early));
    row("baseline: bash -c true", spawns.plain);
    row("baseline: true in the sandbox", spawns.sandboxed);
    println!("  {:<34} {:>9.2} times", "the overhead beside bash -c true", ratio(all, spawns.plain));
    println!("  {:<34} {:>9.1} MiB", "peak memory", figures.peak_kib as f64 / 1024.0);
    println!(
        r#"{{"bench":"turns","turns":{TURNS},"overheadMs":{:.3},"readMs":{:.3},"editMs":{:.3},"commandMs":{:.3},"turn10Ms":{:.3},"turn100Ms":{:.3},"growth":{:.3},"spawnMs":{:.3},"sandboxedSpawnMs":{:.3},"toSpawn":{:.3},"peakKib":{},"totalMs":{:.1}}}"#,
        milliseconds(all),
        milliseconds(figures.of_tool(0)),
        milliseconds(figures.of_tool(1)),
        milliseconds(figures.of_tool(2)),
        milliseconds(early),
        milliseconds(late),
        ratio(late, early),
        milliseconds(spawns.plain),
        milliseconds(spawns.sandboxed),
        ratio(all, spawns.plain),
        figures.peak_kib,
        milliseconds(figures.total)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_is_read_off_the_example() {
        let printed = "prepare 6ms\nrun: median 900 µs, 90 % 1000 µs\nrun in the sandbox: median 1360 µs, 90 % 2 µs\n";
        assert_eq!(sandboxed_spawn(printed), Some(Duration::from_micros(1360)));
        assert_eq!(sandboxed_spawn("run: median 1 µs"), None);
    }

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
