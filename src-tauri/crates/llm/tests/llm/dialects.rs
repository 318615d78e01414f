//! What only one of the servers that speak Chat Completions does.

use crate::harness::{
    KEY, ask, assert_each_continues_the_one_before, calls, converse, keys, providers, request, said, text_of, user,
};
use crate::requests::tools;
use arki_domain::{ChatModel, ChatRequest, Code, FinishReason, StreamEvent, TokenType, UnknownTokens, Usage};
use arki_llm::{Price, ProviderKind, ProviderSettings, Rates, retryable};
use arki_testkit::{ScriptedServer, Turn};
use serde_json::{Value, json};
use std::sync::Arc;

fn model(server: &ScriptedServer, kind: ProviderKind, name: &str) -> Arc<dyn ChatModel> {
    let settings = ProviderSettings { base_url: Some(server.url()), ..ProviderSettings::new("there", kind) };
    providers(settings, &keys(&[KEY])).model(&format!("there/{name}")).unwrap()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": reason}]})
}

fn call() -> Value {
    delta(json!({"tool_calls": [
        {"index": 0, "id": "tool_0", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}]}))
}

/// A turn that thinks, speaks and calls, as each of the servers would tell it.
fn turn() -> Turn {
    Turn::chunks(&[
        delta(json!({"role": "assistant", "content": null, "reasoning": "größer", "reasoning_content": "größer",
            "reasoning_details": [{"type": "reasoning.text", "text": "größer", "index": 0}]})),
        delta(json!({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]})),
        delta(json!({"content": "I read."})),
        call(),
        delta(json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "id": "tool_0"}]})),
        finish("tool_calls"),
    ])
}

fn usage_of(events: &[StreamEvent]) -> (Option<FinishReason>, Usage) {
    let found = events.iter().find_map(|event| match event {
        StreamEvent::Metadata { finish_reason, usage } => Some((*finish_reason, usage.unwrap())),
        _ => None,
    });
    found.unwrap()
}

async fn answer(kind: ProviderKind, chunks: &[Value]) -> Vec<StreamEvent> {
    let server = ScriptedServer::start(vec![Turn::chunks(chunks)]).unwrap();
    let (events, fault) = ask(&*model(&server, kind, "m"), &request(vec![user("hi")])).await;
    assert_eq!(fault, None);
    events
}

#[tokio::test]
async fn over_a_hundred_turns_each_request_continues_the_one_before_in_every_dialect() {
    for (kind, name) in [
        (ProviderKind::OpenaiChat, "gpt-5.1"),
        (ProviderKind::Custom, "qwen3"),
        (ProviderKind::Deepseek, "deepseek-v4-pro"),
        (ProviderKind::Deepseek, "deepseek-reasoner"),
        (ProviderKind::Openrouter, "anthropic/claude-sonnet-4.5"),
    ] {
        let server = ScriptedServer::start(vec![turn()]).unwrap();
        let request = ChatRequest { tools: tools(), ..request(vec![user("grüße")]) };
        let hashes = converse(&*model(&server, kind, name), request, 100).await;
        assert_each_continues_the_one_before(&server, &hashes);
        let last = &server.requests()[99].json;
        assert_eq!(last["messages"].as_array().unwrap().len(), 2 + 99 * 2);
        let said = &last["messages"][2];
        let takes_thoughts = matches!(kind, ProviderKind::Deepseek | ProviderKind::Custom);
        let thoughts = if takes_thoughts { json!("größer") } else { Value::Null };
        assert_eq!(said["reasoning_content"], thoughts, "{kind}");
        let details = json!([
            {"type": "reasoning.text", "text": "größer", "index": 0, "signature": "s"},
            {"type": "reasoning.encrypted", "data": "x", "id": "tool_0"}]);
        let details = if kind == ProviderKind::Openrouter { details } else { Value::Null };
        assert_eq!(said["reasoning_details"], details, "{kind}");
    }
}

#[tokio::test]
async fn openrouter_is_told_who_asks_and_nobody_else_is() {
    let headers = async |kind| {
        let server = ScriptedServer::start(vec![turn()]).unwrap();
        assert_eq!(ask(&*model(&server, kind, "m"), &request(vec![user("hi")])).await.1, None);
        let sent = server.requests().remove(0);
        assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        (sent.header("x-title").map(str::to_owned), sent.header("http-referer").is_some())
    };
    assert_eq!(headers(ProviderKind::Openrouter).await, (Some("Arki".to_owned()), true));
    assert_eq!(headers(ProviderKind::Deepseek).await, (None, false));
}

#[tokio::test]
async fn a_header_that_the_user_configures_is_sent_in_place_of_ours() {
    let server = ScriptedServer::start(vec![turn()]).unwrap();
    let settings = ProviderSettings {
        base_url: Some(server.url()),
        headers: [("X-Title".to_owned(), "Mine".to_owned())].into(),
        ..ProviderSettings::new("there", ProviderKind::Openrouter)
    };
    let model = providers(settings, &keys(&[KEY])).model("there/m").unwrap();
    assert_eq!(ask(&*model, &request(vec![user("hi")])).await.1, None);
    let sent = server.requests().remove(0);
    let titles: Vec<&str> =
        sent.headers.iter().filter(|(name, _)| name == "x-title").map(|(_, title)| title.as_str()).collect();
    assert_eq!(titles, ["Mine"]);
    assert!(sent.header("authorization").is_some() && sent.header("http-referer").is_some());
}

#[tokio::test]
async fn openrouters_comments_thoughts_and_figures_are_understood() {
    let usage = json!({"prompt_tokens": 194, "completion_tokens": 20, "total_tokens": 214, "cost": 0.95, "is_byok": false,
        "cost_details": {"upstream_inference_cost": 19}, "prompt_tokens_details": {"cached_tokens": 7, "cache_write_tokens": 100},
        "completion_tokens_details": {"reasoning_tokens": 5}});
    let last = |usage: &Value| json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}], "usage": usage});
    let thought = json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "hm", "index": 0}]});
    let body: String = [delta(thought), delta(json!({"content": "Yes."})), finish("stop"), last(&usage)]
        .iter()
        .map(|chunk| format!(": OPENROUTER PROCESSING\n\ndata: {chunk}\n\n"))
        .collect();
    let server = ScriptedServer::start(vec![Turn::stream(body + "data: [DONE]\n\n")]).unwrap();
    let (events, fault) = ask(&*model(&server, ProviderKind::Openrouter, "m"), &request(vec![user("hi")])).await;
    assert_eq!(fault, None);
    assert_eq!((text_of(&events, TokenType::LlmThinking).as_str(), said(&events).as_str()), ("hm", "Yes."));
    let expected = Usage {
        prompt_tokens: 194,
        completion_tokens: 20,
        total_tokens: 214,
        cached_tokens: 7,
        cache_write_tokens: 100,
        reasoning_tokens: 5,
        cost_usd: Some(0.95),
        unknown: UnknownTokens::default(),
    };
    assert_eq!(usage_of(&events), (Some(FinishReason::Stop), expected));
    let mut own_key = usage;
    own_key["is_byok"] = json!(true);
    let events = answer(ProviderKind::Openrouter, &[finish("stop"), last(&own_key)]).await;
    assert_eq!(usage_of(&events).1.cost_usd, Some(19.95));
}

#[tokio::test]
async fn a_cost_that_anybody_else_tells_is_not_taken_for_dollars() {
    let usage = json!({"prompt_tokens": 1_000_000, "completion_tokens": 0, "cost": {"total_cost": 9}});
    let server = ScriptedServer::start(vec![Turn::chunks(&[finish("stop"), json!({"choices": [], "usage": usage})])]);
    let server = server.unwrap();
    let price = Price { rates: Rates { input: 3.0, ..Rates::default() }, tiers: Vec::new() };
    let about = arki_llm::ModelSettings { price: Some(price), ..arki_llm::ModelSettings::default() };
    let settings = ProviderSettings {
        base_url: Some(server.url()),
        models: [("m".to_owned(), about)].into(),
        ..ProviderSettings::new("there", ProviderKind::Custom)
    };
    let model = providers(settings, &keys(&[])).model("there/m").unwrap();
    let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
    assert_eq!((fault, usage_of(&events).1.cost_usd), (None, Some(3.0)));
}

#[tokio::test]
async fn an_error_in_the_middle_of_openrouters_answer_is_a_fault_and_what_was_used_is_known() {
    let failed = json!({"error": {"code": 502, "message": "Provider disconnected"}, "usage": {"prompt_tokens": 9, "completion_tokens": 1},
        "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]});
    let in_choice = json!({"choices": [{"index": 0, "delta": {}, "error": {"code": 429, "message": "slow down"}}]});
    for (chunk, code, words) in [
        (failed, Code::PROVIDER_FAILED, "Provider disconnected"),
        (in_choice, Code::PROVIDER_RATE_LIMITED, "slow down"),
        (finish("error"), Code::PROVIDER_FAILED, "finish_reason error"),
    ] {
        let server = ScriptedServer::start(vec![Turn::chunks(&[delta(json!({"content": "Well"})), chunk])]).unwrap();
        let (events, fault) = ask(&*model(&server, ProviderKind::Openrouter, "m"), &request(vec![user("hi")])).await;
        let fault = fault.unwrap();
        assert!(fault.is(code) && fault.message.contains(words) && retryable(&fault), "{fault:?}");
        assert_eq!(said(&events), "Well");
        if words == "Provider disconnected" {
            assert_eq!(usage_of(&events).1.prompt_tokens, 9);
        }
    }
}

#[tokio::test]
async fn deepseeks_figures_and_overload_are_understood() {
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110, "prompt_cache_hit_tokens": 64,
        "prompt_cache_miss_tokens": 36, "completion_tokens_details": {"reasoning_tokens": 4}});
    let events = answer(ProviderKind::Deepseek, &[finish("stop"), json!({"choices": [], "usage": usage})]).await;
    let expected = Usage {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        cached_tokens: 64,
        reasoning_tokens: 4,
        ..Usage::default()
    };
    assert_eq!(usage_of(&events).1, expected);
    let server = ScriptedServer::start(vec![Turn::chunks(&[finish("insufficient_system_resource")])]).unwrap();
    let fault = ask(&*model(&server, ProviderKind::Deepseek, "m"), &request(vec![user("hi")])).await.1.unwrap();
    assert!(fault.is(Code::PROVIDER_FAILED) && retryable(&fault), "{fault:?}");
}

#[tokio::test]
async fn the_ways_of_local_servers_are_understood() {
    let called = |arguments: &str| {
        delta(json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
        "function": {"name": "read_file", "arguments": arguments}}]}))
    };
    let piece = delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"path\":1}"}}]}));
    // llama.cpp: its timings in a last chunk without choices.
    let llama = [
        delta(json!({"reasoning_content": "hm"})),
        called(""),
        piece.clone(),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}, "timings": {"prompt_n": 3}}),
    ];
    // vLLM with figures in every chunk, and an empty reason until the end.
    let mut with_usage = called("{\"path\":1}");
    with_usage["usage"] = json!({"prompt_tokens": 3, "completion_tokens": 1});
    with_usage["choices"][0]["finish_reason"] = json!("");
    let mut end = finish("tool_calls");
    end["usage"] = json!({"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": null});
    let vllm = [delta(json!({"reasoning": "hm"})), with_usage, end];
    // LM Studio and LiteLLM: empty figures, and the reason in a chunk without delta.
    let studio = [
        delta(json!({"reasoning_content": "hm"})),
        called(""),
        piece,
        json!({"choices": [{"index": 0, "finish_reason": "tool_calls"}], "usage": {}}),
        json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}),
    ];
    for chunks in [llama.as_slice(), &vllm, &studio] {
        let events = answer(ProviderKind::Custom, chunks).await;
        assert_eq!(text_of(&events, TokenType::LlmThinking), "hm");
        assert_eq!(calls(&events), [("read_file", "{\"path\":1}")]);
        let (reason, usage) = usage_of(&events);
        assert_eq!((reason, usage.completion_tokens, usage.total_tokens), (Some(FinishReason::ToolCalls), 2, 5));
    }
}

#[tokio::test]
async fn a_server_that_gives_its_thoughts_has_them_back_with_the_call_they_led_to() {
    let thought = delta(json!({"reasoning_content": "Let me look."}));
    let server = ScriptedServer::start(vec![Turn::chunks(&[thought, call(), finish("tool_calls")])]).unwrap();
    let hashes = converse(&*model(&server, ProviderKind::Custom, "mock"), request(vec![user("go")]), 3).await;
    assert_each_continues_the_one_before(&server, &hashes);
    let messages = server.requests()[2].json["messages"].clone();
    for turn in [2, 4] {
        assert_eq!(messages[turn]["reasoning_content"], "Let me look.");
    }
}

#[tokio::test]
async fn moonshots_cache_and_xais_thoughts_are_counted_and_cost_what_they_do() {
    let price = Price {
        rates: Rates { input: 1.0, output: 10.0, cached_input: Some(0.1), cache_write: None },
        tiers: Vec::new(),
    };
    let million = |count: u64| count * 1_000_000;
    let moonshot = json!({"prompt_tokens": million(4), "completion_tokens": million(1), "total_tokens": million(5), "cached_tokens": million(3)});
    let xai = json!({"prompt_tokens": million(1), "completion_tokens": million(1), "total_tokens": million(5),
        "completion_tokens_details": {"reasoning_tokens": million(3)}});
    let contained = json!({"prompt_tokens": million(1), "completion_tokens": million(4), "total_tokens": million(5),
        "completion_tokens_details": {"reasoning_tokens": million(3)}});
    let in_choice = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": moonshot}]});
    for (chunks, completion, cost) in [
        (vec![finish("stop"), json!({"choices": [], "usage": moonshot})], 1, 1.0 + 0.3 + 10.0),
        (vec![in_choice], 1, 1.0 + 0.3 + 10.0),
        (vec![finish("stop"), json!({"choices": [], "usage": xai})], 4, 1.0 + 40.0),
        (vec![finish("stop"), json!({"choices": [], "usage": contained})], 4, 1.0 + 40.0),
    ] {
        let server = ScriptedServer::start(vec![Turn::chunks(&chunks)]).unwrap();
        let about = arki_llm::ModelSettings { price: Some(price.clone()), ..arki_llm::ModelSettings::default() };
        let settings = ProviderSettings {
            base_url: Some(server.url()),
            models: [("m".to_owned(), about)].into(),
            ..ProviderSettings::new("there", ProviderKind::Custom)
        };
        let model = providers(settings, &keys(&[])).model("there/m").unwrap();
        let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
        let usage = usage_of(&events).1;
        assert_eq!((fault, usage.completion_tokens), (None, million(completion)));
        assert!((usage.cost_usd.unwrap() - cost).abs() < 1e-9, "{usage:?}");
    }
}

#[tokio::test]
async fn googles_signature_and_vllms_thoughts_come_back_as_they_were_given() {
    let signature = json!({"google": {"thought_signature": "c2lnbmVk"}});
    let call = json!({"index": 0, "id": "call_1", "function": {"name": "read_file", "arguments": "{}"}, "extra_content": signature});
    let chunks = [
        delta(json!({"reasoning": "Let me "})),
        delta(json!({"reasoning": "look."})),
        delta(json!({"tool_calls": [call]})),
        finish("tool_calls"),
    ];
    let server = ScriptedServer::start(vec![Turn::chunks(&chunks), Turn::text("done")]).unwrap();
    let there = model(&server, ProviderKind::Custom, "m");
    crate::harness::converse(&*there, request(vec![user("hi")]), 2).await;
    let turn = server.requests()[1].json["messages"][2].clone();
    assert_eq!((&turn["reasoning"], &turn["tool_calls"][0]["extra_content"]), (&json!("Let me look."), &signature));
    assert_eq!(turn.get("reasoning_content"), None);
}
