//! Words to the model between two stages, beyond what the system prompt and the results say. Each is a `context.added` of
//! the part `stage`, so that no message changes that was sent.

use super::next::{MAX_REPLANS, unread, words as reason};
use arki_domain::projection::{PlanVersion, RunState};
use arki_domain::{ApprovalDecision, Stage, plural};

const FORM: &str = r#"{"intent": "...", "plan": ["..."], "toolCalls": [{"toolName": "...", "arguments": {}}]}"#;

/// The word for a stage, as the log has it.
pub(super) fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Plan => "plan",
        Stage::Repair => "repair",
        Stage::Execute => "execute",
        Stage::Replan => "replan",
        Stage::Synthesize => "synthesize",
    }
}

/// `None` where there is nothing to add.
pub(super) fn words(stage: Stage, state: &RunState, plan: Option<&PlanVersion>) -> Option<String> {
    let stages = &state.stages;
    let resolved = stages.approval.as_ref().and_then(|approval| approval.resolved.as_ref());
    let rejected = resolved.filter(|resolved| stages.is_planned && resolved.decision == ApprovalDecision::Reject);
    match stage {
        Stage::Replan if rejected.is_some() => {
            let note = rejected
                .and_then(|rejected| rejected.reason.as_ref())
                .map(|note| format!(" The user's note: {note}"))
                .unwrap_or_default();
            Some(format!("[The user rejected the plan.{note} Answer with another plan, in this form: {FORM}]"))
        }
        Stage::Synthesize if rejected.is_some() => Some(
            "[Nothing may be approved in this run, so the plan was not carried out. Tell the user what you \
                would have done.]"
                .to_owned(),
        ),
        Stage::Execute => {
            let steps = plan.into_iter().flat_map(|plan| &plan.steps).zip(1..);
            let steps: Vec<String> = steps.map(|(step, number)| format!("{number}. {}", step.title)).collect();
            Some(format!(
                "[The user approved the plan with these steps instead:\n{}\nMake the calls for them now, natively or \
                in this form: {FORM}]",
                steps.join("\n")
            ))
        }
        Stage::Repair => Some(format!(
            "[Your last answer is not a plan that can be read. {} Answer again with one JSON object and nothing else, in \
            this form: {FORM}]",
            reason(unread(state))
        )),
        Stage::Synthesize if stages.is_planned && stages.has_failed() && stages.replans == MAX_REPLANS => {
            Some("[No more plans: tell the user what is done, what is not, and why.]".to_owned())
        }
        _ => plan.filter(|plan| stages.is_planned && plan.steps_left_out > 0).map(|plan| {
            let (kept, left_out) = (plan.steps.len() as u64, plan.steps_left_out as u64);
            format!("[Your plan is too long or repeats itself: {} kept, {left_out} left out.]", plural(kept, "step"))
        }),
    }
}
