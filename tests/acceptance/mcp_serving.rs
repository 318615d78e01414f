//! `arki mcp serve`: another agent reads this folder's sessions, over MCP, and can do nothing else.

#![allow(clippy::needless_pass_by_value, reason = "the values are made where they are passed")]

use crate::harness::{Stage, text};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// Another agent, which has said hello.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Agent {
    fn of(stage: &Stage, arguments: &[&str]) -> Self {
        let mut child = stage.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut agent = Self { child, input, output, asked: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "other", "version": "1" },
        });
        let welcome = agent.ask("initialize", hello);
        assert_eq!(text(&welcome["result"]["serverInfo"]["name"]), "arki");
        agent.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        agent
    }

    fn write(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }).to_string());
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    }

    fn told(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// Ends with the end of its input.
    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn another_agent_lists_finds_and_reads_sessions() {
    let stage = Stage::new(vec![Turn::text("It is a walrus.")]);
    stage.exec(&["Which animal is it?"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    let before = stage.events(&session).len();
    let mut agent = Agent::of(&stage, &["mcp", "serve"]);
    let offered = agent.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<String> = offered.as_array().unwrap().iter().map(|tool| text(&tool["name"])).collect();
    let expected = [
        "list_sessions",
        "search_sessions",
        "read_session",
        "list_pipeline_runs",
        "read_pipeline_run",
        "list_questions",
    ];
    assert_eq!(names, expected);
    assert!(offered.as_array().unwrap().iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{offered}");

    assert_eq!(text(&agent.told("list_sessions", json!({}))["sessions"][0]["sessionId"]), session);
    let found = agent.told("search_sessions", json!({ "query": "walrus" }));
    assert_eq!(text(&found["results"][0]["sessionId"]), session);
    let read = agent.told("read_session", json!({ "sessionId": session }));
    assert!(text(&read["text"]).contains("It is a walrus.") && read["next"].is_null(), "{read}");
    assert_eq!(agent.told("list_questions", json!({}))["questions"], json!([]));
    assert_eq!(agent.told("list_pipeline_runs", json!({}))["runs"], json!([]));
    agent.end();
    assert_eq!(stage.events(&session).len(), before, "nothing was added");
}

#[test]
fn sessions_of_other_folders_are_told_only_where_all_are_offered() {
    let stage = Stage::new(vec![Turn::text("A seal.")]);
    stage.exec(&["Which animal?"]).exits(0);
    let session = text(&stage.sessions()[0]["sessionId"]);
    let other = stage.home.data_dir().with_file_name("other");
    std::fs::create_dir_all(&other).unwrap();
    let serve = ["-C", other.to_str().unwrap(), "mcp", "serve", "--all"];
    let mut agent = Agent::of(&stage, &serve[..4]);
    assert_eq!(agent.told("list_sessions", json!({}))["sessions"], json!([]));
    assert_eq!(agent.told("search_sessions", json!({ "query": "seal" }))["results"], json!([]));
    let refused = agent.call("read_session", json!({ "sessionId": session }));
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().contains("SESSION_NOT_FOUND"), "{refused}");
    agent.end();
    let mut agent = Agent::of(&stage, &serve);
    assert_eq!(text(&agent.told("list_sessions", json!({}))["sessions"][0]["sessionId"]), session);
    agent.end();
}

#[test]
fn wrong_calls_are_told_and_the_next_is_answered() {
    let stage = Stage::new(Vec::new());
    let mut agent = Agent::of(&stage, &["mcp", "serve"]);
    let wrong = agent.call("list_sessions", json!({ "limit": "many" }));
    assert!(wrong["isError"] == true && wrong.to_string().contains("ARGUMENTS_INVALID"), "{wrong}");
    let unknown = agent.ask("tools/call", json!({ "name": "remove_session", "arguments": {} }));
    assert!(unknown["error"].is_object(), "{unknown}");
    assert!(agent.ask("resources/subscribe", json!({ "uri": "a" }))["error"].is_object());
    agent.told("list_sessions", json!({ "limit": 1 }));
    agent.end();
}
