use super::*;
use serde_json::json;

/// A call that was made twice before, in a run that all is granted to.
async fn third(tool_id: &str, args: Value, approve: ApprovalMode) -> Bench {
    let bench = Bench::new(Vec::new(), approve);
    std::fs::write(bench.folder.path().join("a"), "I am a").unwrap();
    bench.called_as("1", tool_id, args.clone()).await;
    bench.carry_on().await;
    bench.also_called("2", tool_id, args.clone()).await;
    bench.carry_on().await;
    bench.also_called("3", tool_id, args).await;
    bench
}

fn last_decided(bench: &Bench) -> PolicyDecided {
    let events = bench.log.0.lock().unwrap();
    let decided = events.iter().rev().find_map(|event| match event.body() {
        EventBody::PolicyDecided(decided) => Some(decided),
        _ => None,
    });
    decided.unwrap()
}

pub(super) async fn answer(bench: &Bench, approval_id: ApprovalId, decision: ApprovalDecision) {
    let events = bench.log.0.lock().unwrap().clone();
    let shown = events.iter().rev().find_map(|event| match event.body() {
        EventBody::ApprovalRequested(requested) => Some(requested.shown_hash().to_owned()),
        _ => None,
    });
    let resolved = ApprovalResolved {
        approval_id,
        decision,
        hunks: None,
        edited: Default::default(),
        command: None,
        plan: None,
        reason: None,
        resolved_by: "cli".into(),
        preview_hash: shown.unwrap(),
        request: None,
    };
    bench.append(vec![resolved.into()]).await;
}

#[tokio::test]
async fn the_third_same_call_asks_whatever_it_is_and_whatever_is_granted() {
    for (tool_id, args) in [
        ("read_file", json!({"path": "a"})),
        ("calculate", json!({"expression": "1"})),
        ("write_file", json!({"path": "b", "content": "x"})),
        // Ones that fail each time are no better.
        ("read_file", json!({"path": 7})),
        ("read_file", json!({"path": "../a"})),
        ("edit_file", json!({"path": "a", "edits": [{"old_text": "not there", "new_text": "x"}]})),
    ] {
        let bench = third(tool_id, args.clone(), ApprovalMode::All).await;
        let outcome = bench.carry_on().await;
        let CallOutcome::AwaitingApproval(_) = outcome else { panic!("{tool_id} {args}: {outcome:?}") };
        let decided = last_decided(&bench);
        assert_eq!((decided.decision, &*decided.rule), (Decision::Approval, REPEATED_RULE), "{tool_id} {args}");
        assert_eq!(decided.reason, "The same call was made 3 times in a row.");
    }
}

#[tokio::test]
async fn of_three_reads_in_one_answer_the_third_waits() {
    let bench = Bench::new(Vec::new(), ApprovalMode::All);
    std::fs::write(bench.folder.path().join("a"), "I am a").unwrap();
    bench.called_as("1", "read_file", json!({"path": "a"})).await;
    bench.also_called("2", "read_file", json!({"path": "a"})).await;
    bench.also_called("3", "read_file", json!({"path": "a"})).await;
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
}

#[tokio::test]
async fn it_is_done_once_the_user_agrees_and_fails_as_it_would_have() {
    for (tool_id, args, code) in [
        ("read_file", json!({"path": "a"}), None),
        ("write_file", json!({"path": "b", "content": "x"}), None),
        ("read_file", json!({"path": 7}), Some(Code::ARGUMENTS_INVALID)),
        ("read_file", json!({"path": "../a"}), Some(Code::PATH_OUTSIDE_PROJECT)),
        (
            "edit_file",
            json!({"path": "a", "edits": [{"old_text": "not there", "new_text": "x"}]}),
            Some(Code::EDIT_NOT_FOUND),
        ),
    ] {
        let bench = third(tool_id, args.clone(), ApprovalMode::All).await;
        let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!("{args}") };
        answer(&bench, approval_id, ApprovalDecision::Approve).await;
        assert_eq!(bench.carry_on().await, CallOutcome::Finished, "{args}");
        assert_eq!(bench.result().1.as_deref(), code.map(|code| code.0), "{args}");
    }
}

#[tokio::test]
async fn a_model_that_is_told_no_hears_why_and_so_does_one_that_nobody_answers() {
    let bench = third("calculate", json!({"expression": "1"}), ApprovalMode::Ask).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!() };
    answer(&bench, approval_id, ApprovalDecision::Reject).await;
    bench.carry_on().await;
    let unanswered = third("calculate", json!({"expression": "1"}), ApprovalMode::Never).await;
    assert_eq!(unanswered.carry_on().await, CallOutcome::Finished);
    for text in [bench.result().0, unanswered.result().0] {
        assert!(text.contains("ejected") && text.contains("3 times in a row. Repeating it"), "{text}");
    }
    assert_eq!(unanswered.result().1.as_deref(), Some(Code::POLICY_DENIED.0));
}
