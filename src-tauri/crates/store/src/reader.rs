//! Reading, on connections of its own: a few, opened when they are first needed.

use crate::StoreError;
use crate::database::connection::Location;
use arki_domain::Clock;
use rusqlite::Connection;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Connections open at once; whoever comes later waits for one.
pub const MAX_READERS: usize = 4;

/// The number of attempts to read a file that keeps changing.
const MAX_ATTEMPTS: usize = 4;

/// Returns whether a process of this machine is alive.
pub(crate) type ProcessCheck = Arc<dyn Fn(u32) -> bool + Send + Sync>;

/// Reads the store: by what is read, through [`Self::log`], [`Self::lists`], [`Self::contents`] and [`Self::verifier`].
/// Cheap to clone; its functions block, for a page of events well under a millisecond.
#[derive(Clone)]
pub struct StoreReader {
    shared: Arc<Shared>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) is_alive: ProcessCheck,
}

/// Reads events: by session, run, file or kind.
#[derive(Clone, Copy)]
pub struct LogReader<'a> {
    pub(crate) reader: &'a StoreReader,
}

/// Reads the lists that are kept beside the log: sessions, runs, approvals, and who runs what.
#[derive(Clone, Copy)]
pub struct SessionLists<'a> {
    pub(crate) reader: &'a StoreReader,
}

/// Reads what is kept by its hash, and snapshots.
#[derive(Clone, Copy)]
pub struct ContentReader<'a> {
    pub(crate) reader: &'a StoreReader,
}

/// Proves that the log and the contents are what was stored.
#[derive(Clone, Copy)]
pub struct LogVerifier<'a> {
    pub(crate) reader: &'a StoreReader,
}

struct Shared {
    location: Location,
    connections: Mutex<Connections>,
    returned: Condvar,
}

#[derive(Default)]
struct Connections {
    idle: Vec<Connection>,
    lent: usize,
    closed: bool,
}

impl StoreReader {
    pub(crate) fn new(location: Location, clock: Arc<dyn Clock>, is_alive: ProcessCheck) -> Self {
        let shared = Shared { location, connections: Mutex::default(), returned: Condvar::new() };
        Self { shared: Arc::new(shared), clock, is_alive }
    }

    pub fn log(&self) -> LogReader<'_> {
        LogReader { reader: self }
    }

    pub fn lists(&self) -> SessionLists<'_> {
        SessionLists { reader: self }
    }

    pub fn contents(&self) -> ContentReader<'_> {
        ContentReader { reader: self }
    }

    pub fn verifier(&self) -> LogVerifier<'_> {
        LogVerifier { reader: self }
    }

    /// No connection is opened any more, and those that are lent are closed when they come back.
    pub(crate) fn close(&self) {
        let mut connections = self.lock();
        connections.closed = true;
        connections.idle.clear();
        self.shared.returned.notify_all();
    }

    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let lent = Lent { connection: Some(self.borrow()?), reader: self };
        let connection = lent.connection.as_ref().ok_or(StoreError::Closed)?;
        work(connection).map_err(|error| self.locate(error))
    }

    /// A file that is read without a lock may change meanwhile; then `work` begins again.
    pub(crate) fn read_settled<T>(&self, work: impl Fn(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        for _ in 1..MAX_ATTEMPTS {
            let before = self.shared.location.unlocked_state();
            if before.is_some() {
                self.lock().idle.clear();
            }
            let result = self.read(&work);
            if before == self.shared.location.unlocked_state() {
                return result;
            }
        }
        self.read(work)
    }

    /// One that is not among those which are lent.
    pub(crate) fn open_connection(&self) -> Result<Connection, StoreError> {
        if self.lock().closed {
            return Err(StoreError::Closed);
        }
        self.shared.location.open_reader().map_err(|error| self.locate(error))
    }

    /// Notes damage, so that the next start looks for it.
    pub(crate) fn note(&self, error: &StoreError) {
        if let StoreError::Damaged { .. } = error {
            self.shared.location.note_damage();
        }
    }

    /// Returns how long the write-ahead log is.
    pub(crate) fn log_bytes(&self) -> u64 {
        self.shared.location.log_bytes()
    }

    pub(crate) fn locate(&self, error: StoreError) -> StoreError {
        self.note(&error);
        error.located(&self.shared.location.path)
    }

    fn borrow(&self) -> Result<Connection, StoreError> {
        let mut connections = self.lock();
        loop {
            if connections.closed {
                return Err(StoreError::Closed);
            }
            if let Some(connection) = connections.idle.pop() {
                connections.lent += 1;
                return Ok(connection);
            }
            if connections.lent < MAX_READERS {
                break;
            }
            connections = self.shared.returned.wait(connections).unwrap_or_else(PoisonError::into_inner);
        }
        connections.lent += 1;
        drop(connections);
        self.open_connection().inspect_err(|_| self.give_back(None))
    }

    fn give_back(&self, connection: Option<Connection>) {
        let mut connections = self.lock();
        connections.lent -= 1;
        if !connections.closed {
            connections.idle.extend(connection);
        }
        self.shared.returned.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Connections> {
        self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that finds its way back, also out of a panic.
struct Lent<'a> {
    connection: Option<Connection>,
    reader: &'a StoreReader,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.reader.give_back(self.connection.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::SystemClock;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn nested(reader: &StoreReader, depth: usize, innermost: &dyn Fn()) {
        let read = reader.read(|_| {
            match depth {
                1 => innermost(),
                deeper => nested(reader, deeper - 1, innermost),
            }
            Ok(())
        });
        read.unwrap();
    }

    #[test]
    fn whoever_reads_when_all_connections_are_lent_waits_for_one() {
        let location = Location::memory();
        let _database = location.open_writer().unwrap();
        let reader = StoreReader::new(location, Arc::new(SystemClock), Arc::new(|_| true));
        let is_given_back = AtomicBool::new(false);
        std::thread::scope(|scope| {
            nested(&reader, MAX_READERS, &|| {
                scope.spawn(|| {
                    let seen = reader.read(|_| Ok(is_given_back.load(Ordering::SeqCst))).unwrap();
                    assert!(seen, "a connection more than there may be");
                });
                std::thread::yield_now();
                is_given_back.store(true, Ordering::SeqCst);
            });
        });
        let connections = reader.lock();
        assert_eq!((connections.idle.len(), connections.lent), (MAX_READERS, 0));
    }
}
