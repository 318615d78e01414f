//! The OpenAPI document of `arki serve`: written by `cargo xtask codegen` into `docs/openapi.json`, as which the server
//! answers it. Commands come from their one table, types from the schema of the protocol.

use crate::commands::Commands;
use crate::*;
use arki_domain::canonical_json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The types that are sent to the server.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Asked {
    commands: Commands,
    run: RunRequest,
    steering: SteerRequest,
    decision: DecisionRequest,
}

/// The types that the server answers with.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Answered {
    commands: Commands,
    run: RunSummary,
    started: StartedRun,
    session: SessionSummary,
    approval: ApprovalSummary,
    access: BrowserAccess,
    error: CommandError,
}

/// The types that routes answer.
const ANSWERS: &[&str] =
    &["ApprovalSummary", "BrowserAccess", "CommandError", "RunSummary", "SessionSummary", "StartedRun"];
/// Ends the names of types that are taken in another form than they are answered.
const TAKEN: &str = "Input";
const DEFINED: &str = "#/$defs/";
const COMPONENTS: &str = "#/components/schemas/";

/// Every type by its name, and the commands.
struct Schemas {
    types: Map<String, Value>,
    params: Map<String, Value>,
    results: Map<String, Value>,
}

impl Schemas {
    fn made() -> Self {
        let settings = SchemaSettings::draft2020_12();
        let root = |schema: Schema| schema.to_value()["$defs"].as_object().unwrap().clone();
        let mut asked = root(settings.clone().for_deserialize().into_generator().into_root_schema_for::<Asked>());
        let mut types = root(settings.for_serialize().into_generator().into_root_schema_for::<Answered>());
        let params = parts_of_commands(&mut asked, "params");
        let results = parts_of_commands(&mut types, "result");
        keep_spoken_of(&mut asked, &params, &["RunRequest", "SteerRequest", "DecisionRequest"]);
        keep_spoken_of(&mut types, &results, ANSWERS);
        let other = taken_otherwise(&asked, &types);
        let renamed = |value: &Value| moved(value, &|name| if other.contains(name) { TAKEN } else { "" });
        let params = params.iter().map(|(name, params)| (name.clone(), renamed(params))).collect();
        let named = |name: &str| if other.contains(name) { format!("{name}{TAKEN}") } else { name.to_owned() };
        let mut all: Map<String, Value> = asked.iter().map(|(name, schema)| (named(name), renamed(schema))).collect();
        let as_answered = |(name, schema): (&String, &Value)| (name.clone(), moved(schema, &|_| ""));
        all.extend(types.iter().map(as_answered));
        all.insert("StoredEvent".to_owned(), stored_event());
        Self { types: all, params, results: results.iter().map(as_answered).collect() }
    }
}

fn parts_of_commands(types: &mut Map<String, Value>, part: &str) -> Map<String, Value> {
    let commands = types.remove("Commands").unwrap();
    let commands = commands["properties"].as_object().unwrap();
    commands.iter().map(|(name, command)| (name.clone(), command["properties"][part].clone())).collect()
}

/// Keeps the types that the commands or the routes speak of, and those that these speak of.
fn keep_spoken_of(types: &mut Map<String, Value>, commands: &Map<String, Value>, of_routes: &[&str]) {
    let named_in = |schema: &Value| -> Vec<String> {
        let text = schema.to_string();
        let mark = format!("\"{DEFINED}");
        let named = text.split(&mark).skip(1).filter_map(|rest| rest.split('"').next());
        named.map(str::to_owned).collect()
    };
    let mut open: Vec<String> = commands.values().flat_map(named_in).collect();
    open.extend(of_routes.iter().map(|name| (*name).to_owned()));
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.insert(name.clone()) {
            open.extend(named_in(&types[&name]));
        }
    }
    types.retain(|name, _| found.contains(name));
}

/// The types that are answered in another form, or speak of such.
fn taken_otherwise(asked: &Map<String, Value>, answered: &Map<String, Value>) -> BTreeSet<String> {
    let differs = |(name, schema): &(&String, &Value)| answered.get(*name).is_some_and(|other| other != *schema);
    let mut found: BTreeSet<String> = asked.iter().filter(differs).map(|(name, _)| name.clone()).collect();
    loop {
        let speaks =
            |schema: &Value| found.iter().any(|name| schema.to_string().contains(&format!("\"{DEFINED}{name}\"")));
        let more: Vec<_> = asked
            .iter()
            .filter(|(name, schema)| !found.contains(*name) && answered.contains_key(*name) && speaks(schema))
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The schema with its references to where OpenAPI has types.
fn moved<'a>(schema: &Value, ending: &impl Fn(&str) -> &'a str) -> Value {
    match schema {
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let target = value.as_str().filter(|_| name == "$ref").and_then(|at| at.strip_prefix(DEFINED));
                let value = match target {
                    Some(target) => json!(format!("{COMPONENTS}{target}{}", ending(target))),
                    None => moved(value, ending),
                };
                (name.clone(), value)
            };
            let mut fields: Map<String, Value> = fields.iter().map(field).collect();
            let format = fields.get("format").and_then(Value::as_str).unwrap_or_default().to_owned();
            if let Some(largest) = largest(&format) {
                fields.entry("maximum").or_insert(largest.into());
                if format == "int64" {
                    fields.entry("minimum").or_insert(json!(-largest.cast_signed()));
                }
            }
            fields.into()
        }
        Value::Array(items) => items.iter().map(|item| moved(item, ending)).collect(),
        other => other.clone(),
    }
}

/// The largest number of a format; of the long ones, the largest that is exact in every language, as the server has it.
fn largest(format: &str) -> Option<u64> {
    match format {
        "uint8" => Some(u8::MAX.into()),
        "uint16" => Some(u16::MAX.into()),
        "uint32" => Some(u32::MAX.into()),
        "int64" | "uint64" | "uint" => Some((1 << 53) - 1),
        _ => None,
    }
}

/// An event as it is stored, whichever version wrote it: docs/events.md has the payload of each type.
fn stored_event() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "description": "An event as it is stored: docs/events.md has the payload of each type.",
        "properties": {
            "eventId": text, "runId": {"type": ["string", "null"]}, "sessionId": text, "type": text,
            "seq": {"type": "integer", "minimum": 1}, "ts": {"type": "integer", "description": "Milliseconds since 1970."},
            "payload": true, "prevHash": text, "hash": text,
        },
        "required": ["eventId", "runId", "sessionId", "seq", "ts", "type", "payload", "prevHash", "hash"],
    })
}

fn named(name: &str) -> Value {
    json!({"$ref": format!("{COMPONENTS}{name}")})
}

fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": named(name)})
}

fn parameter(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

fn in_json(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn answer(about: &str, schema: &Value) -> Value {
    json!({"description": about, "content": in_json(schema)})
}

/// One operation: its id, what it is for, its parameters.
fn operation(id: &str, about: &str, parameters: &[&str]) -> Map<String, Value> {
    let parameters: Vec<Value> = parameters.iter().map(|name| parameter(name)).collect();
    let operation = json!({
        "operationId": id, "summary": about, "parameters": parameters,
        "responses": {"default": {"$ref": "#/components/responses/Error"}},
    });
    operation.as_object().unwrap().clone()
}

fn answering(mut operation: Map<String, Value>, status: &str, answer: Value) -> Map<String, Value> {
    operation["responses"][status] = answer;
    operation
}

fn taking(mut operation: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    operation.insert("requestBody".to_owned(), json!({"required": true, "content": in_json(schema)}));
    operation
}

fn reading(id: &str, about: &str, parameters: &[&str], schema: &Value) -> Value {
    json!({"get": answering(operation(id, about, parameters), "200", answer("As asked for.", schema))})
}

fn streaming(id: &str, about: &str, parameters: &[&str]) -> Value {
    let about_form = "Events: `event:` is the type, `data:` a stored event as JSON, `id:` its cursor. `output.delta` and \
         `heartbeat` come between, without `id:`.";
    let stream = json!({"description": about_form, "content": {"text/event-stream": {"schema": {"type": "string"}}}});
    json!({"get": answering(operation(id, about, parameters), "200", stream)})
}

/// A run is told what to do.
fn controlling(id: &str, about: &str) -> Value {
    let answered =
        answering(operation(id, about, &["runId"]), "200", answer("The run as it is then.", &named("RunSummary")));
    json!({"post": taking(answered, &json!({"type": "object", "description": "Nothing of it is looked at."}))})
}

/// The header that a repeated answer has.
fn may_be_repeated(mut answer: Value) -> Value {
    let about = "`true` where this is the answer that the same request got before.";
    answer["headers"] = json!({"Idempotency-Replayed": {"description": about, "schema": {"const": "true"}}});
    answer
}

fn deciding(id: &str) -> Value {
    let about = "Decides an approval. The same decision again is answered alike.";
    let decided = may_be_repeated(answer("It is decided.", &json!({"type": "object"})));
    let operation = operation(id, about, &["approvalId", "Idempotency-Key"]);
    json!({"post": taking(answering(operation, "200", decided), &named("DecisionRequest"))})
}

fn steering() -> Value {
    let about = "Sends a message to a run: at its next turn, or as a run of its own after this one.";
    let sent = json!({"type": "object", "properties": {"messageId": {"type": "string"}}, "required": ["messageId"]});
    let operation = operation("steerRun", about, &["runId"]);
    json!({"post": taking(answering(operation, "200", answer("It waits.", &sent)), &named("SteerRequest"))})
}

fn runs() -> Value {
    let started = may_be_repeated(answer("The run that was started.", &named("StartedRun")));
    let start = operation(
        "startRun",
        "Starts a run in a new session or, with `sessionId`, in one that is there.",
        &["Idempotency-Key"],
    );
    let mut runs = reading("listRuns", "The newest runs.", &["active"], &list_of("RunSummary"));
    runs["post"] = taking(answering(start, "201", started), &named("RunRequest")).into();
    runs
}

fn session_events() -> Value {
    let page = json!({
        "type": "object", "required": ["events", "hasMore"],
        "properties": {"events": list_of("StoredEvent"), "hasMore": {"type": "boolean"}},
    });
    reading("sessionEvents", "A session's events, up to 1,000 at once.", &["sessionId", "from"], &page)
}

fn exporting() -> Value {
    let file = |media_type: &str| json!({"schema": {"type": "string", "contentMediaType": media_type}});
    let mut export = reading("exportSession", "A session as a file.", &["sessionId", "format"], &json!({}));
    export["get"]["responses"]["200"] = json!({
        "description": "The file, as an attachment.",
        "content": {
            "application/jsonl": file("application/jsonl"),
            "text/markdown": file("text/markdown"),
            "text/html": file("text/html"),
        },
    });
    export
}

fn command(name: &str, params: &Value, result: &Value) -> Value {
    let about = format!("The window's command `{name}`.");
    let answered = answering(operation(name, &about, &["Arki-Client"]), "200", answer("Its result.", result));
    json!({"post": taking(answered, params)})
}

fn paths(schemas: &Schemas) -> Value {
    let mut paths = json!({
        "/v1/openapi.json": reading("openapi", "This document.", &[], &json!({"type": "object"})),
        "/v1/runs": runs(),
        "/v1/runs/{id}": reading("run", "One run.", &["runId"], &named("RunSummary")),
        "/v1/runs/{id}/stop": controlling("stopRun", "Stops a run."),
        "/v1/runs/{id}/pause": controlling("pauseRun", "Pauses a run after the step that it is at."),
        "/v1/runs/{id}/resume": controlling("resumeRun", "Resumes a paused, interrupted or failed run."),
        "/v1/runs/{id}/steer": steering(),
        "/v1/runs/{id}/events":
            streaming("runEvents", "A run's events, from its begin or behind a cursor, to its end.", &["runId", "Last-Event-ID"]),
        "/v1/sessions": reading("listSessions", "The sessions.", &[], &list_of("SessionSummary")),
        "/v1/sessions/{id}/events": session_events(),
        "/v1/sessions/{id}/export": exporting(),
        "/v1/access": reading("access", "What the token may ask for from here.", &[], &named("BrowserAccess")),
        "/v1/approvals": reading("listApprovals", "The pending approvals.", &[], &list_of("ApprovalSummary")),
        "/v1/approvals/{id}": deciding("decideApproval"),
        "/v1/approvals/{id}/resolve": deciding("resolveApproval"),
        "/v1/events": streaming("events", "The events of all sessions or of one.", &["session", "Last-Event-ID"]),
    });
    for (_, name) in COMMANDS {
        paths[format!("/v1/commands/{name}")] = command(name, &schemas.params[*name], &schemas.results[*name]);
    }
    paths
}

fn parameters() -> Value {
    let id = |what: &str| json!({"name": "id", "in": "path", "required": true, "description": what, "schema": {"type": "string"}});
    let other = |name: &str, place: &str, about: &str, schema: Value| json!({"name": name, "in": place, "required": false, "description": about, "schema": schema});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer", "minimum": 0}));
    let key = json!({"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[ -~]+$"});
    let about_key = "The same request under the same key does nothing twice and gets its first answer, for 24 hours.";
    let about_client = "Names the program, so that each has its own open folder and frames.";
    json!({
        "runId": id("The run's full ID."),
        "sessionId": id("The session's ID."),
        "approvalId": id("The approval's full ID."),
        "active": other("active", "query", "Only runs that work, wait or are paused.", json!({"type": "boolean"})),
        "format": other("format", "query", "The file's format; default `jsonl`.", named("ExportFormat")),
        "from": other("from", "query", "The number of the first event; default 1.", number),
        "session": other("session", "query", "Only this session's events.", text.clone()),
        "Last-Event-ID": other("Last-Event-ID", "header", "The cursor of the last event that was read.", text.clone()),
        "Idempotency-Key": other("Idempotency-Key", "header", about_key, key),
        "Arki-Client": other("Arki-Client", "header", about_client, text),
    })
}

fn document() -> Value {
    let schemas = Schemas::made();
    let about = "Runs, approvals, events and every command of Arki's window, for programs: docs/http.md explains them.";
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Arki", "version": env!("CARGO_PKG_VERSION"), "description": about},
        "servers": [{"url": "http://127.0.0.1:4870", "description": "The usual address; `arki serve` prints it."}],
        "security": [{"token": []}],
        "paths": paths(&schemas),
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": parameters(),
            "responses": {"Error": answer("Why it can't be done: docs/errors.md has the codes.", &named("CommandError"))},
            "schemas": schemas.types,
        },
    })
}

/// Named as the exports of `ts-rs` are, and written beside them.
#[test]
fn export_bindings_of_openapi() {
    let folder = std::env::var_os("TS_RS_EXPORT_DIR").expect("cargo sets it");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(std::path::Path::new(&folder).join("openapi.json"), canonical_json(&document()).unwrap()).unwrap();
}

#[test]
fn every_reference_leads_somewhere_and_every_operation_has_a_name_of_its_own() {
    let document = document();
    let mut names = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            assert!(names.insert(operation["operationId"].to_string()), "{path}");
            assert!(operation["responses"]["default"].is_object(), "{path}");
        }
    }
    assert_eq!(names.len(), 17 + COMMANDS.len());
    let text = document.to_string();
    let references: Vec<&str> = text.split("\"$ref\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(references.len() > 500, "{}", references.len());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}
