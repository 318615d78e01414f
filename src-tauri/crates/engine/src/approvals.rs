//! Pending approvals, and the permissions that the user gave from then on.

pub(crate) mod expiry;
mod explained;
mod for_clients;
pub(crate) mod judgement;
pub(crate) mod names;
pub(crate) mod resolve;
pub(crate) mod revealing;
pub(crate) mod review;
pub(crate) mod session_grants;
pub(crate) mod standing_rules;
mod surroundings;
mod typed_rules;

use crate::accounts::Accounts;
use crate::kernels::Kernels;
use crate::projects::Projects;
use crate::records::Records;
use crate::sessions::Sessions;
use review::ReviewDiff;
use std::sync::{Arc, Mutex};

/// Approvals, and what the user allows by them.
pub struct Approvals {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    kernels: Arc<Kernels>,
    sessions: Arc<Sessions>,
    /// The large diff that was last looked at, by its hash.
    reviewed: Mutex<Option<(String, ReviewDiff)>>,
}

impl Approvals {
    pub(crate) fn new(
        records: Arc<Records>,
        accounts: Arc<Accounts>,
        projects: Arc<Projects>,
        kernels: Arc<Kernels>,
        sessions: Arc<Sessions>,
    ) -> Self {
        Self { records, accounts, projects, kernels, sessions, reviewed: Mutex::default() }
    }
}
