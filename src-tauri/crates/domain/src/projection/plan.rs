//! The agent's plan, and the versions before, so that going back in the conversation shows the plan as it was then.

use super::short_text::cut;
use crate::{Event, EventBody, PlanStep};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Versions that are kept; going back further than the oldest shows no plan.
pub const MAX_PLAN_VERSIONS: usize = 20;
/// Steps of a plan that are kept, from its first.
pub const MAX_PLAN_STEPS: usize = 100;
/// Bytes of an intent or of a step's title.
pub const MAX_PLAN_TEXT_BYTES: usize = 500;

/// A fold over a session's events; for a fork over its origins' first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Plan {
    versions: VecDeque<PlanVersion>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanVersion {
    /// The event that said it; 0 for what a fork took over.
    pub seq: u64,
    pub intent: String,
    pub steps: Vec<PlanStep>,
    /// Steps beyond [`MAX_PLAN_STEPS`], or left out by whoever proposed the plan.
    pub steps_left_out: usize,
}

impl Plan {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::PlanProposed(plan) => self.add(event.seq, &plan.intent, &plan.steps, plan.steps_left_out),
            EventBody::PlanUpdated(plan) => {
                // Of the same plan as long as it has as many steps.
                let same = self.current().filter(|current| current.steps.len() == plan.steps.len());
                let left_out = same.map_or(0, |current| current.steps_left_out);
                self.add(event.seq, &plan.intent, &plan.steps, left_out);
            }
            EventBody::SessionRewound(rewound) if rewound.conversation => {
                self.versions.retain(|version| version.seq <= rewound.to_seq);
            }
            EventBody::SessionForked(_) => self.versions.iter_mut().for_each(|version| version.seq = 0),
            _ => {}
        }
    }

    /// `None` when there is no plan, or when it is no longer known after going far back.
    #[must_use]
    pub fn current(&self) -> Option<&PlanVersion> {
        self.versions.back()
    }

    fn add(&mut self, seq: u64, intent: &str, steps: &[PlanStep], left_out: usize) {
        // An update of the steps alone leaves the intent as it was.
        let intent = match self.current() {
            Some(before) if intent.is_empty() => before.intent.clone(),
            _ => cut(intent, MAX_PLAN_TEXT_BYTES).into_owned(),
        };
        let step =
            |step: &PlanStep| PlanStep { title: cut(&step.title, MAX_PLAN_TEXT_BYTES).into_owned(), state: step.state };
        self.versions.push_back(PlanVersion {
            seq,
            intent,
            steps: steps.iter().take(MAX_PLAN_STEPS).map(step).collect(),
            steps_left_out: steps.len().saturating_sub(MAX_PLAN_STEPS) + left_out,
        });
        if self.versions.len() > MAX_PLAN_VERSIONS {
            self.versions.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{PlanProposed, PlanStepState, PlanUpdated, SessionForked, SessionId, SessionRewound};

    fn steps(titles: &[&str]) -> Vec<PlanStep> {
        titles.iter().map(|title| PlanStep { title: (*title).into(), state: PlanStepState::Pending }).collect()
    }

    fn apply(plan: &mut Plan, seq: u64, body: impl Into<EventBody>) {
        let body = body.into();
        plan.apply(&event(seq, body.clone()), &body);
    }

    fn rewound(to_seq: u64, conversation: bool) -> SessionRewound {
        SessionRewound { to_seq, files: !conversation, conversation, checkpoint_id: None, changes: Vec::new() }
    }

    fn of_three_versions() -> Plan {
        let mut plan = Plan::default();
        apply(&mut plan, 1, PlanProposed { intent: "go".into(), steps: steps(&["a"]), steps_left_out: 0 });
        apply(&mut plan, 5, PlanUpdated { intent: String::new(), steps: steps(&["a", "b"]) });
        apply(&mut plan, 9, PlanUpdated { intent: "stop".into(), steps: Vec::new() });
        plan
    }

    fn shown(plan: &Plan) -> Option<(&str, usize)> {
        plan.current().map(|plan| (plan.intent.as_str(), plan.steps.len()))
    }

    #[test]
    fn an_update_of_the_steps_alone_keeps_the_intent() {
        let mut plan = of_three_versions();
        assert_eq!(shown(&plan), Some(("stop", 0)));
        apply(&mut plan, 10, PlanUpdated { intent: String::new(), steps: steps(&["c"]) });
        assert_eq!(shown(&plan), Some(("stop", 1)));
    }

    #[test]
    fn going_back_in_the_conversation_shows_the_plan_of_that_moment() {
        for (to_seq, expected) in [(0, None), (1, Some(("go", 1))), (8, Some(("go", 2))), (9, Some(("stop", 0)))] {
            let mut plan = of_three_versions();
            apply(&mut plan, 20, rewound(to_seq, true));
            assert_eq!(shown(&plan), expected, "back to {to_seq}");
        }
    }

    #[test]
    fn going_back_with_files_alone_leaves_the_plan() {
        let mut plan = of_three_versions();
        apply(&mut plan, 20, rewound(0, false));
        assert_eq!(shown(&plan), Some(("stop", 0)));
    }

    #[test]
    fn a_fork_goes_on_with_its_origins_plan_and_cannot_lose_it() {
        let mut plan = of_three_versions();
        apply(&mut plan, 2, SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 9 });
        apply(&mut plan, 3, rewound(2, true));
        assert_eq!(shown(&plan), Some(("stop", 0)));
    }

    #[test]
    fn versions_steps_and_texts_have_their_limits() {
        let mut plan = Plan::default();
        let title = "x".repeat(2 * MAX_PLAN_TEXT_BYTES);
        let all = steps(&vec![title.as_str(); MAX_PLAN_STEPS + 3]);
        for seq in 1..=MAX_PLAN_VERSIONS as u64 + 1 {
            apply(&mut plan, seq, PlanProposed { intent: title.clone(), steps: all.clone(), steps_left_out: 0 });
        }
        let current = plan.current().unwrap();
        assert_eq!((current.steps.len(), current.steps_left_out), (MAX_PLAN_STEPS, 3));
        assert_eq!((current.intent.len(), current.steps[0].title.len()), (MAX_PLAN_TEXT_BYTES, MAX_PLAN_TEXT_BYTES));
        assert_eq!(plan.versions.len(), MAX_PLAN_VERSIONS);
        apply(&mut plan, 100, rewound(1, true));
        assert_eq!(plan.current(), None);
    }
}
