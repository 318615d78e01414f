//! Paths that are refused before anything is opened.

use arki_domain::Code;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("The path is empty.")]
    Empty,
    #[error("{path} is outside the project.")]
    Outside { path: String },
    /// `path` is escaped, so that the hidden character can be seen.
    #[error("The path \"{path}\" contains the invisible or control character U+{code_point:04X}.")]
    Suspicious { path: String, code_point: u32 },
    #[error("\"{component}\" in {path} is a name that systems reserve.")]
    Reserved { path: String, component: String },
    #[error("The path is {bytes} bytes long; the limit is {limit}.")]
    TooLong { bytes: usize, limit: usize },
    #[error("There is no folder at {}.", path.display())]
    ProjectNotFound { path: PathBuf },
    #[error("{} is not a folder.", path.display())]
    ProjectNotFolder { path: PathBuf },
    #[error("The folder {} can't be opened.", path.display())]
    ProjectUnreadable { path: PathBuf },
    #[error("The folder {} has a name, or is in one, that is not UTF-8.", path.display())]
    ProjectNotUtf8 { path: PathBuf },
}

impl PathError {
    pub fn code(&self) -> Code {
        match self {
            Self::Empty | Self::Reserved { .. } | Self::TooLong { .. } => Code::PATH_INVALID,
            Self::Outside { .. } => Code::PATH_OUTSIDE_PROJECT,
            Self::Suspicious { .. } => Code::PATH_SUSPICIOUS,
            Self::ProjectNotFound { .. }
            | Self::ProjectNotFolder { .. }
            | Self::ProjectUnreadable { .. }
            | Self::ProjectNotUtf8 { .. } => Code::FOLDER_UNAVAILABLE,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::Empty => "Give a path relative to the project's root, such as src/main.rs.",
            Self::Outside { .. } => "Use a path inside the project. Links that lead out of it are not followed.",
            Self::Suspicious { .. } => {
                "Write the path with visible characters only; rename the file if it really has such a name."
            }
            Self::Reserved { .. } => "Name the file as a listing of its folder shows it, or choose another name.",
            Self::TooLong { .. } => "Choose a shorter path.",
            Self::ProjectNotFound { .. } => "Check the spelling, or create the folder first.",
            Self::ProjectNotFolder { .. } => "Open the folder that contains it.",
            Self::ProjectUnreadable { .. } => "Give your user permission to read the folder.",
            Self::ProjectNotUtf8 { .. } => "Rename that folder.",
        }
        .to_owned()
    }
}
