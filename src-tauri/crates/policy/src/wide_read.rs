//! Reads of a line that it does not fully name: reported, so that whoever has the files at hand can look.

use arki_domain::Descent;

/// A read of which the line alone does not tell whether anyone should be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WideRead {
    /// Everything below a folder, or below whatever a pattern stands for; with endings, of the files whose names end so.
    Below { folder: String, is_pattern: bool, descent: Descent, endings: Vec<String> },
    /// Everything in the project that git does not ignore.
    Kept,
    /// Everything that a pattern stands for. A name that begins with a dash would be an option.
    Matching(String),
    /// No more than the names that a pattern stands for, of which none may be an option, nor several words.
    Names { pattern: String, splits: bool },
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
    /// The output of a build: nobody's own file may be there.
    Output(String),
    /// A read from each of the folders that a pattern stands for.
    FromEach { folders: String, read: Box<WideRead> },
}

impl WideRead {
    /// Returns whether rules about paths speak of it by what the line names.
    #[must_use]
    pub fn is_named(&self) -> bool {
        match self {
            Self::Place { .. }
            | Self::Folder(_)
            | Self::Inside(_)
            | Self::Repository(_)
            | Self::OwnFolder(_)
            | Self::Names { .. }
            | Self::Output(_) => true,
            Self::Below { .. } | Self::Kept | Self::Matching(_) => false,
            Self::FromEach { read, .. } => read.is_named(),
        }
    }

    /// Returns whether a view keeps secret files from it: it opens files. Git reads what it keeps from its own store.
    #[must_use]
    pub fn opens_files(&self) -> bool {
        match self {
            Self::Below { .. } | Self::Matching(_) => true,
            Self::FromEach { read, .. } => read.opens_files(),
            _ => false,
        }
    }

    /// The same, read from another folder.
    #[must_use]
    pub fn from(self, folder: &str) -> Self {
        match self {
            Self::Below { folder: below, is_pattern, descent, endings } => {
                Self::Below { folder: joined(folder, &below), is_pattern, descent, endings }
            }
            Self::Matching(pattern) => Self::Matching(joined(folder, &pattern)),
            Self::Names { pattern, splits } => Self::Names { pattern: joined_names(folder, &pattern), splits },
            Self::Place { path, is_pattern } => Self::Place { path: joined(folder, &path), is_pattern },
            Self::Folder(path) => Self::Folder(joined(folder, &path)),
            Self::Inside(path) => Self::Inside(joined(folder, &path)),
            Self::Repository(path) => Self::Repository(joined(folder, &path)),
            Self::OwnFolder(path) => Self::OwnFolder(joined(folder, &path)),
            Self::Output(path) => Self::Output(joined(folder, &path)),
            Self::FromEach { folders, read } => Self::FromEach { folders: joined(folder, &folders), read },
            Self::Kept => Self::Kept,
        }
    }
}

pub(super) fn joined(folder: &str, path: &str) -> String {
    let stands_alone = folder == "." || path.starts_with('/') || path == "~" || path.starts_with("~/");
    if stands_alone { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

/// A name with a folder before it begins with no dash, whatever the shell there would have handed over. So it is asked
/// about there.
fn joined_names(folder: &str, pattern: &str) -> String {
    if folder == "." { pattern.to_owned() } else { format!("../{folder}/{pattern}") }
}
