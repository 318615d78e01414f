//! The progress of a run whose core works in stages: enough to resume in the stage it was in.

use crate::{
    ApprovalKind, ApprovalRequested, ApprovalResolved, CallId, Code, EventBody, STAGE_PART, Stage, ToolResult,
};
use serde::{Deserialize, Serialize};

/// A fold over one run's events; of a core without stages it stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stages {
    /// The stage of the last request; `None` before the first.
    pub stage: Option<Stage>,
    /// The answer to the last request is in the log, whole.
    pub is_answered: bool,
    /// True if that answer proposed a plan.
    pub is_planned: bool,
    /// The model was told something for its next request.
    pub is_told: bool,
    /// Requests to say the plan again, since the last plan that could be read.
    pub repairs: u32,
    /// Plans asked for because calls of the one before had failed.
    pub replans: u32,
    /// The steps of the last plan as proposed, in number.
    pub steps: usize,
    /// The calls for the last plan, in the model's order.
    pub calls: Vec<PlannedCall>,
    /// The user is asked about the last plan, or was.
    pub approval: Option<Box<PlanApproval>>,
}

/// The question whether a plan is to be carried out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanApproval {
    pub requested: ApprovalRequested,
    pub resolved: Option<ApprovalResolved>,
    /// The plan has the steps that the user gave it.
    pub is_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedCall {
    pub call_id: CallId,
    pub end: Option<CallEnd>,
}

/// The way in which a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    Done,
    /// It was tried, and another call may do better.
    Failed,
    /// The user or the policy did not want it.
    Refused,
}

impl Stages {
    pub(crate) fn apply(&mut self, body: &EventBody) {
        match body {
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.ask(request.stage),
            EventBody::OutputMessage(message) => self.is_answered |= !message.interrupted,
            EventBody::PlanProposed(plan) => {
                self.is_answered = true;
                self.is_planned = true;
                self.repairs = 0;
                self.steps = plan.steps.len();
                self.calls.clear();
                self.approval = None;
            }
            EventBody::PlanUpdated(plan) => self.change(plan.steps.len()),
            EventBody::ApprovalRequested(requested) if requested.kind == ApprovalKind::Plan => {
                let requested = requested.clone();
                self.approval = Some(Box::new(PlanApproval { requested, resolved: None, is_changed: false }));
            }
            EventBody::ApprovalResolved(resolved) => self.resolve(resolved),
            EventBody::ToolCall(call) => {
                self.is_answered = true;
                if self.is_planned || self.stage == Some(Stage::Execute) {
                    self.calls.push(PlannedCall { call_id: call.call_id.clone(), end: None });
                }
            }
            EventBody::ToolResult(result) => self.end(result),
            EventBody::ContextAdded(added) if added.part == STAGE_PART => self.is_told = true,
            // Whoever tries a failed run again wants the model to be asked again.
            EventBody::RunResumed(_) => self.repairs = 0,
            _ => {}
        }
    }

    /// Returns whether a call for the last plan failed in a way that another plan may avoid.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.calls.iter().any(|call| call.end == Some(CallEnd::Failed))
    }

    /// The question about the last plan that nobody has answered.
    #[must_use]
    pub fn open_approval(&self) -> Option<&ApprovalRequested> {
        self.approval.as_ref().filter(|approval| approval.resolved.is_none()).map(|approval| &approval.requested)
    }

    fn resolve(&mut self, resolved: &ApprovalResolved) {
        if let Some(approval) = &mut self.approval
            && approval.requested.approval_id == resolved.approval_id
        {
            approval.resolved = Some(resolved.clone());
        }
    }

    fn change(&mut self, steps: usize) {
        let is_given = |approval: &&mut Box<PlanApproval>| {
            !approval.is_changed && approval.resolved.as_ref().is_some_and(|resolved| resolved.plan.is_some())
        };
        if let Some(approval) = self.approval.as_mut().filter(is_given) {
            approval.is_changed = true;
            self.steps = steps;
        }
    }

    fn ask(&mut self, stage: Option<Stage>) {
        let is_again = !self.is_answered && self.stage == stage;
        self.stage = stage;
        self.is_answered = false;
        self.is_planned = false;
        self.is_told = false;
        if is_again {
            return;
        }
        match stage {
            Some(Stage::Repair) => self.repairs += 1,
            Some(Stage::Replan) => self.replans += 1,
            Some(Stage::Execute) => self.calls.clear(),
            Some(Stage::Plan | Stage::Synthesize) | None => {}
        }
    }

    fn end(&mut self, result: &ToolResult) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.call_id == result.call_id) {
            let code = result.code.as_deref();
            let is_refused = code.is_none_or(|code| [Code::POLICY_DENIED.0, Code::UNTRUSTED.0].contains(&code));
            call.end = Some(match (result.is_error, is_refused) {
                (false, _) => CallEnd::Done,
                (true, true) => CallEnd::Refused,
                (true, false) => CallEnd::Failed,
            });
        }
    }
}
