//! What every test here needs: a provider of the scripted server, keys, and a whole answer as one value.

use arki_domain::{ChatModel, ChatRequest, Fault, Message, ModelOptions, StreamEvent, TokenType, ToolRequest};
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
    async fn key(&self, _: &ProviderSettings) -> Result<Option<Secret>, Fault> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.keys.get(turn).map(Secret::new))
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
        messages: messages.into_iter().map(Arc::new).collect(),
        tools: Arc::new([]),
        options: ModelOptions::default(),
    }
}

pub(crate) fn user(text: &str) -> Message {
    Message::User { content: text.to_owned() }
}

/// The events of an answer, or the fault it ended with after some of them.
pub(crate) async fn ask(model: &dyn ChatModel, request: &ChatRequest) -> (Vec<StreamEvent>, Option<Fault>) {
    let prepared = model.prepare(request).unwrap();
    let mut stream = match model.send(prepared).await {
        Ok(stream) => stream,
        Err(fault) => return (Vec::new(), Some(fault)),
    };
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
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

pub(crate) async fn fault(server: &ScriptedServer) -> Fault {
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
