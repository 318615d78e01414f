//! Starting, stopping and reaping a command on Unix.

use std::fs::File;
use std::io::{self, PipeWriter, Seek, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::CommandSpec;
use super::exit_watch::ExitWatch;
use super::launch::{Launch, Streams};
use super::orphan_guard;
use crate::error::{ProcessError, Result};

/// Small and fast where it can be; what it starts is [`shell`].
const GATE_SHELL: &str = "/bin/sh";

/// A running command. Dropping it kills its group.
pub(super) struct Started {
    pub(super) output: Reader,
    pub(super) watch: ExitWatch,
    group: Group,
}

pub(super) struct Reader(pipe::Receiver);

impl Reader {
    /// Safe to cancel.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).await
    }

    pub(super) fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

pub(super) async fn start(spec: &CommandSpec<'_>, input: &[u8]) -> Result<Started> {
    let (waiting, output) = start_at_gate(spec, input).await?;
    let watch = ExitWatch::new(waiting.group.pid).map_err(lost)?;
    Ok(Started { output: Reader(output), watch, group: waiting.open() })
}

/// Started, and doing nothing yet: should this process die now, nobody would stop what it did.
pub(super) struct Waiting {
    pub(super) group: Group,
    pub(super) gate: PipeWriter,
}

impl Waiting {
    /// Lets it run, now that it dies with this process.
    fn open(mut self) -> Group {
        orphan_guard::watch(self.group.pid);
        forbid_core_dumps(self.group.pid);
        // Fails when it is gone already, which is seen by its end.
        let _ = self.gate.write_all(b"\n");
        self.group
    }
}

/// One more shell, which becomes the command's own when it has read a line; the end of its input ends it. Half a
/// millisecond, and the command's shell gets the line as it was given.
const GATE: &str = r#"read -r _ <&3 && exec "$0" "$@" 3<&-"#;

pub(super) async fn start_at_gate(spec: &CommandSpec<'_>, input: &[u8]) -> Result<(Waiting, pipe::Receiver)> {
    let shell = shell().to_str().ok_or(ProcessError::NotACommand)?;
    let arguments = ["-c", GATE, shell, "-c", "--", &spec.command_line];
    let launch = Launch::new(Path::new(GATE_SHELL), &arguments, &spec.environment, &spec.directory)
        .ok_or(ProcessError::NotACommand)?;
    let (reader, writer) = io::pipe().map_err(lost)?;
    let (gate_reader, gate) = io::pipe().map_err(lost)?;
    let output = pipe::Receiver::from_owned_fd(reader.into()).map_err(lost)?;
    let streams = streams(writer.into(), input, gate_reader.into()).map_err(lost)?;
    orphan_guard::prepare();
    let started = match spec.sandbox {
        Some(sandbox) => sandbox.perform(move || launch.start(&streams)).await?,
        None => launch.start(&streams),
    };
    let pid = started.map_err(|source| start_error(spec, source))?;
    Ok((Waiting { group: Group { pid, is_reaped: false }, gate }, output))
}

fn lost(source: io::Error) -> ProcessError {
    ProcessError::ConnectionLost { source }
}

impl Started {
    /// Ends when the command itself has; can be awaited again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        self.watch.exited().await
    }

    pub(super) fn terminate_group(&self) {
        self.group.signal(Signal::TERM);
    }

    pub(super) fn kill_group(&self) {
        self.group.signal(Signal::KILL);
    }

    /// The exit code, or the signal.
    pub(super) fn reap(mut self) -> (Option<i32>, Option<i32>) {
        self.group.reap()
    }
}

/// A session and process group, named by its leader, which is ours to reap.
pub(super) struct Group {
    pub(super) pid: Pid,
    is_reaped: bool,
}

impl Group {
    fn signal(&self, signal: Signal) {
        // Fails when nobody is left, which is what was wanted.
        let _ = kill_process_group(self.pid, signal);
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
        self.signal(Signal::KILL);
        let pid = self.pid;
        // Killed, it goes within microseconds; but not in every case, so nobody waits here.
        let reaper = std::thread::Builder::new().name("arki-reaper".to_owned()).spawn(move || {
            let _ = waitpid(Some(pid), WaitOptions::empty());
            orphan_guard::forget(pid);
        });
        drop(reaper);
    }
}

fn streams(writer: OwnedFd, input: &[u8], gate: OwnedFd) -> io::Result<Streams> {
    Ok(Streams { stdin: readable(input)?, stderr: writer.try_clone()?, stdout: writer, gate: Some(gate) })
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

fn start_error(spec: &CommandSpec<'_>, source: io::Error) -> ProcessError {
    if !spec.directory.is_dir() {
        return ProcessError::DirectoryMissing { directory: spec.directory.clone() };
    }
    ProcessError::SpawnFailed { program: GATE_SHELL.to_owned(), source }
}

/// A dump of a crashed child would put what it had in memory into the project.
fn forbid_core_dumps(pid: Pid) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, prlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        let _ = prlimit(Some(pid), Resource::Core, none);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pid;
}
