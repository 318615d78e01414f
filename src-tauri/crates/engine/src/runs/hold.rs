//! A session held for what works on it, whatever that is: the right to work on it, the lease that is kept alive, the way
//! to stop or pause what works, and its place among the runs of this process. All of it is given back on every path, also where the run
//! panics or the future is dropped.

use crate::sessions::claim::{Claim, SessionLease};
use crate::{ActiveRun, Records, Sessions};
use arki_agent::RunControl;
use arki_domain::{Error, SessionId};
use arki_store::LeaseRequest;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The interval at which a run looks for another process's request to stop or pause.
const LISTEN_INTERVAL: Duration = Duration::from_millis(250);
/// The lease is renewed this often; it is given up for dead after several missed times.
const HEARTBEAT: Duration = Duration::from_secs(3);

/// The runs that this process works on, and the sessions that it has worked on.
#[derive(Clone, Default)]
pub(crate) struct ActiveRuns(Arc<RunsAtWork>);

#[derive(Default)]
struct RunsAtWork {
    runs: Mutex<HashMap<SessionId, ActiveRun>>,
    count: watch::Sender<usize>,
    taken_up: Mutex<HashSet<SessionId>>,
}

impl RunsAtWork {
    fn change<T>(&self, change: impl FnOnce(&mut HashMap<SessionId, ActiveRun>) -> T) -> T {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(&mut runs);
        self.count.send_replace(runs.len());
        changed
    }
}

/// A run's place among them, given back when dropped.
struct ActivePlace {
    runs: ActiveRuns,
    session_id: SessionId,
}

impl ActiveRuns {
    pub(crate) fn of(&self, session_id: &SessionId) -> Option<ActiveRun> {
        self.0.runs.lock().unwrap_or_else(PoisonError::into_inner).get(session_id).cloned()
    }

    /// Returns the number of active runs, now and whenever it changes.
    pub(crate) fn count(&self) -> watch::Receiver<usize> {
        self.0.count.subscribe()
    }

    /// Asks all of them to stop; whether there are none.
    pub(crate) fn stop_all(&self) -> bool {
        let runs = self.0.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.values().for_each(ActiveRun::stop);
        runs.is_empty()
    }

    pub(crate) fn has_taken_up(&self, session_id: &SessionId) -> bool {
        self.0.taken_up.lock().unwrap_or_else(PoisonError::into_inner).contains(session_id)
    }

    pub(crate) fn take_up(&self, session_id: &SessionId) {
        self.0.taken_up.lock().unwrap_or_else(PoisonError::into_inner).insert(session_id.clone());
    }

    fn add(&self, run: ActiveRun) -> ActivePlace {
        let session_id = run.session_id.clone();
        self.0.change(|runs| runs.insert(session_id.clone(), run));
        ActivePlace { runs: self.clone(), session_id }
    }
}

impl Drop for ActivePlace {
    fn drop(&mut self) {
        self.runs.0.change(|runs| runs.remove(&self.session_id));
    }
}

/// A session that is ready to be worked on. Dropping it gives the session back.
pub(crate) struct SessionHold {
    records: Arc<Records>,
    sessions: Arc<Sessions>,
    lease: SessionLease,
    control: RunControl,
    place: Option<ActivePlace>,
    claim: Claim,
}

impl SessionHold {
    /// Takes the lease of a session that was claimed.
    ///
    /// # Errors
    /// `SESSION_BUSY` when another process works on the session, or when the database cannot be written.
    pub(crate) async fn take(
        records: &Arc<Records>,
        sessions: &Arc<Sessions>,
        claim: Claim,
        control: RunControl,
    ) -> Result<Self, Error> {
        let lease = sessions.lease(claim.session_id()).await?;
        Ok(Self { records: records.clone(), sessions: sessions.clone(), lease, control, place: None, claim })
    }

    pub(crate) fn control(&self) -> &RunControl {
        &self.control
    }

    /// Registers the run, so that it can be found among those of this process.
    pub(crate) fn enter(&mut self, runs: &ActiveRuns, run: ActiveRun) {
        self.place = Some(runs.add(run));
    }

    /// Works until it ends, with the lease kept alive; a run whose lease was taken over is asked to stop. What it answers
    /// comes with the claim: others in this process may work on the session once that is dropped.
    pub(crate) async fn during<T>(self, work: impl Future<Output = T>) -> (T, Claim) {
        let ended = self.with_heartbeat(work).await;
        let Self { lease, place, claim, .. } = self;
        drop(place);
        // It ends by itself; how the run ended is what matters.
        if let Err(fault) = lease.release().await {
            tracing::warn!(session_id = %claim.session_id(), %fault, "the lease was not given back");
        }
        (ended, claim)
    }

    async fn with_heartbeat<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::pin!(work);
        let mut renewal = tokio::time::interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        let mut listening = tokio::time::interval_at(Instant::now() + LISTEN_INTERVAL, LISTEN_INTERVAL);
        loop {
            tokio::select! {
                ended = &mut work => return ended,
                _ = listening.tick() => {
                    self.hear_request().await;
                    self.sessions.note_snapshot_quietly(self.claim.session_id()).await;
                }
                _ = renewal.tick() => match self.lease.renew().await {
                    Ok(true) => {}
                    Ok(false) => self.control.cancel.cancel(),
                    Err(error) => tracing::warn!(%error, "the lease was not renewed"),
                },
            }
        }
    }

    /// Another process may ask for a stop or a pause.
    async fn hear_request(&self) {
        let (session_id, owner) = (self.claim.session_id().clone(), self.records.owner().to_owned());
        match self.records.store().read(move |reader| reader.lists().lease_request(&session_id, &owner)).await {
            Ok(Some(LeaseRequest::Stop)) => self.control.cancel.cancel(),
            Ok(Some(LeaseRequest::Pause)) => self.control.pause.cancel(),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "what others ask was not heard"),
        }
    }
}
