use super::{Fixture, created, foreign, parsed, started};
use arki_domain::{EventBody, EventDraft, RunId, SessionId};
use rusqlite::Connection;
use serde_json::json;

fn changed_files(connection: &Connection) -> Vec<(String, String, i64)> {
    let mut statement = connection.prepare("SELECT project, path, seq FROM file_changes ORDER BY path, seq").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn contents(connection: &Connection) -> Vec<(String, i64)> {
    let mut statement = connection.prepare("SELECT hash, kind FROM blob_refs ORDER BY hash").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test]
async fn every_kind_of_change_is_noted_by_project_and_path() {
    let fixture = Fixture::new();
    let run = RunId::from("r");
    let file = |path, action| json!({"path": path, "action": action, "beforeHash": "b", "afterHash": null});
    let changed = json!({"path": "a.txt", "beforeHash": null, "afterHash": "b", "callId": "c", "hunks": [1]});
    let rewound = json!({
        "toSeq": 1, "files": true, "conversation": false,
        "changes": [file("a.txt", "delete"), file("kept.txt", "keep"), file("other.txt", "conflict")],
    });
    let taken_back = json!({"callId": "c", "seq": 2, "changes": [file("b.txt", "restore")]});
    let drafts = vec![
        created("t", "/p"),
        parsed(&run, "file.changed", &changed),
        parsed(&run, "session.rewound", &rewound),
        parsed(&run, "change.taken_back", &taken_back),
    ];
    fixture.append(&SessionId::from("s"), drafts).await;
    let at = |path: &str, seq| ("/p".to_owned(), path.to_owned(), seq);
    assert_eq!(changed_files(&foreign(&fixture.path)), [at("a.txt", 2), at("a.txt", 3), at("b.txt", 4)]);
}

#[tokio::test]
async fn every_content_that_an_event_speaks_of_is_noted_once() {
    let fixture = Fixture::new();
    let run = RunId::from("r");
    let decided = json!({
        "callId": "c", "decision": "allow", "rule": "r", "reason": "r", "risk": "low",
        "files": [{"path": "a", "beforeHash": "before", "afterHash": "after"}],
    });
    let changed = json!({"path": "a", "beforeHash": "before", "afterHash": "after", "callId": "c", "hunks": []});
    // A file of the project that has the bytes of a checkpoint's list: one content for both.
    let same = json!({"path": "b", "beforeHash": null, "afterHash": "list", "callId": "c", "hunks": []});
    let checkpoint = json!({"checkpointId": "k", "lastSeq": 1, "manifest": "list", "files": 1, "skipped": 0});
    let artifact = json!({"artifactId": "a", "name": "n", "mediaType": "t", "bytes": 1, "contentHash": "artifact"});
    let drafts = vec![
        created("t", "/p"),
        started(&run, "go"),
        parsed(&run, "policy.decided", &decided),
        parsed(&run, "file.changed", &changed),
        parsed(&run, "file.changed", &same),
        parsed(&run, "checkpoint.created", &checkpoint),
        parsed(&run, "file.changed", &same),
        parsed(&run, "artifact.emitted", &artifact),
    ];
    fixture.append(&SessionId::from("s"), drafts).await;
    let expected = [("00", 1), ("after", 0), ("artifact", 1), ("before", 0), ("list", 1)];
    assert_eq!(contents(&foreign(&fixture.path)), expected.map(|(hash, kind)| (hash.to_owned(), kind)));
}

#[tokio::test]
async fn the_definitions_of_a_pipelines_run_are_noted_with_the_nested_ones() {
    let fixture = Fixture::new();
    let run = RunId::from("r");
    let nested = |hash: &str| json!({"inner": {"origin": "built in", "definitionHash": hash}});
    let pipeline = json!({
        "name": "p", "origin": "built in", "definitionHash": "outer", "nested": nested("inner"), "inputHash": "input",
        "inputBytes": 0,
    });
    let begun = json!({
        "prompt": "p", "agent": "pipeline:", "model": "m", "core": "pipeline", "systemPromptHash": "00",
        "options": {"pipeline": pipeline},
    });
    let resumed = json!({"reason": "failed", "definitionHash": "outer 2", "nested": nested("inner 2")});
    let drafts = vec![created("t", "/p"), parsed(&run, "run.started", &begun), parsed(&run, "run.resumed", &resumed)];
    fixture.append(&SessionId::from("s"), drafts).await;
    let expected = ["00", "inner", "inner 2", "input", "outer", "outer 2"];
    assert_eq!(contents(&foreign(&fixture.path)), expected.map(|hash| (hash.to_owned(), 1)));
}

#[tokio::test]
async fn a_fork_remembers_where_it_began_also_when_it_goes_on() {
    let fixture = Fixture::new();
    let fork = EventBody::parse("session.forked", &json!({"fromSession": "first", "fromSeq": 3}).to_string());
    let session = SessionId::from("second");
    fixture.append(&session, vec![created("t", "/p"), EventDraft::of_session(fork)]).await;
    fixture.append(&session, vec![created("another title", "/p")]).await;
    let origin = foreign(&fixture.path).query_row("SELECT origin FROM sessions", [], |row| row.get::<_, String>(0));
    assert_eq!(origin.unwrap(), "first");
}
