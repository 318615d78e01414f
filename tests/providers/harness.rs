//! One model of one server, and a whole answer as one value.

use arki_domain::{
    CallId, Category, ChatModel, ChatRequest, Error, FinishReason, Message, Reasoning, StreamEvent, TokenType,
    ToolDefinition, ToolRequest, Usage,
};
use arki_llm::{KeySource, ProviderKind, ProviderSettings, Providers, Secret};
use async_trait::async_trait;
use futures_util::StreamExt;
use serde_json::json;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

struct Key;

#[async_trait]
impl KeySource for Key {
    fn place(&self, _: &ProviderSettings) -> String {
        "the test".to_owned()
    }

    async fn key(&self, _: &ProviderSettings) -> Result<Option<Secret>, Error> {
        Ok(Some(Secret::new("sk-for-a-test-server")))
    }
}

/// What stands before each API's path, on a server that has them all.
pub(crate) fn base_url(kind: ProviderKind, address: &str) -> String {
    match kind {
        ProviderKind::Anthropic | ProviderKind::Gemini | ProviderKind::Ollama | ProviderKind::Demo => {
            address.to_owned()
        }
        ProviderKind::Openrouter => format!("{address}/api/v1"),
        ProviderKind::Openai | ProviderKind::OpenaiChat | ProviderKind::Deepseek | ProviderKind::Custom => {
            format!("{address}/v1")
        }
    }
}

/// All but the demo, whose model is a part of Arki.
pub(crate) fn every_kind(test: impl FnMut(ProviderKind)) {
    ProviderKind::ALL.into_iter().filter(|kind| *kind != ProviderKind::Demo).for_each(test);
}

pub(crate) fn model(kind: ProviderKind, address: &str) -> Result<Arc<dyn ChatModel>, Error> {
    model_with(kind, base_url(kind, address), &[])
}

pub(crate) fn model_with(
    kind: ProviderKind,
    base_url: String,
    headers: &[(&str, &str)],
) -> Result<Arc<dyn ChatModel>, Error> {
    let settings = ProviderSettings {
        // One place: whoever does not give it back is found out.
        max_parallel: Some(1),
        queue_timeout: Duration::from_secs(5),
        base_url: Some(base_url),
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        ..ProviderSettings::new("lab", kind)
    };
    Providers::new(vec![settings], Arc::new(Key)).model("lab/mock")
}

pub(crate) fn asking(text: &str) -> ChatRequest {
    ChatRequest {
        system: "You are helpful.".into(),
        messages: Arc::new(vec![Arc::new(Message::user(text))]),
        tools: Arc::new([read_file()]),
        images: Arc::default(),
        options: arki_domain::ModelOptions::default(),
    }
}

fn read_file() -> ToolDefinition {
    let parameters = json!({
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": false,
    });
    ToolDefinition {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        category: Category::Read,
        parameters,
    }
}

/// One answer, to its end or its fault.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) thoughts: String,
    pub(crate) calls: Vec<ToolRequest>,
    pub(crate) reasoning: Option<Reasoning>,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) usage: Option<Usage>,
    pub(crate) pieces: usize,
    pub(crate) ended: bool,
    pub(crate) fault: Option<Error>,
}

pub(crate) fn answer(model: &dyn ChatModel, request: &ChatRequest) -> Answer {
    run(async {
        let mut answer = Answer::default();
        let sent = match model.prepare(request) {
            Ok(prepared) => model.send(prepared).await,
            Err(fault) => Err(fault),
        };
        match sent {
            Ok(mut stream) => {
                while let Some(event) = stream.next().await {
                    answer.take(event);
                }
            }
            Err(fault) => answer.fault = Some(fault),
        }
        answer
    })
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

impl Answer {
    fn take(&mut self, event: Result<StreamEvent, Error>) {
        match event {
            Ok(StreamEvent::Token { token_type: TokenType::LlmThinking, text }) => self.thoughts.push_str(&text),
            Ok(StreamEvent::Token { text, .. }) => {
                self.text.push_str(&text);
                self.pieces += 1;
            }
            Ok(StreamEvent::CallGrows) => {}
            Ok(StreamEvent::ToolCall(call)) => self.calls.push(call),
            Ok(StreamEvent::Reasoning(reasoning)) => self.reasoning = Some(reasoning),
            Ok(StreamEvent::Metadata { finish_reason, usage }) => {
                self.finish = finish_reason.or(self.finish);
                self.usage = usage.or(self.usage);
            }
            Ok(StreamEvent::End) => self.ended = true,
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// The conversation with this answer's calls and their results at its end.
    pub(crate) fn continued(&self, request: &ChatRequest, results: &[&str]) -> ChatRequest {
        let mut request = request.clone();
        Arc::make_mut(&mut request.messages).push(Arc::new(Message::ToolRequest {
            content: self.text.clone(),
            thoughts: (!self.thoughts.is_empty()).then(|| self.thoughts.clone()),
            reasoning: self.reasoning.clone(),
            calls: self.calls.clone(),
        }));
        let told = self.calls.iter().zip(results).map(|(call, result)| result_of(call.call_id.clone(), call, result));
        Arc::make_mut(&mut request.messages).extend(told.map(Arc::new));
        request
    }
}

fn result_of(call_id: CallId, call: &ToolRequest, content: &str) -> Message {
    Message::ToolResult { call_id, tool_id: call.tool_id.clone(), content: content.to_owned(), is_error: false }
}
