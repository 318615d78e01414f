//! A disk without room: SQLite's own limit on pages stands for it, since it fails the same way in the same places.

use super::{Fixture, called, created};
use crate::writer::write::Durability;
use crate::{Store, StoreError};
use arki_domain::{Code, RunId, SessionId};
use serde_json::json;

/// Lets the database grow by this many pages from now on; `None`: as far as it likes.
async fn limit_growth(store: &Store, pages: Option<i64>) {
    let limit = move |connection: &rusqlite::Connection| {
        let count: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let limit = pages.map_or(i64::from(u32::MAX - 1), |pages| count + pages);
        Ok(connection.query_row(&format!("PRAGMA max_page_count = {limit}"), [], |_| Ok(()))?)
    };
    store.write(Durability::Normal, limit).await.unwrap();
}

fn large(bytes: usize) -> Vec<arki_domain::EventDraft> {
    vec![called(&RunId::from("r"), json!("x".repeat(bytes)))]
}

#[tokio::test]
async fn what_does_not_fit_says_so_and_what_was_there_stays() {
    let Fixture { store, path, .. } = &Fixture::new();
    let session = SessionId::from("s");
    store.append(&session, vec![created("t", "/p")]).await.unwrap();
    limit_growth(store, Some(4)).await;
    let error = store.append(&session, large(1 << 20)).await.unwrap_err();
    assert_eq!(error, StoreError::DiskFull { path: path.clone() });
    assert_eq!(error.code(), Code::DISK_FULL);
    assert_eq!(store.reader().log().last_seq(&session).unwrap(), 1);
    assert!(store.reader().verifier().verify(None).unwrap()[0].ok);
}

#[tokio::test]
async fn appending_goes_on_where_it_was_once_there_is_room() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::from("s");
    store.append(&session, vec![created("t", "/p")]).await.unwrap();
    limit_growth(store, Some(0)).await;
    // The last page has room for some more.
    let mut stored = 1;
    let refused = loop {
        match store.append(&session, large(200)).await {
            Ok(events) => stored += events.len() as u64,
            Err(error) => break error,
        }
    };
    assert_eq!(refused.code(), Code::DISK_FULL);
    limit_growth(store, None).await;
    let events = store.append(&session, large(1 << 20)).await.unwrap();
    assert_eq!(events[0].seq, stored + 1);
    let report = store.reader().verifier().verify(None).unwrap().remove(0);
    assert_eq!((report.ok, report.events), (true, stored + 1));
}

#[tokio::test]
async fn everyone_who_writes_at_once_is_told_what_became_of_their_own() {
    let Fixture { store, .. } = &Fixture::new();
    let sessions: Vec<_> = (0..24).map(|n| SessionId::from(format!("s{n:02}"))).collect();
    store.append(&sessions[0], vec![created("t", "/p")]).await.unwrap();
    limit_growth(store, Some(24)).await;
    let appends = sessions.iter().enumerate().map(|(n, session)| {
        let bytes = if n % 3 == 0 { 200_000 } else { 100 };
        store.append(session, large(bytes))
    });
    let answers = join_all(appends).await;
    assert!(answers.iter().any(Result::is_err));
    limit_growth(store, None).await;
    for (n, (session, answer)) in sessions.iter().zip(answers).enumerate() {
        let before = u64::from(n == 0);
        let there = store.reader().log().last_seq(session).unwrap();
        match answer {
            Ok(_) => assert_eq!(there, before + 1, "{session}"),
            Err(error) => {
                assert_eq!((error.code(), there), (Code::DISK_FULL, before), "{session}");
                store.append(session, large(100)).await.unwrap();
            }
        }
    }
    assert!(store.reader().verifier().verify(None).unwrap().iter().all(|report| report.ok));
}

/// All of them polled before any is waited for, so that they share transactions.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    let mut answers: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, answer) in futures.iter_mut().zip(&mut answers).filter(|(_, answer)| answer.is_none()) {
            if let std::task::Poll::Ready(found) = future.as_mut().poll(context) {
                *answer = Some(found);
            }
        }
        if answers.iter().any(Option::is_none) {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(answers.iter_mut().filter_map(Option::take).collect())
    })
    .await
}
