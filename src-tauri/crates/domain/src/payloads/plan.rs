//! The agent's plan.

payload! {
    #[derive(Default)]
    enum PlanStepState {
        #[default]
        Pending,
        InProgress,
        Done,
        Skipped,
    }

    PlanProposed {
        pub intent: String,
        pub steps: Vec<PlanStep>,
        /// Steps that are not among `steps`, because the plan has too many or repeats itself.
        pub steps_left_out?: usize,
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
