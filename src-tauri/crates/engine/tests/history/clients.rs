//! Several clients of one engine, and what becomes of one that goes away or never listens.

use crate::stage::Stage;
use arki_api::Resolution;
use arki_domain::projection::SessionState;
use arki_domain::{ApprovalDecision, ApprovalId, Code};
use arki_engine::{Client, ClientCapabilities, EventClass, EventFilter, RunEnd};
use arki_testkit::Turn;
use serde_json::json;
use std::sync::Arc;

fn edit() -> Turn {
    Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}))
}

async fn waiting(turns: Vec<Turn>) -> (Stage, ApprovalId) {
    let stage = Stage::new([vec![edit()], turns].concat()).await;
    let (_, end) = stage.run_to_end().await;
    let RunEnd::AwaitingApproval(approval_id) = end else { panic!("{end:?}") };
    (stage, approval_id)
}

fn approve() -> Resolution {
    Resolution::of(ApprovalDecision::Approve)
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_clients_that_decide_the_same_one_wins_and_the_other_is_told() {
    let (stage, approval_id) = waiting(vec![Turn::text("done")]).await;
    let other = Client::attach(&stage.engine, "window", ClientCapabilities { answers: true, stays: true });
    let (one, two) = tokio::join!(
        stage.client.decide(&approval_id, approve()),
        other.decide(&approval_id, Resolution::of(ApprovalDecision::Reject)),
    );
    let (won, lost) = if one.is_ok() { (one, two) } else { (two, one) };
    let refused = lost.map(drop).unwrap_err();
    assert!(refused.is(Code::APPROVAL_ALREADY_RESOLVED), "{refused:?}");
    let (_, handle) = won.unwrap().run.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::Completed { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_while_it_decides_loses_nothing() {
    let (stage, approval_id) = waiting(vec![Turn::text("done")]).await;
    let client = Client::attach(&stage.engine, "window", ClientCapabilities::default());
    let mut deciding = Box::pin(client.decide(&approval_id, approve()));
    // Begun, and then nobody asks any more what came of it.
    let begun = std::future::poll_fn(|context| std::task::Poll::Ready(deciding.as_mut().poll(context).is_pending()));
    assert!(begun.await, "it is not done at once");
    drop(deciding);
    drop(client);
    stage.until(|engine| engine.session_reader().list(1).unwrap()[0].state == SessionState::Done).await;
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_is_dropped_half_way_gives_the_session_back() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two"), Turn::text("three")]).await;
    let (session, _) = stage.run_to_end().await;
    for _ in 0..3 {
        let start = stage.start(arki_engine::RunTarget::Session(session.clone()));
        let mut starting = Box::pin(stage.client.start_run(start));
        let polled = std::future::poll_fn(|context| std::task::Poll::Ready(starting.as_mut().poll(context)));
        assert!(polled.await.is_pending());
    }
    let end = stage.run_in(&session, "and now").await;
    assert!(matches!(end, RunEnd::Completed { .. }), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_can_answer_belongs_to_the_client_that_hosts_the_run() {
    let ask = || Turn::calls().call("ask_user", json!({"question": "Which?"}));
    let stage = Stage::new(vec![ask(), Turn::text("alone"), ask()]).await;
    let window = Client::attach(&stage.engine, "window", ClientCapabilities { answers: true, stays: false });
    // Another client could answer, but this run's cannot: the model is told that nobody is there.
    let (_, end) = stage.run_to_end().await;
    assert!(matches!(end, RunEnd::Completed { .. }), "{end:?}");
    let (_, handle) = window.start_run(stage.new_session()).await.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::AwaitingAnswer(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_client_has_a_folder_of_its_own() {
    let stage = Stage::new(Vec::new()).await;
    let other = Arc::new(Client::attach(&stage.engine, "window", ClientCapabilities::default()));
    let project = other.open(&stage.home.project_dir()).await.unwrap();
    assert_eq!(other.folder().unwrap().display().to_string(), project.path);
    assert_eq!(stage.client.folder(), None);
    assert!(
        other
            .open(&stage.home.project_dir().join("nowhere"))
            .await
            .is_err_and(|fault| fault.is(Code::FOLDER_UNAVAILABLE))
    );
    assert_eq!(other.folder().unwrap().display().to_string(), project.path, "the one before stays open");
}

/// More than the bus holds.
const MORE_THAN_HELD: usize = 17_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_never_reads_is_told_and_catches_up_from_its_cursor() {
    let stage = Stage::new(vec![Turn::text("done")]).await;
    let cursor = stage.engine.end_of_events().await.unwrap();
    let (mut heard, mut witness) = (stage.engine.subscribe(), stage.engine.subscribe());
    let (session, _) = stage.run_to_end().await;
    stage.engine.follow_others().unwrap();
    stage.store_elsewhere(&session, MORE_THAN_HELD).await;
    let mut announced = 0;
    while announced < MORE_THAN_HELD as u64 {
        announced += witness.next().await.unwrap().map_or_else(|lagged| lagged.0, |_| 1);
    }
    let mut missed = 0;
    while let Some(announced) = heard.ready() {
        if let Err(lagged) = announced {
            missed += lagged.0;
        }
    }
    assert!(missed > 0, "it was told that it lagged");
    let stored = stage.engine.session_reader().events_after(&session, 0, 2 * MORE_THAN_HELD).unwrap().events;
    let (mut cursor, mut caught_up) = (Some(cursor), Vec::new());
    loop {
        let page = stage.engine.events_since(cursor.as_deref(), &EventFilter::default(), 1000).await.unwrap();
        caught_up.extend(page.events.iter().map(|event| event.seq));
        cursor = Some(page.next);
        if !page.has_more {
            break;
        }
    }
    assert_eq!(caught_up, stored.iter().map(|event| event.seq).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_away_is_told_only_what_was_asked_for_and_a_strange_cursor_is_refused() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two")]).await;
    let (first, _) = stage.run_to_end().await;
    let (second, _) = stage.run_to_end().await;
    let of_runs = EventFilter { classes: Some(vec![EventClass::Run]), ..EventFilter::default() };
    let of_second = EventFilter { session_id: Some(second.clone()), ..of_runs.clone() };
    let of_nobody = EventFilter { agent: Some("nobody".into()), ..of_runs.clone() };
    let told = async |filter: &EventFilter| {
        let page = stage.second_engine().events_since(None, filter, 1000).await.unwrap();
        page.events.iter().map(|event| (event.session_id.clone(), event.kind.clone())).collect::<Vec<_>>()
    };
    let of = |session: &arki_domain::SessionId| {
        [(session.clone(), "run.started".to_owned()), (session.clone(), "run.completed".to_owned())]
    };
    assert_eq!(told(&of_runs).await, [of(&first), of(&second)].concat());
    assert_eq!(told(&of_second).await, of(&second));
    assert_eq!(told(&of_nobody).await, []);

    let other = Stage::new(Vec::new()).await;
    let strange = other.engine.end_of_events().await.unwrap();
    for cursor in [strange.as_str(), "nonsense"] {
        let refused = stage.engine.events_since(Some(cursor), &of_runs, 10).await.map(drop).unwrap_err();
        assert!(refused.is(Code::CURSOR_UNKNOWN), "{refused:?}");
    }
}
