use super::{Fixture, START_MS, completed, created, parsed, started, subagent_created};
use crate::{IdKind, RunRecord};
use arki_domain::projection::SessionState;
use arki_domain::{EventDraft, RunId, SessionConfigured, SessionForked, SessionId};
use serde_json::json;

/// Three sessions, of which the first was used last.
async fn three() -> Fixture {
    let fixture = Fixture::new();
    for (offset, id, project) in [(0, "aa1", "/p"), (1, "aa2", "/q"), (2, "b", "/p"), (3, "aa1", "/p")] {
        fixture.clock.set(START_MS + offset);
        fixture.append(&SessionId::from(id), vec![created(id, project)]).await;
    }
    fixture
}

#[tokio::test]
async fn sessions_are_listed_by_their_last_use() {
    let fixture = three().await;
    let ids = |limit, offset| -> Vec<String> {
        let sessions = fixture.store.reader().lists().sessions(limit, offset).unwrap();
        sessions.iter().map(|session| session.session_id.to_string()).collect()
    };
    assert_eq!(ids(10, 0), ["aa1", "b", "aa2"]);
    assert_eq!(ids(1, 1), ["b"]);
}

#[tokio::test]
async fn marks_are_listed_change_no_order_and_a_run_brings_a_session_back() {
    let fixture = three().await;
    let marked = |pinned, archived| {
        EventDraft::of_session(SessionConfigured { pinned, archived, ..SessionConfigured::default() })
    };
    let old = SessionId::from("aa2");
    for (offset, id, run) in [(4, "aa2", "q"), (5, "b", "s")] {
        fixture.clock.set(START_MS + offset);
        fixture.append(&SessionId::from(id), vec![started(&RunId::from(run), "begin")]).await;
    }
    fixture.clock.set(START_MS + 9);
    fixture.append(&old, vec![marked(Some(true), Some(true))]).await;
    let reader = fixture.store.reader();
    let listed = reader.lists().sessions(10, 0).unwrap();
    assert_eq!(listed.iter().map(|session| session.session_id.as_str()).collect::<Vec<_>>(), ["b", "aa2", "aa1"]);
    assert!(listed[1].pinned && listed[1].archived);
    assert!(listed.iter().all(|session| session.session_id == old || !(session.pinned || session.archived)));
    let drafts = vec![started(&RunId::from("r"), "go on"), marked(Some(false), None)];
    fixture.append(&old, drafts).await;
    let back = reader.lists().session(&old).unwrap().unwrap();
    assert_eq!((back.pinned, back.archived), (false, false));
}

#[tokio::test]
async fn a_session_in_which_nothing_was_said_is_in_no_list_until_its_first_run() {
    let fixture = three().await;
    fixture.clock.set(START_MS + 9);
    let put_away = SessionConfigured { archived: Some(true), ..SessionConfigured::default() };
    let opened = SessionId::from("opened");
    fixture.append(&opened, vec![created("opened", "/p"), EventDraft::of_session(put_away)]).await;
    let reader = fixture.store.reader();
    assert!(reader.lists().sessions(10, 0).unwrap().iter().all(|session| session.session_id != opened));
    assert_eq!(reader.lists().latest_session("/p").unwrap().unwrap().title, "aa1");
    assert_eq!(reader.lists().newest_session().unwrap().unwrap().id, "aa1");
    assert!(reader.lists().session(&opened).unwrap().is_some());
    fixture.append(&opened, vec![started(&RunId::from("r"), "go")]).await;
    assert_eq!(reader.lists().sessions(10, 0).unwrap()[0].session_id, opened);
    assert_eq!(reader.lists().newest_session().unwrap().unwrap().id, "opened");
}

#[tokio::test]
async fn a_project_has_its_own_sessions_and_a_latest_one() {
    let fixture = three().await;
    let reader = fixture.store.reader();
    assert_eq!(reader.lists().sessions_of_project("/p", 10).unwrap().len(), 2);
    assert_eq!(reader.lists().latest_session("/p").unwrap().unwrap().title, "aa1");
    assert_eq!(reader.lists().latest_session("/nowhere").unwrap(), None);
}

#[tokio::test]
async fn an_id_is_found_whole_and_by_a_prefix_or_ending_of_four_characters() {
    let fixture = Fixture::new();
    for id in ["0194aaaa-1111", "0194aaaa-2222", "0195bbbb-2222", "x%_y"] {
        fixture.append(&SessionId::from(id), vec![created(id, "/p")]).await;
    }
    let find = |name: &str| -> Vec<String> {
        let found = fixture.store.reader().lists().named_ids(IdKind::Session, name, 10).unwrap();
        found.into_iter().map(|named| named.id).collect()
    };
    assert_eq!(find("0195"), ["0195bbbb-2222"]);
    assert_eq!(find("1111"), ["0194aaaa-1111"]);
    assert_eq!(find("0194"), ["0194aaaa-1111", "0194aaaa-2222"]);
    assert_eq!(find("2222"), ["0194aaaa-2222", "0195bbbb-2222"]);
    assert_eq!(find("0194aaaa-2222"), ["0194aaaa-2222"]);
    for nothing in ["", "019", "222", "aaaa", "%%%%", "____", "c"] {
        assert_eq!(find(nothing), Vec::<String>::new(), "{nothing:?}");
    }
    fixture.append(&SessionId::from("0195"), vec![created("t", "/p")]).await;
    assert_eq!(find("0195"), ["0195"], "a whole id is meant also where another goes on from it");
    assert_eq!(fixture.store.reader().lists().named_ids(IdKind::Session, "2222", 1).unwrap().len(), 1);
}

#[tokio::test]
async fn a_run_is_known_by_the_beginning_of_its_prompt() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let prompt = format!("{}\nsecond line", "é".repeat(100));
    fixture.append(&session, vec![created("t", "/p"), started(&run, &prompt)]).await;
    let record = fixture.store.reader().lists().run(&run).unwrap().unwrap();
    let expected = RunRecord {
        run_id: run,
        session_id: session,
        name: "é".repeat(80),
        state: SessionState::Interrupted,
        started_at: START_MS,
        first_seq: 2,
    };
    assert_eq!(record, expected);
    assert_eq!(fixture.store.reader().lists().run(&RunId::from("x")).unwrap(), None);
}

#[tokio::test]
async fn a_runs_events_are_its_own_also_those_after_its_end_and_its_resumption() {
    let fixture = Fixture::new();
    let (session, one, two) = (SessionId::new(), RunId::new(), RunId::new());
    let resumed = parsed(&one, "run.resumed", &json!({"reason": "user"}));
    let drafts = vec![started(&one, "1"), completed(&one), started(&two, "2"), completed(&two)];
    fixture.append(&session, drafts).await;
    let seqs = |run| -> Vec<u64> {
        fixture.store.reader().log().run_events(run).unwrap().iter().map(|event| event.seq).collect()
    };
    assert_eq!((seqs(&one), seqs(&two)), (vec![1, 2], vec![3, 4]));
    fixture.append(&session, vec![super::called(&one, json!({}))]).await;
    assert_eq!(seqs(&one), [1, 2, 5]);
    fixture.append(&session, vec![resumed, super::called(&one, json!({}))]).await;
    assert_eq!(seqs(&one), [1, 2, 5, 6, 7]);
    assert_eq!(seqs(&RunId::from("x")), [0; 0]);
}

#[tokio::test]
async fn a_sub_agents_session_knows_its_parent_and_a_fork_has_none() {
    let Fixture { store, clock, .. } = &Fixture::new();
    store.append(&"parent".into(), vec![created("t", "/p")]).await.unwrap();
    clock.set(START_MS + 1);
    store.append(&"child".into(), vec![subagent_created("explorer", "parent")]).await.unwrap();
    let forked = EventDraft::of_session(SessionForked { created: None, from_session: "child".into(), from_seq: 1 });
    store.append(&"fork".into(), vec![subagent_created("explorer", "child"), forked]).await.unwrap();
    let reader = store.reader();
    let told = |id: &str| {
        let session = reader.lists().session(&id.into()).unwrap().unwrap();
        (session.agent, session.parent, session.origin)
    };
    assert_eq!(told("parent"), ("arki".into(), None, None));
    assert_eq!(told("child"), ("explorer".into(), Some("parent".into()), None));
    assert_eq!(told("fork"), ("explorer".into(), None, Some("child".into())));
    let of_parent = reader.lists().subagent_sessions(&"parent".into()).unwrap();
    assert_eq!(of_parent.iter().map(|session| session.session_id.as_str()).collect::<Vec<_>>(), ["child"]);
    assert_eq!(reader.lists().subagent_sessions(&"child".into()).unwrap(), []);
    store.upkeep().remove_session(&"fork".into(), "me", |_| Vec::new()).await.unwrap();
    let latest = reader.lists().latest_session("/p").unwrap().unwrap();
    assert_eq!(latest.session_id.as_str(), "parent", "the user's own, though the sub-agent's is later");
}
