use super::{Fixture, called, created, foreign};
use crate::{StoreError, VerifyReport};
use arki_domain::{RunId, SessionId};
use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};
use serde_json::json;

const FREE_OF_GUARDS: &str = "DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted; \
     DROP TRIGGER events_are_never_replaced;";
const UNGUARDED_COPY: &str = "CREATE TABLE copy AS SELECT * FROM events; DROP TABLE events; \
     ALTER TABLE copy RENAME TO events;";

async fn with_three_events() -> Fixture {
    let fixture = Fixture::new();
    let run = RunId::from("r");
    let drafts = vec![created("t", "/p"), called(&run, json!({"a": 1})), called(&run, json!({"b": 0.1}))];
    fixture.append(&SessionId::from("s"), drafts).await;
    fixture
}

/// Returns where the session `s` of three events is found to be broken after `sql`.
async fn broken_after(sql: &str) -> Option<u64> {
    let fixture = with_three_events().await;
    foreign(&fixture.path).execute_batch(&format!("{FREE_OF_GUARDS} {sql}")).unwrap();
    let report = fixture.store.reader().verifier().verify(Some(&SessionId::from("s"))).unwrap().remove(0);
    assert_eq!(report.ok, report.first_broken_seq.is_none());
    report.first_broken_seq
}

#[tokio::test]
async fn an_untouched_log_is_proven() {
    let fixture = with_three_events().await;
    let report = VerifyReport::sound(SessionId::from("s"), 3);
    for session in [None, Some(&report.session_id)] {
        assert_eq!(fixture.store.reader().verifier().verify(session).unwrap(), std::slice::from_ref(&report));
    }
}

#[tokio::test]
async fn what_is_proven_is_handed_out_on_the_way_up_to_what_is_not() {
    let fixture = with_three_events().await;
    let session = SessionId::from("s");
    let mut handed_out = Vec::new();
    let report =
        fixture.store.reader().verifier().verify_each(&session, |event| handed_out.push(event.hash.clone())).unwrap();
    assert!(report.ok);
    let stored = fixture.store.reader().log().events(&session, 0, 10).unwrap().events;
    assert_eq!(handed_out, stored.into_iter().map(|event| event.hash).collect::<Vec<_>>());

    let change = "UPDATE events SET ts = ts + 1 WHERE seq = 2";
    foreign(&fixture.path).execute_batch(&format!("{FREE_OF_GUARDS} {change}")).unwrap();
    let mut handed_out = Vec::new();
    let report = fixture.store.reader().verifier().verify_each(&session, |event| handed_out.push(event.seq)).unwrap();
    assert_eq!((report.first_broken_seq, handed_out), (Some(2), vec![1]));
    let unknown = fixture.store.reader().verifier().verify_each(&SessionId::from("x"), |_| {});
    assert_eq!(unknown, Err(StoreError::SessionNotFound { wanted: "x".into() }));
}

#[tokio::test]
async fn the_newest_session_is_reported_first_and_an_unknown_one_is_an_error() {
    let fixture = with_three_events().await;
    fixture.append(&SessionId::from("t"), vec![created("t", "/p")]).await;
    let reports = fixture.store.reader().verifier().verify(None).unwrap();
    assert_eq!(reports.iter().map(|report| report.session_id.as_str()).collect::<Vec<_>>(), ["t", "s"]);
    let unknown = fixture.store.reader().verifier().verify(Some(&SessionId::from("x")));
    assert_eq!(unknown, Err(StoreError::SessionNotFound { wanted: "x".into() }));
}

#[tokio::test]
async fn a_change_is_found_where_it_was_made() {
    for (sql, seq) in [
        ("UPDATE events SET payload = replace(payload, '1', '2') WHERE seq = 2", 2),
        ("UPDATE events SET payload = replace(payload, ':', ': ') WHERE seq = 2", 2),
        ("UPDATE events SET ts = ts + 1 WHERE seq = 3", 3),
        ("UPDATE events SET run_id = NULL WHERE seq = 2", 2),
        ("UPDATE events SET run_id = '' WHERE seq = 1", 1),
        ("UPDATE events SET hash = upper(hash) WHERE seq = 1", 1),
        ("UPDATE events SET prev_hash = '' WHERE seq = 1", 1),
        ("UPDATE events SET seq = 9 WHERE seq = 3", 3),
        ("UPDATE events SET seq = 0 WHERE seq = 1", 1),
        ("UPDATE events SET seq = -5 WHERE seq = 1", 1),
        ("UPDATE events SET session_id = 't' WHERE seq = 2", 2),
        ("DELETE FROM events WHERE seq = 1", 1),
        ("DELETE FROM events WHERE seq = 2", 2),
    ] {
        assert_eq!(broken_after(sql).await, Some(seq), "{sql}");
    }
}

#[tokio::test]
async fn a_log_that_was_cut_off_or_goes_on_too_far_is_found() {
    for (sql, seq) in [
        ("DELETE FROM events WHERE seq = 3", 3),
        ("DELETE FROM events", 1),
        ("UPDATE sessions SET last_seq = 2", 3),
        ("UPDATE sessions SET last_seq = 4", 4),
        ("UPDATE sessions SET last_seq = 'x'", 4),
        ("UPDATE sessions SET last_hash = 'x'", 3),
        ("UPDATE sessions SET last_hash = x'00'", 3),
        ("DELETE FROM sessions", 1),
    ] {
        assert_eq!(broken_after(sql).await, Some(seq), "{sql}");
    }
}

#[tokio::test]
async fn values_of_any_type_are_reported_and_never_an_error() {
    for column in ["event_id", "run_id", "seq", "ts", "type", "payload", "prev_hash", "hash"] {
        for value in ["NULL", "1.5", "x'ff00'", "CAST(x'fffe' AS TEXT)", "'{'", "9223372036854775807", "''"] {
            let sql = format!("{UNGUARDED_COPY} UPDATE events SET {column} = {value} WHERE seq = 2");
            let fixture = with_three_events().await;
            foreign(&fixture.path).execute_batch(&sql).unwrap();
            let report = fixture.store.reader().verifier().verify(Some(&SessionId::from("s"))).unwrap().remove(0);
            assert!(matches!(report.first_broken_seq, Some(1..=3)), "{sql}: {report:?}");
            fixture.store.reader().log().page(&SessionId::from("s"), None, 10).unwrap();
        }
    }
}

#[tokio::test]
async fn a_row_of_no_session_is_reported_too() {
    for value in ["NULL", "7", "x'ff00'", "CAST(x'fffe' AS TEXT)"] {
        let fixture = with_three_events().await;
        let sql = format!("{UNGUARDED_COPY} UPDATE events SET session_id = {value} WHERE seq = 3");
        foreign(&fixture.path).execute_batch(&sql).unwrap();
        let reports = fixture.store.reader().verifier().verify(None).unwrap();
        assert_eq!(reports.len(), 2, "{reports:?}");
        assert!(reports.iter().all(|report| !report.ok), "{reports:?}");
    }
}

#[tokio::test]
async fn an_event_that_is_there_twice_is_found() {
    let again = "INSERT INTO events SELECT * FROM events WHERE seq = 2";
    let fixture = with_three_events().await;
    foreign(&fixture.path).execute_batch(&format!("{UNGUARDED_COPY} {again}")).unwrap();
    let report = fixture.store.reader().verifier().verify(None).unwrap().remove(0);
    assert_eq!((report.events, report.first_broken_seq), (4, Some(2)));
}

#[tokio::test]
async fn a_hash_over_a_form_that_is_not_canonical_proves_nothing() {
    let fixture = with_three_events().await;
    let payload = r#"{"b":1, "a":2}"#;
    let mut event = fixture.store.reader().log().page(&SessionId::from("s"), None, 1).unwrap().events.remove(0);
    event.payload = serde_json::value::RawValue::from_string(payload.to_owned()).unwrap();
    let hash = crate::chain::seal::Unhashed::of(&event).hash(payload).unwrap();
    let foreign = foreign(&fixture.path);
    foreign.execute_batch(FREE_OF_GUARDS).unwrap();
    foreign.execute("UPDATE events SET payload = ?1, hash = ?2 WHERE seq = 3", [payload, &hash]).unwrap();
    foreign.execute("UPDATE sessions SET last_hash = ?1", [&hash]).unwrap();
    assert_eq!(fixture.store.reader().verifier().verify(None).unwrap()[0].first_broken_seq, Some(3));
}

#[tokio::test]
async fn tables_that_are_not_arkis_are_damage() {
    for sql in ["DROP TABLE sessions", "DROP TABLE events", "ALTER TABLE events DROP COLUMN ts"] {
        let fixture = with_three_events().await;
        foreign(&fixture.path).execute_batch(&format!("{FREE_OF_GUARDS} {sql}")).unwrap();
        let error = fixture.store.reader().verifier().verify(None).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error}");
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<u64>().prop_map(|value| json!(value)),
        any::<f64>().prop_map(|value| json!(value)),
        ".*".prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
            prop::collection::hash_map(".*", inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Changes one byte of the text of a value; `None` when that is the same value or another number's spelling.
fn with_one_byte_changed(value: ValueRef<'_>, at: usize, mask: u8) -> Option<Value> {
    match value {
        ValueRef::Text(bytes) if !bytes.is_empty() => {
            let mut bytes = bytes.to_owned();
            let at = at % bytes.len();
            bytes[at] ^= mask;
            // SQLite ends a text at its first zero byte when it reads it as one.
            Some(String::from_utf8(bytes).map_or_else(|error| Value::Blob(error.into_bytes()), Value::Text))
        }
        ValueRef::Integer(number) => {
            let mut digits = number.to_string().into_bytes();
            let at = at % digits.len();
            digits[at] = b'0' + mask % 10;
            let changed: i64 = String::from_utf8(digits).ok()?.parse().ok()?;
            (changed != number).then_some(Value::Integer(changed))
        }
        _ => None,
    }
}

/// Returns whether there was something to change.
fn change_one_byte(connection: &Connection, table: &str, row: usize, column: &str, at: usize, mask: u8) -> bool {
    let read = format!("SELECT {column} FROM {table} LIMIT 1 OFFSET {row}");
    let changed = connection.query_row(&read, [], |row| Ok(with_one_byte_changed(row.get_ref(0)?, at, mask))).unwrap();
    let id = if table == "events" { "rowid" } else { "session_id" };
    let write = format!(
        "UPDATE OR IGNORE {table} SET {column} = ?1 WHERE {id} = (SELECT {id} FROM {table} LIMIT 1 OFFSET {row})"
    );
    changed.is_some_and(|value| connection.execute(&write, [value]).unwrap() == 1)
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_chain_of_any_payloads_is_proven_and_any_changed_byte_is_found(
        payloads in prop::collection::vec(any_json(), 1..6),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, any::<usize>(), 1..=255_u8), 12),
    ) {
        let fixture = Fixture::new();
        let (session, run) = (SessionId::new(), RunId::new());
        let rows = payloads.len();
        let drafts = payloads.into_iter().map(|args| called(&run, args)).collect();
        let events = runtime().block_on(fixture.append(&session, drafts));
        for event in events {
            prop_assert_eq!(&event.computed_hash().unwrap(), &event.hash);
        }
        let reader = fixture.store.reader();
        prop_assert!(reader.verifier().verify(None).unwrap()[0].ok);
        let foreign = foreign(&fixture.path);
        foreign.execute_batch(FREE_OF_GUARDS).unwrap();
        for (row, column, at, mask) in changes {
            let (table, column) = [
                ("events", "event_id"), ("events", "run_id"), ("events", "session_id"), ("events", "seq"),
                ("events", "ts"), ("events", "type"), ("events", "payload"), ("events", "prev_hash"),
                ("events", "hash"), ("sessions", "last_seq"), ("sessions", "last_hash"), ("sessions", "session_id"),
            ][column];
            let row = if table == "events" { row.index(rows) } else { 0 };
            foreign.execute_batch("BEGIN").unwrap();
            let is_changed = change_one_byte(&foreign, table, row, column, at, mask);
            foreign.execute_batch("COMMIT").unwrap();
            if is_changed {
                let reports = reader.verifier().verify(None).unwrap();
                prop_assert!(reports.iter().any(|report| !report.ok), "{table}.{column} of row {row} at {at}: {reports:?}");
                return Ok(());
            }
        }
    }
}

#[tokio::test]
async fn a_content_that_is_not_its_hashs_any_more_is_named_with_the_sessions_that_speak_of_it() {
    let fixture = super::Fixture::new();
    let (one, other) = (SessionId::from("one"), SessionId::from("other"));
    let content = |bytes: &[u8]| arki_domain::Content {
        hash: arki_domain::sha256_hex(bytes),
        bytes: bytes.to_vec(),
        kind: arki_domain::ContentKind::Plain,
    };
    for (session, bytes) in [(&one, b"a picture"), (&other, b"another 1")] {
        fixture.append(session, vec![super::created("t", "/p")]).await;
        fixture.store.contents().put_contents(session, vec![content(bytes)]).await.unwrap();
    }
    let reader = fixture.store.reader();
    let whole = reader.verifier().verify_contents(None).unwrap();
    assert_eq!((whole.contents, whole.bytes, whole.damaged.len()), (2, 18, 0));
    let hash = content(b"a picture").hash;
    let other_bytes = "UPDATE blobs SET content = (SELECT content FROM blobs WHERE hash <> ?1) WHERE hash = ?1";
    super::foreign(&fixture.path).execute(other_bytes, [&hash]).unwrap();
    for session in [None, Some(&one)] {
        let damaged = reader.verifier().verify_contents(session).unwrap().damaged;
        assert_eq!((damaged.len(), &damaged[0].content_hash, &damaged[0].sessions), (1, &hash, &vec![one.clone()]));
    }
    assert!(reader.verifier().verify_contents(Some(&other)).unwrap().damaged.is_empty());
}
