//! Going on with a pipeline's run: after a gate, a failure, a pause, a crash. It goes by its own copy of the definition;
//! where the file is another one by now, the user chooses.

use super::ReadyPipeline;
use crate::runs::resume::has_ended;
use crate::sessions::claim::Claim;
use crate::{OpenProject, PipelineRuns, ResumeOptions, RunningRun, SessionHold, WholePipeline, blocking_for};
use arki_config::Config;
use arki_domain::projection::{PipelineState, RunPhase};
use arki_domain::{
    ApprovalDecision, ApprovalMode, ApprovalResolved, Code, Error, EventDraft, EventLog, PauseReason, RunId,
    RunResumed, SessionId, sha256_hex,
};
use arki_pipelines::{Definition, PipelineSnapshot, param_values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lines of a difference that an error shows.
const MAX_DIFF_LINES: usize = 40;

/// The definition that a run goes on with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DefinitionChoice {
    /// Its own; where the file has changed since, nothing is done before the user has chosen.
    #[default]
    Ask,
    /// The one that the run began with.
    Original,
    /// The one in the file now.
    Current,
}

impl From<arki_api::PipelineDefinition> for DefinitionChoice {
    fn from(definition: arki_api::PipelineDefinition) -> Self {
        match definition {
            arki_api::PipelineDefinition::Original => Self::Original,
            arki_api::PipelineDefinition::Current => Self::Current,
        }
    }
}

/// The state from which a run goes on.
struct ResumablePipeline {
    run: arki_domain::projection::RunState,
    state: PipelineState,
    last_seq: u64,
    whole: WholePipeline,
    definition: Definition,
    changed: Option<ChangedDefinition>,
    input: String,
}

/// The effect of another definition than the run went by.
struct ChangedDefinition {
    params: BTreeMap<String, String>,
    /// The permissions that it adds, a sentence each.
    grants: Vec<String>,
}

impl PipelineRuns {
    pub(crate) async fn resume_pipeline(
        self: &Arc<Self>,
        claim: Claim,
        session_id: &SessionId,
        resume: ResumeOptions,
    ) -> Result<RunningRun, Error> {
        let project = blocking_for(self, session_id, move |pipelines, session| {
            Ok(pipelines.runs.reader.session(session)?.project)
        })
        .await?;
        let (open, config) = self.opened_for(session_id, project.into()).await?;
        let (control, presence) = (resume.control.clone(), resume.presence);
        let hold = SessionHold::take(&self.runs.records, &self.runs.sessions, claim, control).await?;
        let standing = blocking_for(self, session_id, move |pipelines, session| {
            let standing = pipelines.pipeline_standing(session, &open, &resume)?;
            Ok((standing, open, config, resume))
        });
        let (standing, open, config, resume) = standing.await?;
        self.go_on_with_pipeline(session_id.clone(), standing, (open, config), resume, (hold, presence)).await
    }

    async fn go_on_with_pipeline(
        self: &Arc<Self>,
        session_id: SessionId,
        standing: ResumablePipeline,
        (open, config): (OpenProject, Config),
        resume: ResumeOptions,
        (hold, presence): (SessionHold, crate::client_capabilities::ClientCapabilities),
    ) -> Result<RunningRun, Error> {
        let ResumablePipeline { run, mut state, mut last_seq, whole, definition, changed, input } = standing;
        if changed.is_some() {
            self.runs.records.contents().put(&session_id, whole.contents().collect()).await?;
        }
        if let Some(decided) = self.gate_decided(&state, &resume) {
            let drafts = vec![EventDraft::of_run(&run.run_id, decided)];
            for event in self.runs.records.log().append(&session_id, drafts).await? {
                state.apply(&event);
                last_seq = event.seq;
            }
        }
        let approve = resume.approve.unwrap_or(run.options.approve);
        let approval = resume.approve.filter(|approve| *approve != run.options.approve);
        let mut resumed = RunResumed { approve: approval, ..RunResumed::because(reason(&state.phase)) };
        let mut grants = Vec::new();
        if let Some(changed) = changed {
            state.start.params.clone_from(&changed.params);
            resumed.definition_hash = Some(sha256_hex(whole.found.text.as_bytes()));
            resumed.nested = whole.hashes();
            resumed.params = changed.params;
            grants = changed.grants;
        }
        let has_parent = run.parent.is_some();
        let options = arki_domain::RunOptions { approve, ..run.options };
        let standing = PipelineSnapshot { state, last_seq, approve, resumed: Some(resumed) };
        let input = Arc::from(input);
        let ready =
            ReadyPipeline { session_id, open, config, options, whole, definition, input, standing, has_parent, grants };
        self.launch_pipeline(ready, (hold, presence))
    }

    fn pipeline_standing(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
        resume: &ResumeOptions,
    ) -> Result<ResumablePipeline, Error> {
        // Nothing is added to a log that was changed.
        let history = self.runs.reader.history_for_run(session_id)?;
        let run = history.run.filter(|run| resume.run.as_ref().is_none_or(|wanted| run.run_id == *wanted));
        let Some(run) = run.filter(|run| run.can_go_on()) else {
            return Err(has_ended(
                session_id,
                format!(
                    "`arki resume {session_id} --from STEP` runs it again from a given step, `arki run` from the beginning."
                ),
            ));
        };
        self.runs.reader.ensure_begun_here(&run.run_id)?;
        let state = self.history.state(&run.run_id)?;
        let input = self.history.input_of(&state)?;
        let own = self.history.whole_of(&state)?;
        let is_ending = resume.control.cancel.is_cancelled();
        let chosen = match (&resume.given, resume.definition) {
            _ if is_ending => None,
            (Some(given), _) => Some(given.clone()).filter(|given| given.differs_from(&own)),
            (None, choice) => self.chosen_definition(open, &state, &own, (choice, ""))?,
        };
        let changed = chosen.as_ref().map(|chosen| self.changed_definition(&state, &own, chosen)).transpose()?;
        let whole = chosen.unwrap_or(own);
        let definition = whole.found.definition()?;
        Ok(ResumablePipeline { run, state, last_seq: history.last_seq, whole, definition, changed, input })
    }

    fn changed_definition(
        &self,
        state: &PipelineState,
        own: &WholePipeline,
        chosen: &WholePipeline,
    ) -> Result<ChangedDefinition, Error> {
        chosen.ensure_no_secrets(self.runs.records.redactor())?;
        let params = param_values(&chosen.found.definition()?.params, &state.start.params)?;
        Ok(ChangedDefinition { params, grants: chosen.new_grants(own)? })
    }

    /// Returns the definition to go by instead of the run's own, if the user chose another one. `more` completes the
    /// command with which they can choose.
    ///
    /// # Errors
    /// `PIPELINE_CHANGED` where they have to choose, and those of reading what is there now.
    pub(super) fn chosen_definition(
        &self,
        open: &OpenProject,
        state: &PipelineState,
        own: &WholePipeline,
        (choice, more): (DefinitionChoice, &str),
    ) -> Result<Option<WholePipeline>, Error> {
        let current = || -> Result<Option<WholePipeline>, Error> {
            let Some(found) = self.runs.projects.pipelines().pipeline_again(open, &state.start.origin)? else {
                return Ok(None);
            };
            Ok(Some(self.runs.projects.pipelines().whole_pipeline(open, found)?)
                .filter(|whole| whole.differs_from(own)))
        };
        match choice {
            DefinitionChoice::Original => Ok(None),
            DefinitionChoice::Current => current(),
            // A file that is gone, or that nobody has agreed to, changes nothing: the run has its own copy.
            DefinitionChoice::Ask => match current() {
                Ok(Some(current)) => Err(self.changed(&state.run_id, own, &current, more)),
                Ok(None) | Err(_) => Ok(None),
            },
        }
    }

    fn changed(&self, run_id: &RunId, own: &WholePipeline, current: &WholePipeline, more: &str) -> Error {
        let mut lines = Vec::new();
        let mut origins = Vec::new();
        for (found, before) in current.differences(own) {
            let header = format!("{} as the run started", found.origin);
            let diff = similar::TextDiff::from_lines(before, &found.text);
            let diff = diff.unified_diff().context_radius(1).header(&header, "now").to_string();
            lines.extend(diff.lines().map(str::to_owned));
            origins.push(found.origin.as_str());
        }
        let more_lines = lines.len().saturating_sub(MAX_DIFF_LINES);
        lines.truncate(MAX_DIFF_LINES);
        if more_lines > 0 {
            lines.push(format!("… {more_lines} more lines"));
        }
        lines.extend(current.new_grants(own).unwrap_or_default().into_iter().map(|grant| format!("New: {grant}")));
        let diff = self.runs.records.redactor().redact(&lines.join("\n")).into_owned();
        Error::new(
            Code::PIPELINE_CHANGED,
            format!("{} changed since the run started.\n{diff}", origins.join(" and ")),
            format!(
                "`arki resume {run_id}{more} --definition original` continues with the definition it started with, \
                 `--definition current` with the current one. Finished steps aren't repeated.",
            ),
        )
    }

    /// A gate whose time is over, or that `--approve never` answers. Nothing else answers for a person.
    fn gate_decided(&self, state: &PipelineState, resume: &ResumeOptions) -> Option<ApprovalResolved> {
        let (_, asked) = state.open_gate()?;
        self.runs.approvals.pending().timed_out(asked).or_else(|| {
            let never = ApprovalMode::Never;
            let reason = Some("Nothing may be approved in this run (--approve never).".to_owned());
            let rejected = ApprovalResolved::of(asked, ApprovalDecision::Reject, never.resolver());
            (resume.approve == Some(never)).then_some(ApprovalResolved { reason, ..rejected })
        })
    }
}

fn reason(phase: &RunPhase) -> PauseReason {
    match phase {
        RunPhase::Paused(reason) => *reason,
        RunPhase::Failed { .. } => PauseReason::Failed,
        RunPhase::Active | RunPhase::Completed | RunPhase::Cancelled => PauseReason::Interrupted,
    }
}
