//! Nothing that the user didn't approve as such opens a secret file or a file of the user's outside the project.

use super::repeated::answer;
use super::*;
use serde_json::json;

/// A project with a secret file, and a file beside it.
fn bench(approve: ApprovalMode) -> (Bench, tempfile::NamedTempFile) {
    let bench = Bench::in_sandbox(approve);
    let root = bench.folder.path();
    std::fs::write(root.join(".env"), "PIN=TOPSECRETVALUE\n").unwrap();
    let beside = tempfile::NamedTempFile::new_in(root.parent().unwrap()).unwrap();
    std::fs::write(beside.path(), "TAXES").unwrap();
    let recipe = format!("test:\n\t-base64 .env\n\t-rev {}\n\t@echo ran\n", beside.path().display());
    std::fs::write(root.join("Makefile"), recipe).unwrap();
    (bench, beside)
}

async fn ran(bench: &Bench, line: &str) -> String {
    bench.called("run_command", json!({"command": line})).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished, "{line}");
    bench.result().0
}

fn is_closed(told: &str) -> bool {
    !told.contains("UElOPV") && !told.contains("SEXAT")
}

#[tokio::test]
async fn a_build_opens_neither_however_it_was_allowed() {
    for (approve, line) in [
        (ApprovalMode::Never, "make test"),
        (ApprovalMode::Edits, "make test"),
        (ApprovalMode::All, "make test"),
        (ApprovalMode::All, "sh -c \"$(echo make) test\""),
        (ApprovalMode::All, "f=.en; base64 ${f}v; rev ../.tmp*; echo ran"),
    ] {
        let (bench, _beside) = bench(approve);
        let told = ran(&bench, line).await;
        assert!(is_closed(&told) && told.contains("ran"), "{approve:?} {line}: {told}");
    }
}

#[tokio::test]
async fn the_user_is_told_before_one_can_and_it_can_once() {
    let (bench, _beside) = bench(ApprovalMode::Ask);
    bench.called("run_command", json!({"command": "test -f .env && make test"})).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!() };
    let shown = bench.log.0.lock().unwrap().iter().rev().find_map(|event| match event.body() {
        EventBody::ApprovalRequested(requested) => requested.command.unwrap().confinement,
        _ => None,
    });
    assert!(shown.unwrap().reads_private);
    answer(&bench, approval_id, ApprovalDecision::Approve).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    let told = bench.result().0;
    assert!(told.contains("SEXAT"), "{told}");
    let told = ran(&bench, "make test").await;
    assert!(is_closed(&told), "{told}");
}

/// `npm ci` with the network sends what it can read.
#[tokio::test]
async fn a_known_line_that_is_asked_about_for_another_reason_opens_neither() {
    let (bench, _beside) = bench(ApprovalMode::Ask);
    bench.called("run_command", json!({"command": "make test", "network": true})).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on().await else { panic!() };
    answer(&bench, approval_id, ApprovalDecision::Approve).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    let told = bench.result().0;
    assert!(is_closed(&told) && told.contains("ran"), "{told}");
}
