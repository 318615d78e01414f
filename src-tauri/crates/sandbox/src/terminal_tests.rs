//! A command at a terminal of its own is confined as any other. The attacks of the corpus are tried there too.

use super::*;

impl World {
    fn at_terminal(&self, sandbox: &Sandbox, command: &str) -> CommandOutcome {
        self.run(CommandSpec { terminal: true, ..self.spec_of(Some(sandbox), command) })
    }
}

#[test]
fn the_terminal_is_there_and_the_sessions() {
    let world = World::new();
    for sandbox in layers(&world.spec()) {
        for (line, expected) in [
            ("test -t 0 && test -t 1 && test -t 2 && echo yes", "yes\n"),
            ("echo there >/dev/tty; echo out >/dev/stdout; stty size </dev/tty", "there\nout\n40 120\n"),
            ("python3 -c 'import sys; print(sys.stdout.isatty())'", "True\n"),
            ("cat; echo ended", "ended\n"),
        ] {
            let outcome = world.at_terminal(&sandbox, line);
            assert_eq!((outcome.exit_code, outcome.output.as_str()), (Some(0), expected), "{}: {line}", sandbox.name());
        }
    }
}

#[test]
fn a_terminal_of_somebody_else_is_out_of_reach() {
    let world = World::new();
    let other = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY).unwrap();
    rustix::pty::unlockpt(&other).unwrap();
    let path = rustix::pty::ptsname(&other, Vec::new()).unwrap().into_string().unwrap();
    fs::write(&path, "").expect("it is in reach outside");
    for sandbox in layers(&world.spec()) {
        let outcome = world.at_terminal(&sandbox, &format!("echo typed >{path}"));
        // Where the command has terminals of its own, there may be one of that name.
        let came = rustix::io::ioctl_fionread(&other).unwrap();
        assert!(came == 0 && (outcome.exit_code != Some(0) || sandbox.is_wrapping()), "{}", sandbox.name());
    }
}

/// Not even what the command itself, or what comes after it, would read.
#[test]
fn nothing_is_typed_by_a_command() {
    let world = World::new();
    let line = "python3 -c \"import fcntl,termios; [fcntl.ioctl(0, termios.TIOCSTI, c) for c in b'echo typed\\n']\"";
    for sandbox in layers(&world.spec()) {
        let outcome = world.at_terminal(&sandbox, line);
        assert!(outcome.output.contains("PermissionError"), "{}: {}", sandbox.name(), outcome.output);
    }
}

#[test]
fn what_detached_itself_from_the_terminal_ends_with_the_command() {
    let world = World::new();
    for sandbox in layers(&world.spec()).into_iter().filter(scopes_signals) {
        assert_eq!(world.at_terminal(&sandbox, DETACHED).exit_code, Some(0), "{}", sandbox.name());
        fs::remove_file(world.path("project/pid")).unwrap();
        let _ = fs::remove_file(world.path("project/mark"));
        let still = world.run_in(&sandbox, "sleep 0.4; [ ! -e mark ]");
        assert_eq!(still.exit_code, Some(0), "{}", sandbox.name());
    }
}

#[test]
fn the_command_ends_at_its_time_limit_and_can_be_stopped_politely() {
    let world = World::new();
    for sandbox in layers(&world.spec()) {
        let line = "trap 'echo cleaning; exit 3' TERM; echo ready; sleep 100 & wait";
        let spec = CommandSpec { terminal: true, ..world.spec_of(Some(&sandbox), line) };
        let outcome = world.run(CommandSpec { time_limit: Duration::from_secs(2), ..spec });
        assert!(outcome.timed_out && outcome.output == "ready\ncleaning\n", "{}: {}", sandbox.name(), outcome.output);
    }
}
