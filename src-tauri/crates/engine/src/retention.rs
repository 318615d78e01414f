//! Retention: sessions that the user removes, images beyond their quota, imports, and the remains of killed programs.

use crate::records::contents::listed_hashes;
use crate::sessions::claim::Claim;
use crate::{
    Accounts, BelowRuns, ClaimedWork, ExecutorFactory, Projects, Records, SessionReader, Sessions, blocking,
    blocking_for,
};
use arki_api::{RemovedSession, StorageUse, StoredSession};
use arki_config::DEFAULT_MAX_IMAGE_BYTES;
use arki_disk::free_bytes;
use arki_domain::{Code, Error, SessionId};
use arki_files::remove_unfinished_exports;
use arki_store::{ImportedSession, RemovedSessions, exported_lines};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// When the data was last tidied, in milliseconds since 1970.
const TIDIED_AT: &str = "tidied_at";

/// Old contents are removed when a program's start is long over.
const TIDY_AFTER: Duration = Duration::from_secs(60);

/// The time that a program which is about to end has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    ForLittle,
    ToPrune,
}

/// Keeps the data tidy: removes sessions and old contents, and tells how much room the rest takes.
pub struct Retention {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    executors: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
    sessions: Arc<Sessions>,
}

impl Retention {
    pub(crate) fn new(below: &BelowRuns) -> Self {
        let BelowRuns { records, accounts, projects, executors, reader, sessions, .. } = below.clone();
        Self { records, accounts, projects, executors, reader, sessions }
    }

    /// Removes a session for good, with those of its sub-agents.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `SESSION_HAS_FORKS`, `SESSION_BUSY`, or when the database cannot be written.
    pub async fn remove_session(self: &Arc<Self>, session_id: &SessionId) -> Result<RemovedSession, Error> {
        blocking_for(self, session_id, move |it, session| it.ensure_not_waited_for(session)).await?;
        let _claim = self.sessions.claim(session_id, ClaimedWork::Change)?;
        let id = session_id.clone();
        let subagents = self.records.store().read(move |reader| reader.lists().subagent_sessions(&id)).await?;
        let claims = subagents.iter().map(|it| self.sessions.claim(&it.session_id, ClaimedWork::Change));
        let _claims: Vec<Claim> = claims.collect::<Result<_, _>>()?;
        let RemovedSessions { freed_bytes, subagents } =
            self.records.store().upkeep().remove_session(session_id, self.records.owner(), listed_hashes).await?;
        self.discard_trees_of(session_id).await;
        let subagents = subagents.iter().map(ToString::to_string).collect();
        Ok(RemovedSession { session_id: session_id.to_string(), freed_bytes, subagents })
    }

    /// Removes the worktrees of a removed session's sub-agents: nobody can take their changes any more.
    async fn discard_trees_of(self: &Arc<Self>, session_id: &SessionId) {
        let id = session_id.clone();
        let of_session =
            blocking(self, move |it| Ok(it.projects.subagent_worktrees().those(|_, parent| parent.session_id == id)));
        let discarded = async { self.projects.discard_trees(of_session.await?, self.executors.background()).await };
        if let Err(fault) = discarded.await {
            tracing::warn!(%session_id, %fault, "the worktrees of a removed session's sub-agents are still there");
        }
    }

    /// A sub-agent that is gone while the run above waits for it would be begun anew.
    fn ensure_not_waited_for(&self, session_id: &SessionId) -> Result<(), Error> {
        let above = self.reader.run_above(session_id)?;
        if above == *session_id {
            return Ok(());
        }
        let hint = format!("Stop {above} first, or remove it together with its sub-agents' sessions.");
        Err(Error::new(Code::SESSION_BUSY, format!("The session {above} is waiting for {session_id}."), hint))
    }

    /// Returns what takes how much room on the disk. Blocking.
    ///
    /// # Errors
    /// When the database or the configuration cannot be read.
    pub fn storage_use(&self) -> Result<StorageUse, Error> {
        let directories = self.records.directories();
        let sizes = self.records.reader().sizes()?;
        let stored = |(session_id, title, bytes): (SessionId, String, u64)| StoredSession {
            session_id: session_id.to_string(),
            title,
            bytes,
        };
        Ok(StorageUse {
            folder: directories.data.display().to_string(),
            database_bytes: sizes.database_bytes,
            events: sizes.events,
            contents_bytes: sizes.blobs_bytes,
            free_bytes: sizes.free_bytes,
            journal_bytes: sizes.log_bytes,
            log_bytes: size_of_files(&directories.logs()),
            disk_free_bytes: free_bytes(&directories.data).ok(),
            tidied_at: self.records.reader().meta(TIDIED_AT)?.and_then(|at| at.parse().ok()),
            max_contents_bytes: self.accounts.user_config()?.max_image_bytes.unwrap_or(DEFAULT_MAX_IMAGE_BYTES),
            largest: sizes.largest.into_iter().map(stored).collect(),
        })
    }

    /// Tidies at once, because the user asked for it.
    ///
    /// # Errors
    /// When the configuration can't be used or the database not be written.
    pub async fn tidy_now(self: &Arc<Self>) -> Result<(), Error> {
        self.tidy_after_kills().await?;
        self.tidy().await
    }

    /// Brings in the sessions of an export, byte for byte, all or none.
    ///
    /// # Errors
    /// `EXPORT_INVALID`, `SESSION_EXISTS`, `SESSION_BUSY`, or when the database cannot be written.
    pub async fn import(&self, file: impl BufRead + Send + 'static) -> Result<Vec<ImportedSession>, Error> {
        Ok(self.records.store().import(exported_lines(file)).await?)
    }

    /// Removes what nobody speaks of any more, images beyond their quota, and old sessions where the user asked for it.
    async fn tidy(self: &Arc<Self>) -> Result<(), Error> {
        let config = self.accounts.user_config()?;
        if let Some(days) = config.delete_sessions_after_days {
            let before_ms = self.records.clock().now_ms().saturating_sub(i64::from(days) * DAY_MS);
            let old = self.records.store().read(move |reader| reader.lists().sessions_older_than(before_ms)).await?;
            for session in old {
                if let Err(fault) = self.remove_session(&session.session_id).await {
                    tracing::info!(session_id = %session.session_id, %fault, "an old session is kept");
                }
            }
        }
        let max_bytes = config.max_image_bytes.unwrap_or(DEFAULT_MAX_IMAGE_BYTES);
        self.records.store().upkeep().collect_garbage(max_bytes, listed_hashes).await?;
        self.records.store().set_meta(TIDIED_AT, &self.records.clock().now_ms().to_string()).await?;
        Ok(())
    }

    /// Cleans up for a program that stays, once it has begun: what killed programs left at once, old contents when
    /// nobody waits for the start any more.
    pub async fn keep_tidy(self: &Arc<Self>) {
        warn("what a killed program left", self.tidy_after_kills().await);
        tokio::time::sleep(TIDY_AFTER).await;
        warn("old sessions and contents", self.tidy().await);
    }

    /// Cleans up for a program that is about to end: what killed programs left, and, if there is [`Time::ToPrune`],
    /// what the user asked to be removed, at most once a day.
    pub async fn tidy_before_end(self: &Arc<Self>, time: Time) {
        warn("what a killed program left", self.tidy_after_kills().await);
        if time == Time::ToPrune {
            warn("old sessions and contents", self.tidy_if_due().await);
        }
    }

    /// Finishes what programs left that were killed: sessions that were being removed, files of exports. Quick where nothing
    /// is left.
    async fn tidy_after_kills(self: &Arc<Self>) -> Result<(), Error> {
        if self.records.is_ephemeral() || self.records.unwritable().is_some() {
            return Ok(());
        }
        blocking(self, |it| {
            remove_unfinished_exports(&it.records.directories().unfinished_exports());
            Ok(())
        })
        .await?;
        Ok(self.records.store().upkeep().finish_removals(listed_hashes).await?)
    }

    async fn tidy_if_due(self: &Arc<Self>) -> Result<(), Error> {
        let tidied_at = self.records.store().read(|reader| reader.meta(TIDIED_AT)).await?;
        let tidied_at: Option<i64> = tidied_at.and_then(|at| at.parse().ok());
        // The clock may have been set back: an age is a distance.
        let is_due = tidied_at.is_none_or(|at| self.records.clock().now_ms().abs_diff(at) >= DAY_MS.unsigned_abs());
        if is_due && !self.records.is_ephemeral() && self.accounts.user_config()?.asks_to_prune() {
            self.tidy().await?;
        }
        Ok(())
    }
}

/// Sums the sizes of the files directly in a folder; 0 if it can't be read.
fn size_of_files(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file).map(|file| file.len()).sum()
}

/// Logs a failure of a cleanup. Nobody waits for it, so nobody is told.
fn warn(what: &str, tidied: Result<(), Error>) {
    if let Err(fault) = tidied {
        tracing::warn!(%fault, "{what} was not removed");
    }
}
