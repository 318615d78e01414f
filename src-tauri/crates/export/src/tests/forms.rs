use super::script::{Script, rich};
use crate::arkai::Arkai;
use crate::export::write;
use crate::lineage::{EVENTS_A_PIECE, EventSource, Stretch, lineage};
use crate::writing::Stop;
use arki_api::ExportFormat;
use arki_domain::projection::SessionSummary;
use arki_domain::{Code, SessionId};
use serde_json::{Value, json};
use std::io;

fn arkai(script: &Script) -> Vec<Value> {
    let mut arkai = Arkai::default();
    script.events("session-1").iter().map(|event| serde_json::to_value(arkai.line(event)).unwrap()).collect()
}

#[test]
fn a_session_in_arkais_form() {
    let mut arkai = Arkai::default();
    let lines: Vec<String> =
        rich().events("session-1").iter().map(|event| serde_json::to_string(&arkai.line(event)).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn all_that_is_stored_of_a_step_has_one_key() {
    let lines = arkai(&rich());
    for step in ["call-1", "call-2", "call-3"] {
        let keys: Vec<&Value> =
            lines.iter().filter(|line| line["step_id"] == step).map(|line| &line["idempotency_key"]).collect();
        assert!(keys.len() > 2 && keys.iter().all(|key| *key == keys[0]), "{step}: {keys:?}");
    }
    // Turns are numbered anew in each run.
    let turns: Vec<&Value> =
        lines.iter().filter(|line| line["step_id"] == "turn-1").map(|line| &line["idempotency_key"]).collect();
    assert_eq!(turns[0], "run-1:turn-1:0123456789abcdef");
    assert_eq!(turns.last().unwrap(), &"run-2:turn-1:0123456789abcdef");
}

#[test]
fn a_pipelines_step_keeps_its_own_key() {
    let mut script = Script::default();
    let step = json!({"step": "count", "idempotencyKey": "run-1:count:00ff", "attempt": 1, "durationMs": 9});
    script.append("session-1", Some("run-1"), "step.skipped", &step);
    let line = arkai(&script).remove(0);
    assert_eq!((&line["step_id"], &line["idempotency_key"]), (&json!("count"), &json!("run-1:count:00ff")));
    assert_eq!((&line["status"], &line["duration_ms"]), (&json!("skipped"), &json!(9)));
}

#[test]
fn every_line_is_the_event_as_it_is_stored() {
    let script = rich();
    let lines: String =
        script.events("session-1").iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect();
    assert_eq!(script.export("session-1", ExportFormat::Jsonl), lines);
}

fn forked() -> Script {
    let mut script = rich();
    let created = json!({"title": "Another way", "project": "/p", "agent": "arki", "parentSession": "session-1"});
    script.append("fork", None, "session.created", &created);
    script.append("fork", None, "session.forked", &json!({"fromSession": "session-1", "fromSeq": 5}));
    script.append(
        "fork",
        Some("run-3"),
        "run.cancelled",
        &json!({"code": "CANCELLED", "message": "", "retryable": false}),
    );
    script
}

#[test]
fn a_fork_begins_with_what_it_took_from_its_origin() {
    let script = forked();
    let text = script.export("fork", ExportFormat::Jsonl);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let places: Vec<(&str, u64)> =
        lines.iter().map(|line| (line["sessionId"].as_str().unwrap(), line["seq"].as_u64().unwrap())).collect();
    let expected: Vec<(&str, u64)> =
        (1..=5).map(|seq| ("session-1", seq)).chain((1..=3).map(|seq| ("fork", seq))).collect();
    assert_eq!(places, expected);
    assert!(script.export("fork", ExportFormat::Markdown).contains("The parser drops the last line."));
}

#[test]
fn runs_for_opentelemetry_are_a_sessions_own_with_a_line_for_each_signal_of_each() {
    let kinds = |session: &str| {
        let text = forked().export(session, ExportFormat::Otlp);
        let line = |line: &str| serde_json::from_str::<serde_json::Map<String, Value>>(line).unwrap();
        text.lines().flat_map(|text| line(text).into_iter().map(|(kind, _)| kind)).collect::<Vec<_>>()
    };
    let of_a_run = ["resourceSpans", "resourceMetrics", "resourceLogs"];
    assert_eq!(kinds("session-1"), [of_a_run, of_a_run].concat());
    // Its run has no beginning and used nothing: all that is known is that it ended.
    assert_eq!(kinds("fork"), ["resourceLogs"]);
    let text = rich().export("session-1", ExportFormat::Otlp);
    assert!(!text.contains("The parser drops") && text == rich().export("session-1", ExportFormat::Otlp));
}

#[test]
fn origins_that_lead_in_a_circle_are_an_error() {
    let mut script = Script::default();
    for (session, from) in [("one", "two"), ("two", "one")] {
        script.append(session, None, "imagined", &json!({}));
        script.append(session, None, "session.forked", &json!({"fromSession": from, "fromSeq": 1}));
    }
    assert!(lineage(&script, &SessionId::from("one")).unwrap_err().is(Code::LOG_CHAIN_BROKEN));
    let alone = lineage(&rich(), &SessionId::from("session-1")).unwrap();
    assert_eq!(alone, [Stretch { session_id: SessionId::from("session-1"), to_seq: None }]);
}

#[test]
fn a_session_longer_than_a_page_is_read_page_by_page() {
    let mut script = Script::default();
    let events = EVENTS_A_PIECE * 2 + 1;
    for _ in 0..events {
        script.append("session-1", None, "imagined.event", &json!({}));
    }
    assert_eq!(script.export("session-1", ExportFormat::Jsonl).lines().count(), events);
    assert_eq!(script.largest_page.get(), EVENTS_A_PIECE);
}

/// Takes nothing more after its first bytes.
struct Full(io::ErrorKind);

impl io::Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_cannot_be_written_is_said_and_a_reader_that_went_away_is_not() {
    let session = SessionSummary::new(SessionId::from("session-1"));
    let end = |kind| write(&rich() as &dyn EventSource, &session, ExportFormat::Jsonl, &mut Full(kind)).unwrap_err();
    assert!(matches!(end(io::ErrorKind::BrokenPipe), Stop::ReaderGone));
    assert!(matches!(end(io::ErrorKind::StorageFull), Stop::Error(fault) if fault.is(Code::DISK_FULL)));
    assert!(matches!(end(io::ErrorKind::Other), Stop::Error(fault) if fault.is(Code::IO_FAILED)));
}
