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

payload! {
    PlanProposed {
        pub intent: String,
        pub steps: Vec<PlanStep>,
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
