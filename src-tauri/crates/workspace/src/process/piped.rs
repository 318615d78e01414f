//! A program that is spoken to over pipes and lives longer than a command: what it reads, writes and complains of is
//! the caller's; that it is confined, and ends with its group, is decided here.

use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::{GRACE, KILL_WAIT, platform};
use crate::error::Result;
use crate::sandbox::Sandbox;

/// How long a program has to end by itself when its input has ended.
const LEAVE_PATIENCE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub struct PipedSpec<'a> {
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
pub struct PipedProcess(pub(super) platform::Running);

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
    /// Waits a moment for it to end by itself, then asks it to, then makes it. Its input should have ended before.
    pub async fn stop(mut self) -> ProcessEnd {
        if timeout(LEAVE_PATIENCE, self.0.exited()).await.is_err() {
            self.0.terminate_group();
            let _ = timeout(GRACE, self.0.exited()).await;
        }
        // Also what it left in the background.
        self.0.kill_group();
        let _ = timeout(KILL_WAIT, self.0.exited()).await;
        let (exit_code, signal) = self.0.reap();
        ProcessEnd { exit_code, signal }
    }
}

// They look into /proc.
#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    async fn start(program: &str, arguments: &[&str]) -> Piped {
        start_piped(PipedSpec {
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
    async fn a_program_that_is_not_there_says_so() {
        let mut piped = start("no-such-program-anywhere", &[]).await;
        let mut words = String::new();
        piped.stderr.read_to_string(&mut words).await.unwrap();
        assert!(words.contains("not found"), "{words}");
        assert_eq!(piped.process.stop().await.exit_code, Some(127));
    }
}
