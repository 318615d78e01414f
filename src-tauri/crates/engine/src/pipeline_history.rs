//! The history of pipelines: their runs, what became of each step, and what came out.

use crate::projects::open::canonical;
use crate::projects::pipelines::FoundPipeline;
use crate::projects::pipelines::entries::shape;
use crate::session_names::LAST;
use crate::{NamedPlace, Projects, Records, SessionNames, SessionReader, WholePipeline};
use arki_api::{
    CommandError, PipelineRunDetails, PipelineRunEntry, PipelineStep, PipelineStepEntry, PipelineStepState,
};
use arki_domain::projection::{PipelineState, RunPhase, SessionState, StepFailure, StepOutput, StepPhase, StepState};
use arki_domain::{Code, Error, RunId, SessionId};
use arki_pipelines::Definition;
use arki_store::RunRecord;
use std::path::Path;
use std::sync::Arc;

/// The agent that sessions of pipelines are said to be of; no configuration can have one of this name.
pub(crate) const PIPELINE_AGENT: &str = "pipeline:";
/// Runs that are listed.
const MAX_LISTED: usize = 500;
/// The longest part of a step's output that is shown, in bytes.
const MAX_SHOWN_OUTPUT_BYTES: usize = 256 << 10;

/// The pipelines' runs and what became of them, read from the log.
pub struct PipelineHistory {
    records: Arc<Records>,
    projects: Arc<Projects>,
    reader: Arc<SessionReader>,
    names: Arc<SessionNames>,
}

impl PipelineHistory {
    pub(crate) fn new(
        records: Arc<Records>,
        projects: Arc<Projects>,
        reader: Arc<SessionReader>,
        names: Arc<SessionNames>,
    ) -> Self {
        Self { records, projects, reader, names }
    }

    /// The runs of pipelines, the newest first; those that work for another run are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&self) -> Result<Vec<RunRecord>, Error> {
        Ok(self.records.reader().lists().runs_of_agent(PIPELINE_AGENT, MAX_LISTED)?)
    }

    /// Finds a pipeline's run: by its id, that of its session, a part of one, `last`, or the pipeline's whole name, which
    /// means its newest run in the folder.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_run(&self, folder: &Path, name: &str) -> Result<RunId, Error> {
        let runs = self.runs()?;
        if name == LAST {
            return runs.first().map(|run| run.run_id.clone()).ok_or_else(|| not_found(name));
        }
        match self.names.find_place(name) {
            Ok(place) => self.run_of(&place),
            Err(fault) if fault.is(Code::SESSION_NOT_FOUND) => {
                let project = self.projects.project_at(&canonical(folder)?.display().to_string());
                for run in runs.into_iter().filter(|run| run.name == name) {
                    if self.reader.session(&run.session_id)?.project == project {
                        return Ok(run.run_id);
                    }
                }
                Err(not_found(name))
            }
            Err(fault) => Err(fault),
        }
    }

    /// Finds what is to be resumed: a session or run by its id, or the folder's newest run of a pipeline by its name.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_resumable(&self, folder: &Path, name: &str) -> Result<NamedPlace, Error> {
        match self.names.find_place(name) {
            Err(fault) if fault.is(Code::SESSION_NOT_FOUND) => match self.find_run(folder, name) {
                Ok(run_id) => self.names.find_place(run_id.as_str()),
                Err(_) => Err(fault),
            },
            found => found,
        }
    }

    /// Returns the run that is named, if it is a pipeline's and has completed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn completed(&self, named: &NamedPlace) -> Result<Option<RunId>, Error> {
        let Some(run_id) = named.run.clone().or_else(|| named.session.run_id.clone()) else { return Ok(None) };
        Ok(self.found_state(&run_id)?.filter(|state| state.phase == RunPhase::Completed).map(|_| run_id))
    }

    fn run_of(&self, place: &NamedPlace) -> Result<RunId, Error> {
        let run = place.run.clone().or_else(|| place.session.run_id.clone());
        run.ok_or_else(|| not_found(place.session.session_id.as_str()))
    }

    /// The runs of pipelines as clients get them, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn run_entries(&self) -> Result<Vec<PipelineRunEntry>, Error> {
        let entries = self.runs()?.into_iter().map(|record| {
            let state = self.state(&record.run_id)?;
            Ok(run_entry(record, &state))
        });
        entries.collect()
    }

    /// # Errors
    /// `RUN_NOT_FOUND` for a run that isn't a pipeline's.
    pub fn run_details(&self, run_id: &RunId) -> Result<PipelineRunDetails, Error> {
        let state = self.state(run_id)?;
        let record = self.records.reader().lists().run(run_id)?.ok_or_else(|| not_found(run_id.as_str()))?;
        let definition = self.definition_of(&state)?;
        let is_at_work = record.state == SessionState::Running;
        let steps = definition.steps.iter().map(|step| step_entry(step, &definition, &state, is_at_work)).collect();
        let failure = match &state.phase {
            RunPhase::Failed { code, message, hint } => {
                Some(CommandError { code: code.clone(), message: message.clone(), hint: hint.clone() })
            }
            _ => None,
        };
        Ok(PipelineRunDetails {
            origin: state.start.origin.clone(),
            params: state.start.params.clone(),
            input_bytes: state.start.input_bytes,
            steps,
            approval_id: match state.open_gate() {
                Some((_, asked)) => Some(asked.approval_id.to_string()),
                None => self.approval_beneath(&record.session_id)?,
            },
            failure,
            run: run_entry(record, &state),
        })
    }

    /// Returns the approval that a run beneath this session waits for.
    fn approval_beneath(&self, session_id: &SessionId) -> Result<Option<String>, Error> {
        for pending in self.records.reader().lists().pending_approvals(MAX_LISTED)? {
            if pending.session_id != *session_id && self.reader.run_above(&pending.session_id)? == *session_id {
                return Ok(Some(pending.approval_id.to_string()));
            }
        }
        Ok(None)
    }

    /// The names of the steps of a run's pipeline; `None` for an agent's run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn steps(&self, run_id: &RunId) -> Result<Option<Vec<String>>, Error> {
        let reader = self.records.reader();
        let Some(record) = reader.lists().run(run_id)? else { return Ok(None) };
        let first = reader.log().event(&record.session_id, record.first_seq)?;
        let Some(state) = first.as_ref().and_then(PipelineState::start) else { return Ok(None) };
        Ok(Some(self.definition_of(&state)?.steps.into_iter().map(|step| step.name).collect()))
    }

    /// The output of a step, whole: of an item of a `foreach` too.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` where it has none, `CONTENT_DAMAGED` where it isn't stored.
    pub fn step_output(&self, run_id: &RunId, step: &str) -> Result<String, Error> {
        let state = self.state(run_id)?;
        let output = state.steps.get(step).and_then(|step| step.output.as_ref());
        let output = output.ok_or_else(|| not_found(&format!("{run_id} {step}")))?;
        self.output_text(output)
    }

    /// The beginning of what [`Self::step_output`] returns, as much as can be looked at.
    ///
    /// # Errors
    /// As [`Self::step_output`].
    pub fn step_output_beginning(&self, run_id: &RunId, step: &str) -> Result<String, Error> {
        let mut output = self.step_output(run_id, step)?;
        output.truncate(output.floor_char_boundary(MAX_SHOWN_OUTPUT_BYTES));
        Ok(output)
    }

    /// The output of a run's last step, whole.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` where it has none, `CONTENT_DAMAGED` where it isn't stored.
    pub fn output(&self, run_id: &RunId) -> Result<String, Error> {
        let state = self.state(run_id)?;
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
    ) -> Result<String, Error> {
        let Some(step) = step else { return self.input_of(state) };
        let spec = &definition.steps[step];
        let known = state.steps.get(&spec.name);
        if let Some(output) = known.and_then(|known| known.output.as_ref()) {
            return self.output_text(output);
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

    /// The run's own copies of its definition and of those that it runs.
    ///
    /// # Errors
    /// `CONTENT_DAMAGED` where one isn't stored.
    pub(crate) fn whole_of(&self, state: &PipelineState) -> Result<WholePipeline, Error> {
        let nested = state.start.nested.iter().map(|(name, nested)| {
            Ok((name.clone(), self.definition_copy(name, &nested.origin, &nested.definition_hash)?))
        });
        let nested = nested.collect::<Result<_, Error>>()?;
        let start = &state.start;
        let found = self.definition_copy(&start.name, &start.origin, &start.definition_hash)?;
        Ok(WholePipeline { found, nested })
    }

    fn definition_of(&self, state: &PipelineState) -> Result<Definition, Error> {
        let start = &state.start;
        self.definition_copy(&start.name, &start.origin, &start.definition_hash)?.definition()
    }

    fn definition_copy(&self, name: &str, origin: &str, hash: &str) -> Result<FoundPipeline, Error> {
        let text = self.stored_text(hash, "The definition")?;
        Ok(FoundPipeline { name: name.to_owned(), origin: origin.to_owned(), text })
    }

    /// The state of a pipeline's run.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` for a run that isn't a pipeline's.
    pub(crate) fn state(&self, run_id: &RunId) -> Result<PipelineState, Error> {
        self.found_state(run_id)?.ok_or_else(|| {
            let message = format!("The run {run_id} isn't a pipeline run.");
            Error::new(Code::RUN_NOT_FOUND, message, "`arki runs` lists all pipeline runs.")
        })
    }

    fn found_state(&self, run_id: &RunId) -> Result<Option<PipelineState>, Error> {
        let mut state: Option<PipelineState> = None;
        self.reader.each_run_event(run_id, |event| match &mut state {
            Some(state) => state.apply(&event),
            None => state = PipelineState::start(&event),
        })?;
        Ok(state)
    }

    /// The input that a run was given.
    ///
    /// # Errors
    /// `CONTENT_DAMAGED` where it isn't stored.
    pub(crate) fn input_of(&self, state: &PipelineState) -> Result<String, Error> {
        self.stored_text(&state.start.input_hash, "The input")
    }

    fn output_text(&self, output: &StepOutput) -> Result<String, Error> {
        output.text.clone().map_or_else(|| self.stored_text(&output.hash, "The output"), Ok)
    }

    fn stored_text(&self, hash: &str, what: &str) -> Result<String, Error> {
        let bytes = self.records.reader().contents().blob(hash)?;
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
            let message = format!("{what} of this run is not stored here.");
            Error::new(Code::CONTENT_DAMAGED, message, "Start the pipeline again with `arki run`.")
        })
    }
}

fn run_entry(record: RunRecord, state: &PipelineState) -> PipelineRunEntry {
    let has_ended = matches!(state.phase, RunPhase::Completed | RunPhase::Failed { .. } | RunPhase::Cancelled);
    PipelineRunEntry {
        run_id: record.run_id.to_string(),
        session_id: record.session_id.to_string(),
        name: record.name,
        state: record.state,
        started_at: record.started_at,
        ended_at: has_ended.then_some(state.updated_ms),
        schedule: state.start.schedule.clone(),
    }
}

fn step_entry(
    step: &arki_pipelines::Step,
    definition: &Definition,
    state: &PipelineState,
    is_at_work: bool,
) -> PipelineStepEntry {
    let known = state.steps.get(&step.name);
    let PipelineStep { name, adapter, needs } = shape(step, definition);
    let items = known.and_then(|known| known.items);
    PipelineStepEntry {
        state: known.map_or(PipelineStepState::Pending, |known| shown_state(known, is_at_work)),
        attempts: known.map_or(0, |known| known.attempt),
        duration_ms: known.map_or(0, |known| known.duration_ms),
        items,
        items_done: items.map(|_| items_done(&name, state)),
        failure: known.and_then(|known| known.failure.as_ref()).map(failure),
        session_id: known.and_then(|known| known.child.as_ref()).map(|child| child.session_id.to_string()),
        output_bytes: known.and_then(|known| known.output.as_ref()).map(|output| output.bytes),
        step: name,
        adapter,
        needs,
    }
}

fn items_done(name: &str, state: &PipelineState) -> u32 {
    let prefix = format!("{name}[");
    let items = state.steps.range(prefix.clone()..).take_while(|(item, _)| item.starts_with(&prefix));
    u32::try_from(items.filter(|(_, item)| item.phase == StepPhase::Completed).count()).unwrap_or(u32::MAX)
}

fn failure(failure: &StepFailure) -> CommandError {
    CommandError { code: failure.code.clone(), message: failure.message.clone(), hint: failure.hint.clone() }
}

fn shown_state(step: &StepState, is_at_work: bool) -> PipelineStepState {
    match step.phase {
        StepPhase::Running if step.asks() => PipelineStepState::Waiting,
        StepPhase::Running if is_at_work => PipelineStepState::Running,
        // Its run beneath waits.
        StepPhase::Running if step.child.is_some() => PipelineStepState::Waiting,
        StepPhase::Running => PipelineStepState::Interrupted,
        StepPhase::Retrying => PipelineStepState::Retrying,
        StepPhase::Completed => PipelineStepState::Completed,
        StepPhase::Failed => PipelineStepState::Failed,
        StepPhase::Skipped => PipelineStepState::Skipped,
    }
}

fn not_found(name: &str) -> Error {
    let message = format!("No run of the pipeline {name:?} exists, or it has no output.");
    Error::new(Code::RUN_NOT_FOUND, message, "`arki runs` lists all pipeline runs.")
}
