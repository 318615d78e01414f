//! MCP servers that crash, hang, flood, lie and change: each time a clear fault, and the run goes on.

use crate::harness::{Stage, payloads};
#[cfg(unix)]
use crate::mcp::StartsHeard;
use crate::mcp::{listed, offered, saying, server, stage, with, writing};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn say(text: &str) -> Turn {
    Turn::calls().call("mcp__x__echo", json!({ "text": text }))
}

/// The result of each call, everything approved.
fn results(stage: &Stage) -> Vec<Value> {
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    payloads(&events, "tool.result")
}

fn told(result: &Value) -> &str {
    result["result"].as_str().unwrap()
}

/// A server says this, and then something sensible.
fn before_and_after(conduct: &str, text: &str) -> Vec<Value> {
    let server = with(server(conduct), &json!({ "timeoutSeconds": 3 }));
    results(&stage(&server, vec![say(text), say("after"), Turn::text("Done.")]))
}

#[test]
fn what_is_never_answered_ends_with_its_time_and_the_server_is_told() {
    let slow = with(server("good"), &json!({ "timeoutSeconds": 2 }));
    let stage = stage(&slow, vec![say("hang"), say("after"), Turn::text("Done.")]);
    #[cfg(unix)]
    let mut heard = StartsHeard::at(&stage, "server-heard");
    let results = results(&stage);
    assert_eq!(results[0]["code"], "TOOL_TIMEOUT", "{}", results[0]);
    assert_eq!(results[1]["result"], "echo: after");
    #[cfg(unix)]
    assert!(heard.text().contains("notifications/cancelled"), "{}", heard.text());
}

#[test]
fn an_answer_to_what_nobody_asked_is_none() {
    let results = before_and_after("wrong ids", "hi");
    assert!(results.iter().all(|result| result["code"] == "TOOL_TIMEOUT"), "{results:?}");
}

#[test]
fn a_line_without_end_and_noise_without_end_end_the_connection() {
    for (text, word) in [("one long line", "more than 8 MiB"), ("noise", "not MCP")] {
        let results = before_and_after("good", text);
        assert_eq!(results[0]["code"], "MCP_SERVER_FAILED", "{text}: {}", results[0]);
        assert!(told(&results[0]).contains(word), "{text}: {}", results[0]);
        assert_eq!(results[1]["result"], "echo: after", "{text}");
    }
}

#[test]
fn complaints_and_news_without_end_hold_up_nothing() {
    for text in ["complaints", "news"] {
        let stage = stage(&server("good"), vec![say(text), Turn::text("Done.")]);
        assert_eq!(results(&stage)[0]["result"], format!("echo: {text}"));
    }
}

#[test]
fn an_answer_of_another_form_is_a_fault_and_the_next_one_counts() {
    for text in ["wrong types", "nothing at all"] {
        let results = before_and_after("good", text);
        assert!(results[0]["isError"] == true || told(&results[0]) == "(no output)", "{text}: {}", results[0]);
        assert_eq!(results[1]["result"], "echo: after", "{text}");
    }
}

#[test]
fn schemas_that_lead_in_circles_hold_up_nobody() {
    let turns = vec![
        Turn::calls().call("mcp__x__self", json!({ "a": { "a": 1 } })),
        Turn::calls().call("mcp__x__knot", json!({ "a": 1, "b": 2 })),
        say("hi"),
        Turn::text("Done."),
    ];
    let stage = stage(&server("loops"), turns);
    let results = results(&stage);
    assert_eq!(results[2]["result"], "echo: hi");
    assert!(offered(&stage).contains(&"mcp__x__echo".to_owned()));
}

#[test]
fn names_are_made_safe_and_take_no_other_tools_place() {
    let turns = vec![Turn::calls().call("read_file", json!({ "path": "a.txt" })), Turn::text("Done.")];
    let stage = stage(&server("names"), turns);
    stage.write("a.txt", "of the project");
    let results = results(&stage);
    assert!(told(&results[0]).contains("of the project"), "{}", results[0]);
    let mut names = offered(&stage);
    let is_safe = |name: &String| {
        name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    };
    assert!(names.iter().all(is_safe), "{names:?}");
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), count), (9, 9));
    for args in [&["mcp", "list"][..], &["mcp", "test", "x"]] {
        let shown = stage.arki(args).exits(0).stdout;
        assert!(!shown.contains('\x1b') && shown.lines().count() < 20, "{shown:?}");
    }
}

#[test]
fn a_tool_that_changes_in_the_middle_of_a_run_is_off_at_once() {
    let stage = stage(&writing("changes"), vec![say("turn coat"), say("after"), Turn::text("Done.")]);
    let results = results(&stage);
    assert!(told(&results[0]).starts_with("echo: turn coat"), "{}", results[0]);
    assert_eq!(results[1]["code"], "MCP_TOOL_CHANGED", "{}", results[1]);
    assert_eq!(listed(&stage)["changed"][0]["name"], "echo");
}

#[test]
fn a_server_that_ends_at_once_is_told_with_its_last_words() {
    let stage = saying("ends", "hi");
    let done = stage.exec(&["--approve", "all", "go"]).exits(0);
    for word in ["exit code 3", "a library is missing", "arki mcp test x"] {
        assert!(done.stderr.contains(word), "{word}: {}", done.stderr);
    }
    let steps = stage.arki(&["mcp", "test", "x", "--json"]).exits(1).lines();
    assert_eq!((&steps[1]["step"], &steps[1]["trail"]), (&json!("initialize"), &json!("a library is missing")));
}

#[test]
fn a_server_that_crashes_again_and_again_is_left_alone_for_a_while() {
    let crash = |number: usize| Turn::calls().call("mcp__x__echo", json!({ "text": "crash", "number": number }));
    let mut turns: Vec<Turn> = (0..6).map(crash).collect();
    turns.push(Turn::text("Done."));
    let results = results(&stage(&server("good"), turns));
    assert!(results.iter().all(|result| result["code"] == "MCP_SERVER_FAILED"), "{results:?}");
    assert!(results.iter().any(|result| told(result).contains("times in a row; Arki will try again")), "{results:?}");
}

#[test]
fn what_takes_too_much_is_ended_with_the_limit_it_went_over_and_started_again() {
    let limits =
        json!({ "maxCommandProcesses": 30, "maxCommandMemoryMegabytes": 200, "maxCommandOutputMegabytes": 10 });
    let took = [
        ("processes", "had more than 30 processes"),
        ("memory", "took more than 200 MiB of memory"),
        ("output", "wrote more than 10 MiB"),
    ];
    let mut turns: Vec<Turn> = took.iter().flat_map(|(text, _)| [say(text), say("after")]).collect();
    turns.push(Turn::text("Done."));
    let config = json!({ "mcpServers": { "x": writing("good") }, "limits": limits });
    let results = results(&Stage::configured(Script::new(turns).sequential(), &config));
    for ((_, words), pair) in took.iter().zip(results.chunks(2)) {
        assert_eq!(pair[0]["code"], "MCP_SERVER_FAILED", "{}", pair[0]);
        assert!(told(&pair[0]).contains(words) && told(&pair[0]).contains("Arki ended it"), "{}", pair[0]);
        assert_eq!(pair[1]["result"], "echo: after");
    }
}

#[test]
fn lists_without_an_end_are_cut() {
    let turns = vec![Turn::calls().call("mcp__x__list_resources", json!({})), Turn::text("Done.")];
    let stage = stage(&server("endless"), turns);
    assert!(told(&results(&stage)[0]).ends_with("… and more"));
    assert!(stage.arki(&["mcp", "prompts", "x"]).exits(0).stdout.lines().count() <= 500);
    let stage = self::stage(&server("endless tools"), vec![Turn::text("Done.")]);
    stage.exec(&["go"]).exits(0);
    assert!(!offered(&stage).is_empty(), "what was listed is kept");
}

#[test]
fn content_of_unknown_types_is_named_and_the_rest_of_the_answer_is_told() {
    let stage = saying("good", "unknown content");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!(stage.told(), "known\n[content of type weird left out]\n[content of type text left out]");
}

#[test]
fn a_schema_without_an_end_takes_only_its_own_tool_with_it() {
    let stage = saying("deep", "hello");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!((stage.told(), offered(&stage)), ("echo: hello".to_owned(), vec!["mcp__x__echo".to_owned()]));
}

#[test]
fn an_answer_that_begins_no_connection_is_said_in_plain_words() {
    let stage = stage(&server("begins otherwise"), Vec::new());
    let done = stage.arki(&["mcp", "test", "x", "--json"]).exits(1);
    let step = done.lines().pop().unwrap();
    assert_eq!((&step["code"], &step["step"]), (&json!("MCP_SERVER_FAILED"), &json!("initialize")));
    let message = step["message"].as_str().unwrap();
    assert!(message.contains("answer to `initialize` is invalid") && !message.contains("Result("), "{message}");
}

#[test]
fn a_header_whose_variable_is_not_set_is_a_fault_of_the_configuration_and_no_password_is_shown() {
    let headers = json!({ "Authorization": "Bearer ${NOT_SET_ANYWHERE}" });
    let stage = stage(&json!({ "url": "http://me:hunter22@127.0.0.1:9/mcp", "headers": headers }), Vec::new());
    let done = stage.arki(&["mcp", "test", "x", "--json"]).exits(1);
    let step = done.lines().pop().unwrap();
    assert_eq!((&step["code"], &step["step"]), (&json!("CONFIG_INVALID"), &json!("start")));
    assert!(step["message"].as_str().unwrap().contains("NOT_SET_ANYWHERE"), "{step}");
    let stage = self::stage(&json!({ "url": "http://me:hunter22@127.0.0.1:9/mcp" }), Vec::new());
    for args in [&["mcp", "test", "x"][..], &["mcp", "list"]] {
        let done = stage.arki(args);
        let told = format!("{}{}", done.stdout, done.stderr);
        assert!(told.contains("http://127.0.0.1:9/mcp") && !told.contains("hunter22"), "{told}");
        assert!(!told.contains("arki mcp test"), "{told}");
    }
}
