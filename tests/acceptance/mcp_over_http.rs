//! MCP servers over HTTP that answer with something else than an answer: each time in words that say what came.

use crate::harness::Stage;
use crate::mcp::{offered, stage};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A response of HTTP, whole.
type Raw = String;

fn response(status: &str, kind: &str, body: &str) -> Raw {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// The address of a server that answers each request as `conduct` says, or sensibly where that says nothing.
pub(crate) fn serve(conduct: impl Fn(&Value) -> Option<Raw> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let conduct = Arc::new(conduct);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let conduct = conduct.clone();
            std::thread::spawn(move || {
                let Some(message) = read(&stream) else { return };
                let raw = conduct(&message).unwrap_or_else(|| sensible(&message));
                // A client that has gone already wants no answer.
                let _ = stream.write_all(raw.as_bytes());
            });
        }
    });
    url
}

/// The message that was posted; null where there is none.
fn read(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().to_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().ok()?,
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap_or_default())
}

fn sensible(message: &Value) -> Raw {
    if message["id"].is_null() {
        return response("202 Accepted", "text/plain", "");
    }
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
        _ => {
            let error = json!({"code": -32601, "message": "There is no such method."});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "error": error});
            return response("200 OK", "application/json", &answer.to_string());
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    response("200 OK", "application/json", &answer.to_string())
}

fn configured(url: &str) -> Value {
    json!({ "url": url, "timeoutSeconds": 10 })
}

/// What the model is told of a call that is answered so.
fn called(answer: Raw) -> String {
    let turns = vec![Turn::calls().call("mcp__x__echo", json!({})), Turn::text("Done.")];
    let url = serve(move |message| (message["method"] == "tools/call").then(|| answer.clone()));
    let stage = stage(&configured(&url), turns);
    stage.exec(&["--approve", "all", "go"]).exits(0);
    stage.told()
}

fn tested(stage: &Stage) -> Value {
    stage.arki(&["mcp", "test", "x", "--json"]).lines().pop().unwrap()
}

#[test]
fn what_came_instead_of_an_answer_is_said_in_plain_words() {
    let cut_off = |kind: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n{body}")
    };
    let cases = [
        (response("404 Not Found", "text/plain", "gone"), "it answered with HTTP 404 Not Found: gone."),
        (response("503 Service Unavailable", "text/html", ""), "it answered with HTTP 503."),
        (response("200 OK", "text/html", "<html>Sign in</html>"), "it answered with text/html, which is not MCP."),
        (response("200 OK", "application/json", "{\"a\":"), "it sent something that is not an MCP message."),
        (cut_off("application/json", "{"), "its answer was cut off."),
        (cut_off("text/event-stream", "data: {"), "ended during a call. What it did before is unknown."),
    ];
    for (answer, words) in cases {
        let told = called(answer.clone());
        assert!(told.contains(words), "{answer}\n{told}");
    }
}

#[test]
fn a_list_that_is_nested_without_an_end_is_refused() {
    let url = serve(|message| {
        (message["method"] == "tools/list").then(|| {
            let depth = 100_000;
            let schema = format!("{}{{}}{}", "{\"properties\":".repeat(depth), "}".repeat(depth));
            let result = format!("{{\"tools\":[{{\"name\":\"deep\",\"inputSchema\":{schema}}}]}}");
            let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", message["id"]);
            response("200 OK", "application/json", &answer)
        })
    });
    let refused = tested(&stage(&configured(&url), Vec::new()));
    assert_eq!(refused["code"], "MCP_SERVER_FAILED", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("it sent something that is not an MCP message."), "{refused}");
}

#[test]
fn a_token_of_the_configuration_that_is_refused_is_told_of_as_that() {
    let url = serve(|_| {
        let challenge = "WWW-Authenticate: Bearer realm=\"odd\"";
        Some(format!("HTTP/1.1 401 Unauthorized\r\n{challenge}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
    });
    let stage = stage(&json!({ "url": url, "headers": { "Authorization": "Bearer no-longer-good" } }), Vec::new());
    let refused = tested(&stage);
    assert_eq!(refused["code"], "MCP_SERVER_FAILED", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("refused the token under \"headers\" in its configuration."), "{refused}");
    let login = stage.arki(&["mcp", "login", "x"]).fails(2, "USAGE");
    assert!(login.hint.contains("\"headers\""), "{login:?}");
}

#[test]
fn an_error_that_names_no_call_ends_it_at_once_and_the_next_one_has_a_new_session() {
    let error =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "No such session."}}).to_string();
    for refusal in [
        response("200 OK", "application/json", &error),
        response("200 OK", "text/event-stream", &format!("data: {error}\n\n")),
        response("400 Bad Request", "application/json", &error),
        response("500 Internal Server Error", "application/json", &error),
        response("400 Bad Request", "text/plain", "Bad Request: No valid session"),
        response("500 Internal Server Error", "text/plain", ""),
    ] {
        let (sessions, calls) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        let (counted, answer) = (sessions.clone(), refusal.clone());
        let url = serve(move |message| match message["method"].as_str() {
            Some("initialize") => {
                counted.fetch_add(1, Ordering::SeqCst);
                None
            }
            Some("tools/call") if calls.fetch_add(1, Ordering::SeqCst) == 0 => Some(answer.clone()),
            Some("tools/call") => {
                let result = json!({"content": [{"type": "text", "text": "served"}]});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                Some(response("200 OK", "application/json", &answer.to_string()))
            }
            _ => None,
        });
        let call = || Turn::calls().call("mcp__x__echo", json!({}));
        // Longer than any test may take: only an answer at once passes.
        let settings = json!({ "url": url, "timeoutSeconds": 3000 });
        let stage = stage(&settings, vec![call(), call(), Turn::text("Done.")]);
        stage.exec(&["--approve", "all", "go"]).exits(0);
        assert_eq!(stage.told(), "served", "{refusal}");
        assert_eq!(sessions.load(Ordering::SeqCst), 2, "{refusal}");
    }
}

#[test]
fn a_cursor_that_repeats_keeps_what_was_listed() {
    let pages = Arc::new(Mutex::new(Vec::new()));
    let asked = pages.clone();
    let url = serve(move |message| {
        (message["method"] == "tools/list").then(|| {
            asked.lock().unwrap().push(message["params"]["cursor"].clone());
            let tools = json!([{"name": "echo", "inputSchema": {"type": "object"}}]);
            let result = json!({"tools": tools, "nextCursor": "again"});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            response("200 OK", "application/json", &answer.to_string())
        })
    });
    let stage = stage(&configured(&url), vec![Turn::text("Done.")]);
    let done = stage.exec(&["go"]).exits(0);
    assert_eq!(offered(&stage), ["mcp__x__echo"]);
    assert_eq!(*pages.lock().unwrap(), [Value::Null, json!("again")]);
    assert!(!done.stderr.contains("left out"), "{}", done.stderr);
}

#[test]
fn odd_schemas_fail_no_run_and_what_cannot_be_mended_is_named() {
    let schemas = [
        ("choice", json!({"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}]})),
        ("array", json!({"type": "object", "properties": {"a": {"type": "array"}}})),
        ("nowhere", json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}})),
        ("list", json!({"type": "object", "properties": [{"name": "a", "type": "string"}]})),
        ("none", Value::Null),
        ("hopeless", json!({"type": "string"})),
    ];
    let url = serve(move |message| {
        (message["method"] == "tools/list").then(|| {
            let tool = |(name, schema): &(&str, Value)| match schema {
                Value::Null => json!({"name": name, "description": "Does it.\nIn two lines."}),
                schema => json!({"name": name, "inputSchema": schema}),
            };
            let result = json!({"tools": schemas.iter().map(tool).collect::<Vec<_>>()});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            response("200 OK", "application/json", &answer.to_string())
        })
    });
    let stage = stage(&configured(&url), vec![Turn::text("Done.")]);
    let done = stage.arki(&["exec", "go"]).exits(0);
    let named = "Tools of the MCP server \"x\" are left out: \"hopeless\" (its schema does not describe an object).";
    assert!(done.stderr.contains(named), "{}", done.stderr);
    let sent = stage.model.requests().last().unwrap().json["tools"].clone();
    let of = |name: &str| {
        let is_it = |tool: &&Value| tool["function"]["name"] == format!("mcp__x__{name}");
        sent.as_array().unwrap().iter().find(is_it).unwrap_or_else(|| panic!("{name}"))["function"]["parameters"]
            .clone()
    };
    assert_eq!((of("choice")["type"].as_str(), of("choice").get("anyOf")), (Some("object"), None));
    assert_eq!(of("choice")["properties"], json!({"a": {"type": "string"}}));
    assert_eq!(of("array")["properties"]["a"], json!({"type": "array", "items": {}}));
    assert_eq!(of("nowhere")["properties"], json!({"a": {}}));
    assert_eq!((of("list")["type"].clone(), of("none")["properties"].clone()), (json!("object"), json!({})));
    let shown = stage.arki(&["mcp", "test", "x"]).exits(0).stdout;
    assert!(shown.contains("none                     Does it.\n"), "{shown}");
    assert!(shown.contains("hopeless                 left out: its schema does not describe an object"), "{shown}");
    let listed = tested(&stage);
    assert_eq!((&listed["step"], &listed["tools"][4]["name"]), (&json!("tools"), &json!("none")));
    let left_out = json!([{"name": "hopeless", "reason": "its schema does not describe an object"}]);
    assert_eq!(listed["leftOut"], left_out);
}
