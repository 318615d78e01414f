//! The things in a folder that can be mentioned: its changes, its paths, as they were a moment ago, and its sessions.

use crate::projects::open::canonical;
use crate::{Accounts, Records};
use arki_api::{MentionEntry, MentionKind};
use arki_context::{CODEBASE_MENTION, DIFF_MENTION, mention_of, rank_paths};
use arki_domain::Error;
use arki_domain::projection::SessionSummary;
use arki_files::Project;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const MAX_ENTRIES: usize = 20;
/// Sessions among them, where paths fit too.
const MAX_SESSIONS: usize = 5;
/// The newest ones of all folders.
const MAX_SESSIONS_LOOKED_AT: usize = 200;
/// Paths beyond these are not found.
const MAX_PATHS: usize = 500_000;
/// An older list is still used, while the folder is walked anew.
const FRESH: Duration = Duration::from_secs(3);
const SESSION: &str = "session:";

type MentionablePaths = Arc<[Box<str>]>;

/// The entries of folders that can be mentioned.
pub struct Mentionables {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    /// The paths of the folder that was asked for last.
    walked: Mutex<Option<WalkedPaths>>,
}

#[derive(Debug)]
struct WalkedPaths {
    root: PathBuf,
    paths: MentionablePaths,
    at: Instant,
    is_walking: bool,
}

impl Mentionables {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>) -> Self {
        Self { records, accounts, walked: Mutex::default() }
    }

    /// Lists the entries that match what was typed behind an `@`, the best first. Blocking.
    ///
    /// # Errors
    /// When the folder or the database cannot be read.
    pub fn mentionable(self: &Arc<Self>, folder: &Path, typed: &str) -> Result<Vec<MentionEntry>, Error> {
        let root = canonical(folder)?;
        let sessions = self.records.reader().lists().sessions(MAX_SESSIONS_LOOKED_AT, 0)?;
        let project = root.display().to_string();
        let sessions: Vec<_> = sessions.into_iter().filter(|it| it.project == project && it.parent.is_none()).collect();
        if let Some(typed) = typed.strip_prefix(SESSION) {
            return Ok(session_entries(typed, &sessions, MAX_ENTRIES));
        }
        let mut entries = path_entries(typed, &self.paths_in(&root)?);
        if !typed.is_empty() {
            let sessions = session_entries(typed, &sessions, MAX_SESSIONS);
            entries.truncate(MAX_ENTRIES - sessions.len());
            entries.extend(sessions);
        }
        // A file of that name is meant first.
        if CODEBASE_MENTION.starts_with(typed) && self.has_index(&project)? && !root.join(CODEBASE_MENTION).exists() {
            entries.insert(0, named_entry(CODEBASE_MENTION, MentionKind::Codebase));
        }
        if DIFF_MENTION.starts_with(typed) && is_in_repository(&root) && !root.join(DIFF_MENTION).exists() {
            entries.insert(0, named_entry(DIFF_MENTION, MentionKind::Diff));
        }
        entries.truncate(MAX_ENTRIES);
        Ok(entries)
    }

    /// Returns whether the folder is trusted, and so has a search index.
    fn has_index(&self, folder: &str) -> Result<bool, Error> {
        Ok(self.records.decisions().trust(folder)?.is_some_and(|trust| trust.trusted))
    }

    /// Returns the folder's paths as they were a moment ago; only the first caller waits for a walk.
    pub(super) fn paths_in(self: &Arc<Self>, root: &Path) -> Result<MentionablePaths, Error> {
        let mut kept = self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(walked) = kept.as_mut().filter(|walked| walked.root == root) {
            if walked.at.elapsed() >= FRESH && !walked.is_walking {
                walked.is_walking = true;
                let (mentionables, root) = (self.clone(), root.to_owned());
                std::thread::spawn(move || mentionables.walk_again(&root));
            }
            return Ok(walked.paths.clone());
        }
        let paths = self.walk(root)?;
        let (root, at) = (root.to_owned(), Instant::now());
        *kept = Some(WalkedPaths { root, paths: paths.clone(), at, is_walking: false });
        Ok(paths)
    }

    fn walk_again(&self, root: &Path) {
        let walked = self.walk(root);
        let mut kept = self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kept) = kept.as_mut().filter(|kept| kept.root == root) else { return };
        (kept.is_walking, kept.at) = (false, Instant::now());
        match walked {
            Ok(paths) => kept.paths = paths,
            Err(fault) => tracing::debug!(%fault, "the folder's paths are not listed anew"),
        }
    }

    fn walk(&self, root: &Path) -> Result<MentionablePaths, Error> {
        let project = Project::open(root)?;
        let secrets = self.accounts.user_config()?.secret_files.set;
        Ok(arki_files::paths(&project, &secrets, MAX_PATHS).into())
    }
}

fn named_entry(name: &str, kind: MentionKind) -> MentionEntry {
    MentionEntry { mention: format!("@{name}"), kind, name: name.to_owned() }
}

/// Returns whether git keeps the folder, or one around it.
pub(crate) fn is_in_repository(folder: &Path) -> bool {
    folder.ancestors().any(|above| above.join(".git").exists())
}

fn path_entries(typed: &str, paths: &[Box<str>]) -> Vec<MentionEntry> {
    let entry = |path: &str| {
        let kind = if path.ends_with('/') { MentionKind::Folder } else { MentionKind::File };
        MentionEntry { mention: mention_of(path), kind, name: path.to_owned() }
    };
    if typed.trim().is_empty() {
        let is_at_top = |path: &&str| !path.trim_end_matches('/').contains('/');
        return paths.iter().map(|path| &**path).filter(is_at_top).take(MAX_ENTRIES).map(entry).collect();
    }
    rank_paths(typed, paths, MAX_ENTRIES).into_iter().map(|at| entry(&paths[at])).collect()
}

fn session_entries(typed: &str, sessions: &[SessionSummary], most: usize) -> Vec<MentionEntry> {
    let titles: Vec<&str> = sessions.iter().map(|session| session.title.as_str()).collect();
    let entry = |session: &SessionSummary| MentionEntry {
        mention: format!("@{SESSION}{}", session.session_id),
        kind: MentionKind::Session,
        name: session.title.clone(),
    };
    let by_id = sessions.iter().position(|session| session.session_id.as_str() == typed);
    let ranked = match by_id {
        Some(at) => vec![at],
        None => rank_paths(typed, &titles, most),
    };
    ranked.into_iter().map(|at| entry(&sessions[at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::SessionId;

    fn names(entries: &[MentionEntry]) -> Vec<&str> {
        entries.iter().map(|entry| entry.mention.as_str()).collect()
    }

    #[test]
    fn paths_fit_by_letters_and_nothing_typed_gives_the_top_level() {
        let paths: Vec<Box<str>> =
            ["a name.md", "src/", "src/main.rs", "src/other.rs"].into_iter().map(Box::from).collect();
        assert_eq!(names(&path_entries("", &paths)), ["@\"a name.md\"", "@src/"]);
        assert_eq!(names(&path_entries("smain", &paths)), ["@src/main.rs"]);
        assert_eq!(path_entries("src", &paths)[0].kind, MentionKind::Folder);
        let many: Vec<Box<str>> = (0..10_000).map(|at| format!("src/file{at}.rs").into()).collect();
        assert_eq!(path_entries("file", &many).len(), MAX_ENTRIES);
    }

    #[test]
    fn sessions_fit_by_their_titles() {
        let session = |id: &str, title: &str| SessionSummary {
            title: title.to_owned(),
            ..SessionSummary::new(SessionId::from(id.to_owned()))
        };
        let sessions = [session("s1", "Fix the parser"), session("s2", "Write docs")];
        assert_eq!(names(&session_entries("parser", &sessions, 5)), ["@session:s1"]);
        assert_eq!(names(&session_entries("s2", &sessions, 5)), ["@session:s2"]);
        assert_eq!(session_entries("", &sessions, 1).len(), 1);
    }
}
