//! stub
use crate::error::Result;
use crate::sandbox::Sandbox;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub struct CommandSpec<'a> {
    /// For `bash -c` (`sh -c` where there is no bash; PowerShell on Windows).
    pub command_line: String,
    /// Absolute.
    pub directory: PathBuf,
    /// The whole of it; see [`crate::child_environment`].
    pub environment: Vec<(String, String)>,
    pub sandbox: Option<&'a Sandbox>,
    pub time_limit: Duration,
    /// Of output kept; what is streamed has no limit.
    pub max_output_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutcome {
    /// `None` when a signal ended it.
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub timed_out: bool,
    pub cancelled: bool,
    /// Standard output and error in the order written; of a long one the beginning and the end.
    pub output: String,
    pub truncated: bool,
    /// All bytes the command wrote.
    pub output_bytes: u64,
    pub duration: Duration,
}

/// Runs a command to its end, its time limit or its cancellation. Needs a tokio runtime with I/O and time enabled.
pub async fn run(
    _spec: CommandSpec<'_>,
    _on_output: impl FnMut(&[u8]),
    _cancel: CancellationToken,
) -> Result<CommandOutcome> {
    todo!()
}
