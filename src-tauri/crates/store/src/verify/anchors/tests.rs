use super::*;
use crate::tests::{Fixture, created, foreign};
use rusqlite::Connection;

const KEY: [u8; 32] = [7; 32];
const FREE_OF_GUARDS: &str = "DROP TRIGGER events_are_never_updated; DROP TRIGGER events_are_never_deleted;";

fn session() -> SessionId {
    SessionId::from("s")
}

/// Five events, the first three of them vouched for.
async fn anchored() -> (Fixture, Connection) {
    let fixture = Fixture::new();
    fixture.append(&session(), (0..3).map(|n| created(&n.to_string(), "/p")).collect()).await;
    assert_eq!(fixture.store.anchor(&session(), &KEY).await, Ok(3));
    fixture.append(&session(), vec![created("3", "/p"), created("4", "/p")]).await;
    let foreign = foreign(&fixture.path);
    foreign.execute_batch(FREE_OF_GUARDS).unwrap();
    (fixture, foreign)
}

fn found(fixture: &Fixture, key: Option<&[u8; 32]>) -> (bool, bool, Option<u64>, AnchorFinding) {
    let of = |session: Option<&SessionId>| {
        fixture.store.reader().verifier().verify_anchored(session, key).unwrap().remove(0)
    };
    let report = of(None);
    assert_eq!(of(Some(&session())), report);
    (report.ok, report.anchored, report.first_broken_seq, report.anchor)
}

/// Ends the log after event `seq`, as whoever knows how the chain works would.
fn cut_off(foreign: &Connection, seq: i64) {
    foreign.execute("DELETE FROM events WHERE seq > ?1", [seq]).unwrap();
    let end = "UPDATE sessions SET last_seq = ?1, last_hash = (SELECT hash FROM events WHERE seq = ?1)";
    foreign.execute(end, [seq]).unwrap();
}

/// Another event `seq` at the end, with the hash that it should have.
fn rewrite_last(fixture: &Fixture, foreign: &Connection, seq: u64) {
    cut_off(foreign, signed(seq));
    let mut event = fixture.store.reader().log().page(&session(), None, 1).unwrap().events.remove(0);
    event.ts += 1;
    event.hash = event.computed_hash().unwrap();
    foreign
        .execute("UPDATE events SET ts = ?1, hash = ?2 WHERE seq = ?3", params![event.ts, event.hash, signed(seq)])
        .unwrap();
    foreign.execute("UPDATE sessions SET last_hash = ?1", [event.hash]).unwrap();
}

#[tokio::test]
async fn a_log_that_was_vouched_for_and_has_grown_since_holds() {
    let (fixture, _foreign) = anchored().await;
    assert_eq!(found(&fixture, Some(&KEY)), (true, true, None, AnchorFinding::Holds));
    assert_eq!(fixture.store.anchor(&session(), &KEY).await, Ok(5));
    assert_eq!(found(&fixture, Some(&KEY)), (true, true, None, AnchorFinding::Holds));
}

#[tokio::test]
async fn without_a_key_or_an_anchor_the_chain_alone_decides() {
    let (fixture, foreign) = anchored().await;
    assert_eq!(found(&fixture, None), (true, false, None, AnchorFinding::Absent));
    foreign.execute_batch("DELETE FROM anchors").unwrap();
    assert_eq!(found(&fixture, Some(&KEY)), (true, false, None, AnchorFinding::Absent));
}

#[tokio::test]
async fn a_log_that_was_cut_off_before_its_anchor_is_found_where_it_ends() {
    let (fixture, foreign) = anchored().await;
    cut_off(&foreign, 2);
    assert_eq!(found(&fixture, Some(&KEY)), (false, false, Some(3), AnchorFinding::CutOff));
    assert_eq!(found(&fixture, None), (true, false, None, AnchorFinding::Absent));
}

#[tokio::test]
async fn what_came_after_the_anchor_can_be_cut_off_unseen() {
    let (fixture, foreign) = anchored().await;
    cut_off(&foreign, 3);
    assert_eq!(found(&fixture, Some(&KEY)), (true, true, None, AnchorFinding::Holds));
}

#[tokio::test]
async fn a_session_of_which_only_the_anchor_is_left_is_reported() {
    let (fixture, foreign) = anchored().await;
    foreign.execute_batch("DELETE FROM events; DELETE FROM sessions").unwrap();
    assert_eq!(found(&fixture, Some(&KEY)), (false, false, Some(1), AnchorFinding::CutOff));
}

#[tokio::test]
async fn a_rewritten_log_is_found_though_its_chain_is_whole() {
    let (fixture, foreign) = anchored().await;
    rewrite_last(&fixture, &foreign, 3);
    assert_eq!(found(&fixture, None), (true, false, None, AnchorFinding::Absent));
    assert_eq!(found(&fixture, Some(&KEY)), (false, false, Some(3), AnchorFinding::Rewritten));
}

#[tokio::test]
async fn an_anchor_that_was_changed_is_forged() {
    for change in [
        "mac = substr(mac, 1, 17) || '00' || substr(mac, 20)",
        "mac = substr(mac, 1, 60)",
        "mac = 'x'",
        "mac = x'00'",
        "seq = 2",
        "seq = -1",
        "seq = 'x'",
        "hash = (SELECT hash FROM events WHERE seq = 2)",
        "seq = 2, hash = (SELECT hash FROM events WHERE seq = 2)",
    ] {
        let (fixture, foreign) = anchored().await;
        foreign.execute_batch(&format!("UPDATE anchors SET {change}")).unwrap();
        assert_eq!(found(&fixture, Some(&KEY)), (false, false, Some(5), AnchorFinding::Forged), "{change}");
    }
}

#[tokio::test]
async fn an_anchor_of_another_session_vouches_for_nothing() {
    let (fixture, foreign) = anchored().await;
    let other = SessionId::from("other");
    fixture.append(&other, vec![created("t", "/p")]).await;
    fixture.store.anchor(&other, &KEY).await.unwrap();
    foreign
        .execute_batch(
            "UPDATE anchors SET mac = (SELECT mac FROM anchors WHERE session_id = 'other') WHERE session_id = 's'",
        )
        .unwrap();
    let report = fixture.store.reader().verifier().verify_anchored(Some(&session()), Some(&KEY)).unwrap().remove(0);
    assert_eq!(report.anchor, AnchorFinding::Forged);
}

#[tokio::test]
async fn a_lost_key_proves_nothing_and_the_next_one_takes_over() {
    let (fixture, _foreign) = anchored().await;
    let next = [8; 32];
    assert_eq!(found(&fixture, Some(&next)), (true, false, None, AnchorFinding::OtherKey));
    assert_eq!(fixture.store.anchor(&session(), &next).await, Ok(5));
    assert_eq!(found(&fixture, Some(&next)), (true, true, None, AnchorFinding::Holds));
}

#[tokio::test]
async fn a_new_anchor_never_hides_what_the_old_one_shows() {
    let (fixture, foreign) = anchored().await;
    cut_off(&foreign, 2);
    let refused = fixture.store.anchor(&session(), &KEY).await;
    assert_eq!(refused, Err(StoreError::SessionBroken { session_id: session(), seq: 3 }));
    assert_eq!(found(&fixture, Some(&KEY)).3, AnchorFinding::CutOff);
}

#[tokio::test]
async fn a_log_whose_end_is_not_the_one_remembered_is_not_vouched_for() {
    let (fixture, foreign) = anchored().await;
    foreign.execute_batch("DELETE FROM events WHERE seq = 5").unwrap();
    let refused = fixture.store.anchor(&session(), &KEY).await;
    assert_eq!(refused, Err(StoreError::SessionBroken { session_id: session(), seq: 5 }));
    assert_eq!(fixture.store.anchor(&SessionId::from("unknown"), &KEY).await, Ok(0));
}

#[test]
fn no_two_sets_of_parts_have_the_same_code() {
    let code = |session, seq, hash| mac(&KEY, session, seq, hash).finalize().into_bytes();
    assert_ne!(code("ab", 1, "c"), code("a", 1, "bc"));
    assert_ne!(code("a", 1, "b"), code("a", 2, "b"));
    assert_ne!(code("a", 1, "b"), mac(&[8; 32], "a", 1, "b").finalize().into_bytes());
}
