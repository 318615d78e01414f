//! A shell line or a program that reads one input and answers: standard output and standard error apart, both bounded,
//! and an end for certain. What the answer means is the caller's.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::background_changes::Meanwhile;
use crate::confinement::Confinement;
use crate::error::Result;
use crate::limits::{CommandLimits, Overrun};
use crate::piped::{Piped, PipedSpec, start_piped};
use crate::platform;
use crate::run::CHUNK_BYTES;

/// The time that programs left in the background may go on writing after the shell ended.
const DRAIN: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct AnsweringSpec<'a> {
    /// The name in the list of running commands.
    pub name: String,
    /// The line for the shell that commands get.
    pub command_line: String,
    /// Absolute.
    pub directory: PathBuf,
    /// The whole of it; see [`crate::child_environment`].
    pub environment: Vec<(String, String)>,
    pub sandbox: Option<&'a dyn Confinement>,
    pub time_limit: Duration,
    pub limits: CommandLimits,
    /// The limit for each of the two outputs, of which the beginning is kept.
    pub max_kept_bytes: usize,
    /// Told what it left behind.
    pub meanwhile: Meanwhile,
}

/// The bounds of an answer.
#[derive(Debug, Clone, Copy)]
pub struct AnswerBounds {
    pub time_limit: Duration,
    /// The limit for each of the two outputs, of which the beginning is kept.
    pub max_kept_bytes: usize,
}

/// The answer of a shell line or a program, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// `None` where it did not end by itself.
    pub exit_code: Option<i32>,
    pub ending: AnswerEnding,
    /// The standard output; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Nothing was replaced in `stdout`.
    pub stdout_is_text: bool,
    pub stderr: String,
    /// True if a part of `stdout` is missing.
    pub stdout_cut: bool,
    pub duration: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEnding {
    Exited,
    TimedOut,
    Cancelled,
    Overran(Overrun),
}

/// Runs a shell line to its end, its time limit or its cancellation, with `input` on its standard input. It is ended with
/// everything that it started. Dropping the future kills it. Needs a tokio runtime with I/O and time enabled.
///
/// # Errors
/// When it can't be started.
pub async fn run_answering(spec: AnsweringSpec<'_>, input: Vec<u8>, cancel: CancellationToken) -> Result<Answered> {
    let (program, arguments) = platform::shell_command(&spec.command_line)?;
    let bounds = AnswerBounds { time_limit: spec.time_limit, max_kept_bytes: spec.max_kept_bytes };
    let program = PipedSpec {
        name: spec.name,
        program,
        arguments,
        directory: spec.directory,
        environment: spec.environment,
        sandbox: spec.sandbox,
        limits: spec.limits,
        meanwhile: spec.meanwhile,
    };
    run_program(program, bounds, input, cancel).await
}

/// Runs a program like [`run_answering`] runs a shell line.
///
/// # Errors
/// When it can't be started.
pub async fn run_program(
    program: PipedSpec<'_>,
    bounds: AnswerBounds,
    input: Vec<u8>,
    cancel: CancellationToken,
) -> Result<Answered> {
    let started = Instant::now();
    let Piped { stdin, mut stdout, mut stderr, process } = start_piped(program).await?;
    let (mut out, mut err) = (BoundedOutput::new(bounds.max_kept_bytes), BoundedOutput::new(bounds.max_kept_bytes));
    let ending = {
        let talking = async { tokio::join!(feed(stdin, &input), out.read(&mut stdout), err.read(&mut stderr)) };
        tokio::pin!(talking);
        let mut is_open = true;
        let until = async {
            tokio::select! {
                biased;
                () = cancel.cancelled() => AnswerEnding::Cancelled,
                () = sleep(bounds.time_limit) => AnswerEnding::TimedOut,
                () = process.exited() => AnswerEnding::Exited,
            }
        };
        tokio::pin!(until);
        let ending = loop {
            tokio::select! {
                biased;
                ending = &mut until => break ending,
                _ = &mut talking, if is_open => is_open = false,
            }
        };
        if ending == AnswerEnding::Exited && is_open {
            // What runs over is cut off below.
            let _ = timeout(DRAIN, talking).await;
        }
        ending
    };
    let end = process.stop().await;
    let ending = end.overran.map_or(ending, AnswerEnding::Overran);
    Ok(Answered {
        exit_code: end.exit_code.filter(|_| ending == AnswerEnding::Exited),
        ending,
        stdout_cut: out.is_cut,
        stdout_is_text: std::str::from_utf8(&out.bytes).is_ok(),
        stdout: out.text(),
        stderr: err.text(),
        duration: started.elapsed(),
    })
}

/// A program need not read what it is given.
async fn feed(mut stdin: Box<dyn AsyncWrite + Send + Unpin>, input: &[u8]) {
    if stdin.write_all(input).await.is_ok() {
        let _ = stdin.shutdown().await;
    }
}

/// The beginning of an output; the rest is read and dropped, so that the program is not held up.
struct BoundedOutput {
    bytes: Vec<u8>,
    room: usize,
    is_cut: bool,
}

impl BoundedOutput {
    fn new(room: usize) -> Self {
        Self { bytes: Vec::new(), room, is_cut: false }
    }

    async fn read(&mut self, from: &mut (impl AsyncRead + Unpin)) {
        let mut buffer = vec![0; CHUNK_BYTES];
        while let Ok(length) = from.read(&mut buffer).await
            && length > 0
        {
            let kept = length.min(self.room - self.bytes.len());
            self.bytes.extend_from_slice(&buffer[..kept]);
            self.is_cut |= kept < length;
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

// They look into /proc.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    async fn answer(line: &str, time_limit: Duration, limits: CommandLimits) -> Answered {
        let spec = AnsweringSpec {
            name: "a hook of the tests".to_owned(),
            command_line: line.to_owned(),
            directory: tempfile::env::temp_dir(),
            environment: vec![("PATH".into(), std::env::var("PATH").unwrap())],
            sandbox: None,
            time_limit,
            limits,
            max_kept_bytes: 64 << 10,
            meanwhile: Meanwhile::new(|_| {}),
        };
        run_answering(spec, b"{\"a\": 1}".to_vec(), CancellationToken::new()).await.unwrap()
    }

    async fn patient(line: &str) -> Answered {
        answer(line, Duration::from_secs(60), CommandLimits::default()).await
    }

    #[tokio::test]
    async fn the_two_outputs_are_kept_apart() {
        let answered = patient("cat; echo no >&2; exit 2").await;
        assert_eq!((answered.stdout.as_str(), answered.stderr.as_str()), ("{\"a\": 1}", "no\n"));
        assert_eq!((answered.exit_code, answered.ending), (Some(2), AnswerEnding::Exited));
        assert_eq!(patient("exit 0").await.exit_code, Some(0), "it need not read");
    }

    #[tokio::test]
    async fn what_it_leaves_in_the_background_ends_with_it_and_holds_nobody_up() {
        let answered = patient("sleep 1000 & echo $!").await;
        assert_eq!(answered.ending, AnswerEnding::Exited);
        assert!(answered.duration < Duration::from_secs(30), "{:?}", answered.duration);
        // It was killed; on a busy machine it gets its turn to die a moment later.
        let gone = async {
            while is_alive(answered.stdout.trim()) {
                sleep(Duration::from_millis(5)).await
            }
        };
        timeout(Duration::from_secs(30), gone).await.expect("it ends");
    }

    fn is_alive(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|status| !status.contains(") Z "))
    }

    #[tokio::test]
    async fn one_that_hangs_is_ended_when_its_time_is_up() {
        let answered = answer("trap '' TERM; sleep 1000", Duration::from_millis(200), CommandLimits::default()).await;
        assert_eq!((answered.exit_code, answered.ending), (None, AnswerEnding::TimedOut));
    }

    #[tokio::test]
    async fn one_that_floods_or_forks_is_ended_and_only_the_beginning_is_kept() {
        let limits = CommandLimits { max_processes: 30, max_written_bytes: 1 << 20, ..CommandLimits::default() };
        let flood = answer("yes", Duration::from_secs(60), limits).await;
        assert_eq!(flood.ending, AnswerEnding::Overran(Overrun::WrittenBytes(1 << 20)));
        assert!(flood.stdout.len() == 64 << 10 && flood.stdout_cut);
        let forks = answer("for n in $(seq 40); do sleep 1000 & done; wait", Duration::from_secs(60), limits).await;
        assert_eq!(forks.ending, AnswerEnding::Overran(Overrun::Processes(30)));
    }
}
