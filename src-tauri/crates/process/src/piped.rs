//! A program that is spoken to over pipes and lives longer than a command: what it reads, writes and complains of is
//! the caller's; that it is confined, limited as a command is, and ends with its group, is decided here.

mod meter;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::guarding::Guarding;
use super::limits::{CommandLimits, Overrun};
use super::running::{CommandListing, ListedCommand};
use super::watch::Watch;
use crate::background_changes::Meanwhile;
use crate::confinement::Confinement;
use crate::error::Result;
use crate::platform;
use crate::run::{GRACE, KILL_WAIT};
use meter::{Meter, Metered};

/// The time a program has to end by itself when its input has ended.
const LEAVE_PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct PipedSpec<'a> {
    /// The name in the list of running commands.
    pub name: String,
    /// A path, or a name that is looked for in the environment's PATH.
    pub program: String,
    pub arguments: Vec<String>,
    /// Absolute.
    pub directory: PathBuf,
    /// The whole of it; see [`crate::child_environment`].
    pub environment: Vec<(String, String)>,
    pub sandbox: Option<&'a dyn Confinement>,
    /// The limits; output counts anew each minute, since a program may be spoken to for days.
    pub limits: CommandLimits,
    /// Told what it left behind, while it runs and when it has ended.
    pub meanwhile: Meanwhile,
}

/// A running program and its pipes. A program that was not found ends at once with exit code 127 and says so.
pub struct Piped {
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    pub process: PipedProcess,
}

/// The pipes that a platform hands over.
pub(super) struct PlatformPipes<I, O, E> {
    pub(super) running: platform::Running,
    pub(super) stdin: I,
    pub(super) stdout: O,
    pub(super) stderr: E,
}

/// Dropping it kills the program and what it started.
pub struct PipedProcess {
    stop: CancellationToken,
    /// Cancelled when its first process has ended, or is about to be ended.
    exited: CancellationToken,
    overran: Arc<OnceLock<Overrun>>,
    /// Has the program, so that it is ended also where somebody stops it in the list.
    ends: AbortOnDropHandle<ProcessEnd>,
}

/// The end of a program; neither code nor signal is known when it was stuck in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnd {
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// The limit that it was ended at.
    pub overran: Option<Overrun>,
}

/// Returns the program and its arguments for a line of the shell that commands get.
///
/// # Errors
/// When there is no shell for it.
pub fn shell_line(line: &str) -> Result<(String, Vec<String>)> {
    platform::shell_command(line)
}

/// Returns the name of that shell, as it is told.
#[must_use]
pub fn shell_name() -> String {
    let shell = shell_line("").map(|(shell, _)| shell).unwrap_or_default();
    let name = shell.rsplit(['/', '\\']).next().unwrap_or_default();
    name.trim_end_matches(".exe").to_owned()
}

/// Returns the operating system's name and version.
#[must_use]
pub fn system_version() -> String {
    platform::system_version().unwrap_or_else(|| std::env::consts::OS.to_owned())
}

/// Starts a program. Needs a tokio runtime with I/O and time enabled.
pub async fn start_piped(spec: PipedSpec<'_>) -> Result<Piped> {
    let guard = Guarding::begin(spec.sandbox, Some(&spec.meanwhile)).await?;
    let PlatformPipes { running, stdin, stdout, stderr } = platform::start_piped(&spec, &guard).await?;
    let meter = Meter::new(spec.limits.max_written_bytes);
    Ok(Piped {
        stdin: Box::new(stdin),
        stdout: Box::new(Metered { reader: stdout, meter: meter.clone() }),
        stderr: Box::new(Metered { reader: stderr, meter: meter.clone() }),
        process: PipedProcess::new(running, meter, &spec, guard),
    })
}

impl PipedProcess {
    /// Listed from now on, until the program ends.
    fn new(running: platform::Running, meter: Arc<Meter>, spec: &PipedSpec<'_>, guard: Guarding) -> Self {
        let watch = Watch::of(&running, spec.limits);
        let listing = CommandListing {
            pid: running.number(),
            command_line: [&spec.program].into_iter().chain(&spec.arguments).cloned().collect::<Vec<_>>().join(" "),
            name: Some(spec.name.clone()),
            directory: spec.directory.clone(),
            own_network: spec.sandbox.is_some_and(Confinement::has_own_network),
            members: watch.members(),
        };
        let stop = CancellationToken::new();
        let listed = ListedCommand::new(listing, &stop);
        let overran = Arc::<OnceLock<Overrun>>::default();
        let exited = CancellationToken::new();
        let watched = WatchedProgram {
            running,
            watch,
            meter,
            limits: spec.limits,
            exited: exited.clone(),
            overran: overran.clone(),
        };
        let meanwhile = spec.meanwhile.clone();
        let ends = tokio::spawn({
            let stop = stop.clone();
            async move {
                let end = watched.end(stop, listed).await;
                let notes = guard.end().await.0.into_notes();
                if !notes.is_empty() {
                    meanwhile.tell(notes);
                }
                end
            }
        });
        Self { stop, exited, overran, ends: AbortOnDropHandle::new(ends) }
    }

    /// The limit that it was ended at, if it was.
    pub fn overran(&self) -> Option<Overrun> {
        self.overran.get().copied()
    }

    /// Ends when its first process has ended, or is about to be ended. Safe to cancel and to await again.
    pub async fn exited(&self) {
        self.exited.cancelled().await;
    }

    /// Waits a moment for it to end by itself, then asks it to, then makes it. Its input should have ended before.
    pub async fn stop(self) -> ProcessEnd {
        self.stop.cancel();
        self.ends.await.unwrap_or(ProcessEnd { exit_code: None, signal: None, overran: None })
    }
}

/// A program that is looked after.
struct WatchedProgram {
    running: platform::Running,
    watch: Watch,
    meter: Arc<Meter>,
    limits: CommandLimits,
    exited: CancellationToken,
    overran: Arc<OnceLock<Overrun>>,
}

impl WatchedProgram {
    async fn end(mut self, stop: CancellationToken, listed: ListedCommand) -> ProcessEnd {
        match self.until_it_is_to_end(&stop, listed).await {
            // It has had more than its share already.
            Some(limit) => _ = self.overran.set(limit),
            None => self.leave().await,
        }
        self.exited.cancel();
        // Also what it left in the background.
        self.running.kill_group();
        self.watch.end_rest().await;
        let _ = timeout(KILL_WAIT, self.running.exited()).await;
        let (exit_code, signal) = self.running.reap();
        ProcessEnd { exit_code, signal, overran: self.overran.get().copied() }
    }

    /// The limit that it went over, or nothing where it was stopped. Its own end is none: what a program left in the
    /// background may be what is spoken to.
    async fn until_it_is_to_end(&mut self, stop: &CancellationToken, listed: ListedCommand) -> Option<Overrun> {
        let mut listed = Some(listed);
        loop {
            tokio::select! {
                biased;
                limit = self.watch.overran() => return Some(limit),
                () = self.meter.is_over() => return Some(Overrun::WrittenBytes(self.limits.max_written_bytes)),
                () = stop.cancelled() => return None,
                _ = self.running.exited(), if listed.is_some() => {
                    listed = None;
                    self.exited.cancel();
                }
            }
        }
    }

    async fn leave(&mut self) {
        if timeout(LEAVE_PATIENCE, self.running.exited()).await.is_err() {
            self.running.terminate_group();
            let _ = timeout(GRACE, self.running.exited()).await;
        }
    }
}

// They look into /proc.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::RunningCommand;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn start(program: &str, arguments: &[&str]) -> Piped {
        start_within(CommandLimits::default(), program, arguments).await
    }

    async fn start_within(limits: CommandLimits, program: &str, arguments: &[&str]) -> Piped {
        start_piped(PipedSpec {
            name: "a program of the tests".to_owned(),
            program: program.to_owned(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            directory: tempfile::env::temp_dir(),
            environment: vec![("PATH".into(), std::env::var("PATH").unwrap())],
            sandbox: None,
            limits,
            meanwhile: Meanwhile::new(|_| {}),
        })
        .await
        .unwrap()
    }

    /// Its pipes end without anybody stopping it, and it tells why.
    async fn check_ended(limits: CommandLimits, script: &str, expected: Overrun) {
        let mut piped = start_within(limits, "sh", &["-c", script]).await;
        let (mut out, mut err) = (tokio::io::sink(), tokio::io::sink());
        let read = tokio::try_join!(
            tokio::io::copy(&mut piped.stdout, &mut out),
            tokio::io::copy(&mut piped.stderr, &mut err)
        );
        read.unwrap();
        let is_told = async {
            while piped.process.overran() != Some(expected) {
                tokio::task::yield_now().await;
            }
        };
        timeout(KILL_WAIT, is_told).await.unwrap();
        assert_eq!(piped.process.stop().await.overran, Some(expected), "{script}");
    }

    async fn line(reader: &mut (impl AsyncRead + Unpin)) -> String {
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            line.push(reader.read_u8().await.unwrap());
        }
        String::from_utf8(line).unwrap()
    }

    #[tokio::test]
    async fn it_is_spoken_to_and_leaves_when_its_input_ends() {
        let script = r#"read -r word; echo "$1 $word"; echo complaint >&2; cat; exit 3"#;
        let mut piped = start("sh", &["-c", script, "sh", "a b"]).await;
        piped.stdin.write_all(b"hello\n").await.unwrap();
        assert_eq!(line(&mut piped.stdout).await, "a b hello\n");
        assert_eq!(line(&mut piped.stderr).await, "complaint\n");
        drop(piped.stdin);
        assert_eq!(piped.process.stop().await, ProcessEnd { exit_code: Some(3), signal: None, overran: None });
    }

    #[tokio::test]
    async fn one_that_does_not_want_to_leave_is_killed_with_what_it_started() {
        let mut piped = start("sh", &["-c", "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"]).await;
        let child = line(&mut piped.stdout).await;
        assert_eq!(piped.process.stop().await.signal, Some(9));
        let gone = || {
            let status = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            status.is_empty() || status.contains(") Z ")
        };
        let deadline = std::time::Instant::now() + KILL_WAIT;
        while !gone() && std::time::Instant::now() < deadline {
            tokio::task::yield_now().await;
        }
        assert!(gone(), "{child}");
    }

    #[tokio::test]
    async fn it_is_listed_with_what_it_takes_and_can_be_stopped_there() {
        let mut piped = start("sh", &["-c", "echo on; read -r _; # listed-while-it-is-spoken-to"]).await;
        line(&mut piped.stdout).await;
        let listed = || {
            let is_it = |running: &RunningCommand| running.command_line.contains("listed-while-it-is-spoken-to");
            crate::running_commands().into_iter().find(is_it)
        };
        let found = listed().unwrap();
        assert_eq!(found.name.as_deref(), Some("a program of the tests"));
        assert!(found.load.unwrap().memory_bytes > 0);
        assert!(crate::stop_command(found.id));
        assert_eq!(piped.stdout.read_u8().await.unwrap_err().kind(), std::io::ErrorKind::UnexpectedEof);
        piped.process.stop().await;
        assert!(listed().is_none());
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_says_so() {
        let mut piped = start("no-such-program-anywhere", &[]).await;
        let mut words = String::new();
        piped.stderr.read_to_string(&mut words).await.unwrap();
        assert!(words.starts_with("arki: ") && words.contains("not found"), "{words}");
        assert_eq!(piped.process.stop().await.exit_code, Some(127));
    }

    #[tokio::test]
    async fn one_that_takes_too_much_is_ended_also_while_nobody_speaks_to_it() {
        let limits = CommandLimits { max_processes: 30, max_memory_bytes: 100 << 20, max_written_bytes: 10_000_000 };
        // As many as there are, and no more, should nobody end it.
        let many = "for number in $(seq 40); do sleep 100 & done; wait";
        check_ended(limits, many, Overrun::Processes(30)).await;
        let hog = "exec python3 -c \"import time; x=bytearray(b'x')*(150<<20); time.sleep(100)\"";
        check_ended(limits, hog, Overrun::MemoryBytes(100 << 20)).await;
        for flood in ["head -c 20000000 /dev/zero; sleep 100", "head -c 20000000 /dev/zero >&2; sleep 100"] {
            check_ended(limits, flood, Overrun::WrittenBytes(10_000_000)).await;
        }
    }
}
