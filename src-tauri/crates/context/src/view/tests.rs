use super::*;
use crate::{IndexEntry, Rule, SystemPromptInputs, assemble};
use arki_domain::{CallId, Category, ToolRequest};
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// A token a byte.
struct Bytes;

impl CountTokens for Bytes {
    fn text(&self, text: &str) -> u64 {
        text.len() as u64
    }

    fn message(&self, message: &Message) -> u64 {
        match message {
            Message::User { content, .. }
            | Message::Assistant { content, .. }
            | Message::ToolResult { content, .. } => content.len() as u64,
            _ => 10,
        }
    }

    fn tool(&self, _: &ToolDefinition) -> u64 {
        100
    }
}

fn tool(name: &str) -> ToolDefinition {
    ToolDefinition { name: name.into(), description: "".into(), category: Category::Read, parameters: json!({}) }
}

struct Said(Vec<(MessageKind, ShownAs, Arc<Message>, Arc<Message>)>);

impl Said {
    fn conversation(&self) -> Vec<ConversationMessage<'_>> {
        let all = self.0.iter().enumerate();
        all.map(|(at, (kind, shown_as, whole, message))| ConversationMessage {
            place: at as u64 + 1,
            kind,
            shown_as: *shown_as,
            whole,
            message,
        })
        .collect()
    }

    fn say(&mut self, message: Message) {
        let message = Arc::new(message);
        self.0.push((MessageKind::Said, ShownAs::Whole, message.clone(), message));
    }
}

fn result(id: &str, content: &str) -> Message {
    Message::ToolResult {
        call_id: CallId::from(id),
        tool_id: "read_file".into(),
        content: content.into(),
        is_error: false,
    }
}

fn request(id: &str) -> Message {
    let arguments = json!({"limit": 2, "path": format!("{id}.txt")}).to_string();
    let call = ToolRequest { call_id: CallId::from(id), tool_id: "read_file".into(), arguments };
    Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls: vec![call] }
}

fn system() -> SystemPrompt {
    assemble(&SystemPromptInputs {
        rules: vec![Rule { path: "AGENTS.md".into(), text: "Be brief.".into(), is_users: false }],
        skills: vec![IndexEntry { name: "pdf".into(), description: "forms".into() }],
        ..SystemPromptInputs::default()
    })
}

fn view(said: &Said, counted: Option<CountedRequest>) -> ContextView {
    view_without(said, counted, &[])
}

fn view_without(said: &Said, counted: Option<CountedRequest>, off: &[String]) -> ContextView {
    ContextView::of(&ContextViewInputs {
        system: &system(),
        tools: &[tool("read_file"), tool("mcp__docs__find"), tool("edit_file"), tool("mcp__docs__get")],
        conversation: &said.conversation(),
        counted,
        correction: TokenCorrection::default(),
        window: Some(10_000),
        off,
        estimate: &Bytes,
    })
}

fn two_rounds() -> Said {
    let mut said = Said(Vec::new());
    said.say(Message::user("Fix the bug\nplease"));
    said.say(request("a"));
    said.say(result("a", &"x".repeat(200)));
    said.say(request("b"));
    said.say(result("b", &"x".repeat(300)));
    said.say(Message::user("And now test"));
    said
}

#[test]
fn every_part_says_where_it_comes_from() {
    let view = view(&two_rounds(), None);
    let words = |part: &ContextPart| (part.part.clone(), part.origin.clone(), part.id.clone().unwrap_or_default());
    let parts: Vec<_> = view.parts.iter().map(words).collect();
    let expected = [
        ("base", "built in", ""),
        ("rules", "AGENTS.md", "rule:AGENTS.md"),
        ("skills", "1 skill", ""),
        ("skills", "pdf", "skill:pdf"),
        ("tools", "built in", ""),
        ("tools", "docs", "mcp:docs"),
        ("messages", "Fix the bug", ""),
        ("results", "read_file a.txt", "result:a"),
        ("results", "read_file b.txt", "result:b"),
        ("messages", "And now test", ""),
    ];
    assert_eq!(parts, expected.map(|(part, origin, id)| (part.into(), origin.into(), id.into())));
    let tokens: Vec<u64> = view.parts[5..9].iter().map(|part| part.tokens).collect();
    assert_eq!((tokens, view.parts[7].seq), (vec![200, 38, 200, 300], Some(3)));
    assert!((view.parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn parts_of_a_counted_request_add_up_to_the_count_and_the_rest_is_bent_by_it() {
    let said = two_rounds();
    let plain = view(&said, None);
    let estimate: u64 = plain.parts[..9].iter().map(|part| part.tokens).sum();
    let counted = view(&said, Some(CountedRequest { messages: 5, tokens: estimate * 3 / 2 }));
    assert_eq!(counted.parts[..9].iter().map(|part| part.tokens).sum::<u64>(), estimate * 3 / 2);
    assert_eq!(counted.parts[9].tokens, plain.parts[9].tokens * 3 / 2);
}

#[test]
fn what_was_left_out_is_no_part() {
    let mut said = two_rounds();
    said.0[0].1 = ShownAs::LeftOut;
    (said.0[2].1, said.0[2].3) = (ShownAs::StandIn, Arc::new(result("a", &"x".repeat(20))));
    let view = view(&said, None);
    assert_eq!(view.parts.iter().find(|part| part.origin == "read_file a.txt").unwrap().id, None);
    assert_eq!(view.left_out, CompactedAway { messages: 1, tokens: 18 + 180 });
    assert!(view.parts.iter().all(|part| part.origin != "Fix the bug"));
}

#[test]
fn what_is_off_stays_in_the_list() {
    let mut said = two_rounds();
    (said.0[2].1, said.0[2].3) = (ShownAs::StandIn, Arc::new(result("a", &"x".repeat(20))));
    let off = ["mcp:mail", "result:a", "rule:CLAUDE.md"].map(str::to_owned);
    let view = view_without(&said, None, &off);
    let off: Vec<_> = view.parts.iter().filter(|part| part.off).collect();
    let told: Vec<_> = off.iter().map(|part| (part.part.as_str(), part.origin.as_str(), part.tokens)).collect();
    assert_eq!(told, [("tools", "mail", 0), ("rules", "CLAUDE.md", 0), ("results", "read_file a.txt", 20)]);
    assert_eq!(off[2].id.as_deref(), Some("result:a"));
}

#[test]
fn what_came_late_has_a_switch_and_stays_in_the_list_when_it_is_off() {
    let mut said = two_rounds();
    let mut add = |part: &str, origin: &str, shown_as| {
        let message = Arc::new(Message::user("x".repeat(30)));
        let kind = MessageKind::Added { part: part.into(), origin: origin.into() };
        said.0.push((kind, shown_as, message.clone(), message));
    };
    add("mention", "a.txt", ShownAs::Whole);
    add("mention", "a.txt", ShownAs::SwitchedOff);
    add("rule", "sub/AGENTS.md", ShownAs::SwitchedOff);
    add("hook", "format", ShownAs::Whole);
    let off = ["mention:8", "rule:sub/AGENTS.md"].map(str::to_owned);
    let view = view_without(&said, None, &off);
    let late = view.parts.iter().filter(|part| matches!(part.part.as_str(), "mention" | "rule" | "rules" | "hook"));
    let told: Vec<_> = late.map(|part| (part.origin.as_str(), part.id.as_deref(), part.off, part.tokens)).collect();
    assert!(told.contains(&("a.txt", Some("mention:7"), false, 30)), "{told:?}");
    assert!(told.contains(&("a.txt", Some("mention:8"), true, 0)), "{told:?}");
    assert!(told.contains(&("format", None, false, 30)), "{told:?}");
    let rules = told.iter().filter(|part| part.0 == "sub/AGENTS.md").collect::<Vec<_>>();
    assert_eq!(rules, [&("sub/AGENTS.md", Some("rule:sub/AGENTS.md"), true, 0)], "once");
    assert_eq!(view.left_out, CompactedAway::default());
}

#[test]
fn clients_get_the_contracts_names() {
    let json = serde_json::to_value(view(&two_rounds(), None)).unwrap();
    let part = &json["parts"][0];
    assert!(part["part"] == "base" && part["origin"] == "built in" && part["tokens"].is_u64(), "{part}");
}

proptest! {
    #[test]
    fn a_count_is_never_lost_in_rounding(counted in 1u64..1_000_000, messages in 0usize..8) {
        let said = two_rounds();
        let view = view(&said, Some(CountedRequest { messages, tokens: counted }));
        prop_assert!(view.total_tokens >= counted);
        if messages >= 6 {
            prop_assert_eq!(view.total_tokens, counted);
        }
    }
}
