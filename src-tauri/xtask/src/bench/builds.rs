//! `bench builds FOLDER…`: builds, tests and installations of other people's projects, run by Arki in a view and run
//! bare, in turn, from the same state: whether the result is the same, and how much longer it takes.
//!
//! The projects are prepared by whoever measures: a repository each, all that they need from the network fetched.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    home::Home,
    model_server::ModelServer,
    script::{self, quoted},
    statistics::{median, ratio},
};
use crate::{
    failure::{Context, Failure},
    files,
    repository::Repository,
};

const ROUNDS: usize = 3;
/// Names the program to measure, in the place of a build of this repository.
const PROGRAM: &str = "ARKI_BIN";
/// The variables that the bare commands have, of those that Arki hands on.
const HANDED_ON: [&str; 8] =
    ["PATH", "HOME", "USER", "LANG", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "PYENV_ROOT"];
const COUNTED: [&str; 8] = ["errors", "failed", "ignored", "passed", "skipped", "warnings", "xfailed", "xpassed"];
/// npm's audit counts packages too, or not, by whether it reached its registry.
const COUNTED_AFTER: [&str; 5] = ["added", "fail", "pass", "suites", "tests"];

/// A kind of project, by a file that it has.
struct BuildTool {
    marker: &'static str,
    /// Removed before each round.
    makes: &'static [&'static str],
    /// In the order of a round.
    commands: &'static [&'static str],
}

const TOOLS: &[BuildTool] = &[
    BuildTool {
        marker: "Cargo.toml",
        makes: &["target"],
        commands: &["cargo build --locked", "cargo test --locked --quiet"],
    },
    BuildTool { marker: "go.mod", makes: &[], commands: &["go build ./...", "go test -count=1 ./..."] },
    BuildTool { marker: "package.json", makes: &["node_modules"], commands: &["npm ci --offline", "npm test"] },
    BuildTool {
        marker: "pyproject.toml",
        makes: &[".pytest_cache"],
        commands: &[".venv/bin/python -m pytest --quiet"],
    },
];

/// The end of one command.
struct BuildRun {
    took: Duration,
    result: BuildResult,
}

struct BuildResult {
    exit_code: Option<i32>,
    /// Numbers by the words beside them, such as of passed tests.
    counts: BTreeMap<String, u64>,
}

impl BuildResult {
    fn in_words(&self) -> String {
        let code = self.exit_code.map_or("ended by a signal".to_owned(), |code| format!("exit code {code}"));
        self.counts.iter().fold(code, |words, (word, number)| format!("{words}, {number} {word}"))
    }
}

pub(crate) fn measure(repository: &Repository, folders: &[String]) -> Result<(), Failure> {
    if folders.is_empty() {
        return Err(Failure::new("name the folders of projects that have a build"));
    }
    let arki = match env::var_os(PROGRAM) {
        Some(program) => PathBuf::from(program),
        None => repository.built("arki-cli", "arki")?,
    };
    println!("Medians of {ROUNDS} rounds, bare and by Arki in turn");
    folders.iter().try_for_each(|folder| measure_project(arki.clone(), Path::new(folder)))
}

fn measure_project(arki: PathBuf, folder: &Path) -> Result<(), Failure> {
    let folder = folder.canonicalize().context(|| format!("open {}", folder.display()))?;
    let tool = TOOLS.iter().find(|tool| folder.join(tool.marker).is_file());
    let tool = tool.ok_or_else(|| Failure::new(format!("no build is known for {}", folder.display())))?;
    let calls = tool.commands.iter().enumerate().map(|(turn, command)| call(turn, command));
    let answers: Vec<Vec<u8>> = calls.chain([script::text("done")]).collect();
    let server = ModelServer::start(vec![answers; ROUNDS].concat())?;
    let home = Home::around("builds", &server.base_url, arki, folder.clone())?;
    // Thrown away: it fills caches.
    bare(tool, &folder)?;
    let (mut plain, mut viewed) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Neither is always the second.
        if round.is_multiple_of(2) {
            plain.push(bare(tool, &folder)?);
            viewed.push(by_arki(tool, &home, &server)?);
        } else {
            viewed.push(by_arki(tool, &home, &server)?);
            plain.push(bare(tool, &folder)?);
        }
    }
    for (place, command) in tool.commands.iter().enumerate() {
        report(&folder, command, &of_command(&plain, place), &of_command(&viewed, place));
    }
    Ok(())
}

fn call(turn: usize, command: &str) -> Vec<u8> {
    script::call(turn, "run_command", &format!(r#"{{"command":{},"timeout_seconds":900}}"#, quoted(command)))
}

fn clean(tool: &BuildTool, folder: &Path) -> Result<(), Failure> {
    tool.makes.iter().try_for_each(|name| files::remove_folder(&folder.join(name)))
}

fn bare(tool: &BuildTool, folder: &Path) -> Result<Vec<BuildRun>, Failure> {
    clean(tool, folder)?;
    tool.commands.iter().map(|command| bare_run(command, folder)).collect()
}

fn bare_run(command: &str, folder: &Path) -> Result<BuildRun, Failure> {
    let mut shell = Command::new("bash");
    let handed_on = HANDED_ON.iter().filter_map(|name| Some((*name, env::var_os(name)?)));
    shell.args(["-c", &format!("{command} 2>&1")]).current_dir(folder);
    shell.env_clear().envs(handed_on).env("NO_COLOR", "1").stdin(Stdio::null());
    let started = Instant::now();
    let output = shell.output().context(|| format!("run `{command}`"))?;
    let took = started.elapsed();
    let counts = counts(&String::from_utf8_lossy(&output.stdout));
    Ok(BuildRun { took, result: BuildResult { exit_code: output.status.code(), counts } })
}

/// A command's time is that between the model's answer and the next request, all in.
fn by_arki(tool: &BuildTool, home: &Home, server: &ModelServer) -> Result<Vec<BuildRun>, Failure> {
    clean(tool, &home.project())?;
    let before = server.exchanges().len();
    let events = home.scratch("events.jsonl");
    let output = fs::File::create(&events).context(|| format!("write {}", events.display()))?;
    let mut command = home.arki();
    if let Some(own) = env::var_os("HOME") {
        // Toolchains and their caches are there.
        command.env("HOME", own);
    }
    command.args(["exec", "--json", "--approve", "all", "build"]).stdout(output).stderr(home.log()?);
    let child = command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))?;
    home.finish(child, |_| {})?;
    let exchanges = server.exchanges().split_off(before);
    let events = String::from_utf8_lossy(&files::read(&events)?).into_owned();
    let results: Vec<&str> = events.lines().filter(|line| line.contains(r#""type":"tool.result""#)).collect();
    if results.len() != tool.commands.len() || exchanges.len() != results.len() + 1 {
        return Err(home.failed(&format!("{} results, {} requests", results.len(), exchanges.len())));
    }
    let times = exchanges.windows(2).map(|pair| pair[1].arrived.saturating_duration_since(pair[0].answered));
    Ok(times.zip(results).map(|(took, event)| BuildRun { took, result: result_of(event) }).collect())
}

/// Reads a result's event, in a line of JSON that Arki wrote: its text begins with the exit code.
fn result_of(event: &str) -> BuildResult {
    let text = event.split_once(r#""result":""#).map_or("", |(_, rest)| rest).replace("\\n", "\n");
    let code = text.strip_prefix("exit code ").and_then(|rest| rest.lines().next()?.parse().ok());
    BuildResult { exit_code: code, counts: counts(&text) }
}

fn counts(output: &str) -> BTreeMap<String, u64> {
    let words: Vec<&str> = output.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut counts = BTreeMap::new();
    for pair in words.windows(2) {
        let (number, word) = match (pair[0].parse::<u64>(), pair[1].parse::<u64>()) {
            (Ok(number), Err(_)) if COUNTED.contains(&pair[1]) => (number, pair[1]),
            (Err(_), Ok(number)) if COUNTED_AFTER.contains(&pair[0]) => (number, pair[0]),
            _ => continue,
        };
        *counts.entry(word.to_owned()).or_default() += number;
    }
    counts
}

fn of_command(rounds: &[Vec<BuildRun>], place: usize) -> Vec<&BuildRun> {
    rounds.iter().filter_map(|round| round.get(place)).collect()
}

fn report(folder: &Path, command: &str, plain: &[&BuildRun], viewed: &[&BuildRun]) {
    let time = |runs: &[&BuildRun]| median(&runs.iter().map(|run| run.took).collect::<Vec<_>>());
    let (bare, arki) = (time(plain), time(viewed));
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "  {:<48} {:>7.2} s bare {:>7.2} s by Arki {:>6.3} times",
        format!("{name}: {command}"),
        bare.as_secs_f64(),
        arki.as_secs_f64(),
        ratio(arki, bare)
    );
    let mut results: Vec<String> = plain.iter().chain(viewed).map(|run| run.result.in_words()).collect();
    results.dedup();
    let said = if results.len() == 1 { "the same result" } else { "OTHER RESULTS, bare and then by Arki" };
    println!("    {said}: {}", results.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(output: &str) -> Vec<(String, u64)> {
        counts(output).into_iter().collect()
    }

    #[test]
    fn what_test_runners_count_is_read_and_times_are_not() {
        let of = |word: &str, number: u64| (word.to_owned(), number);
        let cargo = "test result: ok. 3 passed; 0 failed; 1 ignored; finished in 0.03s\nok. 4 passed; 0 failed\n";
        assert_eq!(counted(cargo), [of("failed", 0), of("ignored", 1), of("passed", 7)]);
        assert_eq!(
            counted("ℹ tests 12\nℹ pass 11\nℹ fail 1\nℹ duration_ms 9"),
            [of("fail", 1), of("pass", 11), of("tests", 12)]
        );
        let npm = "added 322 packages, and audited 323 packages in 4s\n\n60 packages are looking for funding";
        assert_eq!(counted(npm), [of("added", 322)]);
        assert_eq!(counted("= 9 passed, 2 skipped in 12.34s ="), [of("passed", 9), of("skipped", 2)]);
    }

    #[test]
    fn a_result_has_its_exit_code_and_counts() {
        let event = r#"{"type":"tool.result","result":"exit code 101\n\n1 passed; 2 failed\n","isError":true}"#;
        let result = result_of(event);
        assert_eq!((result.exit_code, result.counts.get("failed")), (Some(101), Some(&2)));
        assert_eq!(result_of("{}").exit_code, None);
    }
}
