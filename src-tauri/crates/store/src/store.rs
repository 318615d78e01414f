//! The store as the engine holds it: every write, and the way to every read.

pub(crate) mod session_leases;

use crate::append::relay::{MIN_RELAYED, Relay};
use crate::append::{Appending, Destination};
use crate::chain::heads::Heads;
use crate::chain::seal;
use crate::chain::seal::SealedDraft;
use crate::database::connection::Location;
use crate::database::files;
use crate::reader::StoreReader;
use crate::writer::write::{Durability, WriteIsolation};
use crate::writer::{WriteQueue, Writer};
use crate::{StoreError, TrustRecord, append, settings};
use arki_domain::{Clock, Event, EventDraft, PartialAnswer, SessionId, SystemClock};
use arki_redaction::Redactor;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone)]
pub struct StoreOptions {
    pub clock: Arc<dyn Clock>,
    /// Applied to everything before it is stored.
    pub redactor: Redactor,
}

/// An open database. Writes are async and go through one thread; reads are [`Store::reader`]'s, and block, or
/// [`Store::read`]'s. Events are appended here; [`Self::contents`], [`Self::leases`], [`Self::commits`] and
/// [`Self::upkeep`] lead to what else is written.
pub struct Store {
    writer: Mutex<Option<Writer>>,
    /// Why nothing can be written, where the database was only opened to be read.
    unwritable: Option<StoreError>,
    reader: StoreReader,
    redactor: Redactor,
}

/// Keeps contents and snapshots.
#[derive(Clone, Copy)]
pub struct ContentWriter<'a> {
    pub(crate) store: &'a Store,
}

/// Takes, renews and releases the lease of whoever runs a session.
#[derive(Clone, Copy)]
pub struct SessionLeases<'a> {
    pub(crate) store: &'a Store,
}

/// Reads all sessions' events in the order in which they were committed, by whichever process.
#[derive(Clone, Copy)]
pub struct CommitFeed<'a> {
    pub(crate) store: &'a Store,
}

/// Removes what nobody needs any more, and brings the search index up to date.
#[derive(Clone, Copy)]
pub struct StoreUpkeep<'a> {
    pub(crate) store: &'a Store,
}

impl Store {
    /// Opens or creates the database and brings its layout up to date.
    ///
    /// # Errors
    /// `Locked`, `Newer`, `NotArkis`, `Damaged`, `DiskFull`, `NotPermitted` or `Io`.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Self, StoreError> {
        Self::open_at(Location::file(path), options)
    }

    /// A database that ends with the process and leaves nothing behind.
    ///
    /// # Errors
    /// Only when there is no memory or no thread to be had.
    pub fn open_in_memory(options: StoreOptions) -> Result<Self, StoreError> {
        Self::open_at(Location::memory(), options)
    }

    /// Opens a database that must not change: creates, migrates and writes nothing.
    ///
    /// # Errors
    /// `Missing`, `Older`, `Newer`, `NotArkis`, `Damaged` or `Io`.
    pub fn open_read_only(path: &Path) -> Result<StoreReader, StoreError> {
        let reader = StoreReader::new(Location::untouched(path), Arc::new(SystemClock), Arc::new(|_| true));
        reader.read(|_| Ok(())).map_err(|error| files::told_apart(path, error))?;
        Ok(reader)
    }

    /// A database that can't be written, for `reason`: reading works, and every write fails with it. Where there is none
    /// yet, there is nothing to read.
    ///
    /// # Errors
    /// Those of [`Store::open_read_only`], but for `Missing` where not even a file is there.
    pub fn open_unwritable(path: &Path, options: StoreOptions, reason: StoreError) -> Result<Self, StoreError> {
        // A folder that may not be entered is none in which nothing is.
        if matches!(path.try_exists(), Ok(false)) {
            let mut store = Self::open_in_memory(options)?;
            store.unwritable = Some(reason);
            return Ok(store);
        }
        let StoreOptions { clock, redactor } = options;
        let mut reader = Self::open_read_only(path)?;
        reader.clock = clock;
        Ok(Self { writer: Mutex::new(None), unwritable: Some(reason), reader, redactor })
    }

    /// Why nothing can be written; `None` where it can.
    #[must_use]
    pub fn unwritable(&self) -> Option<&StoreError> {
        self.unwritable.as_ref()
    }

    pub(crate) fn open_at(location: Location, options: StoreOptions) -> Result<Self, StoreError> {
        let StoreOptions { clock, redactor } = options;
        let writer = Writer::start(location.open_writer()?, location.path.clone())?;
        let reader = StoreReader::new(location, clock, Arc::new(|_| true));
        Ok(Self { writer: Mutex::new(Some(writer)), unwritable: None, reader, redactor })
    }

    /// Sets the check whether a process of this machine is alive. Without it, a lease ends only by its age.
    #[must_use]
    pub fn with_process_check(mut self, is_alive: impl Fn(u32) -> bool + Send + Sync + 'static) -> Self {
        self.reader.is_alive = Arc::new(is_alive);
        self
    }

    #[must_use]
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    pub fn contents(&self) -> ContentWriter<'_> {
        ContentWriter { store: self }
    }

    pub fn leases(&self) -> SessionLeases<'_> {
        SessionLeases { store: self }
    }

    pub fn commits(&self) -> CommitFeed<'_> {
        CommitFeed { store: self }
    }

    pub fn upkeep(&self) -> StoreUpkeep<'_> {
        StoreUpkeep { store: self }
    }

    /// Runs reads on a thread that may block.
    ///
    /// # Errors
    /// Those of `work`.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StoreReader) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let reader = self.reader.clone();
        let read = tokio::task::spawn_blocking(move || work(&reader));
        read.await.map_err(|_| StoreError::internal("a read ended early"))?
    }

    /// Stores the drafts in order and in one transaction, and answers when they are as durable as their kinds ask for.
    ///
    /// # Errors
    /// `EventTooLarge` or `EventTooDeep`, `SessionBroken`, or when the database cannot be written; then none of the
    /// drafts is stored.
    pub async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, StoreError> {
        self.append_to(Destination { session_id: session.clone(), held_by: None }, drafts).await
    }

    /// Appends like [`Store::append`], for the run of whoever holds the session's lease.
    ///
    /// # Errors
    /// `LeaseLost` when `owner` does not hold it any more, and those of [`Store::append`].
    pub async fn append_held(
        &self,
        session: &SessionId,
        owner: &str,
        drafts: Vec<EventDraft>,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        self.append_to(Destination { session_id: session.clone(), held_by: Some(owner.to_owned()) }, drafts).await
    }

    async fn append_to(&self, to: Destination, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, StoreError> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        let durability = if EventDraft::hold_intent(&drafts) { Durability::Full } else { Durability::Normal };
        let queue = self.queue()?;
        if drafts.len() >= MIN_RELAYED && durability == Durability::Full && queue.is_idle() {
            return self.append_relayed(queue, to, drafts).await;
        }
        let sealed =
            drafts.into_iter().map(|draft| seal::seal(draft, &self.redactor)).collect::<Result<Vec<_>, _>>()?;
        self.append_sealed(queue, durability, to, sealed).await
    }

    /// Seals them while the writer stores those before.
    async fn append_relayed(
        &self,
        queue: WriteQueue,
        to: Destination,
        drafts: Vec<EventDraft>,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let relay = Arc::new(Relay::default());
        let (writers, clock, destination) = (relay.clone(), self.reader.clock.clone(), to.clone());
        let append = move |transaction: &Connection, heads: &mut Heads| {
            writers.append(Appending::begin(transaction, heads, clock.now_ms(), &destination)?)
        };
        let answered = queue.clone().begin(Durability::Full, WriteIsolation::Savepoint, append).await?;
        let sealed = relay.seal(drafts, &self.redactor);
        let answer = answered.await.map_err(|_| StoreError::Closed)?;
        sealed?;
        match relay.abandoned() {
            Some(sealed) => self.append_sealed(queue, Durability::Full, to, sealed).await,
            None => self.noted(answer),
        }
    }

    async fn append_sealed(
        &self,
        queue: WriteQueue,
        durability: Durability,
        to: Destination,
        sealed: Vec<SealedDraft>,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let clock = self.reader.clock.clone();
        let isolation = append::isolation(&sealed);
        let append = move |transaction: &Connection, heads: &mut Heads| {
            append::append(transaction, heads, clock.now_ms(), &to, sealed)
        };
        self.noted(queue.append(durability, isolation, append).await)
    }

    /// Keeps the next piece of an answer that is arriving, so that a crash does not lose it; `None` clears all of them.
    /// Keys are taken out of each piece by itself.
    pub async fn keep_partial(&self, session: &SessionId, piece: Option<PartialAnswer>) -> Result<(), StoreError> {
        let session = session.clone();
        let piece = piece.map(|piece| PartialAnswer {
            text: self.redactor.redact(&piece.text).into_owned(),
            thoughts: self.redactor.redact(&piece.thoughts).into_owned(),
            ..piece
        });
        self.write(Durability::Normal, move |transaction| settings::keep_partial(transaction, &session, piece.as_ref()))
            .await
    }

    /// Replaces secrets in whatever is stored.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Remembers the user's decision about a folder (its canonical path).
    pub async fn set_trust(&self, project: &str, record: TrustRecord) -> Result<(), StoreError> {
        let project = project.to_owned();
        self.write(Durability::Full, move |transaction| settings::set_trust(transaction, &project, &record)).await
    }

    /// Remembers a small setting.
    pub async fn set_meta(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.write(Durability::Normal, move |transaction| settings::set_meta(transaction, &key, &value)).await
    }

    /// Stores a setting like [`Self::set_meta`], if it still has the value `known`. `false`: somebody else has changed it.
    pub async fn swap_meta(&self, key: &str, known: Option<&str>, value: &str) -> Result<bool, StoreError> {
        let (key, known, value) = (key.to_owned(), known.map(str::to_owned), value.to_owned());
        self.write(Durability::Full, move |transaction| {
            settings::swap_meta(transaction, &key, known.as_deref(), &value)
        })
        .await
    }

    /// Writes what waits, empties the write-ahead log and closes. Blocks for it; later calls do nothing.
    ///
    /// # Errors
    /// When the log could not be emptied. Nothing is lost by it.
    pub fn close(&self) -> Result<(), StoreError> {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.reader.close();
        writer.map_or(Ok(()), Writer::close)
    }

    pub(crate) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.noted(self.queue()?.write(durability, work).await)
    }

    fn noted<T>(&self, written: Result<T, StoreError>) -> Result<T, StoreError> {
        written.inspect_err(|error| self.reader.note(error))
    }

    pub(crate) fn queue(&self) -> Result<WriteQueue, StoreError> {
        if let Some(reason) = &self.unwritable {
            return Err(reason.clone());
        }
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.as_ref().map(Writer::queue).ok_or(StoreError::Closed)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(%error, "closing the database");
        }
    }
}
