//! A log that was changed after it was written is found out, and the event is named.

use crate::harness::{Stage, text};
use arki_testkit::{Turn, verify_chain};
use rusqlite::Connection;
use serde_json::{Value, json};

fn with_a_session() -> (Stage, String) {
    let stage = Stage::new(vec![
        Turn::text("Let me look.").call("read_file", json!({"path": "a.txt"})),
        Turn::text("It says hello."),
    ]);
    stage.write("a.txt", "hello\n");
    stage.exec(&["what does it say?"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    (stage, session)
}

/// As somebody would who wants to hide something: the triggers go first.
fn open_to_tamper(stage: &Stage) -> Connection {
    let database = Connection::open(stage.database()).unwrap();
    let triggers: Vec<String> = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(!triggers.is_empty(), "events can be changed without effort");
    for trigger in triggers {
        database.execute_batch(&format!("DROP TRIGGER \"{trigger}\"")).unwrap();
    }
    database
}

fn broken_at(stage: &Stage, session: &str) -> Value {
    let done = stage.arki(&["verify", session, "--json"]).exits(1);
    let report = done.lines().remove(0);
    assert_eq!((&report["sessionId"], &report["ok"]), (&json!(session), &json!(false)), "{report}");
    report["firstBrokenSeq"].clone()
}

#[test]
fn one_changed_byte_in_any_column_is_found_and_the_event_is_named() {
    let (stage, session) = with_a_session();
    let original = std::fs::read(stage.database()).unwrap();
    let flipped = |column: &str| {
        // Another character in the same place, of the same kind.
        format!(
            "substr({column}, 1, 9) || CASE substr({column}, 10, 1) WHEN '0' THEN '1' ELSE '0' END || substr({column}, 11)"
        )
    };
    for (column, changed) in [
        ("event_id", flipped("event_id")),
        ("run_id", flipped("run_id")),
        ("ts", "ts + 1".to_owned()),
        ("type", "'run.sparted'".to_owned()),
        ("payload", "replace(payload, 'what does', 'what doez')".to_owned()),
        ("prev_hash", flipped("prev_hash")),
        ("hash", flipped("hash")),
    ] {
        let database = open_to_tamper(&stage);
        let sql = format!("UPDATE events SET {column} = {changed} WHERE type = 'run.started'");
        assert_eq!(database.execute(&sql, []).unwrap(), 1);
        drop(database);
        // `run.started` is the third event, and nothing that verifies repairs it.
        assert_eq!(broken_at(&stage, &session), 3, "{column}");
        assert_eq!(broken_at(&stage, &session), 3, "{column}, again");
        let people = stage.arki(&["verify", &session]).exits(1);
        assert_eq!(people.error().code, "LOG_CHAIN_BROKEN");
        assert!(people.stdout.contains("first broken event: 3"), "{}", people.stdout);
        std::fs::write(stage.database(), &original).unwrap();
        stage.arki(&["verify", &session]).exits(0);
    }
}

#[test]
fn a_number_or_session_that_was_changed_is_found() {
    let (stage, session) = with_a_session();
    let original = std::fs::read(stage.database()).unwrap();
    for sql in [
        "UPDATE events SET seq = 1000 WHERE seq = 4",
        "UPDATE events SET session_id = session_id || 'x' WHERE seq = 4",
        "DELETE FROM events WHERE seq = 4",
        "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
        "DELETE FROM events",
    ] {
        let database = open_to_tamper(&stage);
        database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        assert!(database.execute(sql, []).unwrap() > 0);
        drop(database);
        let reports = stage.arki(&["verify", "--json"]).exits(1).lines();
        let report = reports.iter().find(|report| report["sessionId"] == json!(session));
        assert!(report.is_some_and(|report| report["ok"] == json!(false)), "{sql}: {reports:?}");
        std::fs::write(stage.database(), &original).unwrap();
    }
}

#[test]
fn a_cut_off_tail_is_found_at_the_first_event_that_is_missing() {
    let (stage, session) = with_a_session();
    let last = i64::try_from(stage.log().len()).unwrap();
    let database = open_to_tamper(&stage);
    database.execute("DELETE FROM events WHERE seq >= ?1", [last - 1]).unwrap();
    drop(database);
    assert_eq!(broken_at(&stage, &session), json!(last - 1));
}

#[test]
fn events_cannot_be_changed_without_removing_the_guard() {
    let (stage, _) = with_a_session();
    let database = Connection::open(stage.database()).unwrap();
    for sql in ["UPDATE events SET payload = '{}'", "DELETE FROM events WHERE seq = 1"] {
        let error = database.execute(sql, []).unwrap_err().to_string();
        assert!(error.contains("append-only"), "{error}");
    }
    drop(database);
    stage.verifies();
}

#[test]
fn a_broken_session_is_read_only_and_the_others_go_on() {
    let (stage, session) = with_a_session();
    stage.exec(&["once more"]).exits(0);
    let database = open_to_tamper(&stage);
    let sql =
        "UPDATE events SET payload = replace(payload, 'hello', 'hallo') WHERE session_id = ?1 AND type = 'tool.result'";
    assert_eq!(database.execute(sql, [&session]).unwrap(), 1);
    drop(database);
    let before = stage.events(&session);
    stage.exec(&["--session", &session, "go on"]).fails(1, "SESSION_READ_ONLY");
    stage.arki(&["queue", "add", &session, "and this"]).fails(1, "SESSION_READ_ONLY");
    assert_eq!(stage.events(&session), before, "it can still be read, and nothing was added");
    stage.exec(&["a new one"]).exits(0);
    let reports = stage.arki(&["verify", "--json"]).exits(1).lines();
    let broken: Vec<&Value> = reports.iter().filter(|report| report["ok"] == json!(false)).collect();
    assert_eq!((reports.len(), broken.len()), (3, 1));
    assert_eq!(broken[0]["sessionId"], json!(session));
}

#[test]
fn verifying_writes_nothing() {
    let (stage, _) = with_a_session();
    let before = std::fs::read(stage.database()).unwrap();
    stage.arki(&["verify"]).exits(0);
    assert!(std::fs::read(stage.database()).unwrap() == before);
    assert_eq!(verify_chain(&stage.log()), Ok(()));
}
