//! Tests of what sessions did to files, and of the sessions that began in others.

use super::{Fixture, created, options, parsed, started};
use crate::{Store, StoreOptions};
use arki_domain::{Event, EventDraft, RunId, SessionForked, SessionId};
use arki_redaction::Redactor;
use serde_json::json;

fn changed(path: &str) -> EventDraft {
    let payload = json!({"path": path, "beforeHash": null, "afterHash": "ab", "callId": "c1", "hunks": []});
    parsed(&RunId::from("r"), "file.changed", &payload)
}

/// `a.rs` and `b.rs` were put back, `c.rs` was not touched.
fn put_back(kind: &str) -> EventDraft {
    let changes = json!([
        {"path": "a.rs", "action": "restore", "beforeHash": "ab", "afterHash": "cd"},
        {"path": "b.rs", "action": "delete", "beforeHash": "ab", "afterHash": null},
        {"path": "c.rs", "action": "conflict", "beforeHash": "ab", "afterHash": "ef"},
    ]);
    let payload = json!({
        "toSeq": 1, "files": true, "conversation": false, "callId": "c1", "seq": 2, "changes": changes,
    });
    parsed(&RunId::from("r"), kind, &payload)
}

fn forked(from: &str) -> EventDraft {
    EventDraft::of_session(SessionForked { created: None, from_session: from.into(), from_seq: 1 })
}

fn places(events: &[Event]) -> Vec<(&str, u64)> {
    events.iter().map(|event| (event.session_id.as_str(), event.seq)).collect()
}

async fn three_sessions() -> Fixture {
    let fixture = Fixture::new();
    for (session, drafts) in [
        ("z", vec![created("t", "/p"), changed("a.rs"), changed("c.rs")]),
        ("y", vec![created("t", "/p"), put_back("session.rewound")]),
        ("x", vec![created("t", "/q"), changed("a.rs")]),
        ("z", vec![put_back("change.taken_back"), started(&RunId::from("r"), "hi")]),
    ] {
        fixture.append(&session.into(), drafts).await;
    }
    fixture
}

#[tokio::test]
async fn a_files_changes_are_found_across_the_sessions_of_its_project() {
    let fixture = three_sessions().await;
    let found = |project, path| fixture.store.reader().log().file_changes(project, path).unwrap();
    assert_eq!(places(&found("/p", "a.rs")), [("z", 2), ("y", 2), ("z", 4)]);
    assert_eq!(places(&found("/p", "b.rs")), [("y", 2), ("z", 4)]);
    assert_eq!(places(&found("/p", "c.rs")), [("z", 3)]);
    assert_eq!(places(&found("/q", "a.rs")), [("x", 2)]);
    assert_eq!(places(&found("/q", "b.rs")), []);
}

#[tokio::test]
async fn a_key_in_a_path_is_redacted_wherever_the_path_is_kept() {
    let redactor = Redactor::default();
    redactor.add("lab", "sk-secret-123");
    let shown = redactor.redact("sk-secret-123.txt").into_owned();
    let store = Store::open_in_memory(StoreOptions { redactor, ..options() }).unwrap();
    store.append(&"a".into(), vec![created("t", "/p"), changed("sk-secret-123.txt")]).await.unwrap();
    let found = |path| store.reader().log().file_changes("/p", path).unwrap().len();
    assert_eq!((found("sk-secret-123.txt"), found(&shown)), (0, 1));
}

#[tokio::test]
async fn a_session_tells_what_it_did_to_files_after_an_event() {
    let fixture = three_sessions().await;
    let found =
        |session: &str, after| fixture.store.reader().log().session_file_events(&session.into(), after).unwrap();
    assert_eq!(places(&found("z", 0)), [("z", 2), ("z", 3), ("z", 4)]);
    assert_eq!(places(&found("z", 3)), [("z", 4)]);
    assert_eq!(places(&found("y", 2)), []);
}

#[tokio::test]
async fn an_event_is_found_by_its_number() {
    let fixture = three_sessions().await;
    let kind = |seq| fixture.store.reader().log().event(&"z".into(), seq).unwrap().map(|event| event.kind);
    assert_eq!(kind(3).as_deref(), Some("file.changed"));
    assert_eq!((kind(0), kind(6), kind(u64::MAX)), (None, None, None));
}

#[tokio::test]
async fn a_fork_knows_its_origin_and_the_origin_its_forks() {
    let fixture = Fixture::new();
    fixture.append(&"a".into(), vec![created("t", "/p")]).await;
    for fork in ["b", "c"] {
        fixture.append(&fork.into(), vec![created("t", "/p"), forked("a")]).await;
        fixture.append(&fork.into(), vec![created("renamed", "/p")]).await;
    }
    let reader = fixture.store.reader();
    let forks = |session: &str| -> Vec<SessionId> {
        reader.lists().forks(&session.into()).unwrap().into_iter().map(|fork| fork.session_id).collect()
    };
    assert_eq!(forks("a"), ["c".into(), "b".into()]);
    assert_eq!(forks("b"), []);
    assert_eq!(
        (reader.lists().fork_count(&"a".into()).unwrap(), reader.lists().fork_count(&"b".into()).unwrap()),
        (2, 0)
    );
    assert_eq!(reader.lists().session(&"b".into()).unwrap().unwrap().origin, Some("a".into()));
    assert_eq!(reader.lists().session(&"a".into()).unwrap().unwrap().origin, None);
}
