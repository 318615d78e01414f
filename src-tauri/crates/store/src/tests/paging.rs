use super::{Fixture, created};
use crate::MAX_PAGE_BYTES;
use crate::database::row::OF_SESSION;
use arki_domain::{Event, SessionId};

async fn ten() -> (Fixture, SessionId) {
    let fixture = Fixture::new();
    let session = SessionId::new();
    fixture.append(&session, (0..10).map(|_| created("t", "/p")).collect()).await;
    fixture.append(&SessionId::new(), vec![created("other", "/p")]).await;
    (fixture, session)
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn pages_lead_from_the_end_to_the_beginning() {
    let (fixture, session) = ten().await;
    let page = |before| fixture.store.reader().log().page(&session, before, 4).unwrap();
    let last = page(None);
    assert_eq!((seqs(&last.events), last.has_more), (vec![7, 8, 9, 10], true));
    let first = page(Some(5));
    assert_eq!((seqs(&first.events), first.has_more), (vec![1, 2, 3, 4], false));
    assert!(page(Some(1)).events.is_empty());
}

#[tokio::test]
async fn events_lead_from_any_point_to_the_end() {
    let (fixture, session) = ten().await;
    let events = |after| fixture.store.reader().log().events(&session, after, 6).unwrap();
    let first = events(0);
    assert_eq!((seqs(&first.events), first.has_more), (vec![1, 2, 3, 4, 5, 6], true));
    let rest = events(6);
    assert_eq!((seqs(&rest.events), rest.has_more), (vec![7, 8, 9, 10], false));
    assert!(events(10).events.is_empty());
    assert!(!fixture.store.reader().log().events(&SessionId::new(), 0, 6).unwrap().has_more);
}

#[tokio::test]
async fn a_page_ends_when_it_holds_too_many_bytes() {
    let (fixture, session) = ten().await;
    let large = format!(
        "INSERT INTO events SELECT event_id, run_id, session_id, seq + 10, ts, type, \
         '\"' || printf('%.*c', {}, 'x') || '\"', prev_hash, hash FROM events WHERE session_id = ?1 AND seq <= 5",
        MAX_PAGE_BYTES / 3
    );
    super::foreign(&fixture.path).execute(&large, [session.as_str()]).unwrap();
    let page = fixture.store.reader().log().page(&session, None, 100).unwrap();
    assert_eq!((seqs(&page.events), page.has_more), (vec![13, 14, 15], true));
}

/// What makes the last page as cheap in a long session as in a short one.
#[tokio::test]
async fn every_read_of_a_session_goes_through_its_index() {
    let (fixture, _) = ten().await;
    let foreign = super::foreign(&fixture.path);
    for bounds in ["seq < 9 ORDER BY seq DESC", "seq > 2 ORDER BY seq", "seq BETWEEN 1 AND 9 ORDER BY seq"] {
        let sql = format!("EXPLAIN QUERY PLAN SELECT * FROM events WHERE {OF_SESSION} AND {bounds} LIMIT 5");
        let mut statement = foreign.prepare(&sql).unwrap();
        let plan: Vec<String> = statement.query_map(["s"], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
        assert_eq!(plan.len(), 1, "{plan:?}");
        assert!(plan[0].starts_with("SEARCH events USING INDEX"), "{plan:?}");
    }
}

/// The index has only the end of the id.
#[tokio::test]
async fn sessions_whose_ids_end_alike_are_told_apart() {
    let fixture = Fixture::new();
    let sessions = ["one-of-00000000", "two-of-00000000", "00000000", "0"].map(SessionId::from);
    for title in ["a", "b", "c"] {
        for session in &sessions {
            fixture.append(session, vec![created(title, session.as_str())]).await;
        }
    }
    let reader = fixture.store.reader();
    for session in &sessions {
        let page = reader.log().page(session, None, 2).unwrap();
        assert_eq!((seqs(&page.events), page.has_more), (vec![2, 3], true));
        assert!(page.events.iter().all(|event| event.session_id == *session));
        assert_eq!(reader.log().last_seq(session).unwrap(), 3);
        assert_eq!(reader.log().event(session, 1).unwrap().unwrap().session_id, *session);
    }
    let reports = reader.verifier().verify(None).unwrap();
    assert_eq!(reports.len(), sessions.len());
    assert!(reports.iter().all(|report| report.ok && report.events == 3), "{reports:?}");
    assert!(reader.verifier().verify(Some(&sessions[1])).unwrap()[0].ok);
}
