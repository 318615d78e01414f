//! Starting, stopping and reaping a command on Windows: PowerShell, with threads for what Unix has descriptors for.
//!
//! Its children are found by their parent's number (`taskkill /T`); a job object, which can't be left, is still to
//! come.

use std::io::{self, Read, Seek, Write};
use std::os::windows::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use tokio::sync::{mpsc, watch};

use super::{CHUNK_BYTES, CommandSpec, Piped, PipedProcess, PipedSpec};
use crate::error::{ProcessError, Result};

const CREATE_NO_WINDOW: u32 = 0x0800_0000;
const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
/// Chunks read ahead; then the command waits.
const QUEUED_CHUNKS: usize = 4;

/// A running command. Dropping it kills it and its children.
pub(super) struct Started {
    pub(super) output: Reader,
    pub(super) watch: ExitWatch,
    process: u32,
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

pub(super) struct ExitWatch(watch::Receiver<Option<ExitStatus>>);

impl ExitWatch {
    /// Safe to cancel and to await again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        self.0.wait_for(Option::is_some).await.map(drop).map_err(io::Error::other)
    }
}

pub(super) async fn start(spec: &CommandSpec<'_>, input: &[u8]) -> Result<Started> {
    if let Some(sandbox) = spec.sandbox {
        sandbox.perform(|| ()).await?;
    }
    if spec.terminal {
        return Err(ProcessError::NoTerminal.into());
    }
    if spec.command_line.contains('\0') {
        return Err(ProcessError::NotACommand.into());
    }
    let lost = |source| ProcessError::ConnectionLost { source };
    let (reader, writer) = io::pipe().map_err(lost)?;
    let child = Command::new("powershell.exe")
        .args(["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", &spec.command_line])
        .current_dir(&spec.directory)
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .creation_flags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP)
        .stdin(readable(input).map_err(lost)?)
        .stderr(writer.try_clone().map_err(lost)?)
        .stdout(writer)
        .spawn()
        .map_err(|source| start_error(spec, source))?;
    let process = child.id();
    let output = Reader { chunks: read_on_thread(reader).map_err(lost)?, rest: Vec::new() };
    let watch = ExitWatch(wait_on_thread(child).map_err(lost)?);
    Ok(Started { output, watch, process })
}

/// A running program that is spoken to over pipes. Dropping it kills it and its children.
pub(super) struct Running {
    child: tokio::process::Child,
    process: u32,
}

impl Running {
    /// Ends when the program itself has; can be awaited again.
    pub(super) async fn exited(&mut self) {
        let _ = self.child.wait().await;
    }

    /// Console programs without a console can't be asked.
    pub(super) fn terminate_group(&mut self) {
        self.kill_group();
    }

    pub(super) fn kill_group(&mut self) {
        // After its end the number may be another's.
        if let Ok(None) = self.child.try_wait() {
            kill_tree(self.process);
        }
    }

    pub(super) fn reap(mut self) -> (Option<i32>, Option<i32>) {
        let status = self.child.try_wait().ok().flatten();
        (status.and_then(|status| status.code()), None)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill_group();
    }
}

pub(super) async fn start_piped(spec: &PipedSpec<'_>) -> Result<Piped> {
    if let Some(sandbox) = spec.sandbox {
        sandbox.perform(|| ()).await?;
    }
    let started = tokio::process::Command::new(&spec.program)
        .args(&spec.arguments)
        .current_dir(&spec.directory)
        .env_clear()
        .envs(spec.environment.iter().map(|(name, value)| (name, value)))
        .creation_flags(CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|source| ProcessError::SpawnFailed { program: spec.program.clone(), source })?;
    let pipes = child.stdin.take().zip(child.stdout.take()).zip(child.stderr.take());
    let (Some(((stdin, stdout), stderr)), Some(process)) = (pipes, child.id()) else {
        return Err(ProcessError::ConnectionLost { source: io::Error::other("no pipes") }.into());
    };
    Ok(Piped {
        stdin: Box::new(stdin),
        stdout: Box::new(stdout),
        stderr: Box::new(stderr),
        process: PipedProcess(Running { child, process }),
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

impl Started {
    /// Ends when the command itself has; can be awaited again.
    pub(super) async fn exited(&mut self) -> io::Result<()> {
        self.watch.exited().await
    }

    pub(super) fn number(&self) -> u32 {
        self.process
    }

    /// Console programs without a console can't be asked.
    pub(super) fn terminate_group(&self) {
        self.kill_group();
    }

    pub(super) fn kill_group(&self) {
        // After its end the number may be another's.
        if self.watch.0.borrow().is_some() {
            return;
        }
        kill_tree(self.process);
    }

    /// The exit code, or the signal.
    pub(super) fn reap(self) -> (Option<i32>, Option<i32>) {
        let status = *self.watch.0.borrow();
        (status.and_then(|status| status.code()), None)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.kill_group();
    }
}

fn start_error(spec: &CommandSpec<'_>, source: io::Error) -> ProcessError {
    if !spec.directory.is_dir() {
        return ProcessError::DirectoryMissing { directory: spec.directory.clone() };
    }
    ProcessError::SpawnFailed { program: "powershell.exe".to_owned(), source }
}

fn kill_tree(process: u32) {
    let _ = Command::new("taskkill.exe")
        .args(["/T", "/F", "/PID", &process.to_string()])
        .creation_flags(CREATE_NO_WINDOW)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
