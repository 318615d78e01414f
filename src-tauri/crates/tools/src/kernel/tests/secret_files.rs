use super::repeated::answer;
use super::*;
use serde_json::json;

/// Changes of a file of secrets that can't be made or change nothing.
fn guesses() -> [(&'static str, Value); 4] {
    let patch = "*** Begin Patch\n*** Update File: .env\n@@\n-PIN=1\n+PIN=2\n*** End Patch";
    [
        ("edit_file", json!({"path": ".env", "edits": [{"old_text": "PIN=1", "new_text": "x"}]})),
        ("apply_patch", json!({"patch": patch})),
        ("write_file", json!({"path": ".env", "content": "NAME=Ada"})),
        ("delete_file", json!({"path": "sub/.env"})),
    ]
}

async fn guessing(tool_id: &str, args: Value, approve: ApprovalMode) -> Bench {
    let bench = Bench::new(Vec::new(), approve);
    std::fs::write(bench.folder.path().join(".env"), "NAME=Ada").unwrap();
    bench.called(tool_id, args).await;
    bench
}

#[tokio::test]
async fn what_a_file_of_secrets_lacks_is_told_only_once_the_user_agrees() {
    for (tool_id, args) in guesses() {
        let bench = guessing(tool_id, args, ApprovalMode::All).await;
        let outcome = bench.carry_on().await;
        let CallOutcome::AwaitingApproval(approval_id) = outcome else { panic!("{tool_id}: {outcome:?}") };
        answer(&bench, approval_id, ApprovalDecision::Approve).await;
        assert_eq!(bench.carry_on().await, CallOutcome::Finished, "{tool_id}");
        assert_eq!(std::fs::read_to_string(bench.folder.path().join(".env")).unwrap(), "NAME=Ada");
    }
}

#[tokio::test]
async fn where_nobody_agrees_nothing_is_told() {
    for (tool_id, args) in guesses() {
        let bench = guessing(tool_id, args, ApprovalMode::Never).await;
        assert_eq!(bench.carry_on().await, CallOutcome::Finished);
        let (told, code) = bench.result();
        assert_eq!(code.as_deref(), Some(Code::POLICY_DENIED.0), "{tool_id}: {told}");
        assert!(!told.contains("Ada"), "{tool_id}: {told}");
    }
}
