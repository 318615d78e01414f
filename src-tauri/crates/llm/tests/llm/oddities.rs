//! What every wire format takes alike, however odd: figures that are none, and more calls than anybody reviews.

use crate::harness::{KEY, ask, calls, impatient, keys, providers, request, said, user};
use arki_domain::{CallId, Code, Error, Message, ModelOptions, StreamEvent, ToolRequest, Usage};
use arki_llm::{ProviderKind, ProviderSettings};
use arki_testkit::{ScriptedServer, Turn};
use serde_json::{Value, json};

const KINDS: [ProviderKind; 5] = [
    ProviderKind::Openai,
    ProviderKind::OpenaiChat,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
    ProviderKind::Ollama,
];
/// The bound of one answer.
const MAX_CALLS: usize = 256;

async fn answer(kind: ProviderKind, events: &[Value]) -> (Vec<StreamEvent>, Option<Error>) {
    let framed = |value: &Value| match kind {
        ProviderKind::Ollama => format!("{value}\n"),
        _ => format!("data: {value}\n\n"),
    };
    let media_type = if kind == ProviderKind::Ollama { "application/x-ndjson" } else { "text/event-stream" };
    let turn = Turn::raw(200, media_type, events.iter().map(framed).collect::<String>());
    let server = ScriptedServer::start(vec![turn]).unwrap();
    let settings = ProviderSettings { kind, is_local: false, ..impatient(&server.url()) };
    let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
    ask(&*model, &request(vec![user("hi")])).await
}

/// “Yes.”, with these as the tokens of the prompt and of the answer.
fn counted(kind: ProviderKind, prompt: &Value, answer: &Value) -> Vec<Value> {
    match kind {
        ProviderKind::Openai => vec![
            json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "delta": "Yes."}),
            json!({"type": "response.completed", "response": {"status": "completed", "output": [],
                "usage": {"input_tokens": prompt, "output_tokens": answer, "input_tokens_details": "none"}}}),
        ],
        ProviderKind::Anthropic => vec![
            json!({"type": "message_start", "message": {"usage": {"input_tokens": prompt, "output_tokens": 0}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "Yes."}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": answer,
                "output_tokens_details": []}}),
            json!({"type": "message_stop"}),
        ],
        ProviderKind::Gemini => vec![json!({
            "candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": prompt, "candidatesTokenCount": answer, "thoughtsTokenCount": "x"},
        })],
        ProviderKind::Ollama => vec![json!({"message": {"content": "Yes."}, "done": true, "done_reason": "stop",
            "prompt_eval_count": prompt, "eval_count": answer})],
        _ => vec![
            json!({"choices": [{"index": 0, "delta": {"content": "Yes."}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": answer,
                "prompt_tokens_details": 7, "completion_tokens_details": {"reasoning_tokens": "?"}}}),
        ],
    }
}

fn usage(events: &[StreamEvent]) -> Option<Usage> {
    events.iter().find_map(|event| if let StreamEvent::Metadata { usage, .. } = event { *usage } else { None })
}

#[tokio::test]
async fn figures_that_are_written_wrongly_are_rounded_or_unknown_and_the_answer_stays() {
    let cases = [
        (json!(12.0), json!("3"), 12, 3),
        (json!(11.6), json!(-1), 12, 0),
        (json!("twelve"), json!(3.0), 0, 3),
        (json!([12]), json!(3), 0, 3),
        (json!(true), json!(1e300), 0, 0),
    ];
    for kind in KINDS {
        for (prompt, completion, prompt_tokens, completion_tokens) in &cases {
            let (events, fault) = answer(kind, &counted(kind, prompt, completion)).await;
            assert_eq!((said(&events).as_str(), fault), ("Yes.", None), "{kind} {prompt} {completion}");
            let usage = usage(&events).unwrap_or_default();
            let figures = (usage.prompt_tokens, usage.completion_tokens);
            assert_eq!(figures, (*prompt_tokens, *completion_tokens), "{kind} {prompt} {completion}");
        }
    }
}

#[tokio::test]
async fn what_is_told_in_part_is_unknown_in_the_rest_and_no_zero() {
    for kind in KINDS {
        let told = |events: &[StreamEvent]| serde_json::to_value(usage(events).unwrap()).unwrap();
        let (events, _) = answer(kind, &counted(kind, &json!(7), &json!("many"))).await;
        let usage = told(&events);
        // Anthropic's has counted none of the answer when it begins.
        let completion = if kind == ProviderKind::Anthropic { json!(0) } else { Value::Null };
        assert_eq!((&usage["promptTokens"], &usage["completionTokens"]), (&json!(7), &completion), "{kind}: {usage}");
        let (events, _) = answer(kind, &counted(kind, &json!([]), &json!(3))).await;
        let usage = told(&events);
        for unknown in ["promptTokens", "totalTokens", "cachedTokens", "costUsd"] {
            assert_eq!(usage[unknown], Value::Null, "{kind}: {usage}");
        }
        assert_eq!(usage["completionTokens"], 3, "{kind}: {usage}");
    }
}

#[tokio::test]
async fn usage_that_is_no_group_of_figures_is_unknown() {
    for usage_of in [json!("none"), json!([1, 2]), json!(7), Value::Null] {
        let chunk = json!({"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}], "usage": usage_of});
        let (events, fault) = answer(ProviderKind::OpenaiChat, &[chunk]).await;
        assert_eq!((said(&events).as_str(), fault, usage(&events)), ("Yes.", None, None), "{usage_of}");
    }
}

fn calling(kind: ProviderKind, count: usize) -> Vec<Value> {
    let numbers = 0..count;
    let name = "read_file";
    match kind {
        ProviderKind::Openai => {
            let item = |n| {
                json!({"type": "function_call", "id": format!("i{n}"), "call_id": format!("c{n}"),
                "name": name, "arguments": "{}"})
            };
            let begun =
                numbers.map(|n| json!({"type": "response.output_item.done", "output_index": n, "item": item(n)}));
            let end = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
            begun.chain([end]).collect()
        }
        ProviderKind::Anthropic => {
            let block = |n| json!({"type": "tool_use", "id": format!("c{n}"), "name": name, "input": {}});
            let begun = numbers.map(|n| json!({"type": "content_block_start", "index": n, "content_block": block(n)}));
            let end = json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}});
            begun.chain([end, json!({"type": "message_stop"})]).collect()
        }
        ProviderKind::Gemini => {
            let parts: Vec<Value> = numbers.map(|_| json!({"functionCall": {"name": name, "args": {}}})).collect();
            vec![json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]})]
        }
        ProviderKind::Ollama => {
            let calls: Vec<Value> = numbers.map(|_| json!({"function": {"name": name, "arguments": {}}})).collect();
            vec![json!({"message": {"content": "", "tool_calls": calls}, "done": true, "done_reason": "stop"})]
        }
        _ => {
            let call = |n| json!({"index": n, "id": format!("c{n}"), "function": {"name": name, "arguments": "{}"}});
            let calls: Vec<Value> = numbers.map(call).collect();
            vec![json!({"choices": [{"delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}]})]
        }
    }
}

#[tokio::test]
async fn an_answer_with_too_many_calls_ends_alike_in_every_wire_format_and_none_is_done() {
    for kind in KINDS {
        let (events, fault) = answer(kind, &calling(kind, MAX_CALLS)).await;
        assert_eq!((calls(&events).len(), fault), (MAX_CALLS, None), "{kind}");
        for count in [MAX_CALLS + 1, 300] {
            let (events, fault) = answer(kind, &calling(kind, count)).await;
            let fault = fault.unwrap_or_else(|| panic!("{kind}: {count} calls were taken"));
            assert!(fault.is(Code::ANSWER_TOO_LONG) && fault.message.contains("256"), "{kind}: {fault:?}");
            assert!(calls(&events).is_empty(), "{kind}");
        }
    }
}

#[tokio::test]
async fn a_local_model_costs_nothing_also_where_its_server_counts_nothing() {
    let chunk = json!({"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]});
    let turn = || Turn::raw(200, "text/event-stream", format!("data: {chunk}\n\ndata: [DONE]\n\n"));
    for (is_local, cost_usd) in [(true, Some(0.0)), (false, None)] {
        let server = ScriptedServer::start(vec![turn()]).unwrap();
        let settings = ProviderSettings { is_local, ..impatient(&server.url()) };
        let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
        let (events, _) = ask(&*model, &request(vec![user("hi")])).await;
        assert_eq!(usage(&events).and_then(|usage| usage.cost_usd), cost_usd, "{is_local}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_a_request_without_a_key_is_quoted() {
    for status in [401, 403] {
        let refusal = Turn::json(status, json!({"error": {"message": "This team has no access to mock."}}));
        let server = ScriptedServer::start(vec![refusal]).unwrap();
        let model = providers(impatient(&server.url()), &keys(&[])).model("lab/mock").unwrap();
        let fault = ask(&*model, &request(vec![user("hi")])).await.1.unwrap();
        assert!(fault.is(Code::KEY_MISSING), "{fault:?}");
        assert!(fault.message.ends_with("It says: This team has no access to mock."), "{fault:?}");
    }
}

/// What another vendor's model once called, though it does not exist, is told in a form that this one takes.
#[tokio::test]
async fn names_and_ids_of_past_calls_are_such_as_the_api_takes() {
    let call_id = CallId::from("c".repeat(53));
    let call = ToolRequest { call_id: call_id.clone(), tool_id: "functions.read_file".into(), arguments: "{}".into() };
    let turn = Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls: vec![call] };
    let (tool_id, content) = ("functions.read_file".to_owned(), "There is no such tool.".to_owned());
    let result = Message::ToolResult { call_id, tool_id, content, is_error: true };
    let request = request(vec![user("hi"), turn, result, user("go on")]);
    let openais = [ProviderKind::Openai, ProviderKind::OpenaiChat, ProviderKind::Anthropic];
    let others = [ProviderKind::Deepseek, ProviderKind::Openrouter, ProviderKind::Custom];
    for kind in openais.into_iter().chain(others) {
        let settings = ProviderSettings { kind, is_local: false, ..impatient("http://127.0.0.1:9/v1") };
        let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
        let body = String::from_utf8(model.prepare(&request).unwrap().body.to_vec()).unwrap();
        assert!(body.contains("functions_read_file") && !body.contains("functions.read_file"), "{kind}: {body}");
        let shortened = kind == ProviderKind::OpenaiChat;
        assert_eq!(body.contains(&"c".repeat(53)), !shortened, "{kind}: {body}");
        let json: Value = serde_json::from_str(&body).unwrap();
        if shortened {
            let messages = &json["messages"];
            assert_eq!(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
            assert!(messages[3]["tool_call_id"].as_str().unwrap().len() <= 40);
        }
    }
}

#[tokio::test]
async fn a_model_that_is_known_not_to_reason_is_not_asked_how_much() {
    let mut request = request(vec![user("hi")]);
    request.options = ModelOptions { reasoning_effort: Some("medium".into()), ..ModelOptions::default() };
    for kind in [ProviderKind::Openai, ProviderKind::OpenaiChat] {
        for (name, reasons) in [("gpt-4.1", false), ("gpt-5.1", true), ("nobody-knows-it", true)] {
            let settings = ProviderSettings { kind, is_local: false, ..impatient("http://127.0.0.1:9/v1") };
            let model = providers(settings, &keys(&[KEY])).model(&format!("lab/{name}")).unwrap();
            let body = String::from_utf8(model.prepare(&request).unwrap().body.to_vec()).unwrap();
            assert_eq!(body.contains("reasoning"), reasons, "{kind} {name}: {body}");
        }
    }
}

#[tokio::test]
async fn flex_costs_half_and_what_another_tier_costs_is_not_known() {
    for (kind, tier, share) in [
        (ProviderKind::Openai, "default", Some(1.0)),
        (ProviderKind::Openai, "flex", Some(0.5)),
        (ProviderKind::OpenaiChat, "default", Some(1.0)),
        (ProviderKind::OpenaiChat, "flex", Some(0.5)),
        (ProviderKind::OpenaiChat, "priority", None),
        (ProviderKind::Custom, "on_demand", None),
    ] {
        let mut events = counted(kind, &json!(7), &json!(1));
        for event in &mut events {
            event["service_tier"] = tier.into();
            if event["response"].is_object() {
                event["response"]["service_tier"] = tier.into();
            }
        }
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let server = ScriptedServer::start(vec![Turn::stream(body)]).unwrap();
        let settings = ProviderSettings { kind, is_local: false, ..impatient(&server.url()) };
        let model = providers(settings, &keys(&[KEY])).model("lab/gpt-5.1").unwrap();
        let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
        assert_eq!(fault, None);
        let cost = usage(&events).unwrap().cost_usd;
        let list_price = (7.0 * 1.25 + 10.0) / 1_000_000.0;
        let is_right = cost.zip(share).is_some_and(|(cost, share)| (cost - list_price * share).abs() < 1e-12);
        assert!(is_right || (cost, share) == (None, None), "{kind} {tier}: {cost:?}");
    }
}

/// What is written in JavaScript cuts text between the halves of a UTF-16 pair.
#[tokio::test]
async fn half_a_character_is_replaced_and_the_rest_of_the_answer_stays() {
    let body = [
        r#"data: {"choices":[{"index":0,"delta":{"content":"a\ud83d"}}]}"#,
        r#"data: {"choices":[{"index":0,"delta":{"content":"b \ud83d\ude00"},"finish_reason":"stop"}]}"#,
        "data: [DONE]\n\n",
    ]
    .join("\n\n");
    let server = ScriptedServer::start(vec![Turn::stream(body)]).unwrap();
    let settings = ProviderSettings { kind: ProviderKind::Custom, ..impatient(&server.url()) };
    let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
    let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
    assert_eq!(fault, None);
    assert_eq!(said(&events), "a\u{fffd}b \u{1f600}");
}

/// The halves of one character in two pieces, of text, of thoughts and of a call's arguments.
#[tokio::test]
async fn a_character_that_is_cut_over_two_pieces_is_put_together_in_every_wire_format() {
    let chat = |first: &str, second: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{first}}}]}}\n\ndata: {{\"choices\":[{{\"delta\":{second},\
             \"finish_reason\":\"stop\"}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    let call = |arguments: &str| {
        format!(r#"{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"write","arguments":"{arguments}"}}}}]}}"#)
    };
    let block = |kind: &str, delta: &str| {
        let (first, second) = (delta.replace("HALF", r"a\ud83d"), delta.replace("HALF", r"\ude00b"));
        format!(
            "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{kind}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{first}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{second}}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}\n\n"
        )
    };
    let gemini = |part: &str| {
        let (first, second) = (part.replace("HALF", r"a\ud83d"), part.replace("HALF", r"\ude00b"));
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{first}]}}}}]}}\n\n\
             data: {{\"candidates\":[{{\"content\":{{\"parts\":[{second}]}},\"finishReason\":\"STOP\"}}]}}\n\n"
        )
    };
    let responses = |kind: &str| {
        let item = r#""output_index":0,"item_id":"i""#;
        format!(
            "data: {{\"type\":\"response.{kind}.delta\",{item},\"delta\":\"a\\ud83d\"}}\n\n\
             data: {{\"type\":\"response.{kind}.delta\",{item},\"delta\":\"\\ude00b\"}}\n\n\
             data: {{\"type\":\"response.completed\",\"response\":{{\"status\":\"completed\"}}}}\n\n"
        )
    };
    let cases = [
        (ProviderKind::Custom, chat(r#"{"content":"a\ud83d"}"#, r#"{"content":"\ude00b"}"#)),
        (ProviderKind::Custom, chat(r#"{"reasoning_content":"a\ud83d"}"#, r#"{"reasoning_content":"\ude00b"}"#)),
        (ProviderKind::Custom, chat(&call(r"a\ud83d"), &call(r"\ude00b"))),
        (ProviderKind::Anthropic, block(r#"{"type":"text"}"#, r#"{"text":"HALF"}"#)),
        (ProviderKind::Anthropic, block(r#"{"type":"thinking"}"#, r#"{"thinking":"HALF"}"#)),
        (ProviderKind::Anthropic, block(r#"{"type":"tool_use","id":"c","name":"n"}"#, r#"{"partial_json":"HALF"}"#)),
        (ProviderKind::Gemini, gemini(r#"{"text":"HALF"}"#)),
        (ProviderKind::Gemini, gemini(r#"{"text":"HALF","thought":true}"#)),
        (ProviderKind::Openai, responses("output_text")),
        (ProviderKind::Openai, responses("reasoning_text")),
        (ProviderKind::Openai, responses("function_call_arguments")),
        (
            ProviderKind::Ollama,
            "{\"message\":{\"content\":\"a\\ud83d\"}}\n{\"message\":{\"content\":\"\\ude00b\"},\"done\":true}\n"
                .to_owned(),
        ),
    ];
    for (kind, body) in cases {
        let media_type = if kind == ProviderKind::Ollama { "application/x-ndjson" } else { "text/event-stream" };
        let server = ScriptedServer::start(vec![Turn::raw(200, media_type, body.clone())]).unwrap();
        let settings = ProviderSettings { kind, ..impatient(&server.url()) };
        let model = providers(settings, &keys(&[KEY])).model("lab/mock").unwrap();
        let (events, fault) = ask(&*model, &request(vec![user("hi")])).await;
        assert_eq!(fault, None, "{kind}: {body}");
        let told: String = events
            .iter()
            .map(|event| match event {
                StreamEvent::Token { text, .. } => text.as_str(),
                StreamEvent::ToolCall(call) => call.arguments.as_str(),
                _ => "",
            })
            .collect();
        assert_eq!(told, "a\u{1f600}b", "{kind}: {body}");
    }
}
