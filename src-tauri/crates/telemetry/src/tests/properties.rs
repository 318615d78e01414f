use super::script::{Script, answer, ask, call, end, lines, rich};
use crate::TelemetryContents;
use crate::messages::{Span, TracesData};
use crate::run_telemetry::MAX_BATCH_BYTES;
use proptest::prelude::*;
use prost::Message;
use serde_json::json;
use std::collections::BTreeSet;

/// Runs of any events in any order, as no engine would write them.
fn any_run() -> impl Strategy<Value = Script> {
    proptest::collection::vec((0..9u8, 1..4u32, -20..500i64), 0..60).prop_map(|steps| {
        let mut script = Script::of("run-1");
        for (step, number, later) in steps {
            let name = format!("call-{number}");
            match step {
                0 => script.events.push(rich().events.remove(0)),
                1 => ask(&mut script, number),
                2 => answer(&mut script, number, Some(0.1)),
                3 => call(&mut script, &name, "read_file", "read"),
                4 => end(&mut script, &name, "read_file", None),
                5 => script.after(later, "run.paused", &json!({"reason": "user"})),
                6 => script.after(later, "run.resumed", &json!({"reason": "user"})),
                7 => script.after(later, "run.failed", &json!({"code": "C", "message": "m", "retryable": false})),
                _ => script.after(
                    later,
                    "engine.retry",
                    &json!({"turn": number, "code": "C", "delayMs": 1, "attempt": 1}),
                ),
            }
        }
        for (place, event) in script.events.iter_mut().enumerate() {
            event.event_id = format!("event-{place}").into();
        }
        script
    })
}

proptest! {
    #[test]
    fn the_same_events_make_the_same_bytes(script in any_run()) {
        let bodies = || {
            let bodies = script.told(TelemetryContents::Included).batches().into_iter().map(|batch| batch.body);
            bodies.collect::<Vec<_>>()
        };
        prop_assert_eq!(bodies(), bodies());
        prop_assert_eq!(lines(&script.told(TelemetryContents::LeftOut)), lines(&script.told(TelemetryContents::LeftOut)));
    }

    #[test]
    fn spans_end_after_they_begin_and_every_parent_is_there(script in any_run()) {
        let spans = script.told(TelemetryContents::LeftOut).spans;
        let ids: BTreeSet<&Vec<u8>> = spans.iter().map(|span| &span.span_id).collect();
        for span in &spans {
            prop_assert!(span.end_time_unix_nano >= span.start_time_unix_nano);
            prop_assert!(span.parent_span_id.is_empty() || ids.contains(&span.parent_span_id));
        }
    }
}

#[test]
fn a_long_run_is_sent_in_pieces_and_whole() {
    let mut script = rich();
    let first = script.events.remove(0);
    script.events = vec![first];
    for number in 0..9000 {
        call(&mut script, &format!("call-{number}"), "read_file", "read");
        end(&mut script, &format!("call-{number}"), "read_file", None);
    }
    let told = script.told(TelemetryContents::LeftOut);
    let batches = told.batches();
    let traces = batches.iter().filter(|batch| batch.signal == crate::run_telemetry::Signal::Traces);
    let mut spans: Vec<Span> = Vec::new();
    let mut count = 0;
    for batch in traces {
        assert!(batch.body.len() < MAX_BATCH_BYTES + (64 << 10), "{}", batch.body.len());
        let read = TracesData::decode(batch.body.as_slice()).unwrap();
        spans.extend(read.resource_spans.into_iter().flat_map(|it| it.scope_spans).flat_map(|it| it.spans));
        count += 1;
    }
    assert!(count > 1 && spans == told.spans);
}
