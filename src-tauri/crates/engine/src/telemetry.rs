//! Telemetry: finished runs go to an OpenTelemetry receiver, if the user's configuration names one.
//!
//! Runs are read from the log once they are over, so nothing that a run does waits for a receiver. What could not be
//! sent waits in the log, within bounds: a run for a week, and the newest thousand. Nothing from before telemetry was
//! switched on is sent, nothing of runs that keep nothing or came from elsewhere.

mod spool;

use crate::{Accounts, EventClass, EventFilter, Records, SessionReader, Subscription, blocking};
use arki_config::TelemetrySettings;
use arki_domain::{Code, Error, LiveEvent, RunId};
use arki_export::EventSource;
use arki_store::FinishedRun;
use arki_telemetry::{
    Delivery, Resource, RunRecorder, RunTelemetry, Sender, TelemetryContents, TelemetryDestination, Wait, root_run,
};
use spool::{StoredSpool, TelemetrySpool};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The runs that wait to be sent, at most; of more the oldest are left out.
pub(crate) const MAX_WAITING_RUNS: usize = 1000;
/// A run that could not be sent for so long is left out.
const MAX_WAITING_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// The time that sending may add to the end of a command.
const PATIENCE_AT_END: Duration = Duration::from_secs(2);
/// The name under which headers that the environment sets for receivers are replaced, wherever they would be stored.
const HEADER: &str = "OTEL_EXPORTER_OTLP_HEADERS";

const RUN_START: &str = "run.started";
const RUN_ENDS: [&str; 3] = ["run.completed", "run.failed", "run.cancelled"];

/// Sends finished runs.
pub struct Telemetry {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    reader: Arc<SessionReader>,
    /// This process sends once at a time; other processes are kept off by the spool.
    sending: tokio::sync::Mutex<()>,
}

/// How the sending stands.
pub(crate) struct TelemetryState {
    pub(crate) settings: TelemetrySettings,
    /// The receivers for people; `None` where the environment names none.
    pub(crate) receivers: Option<String>,
    pub(crate) sent: u64,
    pub(crate) waiting: usize,
    pub(crate) left_out: u64,
    pub(crate) trouble: Option<String>,
}

/// A receiver, and what it gets.
struct Receiver {
    sender: Sender,
    resource: Resource,
    contents: TelemetryContents,
}

impl Telemetry {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>, reader: Arc<SessionReader>) -> Self {
        Self { records, accounts, reader, sending: tokio::sync::Mutex::default() }
    }

    /// Notes whether telemetry is on, before a run begins: only what begins from then on is sent.
    pub async fn begin(self: &Arc<Self>) {
        if let Err(fault) = self.spool(None).await {
            tracing::warn!(%fault, "telemetry does not begin");
        }
    }

    /// Sends what waits, for a program that is about to end: within about two seconds.
    pub async fn send_before_end(self: &Arc<Self>) {
        let deadline = Instant::now() + PATIENCE_AT_END;
        let Ok(_sending) = tokio::time::timeout_at(deadline, self.sending.lock()).await else { return };
        if let Err(fault) = self.send(None, Some(deadline)).await {
            tracing::warn!(%fault, "telemetry was not sent");
        }
    }

    /// Sends each run when it is over, for a program that stays.
    pub async fn keep_sending(self: &Arc<Self>) {
        let runs = EventFilter { classes: Some(vec![EventClass::Run]), ..EventFilter::default() };
        let mut subscription = self.records.bus().subscribe(runs);
        let mut begun = None;
        loop {
            let sending = self.sending.lock().await;
            let wait = self.send(begun, None).await.unwrap_or_else(|fault| {
                tracing::warn!(%fault, "telemetry was not sent");
                None
            });
            drop(sending);
            let again = async {
                match wait {
                    Some(wait) => tokio::time::sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            begun = tokio::select! {
                begun = next_change(&mut subscription) => begun,
                () = again => None,
            };
        }
    }

    /// How the sending stands; `None` while telemetry is off.
    ///
    /// # Errors
    /// When the configuration or the environment can't be used, or the database not be read.
    pub(crate) async fn state(self: &Arc<Self>) -> Result<Option<TelemetryState>, Error> {
        let Some(settings) = self.accounts.user_config()?.telemetry else { return Ok(None) };
        let receivers = self.destination(&settings)?.map(|destination| destination.words());
        let (mut spool, mut waiting) = (TelemetrySpool::default(), 0);
        if let Some(stored) = StoredSpool::find(&self.records).await? {
            let finished =
                self.records.store().commits().finished_runs(stored.cursor().await?, MAX_WAITING_RUNS).await?;
            waiting = finished.runs.iter().filter(|run| run.started_at >= stored.spool.since_ms).count();
            spool = stored.spool;
        }
        let TelemetrySpool { sent, left_out, trouble, .. } = spool;
        Ok(Some(TelemetryState { settings, receivers, sent, waiting, left_out, trouble }))
    }

    /// The settings and the spool; `None` while telemetry is off. `begun`: a run began then, as the first to be sent if
    /// telemetry is new.
    async fn spool(self: &Arc<Self>, begun: Option<i64>) -> Result<Option<(TelemetrySettings, StoredSpool)>, Error> {
        if self.records.is_ephemeral() || self.records.unwritable().is_some() {
            return Ok(None);
        }
        match self.accounts.user_config()?.telemetry {
            Some(settings) => {
                // Keys are known before anything is stored.
                let _ = self.destination(&settings);
                let since_ms = begun.unwrap_or_else(|| self.records.clock().now_ms());
                Ok(Some((settings, StoredSpool::begin(&self.records, since_ms).await?)))
            }
            None => StoredSpool::end(&self.records).await.map(|()| None),
        }
    }

    fn destination(&self, settings: &TelemetrySettings) -> Result<Option<TelemetryDestination>, Error> {
        let found = TelemetryDestination::of(&settings.endpoint, &|name| std::env::var(name).ok());
        let destination = found.map_err(|why| {
            Error::new(Code::CONFIG_INVALID, why, "Correct the variable, or set `telemetry.endpoint` to an address.")
        })?;
        for value in destination.iter().flat_map(TelemetryDestination::secrets) {
            self.records.redactor().add(HEADER, value);
            self.records.redactor().add(HEADER, value.rsplit(' ').next().unwrap_or_default());
        }
        Ok(destination)
    }

    /// Sends what waits. Returns when to try again, where something still waits.
    async fn send(self: &Arc<Self>, begun: Option<i64>, deadline: Option<Instant>) -> Result<Option<Duration>, Error> {
        let Some((settings, mut stored)) = self.spool(begun).await? else { return Ok(None) };
        let Some(destination) = self.destination(&settings)? else { return Ok(None) };
        let cursor = stored.cursor().await?;
        let finished = self.records.store().commits().finished_runs(cursor, MAX_WAITING_RUNS).await?;
        if finished.runs.is_empty() {
            return Ok(None);
        }
        let (owner, now_ms) = (self.records.owner(), self.records.clock().now_ms());
        stored.spool.meet(destination.words());
        if !stored.spool.is_free(owner, now_ms) {
            return Ok(Some(stored.spool.growing_wait()));
        }
        let sender = Sender::new(&destination).map_err(Error::internal)?;
        let receiver = Receiver { sender, resource: destination.resource().clone(), contents: settings.contents };
        stored.spool.hold(owner, now_ms);
        stored.spool.left_out += finished.left_out as u64;
        stored.spool.cursor = finished.begin.to_string();
        if !stored.keep().await? {
            return Ok(Some(stored.spool.growing_wait()));
        }
        let wait = self.send_all(finished.runs, &receiver, &mut stored, deadline).await;
        stored.spool.holder = None;
        stored.keep().await?;
        wait
    }

    /// Sends runs, the oldest first, and notes each that is done with.
    async fn send_all(
        self: &Arc<Self>,
        runs: Vec<FinishedRun>,
        receiver: &Receiver,
        stored: &mut StoredSpool,
        deadline: Option<Instant>,
    ) -> Result<Option<Duration>, Error> {
        let ends: HashMap<RunId, i64> = runs.iter().map(|run| (run.run_id.clone(), run.ended_at)).collect();
        let mut has_sent = false;
        for run in runs {
            let now_ms = self.records.clock().now_ms();
            if now_ms.saturating_sub(run.ended_at) > MAX_WAITING_MS {
                stored.spool.left_out += 1;
            } else if ends[&run.run_id] == run.ended_at && self.is_to_be_sent(&run, stored.spool.since_ms).await? {
                let told = self.told_of(&run.run_id, receiver).await?;
                let delivery = match delivered(receiver, &told, deadline).await {
                    Some(delivery) => delivery,
                    // There were many, and the next command goes on with them.
                    None if has_sent => return Ok(None),
                    None => out_of_time(),
                };
                if let Some(wait) = note(delivery, &mut stored.spool, now_ms) {
                    return Ok(Some(wait));
                }
                has_sent = true;
            }
            stored.spool.cursor = run.after.to_string();
            stored.spool.hold(self.records.owner(), now_ms);
            if !stored.keep().await? {
                return Ok(None);
            }
        }
        Ok(None)
    }

    async fn told_of(self: &Arc<Self>, run: &RunId, receiver: &Receiver) -> Result<RunTelemetry, Error> {
        let (run, contents, resource) = (run.clone(), receiver.contents, receiver.resource.clone());
        blocking(self, move |it| it.told(&run, contents, &resource)).await
    }

    async fn is_to_be_sent(&self, run: &FinishedRun, since_ms: i64) -> Result<bool, Error> {
        let id = run.run_id.clone();
        let is_own = run.started_at >= since_ms;
        Ok(is_own && !self.records.store().read(move |reader| reader.is_imported(&id)).await?)
    }

    /// A run's telemetry, read from the log. Blocking.
    fn told(&self, run: &RunId, contents: TelemetryContents, resource: &Resource) -> Result<RunTelemetry, Error> {
        let session = self.reader.run(run)?.session_id.into();
        let root = match self.reader.run_start(run)? {
            Some(started) => root_run(run, &started, |above| self.reader.run_start(above))?,
            None => run.clone(),
        };
        let mut recorder = RunRecorder::new(session, run.clone(), &root, contents);
        self.reader.each_run_event(run, |event| recorder.take(&event))?;
        Ok(recorder.finish(resource))
    }
}

/// `None` where there was no time for it.
async fn delivered(receiver: &Receiver, told: &RunTelemetry, deadline: Option<Instant>) -> Option<Delivery> {
    let sending = receiver.sender.send(told);
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, sending).await.ok(),
        None => Some(sending.await),
    }
}

fn out_of_time() -> Delivery {
    let reason = format!("The receiver did not answer within {} s.", PATIENCE_AT_END.as_secs());
    Delivery::Later { reason, wait: Wait::Growing }
}

/// Notes what became of a run. Returns the wait until it is tried again, where it is.
fn note(delivery: Delivery, spool: &mut TelemetrySpool, now_ms: i64) -> Option<Duration> {
    match delivery {
        Delivery::Done { notes } => {
            notes.iter().for_each(|note| tracing::warn!(note, "telemetry was refused"));
            spool.sent += 1;
            spool.failures = 0;
            spool.trouble = notes.into_iter().next_back();
            None
        }
        Delivery::Later { reason, wait } => {
            tracing::warn!(reason, "telemetry was not sent");
            spool.failures = spool.failures.saturating_add(1);
            spool.trouble = Some(reason);
            let growing = spool.growing_wait();
            let (wait, imposed) = match wait {
                // Nobody listens: a program that ends may look again at once, one that stays has time.
                Wait::None => (growing, Duration::ZERO),
                Wait::Growing => (growing, growing),
                Wait::Asked(asked) => (asked.max(Duration::from_secs(1)), asked),
            };
            spool.not_before_ms = now_ms.saturating_add(i64::try_from(imposed.as_millis()).unwrap_or(i64::MAX));
            Some(wait)
        }
    }
}

/// Waits until a run begins or ends. Returns when it began, in milliseconds since 1970.
async fn next_change(subscription: &mut Subscription) -> Option<i64> {
    loop {
        match subscription.next().await {
            Some(Ok(LiveEvent::Stored(event))) if event.kind == RUN_START => return Some(event.ts),
            Some(Ok(LiveEvent::Stored(event))) if RUN_ENDS.contains(&event.kind.as_str()) => return None,
            Some(Ok(_)) => {}
            Some(Err(_)) => return None,
            None => std::future::pending().await,
        }
    }
}
