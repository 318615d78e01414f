//! Sessions made up for property tests: random, but well formed, as the engine would write them. Beside the events they
//! keep what the disk really held after each one, which is what the folds are held against.

mod script;

use crate::*;
use proptest::prelude::*;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The content of the files: one number a path.
pub(crate) type Disk = BTreeMap<String, u8>;

/// A change that the agent or a rewind made, with what the disk really held.
#[derive(Debug, Clone)]
pub(crate) struct Touch {
    pub(crate) seq: u64,
    pub(crate) path: String,
    pub(crate) before: Option<u8>,
    pub(crate) after: Option<u8>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Generated {
    /// The events before the fork, where the session is one.
    pub(crate) origin: Vec<Event>,
    pub(crate) events: Vec<Event>,
    /// After each event of the session itself; the first entry is before the first event.
    pub(crate) disks: Vec<Disk>,
    pub(crate) touches: Vec<Touch>,
}

impl Generated {
    /// Returns the events as the folds read them: the origins first.
    pub(crate) fn all(&self) -> Vec<Event> {
        self.origin.iter().chain(&self.events).cloned().collect()
    }

    pub(crate) fn disk_now(&self) -> Disk {
        self.disks.last().cloned().unwrap_or_default()
    }
}

/// Says whether the user edits files too, which no event tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    Watches,
    Edits,
}

/// The hash of what a file holds; `None` where there is none.
pub(crate) fn hash_of(content: Option<u8>) -> Option<String> {
    content.map(|content| format!("{content:064x}"))
}

/// An event of the run `r`, with nothing of the chain.
pub(crate) fn event(seq: u64, body: impl Into<EventBody>) -> Event {
    let body = body.into();
    Event {
        event_id: EventId::from(format!("e{seq}")),
        run_id: Some(RunId::from("r")),
        session_id: SessionId::from("s"),
        seq,
        ts: 1000 * seq as i64,
        kind: body.kind().into(),
        payload: serde_json::value::to_raw_value(&body.payload().unwrap()).unwrap(),
        prev_hash: String::new(),
        hash: String::new(),
    }
}

/// One thing that happens in a session, with two numbers that say how. What cannot happen at that moment is skipped.
pub(super) type Step = (u8, u8, u8);

pub(crate) fn sessions(user: User) -> impl Strategy<Value = Generated> {
    prop::collection::vec((0..script::STEP_KINDS, any::<u8>(), any::<u8>()), 0..100)
        .prop_map(move |steps| script::played(&steps, user))
}

/// A session, forked once, with every kind of event in it.
pub(crate) fn of_every_kind() -> Generated {
    let round = |round| (0..script::STEP_KINDS).map(move |kind| (kind, round, round / 2));
    // At its end a run that takes a turn after a result.
    let run = [0, 2, 5, 8, 2].map(|kind| (kind, 1, 1));
    script::played(&(0..12).flat_map(round).chain(run).collect::<Vec<Step>>(), User::Edits)
}

#[test]
fn every_kind_of_event_is_among_what_is_made_up() {
    let all = of_every_kind().all();
    let missing: Vec<_> = EVENT_KINDS.iter().filter(|kind| all.iter().all(|event| event.kind != **kind)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// What clients are promised in `docs/protocol.schema.json` is made from the same type.
#[test]
fn every_kind_of_event_obeys_its_schema() {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = generator.into_root_schema_for::<EventBody>().to_value();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for event in of_every_kind().all() {
        let body = event.body();
        let told = |payload: Value| json!({"type": body.kind(), "kind": event.kind, "payload": payload});
        let payload = serde_json::from_str::<Value>(event.payload.get()).unwrap();
        assert!(validator.is_valid(&told(payload.clone())), "{} {payload}", event.kind);
        if body == EventBody::Unknown {
            continue;
        }
        let form = &schema["$defs"][form_of(&schema, body.kind())];
        for (field, value) in payload.as_object().unwrap() {
            let known = form["properties"].get(field);
            assert!(known.is_some(), "{}: the schema has no `{field}`", event.kind);
            let mut wrong = payload.clone();
            wrong[field] = json!({"no": ["such", value]});
            let is_free = known.is_some_and(is_free);
            assert_eq!(validator.is_valid(&told(wrong)), is_free, "{}.{field}", event.kind);
        }
    }
}

/// The name of the payload's form.
fn form_of(schema: &Value, kind: &str) -> String {
    let variants = schema["anyOf"].as_array().unwrap();
    let variant = variants.iter().find(|one| one["properties"]["type"]["const"] == kind).unwrap();
    let reference = variant["properties"]["payload"]["$ref"].as_str().unwrap();
    reference.rsplit('/').next().unwrap().to_owned()
}

/// Any JSON may stand there, or any object.
fn is_free(known: &Value) -> bool {
    known == &json!(true)
        || known["additionalProperties"] == json!(true)
        || known.as_object().is_some_and(|known| known.keys().all(|key| key == "description" || key == "default"))
}

proptest! {
    #[test]
    fn what_is_made_up_is_numbered_without_gaps_and_readable(session in sessions(User::Edits)) {
        for (place, event) in session.events.iter().enumerate() {
            prop_assert_eq!(event.seq, place as u64 + 1);
        }
        prop_assert_eq!(session.disks.len(), session.events.len() + 1);
        for event in session.all() {
            prop_assert!(event.kind == "future.kind" || event.body() != EventBody::Unknown, "{}", event.kind);
        }
    }
}
