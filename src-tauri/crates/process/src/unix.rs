//! Starting, stopping and reaping a command on Unix.

use std::fs::File;
use std::io::{self, PipeWriter, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::exit_watch::ExitWatch;
use super::guarding::Guarding;
use super::launch::{Launch, Standard, Streams};
use super::orphan_guard;
use super::piped::PlatformPipes;
#[cfg(target_os = "linux")]
use super::proc_table;
use super::terminal::{self, Terminal};
use super::watch::thread_limit;
use super::{environment, screen};
use crate::confinement::ConfinedStart;
use crate::error::{ProcessError, Result};
use crate::open_files::inherited_open_files;
use crate::piped::PipedSpec;
use crate::run::CommandSpec;

/// Small and fast where it can be; what it starts is [`shell`].
const GATE_SHELL: &str = "/bin/sh";

/// A command and what it writes.
pub(super) struct Started {
    pub(super) output: Reader,
    pub(super) running: Running,
}

pub(super) enum Reader {
    Pipe(pipe::Receiver),
    Terminal(Terminal),
}

impl Reader {
    /// Safe to cancel.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.read(buffer).await,
            Self::Terminal(terminal) => terminal.read(buffer).await,
        }
    }

    pub(super) fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.try_read(buffer),
            Self::Terminal(terminal) => terminal.try_read(buffer),
        }
    }
}

pub(super) async fn start(spec: &CommandSpec<'_>, input: &[u8], guard: &Guarding) -> Result<Started> {
    let (waiting, output) = start_at_gate(spec, input, guard).await?;
    Ok(Started { output, running: waiting.open()? })
}

/// Started, and doing nothing yet: should this process die now, nobody would stop what it did.
pub(super) struct HeldProcess {
    pub(super) group: Group,
    pub(super) gate: PipeWriter,
}

impl HeldProcess {
    /// Lets it run, now that it dies with this process.
    fn open(mut self) -> Result<Running> {
        let watch = ExitWatch::new(self.group.pid).map_err(lost)?;
        orphan_guard::watch(self.group.pid);
        // Fails when it is gone already, which is seen by its end.
        let _ = self.gate.write_all(b"\n");
        Ok(Running { watch, group: self.group })
    }
}

/// One more shell, which becomes the command's own when it has read a line; the end of its input ends it. Half a
/// millisecond, and the command's shell gets the line as it was given.
///
/// It sets the limits, also where the command is wrapped and its number is not known out here. A dump of what crashed
/// would put what it had in memory into the project. And should memory run out, the command is what is to go.
///
/// Its first argument is how many threads there may be (see `watch`), for which shells have different words, the second
/// how many open files Arki was started with. Its name is what its complaint about a program that is not there begins with.
const GATE: &str = r#"ulimit -c 0; { ulimit -S -n "$2"; ulimit -u "$1" || ulimit -p "$1"; echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
shift 2
read -r _ <&3 && exec "$@" 3<&-"#;

pub(super) async fn start_at_gate(
    spec: &CommandSpec<'_>,
    input: &[u8],
    guard: &Guarding,
) -> Result<(HeldProcess, Reader)> {
    let shell = shell().to_str().ok_or(ProcessError::NotACommand)?;
    let (standard, output) = if spec.terminal { at_terminal()? } else { at_pipes(input).map_err(lost)? };
    let of_terminal = standard.terminal().map(|_| environment::at_terminal(&spec.environment, screen::KIND));
    let behind = Supervision {
        guard,
        environment: of_terminal.as_ref().unwrap_or(&spec.environment),
        directory: &spec.directory,
        threads: thread_limit(&spec.limits),
    };
    Ok((behind.start(&[shell, "-c", "--", &spec.command_line], standard).await?, output))
}

/// Opens the command's descriptors, and the reader of its output.
fn at_terminal() -> Result<(Standard, Reader), ProcessError> {
    let (terminal, device) = terminal::open().map_err(|source| ProcessError::NoTerminal { source })?;
    Ok((Standard::Terminal(device), Reader::Terminal(terminal)))
}

fn at_pipes(input: &[u8]) -> io::Result<(Standard, Reader)> {
    let (reader, writer) = io::pipe()?;
    let writer = OwnedFd::from(writer);
    let output = pipe::Receiver::from_owned_fd(reader.into())?;
    Ok((Standard::Three([readable(input)?, writer.try_clone()?, writer]), Reader::Pipe(output)))
}

/// The programs that a program is started behind, besides the gate.
struct Supervision<'a> {
    guard: &'a Guarding,
    environment: &'a [(String, String)],
    directory: &'a Path,
    threads: usize,
}

impl Supervision<'_> {
    /// The start of a program and its arguments, and the descriptors that it needs besides the gate.
    fn launch(&self, program: &[&str], terminal: Option<&Path>) -> Result<(Launch, Vec<OwnedFd>)> {
        let threads = self.threads.to_string();
        let files = inherited_open_files();
        let command = [&[GATE_SHELL, "-c", GATE, "arki", &threads, &files], program].concat();
        let launch = |program: &Path, arguments: &[&str]| {
            Launch::new(program, arguments, self.environment, self.directory).ok_or(ProcessError::NotACommand)
        };
        let Some(confined) = self.guard.confined() else {
            return Ok((launch(Path::new(GATE_SHELL), &command[1..])?, Vec::new()));
        };
        let wrapped = confined.wrap(self.directory, &command, terminal);
        let wrapped = wrapped.map_err(|source| start_error(self.directory, source))?;
        let arguments: Vec<&str> = wrapped.arguments.iter().map(String::as_str).collect();
        Ok((launch(&wrapped.program, &arguments)?, wrapped.descriptors))
    }

    /// Starts a program and its arguments, which then waits at the gate.
    async fn start(&self, program: &[&str], standard: Standard) -> Result<HeldProcess> {
        let (launch, wrapping) = self.launch(program, standard.terminal())?;
        let (gate_reader, gate) = io::pipe().map_err(lost)?;
        let more = [gate_reader.into()].into_iter().chain(wrapping).collect();
        let streams = Streams::new(standard, more).map_err(lost)?;
        orphan_guard::prepare();
        let sandbox = match self.guard.confined() {
            Some(confined) => Some(confined.place(streams.terminal()).await?),
            None => None,
        };
        let started = match &sandbox {
            Some(sandbox) => sandbox.start(launch, streams).await?,
            None => launch.start(&streams),
        };
        let pid = started.map_err(|source| start_error(self.directory, source))?;
        prefer_to_kill(pid);
        Ok(HeldProcess { group: Group { pid, is_reaped: false, sandbox }, gate })
    }
}

/// A running command or program. Dropping it kills its group.
pub(super) struct Running {
    watch: ExitWatch,
    pub(super) group: Group,
}

impl Running {
    pub(super) fn number(&self) -> u32 {
        self.group.number()
    }

    /// Ends when its first process has; can be awaited again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        self.watch.exited().await
    }

    pub(super) fn terminate_group(&self) {
        self.group.terminate();
    }

    /// Kills the group; what left it is `Watch`'s to end.
    pub(super) fn kill_group(&self) {
        self.group.signal(Signal::KILL);
    }

    /// The exit code, or the signal.
    pub(super) fn reap(mut self) -> (Option<i32>, Option<i32>) {
        self.group.reap()
    }
}

pub(super) async fn start_piped(
    spec: &PipedSpec<'_>,
    guard: &Guarding,
) -> Result<PlatformPipes<pipe::Sender, pipe::Receiver, pipe::Receiver>> {
    let command: Vec<&str> = [&spec.program].into_iter().chain(&spec.arguments).map(String::as_str).collect();
    let behind = Supervision {
        guard,
        environment: &spec.environment,
        directory: &spec.directory,
        threads: thread_limit(&spec.limits),
    };
    let (stdin_reader, stdin) = io::pipe().map_err(lost)?;
    let (stdout, stdout_writer) = io::pipe().map_err(lost)?;
    let (stderr, stderr_writer) = io::pipe().map_err(lost)?;
    let standard = Standard::Three([stdin_reader.into(), stdout_writer.into(), stderr_writer.into()]);
    Ok(PlatformPipes {
        running: behind.start(&command, standard).await?.open()?,
        stdin: pipe::Sender::from_owned_fd(stdin.into()).map_err(lost)?,
        stdout: pipe::Receiver::from_owned_fd(stdout.into()).map_err(lost)?,
        stderr: pipe::Receiver::from_owned_fd(stderr.into()).map_err(lost)?,
    })
}

fn lost(source: io::Error) -> ProcessError {
    if is_of_too_many_files(&source) {
        return ProcessError::NoMoreFiles { source };
    }
    ProcessError::ConnectionLost { source }
}

/// Returns whether too many files are open, in this process or in the whole system.
fn is_of_too_many_files(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

/// A session and process group, named by its leader, which is ours to reap.
pub(super) struct Group {
    pub(super) pid: Pid,
    is_reaped: bool,
    /// The sandbox. It is kept, since a wrapped command dies with the thread that started it; and it knows what belongs
    /// to the command.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "there the sandbox knows nothing of it"))]
    pub(super) sandbox: Option<Arc<dyn ConfinedStart>>,
}

impl Group {
    fn number(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// Asks everything in it to end; but not a wrapping program, with which everything would end at once.
    fn terminate(&self) {
        #[cfg(target_os = "linux")]
        if self.sandbox.as_ref().is_some_and(|sandbox| sandbox.is_wrapping()) {
            let members = proc_table::of_session(self.pid);
            for member in members.into_iter().filter(|member| *member != self.pid) {
                let _ = rustix::process::kill_process(member, Signal::TERM);
            }
            return;
        }
        self.signal(Signal::TERM);
    }

    fn signal(&self, signal: Signal) {
        // Fails when nobody is left, which is what was wanted.
        let _ = kill_process_group(self.pid, signal);
    }

    /// And what left it, where the sandbox knows that; nobody waits for it.
    fn kill(&self) {
        self.signal(Signal::KILL);
        #[cfg(target_os = "linux")]
        if let Some(sandbox) = &self.sandbox {
            sandbox.end_all_soon();
        }
    }

    fn reap(&mut self) -> (Option<i32>, Option<i32>) {
        let status = waitpid(Some(self.pid), WaitOptions::NOHANG).ok().flatten();
        let Some((_, status)) = status else { return (None, None) };
        self.is_reaped = true;
        orphan_guard::forget(self.pid);
        (status.exit_status(), status.terminating_signal())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        self.kill();
        let pid = self.pid;
        // Killed, it goes within microseconds; but not in every case, so nobody waits here.
        let reaper = std::thread::Builder::new().name("arki-reaper".to_owned()).spawn(move || {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            orphan_guard::forget(pid);
        });
        drop(reaper);
    }
}

/// Has the kernel kill this process first when memory runs out. It can't be set from within a sandbox without a view of
/// its own.
fn prefer_to_kill(pid: Pid) {
    #[cfg(target_os = "linux")]
    let _ = std::fs::write(format!("/proc/{}/oom_score_adj", pid.as_raw_nonzero()), "1000");
    #[cfg(not(target_os = "linux"))]
    let _ = pid;
}

/// A file without a name rather than a pipe: nobody has to feed it while the command runs.
fn readable(input: &[u8]) -> io::Result<OwnedFd> {
    if input.is_empty() {
        return Ok(File::open("/dev/null")?.into());
    }
    let mut file = nameless_file()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}

#[cfg(target_os = "linux")]
fn nameless_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};
    Ok(memfd_create("arki-input", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless_file() -> io::Result<File> {
    tempfile::tempfile()
}

fn shell() -> &'static Path {
    static SHELL: OnceLock<&Path> = OnceLock::new();
    SHELL.get_or_init(|| {
        let bash = Path::new("/bin/bash");
        if bash.exists() { bash } else { Path::new("/bin/sh") }
    })
}

/// The shell that commands get, and its arguments to run a line.
pub(super) fn shell_command(line: &str) -> Result<(String, Vec<String>)> {
    let shell = shell().to_str().ok_or(ProcessError::NotACommand)?;
    Ok((shell.to_owned(), ["-c", "--", line].map(str::to_owned).into()))
}

/// The kernel's name and version, and the distribution's where it has one.
pub(super) fn system_version() -> Option<String> {
    let kernel = rustix::system::uname();
    let kernel = format!("{} {}", kernel.sysname().to_str().ok()?, kernel.release().to_str().ok()?);
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let named = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    Some(named.map_or(kernel.clone(), |name| format!("{kernel}, {}", name.trim_matches(['"', '\'']))))
}

fn start_error(directory: &Path, source: io::Error) -> ProcessError {
    if !directory.is_dir() {
        return ProcessError::DirectoryMissing { directory: directory.to_owned() };
    }
    if is_of_too_many_files(&source) {
        return ProcessError::NoMoreFiles { source };
    }
    ProcessError::SpawnFailed { program: GATE_SHELL.to_owned(), source }
}
