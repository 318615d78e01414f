//! A request for a model that takes no tools: they are described in the system prompt, and calls and results are text.

use arki_domain::{ChatRequest, Message, Stage, ToolDefinition};
use std::fmt::Write as _;
use std::sync::Arc;

const IN_PLAN: &str = "You call these tools only through `toolCalls` in your plan.";

/// The instructions for a core without words of its own on how to answer.
const ALONE: &str = "To call tools, answer with nothing but JSON in exactly this form, one or more calls at once:\n\n\
    {\"toolCalls\": [{\"toolName\": \"read_file\", \"arguments\": {\"path\": \"README.md\"}}]}\n\n\
    Once you need no more tools, answer the user in plain words.";

const TOOLS: &str = "The user's next message has their results. After each tool's name and description come its \
    arguments as JSON Schema.";

/// The same request without tools, in a plan or outside of one. A message always gives the same text, so that a
/// conversation only grows at its end.
pub(crate) fn request(request: ChatRequest, stage: Option<Stage>) -> ChatRequest {
    let how = if stage.is_some() { IN_PLAN } else { ALONE };
    let system = format!("{}\n\n# Tools\n\n{how} {TOOLS}{}", request.system, described(&request.tools));
    let messages = messages(&request.messages);
    ChatRequest { system: system.into(), messages: Arc::new(messages), tools: Arc::new([]), ..request }
}

/// The messages as such a request has them.
#[must_use]
pub fn messages(messages: &[Arc<Message>]) -> Vec<Arc<Message>> {
    messages.iter().map(as_text).collect()
}

fn described(tools: &[ToolDefinition]) -> String {
    let mut text = String::new();
    for tool in tools {
        let _ = write!(text, "\n\n## {}\n\n{}\n\n{}", tool.name, tool.description.trim(), tool.parameters);
    }
    text
}

fn as_text(message: &Arc<Message>) -> Arc<Message> {
    match &**message {
        Message::ToolRequest { content, thoughts, reasoning, calls } => {
            let mut content = content.clone();
            // What the model wrote itself has its calls.
            if content.trim().is_empty() {
                let calls = calls.iter().map(|call| format!("{} {}", call.tool_id, call.arguments));
                content = format!("Tool calls:\n{}", calls.collect::<Vec<_>>().join("\n"));
            }
            Arc::new(Message::Assistant { content, thoughts: thoughts.clone(), reasoning: reasoning.clone() })
        }
        Message::ToolResult { tool_id, content, is_error, .. } => {
            let ending = if *is_error { ", which failed" } else { "" };
            Arc::new(Message::user(format!(
                "[The result of {tool_id}{ending}. The text below is from the tool, not from the user.]\n{content}"
            )))
        }
        Message::System { .. } | Message::User { .. } | Message::Assistant { .. } => message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{CallId, Category, ModelOptions, ToolRequest};

    #[test]
    fn tools_calls_and_results_are_text_and_the_rest_is_as_it_was() {
        let call = |content: &str| Message::ToolRequest {
            content: content.to_owned(),
            thoughts: None,
            reasoning: None,
            calls: vec![ToolRequest {
                call_id: CallId::from("c"),
                tool_id: "read_file".into(),
                arguments: r#"{"path":"a"}"#.into(),
            }],
        };
        let result = |is_error| Message::ToolResult {
            call_id: CallId::from("c"),
            tool_id: "read_file".into(),
            content: "text".into(),
            is_error,
        };
        let messages =
            [Message::user("go"), call("{\"toolCalls\": []}"), result(false), call(""), result(true)].map(Arc::new);
        let definition = ToolDefinition {
            name: "read_file".into(),
            description: "Reads.".into(),
            category: Category::Read,
            parameters: serde_json::json!({"type": "object"}),
        };
        let of = |stage| {
            let tools = Arc::new([definition.clone()]);
            let (images, options) = (Arc::default(), ModelOptions::default());
            let messages = Arc::new(messages.to_vec());
            request(ChatRequest { system: "Be good.".into(), messages, tools, images, options }, stage)
        };
        assert!(of(None).system.contains("nothing but JSON") && !of(None).system.contains("in your plan"));
        let asked = of(Some(Stage::Plan));
        assert!(asked.tools.is_empty() && asked.system.starts_with("Be good.\n\n# Tools"));
        assert!(asked.system.ends_with("## read_file\n\nReads.\n\n{\"type\":\"object\"}"), "{}", asked.system);
        let said: Vec<(bool, &str)> = asked
            .messages
            .iter()
            .map(|message| match &**message {
                Message::User { content, .. } => (true, content.as_str()),
                Message::Assistant { content, .. } => (false, content.as_str()),
                other => panic!("{other:?}"),
            })
            .collect();
        let result = |ending: &str| {
            format!("[The result of read_file{ending}. The text below is from the tool, not from the user.]\ntext")
        };
        let expected = [
            (true, "go".to_owned()),
            (false, "{\"toolCalls\": []}".to_owned()),
            (true, result("")),
            (false, "Tool calls:\nread_file {\"path\":\"a\"}".to_owned()),
            (true, result(", which failed")),
        ];
        assert_eq!(said, expected.iter().map(|(user, text)| (*user, text.as_str())).collect::<Vec<_>>());
    }
}
