//! Starting, stopping and reaping a command on Windows: PowerShell, with threads for what Unix has descriptors for.
//!
//! Each is in a job of its own with all that it starts (see `job`), by which it is limited and ended.

use std::io::{self, Read, Seek, Write};
use std::os::windows::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};

use super::guarding::Guarding;
use super::job::Job;
use super::piped::Pipes;
use super::{CHUNK_BYTES, CommandSpec, PipedSpec};
use crate::error::{ProcessError, Result};

/// Chunks read ahead; then the command waits.
const QUEUED_CHUNKS: usize = 4;

/// A command and what it writes.
pub(super) struct Started {
    pub(super) output: Reader,
    pub(super) running: Running,
}

pub(super) struct Reader {
    chunks: mpsc::Receiver<Vec<u8>>,
    rest: Vec<u8>,
}

impl Reader {
    /// Safe to cancel.
    pub(super) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.chunks.recv().await.unwrap_or_default();
        }
        Ok(self.take(buffer))
    }

    pub(super) fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() {
            self.rest = self.chunks.try_recv().unwrap_or_default();
        }
        Ok(self.take(buffer))
    }

    fn take(&mut self, buffer: &mut [u8]) -> usize {
        let length = self.rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.rest[..length]);
        self.rest.drain(..length);
        length
    }
}

struct ExitWatch(watch::Receiver<Option<ExitStatus>>);

impl ExitWatch {
    /// Safe to cancel and to await again.
    async fn exited(&mut self) -> io::Result<()> {
        self.0.wait_for(Option::is_some).await.map(drop).map_err(io::Error::other)
    }

    /// `None` while it runs.
    fn exit_code(&self) -> Option<i32> {
        self.0.borrow().and_then(|status| status.code())
    }
}

pub(super) async fn start(spec: &CommandSpec<'_>, input: &[u8], _: &Guarding) -> Result<Started> {
    if let Some(sandbox) = spec.sandbox {
        sandbox.perform(|| ()).await?;
    }
    if spec.terminal {
        return Err(ProcessError::NoTerminal { source: io::ErrorKind::Unsupported.into() }.into());
    }
    if spec.command_line.contains('\0') {
        return Err(ProcessError::NotACommand.into());
    }
    let lost = |source| ProcessError::ConnectionLost { source };
    let (reader, writer) = io::pipe().map_err(lost)?;
    let job = Job::new(&spec.limits).map_err(lost)?;
    let mut command = Command::new("powershell.exe");
    command
        .args(["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", &spec.command_line])
        .current_dir(&spec.directory)
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .stdin(readable(input).map_err(lost)?)
        .stderr(writer.try_clone().map_err(lost)?)
        .stdout(writer);
    let child = job.start(&mut command).map_err(|source| start_error(spec, source))?;
    // It holds the writing end, which has to be the command's alone for its output to end.
    drop(command);
    let process = child.id();
    let output = Reader { chunks: read_on_thread(reader).map_err(lost)?, rest: Vec::new() };
    let watch = ExitWatch(wait_on_thread(child).map_err(lost)?);
    Ok(Started { output, running: Running { watch, process, job } })
}

/// A running command or program. Dropping it kills it and what it started.
pub(super) struct Running {
    watch: ExitWatch,
    process: u32,
    job: Job,
}

impl Running {
    pub(super) fn number(&self) -> u32 {
        self.process
    }

    /// Ends when its first process has; can be awaited again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        self.watch.exited().await
    }

    /// Console programs without a console can't be asked.
    pub(super) fn terminate_group(&self) {
        self.job.end();
    }

    /// Also what it left behind.
    pub(super) fn kill_group(&self) {
        self.job.end();
    }

    /// The exit code, or the signal.
    pub(super) fn reap(self) -> (Option<i32>, Option<i32>) {
        (self.watch.exit_code(), None)
    }
}

pub(super) async fn start_piped(
    spec: &PipedSpec<'_>,
    _: &Guarding,
) -> Result<Pipes<ChildStdin, ChildStdout, ChildStderr>> {
    if let Some(sandbox) = spec.sandbox {
        sandbox.perform(|| ()).await?;
    }
    let lost = |source| ProcessError::ConnectionLost { source };
    let job = Job::new(&spec.limits).map_err(lost)?;
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.arguments)
        .current_dir(&spec.directory)
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = job.start(&mut command);
    let mut child = started.map_err(|source| ProcessError::SpawnFailed { program: spec.program.clone(), source })?;
    let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
    let Some(((stdin, stdout), stderr)) = pipes else { return Err(lost(io::Error::other("no pipes")).into()) };
    let process = child.id();
    Ok(Pipes {
        running: Running { watch: ExitWatch(wait_on_thread(child).map_err(lost)?), process, job },
        stdin: ChildStdin::from_std(stdin).map_err(lost)?,
        stdout: ChildStdout::from_std(stdout).map_err(lost)?,
        stderr: ChildStderr::from_std(stderr).map_err(lost)?,
    })
}

/// A file that goes when it is closed rather than a pipe: nobody has to feed it while the command runs.
fn readable(input: &[u8]) -> io::Result<Stdio> {
    if input.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(input)?;
    file.rewind()?;
    Ok(file.into())
}

fn read_on_thread(mut reader: io::PipeReader) -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(QUEUED_CHUNKS);
    thread::Builder::new().name("arki-read".to_owned()).spawn(move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        while let Ok(length @ 1..) = reader.read(&mut buffer) {
            if sender.blocking_send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

fn wait_on_thread(mut child: Child) -> io::Result<watch::Receiver<Option<ExitStatus>>> {
    let (sender, receiver) = watch::channel(None);
    thread::Builder::new().name("arki-wait".to_owned()).spawn(move || {
        let status = child.wait().unwrap_or_else(|_| ExitStatus::from_raw(1));
        sender.send_replace(Some(status));
    })?;
    Ok(receiver)
}

fn start_error(spec: &CommandSpec<'_>, source: io::Error) -> ProcessError {
    if !spec.directory.is_dir() {
        return ProcessError::DirectoryMissing { directory: spec.directory.clone() };
    }
    ProcessError::SpawnFailed { program: "powershell.exe".to_owned(), source }
}
