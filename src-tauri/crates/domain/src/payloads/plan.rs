//! The agent's plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanStepState {
    #[default]
    Pending,
    InProgress,
    Done,
    Skipped,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

payload! {
    PlanProposed {
        pub intent: String,
        pub steps: Vec<PlanStep>,
        /// Steps that are not among `steps`, because the plan has too many or repeats itself.
        #[serde(default, skip_serializing_if = "is_zero")]
        pub steps_left_out: usize,
    }
    PlanUpdated {
        pub intent: String,
        pub steps: Vec<PlanStep>,
    }
    PlanStep {
        pub title: String,
        #[serde(default)]
        pub state: PlanStepState,
    }
}
