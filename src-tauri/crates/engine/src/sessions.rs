//! Sessions as they are changed between their runs: claimed, named, marked, forked; their state and snapshots.

mod agent_state;
pub(crate) mod claim;
pub(crate) mod compacting;
pub(crate) mod fork;
pub(crate) mod marking;
pub(crate) mod session_settings;
mod snapshots;

use crate::{Projects, Records, SessionReader};
use claim::Claims;
use std::sync::Arc;

/// Sessions, and what changes them but runs: one works on a session at a time.
pub struct Sessions {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    claims: Claims,
}

impl Sessions {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, reader: Arc<SessionReader>) -> Self {
        Self { records, projects, reader, claims: Claims::default() }
    }

    #[cfg(test)]
    pub(crate) fn records_for_tests(&self) -> &Records {
        &self.records
    }
}
