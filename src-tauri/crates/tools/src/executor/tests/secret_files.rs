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

#[cfg(unix)]
#[tokio::test]
async fn another_name_of_a_file_of_secrets_asks_like_the_file() {
    for (tool_id, args) in [
        ("read_file", json!({"path": "notes.txt"})),
        ("read_file", json!({"path": "link"})),
        ("run_command", json!({"command": "cat ./notes.txt"})),
        ("write_file", json!({"path": "notes.txt", "content": "x"})),
    ] {
        let bench = Bench::new(Vec::new(), ApprovalMode::All);
        let root = bench.folder.path();
        std::fs::create_dir(root.join("deep")).unwrap();
        std::fs::write(root.join("deep/.env"), "NAME=Ada").unwrap();
        std::fs::hard_link(root.join("deep/.env"), root.join("notes.txt")).unwrap();
        std::os::unix::fs::symlink("notes.txt", root.join("link")).unwrap();
        bench.called(tool_id, args.clone()).await;
        let outcome = bench.carry_on().await;
        assert!(matches!(outcome, CallOutcome::AwaitingApproval(_)), "{tool_id} {args}: {outcome:?}");
    }
    let bench = Bench::new(Vec::new(), ApprovalMode::Ask);
    std::fs::write(bench.folder.path().join("a.txt"), "Ada").unwrap();
    std::fs::hard_link(bench.folder.path().join("a.txt"), bench.folder.path().join("b.txt")).unwrap();
    bench.called("read_file", json!({"path": "b.txt"})).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished, "several names alone are no reason to ask");
}
