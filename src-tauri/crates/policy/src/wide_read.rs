//! Reads of a line that it does not fully name: reported, so that whoever has the files at hand can look.

/// A read of which the line alone does not tell whether anyone should be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WideRead {
    /// Files that a pattern, a variable or another command's output stands for.
    Unnamed,
    /// Everything below a folder.
    Below(String),
    /// Everything in the project that git does not ignore.
    Kept,
    /// A file or folder that is named: in the project or where anyone may read.
    Place { path: String, is_pattern: bool },
    /// A folder that the line goes to.
    Folder(String),
    /// It has to lie in the project.
    Inside(String),
    /// A folder in which git is asked.
    Repository(String),
    /// A folder that a rule's command runs in: of the project, not ignored by git, and of no other repository.
    OwnFolder(String),
}

impl WideRead {
    /// Returns whether rules about paths speak of it by what the line names.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !matches!(self, Self::Unnamed | Self::Below(_) | Self::Kept)
    }

    /// Returns whether a sandbox keeps secret files from it: it opens files. Git reads what it keeps from its own store.
    #[must_use]
    pub fn opens_files(&self) -> bool {
        matches!(self, Self::Unnamed | Self::Below(_))
    }

    /// The same, read from another folder.
    #[must_use]
    pub fn from(self, folder: &str) -> Self {
        let from = |path: String| joined(folder, &path);
        match self {
            Self::Below(path) => Self::Below(from(path)),
            Self::Place { path, is_pattern } => Self::Place { path: from(path), is_pattern },
            Self::Folder(path) => Self::Folder(from(path)),
            Self::Inside(path) => Self::Inside(from(path)),
            Self::Repository(path) => Self::Repository(from(path)),
            Self::OwnFolder(path) => Self::OwnFolder(from(path)),
            Self::Unnamed | Self::Kept => self,
        }
    }
}

pub(super) fn joined(folder: &str, path: &str) -> String {
    let stands_alone = folder == "." || path.starts_with('/') || path == "~" || path.starts_with("~/");
    if stands_alone { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}
