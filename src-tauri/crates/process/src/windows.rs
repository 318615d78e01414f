//! Starting, stopping and reaping a command on Windows: PowerShell, with threads for what Unix has descriptors for.
//!
//! Each is in a job of its own with all that it starts (see `job`), by which it is limited and ended, and has the user's
//! rights without an administrator's (see `restricted_token`). Where these can't be taken away it is not started.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::windows::io::OwnedHandle;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, watch};
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::OSVERSIONINFOW;

use super::guarding::Guarding;
use super::job::Job;
use super::limits::CommandLimits;
use super::piped::PlatformPipes;
use super::pseudo_console::{self, PseudoConsole};
use super::restricted_token::restricted_token;
use super::windows_launch::{Launch, ProcessHandle, Standard};
use super::{environment, screen};
use crate::error::{ProcessError, Result};
use crate::piped::PipedSpec;
use crate::run::{CHUNK_BYTES, CommandSpec};

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

struct ExitWatch(watch::Receiver<Option<i32>>);

impl ExitWatch {
    /// Safe to cancel and to await again.
    async fn exited(&mut self) -> io::Result<()> {
        self.0.wait_for(Option::is_some).await.map(drop).map_err(io::Error::other)
    }

    /// `None` while it runs.
    fn exit_code(&self) -> Option<i32> {
        *self.0.borrow()
    }
}

pub(super) async fn start(spec: &CommandSpec<'_>, input: &[u8], guard: &Guarding) -> Result<Started> {
    refuse_confined(guard)?;
    if spec.command_line.contains('\0') {
        return Err(ProcessError::NotACommand);
    }
    let (shell, arguments) = shell(&spec.command_line).map_err(lost)?;
    let fail = |source| start_error(&shell, &spec.directory, source);
    let of_terminal = spec.terminal.then(|| environment::at_terminal(&spec.environment, screen::KIND));
    let environment = of_terminal.as_ref().unwrap_or(&spec.environment);
    let launch = Launch::new(&shell, &arguments, &spec.directory, environment).map_err(fail)?;
    let (standard, printed) = if spec.terminal { at_terminal()? } else { at_pipes(input).map_err(lost)? };
    let running = begin(&launch, standard, &spec.limits, fail)?;
    Ok(Started { output: Reader { chunks: read_on_thread(printed).map_err(lost)?, rest: Vec::new() }, running })
}

/// The program that commands are for, and its arguments.
#[cfg(not(test))]
fn shell(line: &str) -> io::Result<(String, Vec<String>)> {
    let shell = super::windows_launch::system_folder()?.join(r"WindowsPowerShell\v1.0\powershell.exe");
    let shell = shell.into_os_string().into_string().map_err(|_| io::ErrorKind::InvalidFilename)?;
    Ok((shell, ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", line].map(str::to_owned).into()))
}

/// Also there where no PowerShell is.
#[cfg(test)]
fn shell(line: &str) -> io::Result<(String, Vec<String>)> {
    Ok(("cmd.exe".to_owned(), ["/d", "/s", "/c", line].map(str::to_owned).into()))
}

/// The shell that commands get, and its arguments to run a line.
pub(super) fn shell_command(line: &str) -> Result<(String, Vec<String>)> {
    if line.contains('\0') {
        return Err(ProcessError::NotACommand);
    }
    shell(line).map_err(lost)
}

/// The version as the kernel tells it, whatever a manifest says.
#[allow(unsafe_code)]
pub(super) fn system_version() -> Option<String> {
    let size = u32::try_from(size_of::<OSVERSIONINFOW>()).ok()?;
    let mut version = OSVERSIONINFOW { dwOSVersionInfoSize: size, ..OSVERSIONINFOW::default() };
    // SAFETY: it is as long as it says.
    let status = unsafe { RtlGetVersion(&raw mut version) };
    let OSVERSIONINFOW { dwMajorVersion: major, dwMinorVersion: minor, dwBuildNumber: build, .. } = version;
    (status == 0).then(|| format!("Windows {major}.{minor}.{build}"))
}

/// Opens the command's handles, and the reader of its output.
fn at_terminal() -> Result<(Standard, io::PipeReader), ProcessError> {
    let (console, printed) = pseudo_console::open().map_err(|source| ProcessError::NoTerminal { source })?;
    Ok((Standard::Console(console), printed))
}

fn at_pipes(input: &[u8]) -> io::Result<(Standard, io::PipeReader)> {
    let (reader, writer) = io::pipe()?;
    let error = OwnedHandle::from(writer.try_clone()?);
    Ok((Standard::Three([readable(input)?, writer.into(), error]), reader))
}

/// Starts it with nothing but what it is to have.
fn begin(
    launch: &Launch,
    standard: Standard,
    limits: &CommandLimits,
    fail: impl Fn(io::Error) -> ProcessError,
) -> Result<Running, ProcessError> {
    let job = Job::new(limits).map_err(lost)?;
    let token = restricted_token().map_err(|source| ProcessError::NotRestricted { source })?;
    let process = launch.start(&standard, &job, &token).map_err(fail)?;
    // Of its own handles none may stay open here, for its output to end.
    let console = match standard {
        Standard::Console(console) => Some(console),
        Standard::Three(_) => None,
    };
    Running::new(process, console, job).map_err(lost)
}

/// A running command or program. Dropping it kills it and what it started.
pub(super) struct Running {
    watch: ExitWatch,
    process: u32,
    job: Arc<Job>,
}

impl Running {
    fn new(process: ProcessHandle, console: Option<PseudoConsole>, job: Job) -> io::Result<Self> {
        let job = Arc::new(job);
        let number = process.number();
        let of_console = console.map(|console| (console, Arc::clone(&job)));
        Ok(Self { watch: ExitWatch(wait_on_thread(process, of_console)?), process: number, job })
    }

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

impl Drop for Running {
    fn drop(&mut self) {
        self.job.end();
    }
}

pub(super) async fn start_piped(
    spec: &PipedSpec<'_>,
    guard: &Guarding,
) -> Result<PlatformPipes<ChildStdin, ChildStdout, ChildStderr>> {
    refuse_confined(guard)?;
    let fail = |source| start_error(&spec.program, &spec.directory, source);
    let launch = Launch::new(&spec.program, &spec.arguments, &spec.directory, &spec.environment).map_err(fail)?;
    let (stdin_reader, stdin) = io::pipe().map_err(lost)?;
    let (stdout, stdout_writer) = io::pipe().map_err(lost)?;
    let (stderr, stderr_writer) = io::pipe().map_err(lost)?;
    let standard = Standard::Three([stdin_reader.into(), stdout_writer.into(), stderr_writer.into()]);
    Ok(PlatformPipes {
        running: begin(&launch, standard, &spec.limits, fail)?,
        stdin: ChildStdin::from_std(OwnedHandle::from(stdin).into()).map_err(lost)?,
        stdout: ChildStdout::from_std(OwnedHandle::from(stdout).into()).map_err(lost)?,
        stderr: ChildStderr::from_std(OwnedHandle::from(stderr).into()).map_err(lost)?,
    })
}

/// A file that goes when it is closed rather than a pipe: nobody has to feed it while the command runs.
fn readable(input: &[u8]) -> io::Result<OwnedHandle> {
    if input.is_empty() {
        return Ok(File::open("NUL")?.into());
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

/// A terminal is hung up when its first process ends, and what is left at it ends; only then is all of its output told.
fn wait_on_thread(
    process: ProcessHandle,
    console: Option<(PseudoConsole, Arc<Job>)>,
) -> io::Result<watch::Receiver<Option<i32>>> {
    let (sender, receiver) = watch::channel(None);
    thread::Builder::new().name("arki-wait".to_owned()).spawn(move || {
        let code = process.wait().unwrap_or(1);
        if let Some((console, job)) = console {
            job.end();
            drop(console);
        }
        sender.send_replace(Some(code));
    })?;
    Ok(receiver)
}

/// Nothing here could hold it to that.
fn refuse_confined(guard: &Guarding) -> Result<()> {
    match guard.confined() {
        Some(_) => Err(ProcessError::SandboxUnavailable { reason: "There is none for this system yet.".to_owned() }),
        None => Ok(()),
    }
}

fn lost(source: io::Error) -> ProcessError {
    ProcessError::ConnectionLost { source }
}

fn start_error(program: &str, directory: &Path, source: io::Error) -> ProcessError {
    if !directory.is_dir() {
        return ProcessError::DirectoryMissing { directory: directory.to_owned() };
    }
    ProcessError::SpawnFailed { program: program.to_owned(), source }
}
