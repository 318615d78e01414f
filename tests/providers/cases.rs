//! What each wire format has to do, one column of the table a case.

use crate::harness::{answer, asking, base_url, model, model_with, run};
use arki_domain::{ChatModel, ChatRequest, Error, FinishReason, Image, Message, StreamEvent};
use arki_llm::ProviderKind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::sync::Arc;

/// Panics where the wire format does not do it. `None`: done with aimock. Otherwise with what else, or why it could not be
/// tested.
type Test = fn(&Case<'_>) -> Option<&'static str>;

pub(crate) struct Case<'a> {
    pub(crate) kind: ProviderKind,
    pub(crate) address: &'a str,
    /// Of a server that keeps what it has read, and says how much of it a request used again.
    pub(crate) caching: &'a str,
}

/// The columns, in the table's order.
pub(crate) const CASES: &[(&str, Test)] = &[
    ("text", text),
    ("tools", tools),
    ("parallel tools", parallel_tools),
    ("thinking", thinking),
    ("images", images),
    ("schema output", schema_output),
    ("usage", usage),
    ("stable prefix", stable_prefix),
    ("cache", cache),
    ("stop reasons", stop_reasons),
    ("cancel", cancel),
];

const TURNS: usize = 100;

impl Case<'_> {
    fn model(&self) -> Arc<dyn ChatModel> {
        model(self.kind, self.address).unwrap()
    }

    /// The request's bytes as JSON.
    fn body(&self, request: &ChatRequest) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(&self.model().prepare(request)?.body).into_owned())
    }
}

fn text(case: &Case<'_>) -> Option<&'static str> {
    let said = answer(&*case.model(), &asking("Please say hello."));
    assert_eq!((said.text.as_str(), said.fault.as_ref(), said.ended), ("Hello from the other side.", None, true));
    assert!(said.pieces > 1, "it was not streamed: {said:?}");
    None
}

fn tools(case: &Case<'_>) -> Option<&'static str> {
    let (model, request) = (case.model(), asking("Read one file."));
    let asked = answer(&*model, &request);
    let arguments: Vec<Value> = asked.calls.iter().map(|call| serde_json::from_str(&call.arguments).unwrap()).collect();
    assert_eq!(arguments, [json!({"path": "a.txt"})], "{asked:?}");
    assert_eq!((asked.calls[0].tool_id.as_str(), asked.ended), ("read_file", true));
    let told = answer(&*model, &asked.continued(&request, &["A"]));
    assert_eq!((told.text.as_str(), told.fault.as_ref()), ("It says A.", None), "{told:?}");
    None
}

fn parallel_tools(case: &Case<'_>) -> Option<&'static str> {
    let (model, request) = (case.model(), asking("Read two files."));
    let asked = answer(&*model, &request);
    let paths: Vec<Value> = asked
        .calls
        .iter()
        .map(|call| serde_json::from_str::<Value>(&call.arguments).unwrap()["path"].clone())
        .collect();
    assert_eq!(paths, ["a.txt", "b.txt"], "{asked:?}");
    assert_ne!(asked.calls[0].call_id, asked.calls[1].call_id, "two calls of one id");
    assert_eq!(asked.text, "I look.");
    let told = answer(&*model, &asked.continued(&request, &["A", "B"]));
    assert_eq!((told.text.as_str(), told.fault.as_ref()), ("Both are read.", None), "{told:?}");
    None
}

fn thinking(case: &Case<'_>) -> Option<&'static str> {
    if case.kind == ProviderKind::Ollama {
        return Some("not tested: aimock names it otherwise than Ollama");
    }
    let said = answer(&*case.model(), &asking("Please think first."));
    assert_eq!((said.thoughts.as_str(), said.text.as_str()), ("Let me ponder.", "It is 42."), "{said:?}");
    None
}

fn images(case: &Case<'_>) -> Option<&'static str> {
    const BYTES: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";
    let image = Image::new("image/png", "0123");
    let mut request = asking("");
    request.images = Arc::new([("0123".to_owned(), BYTES.into())].into());
    request.messages =
        Arc::new(vec![Arc::new(Message::User { content: "Please look at this.".into(), images: vec![image] })]);
    let body = case.body(&request).unwrap();
    assert!(body.contains(&STANDARD.encode(BYTES)), "the picture is not in the request: {body}");
    let said = answer(&*case.model(), &request);
    assert_eq!((said.text.as_str(), said.fault.as_ref()), ("A red dot.", None));
    None
}

fn schema_output(case: &Case<'_>) -> Option<&'static str> {
    let mut request = asking("Answer as data.");
    request.options.output_schema = Some(json!({
        "type": "object", "properties": {"answer_of_all": {"type": "integer"}},
        "required": ["answer_of_all"], "additionalProperties": false,
    }));
    let body = case.body(&request).unwrap();
    assert!(body.contains("answer_of_all"), "the schema is not in the request: {body}");
    let said = answer(&*case.model(), &request);
    assert_eq!((said.text.as_str(), said.fault.as_ref()), (r#"{"answer":42}"#, None));
    None
}

fn usage(case: &Case<'_>) -> Option<&'static str> {
    let said = answer(&*case.model(), &asking("Please say hello."));
    if case.kind == ProviderKind::Ollama {
        return Some("not tested: aimock counts nothing here");
    }
    let usage = said.usage.unwrap();
    assert_eq!((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (120, 7, 127), "{said:?}");
    None
}

/// What a vendor's prompt cache needs: each request's bytes begin with the whole of the one before, but for its end.
fn stable_prefix(case: &Case<'_>) -> Option<&'static str> {
    let (model, mut request) = (case.model(), asking("Read one file."));
    let asked = answer(&*model, &request);
    let mut before = model.prepare(&request).unwrap().body;
    for turn in 0..TURNS {
        request = asked.continued(&request, &[&format!("the {turn}th result")]);
        let next = model.prepare(&request).unwrap().body;
        let messages = before.iter().rposition(|byte| *byte == b']').unwrap();
        assert!(next.starts_with(&before[..messages]), "turn {turn} changes what was sent before");
        before = next;
    }
    None
}

/// Of a conversation that goes on, the server needs to read only what is new, and tells so.
fn cache(case: &Case<'_>) -> Option<&'static str> {
    let api = match case.kind {
        ProviderKind::Ollama => return Some("Ollama tells of none"),
        ProviderKind::Gemini => return Some("not tested: no server here has one for this API"),
        // llama.cpp tells of none unasked, as OpenRouter does.
        ProviderKind::Openrouter => {
            let said = answer(&*case.model(), &asking("Please say it again."));
            assert_eq!(said.usage.map(|usage| usage.cached_tokens), Some(96), "{:?}", said.fault);
            return None;
        }
        ProviderKind::Anthropic => ProviderKind::Anthropic,
        _ => ProviderKind::Custom,
    };
    let model = model_with(case.kind, base_url(api, case.caching), &[]).unwrap();
    let mut request = asking("Which colour has the sky at noon?");
    // Nobody has begun a conversation with these words yet.
    request.system = format!("You answer whoever asks through {}, in one word and with great care.", case.kind).into();
    request.options.max_completion_tokens = Some(4);
    let first = answer(&*model, &request);
    let answered = Message::Assistant { content: first.text.clone(), thoughts: None, reasoning: None };
    Arc::make_mut(&mut request.messages).extend([answered, Message::user("And at night?")].map(Arc::new));
    let second = answer(&*model, &request);
    let [first, second] = [first, second].map(|said| said.usage.unwrap_or_else(|| panic!("{:?}", said.fault)));
    assert!(second.cached_tokens > first.prompt_tokens / 2, "{first:?} {second:?}");
    assert!(second.cached_tokens > first.cached_tokens && second.cached_tokens < second.prompt_tokens, "{second:?}");
    Some("llama.cpp")
}

fn stop_reasons(case: &Case<'_>) -> Option<&'static str> {
    let model = case.model();
    for (words, reason) in [("Please say hello.", FinishReason::Stop), ("Read one file.", FinishReason::ToolCalls)] {
        let said = answer(&*model, &asking(words));
        assert_eq!(said.finish, Some(reason), "{words} {said:?}");
    }
    let said = answer(&*model, &asking("This is too long."));
    match case.kind {
        // It says “stop” whatever the script says, or “incomplete” without Responses' reason.
        ProviderKind::Ollama | ProviderKind::Openai => Some("aimock, but for the output limit"),
        _ => {
            assert_eq!(said.finish, Some(FinishReason::Length), "{said:?}");
            None
        }
    }
}

/// An answer that is dropped ends at once, and its place is free for the next request.
fn cancel(case: &Case<'_>) -> Option<&'static str> {
    let model = case.model();
    let first = run(async {
        let prepared = model.prepare(&asking("Please go on and on.")).unwrap();
        model.send(prepared).await.unwrap().next().await
    });
    assert!(matches!(first, Some(Ok(StreamEvent::Token { .. }))), "{first:?}");
    let said = answer(&*model, &asking("Please say hello."));
    assert_eq!((said.text.as_str(), said.fault.as_ref()), ("Hello from the other side.", None));
    None
}
