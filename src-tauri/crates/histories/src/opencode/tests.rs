use super::*;
use crate::foreign_session::Moment;
use serde_json::json;
use std::fs;

const TABLES: &str = "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL, \
     title TEXT NOT NULL, time_created INTEGER NOT NULL); \
     CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER, data TEXT NOT NULL); \
     CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, data TEXT NOT NULL); \
     INSERT INTO session VALUES ('s', NULL, '/project', 'A look', 1), ('sub', 's', '/project', 'Its task', 2);";

fn messages() -> Vec<(&'static str, Value)> {
    vec![
        ("m1", json!({ "role": "user", "time": { "created": 1000 } })),
        ("m2", json!({ "role": "assistant", "providerID": "acme", "modelID": "m", "time": { "created": 2000 } })),
    ]
}

fn parts() -> Vec<(&'static str, &'static str, Value)> {
    let state = json!({ "status": "completed", "input": { "filePath": "a" }, "output": "one", "time": { "start": 2100, "end": 2200 } });
    let failed = json!({ "status": "error", "input": {}, "error": "no", "time": { "start": 2300, "end": 2400 } });
    vec![
        ("p1", "m1", json!({ "type": "text", "text": "look" })),
        ("p2", "m1", json!({ "type": "text", "text": "the file's content", "synthetic": true })),
        ("p3", "m2", json!({ "type": "step-start" })),
        ("p4", "m2", json!({ "type": "reasoning", "text": "hm", "time": { "start": 2050 } })),
        ("p5", "m2", json!({ "type": "tool", "tool": "read", "callID": "c1", "state": state })),
        ("p6", "m2", json!({ "type": "tool", "tool": "bash", "callID": "c2", "state": failed })),
        ("p7", "m2", json!({ "type": "text", "text": "done" })),
    ]
}

fn expected() -> Vec<Told> {
    let result = |id: &str, text: &str, is_error| Told::Result { id: id.into(), text: text.into(), is_error };
    vec![
        Told::Prompt("look".into()),
        Told::Model("acme/m".into()),
        Told::Thought("hm".into()),
        Told::Call { id: "c1".into(), tool: "read".into(), args: json!({ "filePath": "a" }) },
        result("c1", "one", false),
        Told::Call { id: "c2".into(), tool: "bash".into(), args: json!({}) },
        result("c2", "no", true),
        Told::Answer("done".into()),
    ]
}

fn told(session: ForeignSession) -> Vec<Told> {
    session.moments.into_iter().map(|Moment { told, .. }| told).collect()
}

#[test]
fn the_database_tells_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let database = Connection::open(&path).unwrap();
    database.execute_batch(TABLES).unwrap();
    for (id, data) in messages() {
        database.execute("INSERT INTO message VALUES (?1, 's', 1, ?2)", (id, data.to_string())).unwrap();
    }
    for (id, message, data) in parts() {
        database.execute("INSERT INTO part VALUES (?1, ?2, 's', ?3)", (id, message, data.to_string())).unwrap();
    }
    let listed = list(&path).unwrap();
    let only = ListedSession { id: "s".into(), folder: "/project".into(), title: "A look".into(), taken_back: None };
    assert_eq!(listed, std::slice::from_ref(&only), "a sub-agent's is not listed");
    assert_eq!(told(read(&path, &only).unwrap()), expected());
    // Later versions know what was taken back.
    database.execute_batch("ALTER TABLE session ADD COLUMN revert TEXT").unwrap();
    for (revert, standing) in [
        (json!(null), expected().len()),
        (json!({ "messageID": "m1" }), 0),
        (json!({ "messageID": "m2", "snapshot": "x" }), 1),
        (json!({ "messageID": "m2", "partID": "p5" }), 3),
        (json!({ "messageID": "gone" }), expected().len()),
    ] {
        database.execute("UPDATE session SET revert = ?1 WHERE id = 's'", [revert.to_string()]).unwrap();
        let [listed] = list(&path).unwrap().try_into().unwrap();
        assert_eq!(told(read(&path, &listed).unwrap()), expected()[..standing], "{revert}");
    }
}

#[test]
fn so_do_the_files_of_older_versions() {
    let folder = tempfile::tempdir().unwrap();
    let storage = folder.path();
    let put = |place: String, data: &Value| {
        let path = storage.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, data.to_string()).unwrap();
    };
    let described = json!({ "id": "s", "directory": "/project", "title": "A look" });
    put("session/p/s.json".into(), &described);
    put("session/p/sub.json".into(), &json!({ "id": "sub", "parentID": "s", "directory": "/project", "title": "" }));
    messages().iter().for_each(|(id, data)| put(format!("message/s/{id}.json"), data));
    parts().iter().for_each(|(id, message, data)| put(format!("part/{message}/{id}.json"), data));
    let [only] = list_files(storage).try_into().unwrap();
    assert_eq!(told(read_files(storage, &only).unwrap()), expected());
    let revert = json!({ "messageID": "m2" });
    put("session/p/s.json".into(), &json!({ "id": "s", "directory": "/project", "title": "", "revert": revert }));
    let [only] = list_files(storage).try_into().unwrap();
    assert_eq!(told(read_files(storage, &only).unwrap()), expected()[..1]);
}

#[test]
fn a_file_that_is_no_database_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    fs::write(&path, "not a database, but long enough to be looked at as one").unwrap();
    assert!(list(&path).unwrap_err().message.contains("can't be read"));
}
