//! What the model is told between two stages, beyond what the system prompt and the results say.

use super::next::{MAX_REPLANS, unread, words as reason};
use arki_domain::projection::{PlanVersion, RunState};
use arki_domain::{Stage, plural};

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
    match stage {
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
