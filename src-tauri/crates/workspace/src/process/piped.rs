//! A program that is spoken to over pipes and lives longer than a command: what it reads, writes and complains of is
//! the caller's; that it is confined, and ends with its group, is decided here.

use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::running::{Listed, Listing};
use super::{GRACE, KILL_WAIT, platform};
use crate::error::Result;
use crate::sandbox::Sandbox;

/// How long a program has to end by itself when its input has ended.
const LEAVE_PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct PipedSpec<'a> {
    /// What it is called where running commands are listed.
    pub name: String,
    /// A path, or a name that is looked for in the environment's PATH.
    pub program: String,
    pub arguments: Vec<String>,
    /// Absolute.
    pub directory: PathBuf,
    /// The whole of it; see [`crate::child_environment`].
    pub environment: Vec<(String, String)>,
    pub sandbox: Option<&'a Sandbox>,
}

/// A running program and its pipes. A program that was not found ends at once with exit code 127 and says so.
pub struct Piped {
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    pub process: PipedProcess,
}

/// Dropping it kills the program and what it started.
pub struct PipedProcess {
    stop: CancellationToken,
    /// Has the program, so that it is ended also where somebody stops it in the list.
    ends: AbortOnDropHandle<ProcessEnd>,
}

/// How a program ended; neither is known when it was stuck in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEnd {
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
}

/// Starts a program. Needs a tokio runtime with I/O and time enabled.
pub async fn start_piped(spec: PipedSpec<'_>) -> Result<Piped> {
    platform::start_piped(&spec).await
}

impl PipedProcess {
    /// Listed from now on, until the program ends.
    pub(super) fn new(running: platform::Running, spec: &PipedSpec<'_>) -> Self {
        let listing = Listing {
            pid: running.number(),
            command_line: [&spec.program].into_iter().chain(&spec.arguments).cloned().collect::<Vec<_>>().join(" "),
            name: Some(spec.name.clone()),
            directory: spec.directory.clone(),
            own_network: spec.sandbox.is_some_and(Sandbox::has_own_network),
            members: Default::default(),
        };
        let stop = CancellationToken::new();
        let listed = Listed::new(listing, &stop);
        let ends = tokio::spawn(end(running, stop.clone(), listed));
        Self { stop, ends: AbortOnDropHandle::new(ends) }
    }

    /// Waits a moment for it to end by itself, then asks it to, then makes it. Its input should have ended before.
    pub async fn stop(self) -> ProcessEnd {
        self.stop.cancel();
        self.ends.await.unwrap_or(ProcessEnd { exit_code: None, signal: None })
    }
}

async fn end(mut running: platform::Running, stop: CancellationToken, listed: Listed) -> ProcessEnd {
    tokio::select! {
        () = running.exited() => drop(listed),
        () = stop.cancelled() => {}
    }
    // What a program left in the background may be what is spoken to.
    stop.cancelled().await;
    if timeout(LEAVE_PATIENCE, running.exited()).await.is_err() {
        running.terminate_group();
        let _ = timeout(GRACE, running.exited()).await;
    }
    // Also what it left in the background.
    running.kill_group();
    let _ = timeout(KILL_WAIT, running.exited()).await;
    let (exit_code, signal) = running.reap();
    ProcessEnd { exit_code, signal }
}

// They look into /proc.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::RunningCommand;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn start(program: &str, arguments: &[&str]) -> Piped {
        start_piped(PipedSpec {
            name: "a program of the tests".to_owned(),
            program: program.to_owned(),
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            directory: std::env::temp_dir(),
            environment: vec![("PATH".into(), std::env::var("PATH").unwrap())],
            sandbox: None,
        })
        .await
        .unwrap()
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
        assert_eq!(piped.process.stop().await, ProcessEnd { exit_code: Some(3), signal: None });
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
        assert!(words.contains("not found"), "{words}");
        assert_eq!(piped.process.stop().await.exit_code, Some(127));
    }
}
