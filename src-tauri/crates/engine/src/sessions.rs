//! A session's past as logged, and the actions on it: going back, forking, verifying.

mod agent_state;
pub(crate) mod anchoring;
pub(crate) mod artifacts;
pub(crate) mod claim;
pub(crate) mod compacting;
pub(crate) mod for_clients;
pub(crate) mod fork;
pub(crate) mod keeping;
pub(crate) mod lease;
pub(crate) mod line_origins;
pub(crate) mod marking;
pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod open_questions;
mod renaming;
pub(crate) mod replay;
pub(crate) mod rewind;
mod secrets;
pub(crate) mod session_settings;
pub(crate) mod session_tools;
mod snapshots;
pub(crate) mod take_back;
pub(crate) mod verify_file;

use crate::accounts::Accounts;
use crate::accounts::keys::AnchorKey;
use crate::executor_factory::ExecutorFactory;
use crate::projects::Projects;
use crate::records::Records;
use crate::session_reader::SessionReader;
use arki_domain::{Error, SessionId};
use async_trait::async_trait;
use claim::Claims;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

/// Sessions: what their logs say, and what can be done with them but run.
pub struct Sessions {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    kernels: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
    runs: Weak<dyn EndsWaitingRuns>,
    claims: Claims,
    /// Loaded when a log is first vouched for; `None` where no keychain has it.
    anchor_key: OnceCell<Option<AnchorKey>>,
    anchoring: Mutex<Vec<JoinHandle<()>>>,
}

/// Ends runs for sessions: one that waits for the user has no place to go on from once its session went back.
#[async_trait]
pub(crate) trait EndsWaitingRuns: Send + Sync {
    /// # Errors
    /// `SESSION_BUSY` for a run that another process works on.
    async fn end_waiting(self: Arc<Self>, session_id: &SessionId) -> Result<(), Error>;
}

impl Sessions {
    pub(crate) fn new(
        records: Arc<Records>,
        accounts: Arc<Accounts>,
        projects: Arc<Projects>,
        kernels: Arc<ExecutorFactory>,
        reader: Arc<SessionReader>,
        runs: Weak<dyn EndsWaitingRuns>,
    ) -> Self {
        let (claims, anchor_key, anchoring) = Default::default();
        Self { records, accounts, projects, kernels, reader, runs, claims, anchor_key, anchoring }
    }

    pub(crate) fn reader(&self) -> &Arc<SessionReader> {
        &self.reader
    }

    #[cfg(test)]
    pub(crate) fn records_for_tests(&self) -> &Records {
        &self.records
    }
}
