//! Running a command: its output as it comes, its end for certain.
//!
//! A command is a session of its own, so the user's terminal is not its to read from or write to, and a process group
//! of its own, so that stopping it stops what it started. Its output is a pipe, or a terminal made for it (`terminal`).
//! Whatever ends it, the group is killed before its leader is reaped: until then the group's number can't belong to
//! anyone else. Processes that leave the group themselves (`setsid`, daemons) are followed as far as `watch` can.
//!
//! Children are started with `posix_spawn`, not `fork`: forking copies this process's page tables, which costs
//! milliseconds in a desktop app, and code of ours would run in the copy.

use std::path::PathBuf;
use std::pin::pin;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::background_changes::Meanwhile;
use crate::confinement::{Confinement, ExitOutcome};
use crate::error::{ProcessError, Result};
use crate::guarding::{self, Guarding};
use crate::limits::{CommandLimits, Overrun};
use crate::platform::{self, Started};
use crate::retained_output::RetainedOutput;
use crate::running::{CommandListing, ListedCommand};
use crate::screen::{ScreenOutput, TerminalScreen};
use crate::watch::Watch;

/// The time a stopped command has to clean up.
pub(crate) const GRACE: Duration = Duration::from_millis(300);
/// The time that programs left in the background may go on writing after the command ended.
const DRAIN: Duration = Duration::from_millis(200);
/// The time a killed process may take to go; longer only when it is stuck in the kernel.
pub(crate) const KILL_WAIT: Duration = Duration::from_secs(5);
/// Bytes read at once.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks read after the group was killed: what a pipe holds, and then some.
const LAST_CHUNKS: usize = 32;

#[derive(Debug)]
pub struct CommandSpec<'a> {
    /// The line for `bash -c` (`sh -c` if there is no bash; PowerShell on Windows).
    pub command_line: String,
    /// Absolute.
    pub directory: PathBuf,
    /// The whole of it; see [`crate::child_environment`].
    pub environment: Vec<(String, String)>,
    pub sandbox: Option<&'a dyn Confinement>,
    /// True if the command gets a terminal of its own instead of pipes; nobody types at it. `output` is what the
    /// terminal showed.
    pub terminal: bool,
    pub time_limit: Duration,
    pub limits: CommandLimits,
    /// The limit for the output that is kept; what is streamed has no limit.
    pub max_output_bytes: usize,
    /// The work during a command that may run for long: what it leaves is looked for while it runs, too.
    pub meanwhile: Option<Meanwhile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutcome {
    /// `None` when a signal ended it.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    pub cancelled: bool,
    /// The limit that it was ended at.
    pub overran: Option<Overrun>,
    /// Standard output and error in the order written; of a long one the beginning and the end, with a note
    /// between them. What is not UTF-8 is replaced.
    pub output: String,
    /// True if something was left out of `output`.
    pub truncated: bool,
    /// All bytes the command wrote.
    pub output_bytes: u64,
    pub duration: Duration,
    /// Why not all that it left was looked at, if so: a repository that makes git run a program may be among it.
    pub unfinished_look: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessEnding {
    Exited,
    TimedOut,
    Cancelled,
    Overran(Overrun),
}

/// Runs a command to its end, its time limit or its cancellation, and hands its output to `on_output` as it comes.
/// It has nothing to read. Dropping the future kills it. Needs a tokio runtime with I/O and time enabled.
pub async fn run(
    spec: CommandSpec<'_>,
    on_output: impl FnMut(&[u8]),
    cancel: CancellationToken,
) -> Result<CommandOutcome> {
    run_with_input(spec, &[], on_output, cancel).await
}

/// Like [`run`], with `input` to read on its standard input, unless it is at a terminal.
pub async fn run_with_input(
    spec: CommandSpec<'_>,
    input: &[u8],
    on_output: impl FnMut(&[u8]),
    cancel: CancellationToken,
) -> Result<CommandOutcome> {
    let started_at = Instant::now();
    let mut output = CapturedOutput {
        kept: RetainedOutput::new(spec.max_output_bytes),
        on_output,
        screen: spec.terminal.then(TerminalScreen::new),
        written: 0,
        is_open: true,
    };
    let guard = Guarding::begin(spec.sandbox, spec.meanwhile.as_ref()).await?;
    let mut command = platform::start(&spec, input, &guard).await?;
    let stop = cancel.child_token();
    let watch = Watch::of(&command.running, spec.limits);
    let listing = CommandListing {
        pid: command.running.number(),
        command_line: spec.command_line.clone(),
        name: None,
        directory: spec.directory.clone(),
        own_network: spec.sandbox.is_some_and(Confinement::has_own_network),
        members: watch.members(),
    };
    let listed = ListedCommand::new(listing, &stop);
    let ending = follow(&mut command, &mut output, &watch, &spec, &stop).await?;
    match ending {
        ProcessEnding::Exited => {
            // What runs over is cut off below.
            let _ = timeout(DRAIN, output.read_to_end(&mut command)).await;
        }
        ProcessEnding::TimedOut | ProcessEnding::Cancelled => {
            command.running.terminate_group();
            let _ = timeout(GRACE, output.read_until_gone(&mut command)).await;
        }
        // It has had more than its share already.
        ProcessEnding::Overran(_) => {}
    }
    command.running.kill_group();
    watch.end_rest().await;
    let _ = timeout(KILL_WAIT, command.running.exited()).await;
    output.read_what_is_left(&mut command);
    output.leave_screen();
    drop(listed);
    let (exit_code, signal) = command.running.reap();
    let (findings, explanation) = guard.end().await;
    if !findings.notes.is_empty() {
        output.add(guarding::as_output(&findings.notes).as_bytes());
    }
    let (mut text, truncated) = output.kept.text();
    let outcome = if exit_code == Some(0) { ExitOutcome::Succeeded } else { ExitOutcome::Failed };
    text.push_str(&explanation.of(&text, outcome));
    Ok(CommandOutcome {
        exit_code,
        signal,
        timed_out: ending == ProcessEnding::TimedOut,
        cancelled: ending == ProcessEnding::Cancelled,
        overran: if let ProcessEnding::Overran(limit) = ending { Some(limit) } else { None },
        output: text,
        truncated,
        output_bytes: output.written,
        duration: started_at.elapsed(),
        unfinished_look: findings.unfinished,
    })
}

async fn follow(
    command: &mut Started,
    output: &mut CapturedOutput<impl FnMut(&[u8])>,
    watch: &Watch,
    spec: &CommandSpec<'_>,
    cancel: &CancellationToken,
) -> Result<ProcessEnding> {
    let mut deadline = pin!(sleep(spec.time_limit));
    let mut overran = pin!(watch.overran());
    let mut cancelled = pin!(cancel.cancelled());
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        tokio::select! {
            biased;
            () = &mut cancelled => return Ok(ProcessEnding::Cancelled),
            () = &mut deadline => return Ok(ProcessEnding::TimedOut),
            limit = &mut overran => return Ok(ProcessEnding::Overran(limit)),
            read = command.output.read(&mut buffer), if output.is_open => {
                output.take(read.ok(), &buffer);
                if output.size() > spec.limits.max_written_bytes {
                    return Ok(ProcessEnding::Overran(Overrun::WrittenBytes(spec.limits.max_written_bytes)));
                }
            }
            exited = command.running.exited() => {
                exited.map_err(|source| ProcessError::ConnectionLost { source })?;
                return Ok(watch.exceeded().map_or(ProcessEnding::Exited, ProcessEnding::Overran));
            }
        }
    }
}

struct CapturedOutput<F> {
    kept: RetainedOutput,
    on_output: F,
    /// The terminal's, where there is one.
    screen: Option<TerminalScreen>,
    /// Bytes.
    written: u64,
    is_open: bool,
}

impl<F: FnMut(&[u8])> CapturedOutput<F> {
    /// Nothing read is the end, and so is a failure.
    fn take(&mut self, read: Option<usize>, buffer: &[u8]) {
        match read {
            Some(0) | None => self.is_open = false,
            Some(length) => self.add(&buffer[..length]),
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.written += bytes.len() as u64;
        let Some(screen) = &mut self.screen else {
            self.kept.push(bytes);
            (self.on_output)(bytes);
            return;
        };
        let ScreenOutput { printed, settled } = screen.push(bytes);
        self.kept.push(settled.as_bytes());
        if !printed.is_empty() {
            (self.on_output)(printed.as_bytes());
        }
    }

    /// Leaves the screen: what comes now is not the command's.
    fn leave_screen(&mut self) {
        if let Some(screen) = self.screen.take() {
            self.kept.push(screen.finish().as_bytes());
        }
    }

    /// Returns the size in bytes; a few that are written to a terminal can become many.
    fn size(&self) -> u64 {
        self.written.max(self.kept.total())
    }

    async fn read_to_end(&mut self, command: &mut Started) {
        let mut buffer = vec![0; CHUNK_BYTES];
        while self.is_open {
            let read = command.output.read(&mut buffer).await;
            self.take(read.ok(), &buffer);
        }
    }

    /// Keeps reading, so that a command which writes while it cleans up is not held up.
    async fn read_until_gone(&mut self, command: &mut Started) {
        self.read_to_end(command).await;
        let _ = command.running.exited().await;
    }

    fn read_what_is_left(&mut self, command: &mut Started) {
        let mut buffer = vec![0; CHUNK_BYTES];
        for _ in 0..LAST_CHUNKS {
            match command.output.try_read(&mut buffer) {
                Ok(length) if length > 0 => self.take(Some(length), &buffer),
                _ => return,
            }
        }
    }
}

// They look into /proc.
#[cfg(all(test, target_os = "linux"))]
mod tests;

#[cfg(all(test, windows))]
mod windows_tests;
