//! The real program with a real model on a real llama.cpp server.
//!
//! The model has 135 million parameters and does not call tools by itself. A server's operator can bring it to, with a
//! chat template (`tool_calling.jinja`); what it then calls, with which arguments, and what it says of the result is its
//! own. llama.cpp turns its words into calls, for each of the three APIs it has.

use crate::arki::{Arki, of_kind};
use crate::servers::Server;
use arki_llm::ProviderKind;
use serde_json::{Value, json};

/// A model this small may ramble: enough for a call, and soon over.
fn arki(kind: ProviderKind, server: &Server) -> Arki {
    let config = json!({
        "agents": {"arki": {"model": "mock/mock", "maxCompletionTokens": 48}}, "limits": {"maxTurns": 3},
    });
    let arki = Arki::with(kind, server.address(), &config);
    arki.home.write("notes.txt", "The answer is 42.\n").unwrap();
    arki
}

#[test]
fn a_run_calls_a_tool_is_told_its_result_and_answers() {
    let server = Server::llama_calling_tools();
    for kind in [ProviderKind::Custom, ProviderKind::Openai, ProviderKind::Anthropic] {
        let events = arki(kind, &server).exec_reading("What does notes.txt say?", "notes.txt");
        let result = &of_kind(&events, "tool.result")[0]["payload"];
        assert_eq!(result["result"], "1\tThe answer is 42.\n", "{kind}");
        let completed = &of_kind(&events, "run.completed")[0]["payload"];
        assert!(completed["response"].as_str().is_some_and(|text| !text.trim().is_empty()), "{kind}: {completed}");
        // The second request begins with the first one's prompt, which the server need not read again.
        let usage = of_kind(&events, "engine.response");
        let usage = |turn: usize| &usage[turn]["payload"]["usage"];
        let (cached, first) = (usage(1)["cachedTokens"].as_u64(), usage(0)["promptTokens"].as_u64());
        assert!(cached > first.map(|tokens| tokens / 2), "{kind}: {} then {}", usage(0), usage(1));
    }
}

#[test]
fn a_run_with_tools_streams_is_stored_and_proves_itself() {
    let server = Server::llama();
    let arki = arki(ProviderKind::Custom, &server);

    let events = arki.exec(&["Say hello in one short sentence."]);
    let pieces = of_kind(&events, "output.delta").len();
    assert!(pieces > 1, "nothing was streamed: {events:?}");
    let request = of_kind(&events, "engine.request");
    assert!(!request.is_empty(), "{events:?}");
    let message = of_kind(&events, "output.message");
    assert!(message[0]["payload"]["content"].as_str().is_some_and(|text| !text.trim().is_empty()), "{message:?}");
    let usage = &of_kind(&events, "engine.response")[0]["payload"]["usage"];
    assert!(usage["promptTokens"].as_u64() > Some(100), "the tools are part of the prompt: {usage}");

    let schema = arki.home.write("schema.json", SCHEMA).unwrap();
    let events = arki.exec(&["--output-schema", &schema.to_string_lossy(), "Which file should be read first?"]);
    let said = of_kind(&events, "output.message");
    let said = said.last().unwrap()["payload"]["content"].as_str().unwrap();
    let said: Value = serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(said["tool"], "read_file", "llama.cpp holds its model to the schema: {said}");

    let verified = arki.run(&["verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// Such that few words fill it, so that the limit on them is not reached.
const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {"tool": {"enum": ["read_file"]}, "path": {"enum": ["notes.txt", "other.txt"]}},
    "required": ["tool", "path"],
    "additionalProperties": false
}"#;
