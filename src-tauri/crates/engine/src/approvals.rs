//! Pending approvals, and the permissions that the user gave from then on.

mod hunk_choice;
pub(crate) mod judgement;
pub(crate) mod pending;
pub(crate) mod resolve;
pub(crate) mod review_diff;
pub(crate) mod reviews;
pub(crate) mod session_grants;
pub(crate) mod standing_rules;

use crate::{Accounts, ExecutorFactory, Projects, Records, SessionReader};
use judgement::PolicyTrials;
use pending::PendingApprovals;
use reviews::ApprovalReviews;
use session_grants::SessionGrants;
use standing_rules::StandingRules;
use std::sync::{Arc, Mutex};

/// Decisions on approvals, over what is pending, what is reviewed and what the user allows from then on.
pub struct Approvals {
    records: Arc<Records>,
    projects: Arc<Projects>,
    executors: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
    pending: Arc<PendingApprovals>,
    reviews: ApprovalReviews,
    rules: Arc<StandingRules>,
    grants: Arc<SessionGrants>,
    policy: PolicyTrials,
}

impl Approvals {
    pub(crate) fn new(
        records: Arc<Records>,
        accounts: Arc<Accounts>,
        projects: Arc<Projects>,
        executors: Arc<ExecutorFactory>,
        reader: Arc<SessionReader>,
    ) -> Self {
        let pending = Arc::new(PendingApprovals { records: records.clone() });
        let reviews = ApprovalReviews {
            records: records.clone(),
            projects: projects.clone(),
            reader: reader.clone(),
            pending: pending.clone(),
            reviewed: Mutex::default(),
        };
        let rules = Arc::new(StandingRules {
            records: records.clone(),
            accounts,
            projects: projects.clone(),
            executors: executors.clone(),
            reader: reader.clone(),
            pending: pending.clone(),
        });
        let grants = Arc::new(SessionGrants { records: records.clone(), reader: reader.clone() });
        let policy = PolicyTrials { records: records.clone(), executors: executors.clone(), reader: reader.clone() };
        Self { records, projects, executors, reader, pending, reviews, rules, grants, policy }
    }

    /// The approvals that are pending, and each one by its name.
    #[must_use]
    pub fn pending(&self) -> &PendingApprovals {
        &self.pending
    }

    /// Their content, as the user reviews it.
    #[must_use]
    pub fn reviews(&self) -> &ApprovalReviews {
        &self.reviews
    }

    /// The rules that the user made of answers or typed.
    #[must_use]
    pub fn rules(&self) -> &StandingRules {
        &self.rules
    }

    /// The permissions of sessions.
    #[must_use]
    pub fn grants(&self) -> &Arc<SessionGrants> {
        &self.grants
    }

    /// The policy, asked without anything happening.
    #[must_use]
    pub fn policy(&self) -> &PolicyTrials {
        &self.policy
    }
}
