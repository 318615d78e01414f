//! What is removed by itself: nothing, unless the user asked for it.

use crate::harness::{Stage, text};
use arki_testkit::{Script, Turn};
use rusqlite::Connection;
use serde_json::{Value, json};

fn stage(config: &Value) -> Stage {
    let turn = |_: &Value| Turn::text("ok");
    Stage::configured(Script::new((0..9).map(|_| Turn::computed(turn)).collect()).sequential(), config)
}

/// As if each session was last used, and the data last tidied, so long ago.
fn age(stage: &Stage, days: i64) {
    let database = Connection::open(stage.database()).unwrap();
    database.execute("UPDATE sessions SET updated_at = updated_at - ?1 * 86400000", [days]).unwrap();
    database.execute("UPDATE meta SET value = value - ?1 * 86400000 WHERE key = 'tidied_at'", [days]).unwrap();
}

fn exec(stage: &Stage) -> String {
    text(&stage.exec(&["hello"]).exits(0).lines()[0]["sessionId"])
}

fn ids(stage: &Stage) -> Vec<String> {
    stage.sessions().iter().map(|session| text(&session["sessionId"])).collect()
}

#[test]
fn old_sessions_go_after_a_run_where_the_user_asked_for_it() {
    let stage = stage(&json!({"retention": {"deleteSessionsAfterDays": 7}}));
    let old = exec(&stage);
    age(&stage, 8);
    stage.sessions();
    assert_eq!(ids(&stage), [old.as_str()], "looking removes nothing");
    let second = exec(&stage);
    assert_eq!(ids(&stage), [second.as_str()]);
    assert!(!stage.arki(&["events", &old]).stderr.is_empty());
    stage.verifies();
}

#[test]
fn it_is_looked_for_once_a_day() {
    let stage = stage(&json!({"retention": {"deleteSessionsAfterDays": 7}}));
    exec(&stage);
    let database = Connection::open(stage.database()).unwrap();
    database.execute("UPDATE sessions SET updated_at = 0", []).unwrap();
    drop(database);
    exec(&stage);
    assert_eq!(ids(&stage).len(), 2, "tidied again on the same day");
    age(&stage, 1);
    exec(&stage);
    assert_eq!(ids(&stage).len(), 2, "the oldest one is gone");
}

#[test]
fn nothing_goes_where_the_user_did_not_ask() {
    let stage = stage(&Value::Null);
    exec(&stage);
    age(&stage, 10_000);
    exec(&stage);
    assert_eq!(ids(&stage).len(), 2);
}
