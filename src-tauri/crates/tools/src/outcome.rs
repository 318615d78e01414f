//! A tool's result: its output, or its error with the texts for the user and the model.

use arki_disk::FileError;
use arki_domain::{Code, Error};
use arki_files::FilesError;
use arki_process::ProcessError;
use std::io::ErrorKind;

/// Text for the model, and whether it was cut.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Output {
    pub text: String,
    pub truncated: bool,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error(transparent)]
    Workspace(#[from] FilesError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Process(#[from] ProcessError),
    /// Told as it is.
    #[error(transparent)]
    Told(#[from] Error),
    /// The schema let something through that the type refuses.
    #[error("The arguments don't fit: {0}.")]
    Arguments(#[from] serde_json::Error),
}

impl ToolError {
    /// Returns whether the same read may succeed a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Workspace(FilesError::File(error)) | Self::File(error) => match error {
                FileError::TooManyOpen { .. } => true,
                FileError::Io { source, .. } => matches!(
                    source.kind(),
                    ErrorKind::Interrupted
                        | ErrorKind::ResourceBusy
                        | ErrorKind::StaleNetworkFileHandle
                        | ErrorKind::TimedOut
                        | ErrorKind::WouldBlock
                ),
                _ => false,
            },
            _ => false,
        }
    }
}

impl From<ToolError> for Error {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Workspace(error) => error.into(),
            ToolError::File(error) => error.into(),
            ToolError::Process(error) => error.into(),
            ToolError::Told(fault) => fault,
            ToolError::Arguments(_) => Self::new(
                Code::ARGUMENTS_INVALID,
                error.to_string(),
                "Send the call again with arguments that follow the tool's schema.",
            ),
        }
    }
}
