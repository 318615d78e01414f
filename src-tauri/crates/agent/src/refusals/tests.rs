use super::*;
use arki_domain::{Category, EventId};
use std::sync::Arc;

fn part(part: &str, message: usize) -> RefusablePart {
    RefusablePart { event_id: EventId::from(format!("e{message}")), part: part.to_owned(), message }
}

fn named(words: &str, parts: &[RefusablePart]) -> Option<String> {
    let call = || Message::ToolRequest { content: String::new(), thoughts: None, reasoning: None, calls: Vec::new() };
    let messages: Vec<Arc<Message>> =
        (0..8).map(|at| Arc::new(if at % 2 == 0 { Message::user("x") } else { call() })).collect();
    let named = NamedPart::read(&format!("lab refused the request. It says: {words}"));
    named.part(parts, &messages).map(|part| part.part)
}

#[test]
fn an_error_names_a_part_by_its_kind_or_its_place() {
    let parts =
        [part("image:a", 0), part("reasoning", 3), part("result:c", 4), part("image:b1", 6), part("image:b", 6)];
    for (words, expected) in [
        ("messages.0.content.1.image.source.base64: Could not process image", Some("image:a")),
        ("Invalid image data.", Some("image:b")),
        ("messages.3.content.0: Invalid `signature` in `thinking` block", Some("reasoning")),
        ("The encrypted content could not be verified.", Some("reasoning")),
        ("messages[5]: content must be a string", Some("result:c")),
        ("Invalid tool_result", Some("result:c")),
        ("invalid (messages[7].content[1].image_url)", Some("image:b1")),
        ("invalid (messages[7].content[2].image_url)", Some("image:b")),
        ("(input[4].content[0])", Some("result:c")),
        ("messages.6.content.9: Could not process image", Some("image:b")),
        ("Unsupported value: reasoning_effort does not support none", None),
        ("messages.2: text content blocks must be non-empty", None),
        ("max_tokens is too large", None),
        ("", None),
    ] {
        assert_eq!(named(words, &parts).as_deref(), expected, "{words}");
    }
}

#[test]
fn an_error_names_a_tool_by_its_number_or_its_name() {
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: "".into(),
        parameters: serde_json::json!({}),
        category: Category::Read,
    };
    let tools = [tool("read_file"), tool("mcp__docs__find")];
    let named = |words: &str, refused: &[String]| {
        NamedPart::read(&format!("lab refused the request. It says: {words}")).tool(&tools, refused)
    };
    let some_schema = |words: &str| NamedPart::read(&format!("It says: {words}")).is_some_schema();
    assert!(some_schema("Invalid JSON schema in tool definition") && some_schema("failed to parse grammar"));
    assert!(!some_schema("Invalid schema for response_format") && !some_schema("bad image"));
    let second = Some("mcp__docs__find".to_owned());
    assert_eq!(named("tools.1.custom.input_schema: JSON schema is invalid", &[]), second);
    assert_eq!(named("Invalid 'tools[1].function.parameters'", &[]), second);
    assert_eq!(named("Invalid schema for function 'mcp__docs__find': anyOf", &[]), second);
    assert_eq!(named("Invalid schema for function 'mcp__docs__find_all'", &[]), None);
    assert_eq!(named("tools.0.x", &["read_file".to_owned()]), second, "the number is of those that were sent");
    for google in [
        "* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[x].format: only 'enum'",
        "Invalid value at 'tools[0].function_declarations[1].parameters' (type)",
        "Invalid JSON payload received. Unknown name \"x\" at 'tools[0].functionDeclarations[1].parameters'",
        "tools -> 1 -> function: bad",
        "#/tools/1/function: bad",
    ] {
        assert_eq!(named(google, &[]), second, "{google}");
    }
    assert_eq!(named("find it out", &[]), None);
}
