//! Attempts: begun together with the note that they are, bounded in time, tried again after a pause that grows.

use super::{BegunAttempt, PipelineRun, StepUnit, millis};
use crate::adapter::{AttemptResult, StepFault, cancelled, timed_out};
use crate::step_host::{StepContext, Task};
use arki_domain::projection::{StepPhase, StepState};
use arki_domain::{CallId, Error, RunId, SessionId, SubagentStarted};
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// The time that an attempt has to end once it was told to.
const GRACE: Duration = Duration::from_secs(10);
const MAX_BACKOFF: Duration = Duration::from_secs(300);

/// An attempt about to begin.
pub(super) struct Attempt {
    begun: BegunAttempt,
    child: Option<SubagentStarted>,
}

/// An attempt or a pause that has ended.
pub(super) enum EndedAttempt {
    Attempt {
        begun: BegunAttempt,
        duration_ms: u64,
        result: Result<AttemptResult, StepFault>,
    },
    /// The pause before the next attempt is over.
    Pause(StepUnit),
}

impl PipelineRun {
    /// Begins units while there is room.
    pub(super) async fn begin_units(&mut self) -> Result<(), Error> {
        let most = self.definition.limits.max_parallel as usize;
        while self.running.len() + self.starting.len() < most && self.takes_up() {
            let Some(unit) = self.queue.pop_front() else { break };
            self.begin(unit).await?;
        }
        Ok(())
    }

    async fn begin(&mut self, unit: StepUnit) -> Result<(), Error> {
        let name = self.steps.name(unit);
        let key = self.steps.key_of(unit);
        let known = self.log.state.steps.get(&name).filter(|known| known.idempotency_key == key);
        if unit.item.is_some()
            && let Some(output) = known.filter(|known| known.is_done(&key)).and_then(|known| known.output.clone())
        {
            return self.end_item(unit, super::EndedOutput::stored(&output)).await;
        }
        if known.is_some_and(StepState::asks) {
            self.gate = Some(unit);
            return self.settle_gate().await;
        }
        if let Some(known) = known.filter(|known| known.phase == StepPhase::Running && known.child.is_some()) {
            // Its run goes on from where it stands.
            let begun = BegunAttempt { unit, idempotency_key: key, attempt: known.attempt };
            self.starting.push(Attempt { begun, child: known.child.clone() });
            return Ok(());
        }
        let failed = known.and_then(|known| known.child.clone());
        let kept = self.resumable(unit, failed).await?;
        let begun = self.start(unit, None);
        let spec = &self.definition.steps[unit.step];
        let child = kept.or_else(|| {
            let agent = spec.adapter.child(&spec.settings)?;
            let (session_id, run_id) = (SessionId::new(), RunId::new());
            let call_id = CallId::from(name);
            Some(SubagentStarted { call_id, agent, session_id, run_id, max_cost_usd: None, tree: None })
        });
        self.log.told.extend(child.clone().map(Into::into));
        self.starting.push(Attempt { begun, child });
        Ok(())
    }

    /// Returns the run beneath that failed before, if it goes on where it failed: its finished steps and gates stay done.
    async fn resumable(
        &mut self,
        unit: StepUnit,
        failed: Option<SubagentStarted>,
    ) -> Result<Option<SubagentStarted>, Error> {
        let Some(failed) = failed.filter(|_| self.definition.steps[unit.step].adapter.resumes_child()) else {
            return Ok(None);
        };
        Ok(self.parts.world.can_go_on(&failed).await?.then_some(failed))
    }

    /// Sets the attempts to work whose start is on the disk.
    pub(super) fn spawn(&mut self) {
        for Attempt { begun, child } in std::mem::take(&mut self.starting) {
            let unit = begun.unit;
            let (adapter, world) = (self.definition.steps[unit.step].adapter, self.parts.world.clone());
            let task = self.task(unit, child);
            self.running.push(
                async move {
                    let began = Instant::now();
                    let result = within(&task, adapter.work(&task, world.as_ref())).await;
                    EndedAttempt::Attempt { begun, duration_ms: millis(began.elapsed()), result }
                }
                .boxed(),
            );
        }
    }

    /// Waits before the next attempt.
    pub(super) fn pause_before(&mut self, unit: StepUnit, pause: Duration) {
        let cancel = self.cancel.clone();
        let over = async move {
            tokio::select! {
                () = sleep(pause) => {}
                () = cancel.cancelled() => {}
            }
            EndedAttempt::Pause(unit)
        };
        self.running.push(over.boxed());
    }

    fn task(&self, unit: StepUnit, child: Option<SubagentStarted>) -> Task {
        let spec = &self.definition.steps[unit.step];
        let limits = &self.definition.limits;
        let needed = self.steps.work.get(&unit.step).map(|work| work.needed.clone()).unwrap_or_default();
        Task {
            settings: spec.settings.clone(),
            input: self.steps.input_of_unit(unit),
            params: self.params.clone(),
            needed,
            denylist: Arc::new(self.definition.denylist.clone()),
            child,
            context: StepContext {
                session_id: self.log.followed.session_id.clone(),
                run_id: self.log.state.run_id.clone(),
                pipeline: self.definition.name.clone(),
                step: self.steps.name(unit),
                approve: self.approve,
                last_seq: self.log.followed.last_seq,
                time_limit: Duration::from_secs(spec.timeout_seconds.unwrap_or(limits.step_timeout_seconds)),
                max_output_bytes: limits.max_output_bytes,
                depth: self.log.state.start.depth,
                cancel: self.cancel.child_token(),
                pause: self.control.pause.child_token(),
            },
        }
    }
}

/// Ends the work when its time is up: first it is told to, then it is dropped.
async fn within(
    task: &Task,
    work: impl Future<Output = Result<AttemptResult, StepFault>>,
) -> Result<AttemptResult, StepFault> {
    let StepContext { time_limit, cancel, .. } = &task.context;
    tokio::pin!(work);
    tokio::select! {
        biased;
        done = &mut work => return done,
        () = sleep(*time_limit) => {
            cancel.cancel();
            let late = timeout(GRACE, work).await;
            // A run beneath that has come to a stop by itself meanwhile is as good.
            if let Ok(Ok(done @ (AttemptResult::Waiting(_) | AttemptResult::Output { .. }))) = late {
                return Ok(done);
            }
            return Err(StepFault::retryable(timed_out(time_limit.as_secs())));
        }
        () = cancel.cancelled() => {}
    }
    match timeout(GRACE, work).await {
        Ok(done) => done,
        Err(_) => Err(StepFault::final_(cancelled())),
    }
}

/// The pause before the attempt after so many failures: it doubles each time.
pub(super) fn backoff(first_ms: u64, failures: u32) -> Duration {
    let doubled = 1u64.checked_shl(failures.saturating_sub(1)).unwrap_or(u64::MAX);
    Duration::from_millis(first_ms.saturating_mul(doubled)).min(MAX_BACKOFF)
}
