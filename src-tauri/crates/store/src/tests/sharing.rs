//! Two stores on one file, as two processes have them.

use super::{Fixture, HandClock, called, created, options_with};
use crate::Store;
use arki_domain::{RunId, SessionId};
use serde_json::json;
use std::sync::Arc;

const WRITERS: usize = 4;
const EVENTS: usize = 25;

/// Half of the writers on either store; each writes to the session that `choose` gives it.
async fn write_at_once(fixture: &Fixture, choose: impl Fn(usize) -> SessionId) {
    let other = Arc::new(Store::open(&fixture.path, options_with(&HandClock::new())).unwrap());
    let one = Arc::new(Store::open(&fixture.path, options_with(&HandClock::new())).unwrap());
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, session) = (if writer % 2 == 0 { one.clone() } else { other.clone() }, choose(writer));
            tokio::spawn(async move {
                for event in 0..EVENTS {
                    let draft = called(&RunId::new(), json!([writer, event]));
                    store.append(&session, vec![draft]).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_extend_one_chain_without_losing_an_event() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    write_at_once(&fixture, |_| session.clone()).await;
    let reports = fixture.store.reader().verifier().verify(None).unwrap();
    assert_eq!((reports[0].ok, reports[0].events), (true, (WRITERS * EVENTS) as u64));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_write_different_sessions() {
    let fixture = Fixture::new();
    write_at_once(&fixture, |writer| SessionId::from(format!("session {writer}"))).await;
    let reports = fixture.store.reader().verifier().verify(None).unwrap();
    assert_eq!(reports.len(), WRITERS);
    assert!(reports.iter().all(|report| report.ok && report.events == EVENTS as u64), "{reports:?}");
}

#[tokio::test]
async fn each_sees_what_the_other_has_stored() {
    let fixture = Fixture::new();
    let other = Store::open(&fixture.path, options_with(&fixture.clock)).unwrap();
    let session = SessionId::new();
    for (title, store) in [("a", &fixture.store), ("b", &other)] {
        store.append(&session, vec![created(title, "/p")]).await.unwrap();
        for reader in [fixture.store.reader(), other.reader()] {
            assert_eq!(reader.lists().session(&session).unwrap().unwrap().title, title);
        }
    }
}

#[tokio::test]
async fn databases_in_memory_are_shared_with_their_readers_and_with_nobody_else() {
    let open = || Store::open_in_memory(options_with(&HandClock::new())).unwrap();
    let (one, two) = (open(), open());
    let session = SessionId::new();
    one.append(&session, vec![created("t", "/p")]).await.unwrap();
    let read = one.read(move |reader| reader.lists().sessions(10, 0)).await.unwrap();
    assert_eq!(read[0].session_id, session);
    assert!(two.reader().lists().sessions(10, 0).unwrap().is_empty());
}

#[test]
fn two_processes_create_the_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("arki.db");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| Store::open(&path, options_with(&HandClock::new())).unwrap());
        }
    });
    assert!(Store::open_read_only(&path).unwrap().verifier().verify(None).unwrap().is_empty());
}
