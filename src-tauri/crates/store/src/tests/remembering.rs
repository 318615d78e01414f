use super::{Fixture, completed, created, foreign, options, parsed, started};
use crate::{MAX_BLOB_BYTES, PinRecord, Store, StoreError, StoreOptions, TrustRecord};
use arki_domain::{PartialAnswer, RunId, SessionId, TrustPin, sha256_hex};
use arki_redaction::Redactor;

fn partial(text: &str) -> PartialAnswer {
    PartialAnswer { run_id: RunId::from("r"), turn: 2, text: text.into(), thoughts: String::new() }
}

#[tokio::test]
async fn the_pieces_of_an_answer_are_kept_until_they_are_cleared() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::new();
    for (piece, whole) in [("He", "He"), ("llo", "Hello"), (" you", "Hello you")] {
        store.keep_partial(&session, Some(partial(piece))).await.unwrap();
        assert_eq!(store.reader().partial(&session).unwrap(), Some(partial(whole)));
    }
    assert_eq!(store.reader().partial(&SessionId::new()).unwrap(), None);
    store.keep_partial(&session, None).await.unwrap();
    assert_eq!(store.reader().partial(&session).unwrap(), None);
}

#[tokio::test]
async fn the_pieces_of_an_answer_that_another_followed_are_left_out() {
    let Fixture { store, .. } = &Fixture::new();
    let session = SessionId::new();
    let next = |text: &str| PartialAnswer { turn: 3, thoughts: "hm".into(), ..partial(text) };
    for piece in [partial("old"), next("new"), next("er")] {
        store.keep_partial(&session, Some(piece)).await.unwrap();
    }
    let whole = PartialAnswer { thoughts: "hmhm".into(), ..next("newer") };
    assert_eq!(store.reader().partial(&session).unwrap(), Some(whole));
}

/// Twice as many pieces are twice as many bytes, not four times.
#[tokio::test]
async fn a_piece_is_written_once_however_long_the_answer_is() {
    let Fixture { store, path, .. } = &Fixture::new();
    let session = SessionId::new();
    for _ in 0..100 {
        store.keep_partial(&session, Some(partial(&"x".repeat(1000)))).await.unwrap();
    }
    let (pieces, longest): (i64, i64) = foreign(path)
        .query_row("SELECT count(*), max(length(partial)) FROM partials", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert!(pieces == 100 && longest < 1100, "{pieces} {longest}");
    assert_eq!(store.reader().partial(&session).unwrap().unwrap().text.len(), 100_000);
}

#[tokio::test]
async fn a_key_in_a_partial_answer_is_redacted() {
    let redactor = Redactor::default();
    redactor.add("lab", "sk-secret-123");
    let key = redactor.redact("sk-secret-123").into_owned();
    let store = Store::open_in_memory(StoreOptions { redactor, ..options() }).unwrap();
    let session = SessionId::new();
    store.keep_partial(&session, Some(partial("sk-secret-123"))).await.unwrap();
    assert_eq!(store.reader().partial(&session).unwrap(), Some(partial(&key)));
}

#[tokio::test]
async fn a_blob_is_stored_once_under_its_hash() {
    let Fixture { store, path, .. } = &Fixture::new();
    for content in [Vec::new(), vec![7; 1 << 20]] {
        let hash = store.contents().put_blob(&content).await.unwrap();
        assert_eq!(store.contents().put_blob(&content).await.unwrap(), hash);
        assert_eq!(hash, sha256_hex(&content));
        assert_eq!(store.reader().contents().blob(&hash).unwrap(), Some(content));
    }
    assert_eq!(store.reader().contents().blob("nothing").unwrap(), None);
    let sizes: (i64, i64) = foreign(path)
        .query_row("SELECT count(*), sum(length(content)) FROM blobs", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert!(sizes.0 == 2 && sizes.1 < 1024, "{sizes:?}");
}

#[tokio::test]
async fn a_blob_that_was_changed_is_not_handed_out() {
    let Fixture { store, path, .. } = &Fixture::new();
    let (one, two) =
        (store.contents().put_blob(b"one").await.unwrap(), store.contents().put_blob(b"two").await.unwrap());
    let swap = "UPDATE blobs SET content = (SELECT content FROM blobs WHERE hash = ?2) WHERE hash = ?1";
    foreign(path).execute(swap, [&one, &two]).unwrap();
    assert!(matches!(store.reader().contents().blob(&one), Err(StoreError::Damaged { path: at, .. }) if at == *path));
    foreign(path).execute("UPDATE blobs SET content = x'00', size = 9000000000000000000", []).unwrap();
    assert!(matches!(store.reader().contents().blob(&two), Err(StoreError::Damaged { .. })));
}

#[tokio::test]
async fn a_content_over_the_limit_is_refused() {
    let Fixture { store, .. } = &Fixture::new();
    let refused = store.contents().put_blob(&vec![0; MAX_BLOB_BYTES + 1]).await.unwrap_err();
    assert_eq!(refused, StoreError::BlobTooLarge { bytes: MAX_BLOB_BYTES + 1, limit: MAX_BLOB_BYTES });
}

#[tokio::test]
async fn the_last_decision_about_a_folder_counts() {
    let Fixture { store, .. } = &Fixture::new();
    let pin = TrustPin { kind: "rules".into(), path: "AGENTS.md".into(), hash: "00".into() };
    let pins = vec![
        PinRecord { pin: pin.clone(), content: Some("Be kind.".into()), forbids: Some("{}".into()) },
        PinRecord { pin, content: None, forbids: None },
    ];
    for record in [
        TrustRecord { trusted: true, pins, decided_at: 1 },
        TrustRecord { trusted: false, pins: Vec::new(), decided_at: 2 },
    ] {
        store.set_trust("/p", record.clone()).await.unwrap();
        assert_eq!(store.reader().trust("/p").unwrap(), Some(record));
    }
    assert_eq!(store.reader().trust("/p/sub").unwrap(), None);
}

#[tokio::test]
async fn the_trusted_folders_are_listed_with_the_newest_first() {
    let Fixture { store, .. } = &Fixture::new();
    for (folder, trusted, decided_at) in [("/a", true, 1), ("/b", false, 2), ("/c", true, 3), ("/d", true, 4)] {
        store.set_trust(folder, TrustRecord { trusted, pins: Vec::new(), decided_at }).await.unwrap();
    }
    store.set_trust("/c", TrustRecord { trusted: false, pins: Vec::new(), decided_at: 5 }).await.unwrap();
    assert_eq!(store.reader().trusted_folders().unwrap(), [("/d".to_owned(), 4), ("/a".to_owned(), 1)]);
}

#[tokio::test]
async fn small_settings_are_remembered() {
    let Fixture { store, .. } = &Fixture::new();
    assert_eq!(store.reader().meta("recent").unwrap(), None);
    for value in ["1", "2"] {
        store.set_meta("recent", value).await.unwrap();
        assert_eq!(store.reader().meta("recent").unwrap().as_deref(), Some(value));
    }
}

#[tokio::test]
async fn only_the_newest_events_are_searched_for_proposals() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    fixture.append(&session, vec![created("a", "/p"), started(&run, "go")]).await;
    for id in ["first", "second"] {
        let reviewed = serde_json::json!({"id": id, "decision": "rejected"});
        fixture.append(&session, vec![parsed(&run, "memory.reviewed", &reviewed), completed(&run)]).await;
    }
    let found = |scanned| {
        let mut found = Vec::new();
        fixture.store.reader().log().each_memory_event(scanned, |event| found.push(event.seq)).unwrap();
        found
    };
    assert_eq!((found(6), found(3), found(2), found(1)), (vec![3, 5], vec![5], vec![5], vec![]));
}
