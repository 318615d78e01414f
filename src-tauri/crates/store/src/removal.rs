//! Removing a session as a whole, with those of its sub-agents: the only thing that is ever removed from the log.
//!
//! One transaction makes it disappear: from then on no list shows it and nothing can be added to it. Its events follow in
//! bounded steps, so that others can write in between. Then the contents go that only it spoke of, and SQLite gives the
//! pages back to the file system. What is left to do is noted in the table `meta` until it is done, so that the next start
//! finishes what a killed program has begun ([`StoreUpkeep::finish_removals`]).

use crate::contents::garbage::{ManifestReader, Released};
use crate::database::row::{OF_SESSION, lossy_text};
use crate::database::statements::{change, each, find, get, list};
use crate::exchange::import::imported_to;
use crate::read::tail::last_row;
use crate::read::usage_events;
use crate::search::index;
use crate::writer::write::Durability;
use crate::{StoreError, StoreReader, StoreUpkeep, leases, settings};
use arki_domain::SessionId;
use rusqlite::{Connection, params};

/// Events of one transaction of a removal.
pub const REMOVAL_BATCH_EVENTS: usize = 1000;
/// Pages that one transaction gives back, of 4 KiB each.
const VACUUM_STEP_PAGES: i64 = 2000;

/// Begins the keys under which is noted what removals have left to do.
const NOTED: &str = "removal.";

/// Everything of a session but its events and what is found of them.
const TABLES: &[&str] =
    &["sessions", "runs", "approvals", "snapshots", "file_changes", "blob_refs", "anchors", "partials", "leases"];

const FORKS: &str =
    "SELECT session_id FROM sessions WHERE origin = ?1 AND session_id <> ?1 ORDER BY session_id LIMIT ?2";
/// Forks that are named where they stand against a removal, at most.
const MAX_FORKS_NAMED: i64 = 10;

/// The result of a removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedSessions {
    /// The freed bytes in the database.
    pub freed_bytes: u64,
    /// The sessions of its sub-agents, which were removed with it.
    pub subagents: Vec<SessionId>,
}

impl StoreUpkeep<'_> {
    /// Removes a session, those of its sub-agents, and what only they needed. `owner`: whose lease does not stand in the
    /// way. `list_of_manifest`: see [`StoreUpkeep::collect_garbage`].
    ///
    /// # Errors
    /// `SessionNotFound`, `SessionHasForks`, `SessionBusy`, or when the database cannot be written. Once the session is
    /// gone from the lists it stays gone; the rest is done the next time.
    pub async fn remove_session(
        self,
        session: &SessionId,
        owner: &str,
        list_of_manifest: impl ManifestReader,
    ) -> Result<RemovedSessions, StoreError> {
        let before = self.store.read(StoreReader::used_bytes).await?;
        let subagents = self.begin_removal(session, owner).await?;
        self.finish_removals(list_of_manifest).await?;
        let after = self.store.read(StoreReader::used_bytes).await?;
        Ok(RemovedSessions { freed_bytes: before.saturating_sub(after), subagents })
    }

    /// Makes it disappear. Answers with the sub-agents' sessions, which went with it.
    pub(crate) async fn begin_removal(self, session: &SessionId, owner: &str) -> Result<Vec<SessionId>, StoreError> {
        let removal =
            SessionRemoval { session: session.clone(), owner: owner.to_owned(), reader: self.store.reader().clone() };
        self.store.write(Durability::Full, move |transaction| removal.begin(transaction)).await
    }

    /// Removes what is left of sessions that are gone: their events and what only they needed. Quick where nothing is.
    /// `list_of_manifest`: see [`StoreUpkeep::collect_garbage`].
    ///
    /// # Errors
    /// When the database cannot be read or written; the rest is done the next time.
    pub async fn finish_removals(self, list_of_manifest: impl ManifestReader) -> Result<(), StoreError> {
        let (noted, released) = self.store.read(|reader| reader.read(noted)).await?;
        let is_left = |reader: &StoreReader| reader.read(next_removal).map(|session| session.is_some());
        if noted.is_empty() && !self.store.read(is_left).await? {
            return Ok(());
        }
        self.collect(u64::MAX, released, list_of_manifest).await?;
        self.give_pages_back().await?;
        self.store
            .write(Durability::Normal, move |transaction| {
                noted
                    .iter()
                    .try_for_each(|key| Ok(transaction.execute("DELETE FROM meta WHERE key = ?1", [key]).map(drop)?))
            })
            .await
    }

    /// Removes what is left of the events of sessions that are gone.
    pub(crate) async fn finish_removing_events(self) -> Result<(), StoreError> {
        while self.store.read(|reader| reader.read(next_removal)).await?.is_some() {
            self.store.write(Durability::Normal, remove_some).await?;
        }
        Ok(())
    }

    /// Makes the file as small as what is in it.
    async fn give_pages_back(self) -> Result<(), StoreError> {
        let mut left = self.store.read(|reader| reader.read(free_pages)).await?;
        while left > 0 {
            let free = self.store.write(Durability::Normal, vacuum_some).await?;
            // Another process may be filling them again.
            if free >= left {
                break;
            }
            left = free;
        }
        Ok(())
    }
}

struct SessionRemoval {
    session: SessionId,
    owner: String,
    reader: StoreReader,
}

impl SessionRemoval {
    /// Answers with the sub-agents' sessions.
    fn begin(&self, transaction: &Connection) -> Result<Vec<SessionId>, StoreError> {
        self.ensure_removable(transaction, &self.session)?;
        let subagents = subagents_of(transaction, &self.session)?;
        for subagent in &subagents {
            self.ensure_removable(transaction, subagent)?;
        }
        let mut released = Released::default();
        for session in subagents.iter().chain([&self.session]) {
            let id = session.as_str();
            released.add(transaction, id)?;
            transaction
                .execute("INSERT INTO session_removals (session_id) VALUES (?1) ON CONFLICT DO NOTHING", [id])?;
            for table in TABLES {
                transaction.execute(&format!("DELETE FROM {table} WHERE session_id = ?1"), [id])?;
            }
            transaction.execute("DELETE FROM meta WHERE key = ?1", [imported_to(session)])?;
        }
        usage_events::note_removal(transaction)?;
        let released = serde_json::to_string(&released).map_err(StoreError::internal)?;
        settings::set_meta(transaction, &format!("{NOTED}{}", self.session), &released)?;
        Ok(subagents)
    }

    fn ensure_removable(&self, transaction: &Connection, session: &SessionId) -> Result<(), StoreError> {
        let count = |sql: &str| -> Result<u64, StoreError> {
            Ok(transaction.query_row(sql, [session.as_str()], |row| row.get::<_, i64>(0))?.unsigned_abs())
        };
        if count("SELECT count(*) FROM sessions WHERE session_id = ?1")? == 0 {
            return Err(StoreError::SessionNotFound { wanted: session.to_string() });
        }
        let forks: Vec<String> =
            list(transaction, FORKS, params![session.as_str(), MAX_FORKS_NAMED], |row| row.get(0))?;
        if !forks.is_empty() {
            return Err(StoreError::SessionHasForks { session_id: session.clone(), forks });
        }
        match leases::live(transaction, session, &self.reader)? {
            Some(lease) if lease.owner != self.owner => {
                Err(StoreError::SessionBusy { session_id: session.clone(), pid: lease.pid })
            }
            _ => Ok(()),
        }
    }
}

fn subagents_of(transaction: &Connection, session: &SessionId) -> Result<Vec<SessionId>, StoreError> {
    let sql = "SELECT session_id FROM sessions WHERE parent = ?1 AND session_id <> ?1 ORDER BY session_id";
    list(transaction, sql, [session.as_str()], |row| row.get::<_, String>(0).map(Into::into))
}

/// The removals that are not finished, and the contents that their sessions spoke of. What can't be read is left to age.
fn noted(connection: &Connection) -> Result<(Vec<String>, Released), StoreError> {
    let (mut keys, mut released) = (Vec::new(), Released::default());
    let sql = "SELECT key, value FROM meta WHERE substr(key, 1, ?2) = ?1";
    each(connection, sql, params![NOTED, NOTED.len() as i64], |row| {
        keys.push(row.get(0)?);
        released.join(serde_json::from_str(&lossy_text(row.get_ref(1)?)).unwrap_or_default());
        Ok(())
    })?;
    Ok((keys, released))
}

fn next_removal(connection: &Connection) -> Result<Option<String>, StoreError> {
    find(connection, "SELECT session_id FROM session_removals LIMIT 1", [], |row| row.get(0))
}

/// A batch of the events of one session; the last one is followed by the mark that allowed it.
fn remove_some(transaction: &Connection) -> Result<(), StoreError> {
    let Some(session) = next_removal(transaction)? else { return Ok(()) };
    let sql = format!("SELECT rowid FROM events WHERE {OF_SESSION} ORDER BY seq LIMIT ?2");
    let rows: Vec<i64> = list(transaction, &sql, params![session, REMOVAL_BATCH_EVENTS as i64], |row| row.get(0))?;
    if rows.is_empty() {
        transaction.execute("DELETE FROM session_removals WHERE session_id = ?1", [&session])?;
        return Ok(());
    }
    let last_row = last_row(transaction)?;
    for row in rows {
        change(transaction, "DELETE FROM search WHERE rowid = ?1", [row])?;
        change(transaction, "DELETE FROM events WHERE rowid = ?1", [row])?;
    }
    note_cut(transaction, last_row)
}

/// The next events get the numbers of those that were the last: whoever counts on them is told.
fn note_cut(transaction: &Connection, before: i64) -> Result<(), StoreError> {
    let last_row = last_row(transaction)?;
    if last_row < before {
        transaction.execute("INSERT INTO log_cuts (last_row) VALUES (?1)", [last_row])?;
        index::go_back_to(transaction, last_row)?;
    }
    Ok(())
}

fn free_pages(connection: &Connection) -> Result<i64, StoreError> {
    get(connection, "PRAGMA freelist_count", [], |row| row.get(0))
}

fn vacuum_some(transaction: &Connection) -> Result<i64, StoreError> {
    // One row a page, and nothing is done before it is asked for.
    let mut statement = transaction.prepare(&format!("PRAGMA incremental_vacuum({VACUUM_STEP_PAGES})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    free_pages(transaction)
}
