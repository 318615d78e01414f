//! Shows pipelines and their runs: lists, a run's steps, its output.

use super::{PIPELINE_AGENT, text_of_content};
use crate::projects::open::{OpenProject, canonical};
use crate::projects::pipelines::{FoundPipeline, WholePipeline, text_at};
use crate::records::blocking;
use crate::runs::Runs;
use crate::sessions::names::{LAST, NamedPlace};
use arki_api::{
    PipelineEntry, PipelineFailure, PipelineParam, PipelineParamType, PipelineRunDetails, PipelineRunEntry,
    PipelineStep, PipelineStepEntry, PipelineStepState,
};
use arki_domain::projection::{PipelineState, RunPhase, SessionState, StepFailure, StepPhase, StepState};
use arki_domain::{Code, Error, RunId, SessionId};
use arki_pipelines::{Definition, DefinitionProblem, ParamKind};
use arki_store::RunRecord;
use std::path::Path;
use std::sync::Arc;

/// Runs that are listed.
const MAX_LISTED: usize = 500;
/// The longest part of a step's output that is shown, in bytes.
const MAX_SHOWN_OUTPUT_BYTES: usize = 256 << 10;

/// A definition that was checked.
pub struct CheckedPipeline {
    pub origin: String,
    /// The number of its steps, or everything that is wrong with it.
    pub steps: Result<usize, Vec<DefinitionProblem>>,
}

impl CheckedPipeline {
    fn of(origin: String, text: &str) -> Self {
        Self { origin, steps: Definition::parse(text).map(|definition| definition.steps.len()) }
    }
}

/// Checks a file, whether it was agreed to or not; `None` where there is none. It needs nothing but the file.
///
/// # Errors
/// `PIPELINE_INVALID` where it can't be read.
pub fn check_pipeline_file(folder: &Path, named: &str) -> Result<Option<CheckedPipeline>, Error> {
    let path = folder.join(named);
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(CheckedPipeline::of(named.to_owned(), &text_at(&path, named)?)))
}

impl Runs {
    /// The runs of pipelines, the newest first; those that work for another run are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pipeline_runs(&self) -> Result<Vec<RunRecord>, Error> {
        Ok(self.records.reader().lists().runs_of_agent(PIPELINE_AGENT, MAX_LISTED)?)
    }

    /// Finds a pipeline's run: by its id, that of its session, a part of one, `last`, or the pipeline's whole name, which
    /// means its newest run in the folder.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND`, `ID_AMBIGUOUS`.
    pub fn find_pipeline_run(&self, folder: &Path, name: &str) -> Result<RunId, Error> {
        let runs = self.pipeline_runs()?;
        if name == LAST {
            return runs.first().map(|run| run.run_id.clone()).ok_or_else(|| not_found(name));
        }
        match self.sessions.find_place(name) {
            Ok(place) => self.pipeline_run_of(&place),
            Err(fault) if fault.is(Code::SESSION_NOT_FOUND) => {
                let project = self.projects.project_at(&canonical(folder)?.display().to_string());
                for run in runs.into_iter().filter(|run| run.name == name) {
                    if self.sessions.reader().session(&run.session_id)?.project == project {
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
        match self.sessions.find_place(name) {
            Err(fault) if fault.is(Code::SESSION_NOT_FOUND) => match self.find_pipeline_run(folder, name) {
                Ok(run_id) => self.sessions.find_place(run_id.as_str()),
                Err(_) => Err(fault),
            },
            found => found,
        }
    }

    /// Returns the run that is named, if it is a pipeline's and has completed.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn completed_pipeline(&self, named: &NamedPlace) -> Result<Option<RunId>, Error> {
        let Some(run_id) = named.run.clone().or_else(|| named.session.run_id.clone()) else { return Ok(None) };
        let mut state: Option<PipelineState> = None;
        self.sessions.reader().each_run_event(&run_id, |event| match &mut state {
            Some(state) => state.apply(&event),
            None => state = PipelineState::start(&event),
        })?;
        Ok(state.filter(|state| state.phase == RunPhase::Completed).map(|_| run_id))
    }

    fn pipeline_run_of(&self, place: &NamedPlace) -> Result<RunId, Error> {
        let run = place.run.clone().or_else(|| place.session.run_id.clone());
        run.ok_or_else(|| not_found(place.session.session_id.as_str()))
    }

    /// Returns the pipelines available in a folder, in the order of their names.
    ///
    /// # Errors
    /// When the folder can't be opened.
    pub fn pipeline_entries(&self, folder: &Path) -> Result<Vec<PipelineEntry>, Error> {
        let open = self.projects.load_project(folder)?;
        let found = self.projects.pipelines(&open);
        Ok(found.into_iter().map(|found| self.entry(&open, found)).collect())
    }

    /// One pipeline, by its name or path, with its text.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND` and others of reading it.
    pub fn pipeline_entry(&self, folder: &Path, named: &str) -> Result<(PipelineEntry, String), Error> {
        let open = self.projects.load_project(folder)?;
        let found = self.projects.find_pipeline(&open, folder, named)?;
        let text = found.text.clone();
        Ok((self.entry(&open, found), text))
    }

    /// Checks a definition that is no file of its own.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND` and others of reading it.
    pub fn check_pipeline(&self, folder: &Path, named: &str) -> Result<CheckedPipeline, Error> {
        let open = self.projects.load_project(folder)?;
        let FoundPipeline { origin, text, .. } = self.projects.find_pipeline(&open, folder, named)?;
        Ok(CheckedPipeline::of(origin, &text))
    }

    /// The runs of pipelines as clients get them, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pipeline_run_entries(&self) -> Result<Vec<PipelineRunEntry>, Error> {
        let entries = self.pipeline_runs()?.into_iter().map(|record| {
            let state = self.pipeline_state(&record.run_id)?;
            Ok(run_entry(record, &state))
        });
        entries.collect()
    }

    /// # Errors
    /// `RUN_NOT_FOUND` for a run that isn't a pipeline's.
    pub fn pipeline_run_details(&self, run_id: &RunId) -> Result<PipelineRunDetails, Error> {
        let state = self.pipeline_state(run_id)?;
        let record = self.records.reader().lists().run(run_id)?.ok_or_else(|| not_found(run_id.as_str()))?;
        let definition = self.definition_of(&state)?;
        let is_at_work = record.state == SessionState::Running;
        let steps = definition.steps.iter().map(|step| step_entry(step, &definition, &state, is_at_work)).collect();
        let failure = match &state.phase {
            RunPhase::Failed { code, message, hint } => {
                Some(PipelineFailure { code: code.clone(), message: message.clone(), hint: hint.clone() })
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
            if pending.session_id != *session_id
                && self.sessions.reader().run_above(&pending.session_id)? == *session_id
            {
                return Ok(Some(pending.approval_id.to_string()));
            }
        }
        Ok(None)
    }

    /// The names of the steps of a run's pipeline; `None` for an agent's run.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pipeline_steps(&self, run_id: &RunId) -> Result<Option<Vec<String>>, Error> {
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
        let state = self.pipeline_state(run_id)?;
        let output = state.steps.get(step).and_then(|step| step.output.as_ref());
        let output = output.ok_or_else(|| not_found(&format!("{run_id} {step}")))?;
        match &output.text {
            Some(text) => Ok(text.clone()),
            None => text_of_content(self.records.reader().contents().blob(&output.hash)?, "The output"),
        }
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

    /// Returns the same as [`Self::pipeline_output`], without blocking the async threads.
    pub(crate) async fn pipeline_output_of(self: &Arc<Self>, run_id: &RunId) -> Result<String, Error> {
        let run_id = run_id.clone();
        blocking(self, move |runs| runs.pipeline_output(&run_id)).await
    }

    /// The output of a run's last step, whole.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` where it has none, `CONTENT_DAMAGED` where it isn't stored.
    pub fn pipeline_output(&self, run_id: &RunId) -> Result<String, Error> {
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
    ) -> Result<String, Error> {
        let Some(step) = step else {
            return text_of_content(self.records.reader().contents().blob(&state.start.input_hash)?, "The input");
        };
        let spec = &definition.steps[step];
        let known = state.steps.get(&spec.name);
        if let Some(output) = known.and_then(|known| known.output.as_ref()) {
            return match &output.text {
                Some(text) => Ok(text.clone()),
                None => text_of_content(self.records.reader().contents().blob(&output.hash)?, "The output"),
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

    /// The run's own copies of its definition and of those that it runs.
    ///
    /// # Errors
    /// `CONTENT_DAMAGED` where one isn't stored.
    pub(crate) fn whole_of(&self, state: &PipelineState) -> Result<WholePipeline, Error> {
        let start = &state.start;
        let copy = |name: &str, origin: &str, hash: &str| {
            let text = text_of_content(self.records.reader().contents().blob(hash)?, "The definition")?;
            Ok::<_, Error>(FoundPipeline { name: name.to_owned(), origin: origin.to_owned(), text })
        };
        let nested = start.nested.iter().map(|(name, nested)| {
            let found = copy(name, &nested.origin, &nested.definition_hash)?;
            Ok((name.clone(), found))
        });
        Ok(WholePipeline {
            found: copy(&start.name, &start.origin, &start.definition_hash)?,
            nested: nested.collect::<Result<_, Error>>()?,
        })
    }

    /// A pipeline with all that starting it grants.
    fn entry(&self, open: &OpenProject, found: FoundPipeline) -> PipelineEntry {
        let entry = entry(&found);
        if entry.problem.is_some() {
            return entry;
        }
        match self.projects.whole_pipeline(open, found).and_then(|whole| whole.grants()) {
            Ok(grants) => PipelineEntry { grants, ..entry },
            Err(fault) => PipelineEntry { problem: Some(fault.message), ..entry },
        }
    }

    pub(crate) fn definition_of(&self, state: &PipelineState) -> Result<Definition, Error> {
        let text =
            text_of_content(self.records.reader().contents().blob(&state.start.definition_hash)?, "The definition")?;
        Definition::parse(&text).map_err(|problems| arki_pipelines::as_fault(&state.start.origin, &problems))
    }
}

/// A pipeline as its own text tells it.
fn entry(found: &FoundPipeline) -> PipelineEntry {
    let entry = PipelineEntry {
        name: found.name.clone(),
        description: String::new(),
        origin: found.origin.clone(),
        params: Vec::new(),
        steps: Vec::new(),
        grants: Vec::new(),
        problem: None,
    };
    let definition = match Definition::parse(&found.text) {
        Ok(definition) => definition,
        Err(problems) => return PipelineEntry { problem: problems.first().map(DefinitionProblem::to_string), ..entry },
    };
    PipelineEntry {
        description: definition.description.clone(),
        params: definition.params.iter().map(param_entry).collect(),
        steps: definition.steps.iter().map(|step| shape(step, &definition)).collect(),
        ..entry
    }
}

fn param_entry(param: &arki_pipelines::Param) -> PipelineParam {
    PipelineParam {
        name: param.name.clone(),
        kind: match param.kind {
            ParamKind::String => PipelineParamType::String,
            ParamKind::Integer => PipelineParamType::Integer,
            ParamKind::Number => PipelineParamType::Number,
            ParamKind::Boolean => PipelineParamType::Boolean,
        },
        default: param.default.clone(),
        description: param.description.clone(),
        choices: param.choices.clone(),
    }
}

fn shape(step: &arki_pipelines::Step, definition: &Definition) -> PipelineStep {
    PipelineStep {
        name: step.name.clone(),
        adapter: step.adapter.name().to_owned(),
        needs: step.needs.iter().map(|need| definition.steps[*need].name.clone()).collect(),
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

fn failure(failure: &StepFailure) -> PipelineFailure {
    PipelineFailure { code: failure.code.clone(), message: failure.message.clone(), hint: failure.hint.clone() }
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
    Error::new(
        Code::RUN_NOT_FOUND,
        format!("No run of the pipeline {name:?} exists, or it has no output."),
        "`arki runs` lists all pipeline runs.",
    )
}
