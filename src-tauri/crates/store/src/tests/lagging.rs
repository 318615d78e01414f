//! The row of a running session, which may lag behind its log.

use super::{Fixture, START_MS, called, completed, created, foreign, options_with, started};
use crate::chain::projections::MAX_LAG_EVENTS;
use crate::{Store, StoreError};
use arki_domain::{RunId, SessionId};
use serde_json::json;

const FREE_OF_GUARDS: &str = "DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted;";

struct Running {
    fixture: Fixture,
    session: SessionId,
    run: RunId,
}

/// Two events, which the row knows, and as many calls one after the other.
async fn running(calls: u64) -> Running {
    let (fixture, session, run) = (Fixture::new(), SessionId::from("s"), RunId::from("r"));
    fixture.append(&session, vec![created("t", "/p"), started(&run, "go")]).await;
    let running = Running { fixture, session, run };
    for _ in 0..calls {
        running.call().await;
    }
    running
}

impl Running {
    async fn call(&self) {
        self.fixture.append(&self.session, vec![called(&self.run, json!({}))]).await;
    }

    fn known(&self) -> u64 {
        let sql = "SELECT last_seq FROM sessions";
        foreign(&self.fixture.path).query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().unsigned_abs()
    }

    fn broken(&self) -> Option<u64> {
        self.fixture.store.reader().verifier().verify(None).unwrap()[0].first_broken_seq
    }

    fn tamper(&self, sql: &str) {
        foreign(&self.fixture.path).execute_batch(&format!("{FREE_OF_GUARDS} {sql}")).unwrap();
    }
}

#[tokio::test]
async fn the_row_lags_by_a_bounded_number_of_events_and_knows_the_end_once_the_run_has_ended() {
    let running = running(MAX_LAG_EVENTS).await;
    assert_eq!((running.known(), running.broken()), (2, None));
    running.call().await;
    assert_eq!(running.known(), MAX_LAG_EVENTS + 3);
    running.call().await;
    running.fixture.append(&running.session, vec![completed(&running.run)]).await;
    assert_eq!((running.known(), running.broken()), (MAX_LAG_EVENTS + 5, None));
    running.tamper(&format!("DELETE FROM events WHERE seq = {}", MAX_LAG_EVENTS + 5));
    assert_eq!(running.broken(), Some(MAX_LAG_EVENTS + 5));
}

#[tokio::test]
async fn lists_know_within_a_second_when_a_running_session_was_last_used() {
    let running = running(1).await;
    for (ms, known) in [(999, START_MS), (1000, START_MS + 1000), (1500, START_MS + 1000)] {
        running.fixture.clock.set(START_MS + ms);
        running.call().await;
        let listed = running.fixture.store.reader().lists().sessions(1, 0).unwrap();
        assert_eq!(listed[0].updated_at, known);
    }
}

#[tokio::test]
async fn another_process_goes_on_where_the_log_ends() {
    let running = running(3).await;
    let other = Store::open(&running.fixture.path, options_with(&running.fixture.clock)).unwrap();
    let events = other.append(&running.session, vec![called(&running.run, json!({}))]).await.unwrap();
    assert_eq!(events[0].seq, 6);
    running.call().await;
    assert_eq!((running.broken(), running.fixture.store.reader().log().last_seq(&running.session).unwrap()), (None, 7));
}

#[tokio::test]
async fn what_the_row_knows_of_a_running_session_and_what_follows_is_held_against_its_log() {
    for (sql, seq) in [
        ("DELETE FROM events WHERE seq >= 2", 2),
        ("DELETE FROM events WHERE seq = 3", 3),
        ("UPDATE events SET hash = upper(hash) WHERE seq = 2", 2),
        ("UPDATE events SET prev_hash = '' WHERE seq = 4", 4),
        ("UPDATE sessions SET last_seq = 1", 1),
        ("UPDATE sessions SET state = 'done'", 3),
    ] {
        let running = running(3).await;
        running.tamper(sql);
        assert_eq!(running.broken(), Some(seq), "{sql}");
        let refused = running.fixture.store.append(&running.session, vec![called(&running.run, json!({}))]).await;
        assert!(matches!(refused, Err(StoreError::SessionBroken { .. })), "{sql}");
    }
}
