mod at_terminal;

use super::*;
use crate::{RunningCommand, proc_table, running_commands, screen, stop_command};
use arki_domain::Code;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

const LONG: Duration = Duration::from_secs(60);

struct Check {
    command: String,
    terminal: bool,
    input: Vec<u8>,
    time_limit: Duration,
    limits: CommandLimits,
    max_output_bytes: usize,
    cancel: CancellationToken,
}

fn command(command: &str) -> Check {
    Check {
        command: command.to_owned(),
        terminal: false,
        input: Vec::new(),
        time_limit: LONG,
        limits: CommandLimits::default(),
        max_output_bytes: 10_000,
        cancel: CancellationToken::new(),
    }
}

impl Check {
    fn run_with(self, on_output: impl FnMut(&[u8])) -> Result<CommandOutcome> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let spec = CommandSpec {
            command_line: self.command,
            directory: std::env::temp_dir(),
            environment: vec![
                ("PATH".into(), std::env::var("PATH").unwrap()),
                ("GREETING".into(), "hello".into()),
                ("NO_COLOR".into(), "1".into()),
            ],
            sandbox: None,
            terminal: self.terminal,
            time_limit: self.time_limit,
            limits: self.limits,
            max_output_bytes: self.max_output_bytes,
            meanwhile: None,
        };
        runtime.block_on(run_with_input(spec, &self.input, on_output, self.cancel))
    }

    fn run(self) -> CommandOutcome {
        self.run_with(|_| {}).unwrap()
    }
}

/// Returns whether a process with this number exists that is not a zombie.
fn is_running(pid: &str) -> bool {
    let Ok(pid) = pid.trim().parse::<u32>() else { return false };
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

#[test]
fn output_order_exit_code_folder_and_environment_are_the_commands() {
    let outcome = command("echo one; echo two >&2; echo $GREETING; pwd; exit 7").run();
    let folder = std::env::temp_dir().canonicalize().unwrap();
    assert_eq!(outcome.output, format!("one\ntwo\nhello\n{}\n", folder.display()));
    assert_eq!((outcome.exit_code, outcome.signal), (Some(7), None));
    assert!(!outcome.timed_out && !outcome.cancelled && !outcome.truncated);
    assert_eq!(outcome.output_bytes as usize, outcome.output.len());
}

#[test]
fn nothing_is_inherited_but_what_was_given() {
    let outcome =
        command("env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= | sed 's/=.*//' | sort; cat; ls /proc/self/fd | wc -l").run();
    assert_eq!(outcome.output.replace(' ', ""), "GREETING\nNO_COLOR\nPATH\n4\n");
}

#[test]
fn a_large_input_can_be_read_or_left_alone() {
    let input = vec![b'x'; 1 << 20];
    assert_eq!(Check { input: input.clone(), ..command("wc -c") }.run().output.trim(), "1048576");
    assert_eq!(Check { input, ..command("true") }.run().exit_code, Some(0));
    assert_eq!(command("wc -c").run().output.trim(), "0");
}

#[test]
fn a_signal_is_told_from_an_exit_code() {
    let outcome = command("kill -9 $$").run();
    assert_eq!((outcome.exit_code, outcome.signal), (None, Some(9)));
}

#[test]
fn a_broken_pipe_ends_a_writer_as_it_should() {
    assert_eq!(command("yes | head -n 1").run().output, "y\n");
}

#[test]
fn a_command_may_begin_with_a_dash() {
    assert_eq!(command("-x").run().exit_code, Some(127));
}

#[test]
fn there_is_no_terminal_to_ask_on() {
    assert_ne!(command("read answer </dev/tty").run().exit_code, Some(0));
}

#[test]
fn the_time_limit_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let line = format!("sleep 100 & echo $! >{0}; sleep 100 & echo $! >>{0}; wait", pids.display());
    let outcome = Check { time_limit: Duration::from_millis(300), ..command(&line) }.run();
    assert!(outcome.timed_out && outcome.duration < LONG);
    assert_eq!(outcome.signal, Some(15));
    let pids = fs::read_to_string(pids).unwrap();
    assert_eq!(pids.lines().count(), 2);
    wait_until(|| !pids.lines().any(is_running));
}

#[test]
fn what_ignores_a_polite_stop_is_killed() {
    let line = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
    let check = command(line);
    let cancel = check.cancel.clone();
    let outcome = check.run_with(|_| cancel.cancel()).unwrap();
    assert!(outcome.cancelled && outcome.output == "ready\n");
    assert_eq!(outcome.signal, Some(9));
}

#[test]
fn a_stopped_command_may_clean_up() {
    let check = command("trap 'echo cleaning; exit 3' TERM; echo ready; sleep 100 & wait");
    let cancel = check.cancel.clone();
    let outcome = check.run_with(|_| cancel.cancel()).unwrap();
    assert_eq!((outcome.output.as_str(), outcome.exit_code), ("ready\ncleaning\n", Some(3)));
}

#[test]
fn what_is_left_in_the_background_is_killed_whether_it_holds_the_output_or_not() {
    for redirection in ["", ">/dev/null 2>&1"] {
        let outcome = command(&format!("sleep 100 {redirection} & echo $!")).run();
        assert_eq!(outcome.exit_code, Some(0));
        assert!(outcome.duration < LONG);
        wait_until(|| !is_running(&outcome.output));
    }
}

#[test]
fn a_process_that_left_the_group_does_not_hold_us_up() {
    let outcome = command("setsid sleep 5 & echo started").run();
    assert_eq!(outcome.output, "started\n");
    assert!(outcome.duration < Duration::from_secs(4));
}

#[test]
fn a_flood_is_streamed_whole_and_kept_in_part() {
    let seen = Arc::new(Mutex::new(0u64));
    let count = Arc::clone(&seen);
    let check = Check { max_output_bytes: 1000, ..command("echo start; head -c 200000000 /dev/zero; echo end") };
    let outcome = check.run_with(move |chunk| *count.lock().unwrap() += chunk.len() as u64).unwrap();
    assert_eq!((outcome.output_bytes, *seen.lock().unwrap()), (200_000_010, 200_000_010));
    assert!(outcome.truncated && outcome.output.len() < 1100);
    assert!(outcome.output.starts_with("start\n") && outcome.output.ends_with("end\n"));
}

#[test]
fn no_zombie_is_left() {
    for _ in 0..5 {
        command("true").run();
        Check { time_limit: Duration::from_millis(20), ..command("sleep 100") }.run();
    }
    let children =
        fs::read_to_string(format!("/proc/self/task/{}/children", rustix::thread::gettid().as_raw_nonzero()));
    for child in children.unwrap_or_default().split_whitespace() {
        let status = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        assert!(!status.contains(") Z "), "{status}");
    }
}

#[test]
fn dropping_a_run_kills_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let spec = CommandSpec {
            command_line: format!("echo $$ >{}; exec sleep 100", pid_file.display()),
            directory: PathBuf::from("/"),
            environment: vec![("PATH".into(), std::env::var("PATH").unwrap())],
            sandbox: None,
            terminal: false,
            time_limit: LONG,
            limits: CommandLimits::default(),
            max_output_bytes: 100,
            meanwhile: None,
        };
        let token = CancellationToken::new();
        let mut run = Box::pin(run(spec, |_| {}, token));
        let has_started = async {
            while fs::read_to_string(&pid_file).unwrap_or_default().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { _ = &mut run => panic!("ended"), () = has_started => drop(run) }
    });
    let pid = fs::read_to_string(pid_file).unwrap();
    wait_until(|| !is_running(&pid));
}

#[test]
fn what_cannot_be_started_says_why() {
    let error = command("a\0b").run_with(|_| {}).unwrap_err();
    assert_eq!(error.code(), Code::ARGUMENTS_INVALID);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let spec = CommandSpec {
        command_line: "true".into(),
        directory: PathBuf::from("/does/not/exist"),
        environment: Vec::new(),
        sandbox: None,
        terminal: false,
        time_limit: LONG,
        limits: CommandLimits::default(),
        max_output_bytes: 0,
        meanwhile: None,
    };
    let error = runtime.block_on(run(spec, |_| {}, CancellationToken::new())).unwrap_err();
    assert_eq!(error.code(), Code::FOLDER_UNAVAILABLE);
}

/// Runs this test binary again as a process that may have few files open: the limit is one of the whole process.
#[test]
fn the_limit_of_open_files_is_raised_for_arki_only_and_named_where_that_is_not_possible() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    const LIMITS: &str = "ARKI_TEST_OPEN_FILES";
    let again = |limits: &str| {
        let name = "the_limit_of_open_files_is_raised_for_arki_only_and_named_where_that_is_not_possible";
        let mut test = std::process::Command::new(std::env::current_exe().unwrap());
        test.args([name, "--nocapture"]).env(LIMITS, limits).output().unwrap()
    };
    match std::env::var(LIMITS).as_deref() {
        Ok("soft") => {
            setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(1024) }).unwrap();
            crate::raise_open_files();
            assert!(crate::open_files() == Some(1024) && crate::open_files_problem().is_none());
            let outcome = command("ulimit -S -n; ulimit -H -n").run();
            assert_eq!(outcome.output, "64\n1024\n");
        }
        Ok(_) => {
            setrlimit(Resource::Nofile, Rlimit { current: Some(64), maximum: Some(64) }).unwrap();
            crate::raise_open_files();
            let problem = crate::open_files_problem().unwrap();
            assert!(problem.to_string().contains("only 64 files"), "{problem}");
            assert_eq!(command("ulimit -n").run().output, "64\n", "a command alone needs fewer");
            let mut others: Vec<_> = std::iter::from_fn(|| fs::File::open("/dev/null").ok()).take(64).collect();
            others.truncate(others.len() - 9);
            let error = command("true").run_with(|_| {}).unwrap_err();
            assert!(error.to_string().contains("Too many files are open"), "{error}");
            assert!(error.hint().contains("ulimit -n"));
        }
        Err(_) => {
            for limits in ["soft", "hard"] {
                let ended = again(limits);
                assert!(ended.status.success(), "{limits}: {}", String::from_utf8_lossy(&ended.stdout));
                assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"));
            }
        }
    }
}

/// Runs this test binary again as a process that is killed while its command runs.
#[test]
fn commands_die_with_this_process_even_when_it_is_killed() {
    const PID_FILE: &str = "ARKI_TEST_ORPHAN_PID_FILE";
    if let Ok(pid_file) = std::env::var(PID_FILE) {
        command("sleep 100 & echo $!; wait").run_with(|pid| fs::write(&pid_file, pid).unwrap()).unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let mut parent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run::tests::commands_die_with_this_process_even_when_it_is_killed"])
        .env(PID_FILE, &pid_file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until(|| is_running(&read(&pid_file)));
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until(|| !is_running(&read(&pid_file)));
}

/// As when this process is killed right after it started a command, before the guard knows of it.
#[test]
fn a_command_whose_gate_is_never_opened_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (waiting, mut output) = runtime
        .block_on(async {
            let spec = CommandSpec {
                command_line: format!("echo done; touch {}", mark.display()),
                directory: PathBuf::from("/"),
                environment: vec![("PATH".into(), std::env::var("PATH").unwrap())],
                sandbox: None,
                terminal: false,
                time_limit: LONG,
                limits: CommandLimits::default(),
                max_output_bytes: 100,
                meanwhile: None,
            };
            platform::start_at_gate(&spec, &[], &Guarding::default()).await
        })
        .unwrap();
    assert!(is_running(&waiting.group.pid.as_raw_nonzero().to_string()), "it waits");
    drop(waiting.gate);
    let mut said = [0; 100];
    let length = runtime.block_on(output.read(&mut said)).unwrap();
    assert_eq!((length, mark.exists()), (0, false), "its output has ended, and so has it");
}

#[test]
fn a_command_gets_its_line_as_it_was_given_and_no_gate() {
    let line = "printf '%s|' \"$0\" \"$#\"; echo \"$BASH_EXECUTION_STRING\" | wc -l; : ${no:?one}";
    let outcome = command(line).run();
    assert!(outcome.output.starts_with("/bin/bash|0|1\n/bin/bash: line 1: no: one"), "{}", outcome.output);
    let gate = command("read -r x <&3").run();
    assert_ne!(gate.exit_code, Some(0), "{}", gate.output);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Fails after a time in which anything happens that is going to.
fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(10), "it does not happen");
        std::thread::yield_now();
    }
}

/// Other tests run commands too, so this one is known by its line.
fn listed(line: &str) -> Option<RunningCommand> {
    running_commands().into_iter().find(|running| running.command_line.contains(line))
}

#[test]
fn a_running_command_is_listed_with_what_it_takes_and_can_be_stopped_alone() {
    let server = "import socket,time; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); \
                  print(s.getsockname()[1], flush=True); time.sleep(100)";
    let line = format!("sleep 100 & setsid python3 -c \"{server}\" & wait # listed-with-a-port");
    let port = Arc::new(Mutex::new(String::new()));
    let said = Arc::clone(&port);
    let running = std::thread::spawn(move || {
        command(&line)
            .run_with(move |bytes| said.lock().unwrap().push_str(std::str::from_utf8(bytes).unwrap()))
            .unwrap()
    });
    wait_until(|| port.lock().unwrap().ends_with('\n'));
    let port: u16 = port.lock().unwrap().trim().parse().unwrap();
    let found = listed("listed-with-a-port").unwrap();
    let load = found.load.unwrap();
    assert_eq!(load.ports, [port]);
    assert!(load.processes >= 3 && load.memory_bytes > 1 << 20, "{load:?}");
    assert!(!found.own_network && found.directory == std::env::temp_dir());
    assert!(is_running(&found.pid.to_string()));
    assert!(stop_command(found.id));
    let outcome = running.join().unwrap();
    assert!(outcome.cancelled);
    assert!(listed("listed-with-a-port").is_none() && !stop_command(found.id));
}

#[test]
fn a_fork_bomb_is_ended_as_a_whole() {
    let limits = CommandLimits { max_processes: 30, ..CommandLimits::default() };
    let folder = tempfile::tempdir().unwrap();
    // It goes on for as long as the file is there, should it not be ended.
    let go_on = folder.path().join("go-on");
    fs::write(&go_on, "").unwrap();
    // Twice as many each twentieth of a second: a machine that is slow to look has a thousand by then, and not all it can.
    let doubles = format!("[ -e {} ] && {{ sleep 0.05; bomb & bomb & }}", go_on.display());
    let bomb = format!("bomb() {{ {doubles}; sleep 100; }}; bomb");
    let outcome = Check { limits, ..command(&bomb) }.run();
    fs::remove_file(go_on).unwrap();
    assert_eq!((outcome.overran, outcome.signal), (Some(Overrun::Processes(30)), Some(9)));
    assert!(outcome.duration < LONG && !outcome.timed_out);
    wait_until(|| proc_table::all().iter().filter(|process| process.is_bomb(folder.path())).count() == 0);
}

impl proc_table::ProcEntry {
    fn is_bomb(&self, folder: &Path) -> bool {
        let line = fs::read_to_string(format!("/proc/{}/cmdline", self.number)).unwrap_or_default();
        line.contains("bomb()") && line.contains(&*folder.to_string_lossy())
    }
}

#[test]
fn what_takes_too_much_memory_is_ended_alone_or_together() {
    let limits = CommandLimits { max_memory_bytes: 100 << 20, ..CommandLimits::default() };
    let hog =
        |mebibytes: usize| format!("python3 -c \"import time; x=bytearray(b'x')*({mebibytes}<<20); time.sleep(100)\"");
    let shared =
        "import mmap, time; x=mmap.mmap(-1, 150<<20); [x.write(b'x'*1024) for _ in range(150<<10)]; time.sleep(100)";
    let shared = format!("python3 -c \"{shared}\"");
    for line in [hog(150), shared, format!("{0} & {0} & {0} & wait", hog(50))] {
        let outcome = Check { limits, ..command(&line) }.run();
        assert_eq!(outcome.overran, Some(Overrun::MemoryBytes(100 << 20)), "{line}");
    }
    let modest = hog(20).replace("time.sleep(100)", "time.sleep(1)");
    assert_eq!(Check { limits, ..command(&modest) }.run().exit_code, Some(0));
}

#[test]
fn what_writes_without_end_is_ended_and_its_beginning_and_end_kept() {
    let limits = CommandLimits { max_written_bytes: 50_000_000, ..CommandLimits::default() };
    let outcome = Check { limits, max_output_bytes: 1000, ..command("echo start; yes; echo end") }.run();
    assert_eq!(outcome.overran, Some(Overrun::WrittenBytes(50_000_000)));
    assert!(outcome.truncated && outcome.output.len() < 1100 && outcome.output.starts_with("start\ny\n"));
    assert!(outcome.output_bytes >= 50_000_000 && outcome.output_bytes < 100_000_000);
}

#[test]
fn what_ends_within_its_limits_is_not_ended() {
    let outcome = command("sleep 0.6; echo done").run();
    assert_eq!((outcome.overran, outcome.exit_code, outcome.output.as_str()), (None, Some(0), "done\n"));
}

/// It was seen with its parent, so it is known without.
#[test]
fn a_process_that_left_its_session_while_it_was_looked_after_ends_with_the_command() {
    let outcome = command("setsid sh -c 'echo $$; exec sleep 100' & sleep 0.8").run();
    assert_eq!(outcome.exit_code, Some(0));
    wait_until(|| !is_running(outcome.output.trim()));
}

#[test]
fn should_memory_run_out_the_command_goes_first() {
    assert_eq!(command("cat /proc/self/oom_score_adj").run().output, "1000\n");
}
