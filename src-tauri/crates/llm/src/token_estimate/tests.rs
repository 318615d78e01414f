use super::*;
use arki_domain::{CallId, Category, Image, ModelOptions, PixelSize, ToolRequest};
use proptest::prelude::*;

/// Texts of each kind, what OpenAI's `o200k_base` makes of them (tiktoken 0.14.0), and the error that is stated.
const SAMPLES: &[(&str, u64, f64)] = &[
    (include_str!("samples/rust.txt"), 387, 0.15),
    (include_str!("samples/typescript.txt"), 390, 0.15),
    (include_str!("samples/markdown.txt"), 335, 0.15),
    (include_str!("samples/json.txt"), 461, 0.15),
    (include_str!("samples/german.txt"), 139, 0.25),
    (include_str!("samples/russian.txt"), 137, 0.25),
    (include_str!("samples/japanese.txt"), 183, 0.25),
    (include_str!("samples/chinese.txt"), 139, 0.25),
];
fn message(content: &str) -> Arc<Message> {
    Arc::new(Message::user(content))
}

fn request(messages: Vec<Arc<Message>>) -> ChatRequest {
    let parameters = serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let description = "Reads a file".into();
    let tool = ToolDefinition { name: "read_file".into(), description, category: Category::Read, parameters };
    let tools: Arc<[ToolDefinition]> = vec![tool].into();
    ChatRequest {
        system: "You are Arki.".into(),
        messages: Arc::new(messages),
        tools,
        images: Arc::default(),
        options: ModelOptions::default(),
    }
}

#[test]
fn each_kind_of_text_is_estimated_within_the_stated_error() {
    for (text, counted, stated) in SAMPLES {
        let error = text_tokens(text) as f64 / *counted as f64 - 1.0;
        assert!(error.abs() < *stated, "{} instead of {counted}: {error:+.2}\n{text}", text_tokens(text));
    }
}

#[test]
fn nothing_is_nothing_and_a_word_is_about_one() {
    assert_eq!(text_tokens(""), 0);
    assert_eq!(text_tokens("word"), 2);
    assert_eq!(text_tokens(&"word ".repeat(1000)), 1080);
}

#[test]
fn a_picture_counts_by_its_pixels_up_to_where_vendors_scale_it_down() {
    let tokens = |width, height| image_tokens(Some(PixelSize { width, height }));
    assert_eq!((tokens(150, 50), tokens(1000, 750), tokens(4000, 3000)), (10, 1000, 1600));
    assert_eq!(image_tokens(None), 1500);
    let mut shown = Image::new("image/png", "a");
    shown.size = Some(PixelSize { width: 300, height: 100 });
    let images = vec![shown, Image::new("image/png", "b")];
    let said = message_tokens(&Message::User { content: "look".into(), images });
    assert_eq!(said, message_tokens(&Message::user("look")) + 40 + 1500);
}

#[test]
fn a_request_counts_its_instructions_tools_calls_and_results() {
    let empty = request_tokens(&request(Vec::new()));
    assert!((20..60).contains(&empty), "{empty}");
    let (call_id, tool_id) = (CallId::from("c1"), "read_file".to_owned());
    let arguments = r#"{"path": "src/main.rs"}"#.to_owned();
    let calls = vec![ToolRequest { call_id: call_id.clone(), tool_id: tool_id.clone(), arguments }];
    let call = Message::ToolRequest { content: "Let me look.".into(), thoughts: None, reasoning: None, calls };
    let result = Message::ToolResult { call_id, tool_id, content: "fn main() {}".into(), is_error: false };
    let (asked, answered) = (message_tokens(&call), message_tokens(&result));
    assert!(asked > text_tokens("Let me look.") + 10 && answered > text_tokens("fn main() {}"), "{asked} {answered}");
    assert_eq!(request_tokens(&request(vec![call.into(), result.into()])), empty + asked + answered);
}

#[test]
fn the_vendors_count_replaces_the_estimate_of_what_it_counted() {
    let first = request(vec![message("one"), message("two")]);
    let estimator = Estimator::calibrated(&first, 5_000);
    assert_eq!(estimator.request_tokens(&first), 5_000);
}

#[test]
fn what_was_added_is_estimated_in_the_vendors_measure() {
    let text = "The quick brown fox jumps over the lazy dog. ".repeat(20);
    let first = request(vec![message(&text)]);
    let estimate = request_tokens(&first);
    let next = ChatRequest { messages: Arc::new(vec![first.messages[0].clone(), message(&text)]), ..first.clone() };
    let added = message_tokens(&next.messages[1]);
    assert_eq!(Estimator::calibrated(&first, estimate).request_tokens(&next), estimate + added);
    let dearer = Estimator::calibrated(&first, estimate * 3 / 2).request_tokens(&next);
    assert!(dearer.abs_diff((estimate + added) * 3 / 2) <= 2, "{dearer}");
}

#[test]
fn a_conversation_that_does_not_go_on_is_estimated_anew() {
    let first = request(vec![message(&"many words ".repeat(500))]);
    let estimate = request_tokens(&first);
    let estimator = Estimator::calibrated(&first, estimate + estimate / 4);
    let shorter = request(vec![message("A summary of many words.")]);
    let plain = request_tokens(&shorter);
    let bent = estimator.request_tokens(&shorter);
    assert!((plain + 1..plain * 2).contains(&bent), "{bent} from {plain}");
}

#[test]
fn a_count_that_is_missing_or_absurd_does_little_harm() {
    let first = request(vec![message(&"word ".repeat(100))]);
    assert_eq!(Estimator::calibrated(&first, 0).request_tokens(&first), request_tokens(&first));
    let next = request(vec![first.messages[0].clone(), message("word")]);
    let added = Estimator::calibrated(&first, 1_000_000).request_tokens(&next) - 1_000_000;
    assert_eq!(added, 2 * message_tokens(&next.messages[1]));
}

proptest! {
    #[test]
    fn any_text_has_at_most_a_few_tokens_a_character_and_more_text_has_no_fewer(a in ".*", b in ".*") {
        prop_assert!(text_tokens(&a) <= 3 * a.chars().count() as u64);
        // A word or a number may go on across the border.
        let both = format!("{a}\n{b}");
        prop_assert!(text_tokens(&both) + 4 >= text_tokens(&a).max(text_tokens(&b)));
    }
}
