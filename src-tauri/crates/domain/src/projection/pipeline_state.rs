//! The state of a pipeline's run: the outcome of every step, and what the run waits for. Live and after a restart it is
//! this one fold.

use super::RunPhase;
use crate::{
    ApprovalKind, ApprovalRequested, ApprovalResolved, Event, EventBody, PauseReason, PipelineStart, RunId, RunResumed,
    SkipReason, StepCompleted, StepFailed, StepStarted, SubagentStarted,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A fold over one run's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PipelineState {
    pub run_id: RunId,
    pub start: PipelineStart,
    pub phase: RunPhase,
    pub started_ms: i64,
    /// The time of the last event.
    pub updated_ms: i64,
    /// The steps that have begun or were passed over, by their names; items of a `foreach` under names of their own.
    pub steps: BTreeMap<String, StepState>,
    /// The time it has worked since it began or was last tried again, as far as it says.
    pub worked_ms: u64,
}

/// The state of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepState {
    pub phase: StepPhase,
    pub idempotency_key: String,
    /// The last one, from 1.
    pub attempt: u32,
    /// Attempts that failed since the run began or was last tried again.
    pub failures: u32,
    /// The duration of the last attempt that ended, in milliseconds.
    pub duration_ms: u64,
    /// The start of the last attempt, in milliseconds since 1970.
    pub started_ms: i64,
    pub items: Option<u32>,
    pub output: Option<StepOutput>,
    pub failure: Option<StepFailure>,
    /// The run that works for it, or did last.
    pub child: Option<SubagentStarted>,
    pub gate: Option<Box<GateState>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepPhase {
    /// An attempt began and has not ended.
    Running,
    /// An attempt failed, and another is to follow.
    Retrying,
    Completed,
    Failed,
    /// Its condition did not hold.
    Skipped,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepOutput {
    /// SHA-256 hex.
    pub hash: String,
    pub bytes: u64,
    /// `None` where it lies beside the log.
    pub text: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepFailure {
    pub code: String,
    pub message: String,
    pub hint: String,
}

/// The question that a step is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateState {
    pub requested: ApprovalRequested,
    pub resolved: Option<ApprovalResolved>,
}

impl PipelineState {
    /// Starts from the `run.started` of a pipeline; `None` for any other event.
    #[must_use]
    pub fn start(event: &Event) -> Option<Self> {
        let EventBody::RunStarted(started) = event.body() else { return None };
        Some(Self {
            run_id: event.run_id.clone()?,
            start: started.options.pipeline?,
            phase: RunPhase::Active,
            started_ms: event.ts,
            updated_ms: event.ts,
            steps: BTreeMap::new(),
            worked_ms: 0,
        })
    }

    /// Folds one run's events, oldest first; `None` where no pipeline began among them.
    #[must_use]
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<Self> {
        let mut events = events.into_iter();
        let mut state = events.find_map(Self::start)?;
        events.for_each(|event| state.apply(event));
        Some(state)
    }

    /// Events of other runs are ignored.
    pub fn apply(&mut self, event: &Event) {
        if event.run_id.as_ref() != Some(&self.run_id) {
            return;
        }
        self.updated_ms = event.ts;
        match event.body() {
            EventBody::RunPaused(paused) => {
                self.phase = RunPhase::Paused(paused.reason);
                self.worked_ms = paused.worked_ms.unwrap_or(self.worked_ms);
            }
            EventBody::RunResumed(resumed) => self.resume(&resumed),
            EventBody::RunCompleted(_) => self.phase = RunPhase::Completed,
            EventBody::RunFailed(failed) => {
                let (code, message, hint) = (failed.code, failed.message, failed.hint);
                self.phase = RunPhase::Failed { code, message, hint };
            }
            EventBody::RunCancelled(_) => self.phase = RunPhase::Cancelled,
            EventBody::StepStarted(started) => self.start_step(started, event.ts),
            EventBody::StepCompleted(completed) => self.complete(completed),
            EventBody::StepFailed(failed) => self.fail(failed),
            // A step that was completed before stays so.
            EventBody::StepSkipped(skipped) if skipped.reason == SkipReason::Condition => {
                let (key, attempt) = (skipped.idempotency_key, skipped.attempt);
                self.steps.insert(skipped.step, StepState::new(StepPhase::Skipped, key, attempt, event.ts));
            }
            EventBody::SubagentStarted(started) => {
                if let Some(step) = self.steps.get_mut(started.call_id.as_str()) {
                    step.child = Some(started);
                }
            }
            EventBody::ApprovalRequested(requested) if requested.kind == ApprovalKind::Gate => self.ask(requested),
            EventBody::ApprovalResolved(resolved) => self.resolve(&resolved),
            _ => {}
        }
    }

    /// Returns what the user is asked, with the step's name.
    #[must_use]
    pub fn open_gate(&self) -> Option<(&str, &ApprovalRequested)> {
        self.steps.iter().find_map(|(name, step)| {
            let gate = step.gate.as_ref().filter(|gate| gate.resolved.is_none() && step.phase == StepPhase::Running)?;
            Some((name.as_str(), &gate.requested))
        })
    }

    /// Returns whether it may go on.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        !matches!(self.phase, RunPhase::Completed | RunPhase::Cancelled)
    }

    fn resume(&mut self, resumed: &RunResumed) {
        self.phase = RunPhase::Active;
        if let Some(hash) = &resumed.definition_hash {
            self.start.definition_hash.clone_from(hash);
            self.start.nested.clone_from(&resumed.nested);
            // With the defaults of another definition they only become more.
            if !resumed.params.is_empty() {
                self.start.params.clone_from(&resumed.params);
            }
        }
        if resumed.reason == PauseReason::Failed {
            self.worked_ms = 0;
            self.steps.values_mut().for_each(|step| step.failures = 0);
        }
    }

    fn start_step(&mut self, started: StepStarted, ts: i64) {
        let failures = self.steps.get(&started.step).map_or(0, |step| step.failures);
        let step = StepState::new(StepPhase::Running, started.idempotency_key, started.attempt, ts);
        self.steps.insert(started.step, StepState { failures, items: started.items, ..step });
    }

    fn complete(&mut self, completed: StepCompleted) {
        let Some(step) = self.steps.get_mut(&completed.step) else { return };
        step.phase = StepPhase::Completed;
        step.duration_ms = completed.duration_ms;
        step.failure = None;
        let (hash, bytes, text) = (completed.output_hash, completed.output_bytes, completed.output);
        step.output = Some(StepOutput { hash, bytes, text });
    }

    fn fail(&mut self, failed: StepFailed) {
        let Some(step) = self.steps.get_mut(&failed.step) else { return };
        step.phase = if failed.retry_in_ms.is_some() { StepPhase::Retrying } else { StepPhase::Failed };
        step.failures += 1;
        step.duration_ms = failed.duration_ms;
        step.failure = Some(StepFailure { code: failed.code, message: failed.message, hint: failed.hint });
    }

    fn ask(&mut self, requested: ApprovalRequested) {
        let step = gate_step(&requested).and_then(|name| self.steps.get_mut(name));
        if let Some(step) = step {
            step.gate = Some(Box::new(GateState { requested, resolved: None }));
        }
    }

    fn resolve(&mut self, resolved: &ApprovalResolved) {
        let gates = self.steps.values_mut().filter_map(|step| step.gate.as_mut());
        for gate in gates.filter(|gate| gate.requested.approval_id == resolved.approval_id) {
            gate.resolved = Some(resolved.clone());
        }
    }
}

impl StepState {
    fn new(phase: StepPhase, idempotency_key: String, attempt: u32, started_ms: i64) -> Self {
        Self {
            phase,
            idempotency_key,
            attempt,
            failures: 0,
            duration_ms: 0,
            started_ms,
            items: None,
            output: None,
            failure: None,
            child: None,
            gate: None,
        }
    }

    /// Returns whether it is a question to the user that has been put.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.phase == StepPhase::Running && self.gate.is_some()
    }

    /// Returns whether it is completed for this very input.
    #[must_use]
    pub fn is_done(&self, idempotency_key: &str) -> bool {
        self.phase == StepPhase::Completed && self.idempotency_key == idempotency_key
    }
}

/// Returns the name of the step that the question is about.
#[must_use]
pub fn gate_step(requested: &ApprovalRequested) -> Option<&str> {
    requested.args.get("step")?.as_str()
}

/// The gate and the runs that a pipeline's run waits for: the bounded part of its state, for whoever shows or resumes a
/// run of any kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PipelineWaits {
    /// The gate that nobody has decided; a run asks about one at a time.
    pub gate: Option<Box<ApprovalRequested>>,
    /// The runs that work for its steps.
    pub children: Vec<SubagentStarted>,
}

impl PipelineWaits {
    pub(super) fn apply(&mut self, body: &EventBody) {
        match body {
            EventBody::ApprovalRequested(requested) if requested.kind == ApprovalKind::Gate => {
                self.gate = Some(Box::new(requested.clone()));
            }
            EventBody::ApprovalResolved(resolved) => {
                self.gate.take_if(|gate| gate.approval_id == resolved.approval_id);
            }
            EventBody::SubagentStarted(started) => self.children.push(started.clone()),
            EventBody::StepCompleted(StepCompleted { step, .. }) | EventBody::StepFailed(StepFailed { step, .. }) => {
                self.children.retain(|child| child.call_id.as_str() != step);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
