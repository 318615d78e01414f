//! What every test here needs: a provider of the scripted server, keys, and a whole answer as one value.

use arki_domain::{
    ChatModel, ChatRequest, Error, Message, ModelOptions, StreamEvent, TokenType, ToolRequest, sha256_hex,
};
use arki_llm::{KeySource, ProviderKind, ProviderSettings, Providers, Secret, Timeouts};
use arki_testkit::ScriptedServer;
use async_trait::async_trait;
use futures_util::StreamExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

/// Gives the keys out one after another, then nothing more; counts how often it was asked.
#[derive(Default)]
pub(crate) struct Keys {
    pub(crate) keys: Vec<&'static str>,
    pub(crate) asked: AtomicUsize,
}

#[async_trait]
impl KeySource for Keys {
    async fn key(&self, _: &ProviderSettings) -> Result<Option<Secret>, Error> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.keys.get(turn).map(Secret::new))
    }

    fn place(&self, _: &ProviderSettings) -> String {
        "the test".to_owned()
    }
}

pub(crate) fn keys(keys: &[&'static str]) -> Arc<Keys> {
    Arc::new(Keys { keys: keys.to_vec(), asked: AtomicUsize::new(0) })
}

/// A local server that needs no key.
pub(crate) fn settings(url: &str) -> ProviderSettings {
    let base_url = Some(url.to_owned());
    ProviderSettings { base_url, is_local: true, ..ProviderSettings::new("lab", ProviderKind::Custom) }
}

/// With time-outs that a test can wait for.
pub(crate) fn impatient(url: &str) -> ProviderSettings {
    let limit = Duration::from_millis(200);
    ProviderSettings { timeouts: Timeouts { connect: limit, first_byte: limit, idle: limit }, ..settings(url) }
}

pub(crate) fn providers(settings: ProviderSettings, keys: &Arc<Keys>) -> Providers {
    let keys: Arc<dyn KeySource> = keys.clone();
    Providers::new(vec![settings], keys)
}

pub(crate) fn model(settings: ProviderSettings) -> Arc<dyn ChatModel> {
    providers(settings, &keys(&[])).model("lab/mock").unwrap()
}

pub(crate) fn request(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        system: "You are helpful.".into(),
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        tools: Arc::new([]),
        images: Arc::default(),
        options: ModelOptions::default(),
    }
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(text)
}

/// The events of an answer, or the fault it ended with after some of them.
pub(crate) async fn ask(model: &dyn ChatModel, request: &ChatRequest) -> (Vec<StreamEvent>, Option<Error>) {
    let prepared = model.prepare(request).unwrap();
    let mut stream = match model.send(prepared).await {
        Ok(stream) => stream,
        Err(fault) => return (Vec::new(), Some(fault)),
    };
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            // It depends on time alone.
            Ok(StreamEvent::CallGrows) => {}
            Ok(event) => events.push(event),
            Err(fault) => return (events, Some(fault)),
        }
    }
    (events, None)
}

pub(crate) async fn answer(server: &ScriptedServer) -> Vec<StreamEvent> {
    let (events, fault) = ask(&*model(settings(&server.url())), &request(vec![user("hi")])).await;
    assert_eq!(fault, None);
    assert_eq!(events.last(), Some(&StreamEvent::End));
    events
}

pub(crate) async fn fault(server: &ScriptedServer) -> Error {
    ask(&*model(settings(&server.url())), &request(vec![user("hi")])).await.1.unwrap()
}

pub(crate) fn text_of(events: &[StreamEvent], wanted: TokenType) -> String {
    let text = |event: &StreamEvent| match event {
        StreamEvent::Token { token_type, text } if *token_type == wanted => Some(text.clone()),
        _ => None,
    };
    events.iter().filter_map(text).collect()
}

pub(crate) fn said(events: &[StreamEvent]) -> String {
    text_of(events, TokenType::LlmResponse)
}

/// Names and arguments.
pub(crate) fn calls(events: &[StreamEvent]) -> Vec<(&str, &str)> {
    tool_requests(events).into_iter().map(|call| (call.tool_id.as_str(), call.arguments.as_str())).collect()
}

pub(crate) fn tool_requests(events: &[StreamEvent]) -> Vec<&ToolRequest> {
    events.iter().filter_map(|event| if let StreamEvent::ToolCall(call) = event { Some(call) } else { None }).collect()
}

/// Plays the model's and the tools' part for that many turns, and returns the requests' hashes.
pub(crate) async fn converse(model: &dyn ChatModel, mut request: ChatRequest, turns: usize) -> Vec<String> {
    let mut hashes = Vec::new();
    for _ in 0..turns {
        hashes.push(model.prepare(&request).unwrap().request_hash);
        let (events, fault) = ask(model, &request).await;
        assert_eq!(fault, None);
        let reasoning = events.iter().find_map(|event| match event {
            StreamEvent::Reasoning(reasoning) => Some(reasoning.clone()),
            _ => None,
        });
        let calls: Vec<ToolRequest> = tool_requests(&events).into_iter().cloned().collect();
        let result = |call: &ToolRequest| Message::ToolResult {
            call_id: call.call_id.clone(),
            tool_id: call.tool_id.clone(),
            content: "line\n".repeat(20),
            is_error: false,
        };
        let results: Vec<Message> = calls.iter().map(result).collect();
        let thoughts = Some(text_of(&events, TokenType::LlmThinking)).filter(|thoughts| !thoughts.is_empty());
        let turn = Message::ToolRequest { content: said(&events), thoughts, reasoning, calls };
        Arc::make_mut(&mut request.messages).extend(std::iter::once(turn).chain(results).map(Arc::new));
    }
    hashes
}

/// Every body is the one before, less its end, and more; and has the hash that was told of it.
pub(crate) fn assert_each_continues_the_one_before(server: &ScriptedServer, hashes: &[String]) {
    let requests = server.requests();
    assert_eq!(requests.len(), hashes.len());
    for pair in requests.windows(2) {
        let before = pair[0].body.strip_suffix(b"]}").unwrap();
        assert!(pair[1].body.starts_with(before), "{}", String::from_utf8_lossy(&pair[1].body));
        assert!(pair[1].body.len() > before.len());
    }
    for (request, hash) in requests.iter().zip(hashes) {
        assert_eq!(sha256_hex(&request.body), *hash);
        assert!(request.json["messages"].is_array(), "every body is whole JSON");
    }
}
