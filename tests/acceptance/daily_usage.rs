//! `arki usage`: tokens and cost by day and model.

use crate::harness::{Stage, payload};
use arki_testkit::Turn;
use serde_json::{Value, json};

fn stage() -> Stage {
    Stage::new(vec![Turn::text("one"), Turn::text("two"), Turn::text("three")])
}

fn usage(stage: &Stage, args: &[&str]) -> Vec<Value> {
    stage.arki(&[&["usage", "--json"], args].concat()).exits(0).lines()
}

#[test]
fn runs_of_a_day_are_summed_by_model() {
    let stage = stage();
    let first = stage.exec(&["hello"]).exits(0).lines();
    let second = stage.exec(&["hello again"]).exits(0).lines();
    let sum = |name: &str| {
        let of = |log: &[Value]| payload(log, "run.completed")["usage"][name].as_u64().unwrap();
        json!(of(&first) + of(&second))
    };
    let listed = usage(&stage, &[]);
    let [day] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((&day["model"], &day["requests"]), (&json!("mock/mock"), &json!(2)));
    for name in ["promptTokens", "completionTokens", "totalTokens", "cachedTokens"] {
        assert_eq!(day[name], sum(name), "{name}");
    }
    assert!(day["totalTokens"].as_u64() > Some(0), "{day}");
    assert_eq!(day["day"].as_str().unwrap().len(), 10);
}

#[test]
fn one_sessions_usage_is_asked_for_by_its_id() {
    let stage = stage();
    stage.exec(&["hello"]).exits(0);
    stage.exec(&["hello again"]).exits(0);
    for session in stage.sessions() {
        let listed = usage(&stage, &[session["sessionId"].as_str().unwrap()]);
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0]["requests"], 1);
    }
    stage.arki(&["usage", "nosuchsession"]).fails(2, "SESSION_NOT_FOUND");
}

#[test]
fn what_was_removed_is_not_counted_and_nothing_is_no_line() {
    let stage = stage();
    assert!(usage(&stage, &[]).is_empty());
    stage.exec(&["hello"]).exits(0);
    let session = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    stage.arki(&["sessions", "rm", &session]).exits(0);
    assert!(usage(&stage, &[]).is_empty());
}

#[test]
fn what_is_new_is_added_to_what_was_counted_before_and_what_was_removed_is_taken_off() {
    let mut stage = stage();
    let requests = |stage: &Stage| usage(stage, &[]).iter().map(|day| day["requests"].as_u64().unwrap()).sum::<u64>();
    stage.exec(&["hello"]).exits(0);
    assert_eq!(requests(&stage), 1);
    let first = stage.sessions()[0]["sessionId"].as_str().unwrap().to_owned();
    stage.exec(&["hello again"]).exits(0);
    assert_eq!((requests(&stage), requests(&stage)), (2, 2));
    stage.arki(&["sessions", "rm", &first]).exits(0);
    assert_eq!(requests(&stage), 1);
    stage.exec(&["once more"]).exits(0);
    assert_eq!(requests(&stage), 2);
    // Days that lie a day apart whatever the time: those of one zone are not told in another.
    let days = ["Etc/GMT-14", "Etc/GMT+12"].map(|zone| {
        stage.home.env.insert("TZ".to_owned(), zone.to_owned());
        usage(&stage, &[])[0]["day"].as_str().unwrap().to_owned()
    });
    assert_ne!(days[0], days[1]);
    assert_eq!(requests(&stage), 2);
}

#[test]
fn people_read_which_models_have_no_price() {
    let stage = stage();
    stage.exec(&["hello"]).exits(0);
    let shown = stage.arki(&["usage"]).exits(0).stdout;
    let cost = usage(&stage, &[])[0]["costUsd"].clone();
    let line = shown.lines().next().unwrap();
    assert!(line.contains("mock/mock") && line.contains("1 request"), "{shown}");
    assert!(cost.is_null() && line.ends_with("out"), "{cost}: {shown}");
    assert!(shown.ends_with("Cost unknown, because no price is known: mock/mock.\n"), "{shown}");
}
