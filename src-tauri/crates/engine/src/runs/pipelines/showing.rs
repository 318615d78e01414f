//! What is told of pipelines and their runs: lists, a run's steps, its output.

use super::{PIPELINE_AGENT, text_of_content};
use crate::runs::Runs;
use crate::sessions::names::{LAST, NamedPlace};
use arki_domain::projection::{PipelineState, SessionState, StepPhase, StepState};
use arki_domain::{Code, Fault, RunId};
use arki_pipelines::Definition;
use arki_store::RunRecord;

/// Runs that are listed.
const MAX_LISTED: usize = 500;

/// A step as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownStep {
    pub name: String,
    pub adapter: &'static str,
    /// The names of the steps that it waits for.
    pub needs: Vec<String>,
    pub state: ShownState,
    pub attempts: u32,
    pub duration_ms: u64,
    /// Of a `foreach`: its items, and how many of them have ended.
    pub items: Option<(u32, u32)>,
    pub failure: Option<arki_domain::projection::StepFailure>,
    /// The run that works for it.
    pub child: Option<arki_domain::SubagentStarted>,
    pub output_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownState {
    Pending,
    Running,
    /// Waits for the user.
    Waiting,
    /// Was running when Arki ended.
    Interrupted,
    Retrying,
    Completed,
    Failed,
    Skipped,
}

impl ShownState {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
            Self::Retrying => "retrying",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// A run with its steps.
#[derive(Debug, Clone)]
pub struct ShownRun {
    pub record: RunRecord,
    pub state: PipelineState,
    pub steps: Vec<ShownStep>,
}

impl Runs {
    /// The runs of pipelines, the newest first; those that work for another run are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pipeline_runs(&self) -> Result<Vec<RunRecord>, Fault> {
        Ok(self.records.reader().runs_of_agent(PIPELINE_AGENT, MAX_LISTED)?)
    }

    /// Finds a pipeline's run: by its id, that of its session, a part of one, `last`, or the pipeline's name, which means
    /// its newest run.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_pipeline_run(&self, name: &str) -> Result<RunId, Fault> {
        let runs = self.pipeline_runs()?;
        if name == LAST {
            return runs.first().map(|run| run.run_id.clone()).ok_or_else(|| not_found(name));
        }
        match self.sessions.find_place(name) {
            Ok(place) => self.pipeline_run_of(&place),
            Err(fault) if fault.is(Code::SESSION_NOT_FOUND) => {
                let exact = runs.iter().find(|run| run.name == name);
                let begins = || runs.iter().find(|run| run.name.starts_with(name));
                exact.or_else(begins).map(|run| run.run_id.clone()).ok_or_else(|| not_found(name))
            }
            Err(fault) => Err(fault),
        }
    }

    fn pipeline_run_of(&self, place: &NamedPlace) -> Result<RunId, Fault> {
        let run = place.run.clone().or_else(|| place.session.run_id.clone());
        run.ok_or_else(|| not_found(place.session.session_id.as_str()))
    }

    /// # Errors
    /// `RUN_NOT_FOUND` for a run that isn't a pipeline's.
    pub fn shown_run(&self, run_id: &RunId) -> Result<ShownRun, Fault> {
        let state = self.pipeline_state(run_id)?;
        let record = self.records.reader().run(run_id)?.ok_or_else(|| not_found(run_id.as_str()))?;
        let definition = self.definition_of(&state)?;
        let is_at_work = record.state == SessionState::Running;
        let shown = |step: &arki_pipelines::Step| {
            let needs = step.needs.iter().map(|need| definition.steps[*need].name.clone()).collect();
            shown_step((&step.name, step.adapter.name(), needs), &state, is_at_work)
        };
        let steps = definition.steps.iter().map(shown).collect();
        Ok(ShownRun { record, state, steps })
    }

    /// The output of a run's last step, whole.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` where it has none, `CONTENT_DAMAGED` where it isn't stored.
    pub fn pipeline_output(&self, run_id: &RunId) -> Result<String, Fault> {
        let state = self.pipeline_state(run_id)?;
        let definition = self.definition_of(&state)?;
        let last = definition.steps.len().checked_sub(1);
        self.output_from(&state, &definition, last)
    }

    /// A step that was skipped handed on what it was given.
    fn output_from(
        &self,
        state: &PipelineState,
        definition: &Definition,
        step: Option<usize>,
    ) -> Result<String, Fault> {
        let Some(step) = step else {
            return text_of_content(self.records.reader().blob(&state.start.input_hash)?, "The input");
        };
        let spec = &definition.steps[step];
        let known = state.steps.get(&spec.name);
        if let Some(output) = known.and_then(|known| known.output.as_ref()) {
            return match &output.text {
                Some(text) => Ok(text.clone()),
                None => text_of_content(self.records.reader().blob(&output.hash)?, "The output"),
            };
        }
        if known.is_none_or(|known| known.phase != StepPhase::Skipped) {
            return Err(not_found(state.run_id.as_str()));
        }
        match spec.needs.as_slice() {
            [] => self.output_from(state, definition, None),
            needs => {
                let texts = needs.iter().map(|need| self.output_from(state, definition, Some(*need)));
                Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n"))
            }
        }
    }

    pub(crate) fn definition_of(&self, state: &PipelineState) -> Result<Definition, Fault> {
        let text = text_of_content(self.records.reader().blob(&state.start.definition_hash)?, "The definition")?;
        Definition::parse(&text).map_err(|problems| arki_pipelines::as_fault(&state.start.origin, &problems))
    }
}

fn shown_step(
    (name, adapter, needs): (&str, &'static str, Vec<String>),
    state: &PipelineState,
    is_at_work: bool,
) -> ShownStep {
    let known = state.steps.get(name);
    let ended = || {
        let prefix = format!("{name}[");
        let items = state.steps.range(prefix.clone()..).take_while(|(item, _)| item.starts_with(&prefix));
        u32::try_from(items.filter(|(_, item)| item.phase == StepPhase::Completed).count()).unwrap_or(u32::MAX)
    };
    ShownStep {
        name: name.to_owned(),
        adapter,
        needs,
        state: known.map_or(ShownState::Pending, |known| shown_state(known, is_at_work)),
        attempts: known.map_or(0, |known| known.attempt),
        duration_ms: known.map_or(0, |known| known.duration_ms),
        items: known.and_then(|known| known.items).map(|items| (items, ended())),
        failure: known.and_then(|known| known.failure.clone()),
        child: known.and_then(|known| known.child.clone()),
        output_bytes: known.and_then(|known| known.output.as_ref()).map(|output| output.bytes),
    }
}

fn shown_state(step: &StepState, is_at_work: bool) -> ShownState {
    match step.phase {
        StepPhase::Running if step.asks() => ShownState::Waiting,
        StepPhase::Running if is_at_work => ShownState::Running,
        // Its run beneath waits, or nobody knows how it ended.
        StepPhase::Running if step.child.is_some() => ShownState::Waiting,
        StepPhase::Running => ShownState::Interrupted,
        StepPhase::Retrying => ShownState::Retrying,
        StepPhase::Completed => ShownState::Completed,
        StepPhase::Failed => ShownState::Failed,
        StepPhase::Skipped => ShownState::Skipped,
    }
}

fn not_found(name: &str) -> Fault {
    Fault::new(
        Code::RUN_NOT_FOUND,
        format!("There is no run of a pipeline {name:?}, or it has no output."),
        "`arki runs` lists the runs of pipelines.",
    )
}
