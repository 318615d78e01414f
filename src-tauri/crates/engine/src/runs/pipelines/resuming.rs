//! Going on with a pipeline's run: after a gate, a failure, a pause, a crash. It goes by its own copy of the definition;
//! where the file is another one by now, the user chooses.

use super::starting::content;
use super::{Ready, text_of_content};
use crate::config::Config;
use crate::projects::open::OpenProject;
use crate::projects::pipelines::FoundPipeline;
use crate::records::blocking;
use crate::runs::Runs;
use crate::runs::active_run::Running;
use crate::runs::hold::SessionHold;
use crate::runs::resume::Resume;
use crate::sessions::claim::Claim;
use crate::sessions::session_settings::SessionSettings;
use arki_domain::projection::{PipelineState, RunPhase};
use arki_domain::{
    ApprovalDecision, ApprovalMode, ApprovalResolved, Code, EventDraft, EventLog, Fault, PauseReason, RunId,
    RunResumed, SessionId,
};
use arki_pipelines::{Definition, PipelineStanding, as_fault};
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
struct Standing {
    run: arki_domain::projection::RunState,
    state: PipelineState,
    last_seq: u64,
    definition: Definition,
    /// The current definition, if the user chose it and it differs from the original.
    changed: Option<FoundPipeline>,
    input: String,
}

impl Runs {
    pub(crate) async fn is_of_pipeline(self: &Arc<Self>, session_id: &SessionId) -> Result<bool, Fault> {
        let overview = self.overview(session_id).await?;
        Ok(overview.run.is_some_and(|run| run.is_of_pipeline()))
    }

    pub(crate) async fn resume_pipeline(
        self: &Arc<Self>,
        claim: Claim,
        session_id: &SessionId,
        resume: Resume,
    ) -> Result<Running, Fault> {
        let session = session_id.clone();
        let project = blocking(self, move |runs| Ok(runs.sessions.session(&session)?.project)).await?;
        let agent = crate::config::AGENT.to_owned();
        let (open, config) = self.opened_for(None, project.into(), agent, SessionSettings::default()).await?;
        let (control, presence) = (resume.control.clone(), resume.presence);
        let hold = SessionHold::take(&self.records, &self.sessions, claim, control).await?;
        let session = session_id.clone();
        let standing = blocking(self, move |runs| {
            let standing = runs.pipeline_standing(&session, &open, &resume)?;
            Ok((standing, open, config, resume))
        });
        let (standing, open, config, resume) = standing.await?;
        self.go_on_with_pipeline(session_id.clone(), standing, (open, config), resume, (hold, presence)).await
    }

    async fn go_on_with_pipeline(
        self: &Arc<Self>,
        session_id: SessionId,
        standing: Standing,
        (open, config): (OpenProject, Config),
        resume: Resume,
        (hold, presence): (SessionHold, crate::presence::Presence),
    ) -> Result<Running, Fault> {
        let Standing { run, mut state, mut last_seq, definition, changed, input } = standing;
        if let Some(found) = &changed {
            self.records.contents().put(&session_id, vec![content(found.text.as_bytes())]).await?;
        }
        if let Some(decided) = self.gate_decided(&state, &resume) {
            let drafts = vec![EventDraft::of_run(&run.run_id, decided)];
            for event in self.records.log().append(&session_id, drafts).await? {
                state.apply(&event);
                last_seq = event.seq;
            }
        }
        let approve = resume.approve.unwrap_or(run.options.approve);
        let resumed = RunResumed {
            reason: reason(&state.phase),
            approval_id: None,
            question_id: None,
            approve: resume.approve.filter(|approve| *approve != run.options.approve),
            definition_hash: changed.map(|found| content(found.text.as_bytes()).hash),
        };
        let has_parent = run.parent.is_some();
        let options = arki_domain::RunOptions { approve, ..run.options };
        let standing = PipelineStanding { state, last_seq, approve, resumed: Some(resumed) };
        let input = Arc::from(input);
        let ready = Ready { session_id, open, config, options, definition, input, standing, has_parent };
        self.launch_pipeline(ready, (hold, presence))
    }

    fn pipeline_standing(
        &self,
        session_id: &SessionId,
        open: &OpenProject,
        resume: &Resume,
    ) -> Result<Standing, Fault> {
        // Nothing is added to a log that was changed.
        let history = self.sessions.history_for_run(session_id)?;
        let run = history.run.filter(|run| resume.run.as_ref().is_none_or(|wanted| run.run_id == *wanted));
        let Some(run) = run.filter(|run| run.can_go_on()) else { return Err(has_ended(session_id)) };
        self.sessions.ensure_begun_here(&run.run_id)?;
        let state = self.pipeline_state(&run.run_id)?;
        let text = text_of_content(self.records.reader().blob(&state.start.definition_hash)?, "The definition")?;
        let input = text_of_content(self.records.reader().blob(&state.start.input_hash)?, "The input")?;
        let is_ending = resume.control.cancel.is_cancelled();
        let changed = match resume.definition {
            DefinitionChoice::Original => None,
            _ if is_ending => None,
            DefinitionChoice::Current => self.current_definition(open, &state, &text)?,
            DefinitionChoice::Ask => {
                self.ensure_unchanged(open, &state, &text)?;
                None
            }
        };
        let origin = &state.start.origin;
        let definition = match &changed {
            Some(found) => found.definition()?,
            None => Definition::parse(&text).map_err(|problems| as_fault(origin, &problems))?,
        };
        Ok(Standing { run, state, last_seq: history.last_seq, definition, changed, input })
    }

    pub(crate) fn pipeline_state(&self, run_id: &RunId) -> Result<PipelineState, Fault> {
        let mut state: Option<PipelineState> = None;
        self.sessions.each_run_event(run_id, |event| match &mut state {
            Some(state) => state.apply(&event),
            None => state = PipelineState::start(&event),
        })?;
        state.ok_or_else(|| {
            Fault::new(
                Code::RUN_NOT_FOUND,
                format!("The run {run_id} is not of a pipeline."),
                "`arki runs` lists the runs of pipelines.",
            )
        })
    }

    /// Returns what the file has now, if that is another one.
    fn current_definition(
        &self,
        open: &OpenProject,
        state: &PipelineState,
        text: &str,
    ) -> Result<Option<FoundPipeline>, Fault> {
        let found = self.projects.pipeline_again(open, &state.start.origin)?;
        Ok(found.filter(|found| found.text != text))
    }

    fn ensure_unchanged(&self, open: &OpenProject, state: &PipelineState, text: &str) -> Result<(), Fault> {
        let origin = &state.start.origin;
        // A file that is gone, or that nobody has agreed to, changes nothing: the run has its own copy.
        let Ok(Some(found)) = self.current_definition(open, state, text) else { return Ok(()) };
        let diff = similar::TextDiff::from_lines(text, &found.text);
        let diff = diff.unified_diff().context_radius(1).header("as the run started", "now").to_string();
        let mut lines: Vec<&str> = diff.lines().collect();
        let more = lines.len().saturating_sub(MAX_DIFF_LINES);
        lines.truncate(MAX_DIFF_LINES);
        let more = if more > 0 { format!("\n… {more} more lines") } else { String::new() };
        let diff = self.records.redactor().redact(&lines.join("\n")).into_owned();
        Err(Fault::new(
            Code::PIPELINE_CHANGED,
            format!("{origin} changed since the run started.\n{diff}{more}"),
            format!(
                "`arki resume {} --definition original` goes on as it started, `--definition current` goes on with the \
                 file as it is now. Steps that are done stay done.",
                state.run_id
            ),
        ))
    }

    /// A gate whose time is over, or that `--approve never` answers. Nothing else answers for a person.
    fn gate_decided(&self, state: &PipelineState, resume: &Resume) -> Option<ApprovalResolved> {
        let (_, asked) = state.open_gate()?;
        self.approvals.timed_out(asked).or_else(|| {
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

fn has_ended(session_id: &SessionId) -> Fault {
    Fault::new(
        Code::RUN_NOT_FOUND,
        format!("This run of the session {session_id} has ended; there is nothing to go on with."),
        "Start the pipeline again with `arki run`.",
    )
}
