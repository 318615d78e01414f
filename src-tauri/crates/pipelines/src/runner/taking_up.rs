//! Taking up steps whose needs have ended: their input is known now, and with it whether there is anything to do.

use super::outputs::{EndedOutput, Items, StepWork};
use super::{BegunAttempt, PipelineRun, StepUnit};
use crate::adapter::StepFault;
use crate::adapter::denylisted;
use crate::definition::Foreach;
use crate::forbidden_paths::forbidden_line;
use crate::template::Values;
use arki_domain::projection::StepPhase;
use arki_domain::{Code, Error, SkipReason, StepStarted};
use serde_json::Value;
use std::sync::Arc;
use tokio::time::Instant;

impl PipelineRun {
    /// Takes up as many ready steps as can be at work soon: the input of the others is not needed yet.
    pub(super) async fn take_up_ready(&mut self) -> Result<(), Error> {
        let most = self.definition.limits.max_parallel as usize;
        while self.queue.len() + self.running.len() < most && self.takes_up() {
            let Some(step) = self.graph.ready.pop_first() else { break };
            if self.definition.steps[step].adapter.asks() {
                if self.asks_elsewhere(step) {
                    self.held_gates.insert(step);
                    continue;
                }
                self.asking = Some(step);
            }
            self.take_up(step).await?;
        }
        Ok(())
    }

    /// Returns whether another step asks, or has asked before the run was resumed.
    fn asks_elsewhere(&self, step: usize) -> bool {
        let open = self.log.state.open_gate().map(|(name, _)| name);
        self.asking.is_some() || open.is_some_and(|open| open != self.definition.steps[step].name)
    }

    async fn take_up(&mut self, step: usize) -> Result<(), Error> {
        let (input, needed) = self.steps.input_of(&self.log, step).await?;
        let definition = self.definition.clone();
        let spec = &definition.steps[step];
        let idempotency_key = self.steps.key(&spec.name, &input);
        let known = self.log.state.steps.get(&spec.name);
        if let Some(output) =
            known.filter(|known| known.is_done(&idempotency_key)).and_then(|known| known.output.clone())
        {
            if self.is_resumed {
                let attempt = known.map_or(1, |known| known.attempt);
                self.log.skip(spec.name.clone(), idempotency_key, attempt, SkipReason::Done);
            }
            self.end_step(step, EndedOutput::stored(&output));
            return Ok(());
        }
        let values = Values { input: &input, params: &self.params, needed: &needed };
        if spec.when.as_ref().is_some_and(|condition| !condition.holds(&values)) {
            let is_told = known
                .is_some_and(|known| known.phase == StepPhase::Skipped && known.idempotency_key == idempotency_key);
            if !is_told {
                let attempt = self.log.next_attempt(&spec.name);
                self.log.skip(spec.name.clone(), idempotency_key, attempt, SkipReason::Condition);
            }
            self.end_step(step, EndedOutput::held(&input));
            return Ok(());
        }
        self.steps.work.insert(step, StepWork { idempotency_key, input: input.clone(), needed, items: None });
        let unit = StepUnit { step, item: None };
        match self.refusal(step, &input).await.map_or_else(|| self.items_of(step, &input), Err) {
            Err(fault) => {
                let begun = self.start(unit, None);
                self.fail(&begun, 0, StepFault::final_(fault));
            }
            Ok(None) => self.queue.push_back(unit),
            Ok(Some(items)) => self.take_up_items(step, items).await?,
        }
        Ok(())
    }

    /// Returns the reason why no step may get this input, if there is one.
    async fn refusal(&mut self, step: usize, input: &Arc<str>) -> Option<Error> {
        let limit = self.definition.limits.max_input_bytes;
        if input.len() as u64 > limit {
            return Some(Error::new(
                Code::PIPELINE_LIMIT,
                format!("The step's input has {} bytes; `limits.max_input_bytes` allows {limit}.", input.len()),
                "Raise the limit, or make the earlier steps pass on less.",
            ));
        }
        let (definition, world, input) = (self.definition.clone(), self.parts.world.clone(), input.clone());
        // Links are followed on the disk, for each line.
        let looking = tokio::task::spawn_blocking(move || {
            let items = match definition.steps[step].foreach {
                Some(Foreach::Json) => elements(&input).unwrap_or_default(),
                Some(Foreach::Lines) | None => Vec::new(),
            };
            let texts = std::iter::once(&input).chain(&items).map(AsRef::as_ref);
            let found = forbidden_line(&definition.denylist, texts, world.as_ref());
            found.map(|(path, pattern)| denylisted(path, pattern))
        });
        looking.await.unwrap_or_else(|error| Some(Error::internal(error)))
    }

    fn items_of(&self, step: usize, input: &str) -> Result<Option<Vec<Arc<str>>>, Error> {
        let items: Vec<Arc<str>> = match self.definition.steps[step].foreach {
            None => return Ok(None),
            Some(Foreach::Lines) => input.lines().filter(|line| !line.trim().is_empty()).map(Arc::from).collect(),
            Some(Foreach::Json) => elements(input)?,
        };
        let limit = self.definition.limits.max_steps as usize;
        let all = self.definition.steps.len() + self.items + items.len();
        if all > limit {
            return Err(Error::new(
                Code::PIPELINE_LIMIT,
                format!("With the {} items of this step the run has {all} steps; the limit is {limit}.", items.len()),
                "Raise `limits.max_steps`, or pass the step fewer items.",
            ));
        }
        Ok(Some(items))
    }

    async fn take_up_items(&mut self, step: usize, inputs: Vec<Arc<str>>) -> Result<(), Error> {
        let unit = StepUnit { step, item: None };
        let begun = self.start(unit, Some(u32::try_from(inputs.len()).unwrap_or(u32::MAX)));
        let count = inputs.len();
        self.items += count;
        let outputs = vec![None; count];
        if let Some(work) = self.steps.work.get_mut(&step) {
            work.items = Some(Items { inputs, outputs, left: count, begun, began: Instant::now() });
        }
        self.queue.extend((0..count).map(|item| StepUnit { step, item: Some(item) }));
        if count == 0 {
            self.join_items(step).await?;
        }
        Ok(())
    }

    /// Tells that a unit begins.
    pub(super) fn start(&mut self, unit: StepUnit, items: Option<u32>) -> BegunAttempt {
        let step = self.steps.name(unit);
        let (idempotency_key, attempt) = (self.steps.key_of(unit), self.log.next_attempt(&step));
        self.log.tell(StepStarted { step, idempotency_key: idempotency_key.clone(), attempt, items });
        BegunAttempt { unit, idempotency_key, attempt }
    }
}

/// Texts stand for themselves; anything else is handed on as JSON.
fn elements(input: &str) -> Result<Vec<Arc<str>>, Error> {
    let Ok(Value::Array(elements)) = serde_json::from_str(input) else {
        return Err(Error::new(
            Code::STEP_FAILED,
            "The step runs for each element of a JSON array, but its input isn't one.",
            "Make the previous step print a JSON array, or use `foreach: lines`.",
        ));
    };
    let text = |element: Value| match element {
        Value::String(text) => Arc::from(text),
        other => Arc::from(other.to_string()),
    };
    Ok(elements.into_iter().map(text).collect())
}
