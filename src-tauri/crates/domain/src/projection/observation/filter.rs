//! The observations that a subscriber wants.

use super::{Observation, ObservationType};
use crate::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A filter of observations; a part that is left open lets everything through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ObservationFilter {
    /// Empty: every type.
    pub types: Vec<ObservationType>,
    /// Null: every session.
    pub session_id: Option<SessionId>,
    /// The first moment that counts, in milliseconds since 1970; null: from the beginning.
    pub since: Option<i64>,
    /// The first moment that no longer counts, in milliseconds since 1970; null: without end.
    pub until: Option<i64>,
    /// Null: every agent.
    #[ts(optional = nullable)]
    pub agent: Option<String>,
}

impl ObservationFilter {
    #[must_use]
    pub fn lets_through(&self, seen: &Observation) -> bool {
        (self.types.is_empty() || self.types.contains(&seen.kind))
            && self.session_id.as_ref().is_none_or(|wanted| *wanted == seen.thread_id)
            && self.agent.as_ref().is_none_or(|agent| seen.metadata["agent"] == **agent)
            && self.since.is_none_or(|since| seen.timestamp >= since)
            && self.until.is_none_or(|until| seen.timestamp < until)
    }

    /// Returns whether nothing that happens from `now` on is let through.
    #[must_use]
    pub fn is_over(&self, now: i64) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}
