//! What a run waits for: gates, one at a time, and what runs beneath ask.

use super::*;

#[tokio::test]
async fn a_gate_waits_and_hands_its_input_on() {
    let bench = Bench::new(
        &pipeline(
            "{ name: a, adapter: command, run: append a }
             { name: gate, adapter: approval, message: \"Publish {{input}}?\" }
             { name: c, adapter: command, run: append c }",
        ),
        "x",
    );
    let Ok(RunEnd::AwaitingApproval(asked)) = bench.go().await else { panic!() };
    let state = bench.state();
    let (step, requested) = state.open_gate().unwrap();
    assert_eq!((step, &requested.approval_id), ("gate", &asked));
    assert_eq!(requested.args["message"], "Publish xa?");
    assert_eq!(state.phase, RunPhase::Paused(PauseReason::Approval));
    // Nobody has decided: it waits as before, and nothing more is told.
    let told = bench.events().len();
    assert_eq!(bench.go().await.unwrap(), RunEnd::AwaitingApproval(asked));
    assert_eq!(bench.events().len(), told);
    bench.decide(ApprovalDecision::Approve);
    assert_eq!(bench.output().await, "xac");
    assert_eq!(bench.world.runs("a"), 1);
}

#[tokio::test]
async fn a_rejected_gate_fails_the_run_and_asks_again_when_it_is_resumed() {
    let bench = Bench::new(&pipeline("{ name: gate, adapter: approval, message: go? }"), "x");
    bench.go().await.unwrap();
    bench.decide(ApprovalDecision::Reject);
    assert!(bench.failure().await.is(Code::STEP_REJECTED));
    assert!(matches!(bench.go().await.unwrap(), RunEnd::AwaitingApproval(_)));
    bench.decide(ApprovalDecision::Approve);
    assert_eq!(bench.output().await, "x");
}

#[tokio::test]
async fn a_gate_is_rejected_where_nothing_may_be_approved() {
    let mut bench = Bench::new(
        &pipeline("{ name: gate, adapter: approval, message: go? }\n{ name: b, adapter: command, run: same }"),
        "x",
    );
    bench.approve = ApprovalMode::Never;
    let fault = bench.failure().await;
    assert!(fault.is(Code::STEP_REJECTED) && fault.hint.contains("--approve ask"), "{fault:?}");
    let kinds = ["run.started", "step.started", "approval.requested", "approval.resolved", "step.failed", "run.failed"];
    assert_eq!(bench.kinds(), kinds);
    let gate = bench.state().steps["gate"].gate.clone().unwrap();
    assert_eq!(gate.resolved.unwrap().resolved_by, "approve:never");
    bench.approve = ApprovalMode::Ask;
    bench.go().await.unwrap();
    bench.decide(ApprovalDecision::Approve);
    assert_eq!(bench.output().await, "x");
}

#[tokio::test]
async fn one_gate_is_asked_at_a_time_while_other_steps_go_on() {
    let bench = Bench::new(
        &pipeline(
            "{ name: one, adapter: approval, message: one?, needs: [] }
             { name: two, adapter: approval, message: two?, needs: [] }
             { name: work, adapter: command, run: append w, needs: [] }
             { name: end, adapter: command, run: same, needs: [one, two, work] }",
        ),
        "x",
    );
    bench.go().await.unwrap();
    assert_eq!(bench.world.runs("work"), 1);
    assert_eq!(bench.state().open_gate().unwrap().0, "one");
    assert!(!bench.state().steps.contains_key("two"));
    bench.decide(ApprovalDecision::Approve);
    bench.go().await.unwrap();
    assert_eq!(bench.state().open_gate().unwrap().0, "two");
    bench.decide(ApprovalDecision::Approve);
    assert_eq!(bench.output().await, "x\nx\nxw");
}

#[tokio::test]
async fn a_run_beneath_that_waits_pauses_the_run_and_is_gone_on_with() {
    let bench = Bench::new(
        &pipeline(
            "{ name: judge, adapter: agent, prompt: \"ask {{input}}\" }\n{ name: b, adapter: command, run: append b }",
        ),
        "x",
    );
    assert!(matches!(bench.go().await.unwrap(), RunEnd::AwaitingApproval(_)));
    let child = bench.state().steps["judge"].child.clone().unwrap();
    bench.world.settle();
    assert_eq!(bench.output().await, "answer to: ask xb");
    assert_eq!(bench.state().steps["judge"].child, Some(child), "the same run went on");
    assert_eq!(bench.state().steps["judge"].attempt, 1);
}
