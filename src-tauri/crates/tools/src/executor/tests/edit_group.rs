//! Tests of consecutive edits that are reviewed together.

use super::*;
use arki_domain::GroupedEdit;
use serde_json::json;

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "edits": [{"old_text": old, "new_text": new}]})
}

/// The calls of one answer, and files `a` and `b` with ten numbered lines.
async fn answered(calls: &[(&str, Value)], approve: ApprovalMode) -> Bench {
    let bench = Bench::new(Vec::new(), approve);
    let lines: String = (1..=10).map(|line| format!("line {line}\n")).collect();
    for name in ["a", "b"] {
        std::fs::write(bench.folder.path().join(name), &lines).unwrap();
    }
    bench.append(vec![bench.started().into()]).await;
    for (index, (tool_id, args)) in calls.iter().enumerate() {
        bench.also_called(&index.to_string(), tool_id, args.clone()).await;
    }
    bench
}

fn asked(bench: &Bench) -> ApprovalRequested {
    let events = bench.log.0.lock().unwrap();
    let requested = events.iter().rev().find_map(|event| match event.body() {
        EventBody::ApprovalRequested(requested) => Some(requested),
        _ => None,
    });
    requested.unwrap()
}

async fn approve(bench: &Bench, hunks: Option<&[usize]>) {
    let mut resolved = ApprovalResolved::of(&asked(bench), ApprovalDecision::Approve, "cli");
    resolved.hunks = hunks.map(<[usize]>::to_vec);
    bench.append(vec![resolved.into()]).await;
}

/// Carries out all that waits; returns the results' codes, and `waiting` for a call that asks.
async fn carried_out(bench: &Bench) -> Vec<String> {
    let mut results = Vec::new();
    while !bench.state().pending_calls().is_empty() {
        if let CallOutcome::AwaitingApproval(_) = bench.carry_on().await {
            results.push("waiting".to_owned());
            break;
        }
        let result = bench.whole_result();
        let is_rejected = result.is_error && result.code.is_none();
        let code = result.code.unwrap_or_else(|| if is_rejected { "rejected" } else { "done" }.to_owned());
        results.push(code);
    }
    results
}

fn text(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.folder.path().join(name)).unwrap()
}

#[tokio::test]
async fn consecutive_edits_are_one_question_that_ends_at_the_first_call_of_another_kind() {
    let calls = [
        ("edit_file", edit("a", "line 1\n", "one\n")),
        ("edit_file", edit("b", "line 2\n", "two\n")),
        ("write_file", json!({"path": "c", "content": "new\n"})),
        ("read_file", json!({"path": "a"})),
        ("edit_file", edit("b", "line 9\n", "nine\n")),
    ];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    let CallOutcome::AwaitingApproval(approval_id) = bench.carry_on_together().await else { panic!("not asked") };
    let requested = asked(&bench);
    assert_eq!((&requested.approval_id, requested.call_id.as_ref().unwrap().as_str()), (&approval_id, "0"));
    assert_eq!(requested.args, calls[0].1);
    let group: Vec<&str> = requested.calls.iter().map(|edit: &GroupedEdit| edit.call_id.as_str()).collect();
    assert_eq!(group, ["0", "1", "2"]);
    let preview = requested.preview.clone().unwrap();
    assert_eq!(preview.files_affected, ["a", "b", "c"]);
    let hunks: Vec<_> =
        preview.hunks.iter().map(|hunk| (hunk.index, hunk.call_id.as_ref().unwrap().as_str())).collect();
    assert_eq!(hunks, [(1, "0"), (2, "1"), (3, "2")]);
    let kinds = bench.kinds();
    assert_eq!(kinds[kinds.len() - 4..], ["policy.decided", "policy.decided", "policy.decided", "approval.requested"]);
    assert_eq!(text(&bench, "a").lines().next(), Some("line 1"));

    approve(&bench, None).await;
    assert_eq!(carried_out(&bench).await, ["done", "done", "done", "done", "waiting"]);
    let written: Vec<_> = bench
        .log
        .0
        .lock()
        .unwrap()
        .iter()
        .filter_map(|event| match event.body() {
            EventBody::FileChanged(changed) => Some((changed.path, changed.hunks)),
            _ => None,
        })
        .collect();
    assert_eq!(written, [("a".to_owned(), vec![1]), ("b".to_owned(), vec![2]), ("c".to_owned(), vec![3])]);
    assert_eq!((text(&bench, "a").lines().next(), text(&bench, "c").as_str()), (Some("one"), "new\n"));
    assert!(asked(&bench).calls.is_empty());
}

#[tokio::test]
async fn a_rejected_edit_does_not_hold_the_others_back_and_each_hunk_falls_to_its_own_call() {
    let calls = [
        ("edit_file", edit("a", "line 1\n", "one\n")),
        (
            "edit_file",
            json!({"path": "b", "edits": [
                {"old_text": "line 1\n", "new_text": "one\n"}, {"old_text": "line 10\n", "new_text": "ten\n"},
            ]}),
        ),
    ];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    approve(&bench, Some(&[3])).await;
    assert_eq!(carried_out(&bench).await, ["rejected", "done"]);
    assert_eq!(text(&bench, "a").lines().next(), Some("line 1"));
    let lines = text(&bench, "b");
    assert_eq!((lines.lines().next(), lines.lines().next_back()), (Some("line 1"), Some("ten")));
}

#[tokio::test]
async fn a_later_edit_of_the_same_file_is_shown_on_top_and_falls_with_the_one_below() {
    let on_top = edit("a", "one\n", "uno\n");
    let calls = [("edit_file", edit("a", "line 1\n", "one\n")), ("edit_file", on_top)];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    assert!(asked(&bench).preview.unwrap().diff.ends_with("-one\n+uno\n line 2\n line 3\n line 4\n"));
    approve(&bench, Some(&[2])).await;
    assert_eq!(carried_out(&bench).await, ["rejected", "STALE_PREVIEW"]);
    assert!(bench.result().0.contains("on top of another in the same review"), "{}", bench.result().0);

    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    approve(&bench, None).await;
    assert_eq!(carried_out(&bench).await, ["done", "done"]);
    assert_eq!(text(&bench, "a").lines().next(), Some("uno"));
}

#[tokio::test]
async fn a_later_edit_of_other_lines_of_the_same_file_lands_without_the_earlier_one() {
    let calls = [("edit_file", edit("a", "line 1\n", "one\n")), ("edit_file", edit("a", "line 10\n", "ten\n"))];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    approve(&bench, Some(&[2])).await;
    assert_eq!(carried_out(&bench).await, ["rejected", "done"]);
    let lines = text(&bench, "a");
    assert_eq!((lines.lines().next(), lines.lines().next_back()), (Some("line 1"), Some("ten")));
}

#[tokio::test]
async fn an_edit_whose_file_changed_since_is_asked_about_anew_and_alone() {
    let calls = [("edit_file", edit("a", "line 1\n", "one\n")), ("edit_file", edit("b", "line 1\n", "one\n"))];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    let first = asked(&bench).approval_id;
    approve(&bench, None).await;
    let theirs = text(&bench, "b").replace("line 9", "mine");
    std::fs::write(bench.folder.path().join("b"), &theirs).unwrap();
    assert_eq!(carried_out(&bench).await, ["done", "waiting"]);
    let anew = asked(&bench);
    assert_eq!((anew.supersedes, anew.calls.len()), (Some(first), 0));
    assert_eq!(anew.call_id.unwrap().as_str(), "1");
    assert_eq!(text(&bench, "b"), theirs);
}

#[tokio::test]
async fn what_is_asked_for_another_reason_or_needs_no_question_ends_the_group() {
    for last in [
        ("write_file", json!({"path": ".env", "content": "A=1\n"})),
        ("write_file", json!({"path": ".git/config", "content": "x\n"})),
        ("edit_file", edit("a", "not there", "x")),
        ("edit_file", edit("../a", "line 1\n", "x")),
    ] {
        let calls = [
            ("edit_file", edit("a", "line 1\n", "one\n")),
            ("edit_file", edit("b", "line 1\n", "one\n")),
            last.clone(),
        ];
        let bench = answered(&calls, ApprovalMode::Ask).await;
        bench.carry_on_together().await;
        assert_eq!(asked(&bench).calls.len(), 2, "{last:?}");
    }
    let one = [("edit_file", edit("a", "line 1\n", "one\n")), ("read_file", json!({"path": "a"}))];
    let bench = answered(&one, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    assert!(asked(&bench).calls.is_empty());
    assert!(asked(&bench).preview.unwrap().hunks.iter().all(|hunk| hunk.call_id.is_none()));
}

#[tokio::test]
async fn nobody_is_asked_where_edits_are_allowed_or_nothing_may_be_approved() {
    let calls = [("edit_file", edit("a", "line 1\n", "one\n")), ("edit_file", edit("b", "line 1\n", "one\n"))];
    for (approve, results) in [(ApprovalMode::Edits, ["done", "done"]), (ApprovalMode::Never, ["POLICY_DENIED"; 2])] {
        let bench = answered(&calls, approve).await;
        assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
        assert_eq!(bench.result().1.as_deref().unwrap_or("done"), results[0]);
        assert_eq!(carried_out(&bench).await, results[1..]);
    }
}

#[tokio::test]
async fn a_rejection_of_all_is_told_of_each() {
    let calls = [("edit_file", edit("a", "line 1\n", "one\n")), ("edit_file", edit("a", "one\n", "uno\n"))];
    let bench = answered(&calls, ApprovalMode::Ask).await;
    bench.carry_on_together().await;
    bench.append(vec![ApprovalResolved::of(&asked(&bench), ApprovalDecision::Reject, "cli").into()]).await;
    assert_eq!(carried_out(&bench).await, ["rejected", "rejected"]);
}
