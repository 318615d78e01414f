//! Commands that could not be started, and sandboxes that could not be built.

use arki_domain::{Code, Error};
use std::io;
use std::path::PathBuf;

/// A run with one command gets along with 40. Several at once, sub-agents and servers take more.
pub(crate) const MIN_OPEN_FILES: u64 = 128;

/// The result of every fallible operation in this crate.
pub type Result<T, E = ProcessError> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("The command contains a NUL byte.")]
    NotACommand,
    #[error("Commands can't have a terminal on this system.")]
    NoTerminal { source: io::Error },
    /// A failure on Windows before the command was started.
    #[error("Commands can't be confined on this system.")]
    NotRestricted { source: io::Error },
    #[error("The command's folder {} does not exist.", directory.display())]
    DirectoryMissing { directory: PathBuf },
    #[error("Can't start {program}.")]
    SpawnFailed { program: String, source: io::Error },
    #[error("Too many files are open, so no command can be started.")]
    NoMoreFiles { source: io::Error },
    #[error(
        "This process may have only {most} files open at the same time; runs with several commands need {MIN_OPEN_FILES}."
    )]
    TooFewOpenFiles { most: u64 },
    #[error("Lost contact with a running command.")]
    ConnectionLost { source: io::Error },
    /// `reason` is a full sentence.
    #[error("The sandbox can't be used. {reason}")]
    SandboxUnavailable { reason: String },
}

impl ProcessError {
    pub fn code(&self) -> Code {
        match self {
            Self::NotACommand | Self::NoTerminal { .. } => Code::ARGUMENTS_INVALID,
            Self::DirectoryMissing { .. } => Code::FOLDER_UNAVAILABLE,
            Self::SpawnFailed { .. } => Code::COMMAND_SPAWN_FAILED,
            Self::NoMoreFiles { .. } | Self::TooFewOpenFiles { .. } => Code::COMMAND_SPAWN_FAILED,
            Self::ConnectionLost { .. } | Self::NotRestricted { .. } => Code::COMMAND_SPAWN_FAILED,
            Self::SandboxUnavailable { .. } => Code::SANDBOX_UNAVAILABLE,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::NotACommand => "Write the command without NUL bytes.",
            Self::NoTerminal { .. } => "Run it without `terminal`.",
            Self::DirectoryMissing { .. } => "Run it in a folder that exists.",
            Self::SpawnFailed { .. } => {
                "Check that the program is installed and that the system is not out of memory or processes."
            }
            Self::NotRestricted { .. } => "Nothing was started. Sign in to Windows again, then start Arki again.",
            Self::NoMoreFiles { .. } | Self::TooFewOpenFiles { .. } => {
                "The user can raise the limit with `ulimit -n 1024` (where it is refused, an administrator has to) and \
                 start Arki again."
            }
            Self::ConnectionLost { .. } => "It was stopped. Run it again if it is safe to repeat.",
            Self::SandboxUnavailable { .. } => "Approve the command to run it outside the sandbox.",
        }
        .to_owned()
    }
}

impl From<ProcessError> for Error {
    fn from(error: ProcessError) -> Self {
        Self::new(error.code(), error.to_string(), error.hint())
    }
}
