use super::script::{Script, WRITTEN, ask, lines, rich, subagent};
use crate::messages::{KeyValue, Metric, MetricPoints, PointNumber, Span, Value};
use crate::spans::{self, MAX_RECORDS};
use crate::{RunTelemetry, TelemetryContents, root_run};
use arki_domain::{EventBody, RunId, RunStarted};
use serde_json::json;
use std::convert::Infallible;

/// A value as one reads it.
fn plain(value: &Value) -> String {
    match value {
        Value::StringValue(text) => text.clone(),
        Value::BoolValue(flag) => flag.to_string(),
        Value::IntValue(number) => number.to_string(),
        Value::DoubleValue(number) => number.to_string(),
        Value::ArrayValue(list) => {
            list.values.iter().flat_map(|value| value.value.iter().map(plain)).collect::<Vec<_>>().join("+")
        }
    }
}

fn said(attributes: &[KeyValue]) -> String {
    let one = |said: &KeyValue| format!("{}={}", said.key, plain(said.value.as_ref().unwrap().value.as_ref().unwrap()));
    attributes.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Each span below its parent, with the milliseconds between which it lies.
fn outline(told: &RunTelemetry) -> String {
    let mut lines = Vec::new();
    let begun = told.spans[0].start_time_unix_nano;
    let roots = told.spans.iter().filter(|span| told.spans.iter().all(|above| above.span_id != span.parent_span_id));
    roots.for_each(|root| below(told, root, 0, begun, &mut lines));
    lines.join("\n")
}

fn below(told: &RunTelemetry, span: &Span, depth: usize, begun: u64, lines: &mut Vec<String>) {
    let milliseconds = |at: u64| (at - begun) / 1_000_000;
    let (from, to) = (milliseconds(span.start_time_unix_nano), milliseconds(span.end_time_unix_nano));
    let failed = if span.status.is_some() { " FAILED" } else { "" };
    let indent = "  ".repeat(depth);
    lines.push(format!("{indent}{} [{from}..{to}]{failed} {}", span.name, said(&span.attributes)));
    for event in &span.events {
        let at = milliseconds(event.time_unix_nano);
        lines.push(format!("{indent}  * {} at {at} {}", event.name, said(&event.attributes)).trim_end().to_owned());
    }
    let children = told.spans.iter().filter(|child| child.parent_span_id == span.span_id);
    children.for_each(|child| below(told, child, depth + 1, begun, lines));
}

fn points(metric: &Metric) -> Vec<String> {
    match metric.data.as_ref().unwrap() {
        MetricPoints::Sum(sum) => {
            let number = |value: PointNumber| match value {
                PointNumber::AsDouble(number) => number.to_string(),
                PointNumber::AsInt(number) => number.to_string(),
            };
            sum.data_points.iter().map(|it| format!("{} {}", number(it.value.unwrap()), said(&it.attributes))).collect()
        }
        MetricPoints::Histogram(histogram) => {
            let points = histogram.data_points.iter();
            points.map(|it| format!("{}× {} s {}", it.count, it.sum.unwrap(), said(&it.attributes))).collect()
        }
    }
}

#[test]
fn a_run_is_a_tree_of_spans() {
    insta::assert_snapshot!(outline(&rich().told(TelemetryContents::LeftOut)));
}

#[test]
fn a_run_is_summed_up_in_metrics() {
    let told = rich().told(TelemetryContents::LeftOut);
    let metric = |it: &Metric| format!("{} ({})\n  {}", it.name, it.unit, points(it).join("\n  "));
    insta::assert_snapshot!(told.metrics.iter().map(metric).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_line_of_otlp_json_is_as_the_specification_says() {
    let lines = lines(&rich().told(TelemetryContents::LeftOut));
    let of: Vec<&String> = lines.iter().flat_map(|line| line.as_object().unwrap().keys()).collect();
    assert_eq!(of, ["resourceSpans", "resourceMetrics", "resourceLogs"]);
    let resource = &lines[0]["resourceSpans"][0];
    assert_eq!(resource["resource"]["attributes"][0], json!({"key": "service.name", "value": {"stringValue": "arki"}}));
    assert_eq!(resource["schemaUrl"], resource["scopeSpans"][0]["schemaUrl"]);
    let spans = &resource["scopeSpans"][0]["spans"];
    assert_eq!(spans[0]["traceId"], hex::encode(spans::trace_id(&RunId::from("run-1"))));
    assert_eq!(spans[0]["spanId"], hex::encode(spans::span_id("run-1-event-1")));
    assert_eq!((&spans[0]["parentSpanId"], &spans[1]["parentSpanId"]), (&json!(null), &spans[0]["spanId"]));
    assert_eq!((&spans[0]["kind"], &spans[2]["kind"]), (&json!(1), &json!(3)));
    assert_eq!(spans[0]["startTimeUnixNano"], "1760000000000000000");
    insta::assert_snapshot!(serde_json::to_string_pretty(&spans[2]).unwrap());
    let points = &lines[1]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["sum"];
    assert_eq!((&points["aggregationTemporality"], &points["isMonotonic"]), (&json!(1), &json!(true)));
    assert_eq!(points["dataPoints"][0]["asInt"], "3600");
}

#[test]
fn every_event_is_a_log_record_of_its_span() {
    let (script, lines) = (rich(), lines(&rich().told(TelemetryContents::LeftOut)));
    let records = lines[2]["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone();
    let kinds: Vec<&str> = records.iter().map(|record| record["eventName"].as_str().unwrap()).collect();
    assert_eq!(kinds, script.events.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>());
    let requested = records.iter().find(|record| record["eventName"] == "approval.requested").unwrap();
    let call = spans::call_span_id(&"session-1".into(), &"call-1".into());
    assert_eq!(requested["spanId"], hex::encode(call));
    let failed = records.iter().filter(|record| record["severityText"] == "ERROR").count();
    assert_eq!(failed, 1);
}

#[test]
fn what_was_written_is_told_only_where_it_is_asked_for() {
    let text = |contents| serde_json::to_string(&lines(&rich().told(contents))).unwrap();
    assert!(!text(TelemetryContents::LeftOut).contains(WRITTEN));
    let told = rich().told(TelemetryContents::Included);
    let has = |span: &str, key: &str| {
        let span = told.spans.iter().find(|one| one.name.starts_with(span)).unwrap();
        span.attributes.iter().any(|said| said.key == key && format!("{:?}", said.value).contains(WRITTEN))
    };
    assert!(has("invoke_agent", "gen_ai.input.messages") && has("invoke_agent", "gen_ai.output.messages"));
    assert!(has("chat", "gen_ai.output.messages"));
    assert!(has("execute_tool", "gen_ai.tool.call.arguments") && has("execute_tool", "gen_ai.tool.call.result"));
    let records = serde_json::to_string(&lines(&told)[2]).unwrap();
    assert!(!records.contains(WRITTEN), "log records have contents");
}

#[test]
fn a_sub_agents_run_is_a_child_of_its_call_in_the_same_trace() {
    let (above, below) = (rich().told(TelemetryContents::LeftOut), subagent());
    let EventBody::RunStarted(started) = below.events[0].body() else { panic!("it does not begin") };
    let first = |_: &RunId| Ok::<Option<RunStarted>, Infallible>(None);
    let root = root_run(&RunId::from("run-2"), &started, first).unwrap();
    let below = below.told_under(root.as_str(), TelemetryContents::LeftOut);
    let call = above.spans.iter().find(|span| span.name == "execute_tool delegate").unwrap();
    assert_eq!(below.spans[0].parent_span_id, call.span_id);
    assert_eq!(below.spans[0].trace_id, call.trace_id);
    assert_eq!(below.spans[0].status.as_ref().unwrap().code, 2);
}

#[test]
fn a_run_that_was_tried_again_after_its_end_ends_once_more() {
    let mut script = rich();
    script.after(10, "run.failed", &json!({"code": "PROVIDER_OVERLOADED", "message": "m", "retryable": true}));
    script.after(10, "run.resumed", &json!({"reason": "failed"}));
    ask(&mut script, 4);
    script.after(10, "run.cancelled", &json!({"code": "CANCELLED", "message": "m", "retryable": false}));
    let told = script.told(TelemetryContents::LeftOut);
    let run = &told.spans[0];
    assert!(run.status.is_none() && said(&run.attributes).contains("arki.run.outcome=cancelled"));
    assert_eq!(run.end_time_unix_nano, told.spans.iter().map(|span| span.end_time_unix_nano).max().unwrap());
    let last = told.spans.last().unwrap();
    assert!(last.name == "chat small" && said(&last.attributes).contains("error.type=CANCELLED"));
}

#[test]
fn what_is_open_at_the_last_event_is_told_to_be_unfinished() {
    let mut script = rich();
    script.events.truncate(3);
    let told = script.told(TelemetryContents::LeftOut);
    assert!(told.spans.iter().all(|span| said(&span.attributes).contains("arki.unfinished=true")));
    assert!(told.spans.iter().all(|span| span.end_time_unix_nano >= span.start_time_unix_nano));
}

#[test]
fn a_run_of_too_many_events_is_told_up_to_a_bound() {
    let mut script = Script::of("run-1");
    script.events.push(rich().events.remove(0));
    let ran = json!({"hook": "h", "command": "c", "exitCode": 0, "durationMs": 1});
    (0..MAX_RECORDS + 5).for_each(|_| script.after(0, "hook.ran", &ran));
    let told = script.told(TelemetryContents::LeftOut);
    assert_eq!((told.spans.len(), told.records.len()), (MAX_RECORDS, MAX_RECORDS));
    assert!(said(&told.spans[0].attributes).contains("arki.left_out=12"));
}
