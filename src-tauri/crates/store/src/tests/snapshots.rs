use super::{Fixture, created, foreign};
use crate::{MAX_SNAPSHOT_BYTES, StoreError};
use arki_domain::SessionId;

async fn with_events(count: usize) -> (Fixture, SessionId) {
    let (fixture, session) = (Fixture::new(), SessionId::new());
    fixture.append(&session, vec![created("t", "/p"); count]).await;
    (fixture, session)
}

#[tokio::test]
async fn the_newest_snapshot_of_a_session_is_kept() {
    let (Fixture { store, .. }, session) = &with_events(3).await;
    assert_eq!(store.reader().contents().snapshot(session).unwrap(), None);
    for (last_seq, state, kept) in [(2, "b", (2, "b")), (1, "a", (2, "b")), (3, "c", (3, "c"))] {
        store.contents().put_snapshot(session, last_seq, state.as_bytes()).await.unwrap();
        assert_eq!(store.reader().contents().snapshot(session).unwrap(), Some((kept.0, kept.1.into())));
    }
    assert_eq!(store.reader().contents().snapshot(&SessionId::new()).unwrap(), None);
}

#[tokio::test]
async fn a_damaged_snapshot_is_none() {
    let (Fixture { store, path, .. }, session) = &with_events(1).await;
    store.contents().put_snapshot(session, 1, &[7; 1000]).await.unwrap();
    let whole: Vec<u8> = foreign(path).query_row("SELECT state FROM snapshots", [], |row| row.get(0)).unwrap();
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        foreign(path).execute("UPDATE snapshots SET state = ?1", [&damaged]).unwrap();
        let read = store.reader().contents().snapshot(session).unwrap();
        assert!(read.is_none_or(|(_, state)| state == [7; 1000]), "a change at {place} is not noticed");
        foreign(path).execute("UPDATE snapshots SET state = ?1", [&whole[..place]]).unwrap();
        assert_eq!(store.reader().contents().snapshot(session).unwrap(), None, "cut off at {place}");
    }
}

#[tokio::test]
async fn a_snapshot_of_more_than_the_log_holds_is_none() {
    let (Fixture { store, .. }, session) = &with_events(1).await;
    store.contents().put_snapshot(session, 2, b"ahead").await.unwrap();
    assert_eq!(store.reader().contents().snapshot(session).unwrap(), None);
}

#[tokio::test]
async fn a_snapshot_over_the_limit_is_refused() {
    let (Fixture { store, .. }, session) = &with_events(1).await;
    let refused = store.contents().put_snapshot(session, 1, &vec![0; MAX_SNAPSHOT_BYTES + 1]).await.unwrap_err();
    assert_eq!(refused, StoreError::BlobTooLarge { bytes: MAX_SNAPSHOT_BYTES + 1, limit: MAX_SNAPSHOT_BYTES });
}
