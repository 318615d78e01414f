use super::{Fixture, called, created, options, options_with};
use crate::{MAX_TAIL_PAGE, Store, StoreError, Tail};
use arki_domain::{RunId, SessionId};
use serde_json::json;
use std::time::Instant;

/// Returns what the tail has, as session and number.
fn seen(tail: &mut Tail) -> Vec<(String, u64)> {
    tail.poll().unwrap().iter().map(|event| (event.session_id.to_string(), event.seq)).collect()
}

fn of(session: &str, numbers: std::ops::RangeInclusive<u64>) -> Vec<(String, u64)> {
    numbers.map(|seq| (session.to_owned(), seq)).collect()
}

#[tokio::test]
async fn two_processes_see_each_others_events_once_and_in_order() {
    let fixture = Fixture::new();
    let other = Store::open(&fixture.path, options_with(&fixture.clock)).unwrap();
    fixture.append(&"a".into(), vec![created("before", "/p")]).await;
    let mut tails = [fixture.store.commits().tail().unwrap(), other.commits().tail().unwrap()];
    for (store, session, numbers) in [(&fixture.store, "a", 2..=3), (&other, "b", 1..=2), (&other, "a", 4..=5)] {
        store.append(&session.into(), vec![created("t", "/p"), created("u", "/p")]).await.unwrap();
        for tail in &mut tails {
            assert_eq!(seen(tail), of(session, numbers.clone()));
            assert_eq!(seen(tail), []);
        }
    }
}

#[tokio::test]
async fn what_others_write_besides_events_is_no_news() {
    let fixture = Fixture::new();
    let mut tail = fixture.store.commits().tail().unwrap();
    fixture.store.set_meta("k", "v").await.unwrap();
    assert_eq!(seen(&mut tail), []);
}

#[tokio::test]
async fn a_database_in_memory_is_watched_too() {
    let store = Store::open_in_memory(options()).unwrap();
    let mut tail = store.commits().tail().unwrap();
    store.append(&"a".into(), vec![created("t", "/p")]).await.unwrap();
    assert_eq!(seen(&mut tail), of("a", 1..=1));
    assert_eq!(seen(&mut tail), []);
}

#[tokio::test]
async fn more_than_a_page_comes_in_pages() {
    let fixture = Fixture::new();
    let mut tail = fixture.store.commits().tail().unwrap();
    fixture.append(&"a".into(), vec![created("t", "/p"); MAX_TAIL_PAGE + 1]).await;
    let limit = MAX_TAIL_PAGE as u64;
    assert_eq!(seen(&mut tail), of("a", 1..=limit));
    assert_eq!(seen(&mut tail), of("a", limit + 1..=limit + 1));
    assert_eq!(seen(&mut tail), []);
}

#[tokio::test]
async fn a_page_ends_when_its_payloads_are_long() {
    let fixture = Fixture::new();
    let mut tail = fixture.store.commits().tail().unwrap();
    let long = json!("x".repeat(12 << 20));
    for _ in 0..4 {
        fixture.append(&"a".into(), vec![called(&RunId::from("r"), long.clone())]).await;
    }
    assert_eq!(seen(&mut tail), of("a", 1..=3));
    assert_eq!(seen(&mut tail), of("a", 4..=4));
}

#[tokio::test]
async fn a_closed_store_has_no_tail() {
    let store = Fixture::new().store;
    store.close().unwrap();
    assert_eq!(store.commits().tail().map(|_| ()), Err(StoreError::Closed));
}

/// Printed, not judged: a machine that builds something else at the same time would fail any bound worth having.
#[tokio::test]
async fn an_idle_poll_reads_nothing() {
    let fixture = Fixture::new();
    fixture.append(&SessionId::new(), vec![created("t", "/p"); 100]).await;
    let mut tail = fixture.store.commits().tail().unwrap();
    let started = Instant::now();
    const POLLS: u32 = 10_000;
    assert!((0..POLLS).all(|_| tail.poll().unwrap().is_empty()));
    println!("an idle poll takes {:?}", started.elapsed() / POLLS);
}
