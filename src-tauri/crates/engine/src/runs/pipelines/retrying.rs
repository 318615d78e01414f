//! A run once more from one of its steps on: a new run, which takes over what the steps before it have said.

use super::resuming::DefinitionChoice;
use super::starting::{PipelineInput, PipelinePlace, StartPipeline, TakenOver};
use crate::{ClientCapabilities, PipelineRuns, RunningRun, WholePipeline, blocking};
use arki_domain::projection::{PipelineState, RunPhase, StepPhase};
use arki_domain::{Code, Error, RetriedRun, RunId, StepCompleted};
use arki_pipelines::Definition;
use std::path::PathBuf;
use std::sync::Arc;

impl PipelineRuns {
    /// # Errors
    /// `RUN_NOT_FOUND`, `USAGE` where there is no such step or the run hasn't ended, and those of starting.
    pub(crate) async fn retry_pipeline(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        run_id: &RunId,
        step: &str,
        definition: DefinitionChoice,
    ) -> Result<RunningRun, Error> {
        let (run_id, step) = (run_id.clone(), step.to_owned());
        let retried = blocking(self, move |pipelines| pipelines.retried(&run_id, &step, definition));
        let (start, whole, taken_over) = retried.await?;
        let taken_over = Some(taken_over);
        let place = PipelinePlace { given: Some(whole), taken_over, ..PipelinePlace::new(presence) };
        self.start_pipeline_at(place, start).await
    }

    fn retried(
        &self,
        run_id: &RunId,
        step: &str,
        choice: DefinitionChoice,
    ) -> Result<(StartPipeline, WholePipeline, TakenOver), Error> {
        let state = self.history.state(run_id)?;
        let record = self.runs.records.reader().lists().run(run_id)?;
        let record = record.ok_or_else(|| Error::internal("a run without its record"))?;
        if !matches!(state.phase, RunPhase::Completed | RunPhase::Failed { .. } | RunPhase::Cancelled) {
            let hint = format!("Resume it with `arki resume {run_id}`, or stop it first.");
            return Err(Error::new(Code::USAGE, "This run hasn't ended.", hint));
        }
        let input = self.history.input_of(&state)?;
        let session = self.runs.reader.session(&record.session_id)?;
        let folder = PathBuf::from(session.project);
        let own = self.history.whole_of(&state)?;
        let open = self.runs.projects.load_project(&folder)?;
        let chosen = self.chosen_definition(&open, &state, &own, (choice, &format!(" --from {step}")))?;
        let whole = chosen.unwrap_or(own);
        let steps = taken_over(&whole.found.definition()?, &state, step)?;
        let from = RetriedRun { session_id: record.session_id, run_id: run_id.clone(), step: step.to_owned() };
        let before = self.runs.reader.overview(&session.session_id)?.run;
        let start = StartPipeline {
            folder,
            name: state.start.name.clone(),
            input: PipelineInput { bytes: input.into_bytes(), path: None },
            params: state.start.params.clone(),
            approve: before.map(|run| run.options.approve).unwrap_or_default(),
            schedule: None,
        };
        Ok((start, whole, TakenOver { from, steps }))
    }
}

/// The completed steps that neither are the step nor come of it.
fn taken_over(
    definition: &Definition,
    state: &PipelineState,
    step: &str,
) -> Result<Vec<(String, String, StepCompleted)>, Error> {
    let Some(from) = definition.steps.iter().position(|known| known.name == step) else {
        let known: Vec<&str> = definition.steps.iter().map(|step| step.name.as_str()).collect();
        let hint = format!("Its steps are: {}.", known.join(", "));
        return Err(Error::new(Code::USAGE, format!("The pipeline has no step {step:?}."), hint));
    };
    let mut is_again = vec![false; definition.steps.len()];
    is_again[from] = true;
    // What comes of it; needs may name steps that are written later.
    for _ in 0..definition.steps.len() {
        let before = is_again.clone();
        for (index, known) in definition.steps.iter().enumerate() {
            is_again[index] |= known.needs.iter().any(|need| is_again[*need]);
        }
        if before == is_again {
            break;
        }
    }
    let others = definition.steps.iter().zip(is_again).filter(|(_, is_again)| !is_again);
    let done = others.filter_map(|(known, _)| {
        let step = state.steps.get(&known.name).filter(|step| step.phase == StepPhase::Completed)?;
        let output = step.output.clone()?;
        let digits = step.idempotency_key.rsplit(':').next()?.to_owned();
        let completed = StepCompleted {
            step: known.name.clone(),
            idempotency_key: String::new(),
            attempt: 1,
            duration_ms: 0,
            output: output.text,
            output_hash: output.hash,
            output_bytes: output.bytes,
        };
        Some((known.name.clone(), digits, completed))
    });
    Ok(done.collect())
}
