//! Commands at a terminal of their own, which they have to be able to tell from pipes.

use super::*;

fn at_terminal(line: &str) -> Check {
    Check { terminal: true, ..command(line) }
}

/// Its output; it has to succeed.
fn said(line: &str) -> String {
    let outcome = at_terminal(line).run();
    assert_eq!(outcome.exit_code, Some(0), "{line}: {}", outcome.output);
    outcome.output
}

#[test]
fn all_three_streams_are_a_terminal_and_it_is_the_sessions() {
    assert_eq!(said("test -t 0 && test -t 1 && test -t 2 && echo yes"), "yes\n");
    assert_ne!(command("test -t 0 || test -t 1 || test -t 2").run().exit_code, Some(0));
    assert_eq!(said("echo there >/dev/tty; echo out >/dev/stdout; echo wrong >/dev/stderr"), "there\nout\nwrong\n");
    assert_eq!(
        said(
            "[ \"$(tty)\" = \"$(readlink /proc/self/fd/2)\" ] && ps -o sid= -p $$ | tr -d ' ' >sid; \
                     [ $(cat sid) = $$ ] && rm sid && echo leads"
        ),
        "leads\n"
    );
}

#[test]
fn size_kind_and_environment_are_as_promised() {
    let seen = said("stty size; echo $TERM; echo $GREETING; stty -a | grep -o -e '-echo ' -e ' icanon'");
    assert_eq!(seen, format!("{} {}\nxterm-256color\nhello\n icanon\n-echo\n", screen::ROWS, screen::COLUMNS));
}

#[test]
fn a_program_that_wants_a_terminal_is_content() {
    let line =
        "python3 -c 'import os,sys; sys.exit(3) if not sys.stdout.isatty() else print(os.get_terminal_size().columns)'";
    assert_eq!(said(line), format!("{}\n", screen::COLUMNS));
    assert_eq!(command(line).run().exit_code, Some(3));
}

#[test]
fn programs_may_use_colours_and_have_them_kept_which_is_not_so_at_pipes() {
    let script =
        "folder=$(mktemp -d); touch $folder/x; chmod +x $folder/x; ls --color=auto $folder; echo ${NO_COLOR-none}";
    assert_eq!(said(script), "\x1b[1;32mx\x1b[0m\nnone\n");
    assert_eq!(command(script).run().output, "x\n1\n");
}

#[test]
fn a_progress_bar_comes_out_as_its_last_state() {
    let line = r#"python3 -c "
import sys
for n in range(1001): sys.stdout.write(f'\r\033[2K\033[32m{n/10:5.1f} %\033[0m'); sys.stdout.flush()
print(); print('done')""#;
    let shown = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&shown);
    let outcome = at_terminal(line)
        .run_with(move |bytes| seen.lock().unwrap().push_str(std::str::from_utf8(bytes).unwrap()))
        .unwrap();
    assert_eq!(outcome.output, "\x1b[32m100.0 %\x1b[0m\ndone\n");
    assert!(outcome.output_bytes > 10_000 && !outcome.truncated);
    let shown = shown.lock().unwrap();
    assert!(shown.contains("\n\x1b[32m 50.0 %\x1b[0m\n") && shown.ends_with("done\n"), "{shown}");
}

#[test]
fn exit_code_and_signal_are_the_commands() {
    let outcome = at_terminal("echo last words; exit 7").run();
    assert_eq!((outcome.exit_code, outcome.signal, outcome.output.as_str()), (Some(7), None, "last words\n"));
    assert_eq!(at_terminal("kill -9 $$").run().signal, Some(9));
    assert_eq!(at_terminal("no-such-program").run().exit_code, Some(127));
}

/// Also who asks twice, or throws away what was typed before the question.
#[test]
fn whoever_asks_learns_that_nobody_answers() {
    assert_eq!(said("cat; cat; echo two ends"), "two ends\n");
    assert_ne!(at_terminal("read -r -p 'Go on? ' answer").run().exit_code, Some(0));
    let ask = |how: &str| format!("python3 -c 'import getpass\ntry: {how}\nexcept EOFError: print(\"nobody\")'");
    assert!(said(&ask("input(\"Name? \")")).ends_with("nobody\n"));
    assert!(said(&ask("getpass.getpass()")).ends_with("nobody\n"));
}

#[test]
fn a_flood_is_kept_in_part_and_counted_whole() {
    let check =
        Check { max_output_bytes: 1000, ..at_terminal("echo start; yes 0123456789 | head -n 1000000; echo end") };
    let outcome = check.run();
    // A terminal's lines end with two characters.
    assert_eq!(outcome.output_bytes, 12_000_000 + 7 + 5);
    assert!(outcome.truncated && outcome.output.len() < 1100, "{}", outcome.output.len());
    assert!(outcome.output.starts_with("start\n012") && outcome.output.ends_with("9\nend\n"), "{}", outcome.output);
}

#[test]
fn what_writes_without_end_is_ended_also_where_little_becomes_much() {
    let limits = CommandLimits { max_written_bytes: 500_000, ..CommandLimits::default() };
    for line in ["yes", "while :; do printf 'x\\033[65535b'; done"] {
        let outcome = Check { limits, max_output_bytes: 1000, ..at_terminal(line) }.run();
        assert_eq!(outcome.overran, Some(Overrun::WrittenBytes(500_000)), "{line}");
        assert!(outcome.truncated && outcome.output.len() < 1100);
    }
}

#[test]
fn stop_and_time_limit_end_it_with_its_children() {
    for stops in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let line =
            format!("sleep 100 & echo $! >{0}; nohup sleep 100 & echo $! >>{0}; echo ready; wait", pids.display());
        let time_limit = if stops { LONG } else { Duration::from_secs(2) };
        let check = Check { time_limit, ..at_terminal(&line) };
        let cancel = check.cancel.clone();
        // `nohup` writes too, and may do so before the line has noted its process.
        let shown = Mutex::new(String::new());
        let outcome = check
            .run_with(|bytes| {
                let mut shown = shown.lock().unwrap();
                shown.push_str(&String::from_utf8_lossy(bytes));
                if stops && shown.contains("ready") {
                    cancel.cancel()
                }
            })
            .unwrap();
        assert_eq!((outcome.cancelled, outcome.timed_out), (stops, !stops), "{}", outcome.output);
        assert!(outcome.duration < LONG);
        let pids = fs::read_to_string(pids).unwrap();
        assert_eq!(pids.lines().count(), 2);
        wait_until(|| !pids.lines().any(is_running));
    }
}

#[test]
fn what_is_left_in_the_background_ends_with_it_even_if_it_ignores_that_the_terminal_is_gone() {
    for line in ["sleep 100 & echo $!", "trap '' HUP; sleep 100 & echo $!", "setsid sleep 100 & echo $!; sleep 0.8"] {
        let outcome = at_terminal(line).run();
        assert!(outcome.exit_code == Some(0) && outcome.duration < LONG, "{line}");
        wait_until(|| !is_running(&outcome.output));
    }
}

#[test]
fn it_is_listed_and_stopped_alone() {
    let line = "echo ready; sleep 100 # listed-at-a-terminal";
    let ready = Arc::new(Mutex::new(String::new()));
    let seen = Arc::clone(&ready);
    let running = std::thread::spawn(move || {
        at_terminal(line)
            .run_with(move |bytes| seen.lock().unwrap().push_str(std::str::from_utf8(bytes).unwrap()))
            .unwrap()
    });
    wait_until(|| ready.lock().unwrap().as_str() == "ready\n");
    assert!(stop_command(listed("listed-at-a-terminal").unwrap().id));
    assert!(running.join().unwrap().cancelled);
}

/// Runs this test binary again as a process that is killed while its command runs.
#[test]
fn it_dies_with_this_process_even_when_that_is_killed() {
    const PID_FILE: &str = "ARKI_TEST_TERMINAL_PID_FILE";
    if let Ok(pid_file) = std::env::var(PID_FILE) {
        at_terminal("trap '' HUP; sleep 100 & echo $!; wait")
            .run_with(|pid| fs::write(&pid_file, pid).unwrap())
            .unwrap();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let mut parent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "run::tests::at_terminal::it_dies_with_this_process_even_when_that_is_killed"])
        .env(PID_FILE, &pid_file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    wait_until(|| is_running(&read(&pid_file)));
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until(|| !is_running(&read(&pid_file)));
}

/// What a project's git configuration names would run where someone could page.
#[test]
fn git_starts_no_pager() {
    let folder = tempfile::tempdir().unwrap();
    let spec = crate::EnvironmentSpec { temp_dir: folder.path(), sandbox: None };
    let environment = crate::child_environment(crate::inherited_environment(), &[], spec);
    let exports: String =
        environment.iter().filter(|(name, _)| name.contains("PAGER")).map(|(n, v)| format!("{n}={v} ")).collect();
    let project = "cd $(mktemp -d) && git init -q . && git config core.pager 'touch paged; cat' && \
                   git config pager.log 'touch paged; cat' && git -c user.name=a -c user.email=b commit -qm one --allow-empty";
    let log = |exports: &str| format!("{project} && {exports} git log --format=%s && ls");
    assert_eq!(said(&log("")), "one\npaged\n");
    assert_eq!(said(&log(&exports)), "one\n");
}

#[test]
fn its_limits_hold() {
    let limits = CommandLimits { max_processes: 10, ..CommandLimits::default() };
    let many = "for n in $(seq 20); do sleep 100 & done; wait";
    assert_eq!(Check { limits, ..at_terminal(many) }.run().overran, Some(Overrun::Processes(10)));
    assert_eq!(said("ulimit -c; cat /proc/self/oom_score_adj"), "0\n1000\n");
}
