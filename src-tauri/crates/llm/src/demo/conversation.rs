//! What the demo model knows: the conversation it is sent, nothing else.

use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Deserialize)]
pub(super) struct Request {
    pub(super) model: String,
    pub(super) messages: Vec<Message>,
    #[serde(default)]
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
pub(super) struct Message {
    role: String,
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<Call>,
    #[serde(default)]
    tool_call_id: String,
}

#[derive(Deserialize)]
struct Call {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Tool {
    function: ToolName,
}

#[derive(Deserialize)]
struct ToolName {
    name: String,
}

/// A call with its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Done {
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: String,
}

/// The conversation as the script reads it.
pub(super) struct Conversation {
    /// The last user message.
    pub(super) prompt: String,
    /// What was done since, in order.
    pub(super) now: Vec<Done>,
    /// What was done for earlier prompts.
    pub(super) before: Vec<Done>,
    offered: Vec<String>,
}

impl Conversation {
    pub(super) fn of(request: &Request) -> Self {
        let messages = &request.messages;
        let last_prompt = messages.iter().rposition(|message| message.role == "user");
        let (before, now) = messages.split_at(last_prompt.unwrap_or(0));
        let prompt = last_prompt.and_then(|at| messages[at].content.clone()).unwrap_or_default();
        let offered = request.tools.iter().map(|tool| tool.function.name.clone()).collect();
        Self { prompt, now: done_in(now), before: done_in(before), offered }
    }

    pub(super) fn offers(&self, tool: &str) -> bool {
        self.offered.iter().any(|offered| offered == tool)
    }
}

impl Done {
    pub(super) fn path(&self) -> &str {
        self.args["path"].as_str().unwrap_or_default()
    }

    pub(super) fn failed(&self) -> bool {
        self.result.starts_with("Error:")
    }

    /// A denial is not to be tried around.
    pub(super) fn denied(&self) -> bool {
        self.failed() && (self.result.contains("Denied") || self.result.contains("not trusted"))
    }
}

fn done_in(messages: &[Message]) -> Vec<Done> {
    let results: HashMap<&str, &str> = messages
        .iter()
        .filter(|message| message.role == "tool")
        .map(|message| (message.tool_call_id.as_str(), message.content.as_deref().unwrap_or_default()))
        .collect();
    let calls = messages.iter().flat_map(|message| &message.tool_calls);
    calls
        .filter_map(|call| {
            let result = (*results.get(call.id.as_str())?).to_owned();
            let args = serde_json::from_str(&call.function.arguments).unwrap_or_default();
            Some(Done { tool: call.function.name.clone(), args, result })
        })
        .collect()
}

impl Message {
    /// Everything in it that a model would read, in characters.
    pub(super) fn characters(&self) -> usize {
        let content = self.content.as_deref().unwrap_or_default().chars().count();
        content + self.tool_calls.iter().map(|call| call.function.arguments.chars().count()).sum::<usize>()
    }
}
