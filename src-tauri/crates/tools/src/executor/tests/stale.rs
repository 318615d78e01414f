//! Tests of changes between the last look at a file and its writing.

use super::repeated::answer;
use super::*;
use serde_json::json;

/// The change was approved, and just before it is written the file becomes `theirs`, or goes.
async fn overtaken(tool_id: &str, args: Value, theirs: Option<&'static str>) -> (Bench, CallOutcome) {
    let bench = Bench::new(Vec::new(), ApprovalMode::Ask);
    let path = bench.folder.path().join("a");
    std::fs::write(&path, "one\ntwo\n").unwrap();
    bench.called(tool_id, args).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!("not asked") };
    answer(&bench, approval_id, ApprovalDecision::Approve).await;
    *bench.kept.then.lock().unwrap() = Some(Box::new(move || match theirs {
        Some(theirs) => std::fs::write(path, theirs).unwrap(),
        None => std::fs::remove_file(path).unwrap(),
    }));
    let outcome = bench.carry_on().await;
    (bench, outcome)
}

#[tokio::test]
async fn a_file_that_changes_as_it_is_about_to_be_written_gives_a_fresh_preview() {
    let writing = json!({"path": "a", "content": "mine\n"});
    let editing = json!({"path": "a", "edits": [{"old_text": "two", "new_text": "2"}]});
    for (tool_id, args, theirs, mine) in [
        ("write_file", writing.clone(), Some("theirs\n"), "mine\n"),
        ("write_file", writing, None, "mine\n"),
        ("edit_file", editing, Some("theirs\ntwo\n"), "theirs\n2\n"),
    ] {
        let (bench, outcome) = overtaken(tool_id, args, theirs).await;
        let CallOutcome::AwaitingApproval(fresh) = outcome else { panic!("{tool_id}: {outcome:?}") };
        assert_eq!(std::fs::read_to_string(bench.folder.path().join("a")).ok().as_deref(), theirs, "{tool_id}");
        answer(&bench, fresh, ApprovalDecision::Approve).await;
        assert_eq!(bench.carry_on().await, CallOutcome::Finished);
        assert_eq!(std::fs::read_to_string(bench.folder.path().join("a")).unwrap(), mine, "{tool_id}");
    }
}

#[tokio::test]
async fn a_change_that_then_fits_nowhere_is_told_to_the_model() {
    let editing = json!({"path": "a", "edits": [{"old_text": "two", "new_text": "2"}]});
    for theirs in [Some("theirs\n"), None] {
        let (bench, outcome) = overtaken("edit_file", editing.clone(), theirs).await;
        assert_eq!(outcome, CallOutcome::Finished);
        assert_eq!(std::fs::read_to_string(bench.folder.path().join("a")).ok().as_deref(), theirs);
        assert_eq!(bench.result().1.as_deref(), Some("STALE_PREVIEW"));
    }
}
