//! The JSON of `/api/chat`: <https://docs.ollama.com/api/chat>.

use crate::figures;
use crate::request_parts::{FunctionTool, Images, base64_of, object_text};
use arki_domain::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// A request without its messages.
#[derive(Serialize)]
pub(super) struct Head<'a> {
    pub(super) model: &'a str,
    pub(super) stream: bool,
    /// The choice to shorten a prompt that is too long: Ollama drops the oldest messages unless this is false, which
    /// makes it an error.
    pub(super) truncate: bool,
    /// The same for an answer that outgrows the context.
    pub(super) shift: bool,
    pub(super) options: Options,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) think: Option<Think<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<FunctionTool<'a>>,
}

#[derive(Serialize)]
pub(super) struct Options {
    pub(super) num_ctx: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_predict: Option<u32>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Think<'a> {
    Switch(bool),
    Level(&'a str),
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<String>,
    },
    Assistant {
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        thinking: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_name: &'a str,
        content: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct Call<'a> {
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// An object; anything else is an error.
    arguments: Value,
}

impl<'a> Message<'a> {
    /// Thoughts go back with the calls they led to, and not later: models are trained to forget them after the answer.
    pub(super) fn new(message: &'a arki_domain::Message, images: &Images) -> Self {
        use arki_domain::Message as Domain;
        match message {
            Domain::System { content } => Self::System { content },
            Domain::User { content, images: shown } => {
                let images = shown.iter().filter_map(|image| base64_of(image, images)).collect();
                Self::User { content: content.into(), images }
            }
            Domain::Assistant { content, .. } => Self::Assistant { content, thinking: None, tool_calls: Vec::new() },
            Domain::ToolRequest { content, thoughts, calls, .. } => Self::Assistant {
                content,
                thinking: thoughts.as_deref().filter(|thoughts| !thoughts.is_empty()),
                tool_calls: calls.iter().map(Call::from).collect(),
            },
            Domain::ToolResult { tool_id, content, .. } => Self::Tool { tool_name: tool_id, content },
        }
    }
}

impl Message<'_> {
    /// Says what the user's next message says too.
    pub(super) fn join(&mut self, next: Self) {
        let Self::User { content, images } = self else { return };
        let Self::User { content: more, images: shown } = next else { return };
        let gap = if content.is_empty() || more.is_empty() { "" } else { "\n\n" };
        *content = format!("{content}{gap}{more}").into();
        images.extend(shown);
    }
}

impl<'a> From<&'a arki_domain::ToolRequest> for Call<'a> {
    fn from(call: &'a arki_domain::ToolRequest) -> Self {
        let arguments = serde_json::from_str(&object_text(&call.arguments)).unwrap_or_default();
        Self { function: Function { name: &call.tool_id, arguments } }
    }
}

/// One line of an answer. The last one is `done` and has the figures.
#[derive(Deserialize)]
pub(super) struct Line {
    pub(super) message: Option<Said>,
    pub(super) done: Option<bool>,
    pub(super) done_reason: Option<String>,
    pub(super) error: Option<Value>,
    /// Left out where all of the prompt was still in memory.
    #[serde(default, deserialize_with = "figures::count")]
    prompt_eval_count: Option<u64>,
    #[serde(default, deserialize_with = "figures::count")]
    eval_count: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Said {
    pub(super) content: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) tool_calls: Option<Vec<SaidCall>>,
}

#[derive(Deserialize)]
pub(super) struct SaidCall {
    pub(super) function: SaidFunction,
}

#[derive(Deserialize)]
pub(super) struct SaidFunction {
    pub(super) name: String,
    pub(super) arguments: Option<Value>,
}

impl Line {
    pub(super) fn figures(&self) -> Option<Usage> {
        if self.prompt_eval_count.is_none() && self.eval_count.is_none() {
            return None;
        }
        Some(Usage::told(self.prompt_eval_count, self.eval_count, None, None))
    }
}
