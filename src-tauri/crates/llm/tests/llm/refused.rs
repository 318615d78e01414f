//! Optional parts of a request that a provider refuses: the next request goes without, in this process and in others.

use crate::harness::{Keys, ask, keys, request, said, settings, user};
use arki_domain::{ChatModel, ChatRequest, ModelOptions};
use arki_llm::{KeySource, ModelMemory, Providers};
use arki_testkit::{Script, ScriptedServer, Turn};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, String>>);

#[async_trait]
impl ModelMemory for Memory {
    async fn recall(&self, key: &str) -> Option<String> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn keep(&self, key: String, value: String) {
        self.0.lock().unwrap().insert(key, value);
    }
}

fn limited() -> ChatRequest {
    let options = ModelOptions { max_completion_tokens: Some(99), ..ModelOptions::default() };
    ChatRequest { options, ..request(vec![user("hi")]) }
}

fn refuses(message: &str) -> Turn {
    Turn::json(400, json!({"error": {"message": message}}))
}

/// As a run does: asks again as long as a refusal makes it another request. Returns the answer.
async fn answered(model: &dyn ChatModel, request: &ChatRequest) -> String {
    model.learn().await;
    loop {
        let hash = model.prepare(request).unwrap().request_hash;
        let (events, fault) = ask(model, request).await;
        let Some(fault) = fault else { return said(&events) };
        assert_ne!(model.prepare(request).unwrap().request_hash, hash, "{fault:?}");
    }
}

fn of_process(server: &ScriptedServer, memory: &Arc<Memory>) -> Providers {
    let keys: Arc<dyn KeySource> = keys(&[]) as Arc<Keys>;
    let memory: Arc<dyn ModelMemory> = memory.clone();
    Providers::new(vec![settings(&server.url())], keys).remembering(&memory)
}

#[tokio::test]
async fn what_is_refused_is_left_out_and_remembered_for_the_model_alone() {
    let turns = vec![
        refuses("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
        refuses("Unrecognized request argument supplied: stream_options"),
        Turn::text("one"),
        Turn::text("two"),
        Turn::text("three"),
        Turn::text("four"),
    ];
    let (server, memory) = (Script::new(turns).sequential().start().unwrap(), Arc::default());
    let providers = of_process(&server, &memory);
    assert_eq!(answered(&*providers.model("lab/mock").unwrap(), &limited()).await, "one ");
    assert_eq!(answered(&*providers.model("lab/mock").unwrap(), &limited()).await, "two ", "another run");
    let next_process = of_process(&server, &memory);
    assert_eq!(answered(&*next_process.model("lab/mock").unwrap(), &limited()).await, "three ");
    assert_eq!(answered(&*next_process.model("lab/other").unwrap(), &limited()).await, "four ");
    let sent: Vec<Value> = server.requests().into_iter().map(|request| request.json).collect();
    let parts = |request: &Value| {
        ["max_tokens", "max_completion_tokens", "stream_options"].map(|part| request.get(part).is_some())
    };
    let expected = [[true, false, true], [false, true, true], [false, true, false]];
    assert_eq!(sent[..3].iter().map(parts).collect::<Vec<_>>(), expected);
    assert_eq!((parts(&sent[3]), parts(&sent[4]), parts(&sent[5])), (expected[2], expected[2], expected[0]));
    assert_eq!(sent[2]["messages"], sent[0]["messages"]);
}

#[tokio::test]
async fn a_refusal_within_a_stream_counts_and_one_of_what_is_needed_does_not() {
    let turns = vec![
        Turn::chunks(&[json!({"error": {"code": 400, "message": "Unknown parameter: stream_options"}})]),
        Turn::text("one"),
        refuses("Unsupported parameter: 'messages'"),
    ];
    let (server, memory) = (Script::new(turns).sequential().start().unwrap(), Arc::default());
    let model = of_process(&server, &memory).model("lab/mock").unwrap();
    assert_eq!(answered(&*model, &limited()).await, "one ");
    let hash = model.prepare(&limited()).unwrap().request_hash;
    assert!(ask(&*model, &limited()).await.1.is_some());
    assert_eq!(model.prepare(&limited()).unwrap().request_hash, hash);
}

#[tokio::test]
async fn a_form_of_the_answer_that_is_refused_is_told_in_words() {
    let turns = vec![refuses("This model does not support response_format"), Turn::text("{}")];
    let (server, memory) = (Script::new(turns).sequential().start().unwrap(), Arc::default());
    let output_schema = Some(json!({"type": "object", "required": ["answer"]}));
    let options = ModelOptions { output_schema, ..ModelOptions::default() };
    let asked = ChatRequest { options, ..request(vec![user("hi")]) };
    answered(&*of_process(&server, &memory).model("lab/mock").unwrap(), &asked).await;
    let sent = server.requests();
    assert!(sent[0].json.get("response_format").is_some() && sent[1].json.get("response_format").is_none());
    assert!(sent[1].json["messages"][0]["content"].as_str().unwrap().contains("\"required\":[\"answer\"]"));
}
