//! `bench store`: what the event log costs. Appending, beside a bare loop over
//! rusqlite; opening the last page of sessions of different lengths; the disk
//! a turn takes; the memory it takes to show the longest session; searching a
//! million events.
//!
//! Whatever needs SQL runs in an example of `arki-store`, so that these
//! commands need not build a database to start the app.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{home::Home, model_server::ModelServer, script, statistics::milliseconds, turns::peak_memory_kib};
use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

/// Turns before the disk is measured: they create the tables' first pages.
const FIRST_TURNS: usize = 30;
/// Turns whose disk is measured: whole rounds of read, edit and run.
const TURNS: usize = 90;
const ROUND: usize = 3;
/// The session that the example fills with the most events.
const LONGEST: (&str, usize) = ("00000000-0000-7000-8000-000000100000", 100_000);

type Figures = BTreeMap<String, f64>;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let example = Example::build(repository)?;
    let mut figures = example.run("append", &example.folder)?;
    for way in WAYS {
        let (home, bytes_a_turn) = way.bytes_a_turn(repository, &example)?;
        figures.insert(format!("bytes_a_turn_{}", way.name), bytes_a_turn);
        for (name, bytes) in example.run("sizes", &home.database())? {
            figures.insert(format!("{}_{name}", way.name), bytes);
        }
    }
    let home = Home::prepare(repository, "store-show", "http://127.0.0.1:9")?;
    let database = home.database();
    example.run("fill", &database)?;
    figures.extend(example.run("open", &database)?);
    let shown = show(&home)?;
    report(&figures, &shown);
    example.search()
}

struct Example {
    program: PathBuf,
    folder: PathBuf,
}

impl Example {
    fn build(repository: &Repository) -> Result<Self, Failure> {
        let build = ["build", "--release", "--locked", "--package", "arki-store", "--examples"];
        process::run(process::cargo(&repository.root).args(build))?;
        let folder = repository.scratch().join("bench-store");
        files::remove_folder(&folder)?;
        files::create_folder(&folder)?;
        Ok(Self { program: repository.binary("release", "examples/store_speed"), folder })
    }

    /// Prints its own figures.
    fn search(&self) -> Result<(), Failure> {
        process::run(&mut Command::new(self.program.with_file_name("search_speed")))
    }

    fn run(&self, part: &str, path: &Path) -> Result<Figures, Failure> {
        let printed = process::capture(Command::new(&self.program).arg(part).arg(path))?;
        Ok(parsed(&printed))
    }
}

/// One `name value` a line.
fn parsed(printed: &str) -> Figures {
    let line = |line: &str| {
        let (name, value) = line.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    printed.lines().filter_map(line).collect()
}

/// A way in which edits are allowed: each by the user, or all beforehand.
struct Way {
    name: &'static str,
    approve: &'static str,
}

const WAYS: [Way; 2] = [Way { name: "reviewed", approve: "ask" }, Way { name: "granted", approve: "all" }];

impl Way {
    /// The real program: how much the database grows by turns beyond the first, what is needed to search it included.
    fn bytes_a_turn(&self, repository: &Repository, example: &Example) -> Result<(Home, f64), Failure> {
        let turns = |from: usize, to: usize| (from..to).map(answer).chain([script::text("done")]);
        let answers = turns(0, FIRST_TURNS).chain(turns(FIRST_TURNS, FIRST_TURNS + TURNS)).collect();
        let server = ModelServer::start(answers)?;
        let home = Home::prepare(repository, &format!("store-disk-{}", self.name), &server.base_url)?;
        let lines: Vec<String> = (1..=200).map(|number| format!("line {number}\n")).collect();
        home.write("src/app.txt", &lines.concat())?;
        let before = self.bytes_after_run(&home, example)?;
        let after = self.bytes_after_run(&home, example)?;
        let asked = server.exchanges().len();
        if asked != FIRST_TURNS + TURNS + 2 {
            return Err(Failure::new(format!("{asked} requests came, not {}", FIRST_TURNS + TURNS + 2)));
        }
        Ok((home, (after - before) / TURNS as f64))
    }

    /// Without the pages that SQLite holds ready: merging the search index leaves some now and then.
    fn bytes_after_run(&self, home: &Home, example: &Example) -> Result<f64, Failure> {
        run(home, self.approve)?;
        // Whoever searches fills the index first.
        process::capture(home.arki().args(["sessions", "search", "line"]).stdout(Stdio::piped()))?;
        let sizes = example.run("sizes", &home.database())?;
        sizes.get("used_bytes").copied().ok_or_else(|| Failure::new("the example told no size".to_owned()))
    }
}

/// Every edit is another one, so that no content is kept for two of them.
fn answer(turn: usize) -> Vec<u8> {
    let line = turn / ROUND + 1;
    match turn % ROUND {
        0 => script::call(turn, "read_file", r#"{"path":"src/app.txt","limit":100}"#),
        1 => {
            let edit = format!(r#"{{"old_text":"line {line}\n","new_text":"the line numbered {line}\n"}}"#);
            script::call(turn, "edit_file", &format!(r#"{{"path":"src/app.txt","edits":[{edit}]}}"#))
        }
        _ => script::call(turn, "run_command", r#"{"command":"wc -l src/app.txt"}"#),
    }
}

/// Answers every question that the run stops at, until none is left.
fn run(home: &Home, approve: &str) -> Result<(), Failure> {
    ended(home, home.arki().args(["exec", "--approve", approve, "--max-turns", "200", "work on src/app.txt"]))?;
    loop {
        let waiting = process::capture(home.arki().args(["--json", "approvals", "list"]).stdout(Stdio::piped()))?;
        let Some(approval) = field(&waiting, "approvalId") else { return Ok(()) };
        ended(home, home.arki().args(["approvals", "approve", approval]))?;
    }
}

/// 3 is the exit code of a run that stopped at a question.
fn ended(home: &Home, command: &mut Command) -> Result<(), Failure> {
    let status = command.stderr(home.log()?).status().context(|| "start arki".into())?;
    match status.code() {
        Some(0 | 3) => Ok(()),
        _ => Err(home.failed(&format!("{status}"))),
    }
}

/// The first value of a field of text in lines of JSON.
fn field<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = json.split_once(&format!("\"{name}\":\""))?;
    rest.split('"').next()
}

struct Shown {
    took: Duration,
    peak_kib: u64,
}

fn show(home: &Home) -> Result<Shown, Failure> {
    let mut peak_kib = 0;
    let started = Instant::now();
    let mut command = home.arki();
    command.args(["sessions", "show", LONGEST.0]).stderr(home.log()?);
    let child = command.spawn().context(|| "start arki".into())?;
    home.finish(child, |id| peak_kib = peak_memory_kib(id).max(peak_kib))?;
    Ok(Shown { took: started.elapsed(), peak_kib })
}

/// The kinds of events that are appended, with the target for the ratio to the bare loop.
const APPENDS: [(&str, &str, &str); 6] = [
    ("turns", "one session: turns of read, edit and run", "at least 0.80"),
    ("normal", "one session: single events that need no sync", ""),
    ("batch", "one session: 64 events of the same turns in one go", "at least 0.90"),
    ("batch_normal", "one session: 64 events in one go that need no sync", ""),
    ("group", "64 sessions at once: the same turns", "at least 0.90"),
    ("group_normal", "64 sessions at once: events that need no sync", ""),
];

fn report(figures: &Figures, shown: &Shown) {
    let figure = |name: &str| figures.get(name).copied().unwrap_or(f64::NAN);
    println!(
        "\nAppending, events a second; medians of alternating pairs\n{:>68} {:>10} {:>8}",
        "arki", "bare", "ratio"
    );
    for (name, words, asked) in APPENDS {
        let of = |what: &str| figure(&format!("{name}_{what}"));
        let (ours, bare) = (of("events_a_second"), of("bare_events_a_second"));
        println!("  {words:<52} {ours:>13.0} {bare:>10.0} {:>8.2}  {asked}", of("ratio"));
    }
    let lengths = ["1000", "10000", "100000"].map(|length| figure(&format!("open_{length}_us")));
    let flatness = lengths.iter().fold(0.0, |most: f64, one| most.max(*one))
        / lengths.iter().fold(f64::MAX, |least: f64, one| least.min(*one));
    println!("\nOpening the last page of a session");
    for (length, took) in ["1,000", "10,000", "100,000"].iter().zip(lengths) {
        println!("  {length:>7} events {took:>44.0} µs");
    }
    println!("  the slowest beside the fastest {flatness:>29.2} times  under 1.50");
    println!("\nDisk, {TURNS} turns of read, edit and run after the first {FIRST_TURNS}, the search index filled");
    for Way { name, .. } in WAYS {
        println!("  a turn, edits {name:<14} {:>31.0} bytes  at most 4096", figure(&format!("bytes_a_turn_{name}")));
        let prefix = format!("{name}_size_");
        for (name, bytes) in figures.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(&prefix)?, bytes))) {
            println!("    {name:<40} {bytes:>17.0} bytes in all");
        }
    }
    println!("\n`arki sessions show` of {} events", LONGEST.1);
    println!("  peak memory {:>48.1} MiB  under 60", shown.peak_kib as f64 / 1024.0);
    println!("  time {:>55.0} ms", milliseconds(shown.took));
    let mut json: Vec<String> = figures.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    json.push(format!("\"show_peak_kib\":{},\"show_ms\":{:.0}", shown.peak_kib, milliseconds(shown.took)));
    println!(r#"{{"bench":"store",{}}}"#, json.join(","));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_off_the_examples_lines() {
        let figures = parsed("turns_ratio 0.93\nnot a figure\nopen_1000_us 12\n");
        assert_eq!(figures, Figures::from([("turns_ratio".to_owned(), 0.93), ("open_1000_us".to_owned(), 12.0)]));
    }

    #[test]
    fn the_measured_turns_are_whole_rounds() {
        assert_eq!((FIRST_TURNS % ROUND, TURNS % ROUND), (0, 0));
    }

    #[test]
    fn a_field_is_found_in_a_line_of_json() {
        assert_eq!(field(r#"{"sessionId":"s","approvalId":"a-1"}"#, "approvalId"), Some("a-1"));
        assert_eq!(field("", "approvalId"), None);
    }
}
