//! One attempt of a step, and its surroundings.

use crate::denylist::Denylist;
use arki_domain::{ApprovalMode, RunId, SessionId, SubagentStarted};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// One attempt of a step.
pub struct Task {
    pub settings: Value,
    pub input: Arc<str>,
    pub params: Arc<BTreeMap<String, String>>,
    /// The names and outputs of the steps that this one needs.
    pub needed: Vec<(String, Arc<str>)>,
    pub denylist: Arc<Denylist>,
    /// The run that works for it.
    pub child: Option<SubagentStarted>,
    pub context: StepContext,
}

/// The surroundings in which an attempt is carried out.
#[derive(Clone)]
pub struct StepContext {
    pub session_id: SessionId,
    pub run_id: RunId,
    pub pipeline: String,
    /// The step's name; of an item of a `foreach` with its place.
    pub step: String,
    pub approve: ApprovalMode,
    /// The last event that was folded.
    pub last_seq: u64,
    pub time_limit: Duration,
    pub max_output_bytes: u64,
    /// The number of pipelines that the run is nested in.
    pub depth: u32,
    pub cancel: CancellationToken,
    /// The signal to pause runs beneath, which can stop in the middle and go on later.
    pub pause: CancellationToken,
}
