use super::{Fixture, START_MS, called, created, options, started};
use crate::{MAX_EVENT_BYTES, MAX_EVENT_DEPTH, Store, StoreError, StoreOptions};
use arki_domain::{Event, EventBody, EventDraft, GENESIS_HASH, RunId, SessionId, chain_hash};
use arki_redaction::{RedactionRule, Redactor};
use serde_json::{Value, json};

#[tokio::test]
async fn an_appended_event_is_read_back_as_it_was_answered() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let answered = fixture.append(&session, vec![created("t", "/p")]).await;
    let page = fixture.store.reader().log().page(&session, None, 10).unwrap();
    assert_eq!(serde_json::to_string(&page.events).unwrap(), serde_json::to_string(&answered).unwrap());
}

#[tokio::test]
async fn events_are_numbered_and_linked_without_gaps() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let mut events = fixture.append(&session, vec![created("t", "/p"), started(&run, "hi")]).await;
    events.extend(fixture.append(&session, vec![called(&run, json!({}))]).await);
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(events[0].prev_hash, GENESIS_HASH);
    assert!(events.windows(2).all(|pair| pair[1].prev_hash == pair[0].hash));
}

#[tokio::test]
async fn the_hash_is_the_domains_chain_hash_whatever_the_strings_hold() {
    let fixture = Fixture::new();
    let session = SessionId::from("s\"\\\u{1}\u{7f}é\u{1f600}/\u{2028}");
    let run = RunId::from("r\n\t\u{8}\u{c}");
    let args = json!({"\u{e000}": 0.1, "\u{1f600}": 1e300, "a": [1.5e-9, -0.0, "\u{0}"]});
    for event in fixture.append(&session, vec![called(&run, args), created("t", "/p")]).await {
        assert_eq!(chain_hash(&event).unwrap(), event.hash);
    }
}

#[tokio::test]
async fn a_stored_event_has_the_contracts_form() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::from("the-session"), RunId::from("the-run"));
    let events = fixture.append(&session, vec![started(&run, "Say hello")]).await;
    let mut event = Event::clone(&events[0]);
    assert_eq!(event.event_id.as_str().as_bytes()[14], b'7', "{}", event.event_id);
    assert_eq!(event.computed_hash().unwrap(), event.hash);
    (event.event_id, event.hash) = ("[uuid v7]".into(), "[64 hex]".into());
    insta::assert_snapshot!(serde_json::to_string(&event).unwrap(), @r#"{"eventId":"[uuid v7]","runId":"the-run","sessionId":"the-session","seq":1,"ts":1760000000000,"type":"run.started","payload":{"agent":"arki","core":"tool-loop","model":"demo/demo","options":{"approve":"ask","maxCostUsd":null,"maxSeconds":null,"maxTurns":null},"prompt":"Say hello","systemPromptHash":"00"},"prevHash":"0000000000000000000000000000000000000000000000000000000000000000","hash":"[64 hex]"}"#);
}

#[tokio::test]
async fn a_key_never_reaches_the_log_or_the_lists() {
    let redactor = Redactor::default();
    redactor.add("lab", "sk-secret-123");
    let shown = redactor.redact("use sk-secret-123").into_owned();
    let store = Store::open_in_memory(StoreOptions { redactor, ..options() }).unwrap();
    let (session, run) = (SessionId::new(), RunId::new());
    let drafts = vec![
        created("use sk-secret-123", "/p"),
        started(&run, "use sk-secret-123"),
        called(&run, json!({"sk-secret-123": ["sk-secret-123"]})),
    ];
    store.append(&session, drafts).await.unwrap();
    let reader = store.reader();
    let events = reader.log().page(&session, None, 10).unwrap().events;
    assert!(events.iter().all(|event| !event.payload.get().contains("sk-secret-123")));
    assert_eq!(reader.lists().session(&session).unwrap().unwrap().title, shown);
    assert_eq!(reader.lists().run(&run).unwrap().unwrap().name, shown);
}

#[tokio::test]
async fn numbers_that_other_readers_would_round_are_stored_as_text() {
    let fixture = Fixture::new();
    let args = json!({"max": 9_007_199_254_740_991_u64, "over": 9_007_199_254_740_993_u64});
    let events = fixture.append(&SessionId::new(), vec![called(&RunId::new(), args)]).await;
    let payload: Value = serde_json::from_str(events[0].payload.get()).unwrap();
    assert_eq!(payload["args"], json!({"max": 9_007_199_254_740_991_u64, "over": "9007199254740993"}));
}

#[tokio::test]
async fn the_clocks_time_is_stored_even_when_it_goes_backwards_or_nowhere() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let mut times = Vec::new();
    for ms in [START_MS, START_MS - 5_000, i64::MAX] {
        fixture.clock.set(ms);
        times.push(fixture.append(&session, vec![created("t", "/p")]).await[0].ts);
    }
    assert_eq!(times, [START_MS, START_MS - 5_000, 9_007_199_254_740_991]);
    assert!(fixture.store.reader().verifier().verify(None).unwrap()[0].ok);
}

#[tokio::test]
async fn an_event_of_ten_mebibytes_is_stored_whole() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let text = "ä\"".repeat(10 << 18);
    let answered = fixture.append(&session, vec![called(&RunId::new(), json!(text))]).await;
    assert!(answered[0].payload.get().len() > 10 << 20);
    let read = fixture.store.reader().log().page(&session, None, 1).unwrap().events.remove(0);
    assert_eq!(read.payload.get(), answered[0].payload.get());
    assert!(fixture.store.reader().verifier().verify(Some(&session)).unwrap()[0].ok);
}

#[tokio::test]
async fn an_event_over_a_limit_is_refused_and_takes_its_batch_with_it() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let large = json!("x".repeat(MAX_EVENT_BYTES));
    let refused = fixture.store.append(&session, vec![created("t", "/p"), called(&run, large)]).await;
    assert!(matches!(refused, Err(StoreError::EventTooLarge { limit: MAX_EVENT_BYTES, .. })));
    let deep = (0..MAX_EVENT_DEPTH).fold(json!(0), |inner, _| json!([inner]));
    let refused = fixture.store.append(&session, vec![called(&run, deep)]).await;
    assert!(matches!(refused, Err(StoreError::EventTooDeep { .. })));
    assert_eq!(fixture.store.reader().log().last_seq(&session).unwrap(), 0);
}

#[tokio::test]
async fn the_deepest_event_that_is_stored_can_still_be_read() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let deep = (1..MAX_EVENT_DEPTH).fold(json!(0), |inner, _| json!([inner]));
    fixture.append(&session, vec![called(&RunId::new(), deep.clone())]).await;
    let read = fixture.store.reader().log().page(&session, None, 1).unwrap().events.remove(0);
    assert!(matches!(read.body(), EventBody::ToolCall(call) if call.args == deep));
    assert!(fixture.store.reader().verifier().verify(None).unwrap()[0].ok);
}

#[tokio::test]
async fn nothing_is_added_to_a_log_that_was_cut_off() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    fixture.append(&session, vec![created("t", "/p"), created("u", "/p")]).await;
    super::foreign(&fixture.path)
        .execute_batch("DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE seq = 2")
        .unwrap();
    let refused = fixture.store.append(&session, vec![created("v", "/p")]).await;
    assert_eq!(refused.unwrap_err(), StoreError::SessionBroken { session_id: session, seq: 2 });
}

#[tokio::test]
async fn no_drafts_are_no_write() {
    let fixture = Fixture::new();
    assert!(fixture.append(&SessionId::new(), Vec::new()).await.is_empty());
    assert!(fixture.store.reader().lists().sessions(10, 0).unwrap().is_empty());
}

#[tokio::test]
async fn a_log_that_another_program_cut_off_is_found_out_also_after_an_append() {
    let fixture = Fixture::new();
    let session = SessionId::new();
    let guard = "DROP TRIGGER events_are_never_deleted;";
    super::foreign(&fixture.path).execute_batch(guard).unwrap();
    for title in ["t", "u"] {
        fixture.append(&session, vec![created(title, "/p")]).await;
    }
    super::foreign(&fixture.path).execute("DELETE FROM events WHERE seq = 2", []).unwrap();
    let refused = fixture.store.append(&session, vec![created("v", "/p")]).await;
    assert_eq!(refused.unwrap_err(), StoreError::SessionBroken { session_id: session, seq: 2 });
}

#[tokio::test]
async fn what_is_said_of_a_run_that_has_ended_belongs_to_it() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let said = || called(&run, json!({}));
    for drafts in [vec![started(&run, "hi")], vec![said()], vec![super::completed(&run)], vec![said()], vec![said()]] {
        fixture.append(&session, drafts).await;
    }
    assert_eq!(fixture.store.reader().log().run_events(&run).unwrap().len(), 5);
}

#[tokio::test]
async fn an_append_that_fails_leaves_the_chain_as_it_was() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let approval = arki_domain::ApprovalId::from("unknown");
    fixture.append(&session, vec![started(&run, "hi")]).await;
    let drafts = vec![called(&run, json!({})), super::approval_resolved(&run, &approval, "approve")];
    assert!(fixture.store.append(&session, drafts).await.is_err());
    let events = fixture.append(&session, vec![called(&run, json!({}))]).await;
    assert_eq!(events[0].seq, 2);
    assert!(fixture.store.reader().verifier().verify(None).unwrap()[0].ok);
}

fn many_calls(run: &RunId, calls: usize, bytes: usize) -> Vec<EventDraft> {
    (0..calls).map(|number| called(run, json!({"number": number, "text": "x".repeat(bytes)}))).collect()
}

/// Small ones are stored while others are sealed; sealing the large ones takes longer than the writer waits.
#[tokio::test]
async fn many_events_that_wait_for_the_disk_are_stored_in_order_whatever_their_size() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    let mut seq = 0;
    for bytes in [0, 1 << 16] {
        let events = fixture.append(&session, many_calls(&run, 40, bytes)).await;
        for (number, event) in events.iter().enumerate() {
            seq += 1;
            assert_eq!(event.seq, seq);
            assert!(event.payload.get().contains(&format!("\"number\":{number},")));
        }
    }
    let report = fixture.store.reader().verifier().verify(Some(&session)).unwrap().remove(0);
    assert!(report.ok);
    assert_eq!(report.events, seq);
}

#[tokio::test]
async fn nothing_of_a_large_append_is_stored_whose_last_event_is_refused() {
    let fixture = Fixture::new();
    let (session, run) = (SessionId::new(), RunId::new());
    fixture.append(&session, vec![created("t", "/p"), started(&run, "hi")]).await;
    let deep = (0..MAX_EVENT_DEPTH).fold(json!(0), |inner, _| json!([inner]));
    let mut drafts = many_calls(&run, 100, 0);
    drafts.push(called(&run, deep));
    let refused = fixture.store.append(&session, drafts).await;
    assert!(matches!(refused, Err(StoreError::EventTooDeep { .. })));
    assert_eq!(fixture.store.reader().log().last_seq(&session).unwrap(), 2);
    assert_eq!(fixture.append(&session, many_calls(&run, 100, 0)).await[0].seq, 3);
    assert!(fixture.store.reader().verifier().verify(Some(&session)).unwrap()[0].ok);
}

#[tokio::test]
async fn a_rule_that_matches_a_word_of_the_logs_own_leaves_it_and_redacts_the_rest() {
    let redactor = Redactor::default();
    redactor.set_rules(vec![RedactionRule {
        name: "words".to_owned(),
        pattern: "ask|prompt|secret place".to_owned(),
        replacement: Some("X".to_owned()),
    }]);
    let store = Store::open_in_memory(StoreOptions { redactor, ..options() }).unwrap();
    let events =
        store.append(&SessionId::new(), vec![started(&RunId::new(), "ask for the secret place")]).await.unwrap();
    let payload = serde_json::to_value(&*events[0]).unwrap()["payload"].take();
    assert_eq!((&payload["prompt"], &payload["options"]["approve"]), (&json!("X for the X"), &json!("ask")));
}
