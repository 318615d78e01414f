//! A past request, written once more.

use crate::harness::{keys, providers, request, settings, user};
use crate::requests::tools;
use arki_domain::{ChatRequest, Message, ToolRequest};
use arki_llm::{ProviderKind, ProviderSettings};

fn conversation() -> ChatRequest {
    let call = ToolRequest { call_id: "a".into(), tool_id: "read_file".into(), arguments: "{}".into() };
    let calls = Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls: vec![call] };
    let result = Message::ToolResult {
        call_id: "a".into(),
        tool_id: "read_file".into(),
        content: "text".into(),
        is_error: false,
    };
    ChatRequest { tools: tools(), ..request(vec![user("hi"), calls, result, user("go on")]) }
}

#[test]
fn it_has_the_bytes_that_were_sent_also_where_its_provider_is_configured_no_more() {
    let asked = conversation();
    for kind in ProviderKind::ALL.into_iter().filter(|kind| *kind != ProviderKind::Demo) {
        let configured = ProviderSettings { kind, ..settings("http://127.0.0.1:9/v1") };
        let then = providers(configured, &keys(&[]));
        let sent = then.model("lab/mock").unwrap().prepare(&asked).unwrap();
        let head = std::str::from_utf8(&sent.body[..sent.head_bytes]).unwrap();
        assert!(head.contains("You are helpful.") && !head.contains("go on"), "{kind:?}: {head}");
        let now = providers(ProviderSettings { name: "other".into(), ..settings("http://127.0.0.1:9/v1") }, &keys(&[]));
        // Tools and options went with the head: they need not be known.
        let bare = ChatRequest { tools: [].into(), ..asked.clone() };
        let again = now.written_again("lab", "mock", Some(head), &bare, &sent.request_hash);
        assert_eq!(again.body.as_ref(), Some(&sent.body), "{kind:?}");
        let whole = then.written_again("lab", "mock", None, &asked, &sent.request_hash);
        assert_eq!(whole.body, Some(sent.body), "{kind:?}");
    }
}

#[test]
fn nothing_is_claimed_of_one_that_has_another_hash() {
    let providers = providers(settings("http://127.0.0.1:9/v1"), &keys(&[]));
    let sent = providers.model("lab/mock").unwrap().prepare(&conversation()).unwrap();
    let other = request(vec![user("hi"), user("something else")]);
    let again = providers.written_again("lab", "mock", None, &other, &sent.request_hash);
    assert_eq!((again.body, again.messages.len()), (None, 2));
}

#[test]
fn the_demos_are_found_by_their_hash_too() {
    let providers = providers(settings("http://127.0.0.1:9/v1"), &keys(&[]));
    let sent = providers.model("demo/echo").unwrap().prepare(&conversation()).unwrap();
    let again = providers.written_again("demo", "echo", None, &conversation(), &sent.request_hash);
    assert_eq!(again.body, Some(sent.body));
}
