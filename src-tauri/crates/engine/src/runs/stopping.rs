//! Stopping runs and pausing them, in this process or another, and waiting until they have stopped.

use crate::sessions::claim::{STOP_PATIENCE, STOP_POLL};
use crate::{ClientCapabilities, ResumeOptions, Runs};
use arki_agent::{RunControl, RunEnd};
use arki_domain::{Code, Error, SessionId};
use arki_store::LeaseRequest;
use std::pin::Pin;
use std::sync::Arc;
use tokio::task::JoinHandle;

impl Runs {
    /// Stops the run of a session, also one that waits for an approval or a budget, and one that another process works
    /// on. Nothing to stop is fine.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub(crate) async fn stop_session(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
    ) -> Result<(), Error> {
        let above = self.reader.run_above_now(session_id).await?;
        let give_up = tokio::time::Instant::now() + STOP_PATIENCE;
        let cancelled = loop {
            if let Some(active) = self.active.of(session_id) {
                active.stop();
                return Ok(());
            }
            match self.cancel_run(session_id).await {
                // It is about to begin, or about to let go of its session.
                Err(fault) if fault.is(Code::SESSION_BUSY) && self.sessions.is_claimed_for_run(session_id, give_up) => {
                    tokio::time::sleep(STOP_POLL).await;
                }
                cancelled => break cancelled,
            }
        };
        match cancelled {
            Err(fault) if fault.is(Code::SESSION_BUSY) => self.ask(session_id, LeaseRequest::Stop, fault).await,
            // The run that waited for it hears of it.
            Ok(Some(ended)) if above != *session_id => {
                ended.await.map_err(Error::internal)??;
                match self.go_on_after_decision(presence, session_id).await {
                    // It is at work on what it handed to others, and finds out itself.
                    Err(fault) if fault.is(Code::SESSION_BUSY) => Ok(()),
                    going_on => going_on.map(drop),
                }
            }
            ended => ended.map(drop),
        }
    }

    /// Pauses the run of a session after the step it is at. Returns whether one is at work, here or in another process:
    /// otherwise there is nothing to pause.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn pause_session(&self, session_id: &SessionId) -> Result<bool, Error> {
        if let Some(active) = self.active.of(session_id) {
            active.pause();
            return Ok(true);
        }
        Ok(self.records.store().leases().request(session_id, LeaseRequest::Pause).await?)
    }

    /// Ends the wait before a retry of a run of this process. Where none waits there is nothing to end.
    pub fn retry_now(&self, session_id: &SessionId) {
        if let Some(active) = self.active.of(session_id) {
            active.retry_now();
        }
    }

    /// Asks the process that works on the session; `busy` when there is none.
    async fn ask(&self, session_id: &SessionId, request: LeaseRequest, busy: Error) -> Result<(), Error> {
        match self.records.store().leases().request(session_id, request).await? {
            true => Ok(()),
            false => Err(busy),
        }
    }

    /// Ends a run that is not at work; `None` when there is nothing to end. The handle ends with it.
    pub(crate) async fn cancel_run(
        self: &Arc<Self>,
        session_id: &SessionId,
    ) -> Result<Option<JoinHandle<Result<RunEnd, Error>>>, Error> {
        if self.reader.overview_now(session_id).await?.run.is_none_or(|run| run.is_ended()) {
            return Ok(None);
        }
        // Cancelled before it begins: it must not get as far as asking again.
        let control = RunControl::default();
        control.cancel.cancel();
        match self.resume(session_id, ResumeOptions { control, ..ResumeOptions::default() }).await {
            Err(fault) if fault.is(Code::RUN_NOT_FOUND) => Ok(None),
            resumed => resumed.map(|(_, handle)| Some(handle)),
        }
    }

    /// Stops every run of this process, its background commands and MCP servers, and waits until they have, for a short
    /// while.
    pub async fn stop_all(&self) {
        let is_idle = || self.active.stop_all();
        let stopped = async {
            while !is_idle() {
                tokio::time::sleep(STOP_POLL).await;
            }
        };
        if tokio::time::timeout(STOP_PATIENCE, stopped).await.is_err() {
            tracing::warn!("a run did not stop in time");
        }
        if tokio::time::timeout(STOP_PATIENCE, self.background.stop_all()).await.is_err() {
            tracing::warn!("a background command did not stop in time");
        }
        if tokio::time::timeout(STOP_PATIENCE, self.mcp.stop_mcp_servers()).await.is_err() {
            tracing::warn!("an MCP server did not stop in time");
        }
    }

    /// Ends a run that waits for the user: it has no place to go on from once its session went back.
    ///
    /// # Errors
    /// `SESSION_BUSY` for a run that another process works on.
    pub(crate) fn end_waiting<'a>(
        self: &'a Arc<Self>,
        session_id: &'a SessionId,
    ) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send + 'a>> {
        // A run ends so itself once its task is over, and a future that holds one of its own kind has to be kept apart.
        Box::pin(async move {
            match self.cancel_run(session_id).await? {
                Some(ended) => ended.await.map_err(Error::internal)?.map(drop),
                None => Ok(()),
            }
        })
    }
}
