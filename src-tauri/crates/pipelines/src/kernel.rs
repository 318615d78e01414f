//! The kernel: runs a pipeline's steps, from wherever its run stands to its end or to where it has to wait.
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
mod recording;
mod stopping;
mod taking_up;

use crate::definition::Definition;
use crate::graph::Graph;
use crate::world::World;
use arki_agent::{RunControl, RunEnd};
use arki_domain::projection::PipelineState;
use arki_domain::{
    ApprovalId, ApprovalMode, Content, ContentStore, Event, EventBody, EventDraft, EventLog, Fault, Redactor,
    RunResumed, SessionId,
};
use attempts::{Attempt, EndedAttempt};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use outputs::{EndedOutput, StepWork};
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
    pub world: Arc<dyn World>,
}

/// The state of a run that is to go on.
pub struct PipelineStanding {
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
    session_id: SessionId,
    input: Arc<str>,
    params: Arc<BTreeMap<String, String>>,
    approve: ApprovalMode,
    state: PipelineState,
    last_seq: u64,
    /// The event of a resumed run that is not told yet.
    resumed: Option<RunResumed>,
    is_resumed: bool,
    control: RunControl,
    /// Ends all attempts; a child of the run's own.
    cancel: CancellationToken,
    began: Instant,
    /// The time that the run worked before it was resumed.
    worked_before: Duration,
    graph: Graph,
    /// The outputs of the steps that have ended, by the places of the steps.
    outputs: Vec<Option<EndedOutput>>,
    /// The steps that were taken up, by their places.
    work: HashMap<usize, StepWork>,
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
    failure: Option<Fault>,
    is_over_time: bool,
    /// The events that are appended together.
    told: Vec<EventBody>,
    /// Told of before them: what was done before. Alone it isn't worth an event.
    passed: Vec<EventBody>,
    kept: Vec<Content>,
    #[cfg(test)]
    states: Vec<(u64, PipelineState)>,
}

impl PipelineRun {
    #[must_use]
    pub fn new(
        parts: PipelineParts,
        definition: Arc<Definition>,
        session_id: SessionId,
        input: Arc<str>,
        standing: PipelineStanding,
        control: RunControl,
    ) -> Self {
        let PipelineStanding { state, last_seq, approve, resumed } = standing;
        let needs: Vec<Vec<usize>> = definition.steps.iter().map(|step| step.needs.clone()).collect();
        Self {
            parts,
            session_id,
            input,
            params: Arc::new(state.start.params.clone()),
            approve,
            worked_before: Duration::from_millis(state.worked_ms),
            state,
            last_seq,
            is_resumed: resumed.is_some(),
            resumed,
            cancel: control.cancel.child_token(),
            control,
            began: Instant::now(),
            graph: Graph::new(&needs),
            outputs: vec![None; definition.steps.len()],
            work: HashMap::new(),
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
            told: Vec::new(),
            passed: Vec::new(),
            kept: Vec::new(),
            definition,
            #[cfg(test)]
            states: Vec::new(),
        }
    }

    /// Works until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self) -> Result<RunEnd, Fault> {
        let ended = self.work().await;
        if ended.is_err() {
            // Nothing could be recorded of what goes on.
            self.cancel.cancel();
        }
        ended
    }

    async fn work(&mut self) -> Result<RunEnd, Fault> {
        loop {
            if self.takes_up() {
                self.take_up_ready().await?;
                self.begin_units().await?;
            }
            self.flush().await?;
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
    async fn wait(&mut self) -> Result<(), Fault> {
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

    /// Appends what is to be told, after the contents that it speaks of.
    async fn flush(&mut self) -> Result<(), Fault> {
        if self.told.is_empty() {
            return Ok(());
        }
        self.parts.contents.put(&self.session_id, std::mem::take(&mut self.kept)).await?;
        let resumed = self.resumed.take().map(EventBody::from);
        let passed = std::mem::take(&mut self.passed);
        let bodies = resumed.into_iter().chain(passed).chain(std::mem::take(&mut self.told));
        let drafts = bodies.map(|body| EventDraft::of_run(&self.state.run_id, body)).collect();
        let events = self.parts.log.append(&self.session_id, drafts).await?;
        self.take(&events).await
    }

    async fn take(&mut self, events: &[Arc<Event>]) -> Result<(), Fault> {
        for event in events {
            if event.seq > self.last_seq + 1 {
                return self.catch_up().await;
            }
            self.fold(event);
        }
        Ok(())
    }

    /// Folds what others appended.
    async fn catch_up(&mut self) -> Result<(), Fault> {
        let events = self.parts.log.read_after(&self.session_id, self.last_seq).await?;
        events.iter().for_each(|event| self.fold(event));
        Ok(())
    }

    fn fold(&mut self, event: &Event) {
        if event.seq > self.last_seq {
            self.last_seq = event.seq;
            self.state.apply(event);
            #[cfg(test)]
            self.states.push((event.seq, self.state.clone()));
        }
    }

    fn name(&self, unit: StepUnit) -> String {
        let step = &self.definition.steps[unit.step].name;
        unit.item.map_or_else(|| step.clone(), |item| format!("{step}[{item}]"))
    }
}

#[cfg(test)]
mod tests;
