//! The demo model's knowledge: the conversation it is sent, nothing else.

use arki_domain::{CallId, ChatRequest, Message};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Deserialize)]
pub(super) struct Request {
    system: String,
    tools: Vec<String>,
    pub(super) messages: Vec<Message>,
}

#[derive(Serialize)]
struct Written<'a> {
    model: &'a str,
    system: &'a str,
    tools: Vec<&'a str>,
    messages: Vec<&'a Message>,
}

impl Request {
    pub(super) fn written(
        model: &str,
        request: &ChatRequest,
        messages: &[Arc<Message>],
    ) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Written {
            model,
            system: &request.system,
            tools: request.tools.iter().map(|tool| &*tool.name).collect(),
            messages: messages.iter().map(AsRef::as_ref).collect(),
        })
    }

    /// Everything in it that a model would read, in characters.
    pub(super) fn characters(&self) -> usize {
        self.system.chars().count() + self.messages.iter().map(characters).sum::<usize>()
    }
}

/// A call with its result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Done {
    pub(super) tool: String,
    pub(super) args: Value,
    pub(super) result: String,
}

/// The conversation as the script reads it.
pub(super) struct DemoConversation {
    /// The last user message.
    pub(super) prompt: String,
    /// The actions since, in order.
    pub(super) now: Vec<Done>,
    /// The actions for earlier prompts.
    pub(super) before: Vec<Done>,
    offered: Vec<String>,
}

impl DemoConversation {
    pub(super) fn of(request: &Request) -> Self {
        let last = request.messages.iter().enumerate().rev().find_map(|(at, message)| match message {
            Message::User { content, .. } => Some((at, content.clone())),
            _ => None,
        });
        let (at, prompt) = last.unwrap_or_default();
        let (before, now) = request.messages.split_at(at);
        Self { prompt, now: done_in(now), before: done_in(before), offered: request.tools.clone() }
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
    let results: HashMap<&CallId, &str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult { call_id, content, .. } => Some((call_id, content.as_str())),
            _ => None,
        })
        .collect();
    let calls = messages.iter().filter_map(|message| match message {
        Message::ToolRequest { calls, .. } => Some(calls),
        _ => None,
    });
    calls
        .flatten()
        .filter_map(|call| {
            let result = (*results.get(&call.call_id)?).to_owned();
            let args = serde_json::from_str(&call.arguments).unwrap_or_default();
            Some(Done { tool: call.tool_id.clone(), args, result })
        })
        .collect()
}

fn characters(message: &Message) -> usize {
    let (content, calls) = match message {
        Message::System { content }
        | Message::User { content, .. }
        | Message::Assistant { content, .. }
        | Message::ToolResult { content, .. } => (content, &[][..]),
        Message::ToolRequest { content, calls, .. } => (content, calls.as_slice()),
    };
    content.chars().count() + calls.iter().map(|call| call.arguments.chars().count()).sum::<usize>()
}
