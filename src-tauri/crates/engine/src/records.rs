//! The ground that all services stand on: the store and the log over it, what is announced, contents, the clock, where
//! Arki keeps its own things. No rule of the product is decided here.

pub(crate) mod contents;
pub(crate) mod events_since;
pub(crate) mod follow_others;
pub(crate) mod model_memory;
pub(crate) mod observations;
#[cfg(test)]
mod tests;

use crate::Directories;
use crate::events::bus::Bus;
use crate::events::recorded_log::Announcer;
use crate::events::recorded_log::RecordedLog;
use crate::this_process::is_alive;
use arki_domain::{Clock, ContentStore, Error, EventBody, EventDraft, EventLog, LiveBus, RunId, SessionId};
use arki_redaction::Redactor;
use arki_store::{Store, StoreReader};
use contents::Contents;
use std::sync::Arc;

pub(crate) struct Records {
    store: Arc<Store>,
    log: Arc<RecordedLog>,
    bus: Arc<Bus>,
    announcer: Arc<Announcer>,
    contents: Arc<dyn ContentStore>,
    redactor: Redactor,
    clock: Arc<dyn Clock>,
    directories: Directories,
    /// Names this process in leases.
    owner: String,
    is_ephemeral: bool,
    /// The decisions that the user made before a run that keeps nothing.
    decided_before: Option<Arc<StoreReader>>,
    #[cfg(test)]
    reads: tests::reads::Reads,
}

/// The stores and services that they are made of.
pub(crate) struct EngineDeps {
    pub(crate) store: Store,
    pub(crate) redactor: Redactor,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) directories: Directories,
    /// Nothing is kept once the store is closed.
    pub(crate) is_ephemeral: bool,
    pub(crate) decided_before: Option<StoreReader>,
}

impl Records {
    pub(crate) fn new(grounds: EngineDeps) -> Self {
        let EngineDeps { store, redactor, clock, directories, is_ephemeral, decided_before } = grounds;
        let store = Arc::new(store.with_process_check(is_alive));
        let bus = Arc::new(Bus::new());
        let announcer = Arc::new(Announcer::new(store.clone(), bus.clone()));
        Self {
            log: Arc::new(RecordedLog::new(store.clone(), announcer.clone())),
            contents: Arc::new(Contents::new(store.clone())),
            store,
            bus,
            announcer,
            redactor,
            clock,
            directories,
            owner: RunId::new().to_string(),
            is_ephemeral,
            decided_before: decided_before.map(Arc::new),
            #[cfg(test)]
            reads: tests::reads::Reads::default(),
        }
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Returns the reader. Its calls block, so they belong in [`blocking`].
    #[cfg_attr(test, track_caller)]
    pub(crate) fn reader(&self) -> &StoreReader {
        #[cfg(test)]
        self.reads.note(std::panic::Location::caller());
        self.store.reader()
    }

    #[cfg(test)]
    pub(crate) fn reads(&self) -> &tests::reads::Reads {
        &self.reads
    }

    /// Returns where decisions about folders are found.
    #[cfg_attr(test, track_caller)]
    pub(crate) fn decisions(&self) -> &StoreReader {
        match self.decided_before.as_deref() {
            Some(before) => before,
            None => self.reader(),
        }
    }

    pub(crate) fn decided_before(&self) -> Option<&Arc<StoreReader>> {
        self.decided_before.as_ref()
    }

    pub(crate) fn log(&self) -> &Arc<RecordedLog> {
        &self.log
    }

    /// Returns the log for a run of this process: see [`RecordedLog::of_run`].
    pub(crate) fn run_log(&self) -> Arc<dyn EventLog> {
        Arc::new(self.log.of_run(&self.owner))
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn live_bus(&self) -> Arc<dyn LiveBus> {
        self.bus.clone()
    }

    pub(crate) fn contents(&self) -> &Arc<dyn ContentStore> {
        &self.contents
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    pub(crate) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub(crate) fn directories(&self) -> &Directories {
        &self.directories
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns whether nothing is kept once the store is closed.
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.is_ephemeral
    }

    /// Stores what happened to a session, outside its runs.
    ///
    /// # Errors
    /// When the event cannot be stored.
    pub(crate) async fn note(&self, session: &SessionId, happened: impl Into<EventBody>) -> Result<(), Error> {
        self.log.append(session, vec![EventDraft::of_session(happened)]).await.map(drop)
    }

    /// Why nothing can be kept, where the store was opened to read; `None` where everything works.
    pub(crate) fn unwritable(&self) -> Option<Error> {
        self.store.unwritable().cloned().map(Error::from)
    }
}

/// Runs what blocks, such as folding a long log or walking a large folder, beside the threads on which heartbeats,
/// streams and Ctrl-C are waited for.
pub(crate) async fn blocking<S: Send + Sync + 'static, T: Send + 'static>(
    service: &Arc<S>,
    work: impl FnOnce(&Arc<S>) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let service = service.clone();
    tokio::task::spawn_blocking(move || work(&service)).await.map_err(Error::internal)?
}

/// Does what takes its time with a session, as [`blocking`].
///
/// # Errors
/// Those of the work.
pub(crate) async fn blocking_for<S: Send + Sync + 'static, T: Send + 'static>(
    service: &Arc<S>,
    session_id: &SessionId,
    work: impl FnOnce(&Arc<S>, &SessionId) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let session_id = session_id.clone();
    blocking(service, move |service| work(service, &session_id)).await
}
