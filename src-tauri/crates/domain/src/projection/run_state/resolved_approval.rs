//! An approval as one call has it.

use crate::{ApprovalRequested, ApprovalResolved, CallId};
use serde::{Deserialize, Serialize};

/// A request for approval with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedApproval {
    pub requested: ApprovalRequested,
    pub resolved: ApprovalResolved,
    /// It is of an edit on top of another in the same review, which the user has not accepted as it was shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rests_on_unaccepted: bool,
    /// The number of hunks that were shown before its own, of other edits in the same review.
    #[serde(default)]
    pub hunks_before: usize,
}

impl ResolvedApproval {
    /// The part of one call in an approval that may be about several edits.
    pub(super) fn new(requested: &ApprovalRequested, resolved: &ApprovalResolved, call_id: &CallId) -> Self {
        Self {
            requested: requested.part(call_id),
            resolved: resolved.part(requested, call_id),
            rests_on_unaccepted: requested.rests_on_unaccepted(resolved, call_id),
            hunks_before: requested.hunks_before(call_id),
        }
    }
}
