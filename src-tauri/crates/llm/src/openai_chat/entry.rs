//! The messages, as each server takes them.

use super::reasoning_details;
use super::returned_thoughts;
use super::{Dialect, OpenAiChat};
use crate::request_parts::{Images, ModelTurn, acceptable_name, data_url_of, object_text};
use arki_domain::{Image, Message};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The text in place of an image, for a model that takes text alone: its API refuses the whole conversation otherwise.
const UNSEEN_IMAGE: &str = "[An image was here, which this model can't see.]";

/// DeepSeek demands that every turn of the model's comes with thoughts, also one that had none.
const NO_THOUGHTS: &str = " ";

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Entry<'a> {
    System {
        content: &'a str,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant {
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_details: Option<Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall<'a>>,
    },
    Tool {
        tool_call_id: Cow<'a, str>,
        content: &'a str,
    },
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum UserContent<'a> {
    /// All that many servers understand.
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Serialize)]
pub(super) struct ImageUrl {
    url: String,
}

#[derive(Serialize)]
pub(super) struct ToolCall<'a> {
    id: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra_content: Option<&'a Value>,
}

#[derive(Serialize)]
struct CalledFunction<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

impl<'a> Entry<'a> {
    /// Makes one entry from messages of one role.
    pub(super) fn new(format: &OpenAiChat, group: &'a [Arc<Message>], images: &Images) -> Option<Self> {
        Some(match &**group.first()? {
            Message::System { content } => Self::System { content },
            Message::User { .. } => Self::User { content: UserContent::new(format, group, images) },
            Message::Assistant { .. } | Message::ToolRequest { .. } => Self::assistant(format, group),
            Message::ToolResult { call_id, content, .. } => {
                Self::Tool { tool_call_id: format.call_id(call_id), content }
            }
        })
    }

    fn assistant(format: &OpenAiChat, group: &'a [Arc<Message>]) -> Self {
        let turns = || group.iter().filter_map(|message| ModelTurn::of(message));
        let calls = turns().flat_map(|turn| turn.calls);
        let content = joined(turns().map(|turn| turn.content));
        let thoughts = joined(turns().filter_map(|turn| turn.thoughts));
        let reasoning = turns().filter_map(|turn| Some((turn.reasoning?, turn.calls)));
        let compatible = matches!(format.dialect, Dialect::Compatible).then_some(());
        let name =
            compatible.and_then(|()| turns().find_map(|turn| returned_thoughts::name(&format.model, turn.reasoning)));
        let thoughts_as =
            |wanted: &str| (name == Some(wanted)).then(|| thoughts.clone()).filter(|thoughts| !thoughts.is_empty());
        let mut details =
            reasoning.filter_map(|(reasoning, calls)| reasoning_details::sent_back(reasoning, format, calls));
        Self::Assistant {
            // Nothing beside calls is null, as OpenAI has it.
            content: Some(content).filter(|content| !content.is_empty() || calls.clone().next().is_none()),
            reasoning_content: match format.dialect {
                Dialect::DeepSeek if thoughts.is_empty() => Some(NO_THOUGHTS.into()),
                Dialect::DeepSeek => Some(thoughts.clone()),
                Dialect::Compatible | Dialect::OpenAi | Dialect::OpenRouter => thoughts_as("reasoning_content"),
            },
            reasoning: thoughts_as("reasoning"),
            reasoning_details: details.next(),
            tool_calls: turns().flat_map(|turn| ToolCall::of(format, turn)).collect(),
        }
    }
}

impl<'a> UserContent<'a> {
    fn new(format: &OpenAiChat, group: &'a [Arc<Message>], images: &Images) -> Self {
        let said = group.iter().filter_map(|message| match &**message {
            Message::User { content, images } => Some((content.as_str(), images.as_slice())),
            _ => None,
        });
        let shown: Vec<&Image> = said.clone().flat_map(|(_, shown)| shown).collect();
        let words = said.map(|(content, _)| content);
        if format.is_blind {
            return Self::Text(joined(words.chain(shown.iter().map(|_| UNSEEN_IMAGE))));
        }
        let words = joined(words);
        if shown.is_empty() {
            return Self::Text(words);
        }
        let words = (!words.is_empty()).then_some(Part::Text { text: words });
        let pictures = shown.iter().filter_map(|image| data_url_of(image, images));
        let pictures = pictures.map(|url| Part::ImageUrl { image_url: ImageUrl { url } });
        Self::Parts(words.into_iter().chain(pictures).collect())
    }
}

/// Joins the texts with a blank line between; empty ones leave none.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> Cow<'a, str> {
    let mut texts = texts.filter(|text| !text.is_empty());
    let first = Cow::Borrowed(texts.next().unwrap_or_default());
    texts.fold(first, |joined, text| Cow::Owned(format!("{joined}\n\n{text}")))
}

impl<'a> ToolCall<'a> {
    fn of(format: &OpenAiChat, turn: ModelTurn<'a>) -> impl Iterator<Item = Self> {
        turn.calls.iter().enumerate().map(move |(number, call)| {
            let name = acceptable_name(&call.tool_id);
            let function = CalledFunction { name, arguments: object_text(&call.arguments) };
            let extra_content = returned_thoughts::extra(&format.model, turn.reasoning, number);
            Self { id: format.call_id(&call.call_id), kind: "function", function, extra_content }
        })
    }
}
