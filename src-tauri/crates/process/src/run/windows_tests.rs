//! Tests of what a command on Windows has, and how it ends. The programs are this test binary, started again to play a
//! part; the shell is `cmd`, which is there also where no PowerShell is.

#![allow(unsafe_code)]

mod at_terminal;
mod rights;

use super::*;
use crate::{PipedSpec, ProcessEnd, start_piped};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arki_domain::Code;

const LONG: Duration = Duration::from_secs(60);
const PART: &str = "ARKI_TEST_PART";
const FOLDER: &str = "ARKI_TEST_FOLDER";
const PARTS: &str = "run::windows_tests::a_part_in_another_test";
/// The number of children that the part `crowd` starts.
const CROWD: usize = 8;

/// Does nothing unless it was started by one of the tests below.
#[test]
fn a_part_in_another_test() {
    let (Ok(part), Some(folder)) = (std::env::var(PART), std::env::var_os(FOLDER)) else { return };
    let folder = Path::new(&folder);
    let tell = |name: &str, text: &str| {
        fs::write(folder.join(format!("{name}.part")), text).unwrap();
        fs::rename(folder.join(format!("{name}.part")), folder.join(name)).unwrap();
    };
    match part.as_str() {
        "told" => {
            let given: Vec<String> = std::env::args().skip_while(|argument| argument != PARTS).skip(1).collect();
            tell("arguments", &serde_json::to_string(&given).unwrap());
            tell("environment", &serde_json::to_string(&std::env::vars().collect::<Vec<_>>()).unwrap());
            tell("directory", std::env::current_dir().unwrap().to_str().unwrap());
        }
        "reader" => tell("read", &std::io::read_to_string(std::io::stdin()).unwrap()),
        "rights" => tell("rights", &rights::of_this_process()),
        "screen" => at_terminal::describe(&tell),
        "console" => at_terminal::print_at_console(),
        "sleeper" => sleep_holding_a_lock(folder, &tell),
        "parent" => {
            play("sleeper", folder).spawn().unwrap();
            wait_until(|| folder.join("asleep").exists());
        }
        "crowd" => {
            let start = |n: usize| {
                let place = folder.join(n.to_string());
                fs::create_dir(&place).unwrap();
                play("sleeper", &place).spawn().is_ok_and(|mut child| {
                    wait_until(|| place.join("asleep").exists() || child.try_wait().unwrap().is_some());
                    place.join("asleep").exists()
                })
            };
            tell("crowd", &(0..CROWD).filter(|n| start(*n)).count().to_string());
        }
        "owner" => drop(run_part("sleeper", folder, |check| check)),
        other => panic!("{other}"),
    }
    // Without the words of the test's own end.
    std::process::exit(7);
}

fn sleep_holding_a_lock(folder: &Path, tell: &dyn Fn(&str, &str)) {
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    tell("asleep", "");
    std::thread::sleep(LONG);
}

fn play(part: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", PARTS]).env(PART, part).env(FOLDER, folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn environment(part: &str, folder: &Path) -> Vec<(String, String)> {
    let inherited = ["PATH", "SystemRoot", "TEMP", "TMP"];
    let inherited = inherited.iter().filter_map(|name| Some((name.to_string(), std::env::var(name).ok()?)));
    let own = [(PART.to_owned(), part.to_owned()), (FOLDER.to_owned(), folder.to_str().unwrap().to_owned())];
    inherited.chain(own).collect()
}

struct Check {
    line: String,
    terminal: bool,
    input: Vec<u8>,
    time_limit: Duration,
    limits: CommandLimits,
    cancel: CancellationToken,
}

fn run_with(environment: Vec<(String, String)>, check: Check) -> Result<CommandOutcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let spec = CommandSpec {
        command_line: check.line,
        directory: std::env::temp_dir(),
        environment,
        sandbox: None,
        terminal: check.terminal,
        time_limit: check.time_limit,
        limits: check.limits,
        max_output_bytes: 10_000,
        meanwhile: None,
    };
    runtime.block_on(run_with_input(spec, &check.input, |_| {}, check.cancel))
}

fn check(line: &str) -> Check {
    Check {
        line: line.to_owned(),
        terminal: false,
        input: Vec::new(),
        time_limit: LONG,
        limits: CommandLimits::default(),
        cancel: CancellationToken::new(),
    }
}

fn run_line(line: &str, change: impl FnOnce(Check) -> Check) -> Result<CommandOutcome> {
    let folder = tempfile::tempdir().unwrap();
    run_with(environment("none", folder.path()), change(check(line)))
}

/// Runs a part as a command of the shell's.
fn run_part(part: &str, folder: &Path, change: impl FnOnce(Check) -> Check) -> Result<CommandOutcome> {
    let program = std::env::current_exe().unwrap();
    let line = format!("{} --exact --nocapture {PARTS}", program.display());
    run_with(environment(part, folder), change(check(&line)))
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < LONG, "it did not come to be");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A sleeper's lock goes with it.
fn is_asleep(folder: &Path) -> bool {
    File::open(folder.join("lock")).is_ok_and(|file| file.try_lock().is_err())
}

fn start_program(program: &str, arguments: &[&str], part: &str, folder: &Path) -> Result<ProcessEnd> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let piped = start_piped(PipedSpec {
            name: "a program of the tests".to_owned(),
            program: program.to_owned(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            directory: folder.canonicalize().unwrap(),
            environment: environment(part, folder),
            sandbox: None,
            limits: CommandLimits::default(),
            meanwhile: Meanwhile::new(|_| {}),
        })
        .await?;
        let mut stdout = piped.stdout;
        tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await.unwrap();
        Ok(piped.process.stop().await)
    })
}

fn told(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap()
}

const ODD: [&str; 9] = ["a b", "", "q\"uo\"te", r"back\slash\", r#"\"both\\""#, "%PATH%", "a&b|c>d", "ünïcode", "^!()"];

#[test]
fn a_program_gets_its_arguments_environment_and_folder_as_they_were_given() {
    let folder = tempfile::tempdir().unwrap();
    let program = std::env::current_exe().unwrap();
    let arguments = [&["--exact", "--nocapture", "--", PARTS], &ODD[..]].concat();
    let end = start_program(program.to_str().unwrap(), &arguments, "told", folder.path()).unwrap();
    assert_eq!(end.exit_code, Some(7));
    assert_eq!(serde_json::from_str::<Vec<String>>(&told(folder.path(), "arguments")).unwrap(), ODD);
    let told_environment = told(folder.path(), "environment");
    let variables: BTreeMap<String, String> =
        serde_json::from_str::<Vec<(String, String)>>(&told_environment).unwrap().into_iter().collect();
    assert_eq!(variables[PART], "told");
    assert!(!variables.contains_key("CARGO_MANIFEST_DIR"), "{told_environment}");
    assert!(!told(folder.path(), "directory").starts_with(r"\\?\"));
    assert_eq!(
        Path::new(&told(folder.path(), "directory")).canonicalize().unwrap(),
        folder.path().canonicalize().unwrap()
    );
}

fn batch_file(folder: &Path) {
    let program = std::env::current_exe().unwrap();
    let script = format!("@\"{}\" --exact --nocapture -- {PARTS} %*\r\n", program.display());
    fs::write(folder.join("some tool.cmd"), script).unwrap();
}

#[test]
fn a_batch_file_passes_on_its_arguments_and_runs_none_of_them() {
    let folder = tempfile::tempdir().unwrap();
    batch_file(folder.path());
    let arguments = ["plain", "a b", "x & echo owned> owned.txt", "a\" & echo owned> owned.txt & \""];
    start_program(r".\some tool", &arguments, "told", folder.path()).unwrap();
    assert!(!folder.path().join("owned.txt").exists());
    assert_eq!(serde_json::from_str::<Vec<String>>(&told(folder.path(), "arguments")).unwrap(), arguments);
    let error = start_program(r".\some tool.cmd", &["a\nb"], "told", folder.path()).unwrap_err();
    assert_eq!(error.code(), Code::COMMAND_SPAWN_FAILED);
}

#[test]
fn a_batch_file_passes_on_what_looks_like_a_variable() {
    let folder = tempfile::tempdir().unwrap();
    batch_file(folder.path());
    start_program(r".\some tool", &["%PATH%", "100 %"], "told", folder.path()).unwrap();
    assert_eq!(told(folder.path(), "arguments"), r#"["%PATH%","100 %"]"#);
}

#[test]
fn a_program_is_not_looked_for_in_the_working_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(std::env::current_exe().unwrap(), folder.path().join("planted.exe")).unwrap();
    let error = start_program("planted", &[], "none", folder.path()).unwrap_err();
    assert_eq!(error.code(), Code::COMMAND_SPAWN_FAILED);
    let named = start_program(r".\planted", &["--exact", "--nocapture", PARTS], "told", folder.path()).unwrap();
    assert_eq!(named.exit_code, Some(7));
}

#[test]
fn output_exit_code_and_input_are_the_commands() {
    let outcome = run_line("echo one& echo two>&2& exit 3", |check| check).unwrap();
    assert_eq!(outcome.output.replace("\r\n", "\n").replace(" \n", "\n"), "one\ntwo\n");
    assert_eq!((outcome.exit_code, outcome.signal), (Some(3), None));
    let folder = tempfile::tempdir().unwrap();
    run_part("reader", folder.path(), |check| Check { input: b"one\ntwo".to_vec(), ..check }).unwrap();
    assert_eq!(told(folder.path(), "read"), "one\ntwo");
    run_part("reader", folder.path(), |check| check).unwrap();
    assert_eq!(told(folder.path(), "read"), "");
    let missing = run_line("no-such-program-anywhere", |check| check).unwrap();
    assert_ne!(missing.exit_code, Some(0));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone");
    let spec = CommandSpec {
        command_line: "echo".to_owned(),
        directory: gone.clone(),
        environment: Vec::new(),
        sandbox: None,
        terminal: false,
        time_limit: LONG,
        limits: CommandLimits::default(),
        max_output_bytes: 100,
        meanwhile: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let error = runtime.block_on(run(spec, |_| {}, CancellationToken::new())).unwrap_err();
    assert_eq!(error.code(), Code::FOLDER_UNAVAILABLE);
}

#[test]
fn what_it_left_behind_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_part("parent", folder.path(), |check| check).unwrap();
    assert_eq!(outcome.exit_code, Some(7), "{}", outcome.output);
    assert!(folder.path().join("asleep").exists());
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_ends_at_its_time_limit_with_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let limit = Duration::from_secs(3);
    let outcome = run_part("sleeper", folder.path(), |check| Check { time_limit: limit, ..check }).unwrap();
    assert!(outcome.timed_out && outcome.duration < LONG);
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_ends_when_it_is_cancelled() {
    let folder = Arc::new(tempfile::tempdir().unwrap());
    let cancel = CancellationToken::new();
    let running = std::thread::spawn({
        let (folder, cancel) = (Arc::clone(&folder), cancel.clone());
        move || run_part("sleeper", folder.path(), |check| Check { cancel, ..check }).unwrap()
    });
    wait_until(|| is_asleep(folder.path()));
    cancel.cancel();
    assert!(running.join().unwrap().cancelled);
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_ends_when_nobody_waits_for_it_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let program = std::env::current_exe().unwrap();
    let spec = CommandSpec {
        command_line: format!("{} --exact --nocapture {PARTS}", program.display()),
        directory: std::env::temp_dir(),
        environment: environment("sleeper", folder.path()),
        sandbox: None,
        terminal: false,
        time_limit: LONG,
        limits: CommandLimits::default(),
        max_output_bytes: 100,
        meanwhile: None,
    };
    runtime.block_on(async {
        let asleep = async {
            while !is_asleep(folder.path()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            _ = run(spec, |_| {}, CancellationToken::new()) => panic!("it ended by itself"),
            () = asleep => {}
        }
    });
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_dies_with_this_process_even_when_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut owner = play("owner", folder.path()).spawn().unwrap();
    wait_until(|| is_asleep(folder.path()));
    owner.kill().unwrap();
    owner.wait().unwrap();
    wait_until(|| !is_asleep(folder.path()));
}

#[test]
fn it_has_no_more_processes_than_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    // The shell, and what it runs.
    let limits = CommandLimits { max_processes: 5, ..CommandLimits::default() };
    run_part("crowd", folder.path(), |check| Check { limits, ..check }).unwrap();
    // Whether the console's own process counts too is Windows' to say.
    assert!(["2", "3"].contains(&told(folder.path(), "crowd").as_str()), "{}", told(folder.path(), "crowd"));
    wait_until(|| (0..CROWD).all(|n| !is_asleep(&folder.path().join(n.to_string()))));
}
