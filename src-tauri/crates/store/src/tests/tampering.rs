//! Tests of what the database itself refuses, whoever asks.

use super::{Fixture, created, foreign};
use arki_domain::SessionId;

const REFUSED: &str = "events are append-only";

async fn with_two_events() -> (Fixture, rusqlite::Connection) {
    let fixture = Fixture::new();
    fixture.append(&SessionId::from("s"), vec![created("t", "/p"), created("u", "/p")]).await;
    let foreign = foreign(&fixture.path);
    (fixture, foreign)
}

#[tokio::test]
async fn no_statement_changes_or_replaces_or_deletes_an_event() {
    let (_fixture, foreign) = with_two_events().await;
    for sql in [
        "UPDATE events SET payload = '{}'",
        "UPDATE events SET ts = ts",
        "UPDATE OR REPLACE events SET seq = 1 WHERE seq = 2",
        "DELETE FROM events WHERE seq = 2",
        "REPLACE INTO events SELECT * FROM events WHERE seq = 1",
        "INSERT OR REPLACE INTO events (rowid, event_id, session_id, seq, ts, type, payload, prev_hash, hash) \
         VALUES (1, 'e', 'other', 1, 0, 't', '{}', '', '')",
        "INSERT INTO events SELECT * FROM events WHERE seq = 1 ON CONFLICT DO UPDATE SET payload = '{}'",
    ] {
        let refusal = foreign.execute(sql, []).map_err(|error| error.to_string());
        assert_eq!(refusal, Err(REFUSED.to_owned()), "{sql}");
    }
}

#[tokio::test]
async fn a_session_that_is_being_removed_may_lose_its_events_and_no_other() {
    let (fixture, foreign) = with_two_events().await;
    fixture.append(&SessionId::from("other"), vec![created("t", "/p")]).await;
    foreign.execute("INSERT INTO session_removals VALUES ('s')", []).unwrap();
    assert_eq!(foreign.execute("DELETE FROM events WHERE session_id = 's'", []), Ok(2));
    assert!(foreign.execute("DELETE FROM events WHERE session_id = 'other'", []).is_err());
}
