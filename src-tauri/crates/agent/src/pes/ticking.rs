//! The states of a plan's steps, as the calls made for it have ended.
//!
//! A model says which calls it makes, not for which step: they belong to the steps in their order, one each, or evenly
//! where there are more calls than steps. A step never goes back to an earlier state, so that what the model itself says
//! with `update_plan` stays.

use arki_domain::projection::{CallEnd, PlanVersion, PlannedCall, Stages};
use arki_domain::{PlanStep, PlanStepState};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TickMoment {
    /// More may come.
    Between,
    /// The answer is there. A step whose calls came to nothing is skipped. One without a call stays as it is: nothing
    /// shows that its work was done, whatever the answer says.
    End,
}

/// Returns the steps with their new states; `None` where none has another.
pub(super) fn ticked(plan: &PlanVersion, stages: &Stages, moment: TickMoment) -> Option<Vec<PlanStep>> {
    if stages.steps == 0 || stages.steps != plan.steps.len() {
        return None;
    }
    let current = stages.calls.iter().position(|call| call.end.is_none()).map(|call| step_of(call, stages));
    let mut steps = plan.steps.clone();
    for (place, step) in steps.iter_mut().enumerate() {
        let calls = stages.calls.iter().enumerate().filter(|(call, _)| step_of(*call, stages) == place);
        let calls: Vec<&PlannedCall> = calls.map(|(_, call)| call).collect();
        if calls.is_empty() && current != Some(place) {
            continue;
        }
        let is_done = calls.iter().all(|call| call.end == Some(CallEnd::Done));
        let state = match moment {
            TickMoment::End if is_done => PlanStepState::Done,
            TickMoment::End => PlanStepState::Skipped,
            TickMoment::Between if is_done => PlanStepState::Done,
            TickMoment::Between if current == Some(place) => PlanStepState::InProgress,
            TickMoment::Between => PlanStepState::Pending,
        };
        if rank(state) > rank(step.state) {
            step.state = state;
        }
    }
    (steps != plan.steps).then_some(steps)
}

fn step_of(call: usize, stages: &Stages) -> usize {
    if stages.calls.len() <= stages.steps { call } else { call * stages.steps / stages.calls.len() }
}

fn rank(state: PlanStepState) -> u8 {
    match state {
        PlanStepState::Pending => 0,
        PlanStepState::InProgress => 1,
        PlanStepState::Done | PlanStepState::Skipped => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::CallId;

    const DONE: Option<CallEnd> = Some(CallEnd::Done);
    const FAILED: Option<CallEnd> = Some(CallEnd::Failed);

    /// One letter a step: pending, working, done, skipped.
    fn check(before: &str, ends: &[Option<CallEnd>], moment: TickMoment, after: &str) {
        let of_letter = |letter| match letter {
            'p' => PlanStepState::Pending,
            'w' => PlanStepState::InProgress,
            'd' => PlanStepState::Done,
            _ => PlanStepState::Skipped,
        };
        let steps = |letters: &str| -> Vec<PlanStep> {
            letters.chars().map(|letter| PlanStep { title: "t".into(), state: of_letter(letter) }).collect()
        };
        let plan = PlanVersion { seq: 1, intent: String::new(), steps: steps(before), steps_left_out: 0 };
        let call = |end: &Option<CallEnd>| PlannedCall { call_id: CallId::from("c"), end: *end };
        let stages = Stages { steps: before.len(), calls: ends.iter().map(call).collect(), ..Stages::default() };
        let expected = (before != after).then(|| steps(after));
        assert_eq!(ticked(&plan, &stages, moment), expected, "{before} {ends:?}");
    }

    #[test]
    fn steps_are_done_with_their_calls_in_order() {
        check("ppp", &[None, None], TickMoment::Between, "wpp");
        check("wpp", &[DONE, None], TickMoment::Between, "dwp");
        check("dwp", &[DONE, DONE], TickMoment::Between, "ddp");
    }

    #[test]
    fn a_step_without_a_call_is_never_ticked() {
        check("pp", &[], TickMoment::End, "pp");
        check("pp", &[DONE], TickMoment::End, "dp");
        check("ddp", &[DONE, DONE], TickMoment::End, "ddp");
        check("pdp", &[DONE], TickMoment::End, "ddp");
    }

    #[test]
    fn more_calls_than_steps_are_shared_out_evenly() {
        check("pp", &[DONE, None, None, None], TickMoment::Between, "wp");
        check("wp", &[DONE, DONE, None, None], TickMoment::Between, "dw");
        check("dw", &[DONE, DONE, DONE, DONE], TickMoment::Between, "dd");
    }

    #[test]
    fn a_step_whose_call_failed_is_not_done_and_none_goes_back() {
        check("wp", &[FAILED, DONE], TickMoment::Between, "wd");
        check("wd", &[FAILED, DONE], TickMoment::End, "sd");
        check("dd", &[FAILED, None], TickMoment::Between, "dd");
    }
}
