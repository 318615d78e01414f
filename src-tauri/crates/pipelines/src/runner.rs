//! Runs a pipeline's steps, from wherever its run stands to its end or to where it has to wait.
//!
//! It keeps nothing that isn't in the log: before a step begins, `step.started` is on the disk; what came of it is
//! `step.completed` with the output, or `step.failed`. So a run that was killed goes on as one that was paused: a step
//! that was completed for the same input is passed over, and one that was at work begins again. What is here besides
//! (`queue`, `running`) is only what this process has at hand.
//!
//! The loop: take up the steps whose needs have ended ([`taking_up`]), begin as many attempts as fit ([`attempts`]), wait
//! for one to end, record it ([`recording`]). When nothing is at work any more, the run stops ([`stopping`]).

mod attempts;
mod outputs;
mod pipeline_log;
mod recording;
mod stopping;
mod taking_up;

use crate::definition::Definition;
use crate::graph::Graph;
use crate::step_host::StepHost;
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::PipelineState;
use arki_domain::{ApprovalId, ApprovalMode, ContentStore, Error, EventLog, RunResumed, SessionId};
use arki_redaction::Redactor;
use attempts::{Attempt, EndedAttempt};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use outputs::{EndedOutput, StepTable};
use pipeline_log::PipelineLog;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The interval at which a run that is at work looks for decisions about what waits.
const POLL: Duration = Duration::from_millis(250);

/// The parts that a run works with; everything that touches the world is behind a port.
#[derive(Clone)]
pub struct PipelineParts {
    pub log: Arc<dyn EventLog>,
    pub contents: Arc<dyn ContentStore>,
    pub redactor: Redactor,
    pub world: Arc<dyn StepHost>,
}

/// The state of a run that is to go on.
pub struct PipelineSnapshot {
    /// Folded from the log up to `last_seq`.
    pub state: PipelineState,
    pub last_seq: u64,
    pub approve: ApprovalMode,
    /// Appended with the first event that this go brings; `None` where the run begins.
    pub resumed: Option<RunResumed>,
}

/// A step, or one item of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct StepUnit {
    step: usize,
    item: Option<usize>,
}

/// An attempt of a unit as its start is in the log; its end is told under the same key and number.
#[derive(Debug, Clone)]
struct BegunAttempt {
    unit: StepUnit,
    idempotency_key: String,
    attempt: u32,
}

/// One run of a pipeline.
pub struct PipelineRun {
    parts: PipelineParts,
    definition: Arc<Definition>,
    params: Arc<BTreeMap<String, String>>,
    approve: ApprovalMode,
    log: PipelineLog,
    is_resumed: bool,
    control: RunControl,
    /// Ends all attempts; a child of the run's own.
    cancel: CancellationToken,
    began: Instant,
    /// The time that the run worked before it was resumed.
    worked_before: Duration,
    graph: Graph,
    steps: StepTable,
    /// Units that can begin.
    queue: VecDeque<StepUnit>,
    running: FuturesUnordered<BoxFuture<'static, EndedAttempt>>,
    /// Attempts whose start is among `told`.
    starting: Vec<Attempt>,
    /// The gate that the user is asked about.
    gate: Option<StepUnit>,
    /// The step that asks, from before it does.
    asking: Option<usize>,
    /// Gates whose turn has not come.
    held_gates: BTreeSet<usize>,
    /// Units whose runs wait for these approvals.
    waiting: Vec<(StepUnit, ApprovalId)>,
    /// A run beneath was paused.
    is_paused_beneath: bool,
    /// Items of all `foreach` steps.
    items: usize,
    failure: Option<Error>,
    is_over_time: bool,
}

impl PipelineRun {
    #[must_use]
    pub fn new(
        parts: PipelineParts,
        definition: Arc<Definition>,
        session_id: SessionId,
        input: Arc<str>,
        standing: PipelineSnapshot,
        control: RunControl,
    ) -> Self {
        let needs: Vec<Vec<usize>> = definition.steps.iter().map(|step| step.needs.clone()).collect();
        Self {
            params: Arc::new(standing.state.start.params.clone()),
            approve: standing.approve,
            worked_before: Duration::from_millis(standing.state.worked_ms),
            is_resumed: standing.resumed.is_some(),
            steps: StepTable {
                run_id: standing.state.run_id.clone(),
                input,
                outputs: vec![None; definition.steps.len()],
                work: HashMap::new(),
                definition: definition.clone(),
            },
            log: PipelineLog::new(&parts, session_id, standing),
            parts,
            cancel: control.cancel.child_token(),
            control,
            began: Instant::now(),
            graph: Graph::new(&needs),
            queue: VecDeque::new(),
            running: FuturesUnordered::new(),
            starting: Vec::new(),
            gate: None,
            asking: None,
            held_gates: BTreeSet::new(),
            waiting: Vec::new(),
            is_paused_beneath: false,
            items: 0,
            failure: None,
            is_over_time: false,
            definition,
        }
    }

    /// Works until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self) -> Result<RunEnd, Error> {
        let ended = self.work().await;
        if ended.is_err() {
            // Nothing could be recorded of what goes on.
            self.cancel.cancel();
        }
        ended
    }

    async fn work(&mut self) -> Result<RunEnd, Error> {
        loop {
            if self.takes_up() {
                self.take_up_ready().await?;
                self.begin_units().await?;
            }
            self.log.flush().await?;
            self.spawn();
            if !self.running.is_empty() {
                self.wait().await?;
            } else if self.takes_up() && (!self.queue.is_empty() || !self.graph.ready.is_empty()) {
                // What was taken up had ended already; there is more.
            } else if let Some(end) = self.stop().await? {
                return Ok(end);
            }
        }
    }

    /// Returns whether steps may begin.
    fn takes_up(&self) -> bool {
        let is_stopped = self.control.cancel.is_cancelled() || self.control.pause.is_cancelled();
        !is_stopped && self.failure.is_none() && !self.is_over_time && !self.is_paused_beneath
    }

    /// Waits for an attempt to end, and takes in all that have.
    async fn wait(&mut self) -> Result<(), Error> {
        let deadline = self.deadline();
        let looks = self.gate.is_some() || !self.waiting.is_empty();
        let ended = tokio::select! {
            biased;
            ended = self.running.next() => ended,
            () = self.cancel.cancelled(), if !self.cancel.is_cancelled() => None,
            () = tokio::time::sleep_until(deadline), if !self.is_over_time => {
                self.is_over_time = true;
                self.cancel.cancel();
                None
            }
            () = tokio::time::sleep(POLL), if looks => {
                self.look_for_decisions().await?;
                None
            }
        };
        let mut next = ended;
        while let Some(ended) = next {
            self.take_in(ended).await?;
            next = self.running.next().now_or_never().flatten();
        }
        Ok(())
    }

    fn deadline(&self) -> Instant {
        let limit = Duration::from_secs(self.definition.limits.run_timeout_seconds);
        self.began + limit.saturating_sub(self.worked_before)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
