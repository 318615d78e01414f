//! The JSON Schema of the whole protocol: written by `cargo xtask codegen` into `docs/protocol.schema.json`, and held
//! against what is really said.

use crate::commands::Commands;
use crate::*;
use arki_domain::{ApprovalDecision, canonical_json};
use jsonschema::Validator;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};
use std::sync::Arc;

/// Everything that clients and the engine say to each other. Each command takes its `params` and answers its `result`, or
/// fails with `error`; one with a `step` tells steps before. What happens is told in frames: `frame`.
#[derive(JsonSchema)]
#[schemars(rename = "Arki's protocol")]
#[allow(dead_code, reason = "only its schema is used")]
struct Protocol {
    commands: Commands,
    frame: Frame,
    error: CommandError,
}

fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<Protocol>().to_value()
}

/// Named as the exports of `ts-rs` are, and written beside them.
#[test]
fn export_bindings_of_the_schema() {
    let folder = std::env::var_os("TS_RS_EXPORT_DIR").expect("cargo sets it");
    let file = std::path::Path::new(&folder).join("protocol.schema.json");
    std::fs::create_dir_all(&folder).unwrap();
    // The same bytes, however `serde_json` orders its maps.
    std::fs::write(file, canonical_json(&schema()).unwrap()).unwrap();
}

/// Of a part of the protocol, by its JSON pointer.
fn validator(pointer: &str) -> Validator {
    let root = schema();
    assert!(root.pointer(pointer).is_some(), "the schema has no {pointer}");
    let part = json!({
        "$schema": root["$schema"], "$ref": format!("#{pointer}"), "$defs": root["$defs"],
        "properties": root["properties"],
    });
    jsonschema::validator_for(&part).unwrap()
}

fn command(name: &str, part: &str) -> Validator {
    validator(&format!("/$defs/Commands/properties/{name}/properties/{part}"))
}

#[test]
fn every_command_has_its_parameters_and_its_result_in_it() {
    let schema = schema();
    let commands = schema["$defs"]["Commands"]["properties"].as_object().unwrap();
    assert!(commands.len() > 100, "only {} are declared", commands.len());
    for (name, command) in commands {
        assert!(command["properties"]["params"].is_object(), "{name}");
        assert!(!command["properties"]["result"].is_null(), "{name}");
    }
    let steps = commands.iter().filter(|(_, command)| command["properties"]["step"].is_object());
    assert_eq!(steps.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["test_mcp_server", "test_provider"]);
}

#[test]
fn what_is_asked_and_answered_obeys_it() {
    let to = Shown { folder: "/a".into(), session_id: None };
    let options = SendOptions { model: None, approve: ApprovalMode::Edits };
    let asked = json!({"to": to, "text": "Hello", "pictures": null, "options": options, "mode": "queue"});
    let send = command("send_message", "params");
    assert!(!send.is_valid(&asked), "no mode has this name");
    let asked = |mode: Value| json!({"to": to, "text": "Hello", "pictures": null, "options": options, "mode": mode});
    let mode = serde_json::to_value(arki_domain::QueueMode::Steer).unwrap();
    for mode in [mode, Value::Null] {
        send.validate(&asked(mode)).unwrap();
    }
    assert!(
        !send.is_valid(&json!({"to": to, "pictures": null, "options": options, "mode": null})),
        "a text is missing"
    );
    assert!(
        !send.is_valid(&json!({"to": {"folder": 1}, "text": "", "pictures": null, "options": options, "mode": null}))
    );

    let sent = Sent { session_id: "s".into(), run_id: Some("r".into()), message_id: None };
    command("send_message", "result").validate(&serde_json::to_value(sent).unwrap()).unwrap();
    command("stop_run", "result").validate(&serde_json::to_value(()).unwrap()).unwrap();
    assert!(!command("stop_run", "result").is_valid(&json!({})));
    command("app_state", "params").validate(&json!({})).unwrap();

    let resolution = Resolution {
        decision: ApprovalDecision::Approve,
        hunks: Some(vec![1]),
        edited: Some([(2, "text".to_owned())].into()),
        command: None,
        plan: None,
        note: None,
        preview_hash: Some("p".into()),
        keep: None,
    };
    let mut asked = json!({"approvalId": "a", "resolution": resolution});
    let resolve = command("resolve_approval", "params");
    resolve.validate(&asked).unwrap();
    asked["resolution"].as_object_mut().unwrap().remove("keep");
    resolve.validate(&asked).unwrap();
    asked["resolution"]["decision"] = json!("perhaps");
    assert!(!resolve.is_valid(&asked));

    let step = json!({"step": "key", "state": "ok", "durationMs": 3, "message": "", "code": null, "hint": null});
    command("test_provider", "step").validate(&step).unwrap();
    let error: CommandError = arki_domain::Error::internal("it broke").into();
    validator("/properties/error").validate(&serde_json::to_value(error).unwrap()).unwrap();
}

#[test]
fn a_frame_with_events_known_and_unknown_obeys_it() {
    let event = |kind: &str, payload: Value| {
        let event = json!({
            "eventId": "e", "runId": null, "sessionId": "s", "seq": 1, "ts": 2, "type": kind, "payload": payload,
            "prevHash": "p", "hash": "h"
        });
        Event(Arc::new(serde_json::from_value(event).unwrap()))
    };
    let failed = json!({"code": "C", "message": "m", "retryable": true});
    let events = vec![event("run.failed", failed), event("plan.imagined", json!([1])), event("run.failed", json!({}))];
    let frame = serde_json::to_value(Frame { events, ..Frame::default() }).unwrap();
    let frames = validator("/properties/frame");
    frames.validate(&frame).unwrap();
    for (pointer, wrong) in
        [("/events/0/payload/code", json!(7)), ("/events/0/seq", json!("1")), ("/events/1/type", json!("x"))]
    {
        let mut changed = frame.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        assert!(!frames.is_valid(&changed), "{pointer}");
    }
}
