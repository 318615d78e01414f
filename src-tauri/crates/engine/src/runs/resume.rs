//! Going on with a run wherever it stands: after an approval, an answer, a budget, a crash.

use crate::{
    ClaimedWork, ClientCapabilities, DefinitionChoice, History, NamedPlace, OpenProject, PipelineRuns, RunningRun,
    Runs, SessionHold, SessionSettings, WholePipeline, blocking_for,
};
use arki_agent::RunControl;
use arki_config::Config;
use arki_domain::projection::{CallProgress, RunPhase, RunState};
use arki_domain::{
    ApprovalDecision, ApprovalKind, ApprovalMode, ApprovalRequested, ApprovalResolved, Code, Error, EventBody,
    EventDraft, EventLog, OutputMessage, PartialAnswer, PauseReason, QuestionAnswered, REPEATED_RULE, Role, RunId,
    RunResumed, SessionId,
};
use std::sync::Arc;

/// The way to resume.
#[derive(Default)]
pub(crate) struct ResumeOptions {
    pub(crate) control: RunControl,
    /// The approval mode from now on; as before where `None`.
    pub(crate) approve: Option<ApprovalMode>,
    /// Only with this run; with the session's last where `None`.
    pub(crate) run: Option<RunId>,
    /// The capabilities of the client that hosts the run from now on.
    pub(crate) presence: ClientCapabilities,
    /// The answer to the model's question.
    pub(crate) answer: Option<QuestionAnswered>,
    /// The version of the definition with which a pipeline's run goes on.
    pub(crate) definition: DefinitionChoice,
    /// The definitions that the run above goes by, whatever is chosen.
    pub(crate) given: Option<WholePipeline>,
}

impl Runs {
    /// Goes on with the last run of a session, wherever it stands: after an approval, a budget, a pause, a failure, a
    /// crash. `approve` grants something else than before. For the session of a sub-agent whose answer is waited for, it is
    /// the run above that goes on, and with it the sub-agent's.
    ///
    /// # Errors
    /// `RUN_NOT_FOUND` when there is nothing to go on with, `SESSION_BUSY` when it is being run.
    pub(crate) async fn resume_run(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
        approve: Option<ApprovalMode>,
    ) -> Result<RunningRun, Error> {
        let session_id = self.reader.run_above_now(session_id).await?;
        self.resume(&session_id, ResumeOptions { approve, presence, ..ResumeOptions::default() }).await
    }

    /// Resumes like [`Self::resume_run`], by the name of a session or one of its runs. Another run than the one named
    /// is not gone on with.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, and those of [`Self::resume_run`].
    pub(crate) async fn resume_named(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        named: &NamedPlace,
        approve: Option<ApprovalMode>,
        definition: DefinitionChoice,
    ) -> Result<RunningRun, Error> {
        let session_id = named.session.session_id.clone();
        let above = self.reader.run_above_now(&session_id).await?;
        let run = named.run.clone().filter(|_| above == session_id);
        self.resume(&above, ResumeOptions { approve, run, presence, definition, ..ResumeOptions::default() }).await
    }

    /// Resumes like [`Self::resume_run`]; a run of this process that is just stopping at the approval is waited for.
    ///
    /// # Errors
    /// As [`Self::resume_run`]. `SESSION_BUSY` also where the run above is at work: it goes on with the session's itself.
    pub(crate) async fn go_on_after_decision(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        session_id: &SessionId,
    ) -> Result<RunningRun, Error> {
        self.sessions.until_stopped(session_id).await;
        let above = self.reader.run_above_now(session_id).await?;
        if above != *session_id {
            self.sessions.until_stopped_or_at_work(&above, session_id).await;
        }
        self.resume(&above, ResumeOptions { presence, ..ResumeOptions::default() }).await
    }

    pub(crate) async fn resume(
        self: &Arc<Self>,
        session_id: &SessionId,
        resume: ResumeOptions,
    ) -> Result<RunningRun, Error> {
        let claim = self.sessions.claim(session_id, ClaimedWork::Run)?;
        let run = self.reader.overview_now(session_id).await?.run;
        if run.is_some_and(|run| run.is_of_pipeline()) {
            let pipelines = Arc::new(PipelineRuns::new(self.clone(), self.pipeline_history.clone()));
            return Box::pin(pipelines.resume_pipeline(claim, session_id, resume)).await;
        }
        let place = blocking_for(self, session_id, move |runs, session| {
            Ok((runs.reader.session(session)?.project, runs.reader.agent_of(session)?))
        });
        let (project, agent) = place.await?;
        let (open, config) =
            self.preparation.opened_for(session_id, None, project.into(), agent, SessionSettings::default()).await?;
        let (control, presence) = (resume.control.clone(), resume.presence);
        let hold = SessionHold::take(&self.records, &self.sessions, claim, control).await?;
        let history = blocking_for(self, session_id, move |runs, session| runs.reader.history_for_run(session)).await?;
        let lost = self.background.lost(session_id, history.transcript.background().going()).await?;
        let going_on = blocking_for(self, session_id, move |runs, session| {
            let (system, drafts) = runs.going_on(session, &history, resume, (&open, &config), lost)?;
            Ok((history, open, config, system, drafts))
        });
        let (history, open, config, system, drafts) = going_on.await?;
        self.records.log().append(session_id, drafts).await?;
        self.records.store().keep_partial(session_id, None).await?;
        let history = blocking_for(self, session_id, move |runs, session| {
            let run_id = history.run.as_ref().map(|run| run.run_id.clone());
            let run_id = run_id.ok_or_else(|| Error::internal("a run without its first event"))?;
            runs.reader.history_since(history, session, &run_id)
        });
        self.launch(session_id.clone(), history.await?, open, config, system, (hold, presence)).await
    }

    /// Returns the system prompt that the run began with, and what is to be said before it goes on.
    fn going_on(
        &self,
        session_id: &SessionId,
        history: &History,
        ResumeOptions { run: wanted, approve, answer, .. }: ResumeOptions,
        (open, config): (&OpenProject, &Config),
        lost: Vec<EventDraft>,
    ) -> Result<(Arc<str>, Vec<EventDraft>), Error> {
        if let Some(answer) = &answer {
            self.questions.ensure_asked(session_id, history.run.as_ref(), &answer.question_id)?;
        }
        let last = history.run.as_ref().filter(|run| wanted.as_ref().is_none_or(|wanted| run.run_id == *wanted));
        let Some(run) = last.filter(|run| run.can_go_on()) else {
            let next = format!("Send a new message instead, such as with `arki exec --session {session_id} PROMPT`.");
            return Err(has_ended(session_id, next));
        };
        self.reader.ensure_begun_here(&run.run_id)?;
        arki_agent::core(&run.core)?;
        let mut drafts: Vec<EventDraft> =
            self.restorations.settle_interrupted_restoration(session_id, open)?.into_iter().collect();
        drafts.extend(lost);
        let partial = self.records.reader().partial(session_id)?;
        if let Some(partial) = partial.filter(|partial| partial.run_id == run.run_id) {
            drafts.push(EventDraft::of_run(&run.run_id, cut_off(partial)));
        }
        let decided = run.open_approval().and_then(|asked| {
            self.approvals
                .pending()
                .timed_out(asked)
                .or_else(|| self.decision((asked, run.options.plan), approve?, open, config))
        });
        let waits_on = run.open_approval().is_some_and(|_| decided.is_none())
            || run.open_question().is_some_and(|_| answer.is_none())
            || self.delegations.waits_for_subagents(run)?;
        let resumed = resumption(run, approve, waits_on);
        drafts.extend(decided.map(|decided| EventDraft::of_run(&run.run_id, decided)));
        drafts.extend(answer.map(|answer| EventDraft::of_run(&run.run_id, answer)));
        drafts.extend(resumed.map(|resumed| EventDraft::of_run(&run.run_id, resumed)));
        Ok((self.reader.frozen_system_prompt(run)?, drafts))
    }

    /// Returns the decision on the pending call under the new mode: its grants and denials hold for that call too, as
    /// far as the policy lets them.
    fn decision(
        &self,
        (asked, plans): (&ApprovalRequested, bool),
        approve: ApprovalMode,
        open: &OpenProject,
        config: &Config,
    ) -> Option<ApprovalResolved> {
        let (decision, reason) = match approve {
            ApprovalMode::Ask => return None,
            ApprovalMode::Never => (ApprovalDecision::Reject, Some(NOTHING_APPROVED.to_owned())),
            ApprovalMode::All if asked.kind == ApprovalKind::Plan && !plans => (ApprovalDecision::Approve, None),
            ApprovalMode::Edits | ApprovalMode::All if asked.kind == ApprovalKind::Plan => return None,
            // No grant covers it, so that it would be asked anew at once.
            ApprovalMode::Edits | ApprovalMode::All if asked.rule == REPEATED_RULE => return None,
            ApprovalMode::Edits | ApprovalMode::All => {
                let executor = self.executors.executor(open, config, ClientCapabilities::default());
                let verdict = executor.judge().verdict(&asked.tool_id, &asked.args, approve);
                // It would be another change without the editor.
                if executor.judge().needs_editor(asked) {
                    return None;
                }
                // What was tried read-only and failed was asked about for just that.
                if !verdict.decision.is_unasked() || verdict.rule == arki_policy::TRIED_RULE {
                    return None;
                }
                (ApprovalDecision::Approve, None)
            }
        };
        Some(ApprovalResolved { reason, ..ApprovalResolved::of(asked, decision, approve.resolver()) })
    }
}

/// Makes a message of the part of an answer that had arrived when the program ended.
fn cut_off(partial: PartialAnswer) -> OutputMessage {
    OutputMessage {
        turn: partial.turn,
        role: Role::Assistant,
        content: partial.text,
        thoughts: Some(partial.thoughts).filter(|thoughts| !thoughts.is_empty()),
        reasoning: None,
        interrupted: true,
        retried: false,
    }
}

const NOTHING_APPROVED: &str = "Nothing may be approved in this run (--approve never).";

/// Why the run goes on, in the log's words. One that `waits_on` says so only where something else is granted.
fn resumption(run: &RunState, approve: Option<ApprovalMode>, waits_on: bool) -> Option<EventBody> {
    if waits_on && approve.is_none_or(|approve| approve == run.options.approve) {
        return None;
    }
    if let Some(question) = run.open_question() {
        let question_id = Some(question.question_id.clone());
        return Some(RunResumed { question_id, approve, ..RunResumed::because(PauseReason::User) }.into());
    }
    let resolved = run.pending_calls().first().and_then(|pending| match &pending.progress {
        CallProgress::Resolved(approval) => Some(&approval.requested),
        _ => None,
    });
    let of_plan = run.stages.approval.as_ref().map(|approval| &approval.requested);
    let of_plan = of_plan.filter(|_| run.phase == RunPhase::Paused(PauseReason::Plan));
    let asked = run.open_approval().or(of_plan).or(resolved);
    let approval_id = asked.map(|asked| asked.approval_id.clone());
    let reason = match (&run.phase, asked) {
        (_, Some(asked)) if asked.kind == ApprovalKind::Plan => PauseReason::Plan,
        (_, Some(_)) => PauseReason::Approval,
        (RunPhase::Paused(reason), None) => *reason,
        (RunPhase::Failed { .. }, None) => PauseReason::Failed,
        (_, None) => PauseReason::Interrupted,
    };
    Some(RunResumed { approval_id, approve, ..RunResumed::because(reason) }.into())
}

pub(super) fn has_ended(session_id: &SessionId, hint: String) -> Error {
    let message = format!("This run of the session {session_id} has ended, so it can't be resumed.");
    Error::new(Code::RUN_NOT_FOUND, message, hint)
}
