use super::{
    Fixture, HandClock, START_MS, approval_requested, called, created, foreign, options_with, started, subagent_created,
};
use crate::{EventSearchQuery, LEASE_TTL, REMOVAL_BATCH_EVENTS, RemovedSessions, Store, StoreError, UsageMark};
use arki_domain::{
    ApprovalId, Content, ContentKind, EventDraft, PartialAnswer, RunId, SessionForked, SessionId, sha256_hex,
};
use serde_json::json;

fn nothing(_: &[u8]) -> Vec<String> {
    Vec::new()
}

async fn remove(store: &Store, session: &str) -> Result<RemovedSessions, StoreError> {
    store.upkeep().remove_session(&session.into(), "me", nothing).await
}

fn found(store: &Store, text: &str) -> usize {
    store
        .reader()
        .search(&EventSearchQuery { text: text.into(), limit: 100, ..EventSearchQuery::default() })
        .unwrap()
        .len()
}

/// A session with a row in every table.
async fn fill(fixture: &Fixture, id: &str, word: &str) {
    let (session, run) = (SessionId::from(id), RunId::new());
    let store = &fixture.store;
    fixture.append(&session, vec![created(word, "/p"), started(&run, word)]).await;
    fixture.append(&session, vec![approval_requested(&run, &ApprovalId::new(), None)]).await;
    let changed = json!({"path": "a", "beforeHash": null, "afterHash": "ab", "callId": "c", "hunks": []});
    fixture.append(&session, vec![super::parsed(&run, "file.changed", &changed)]).await;
    let partial = PartialAnswer { run_id: run, turn: 1, text: word.into(), thoughts: String::new() };
    store.keep_partial(&session, Some(partial)).await.unwrap();
    store.contents().put_snapshot(&session, 1, word.as_bytes()).await.unwrap();
    let bytes = word.as_bytes().to_vec();
    let content = Content { hash: sha256_hex(&bytes), bytes, kind: ContentKind::Plain };
    store.contents().put_contents(&session, vec![content]).await.unwrap();
    store.leases().acquire(&session, "me", 1).await.unwrap();
    store.upkeep().index_for_search().await.unwrap();
}

/// Returns the number of rows of each table that could hold some of a session.
fn rows(fixture: &Fixture) -> Vec<String> {
    let connection = foreign(&fixture.path);
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%session_id%' ORDER BY name")
        .unwrap();
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let count = |table: &String| -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    tables.iter().map(|table| format!("{table} {}", count(table))).collect()
}

#[tokio::test]
async fn what_was_used_is_read_on_from_a_mark_until_something_is_removed() {
    let fixture = Fixture::new();
    let request = || {
        let payload = json!({"turn": 1, "provider": "p", "model": "m", "requestHash": "", "messageCount": 1});
        super::parsed(&RunId::new(), "engine.request", &payload)
    };
    let read = |mark| {
        let mut told = 0;
        let count = |_: &arki_domain::Event, project: &str| {
            assert_eq!(project, "/p");
            told += 1;
        };
        let next = fixture.store.reader().log().each_usage_event_after(mark, count).unwrap();
        (told, next)
    };
    for id in ["a", "b"] {
        fixture.append(&id.into(), vec![created(id, "/p"), request()]).await;
    }
    let (told, mark) = read(UsageMark::default());
    let mark = mark.unwrap();
    assert_eq!((told, mark.is_beginning()), (2, false));
    assert_eq!(read(mark), (0, Some(mark)));
    fixture.append(&"a".into(), vec![request()]).await;
    assert_eq!(read(mark).0, 1);
    remove(&fixture.store, "b").await.unwrap();
    assert_eq!(read(mark), (0, None));
    assert_eq!(read(UsageMark::default()).0, 2);
}

#[tokio::test]
async fn a_removed_session_is_gone_from_everywhere_and_the_others_stay() {
    let fixture = Fixture::new();
    fill(&fixture, "keep", "stays").await;
    let before = rows(&fixture);
    assert!(before.len() >= 10 && !before.contains(&"partials 0".to_owned()), "{before:?}");
    fill(&fixture, "remove", "vanishes").await;
    assert!(found(&fixture.store, "vanishes") > 0);
    fixture.clock.set(START_MS + 2 * 60 * 60 * 1000);
    remove(&fixture.store, "remove").await.unwrap();
    assert_eq!(rows(&fixture), before);
    assert_eq!((found(&fixture.store, "vanishes"), found(&fixture.store, "stays")), (0, 2));
    let reader = fixture.store.reader();
    let bytes = |word: &str| reader.contents().blob(&sha256_hex(word.as_bytes())).unwrap();
    assert_eq!((bytes("vanishes"), bytes("stays")), (None, Some(b"stays".to_vec())));
    assert!(
        reader.verifier().verify(None).unwrap().iter().all(|report| report.ok && report.session_id.as_str() == "keep")
    );
    assert_eq!(remove(&fixture.store, "remove").await, Err(StoreError::SessionNotFound { wanted: "remove".into() }));
}

#[tokio::test]
async fn a_removal_that_was_killed_is_finished_by_the_next_start() {
    let fixture = Fixture::new();
    fill(&fixture, "keep", "stays").await;
    let before = rows(&fixture);
    fill(&fixture, "remove", "vanishes").await;
    fixture.clock.set(START_MS + 60 * 1000);
    fixture.store.upkeep().begin_removal(&"remove".into(), "me").await.unwrap();
    assert_ne!(rows(&fixture), before);
    let next = Store::open(&fixture.path, options_with(&fixture.clock)).unwrap();
    next.upkeep().finish_removals(nothing).await.unwrap();
    assert_eq!(rows(&fixture), before);
    assert_eq!(next.reader().contents().blob(&sha256_hex(b"vanishes")).unwrap(), None, "however young it is");
    assert!(next.reader().contents().blob(&sha256_hex(b"stays")).unwrap().is_some());
    let noted = "SELECT count(*) FROM meta WHERE key LIKE 'removal%'";
    assert_eq!(foreign(&fixture.path).query_row(noted, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[tokio::test]
async fn a_session_with_forks_stays_until_they_are_gone() {
    let Fixture { store, .. } = &Fixture::new();
    let forked = EventDraft::of_session(SessionForked { created: None, from_session: "a".into(), from_seq: 1 });
    store.append(&"a".into(), vec![created("t", "/p")]).await.unwrap();
    store.append(&"b".into(), vec![created("t", "/p"), forked]).await.unwrap();
    assert_eq!(
        remove(store, "a").await,
        Err(StoreError::SessionHasForks { session_id: "a".into(), forks: vec!["b".to_owned()] })
    );
    remove(store, "b").await.unwrap();
    remove(store, "a").await.unwrap();
}

#[tokio::test]
async fn a_sub_agents_session_goes_with_its_parents_or_alone() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    fixture.append(&"parent".into(), vec![created("t", "/p")]).await;
    for id in ["one", "two", "three"] {
        fixture.append(&id.into(), vec![subagent_created("explorer", "parent")]).await;
    }
    let fork = EventDraft::of_session(SessionForked { created: None, from_session: "one".into(), from_seq: 1 });
    fixture.append(&"fork".into(), vec![subagent_created("explorer", "one"), fork]).await;
    assert_eq!(remove(store, "two").await.unwrap().subagents, []);
    let forked = StoreError::SessionHasForks { session_id: "one".into(), forks: vec!["fork".to_owned()] };
    assert_eq!(remove(store, "parent").await, Err(forked));
    assert_eq!(store.reader().lists().sessions(10, 0).unwrap().len(), 4, "all or none");
    remove(store, "fork").await.unwrap();
    let removed = remove(store, "parent").await.unwrap();
    assert_eq!(removed.subagents, [SessionId::from("one"), SessionId::from("three")]);
    assert_eq!(store.reader().lists().sessions(10, 0).unwrap(), []);
    assert!(rows(&fixture).contains(&"events 0".to_owned()));
}

#[tokio::test]
async fn a_session_that_another_one_runs_is_not_removed() {
    let fixture = Fixture::new();
    fixture.append(&"a".into(), vec![created("t", "/p")]).await;
    fixture.store.leases().acquire(&"a".into(), "other", 7).await.unwrap();
    assert_eq!(remove(&fixture.store, "a").await, Err(StoreError::SessionBusy { session_id: "a".into(), pid: 7 }));
    fixture.clock.set(START_MS + LEASE_TTL.as_millis() as i64 + 1);
    remove(&fixture.store, "a").await.unwrap();
}

#[tokio::test]
async fn the_file_becomes_smaller() {
    let Fixture { store, path, .. } = &Fixture::new();
    store.append(&"small".into(), vec![created("t", "/p")]).await.unwrap();
    let long = json!("x".repeat(100_000));
    for session in ["a", "b"] {
        let drafts = vec![called(&RunId::from("r"), long.clone()); 100];
        store.append(&session.into(), drafts).await.unwrap();
    }
    store.upkeep().index_for_search().await.unwrap();
    let sizes = store.reader().sizes().unwrap();
    let freed = remove(store, "a").await.unwrap().freed_bytes;
    assert!((10_000_000..11_000_000).contains(&freed), "{freed}");
    assert_eq!(store.reader().sizes().unwrap().free_bytes, 0);
    store.close().unwrap();
    let bytes = path.metadata().unwrap().len();
    assert!(bytes <= sizes.database_bytes - freed, "{bytes} of {}", sizes.database_bytes);
}

#[tokio::test]
async fn a_tail_and_the_index_notice_what_comes_in_the_place_of_removed_events() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let other = Store::open(&fixture.path, options_with(&HandClock::new())).unwrap();
    fixture.append(&"a".into(), vec![created("first", "/p")]).await;
    let mut tail = other.commits().tail().unwrap();
    for (removed, word) in [("b", "second"), ("c", "third")] {
        fixture.append(&removed.into(), vec![created("gone", "/p"); REMOVAL_BATCH_EVENTS + 1]).await;
        while !tail.poll().unwrap().is_empty() {}
        store.upkeep().index_for_search().await.unwrap();
        remove(store, removed).await.unwrap();
        fixture.append(&"a".into(), vec![created(word, "/p")]).await;
        other.upkeep().index_for_search().await.unwrap();
        assert_eq!((found(store, word), found(store, "gone")), (1, 0));
    }
    fixture.append(&"a".into(), vec![created("fourth", "/p")]).await;
    // It slept through one of the two.
    let seqs: Vec<u64> = tail.poll().unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(seqs, [3, 4]);
}

#[tokio::test]
async fn a_removal_that_a_crash_cut_off_is_finished_by_the_next_one() {
    let fixture = Fixture::new();
    for session in ["a", "b"] {
        fixture.append(&session.into(), vec![created("t", "/p"); 3]).await;
    }
    let cut_off = "INSERT INTO session_removals VALUES ('a'); DELETE FROM sessions WHERE session_id = 'a'; \
                   DELETE FROM events WHERE session_id = 'a' AND seq = 1";
    foreign(&fixture.path).execute_batch(cut_off).unwrap();
    let reports = fixture.store.reader().verifier().verify(None).unwrap();
    assert_eq!(reports.iter().map(|report| report.session_id.as_str()).collect::<Vec<_>>(), ["b"]);
    fixture.store.upkeep().collect_garbage(u64::MAX, nothing).await.unwrap();
    assert_eq!(fixture.store.reader().sizes().unwrap().events, 3);
    fixture.append(&"a".into(), vec![created("anew", "/p")]).await;
}

#[tokio::test]
async fn sizes_and_ages_tell_what_could_be_removed() {
    let fixture = Fixture::new();
    for (offset, session, count) in [(0, "a", 1), (1, "b", 5), (2, "c", 3)] {
        fixture.clock.set(START_MS + offset);
        fixture.append(&session.into(), vec![created(&format!("title {session}"), "/p"); count]).await;
    }
    let reader = fixture.store.reader();
    let sizes = reader.sizes().unwrap();
    let named: Vec<_> = sizes.largest.iter().map(|(id, title, _)| (id.as_str(), title.as_str())).collect();
    assert_eq!(named, [("b", "title b"), ("c", "title c"), ("a", "title a")]);
    assert_eq!((sizes.events, sizes.blobs_bytes), (9, 0));
    assert!(sizes.database_bytes > 0 && sizes.log_bytes > 0);
    let older = reader.lists().sessions_older_than(START_MS + 2).unwrap();
    assert_eq!(older.iter().map(|session| session.session_id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
}

#[tokio::test]
async fn a_session_is_as_old_as_the_youngest_of_its_sub_agents() {
    let fixture = Fixture::new();
    fixture.append(&"parent".into(), vec![created("t", "/p")]).await;
    fixture.append(&"child".into(), vec![subagent_created("explorer", "parent")]).await;
    fixture.append(&"orphan".into(), vec![subagent_created("explorer", "gone")]).await;
    let older = |than| -> Vec<String> {
        let older = fixture.store.reader().lists().sessions_older_than(than).unwrap();
        older.into_iter().map(|session| session.session_id.to_string()).collect()
    };
    assert_eq!(older(START_MS + 1), ["orphan", "parent"], "the child goes with its parent");
    fixture.clock.set(START_MS + 5);
    fixture.append(&"child".into(), vec![started(&RunId::new(), "go on")]).await;
    assert_eq!(older(START_MS + 1), ["orphan"]);
}

#[tokio::test]
async fn a_session_that_says_it_works_for_itself_can_be_removed() {
    let fixture = Fixture::new();
    let forked = SessionForked { created: None, from_session: "fork".into(), from_seq: 1 };
    fixture.append(&"fork".into(), vec![created("t", "/p"), EventDraft::of_session(forked)]).await;
    fixture.append(&"agent".into(), vec![subagent_created("helper", "agent")]).await;
    assert_eq!(fixture.store.reader().lists().subagent_sessions(&"agent".into()).unwrap(), []);
    for session in ["fork", "agent"] {
        assert_eq!(remove(&fixture.store, session).await.unwrap().subagents, []);
    }
    assert_eq!(fixture.store.reader().lists().sessions(9, 0).unwrap(), []);
}
