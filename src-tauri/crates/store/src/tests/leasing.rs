use super::{Fixture, HandClock, START_MS, created, options_with, parsed, started};
use crate::{LEASE_TTL, LeaseRequest, Store, StoreError};
use arki_domain::projection::SessionState;
use arki_domain::{RunId, SessionId};
use serde_json::json;

const TTL_MS: i64 = LEASE_TTL.as_millis() as i64;

fn busy(session: &SessionId) -> Result<(), StoreError> {
    Err(StoreError::SessionBusy { session_id: session.clone(), pid: 1 })
}

#[tokio::test]
async fn a_session_is_run_by_one_at_a_time() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::new();
    store.leases().acquire(&session, "a", 1).await.unwrap();
    assert_eq!(store.leases().acquire(&session, "b", 2).await, busy(&session));
    store.leases().acquire(&session, "a", 1).await.unwrap();
    store.leases().acquire(&SessionId::new(), "b", 2).await.unwrap();
}

#[tokio::test]
async fn a_silent_lease_is_taken_over_and_its_owner_learns_of_it() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    fixture.store.leases().acquire(&session, "a", 1).await.unwrap();
    fixture.clock.set(START_MS + TTL_MS);
    assert_eq!(fixture.store.leases().acquire(&session, "b", 2).await, busy(&session));
    fixture.clock.set(START_MS + TTL_MS + 1);
    fixture.store.leases().acquire(&session, "b", 2).await.unwrap();
    assert!(!fixture.store.leases().renew(&session, "a").await.unwrap());
    assert!(fixture.store.leases().renew(&session, "b").await.unwrap());
}

#[tokio::test]
async fn a_renewed_lease_holds_on() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    fixture.store.leases().acquire(&session, "a", 1).await.unwrap();
    fixture.clock.set(START_MS + TTL_MS);
    assert!(fixture.store.leases().renew(&session, "a").await.unwrap());
    fixture.clock.set(START_MS + 2 * TTL_MS);
    assert_eq!(fixture.store.leases().acquire(&session, "b", 2).await, busy(&session));
}

#[tokio::test]
async fn a_lease_from_a_clock_that_was_set_back_does_not_hold_for_ever() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    fixture.store.leases().acquire(&session, "a", 1).await.unwrap();
    fixture.clock.set(START_MS - TTL_MS - 1);
    fixture.store.leases().acquire(&session, "b", 2).await.unwrap();
}

#[tokio::test]
async fn a_dead_owner_is_replaced_at_once() {
    let Fixture { path, .. } = &Fixture::new();
    let store = Store::open(path, options_with(&HandClock::new())).unwrap().with_process_check(|pid| pid != 1);
    let session = SessionId::new();
    store.leases().acquire(&session, "a", 1).await.unwrap();
    store.leases().acquire(&session, "b", 2).await.unwrap();
}

#[tokio::test]
async fn a_lease_is_released_only_by_its_owner() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::new();
    store.leases().acquire(&session, "a", 1).await.unwrap();
    store.leases().release(&session, "b").await.unwrap();
    assert_eq!(store.leases().acquire(&session, "b", 2).await, busy(&session));
    store.leases().release(&session, "a").await.unwrap();
    store.leases().acquire(&session, "b", 2).await.unwrap();
}

#[tokio::test]
async fn a_run_that_nobody_runs_is_shown_as_interrupted() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let states = || {
        let reader = fixture.store.reader();
        (reader.lists().session(&session).unwrap().unwrap().state, reader.lists().run(&run).unwrap().unwrap().state)
    };
    fixture.store.leases().acquire(&session, "a", 1).await.unwrap();
    fixture.append(&session, vec![created("t", "/p"), started(&run, "hi")]).await;
    assert_eq!(states(), (SessionState::Running, SessionState::Running));
    fixture.clock.set(START_MS + TTL_MS + 1);
    assert_eq!(states(), (SessionState::Interrupted, SessionState::Interrupted));
    fixture.append(&session, vec![parsed(&run, "run.paused", &json!({"reason": "user"}))]).await;
    assert_eq!(states(), (SessionState::Paused, SessionState::Paused));
}

#[tokio::test]
async fn whoever_runs_a_session_is_asked_and_nobody_else() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::new();
    assert!(!store.leases().request(&session, LeaseRequest::Stop).await.unwrap());
    store.leases().acquire(&session, "a", 1).await.unwrap();
    let asked = |owner| store.reader().lists().lease_request(&session, owner).unwrap();
    assert_eq!(asked("a"), None);
    for (request, expected) in [
        (LeaseRequest::Pause, LeaseRequest::Pause),
        (LeaseRequest::Stop, LeaseRequest::Stop),
        (LeaseRequest::Pause, LeaseRequest::Stop),
    ] {
        assert!(store.leases().request(&session, request).await.unwrap());
        assert_eq!((asked("a"), asked("b")), (Some(expected), None));
    }
    assert!(store.leases().renew(&session, "a").await.unwrap());
    assert_eq!(asked("a"), Some(LeaseRequest::Stop));
}

#[tokio::test]
async fn a_request_ends_with_the_lease_it_was_made_to() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let asked = |owner| fixture.store.reader().lists().lease_request(&session, owner).unwrap();
    fixture.store.leases().acquire(&session, "a", 1).await.unwrap();
    fixture.store.leases().request(&session, LeaseRequest::Stop).await.unwrap();
    fixture.clock.set(START_MS + TTL_MS + 1);
    assert!(!fixture.store.leases().request(&session, LeaseRequest::Stop).await.unwrap());
    fixture.store.leases().acquire(&session, "b", 2).await.unwrap();
    assert_eq!((asked("a"), asked("b")), (None, None));
}

#[tokio::test]
async fn the_one_that_runs_a_session_is_known_while_it_lives() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let holder = || fixture.store.reader().lists().lease_holder(&session).unwrap();
    assert_eq!(holder(), None);
    fixture.store.leases().acquire(&session, "a", 7).await.unwrap();
    assert_eq!(holder(), Some(("a".to_owned(), 7)));
    fixture.clock.set(START_MS + TTL_MS + 1);
    assert_eq!(holder(), None);
}
