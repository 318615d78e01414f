//! The result of a session: its changes as one, looked at file by file, and committed without the user's own.

use crate::past_files::change_between;
use crate::restorations::{found, is};
use crate::{
    BelowRuns, ClaimedWork, PastFiles, Projects, Records, Restorations, SessionReader, Sessions, blocking_for,
};
use arki_api::{CommittedChanges, ResultFile, SessionResult};
use arki_domain::projection::{FileAt, FileStep, FilesAt, WantedFile};
use arki_domain::{ChangesCommitted, Code, Error, Event, EventBody, SessionId};
use arki_edit::{Merge, merge};
use arki_files::{FileContent, changed_lines};
use arki_git::Head;
use arki_worktrees::{CommitGap, FileToCommit, NewCommit, WrittenCommit, committable_root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files whose lines are counted; of others only the names are told.
const MAX_COUNTED: usize = 200;
/// A larger file's lines are not counted.
const MAX_COUNTED_BYTES: u64 = 1 << 20;
/// The permission bit of a program of its owner's.
const OWNER_RUNS: u32 = 0o100;
/// The longest message that is proposed.
const SUBJECT_CHARS: usize = 72;

/// Tells what sessions came to, and commits it.
pub struct SessionResults {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    sessions: Arc<Sessions>,
    past_files: Arc<PastFiles>,
    restorations: Arc<Restorations>,
}

impl SessionResults {
    pub(crate) fn new(below: &BelowRuns, past_files: Arc<PastFiles>) -> Self {
        let BelowRuns { records, projects, reader, sessions, restorations, .. } = below.clone();
        Self { records, projects, reader, sessions, past_files, restorations }
    }

    /// Returns the session's changes as one, by path. Blocking.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, or when the folder or the database cannot be read.
    pub fn result(&self, session_id: &SessionId) -> Result<SessionResult, Error> {
        let summary = self.reader.session(session_id)?;
        let open = self.projects.load_project(Path::new(&summary.project))?;
        let events = self.records.reader().log().session_file_events(session_id, 0)?;
        let committed = self.committed(session_id)?;
        let mut changed = FilesAt::fold(0, &events);
        changed.retain(is_changed);
        let since_commit: BTreeSet<String> =
            not_yet_committed(&events, &committed).into_iter().map(|file| file.path).collect();
        let mut files = Vec::with_capacity(changed.len());
        for (place, file) in changed.into_iter().enumerate() {
            let lines = if place < MAX_COUNTED { self.lines(&file)? } else { None };
            let (added, removed) = lines.unzip();
            let disk = found(&open, &file.path).ok().map(|found| found.map(|found| found.content));
            files.push(ResultFile {
                change: change_between(&file.wanted, &file.last_known),
                added,
                removed,
                is_changed_since: disk.is_none_or(|disk| !is(disk.as_ref(), &file.last_known)),
                is_committed: committed.contains_key(&file.path) && !since_commit.contains(&file.path),
                path: file.path,
            });
        }
        let folder = Path::new(&summary.project);
        let can_commit = open.is_trusted() && self.ensure_committable(folder).is_ok();
        let branch = can_commit.then(|| arki_git::head(folder)).flatten().map(|head| match head {
            Head::Branch(name) | Head::Commit(name) => name,
        });
        Ok(SessionResult { files, message: subject(&summary.title), branch })
    }

    /// Commits what the session changed since its last commit, on what is checked out.
    ///
    /// # Errors
    /// `USAGE` without a message, `SESSION_BUSY`, `UNTRUSTED`, `COMMIT_UNAVAILABLE`, `NOTHING_TO_COMMIT`,
    /// `COMMIT_FAILED`. Nothing is committed then.
    pub async fn commit(self: &Arc<Self>, session_id: &SessionId, message: &str) -> Result<CommittedChanges, Error> {
        let message = message.trim();
        if message.is_empty() {
            return Err(Error::new(Code::USAGE, "A commit needs a message.", "Say in a line what was changed."));
        }
        let _claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let lease = self.sessions.lease(session_id).await?;
        let done = self.commit_claimed(session_id, message).await;
        lease.release().await?;
        done
    }

    async fn commit_claimed(
        self: &Arc<Self>,
        session_id: &SessionId,
        message: &str,
    ) -> Result<CommittedChanges, Error> {
        let (folder, files) =
            blocking_for(self, session_id, move |results, session| results.to_commit(session)).await?;
        let directory = self.records.directories().session_tree_notes();
        arki_disk::create_private_dir(&directory).map_err(Error::internal)?;
        let new = NewCommit { folder: &folder, directory: &directory, message, files };
        let WrittenCommit { commit, files, left_out, not_run } = arki_worktrees::commit(new).await?;
        self.records
            .note(
                session_id,
                ChangesCommitted { commit: commit.clone(), message: message.to_owned(), files: files.clone() },
            )
            .await?;
        let for_reason = |reason| left_out.iter().filter(move |(_, why)| *why == reason).map(|(path, _)| path.clone());
        let (mixed, others) = (for_reason(CommitGap::Mixed).collect(), for_reason(CommitGap::NotByArki).collect());
        Ok(CommittedChanges { commit, files, mixed, left_out: others, not_run })
    }

    fn to_commit(self: &Arc<Self>, session_id: &SessionId) -> Result<(PathBuf, Vec<FileToCommit>), Error> {
        let open = self.restorations.trusted_project(session_id)?;
        let events = self.records.reader().log().session_file_events(session_id, 0)?;
        let files = not_yet_committed(&events, &self.committed(session_id)?);
        let to_commit = |file: WantedFile| {
            let past_files = self.past_files.clone();
            let found = found(&open, &file.path).ok().flatten();
            FileToCommit {
                is_program: found.is_some_and(|found| found.permissions().mode() & OWNER_RUNS != 0),
                path: file.path,
                with_changes: Box::new(move |content| {
                    file.steps.iter().try_fold(content, |content, step| redo(&past_files, step, content))
                }),
            }
        };
        let folder = PathBuf::from(self.reader.session(session_id)?.project);
        self.ensure_committable(&folder)?;
        Ok((folder, files.into_iter().map(to_commit).collect()))
    }

    /// Git is not run in a worktree of Arki's, whose configuration commands may have written.
    fn ensure_committable(&self, folder: &Path) -> Result<(), Error> {
        if self.projects.session_worktrees().worktree_at(&folder.display().to_string()).is_some() {
            let message = "The session works in a worktree of its own.";
            return Err(Error::new(Code::COMMIT_UNAVAILABLE, message, "Ask it to commit there, and bring its branch."));
        }
        committable_root(folder).map(drop)
    }

    /// The files that were committed, each with the event that says so last.
    fn committed(&self, session_id: &SessionId) -> Result<BTreeMap<String, u64>, Error> {
        let events = self.records.reader().log().commits(session_id)?;
        let of_event = |event: Event| match event.body() {
            EventBody::ChangesCommitted(told) => told.files.into_iter().map(|path| (path, event.seq)).collect(),
            _ => Vec::new(),
        };
        Ok(events.into_iter().flat_map(of_event).collect())
    }

    /// `None` where they can't be told.
    fn lines(&self, file: &WantedFile) -> Result<Option<(u32, u32)>, Error> {
        for hash in [&file.wanted, &file.last_known].into_iter().filter_map(FileAt::hash) {
            if self.records.reader().contents().blob_size(hash)?.is_none_or(|size| size > MAX_COUNTED_BYTES) {
                return Ok(None);
            }
        }
        let text = |at| self.past_files.content_at(at).map(|content| content.as_deref().unwrap_or_default().to_vec());
        Ok(text(&file.wanted).zip(text(&file.last_known)).and_then(|(before, after)| changed_lines(&before, &after)))
    }
}

/// Returns the content with a change of the session's; `None` where something else changed the same place.
fn redo(past_files: &PastFiles, step: &FileStep, content: Option<Vec<u8>>) -> Option<Option<Vec<u8>>> {
    let (before, after) = (past_files.content_at(&step.before)?, past_files.content_at(&step.after)?);
    if [&before, &after].into_iter().flatten().any(FileContent::is_link) {
        return None;
    }
    match merge(before.as_deref(), after.as_deref(), content.as_deref()) {
        Merge::Unchanged => Some(content),
        Merge::Write(bytes) => Some(Some(bytes)),
        Merge::Delete => Some(None),
        Merge::Conflict => None,
    }
}

/// The files with what was changed in each since it was committed.
fn not_yet_committed(events: &[Event], committed: &BTreeMap<String, u64>) -> Vec<WantedFile> {
    let since: BTreeSet<u64> = committed.values().copied().chain([0]).collect();
    let of_time = |seq: u64| {
        let files = FilesAt::fold(seq, events).into_iter();
        files.filter(move |file| committed.get(&file.path).copied().unwrap_or_default() == seq)
    };
    since.into_iter().flat_map(of_time).filter(is_changed).collect()
}

fn is_changed(file: &WantedFile) -> bool {
    file.wanted != file.last_known || file.wanted == FileAt::Unknown
}

/// The first line of a title, as a commit's message begins.
fn subject(title: &str) -> String {
    let line = title.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(SUBJECT_CHARS) {
        None => line.to_owned(),
        Some((end, _)) => line[..end].rsplit_once(' ').map_or(&line[..end], |(words, _)| words).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_one_line_and_ends_at_a_word() {
        assert_eq!(subject(" Rename it\nand more"), "Rename it");
        let long = "word ".repeat(30);
        let cut = subject(&long);
        assert!(cut.len() <= SUBJECT_CHARS && cut.ends_with("word"), "{cut}");
        assert_eq!(subject(&"é".repeat(100)).chars().count(), SUBJECT_CHARS);
    }
}
