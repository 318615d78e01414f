//! The folders in which the agents keep their sessions, and the sessions that are there.

use crate::foreign_session::ForeignSession;
use crate::lines::{entries, first_lines};
use crate::opencode::ListedSession;
use crate::{claude_code, codex, opencode};
use arki_api::HistorySource;
use arki_domain::Error;
use std::collections::HashSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders below the one of Codex's sessions: year, month, day.
const CODEX_DEPTH: usize = 3;
/// Codex compresses a session that has been left alone for a week.
const COMPRESSED: &str = ".jsonl.zst";
/// The first line that names Claude Code's folder comes after a few others.
const LINES_TO_THE_FOLDER: u64 = 20;

/// The folders of the agents. A variable of the agent's own comes before the usual place.
#[derive(Debug, Clone)]
pub struct HistoryHomes {
    /// Those below which `projects` lies.
    pub claude_code: Vec<PathBuf>,
    pub codex: PathBuf,
    pub opencode: PathBuf,
}

/// A session that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundHistory {
    pub place: HistoryPlace,
    /// The folder that it is about.
    pub folder: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryPlace {
    ClaudeCode(PathBuf),
    Codex(PathBuf),
    /// The database or, of an older version, the folder `storage`.
    Opencode {
        data: PathBuf,
        listed: ListedSession,
    },
}

impl HistoryHomes {
    /// `None` where the user has no home.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let home = env::home_dir()?;
        let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let data = named("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share"));
        let claude_code = match named("CLAUDE_CONFIG_DIR") {
            Some(folder) => vec![folder],
            None => vec![home.join(".claude"), home.join(".config/claude")],
        };
        Some(Self {
            claude_code,
            codex: named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            opencode: data.join("opencode"),
        })
    }

    /// Finds the sessions of an agent, those of sub-agents left out; where a folder is named, only those about it.
    ///
    /// # Errors
    /// `HISTORY_UNREADABLE` where a database can't be read.
    pub fn find(&self, source: HistorySource, folder: Option<&Path>) -> Result<Vec<FoundHistory>, Error> {
        let mut found = match source {
            HistorySource::ClaudeCode => self.claude_code_sessions(),
            HistorySource::Codex => self.codex_sessions(),
            HistorySource::Opencode => self.opencode_sessions()?,
        };
        if let Some(folder) = folder {
            found.retain(|one| is_same_folder(Path::new(&one.folder), folder));
        }
        Ok(found)
    }

    fn claude_code_sessions(&self) -> Vec<FoundHistory> {
        let projects = self.claude_code.iter().flat_map(|home| entries(&home.join("projects")));
        let files = projects.flat_map(|project| entries(&project)).filter(|path| is_session_of_claude_code(path));
        let about = |path: PathBuf| {
            let lines = first_lines(&path, LINES_TO_THE_FOLDER).ok()?;
            let folder = lines.iter().map(|line| crate::fields::text(line, "cwd")).find(|folder| !folder.is_empty())?;
            Some(FoundHistory { folder: folder.to_owned(), place: HistoryPlace::ClaudeCode(path) })
        };
        files.filter_map(about).collect()
    }

    fn codex_sessions(&self) -> Vec<FoundHistory> {
        let mut folders = vec![self.codex.join("sessions")];
        for _ in 0..CODEX_DEPTH {
            folders = folders.iter().flat_map(|folder| entries(folder)).filter(|path| path.is_dir()).collect();
        }
        folders.push(self.codex.join("archived_sessions"));
        let files = folders.iter().flat_map(|folder| entries(folder)).filter(|path| is_rollout(path) && !is_copy(path));
        let about = |path: PathBuf| {
            let lines = first_lines(&path, 1).ok()?;
            let folder = codex::folder_of(lines.first()?)?.to_owned();
            Some(FoundHistory { folder, place: HistoryPlace::Codex(path) })
        };
        files.filter_map(about).collect()
    }

    /// Those of the database; then those that only files have.
    fn opencode_sessions(&self) -> Result<Vec<FoundHistory>, Error> {
        let (database, storage) = (self.opencode.join("opencode.db"), self.opencode.join("storage"));
        let listed = if database.is_file() { opencode::list(&database)? } else { Vec::new() };
        let known: HashSet<String> = listed.iter().map(|one| one.id.clone()).collect();
        let older = opencode::list_files(&storage).into_iter().filter(|one| !known.contains(&one.id));
        let found = |data: &Path, listed: ListedSession| FoundHistory {
            folder: listed.folder.clone(),
            place: HistoryPlace::Opencode { data: data.to_owned(), listed },
        };
        let older = older.map(|one| found(&storage, one));
        Ok(listed.into_iter().map(|one| found(&database, one)).chain(older).collect())
    }
}

impl FoundHistory {
    /// Reads it.
    ///
    /// # Errors
    /// `HISTORY_UNREADABLE`.
    pub fn read(&self) -> Result<ForeignSession, Error> {
        match &self.place {
            HistoryPlace::ClaudeCode(path) => claude_code::read(path),
            HistoryPlace::Codex(path) => codex::read(path),
            HistoryPlace::Opencode { data, listed } if data.is_dir() => opencode::read_files(data, listed),
            HistoryPlace::Opencode { data, listed } => opencode::read(data, listed),
        }
    }
}

/// Those of sub-agents have other names.
fn is_session_of_claude_code(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    path.extension().is_some_and(|extension| extension == "jsonl") && uuid::Uuid::try_parse(stem).is_ok()
}

fn is_rollout(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("rollout-") && (name.ends_with(".jsonl") || name.ends_with(COMPRESSED))
}

/// While it goes on with a compressed session, Codex has it in plain beside that.
fn is_copy(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst") && path.with_extension("").is_file()
}

/// A folder that is gone is only known by its name.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}
