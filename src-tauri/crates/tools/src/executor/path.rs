//! The one path of a call, whatever its tool: prepared, decided, performed, recorded. Hooks run around it (`hooking`).
//!
//! [`ToolExecutor::decided`] is the only place that decides, by what [`Judge`] says, and [`ToolExecutor::perform`] the
//! only one that begins an effect. How a decision and a result come into the log is [`Record`]'s: `begin` before an
//! effect, `settle` once there is a result.

use super::command::AsDecided;
use super::host_access::ensure_told_apart;
use super::judging::{Judge, denied, permitted};
use super::question::ask_user;
use super::record::Record;
use super::remote::RemoteCall;
use super::subject::SubjectOf;
use super::unsaved::{EditorPart, UnsavedFile};
use super::write::{AcceptedChange, PlannedChange};
use super::{ToolExecutor, question, stopped_by_user, usable};
use crate::builtin::run_command;
use crate::remote_tool::RemoteTool;
use crate::subagents::Subagents;
use crate::tool::{Action, InsideAction, Tool, WriteAction};
use arki_domain::projection::{PendingCall, ResolvedApproval};
use arki_domain::{ApprovalMode, ApprovalRequested, CallOutcome, Decision, Error, REPEATED_RULE, ToolCall};
use arki_files::Project;
use arki_policy::{Impact, Verdict};
use std::sync::Arc;

/// A call with what the policy is told of it.
pub(super) struct PreparedCall<'a> {
    pub(super) call: &'a ToolCall,
    tool: Option<&'a Tool>,
    pub(super) subject: SubjectOf,
    /// The user's approval, where this very call was put to the user.
    approval: Option<&'a ResolvedApproval>,
    /// The file that it changes, where that isn't saved in the editor.
    unsaved: Option<Arc<UnsavedFile>>,
}

/// The work that a call needs, down to what is written or run.
pub(super) enum CallWork<'a> {
    Read(&'a Tool),
    Inside(InsideAction),
    Question,
    Delegation(&'a dyn Subagents),
    Write(WriteAction, Box<AcceptedChange>),
    Command(AsDecided),
    Remote(&'a Tool, &'a Arc<dyn RemoteTool>),
}

/// The verdict on a call, and why it can't be carried out if so.
pub(super) enum JudgedCall {
    Plain(Verdict),
    Command(Verdict),
    Change(Verdict, Box<PlannedChange>),
    Refused(Verdict, Error),
    /// It can't be done at all, whatever is allowed.
    Failed(Error),
}

/// The work of a call that has nothing to show before it.
fn work_of(tool: &Tool) -> Option<CallWork<'_>> {
    Some(match &tool.action {
        Action::Read(_) => CallWork::Read(tool),
        Action::Inside(work) => CallWork::Inside(*work),
        Action::Ask => CallWork::Question,
        Action::Delegate(subagents) => CallWork::Delegation(subagents.as_ref()),
        Action::Remote(remote) => CallWork::Remote(tool, remote),
        Action::Write(_) | Action::Command => return None,
    })
}

/// A plan on the editor's text where the file isn't saved.
fn on_text_of(unsaved: Option<&Arc<UnsavedFile>>, plan: &WriteAction) -> WriteAction {
    unsaved.map_or_else(|| plan.clone(), |file| file.under(plan))
}

/// The decision about a call.
pub(super) enum CallDecision<'a> {
    Perform(Verdict, CallWork<'a>),
    /// The user is asked, and shown what would be done.
    Ask(Verdict, Box<ApprovalRequested>),
    Refuse(Verdict, Error),
    /// The user wants nothing of it.
    Reject(&'a ResolvedApproval),
    /// It can't be done at all, whatever is allowed.
    Fail(Error),
}

impl CallDecision<'_> {
    pub(super) fn ask((verdict, requested): (Verdict, ApprovalRequested)) -> Self {
        Self::Ask(verdict, Box::new(requested))
    }

    /// False where the policy or the user is against it, whatever is in the files.
    fn may_touch_files(&self) -> bool {
        !matches!(self, Self::Refuse(..) | Self::Reject(_))
    }

    fn with_editor(mut self, part: EditorPart) -> Self {
        if let Self::Perform(_, CallWork::Write(_, accepted)) = &mut self {
            accepted.in_editor = Some(part);
        }
        self
    }

    pub(super) fn deny(verdict: Verdict) -> Self {
        let fault = denied(&verdict);
        Self::Refuse(verdict, fault)
    }
}

impl Judge {
    /// The verdict on a call that nobody was asked about, and the change that it would make: the one that is carried out, and
    /// the one that is only told. Nothing has happened when it returns, but that files were read for a preview.
    pub(super) fn judge_call(&self, call: &ToolCall, subject: SubjectOf, approve: ApprovalMode) -> JudgedCall {
        self.judge_call_in((self.project(), None), call, subject, approve)
    }

    /// `project`: the one in which a change to files is planned, with the text of a file that isn't saved in the editor.
    pub(super) fn judge_call_in(
        &self,
        (project, unsaved): (&Project, Option<&Arc<UnsavedFile>>),
        call: &ToolCall,
        subject: SubjectOf,
        approve: ApprovalMode,
    ) -> JudgedCall {
        let verdict = self.decide(&call.tool_id, &subject, approve, Impact::default());
        let Some(tool) = self.toolbox.tool(&call.tool_id) else {
            return JudgedCall::Refused(verdict, self.toolbox.unknown(&call.tool_id));
        };
        if verdict.decision == Decision::Deny {
            let fault = denied(&verdict);
            return JudgedCall::Refused(verdict, fault);
        }
        match usable(tool, call, &subject) {
            // A model that makes the same mistake again and again is to be stopped too.
            Err(_) if verdict.rule == REPEATED_RULE => return JudgedCall::Plain(verdict),
            Err(fault) => return JudgedCall::Failed(fault),
            Ok(()) => {}
        }
        match &tool.action {
            Action::Write(plan) => self.judge_write((project, &on_text_of(unsaved, plan)), call, subject, approve),
            Action::Command => {
                let parsed = run_command::parse(&call.args).map_err(Error::from);
                let settings = &self.subjects.settings;
                if let Err(fault) = parsed.and_then(|arguments| ensure_told_apart(settings, &arguments)) {
                    return JudgedCall::Failed(fault);
                }
                let verdict = self.with_network(&call.tool_id, &call.args, verdict, approve);
                match verdict.decision {
                    Decision::Deny => JudgedCall::Refused(verdict.clone(), denied(&verdict)),
                    _ => JudgedCall::Command(verdict),
                }
            }
            Action::Read(_) | Action::Inside(_) | Action::Ask | Action::Delegate(_) | Action::Remote(_) => {
                JudgedCall::Plain(verdict)
            }
        }
    }
}

impl ToolExecutor {
    /// Carries a call that has had no effect yet to its result, or to the question at which the run stops.
    pub(super) async fn settle<'a>(
        &'a self,
        pending: &'a PendingCall,
        approval: Option<&'a ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let call = &pending.call;
        let mut decision = self.decided(self.prepare(pending, approval, record), record).await;
        if decision.may_touch_files() {
            decision = match self.editors_part(call, record).await {
                Ok(None) => decision,
                Ok(Some(EditorPart::Writes(file))) => {
                    self.decided_on_unsaved(file, self.prepare(pending, approval, record), record).await
                }
                Ok(Some(silent)) => decision.with_editor(silent),
                Err(fault) => CallDecision::Fail(fault),
            };
        }
        match decision {
            CallDecision::Perform(verdict, work) => self.perform(call, &verdict, work, approval, record).await,
            CallDecision::Ask(verdict, requested) => self.asking.put_to_user(call, (verdict, *requested), record).await,
            CallDecision::Refuse(verdict, fault) => record.refuse(call, &verdict, fault).await,
            CallDecision::Reject(approval) => record.rejected(call, approval).await,
            CallDecision::Fail(fault) => record.fail(call, &fault).await,
        }
    }

    /// Returns the editor's part in a change of files.
    pub(super) async fn editors_part(&self, call: &ToolCall, record: &Record<'_>) -> Result<Option<EditorPart>, Error> {
        let tool = self.toolbox.tool(&call.tool_id).filter(|tool| matches!(tool.action, Action::Write(_)));
        let (Some(tool), true) = (tool, self.settings.buffers.is_some()) else { return Ok(None) };
        let subject = self.judge.subject_of(Some(tool), &call.args);
        let part = tokio::select! {
            biased;
            () = record.cancel().cancelled() => return Err(stopped_by_user()),
            part = self.unsaved.part_in(&record.context.session_id, &subject) => part,
        };
        // An editor that stops a prompt may let go of its questions first.
        if record.cancel().is_cancelled() { Err(stopped_by_user()) } else { part }
    }

    /// Decides once more, on the editor's text. Nothing has happened when it returns.
    async fn decided_on_unsaved<'a>(
        &'a self,
        file: Arc<UnsavedFile>,
        prepared: PreparedCall<'a>,
        record: &mut Record<'_>,
    ) -> CallDecision<'a> {
        if !self.settings.buffers.as_ref().is_some_and(|buffers| buffers.takes_texts()) {
            return CallDecision::Fail(file.refusal("This editor takes no changes."));
        }
        let prepared = PreparedCall { unsaved: Some(file.clone()), ..prepared };
        match self.decided(prepared, record).await {
            CallDecision::Ask(verdict, mut requested) => {
                file.tell_in(&mut requested);
                CallDecision::Ask(verdict, requested)
            }
            other => other.with_editor(EditorPart::Writes(file)),
        }
    }

    pub(super) fn prepare<'a>(
        &'a self,
        pending: &'a PendingCall,
        approval: Option<&'a ResolvedApproval>,
        record: &Record<'_>,
    ) -> PreparedCall<'a> {
        let call = &pending.call;
        let tool = self.toolbox.tool(&call.tool_id);
        let mut subject = self.judge.subject_of(tool, &call.args);
        // An approval is for a call that repeats itself, for its secrets, and against a hook's objection, too.
        if approval.is_none() {
            subject.subject.objection = record.objection().cloned();
            subject.subject.times_in_a_row = pending.times_in_a_row;
            subject.subject.secrets = record.secrets().to_vec();
        }
        PreparedCall { call, tool, subject, approval, unsaved: None }
    }

    /// Nothing has happened when it returns.
    pub(super) async fn decided<'a>(&'a self, prepared: PreparedCall<'a>, record: &mut Record<'_>) -> CallDecision<'a> {
        let approve = record.approve();
        let PreparedCall { call, tool, subject, approval, unsaved } = prepared;
        let Some(approval) = approval else {
            let place = (self.judge.project(), unsaved.as_ref());
            return match self.judge.judge_call_in(place, call, subject, approve) {
                JudgedCall::Refused(verdict, fault) => CallDecision::Refuse(verdict, fault),
                JudgedCall::Failed(fault) => CallDecision::Fail(fault),
                JudgedCall::Change(verdict, planned) => {
                    record.use_secrets(planned.secrets.clone());
                    planned.decided(call, verdict)
                }
                JudgedCall::Command(verdict) => self.command_review.decided(call, verdict, approve).await,
                JudgedCall::Plain(verdict) => match tool.and_then(work_of) {
                    Some(work) if verdict.decision == Decision::Allow => CallDecision::Perform(verdict, work),
                    _ => CallDecision::ask(question::plain(call, &verdict)),
                },
            };
        };
        let verdict = self.judge.decide(&call.tool_id, &subject, approve, Impact::default());
        let Some(tool) = tool else { return CallDecision::Fail(self.toolbox.unknown(&call.tool_id)) };
        // Also what was denied since it was approved: no approval is for that.
        if verdict.decision == Decision::Deny {
            return CallDecision::deny(verdict);
        }
        if let Err(fault) = usable(tool, call, &subject) {
            return CallDecision::Fail(fault);
        }
        match &tool.action {
            Action::Write(plan) => {
                let plan = on_text_of(unsaved.as_ref(), plan);
                self.judge.write_approved(plan, call, approval, subject, approve)
            }
            Action::Command => self.command_review.approved(call, approval, approve).await,
            _ => match work_of(tool) {
                Some(work) => CallDecision::Perform(permitted(&approval.requested), work),
                None => CallDecision::Fail(Error::internal("a call without its work")),
            },
        }
    }

    /// Performs a call that `verdict` permits, and records its decision and its result.
    async fn perform(
        &self,
        call: &ToolCall,
        verdict: &Verdict,
        work: CallWork<'_>,
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        match work {
            CallWork::Read(tool) => {
                let done = self.reads.read(tool, call, record).await;
                self.results.conclude(call, verdict, done, record).await
            }
            CallWork::Inside(work) => self.work_inside(work, call, verdict, record).await,
            CallWork::Question => {
                ask_user(self.settings.audience, &self.delegations.background, call, verdict, record).await
            }
            CallWork::Delegation(subagents) => self.delegations.delegate(subagents, call, verdict, record).await,
            CallWork::Write(plan, accepted) => {
                self.writer.write((plan, *accepted), call, verdict, approval, record).await
            }
            CallWork::Command(decided) => self.commands.run(&decided, verdict, record).await,
            CallWork::Remote(tool, remote) => {
                self.remotes.work(RemoteCall { tool, remote, call }, verdict, record).await
            }
        }
    }
}
