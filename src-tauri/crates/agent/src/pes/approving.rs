//! A plan that the user approves before anything of it is carried out: rejects, with a note for another one, or changes.
//! The question is an `approval.requested` of the kind `plan`, without a call. Approving it also lifts the run's option
//! `plan`: from then on the run may act.

use super::next::Why;
use crate::run_host::RunEnd;
use crate::run_log::RunLog;
use arki_domain::projection::RunPhase;
use arki_domain::{
    ApprovalDecision, ApprovalId, ApprovalKind, ApprovalMode, ApprovalRequested, ApprovalResolved, Error, EventBody,
    PauseReason, PlanStep, PlanStepState, PlanUpdated, ReasonCode, Risk, RunPaused, ToolCall, ToolResult,
};
use serde_json::{Value, json};

/// The name of the question, in the place of a rule of the policy.
const RULE: &str = "builtin:plan";
/// The name that takes the place of a tool's.
const PLAN: &str = "plan";
/// The bytes of a call that are shown with the plan.
const MAX_CALL_BYTES: usize = 4096;

/// Asks whether the plan is to be carried out; `Some` where the run has to wait. What is granted for the whole run
/// answers at once, except in a run that only plans: there the approval is the beginning of the work.
pub(super) async fn ask_user(log: &mut RunLog) -> Result<Option<RunEnd>, Error> {
    let requested = requested(log);
    let approval_id = requested.approval_id.clone();
    let mode = log.state.options.approve;
    let decision = match mode {
        ApprovalMode::Never => Some(ApprovalDecision::Reject),
        ApprovalMode::All if !log.state.options.plan => Some(ApprovalDecision::Approve),
        ApprovalMode::All | ApprovalMode::Ask | ApprovalMode::Edits => None,
    };
    let Some(decision) = decision else {
        let paused = RunPaused { approval_id: Some(approval_id.clone()), ..RunPaused::because(PauseReason::Plan) };
        log.append(vec![requested.into(), paused.into()]).await?;
        return Ok(Some(RunEnd::AwaitingApproval(approval_id)));
    };
    let resolved = ApprovalResolved::of(&requested, decision, mode.resolver());
    log.append(vec![requested.into(), resolved.into()]).await?;
    Ok(None)
}

/// The run goes on once somebody has decided.
pub(super) async fn await_decision(log: &mut RunLog, approval_id: ApprovalId) -> Result<RunEnd, Error> {
    if log.state.phase != RunPhase::Paused(PauseReason::Plan) {
        let paused = RunPaused { approval_id: Some(approval_id.clone()), ..RunPaused::because(PauseReason::Plan) };
        log.append(vec![paused.into()]).await?;
    }
    Ok(RunEnd::AwaitingApproval(approval_id))
}

/// Each call gets a result that says why it was not carried out; a changed plan gets its steps.
pub(super) async fn drop_calls(log: &mut RunLog, why: Why) -> Result<(), Error> {
    let words = match why {
        Why::Rejected => "Not done: the plan was rejected.",
        Why::Changed => "Not done: the user changed the plan.",
    };
    let pending = log.state.pending_calls().iter();
    let mut bodies: Vec<EventBody> = pending.map(|pending| not_done(&pending.call, words).into()).collect();
    if why == Why::Changed {
        let resolved = log.state.stages.approval.as_ref().and_then(|approval| approval.resolved.as_ref());
        let steps = resolved.and_then(|resolved| resolved.plan.clone()).unwrap_or_default();
        let steps = steps.into_iter().map(|title| PlanStep { title, state: PlanStepState::Pending }).collect();
        bodies.push(PlanUpdated { intent: String::new(), steps }.into());
    }
    log.append(bodies).await
}

fn requested(log: &RunLog) -> ApprovalRequested {
    let plan = log.progress.plan.current();
    let intent = plan.map_or("", |plan| plan.intent.as_str());
    let steps = plan.into_iter().flat_map(|plan| &plan.steps).map(|step| step.title.as_str());
    let pending = log.state.pending_calls().iter().map(|pending| &pending.call);
    let calls = pending.map(|call| whole_call(&call.tool_id, &call.args));
    let mut args = json!({"intent": intent, "steps": Vec::from_iter(steps), "calls": Vec::from_iter(calls)});
    if let Some(left_out) = plan.map(|plan| plan.steps_left_out).filter(|left_out| *left_out > 0) {
        args["stepsLeftOut"] = left_out.into();
    }
    ApprovalRequested {
        approval_id: ApprovalId::new(),
        kind: ApprovalKind::Plan,
        call_id: None,
        tool_id: PLAN.to_owned(),
        args,
        risk: Risk::Low,
        rule: RULE.to_owned(),
        reason: ReasonCode::PLAN.english.to_owned(),
        sentences: vec![ReasonCode::PLAN.into()],
        preview: None,
        calls: Vec::new(),
        command: None,
        supersedes: None,
        timeout_seconds: log.state.options.approval_timeout_seconds,
    }
}

/// A call as the user sees it before a plan is approved: a command as it is, of any other tool all arguments.
fn whole_call(tool_id: &str, args: &Value) -> String {
    let text = match args.get("command").and_then(Value::as_str) {
        Some(command) if args.as_object().is_some_and(|fields| fields.len() == 1) => format!("{tool_id}: {command}"),
        _ => format!("{tool_id} {args}"),
    };
    if text.len() <= MAX_CALL_BYTES {
        return text;
    }
    let shown = text.floor_char_boundary(MAX_CALL_BYTES);
    format!("{}… ({} bytes more)", &text[..shown], text.len() - shown)
}

fn not_done(call: &ToolCall, words: &str) -> ToolResult {
    let result = ToolResult::new(call.call_id.clone(), call.tool_id.clone(), words.to_owned());
    ToolResult { is_error: true, ..result }
}
