use super::{Fixture, START_MS, approval_requested, approval_resolved, completed, created, started};
use crate::{ApprovalStatus, StoreError};
use arki_domain::{ApprovalDecision, ApprovalId, EventBody, RunId, SessionId};

struct Asked {
    fixture: Fixture,
    session: SessionId,
    run: RunId,
    approval: ApprovalId,
}

impl Asked {
    async fn new() -> Self {
        let asked =
            Self { fixture: Fixture::new(), session: SessionId::new(), run: RunId::new(), approval: ApprovalId::new() };
        let drafts =
            vec![created("t", "/p"), started(&asked.run, "hi"), approval_requested(&asked.run, &asked.approval, None)];
        asked.fixture.append(&asked.session, drafts).await;
        asked
    }

    async fn append(&self, draft: arki_domain::EventDraft) {
        self.fixture.append(&self.session, vec![draft]).await;
    }

    fn pending(&self) -> Vec<ApprovalId> {
        let pending = self.fixture.store.reader().lists().pending_approvals(10).unwrap();
        pending.into_iter().map(|record| record.approval_id).collect()
    }

    fn status(&self) -> ApprovalStatus {
        self.fixture.store.reader().lists().approval(&self.approval).unwrap().unwrap().status
    }
}

#[tokio::test]
async fn a_question_waits_in_the_inbox_with_the_event_that_asked() {
    let asked = Asked::new().await;
    let record = asked.fixture.store.reader().lists().approval(&asked.approval).unwrap().unwrap();
    assert_eq!((record.session_id, record.run_id), (asked.session.clone(), Some(asked.run.clone())));
    assert_eq!((record.requested.seq, record.requested.ts), (3, START_MS));
    assert_eq!(record.status, ApprovalStatus::Pending);
    assert!(record.resolved.is_none());
    assert_eq!(asked.pending(), [asked.approval]);
}

#[tokio::test]
async fn an_answered_question_leaves_the_inbox_and_keeps_its_answer() {
    let asked = Asked::new().await;
    asked.append(approval_resolved(&asked.run, &asked.approval, "reject")).await;
    assert!(asked.pending().is_empty());
    let record = asked.fixture.store.reader().lists().approval(&asked.approval).unwrap().unwrap();
    assert_eq!(record.status, ApprovalStatus::Resolved(ApprovalDecision::Reject));
    assert!(matches!(record.resolved.unwrap().body(), EventBody::ApprovalResolved(_)));
}

#[tokio::test]
async fn of_two_answers_the_first_counts_and_the_second_leaves_no_event() {
    let asked = Asked::new().await;
    let store = &asked.fixture.store;
    let answer =
        |decision| store.append(&asked.session, vec![approval_resolved(&asked.run, &asked.approval, decision)]);
    let (first, second) = tokio::join!(answer("reject"), answer("approve"));
    assert_eq!(first.unwrap().len(), 1);
    assert_eq!(second.unwrap_err(), StoreError::ApprovalDecided { approval_id: asked.approval.clone() });
    assert_eq!(asked.status(), ApprovalStatus::Resolved(ApprovalDecision::Reject));
    assert_eq!(store.reader().log().events(&asked.session, 0, 10).unwrap().events.len(), 4);
}

#[tokio::test]
async fn a_stale_question_gives_way_to_the_one_that_replaces_it() {
    let asked = Asked::new().await;
    let newer = ApprovalId::new();
    asked.append(approval_requested(&asked.run, &newer, Some(&asked.approval))).await;
    assert_eq!(asked.status(), ApprovalStatus::Superseded);
    assert_eq!(asked.pending(), [newer]);
}

#[tokio::test]
async fn nobody_is_asked_for_a_run_that_has_ended() {
    let asked = Asked::new().await;
    asked.append(completed(&asked.run)).await;
    assert_eq!(asked.status(), ApprovalStatus::RunEnded);
    assert!(asked.pending().is_empty());
}

#[tokio::test]
async fn the_newest_question_comes_first_and_the_limit_holds() {
    let asked = Asked::new().await;
    asked.fixture.clock.set(START_MS + 1);
    let newer = ApprovalId::new();
    asked.append(approval_requested(&asked.run, &newer, None)).await;
    assert_eq!(asked.pending(), [newer.clone(), asked.approval.clone()]);
    let first = asked.fixture.store.reader().lists().pending_approvals(1).unwrap();
    assert_eq!(first[0].approval_id, newer);
    assert_eq!(first[0].request().unwrap().approval_id, newer);
}

#[tokio::test]
async fn an_unknown_approval_is_none() {
    let asked = Asked::new().await;
    assert!(asked.fixture.store.reader().lists().approval(&ApprovalId::from("x")).unwrap().is_none());
}
