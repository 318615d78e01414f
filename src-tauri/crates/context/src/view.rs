//! The next request part by part: what it's made of, where each part comes from, and how many tokens it takes.
//!
//! Where the provider has counted a request, the parts it was made of add up to that count; what came since is an
//! estimate, bent by what the count taught.

use crate::{CountTokens, SystemPrompt, TokenCorrection};
use arki_domain::projection::{ConversationMessage, MessageKind, ShownAs};
use arki_domain::{CallId, Message, PartKind, ToolDefinition};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;

/// The prefix of MCP servers' tools: `mcp__SERVER__TOOL`.
const MCP_PREFIX: &str = "mcp__";
const MAX_ORIGIN_CHARS: usize = 60;
/// The arguments that say most of a call.
const TELLING_ARGUMENTS: [&str; 6] = ["path", "command", "pattern", "glob", "url", "name"];

pub struct ContextViewInputs<'a> {
    pub system: &'a SystemPrompt,
    pub tools: &'a [ToolDefinition],
    /// All of `Transcript::conversation`.
    pub conversation: &'a [ConversationMessage<'a>],
    /// The last count that still holds: there is none after a compaction, or when the system prompt has changed.
    pub counted: Option<CountedRequest>,
    /// Learned from the requests before.
    pub correction: TokenCorrection,
    pub window: Option<u64>,
    /// The parts that the session goes without, by their ids.
    pub off: &'a [String],
    /// Uncorrected.
    pub estimate: &'a dyn CountTokens,
}

/// A request that the provider has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedRequest {
    /// Messages it had, without the system prompt.
    pub messages: usize,
    /// The provider's `promptTokens`.
    pub tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextView {
    /// The parts in the order in which they are sent.
    pub parts: Vec<ContextPart>,
    pub total_tokens: u64,
    /// The part of the total that the provider has counted.
    pub counted_tokens: u64,
    pub window: Option<u64>,
    pub left_out: CompactedAway,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextPart {
    /// `base`, `custom`, `rules`, `skills`, `procedures`, `memory`, `tools`, `summary`, `messages`, `results` and others.
    pub part: String,
    /// The source, for people: a path, a server, a call, the beginning of a prompt.
    pub origin: String,
    /// Switches the part off, and on again; `None` where it has to stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// It is switched off: of a result a note is left, of anything else nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    pub tokens: u64,
    /// The part's share of the whole request, from 0 to 1.
    pub share: f64,
    /// The first event it comes from; `None` for what stands before the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// The parts that compactions left out of the conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactedAway {
    pub messages: usize,
    /// An estimate, results that notes stand in for included.
    pub tokens: u64,
}

impl ContextView {
    #[must_use]
    pub fn of(inputs: &ContextViewInputs<'_>) -> Self {
        let mut parts = head_parts(inputs);
        let head_end = parts.len();
        let counted_messages = inputs.counted.map_or(0, |counted| counted.messages);
        let mut round = Round::default();
        let calls = call_words(inputs.conversation);
        let mut shown = 0;
        for message in inputs.conversation {
            if message.shown_as.is_shown() {
                round.add(&mut parts, message, (inputs, &calls), shown < counted_messages);
                shown += 1;
            } else if message.shown_as == ShownAs::SwitchedOff {
                add_late_part_that_is_off(&mut parts, message);
            }
        }
        let head = parts[..head_end].iter().map(|part| part.estimate).sum::<u64>();
        let in_count = head + parts[head_end..].iter().map(|part| part.of_counted).sum::<u64>();
        parts[..head_end].iter_mut().for_each(|part| part.of_counted = part.estimate);
        let mut scale = Scale::new(inputs, in_count);
        let mut view = Self {
            parts: parts.into_iter().map(|part| scale.part(part)).collect(),
            total_tokens: 0,
            counted_tokens: inputs.counted.map_or(0, |counted| counted.tokens),
            window: inputs.window,
            left_out: left_out(inputs),
        };
        view.total_tokens = view.parts.iter().map(|part| part.tokens).sum();
        let total = view.total_tokens.max(1) as f64;
        view.parts.iter_mut().for_each(|part| part.share = part.tokens as f64 / total);
        view
    }
}

/// A part before the counts are known.
struct Estimated {
    part: String,
    origin: String,
    id: Option<String>,
    off: bool,
    seq: Option<u64>,
    estimate: u64,
    /// The part of the estimate that was in the counted request.
    of_counted: u64,
}

fn head_parts(inputs: &ContextViewInputs<'_>) -> Vec<Estimated> {
    let head = |part: &str, origin: &str, id: Option<String>, estimate| Estimated {
        part: part.to_owned(),
        origin: origin.to_owned(),
        id,
        off: false,
        seq: None,
        estimate,
        of_counted: 0,
    };
    let mut parts = Vec::new();
    for part in &inputs.system.parts {
        let sizes = part.entries.iter().map(|entry| inputs.estimate.text(&entry.text));
        let sizes: Vec<u64> = sizes.collect();
        let whole = inputs.estimate.text(&part.text);
        let rest = whole.saturating_sub(sizes.iter().sum());
        parts.push(head(part.name, &part.origin, part.id.clone(), rest));
        let entries = part.entries.iter().zip(sizes);
        parts.extend(entries.map(|(entry, size)| head(part.name, &entry.name, Some(entry.id.clone()), size)));
    }
    let before_tools = parts.len();
    for tool in inputs.tools {
        let server = server_of(&tool.name);
        let origin = server.unwrap_or("built in");
        let size = inputs.estimate.tool(tool);
        match parts[before_tools..].iter_mut().find(|part| part.origin == origin) {
            Some(part) => part.estimate += size,
            None => parts.push(head("tools", origin, server.map(|server| PartKind::McpServer.id(server)), size)),
        }
    }
    parts.extend(inputs.off.iter().filter_map(|id| {
        let (part, origin) = part_that_is_off(id)?;
        Some(Estimated { off: true, ..head(part, origin, Some(id.clone()), 0) })
    }));
    parts
}

/// Returns the list's name for a part that is switched off, and the part's own name; `None` for a result, which leaves
/// a note.
fn part_that_is_off(id: &str) -> Option<(&'static str, &str)> {
    let (kind, name) = id.split_once(':').unwrap_or((id, ""));
    let part = match kind {
        "rule" => "rules",
        "skill" => "skills",
        "procedure" => "procedures",
        "mcp" => "tools",
        "memory" => "memory",
        _ => return None,
    };
    Some((part, name))
}

/// Rules and skills that are off stand in the list already.
fn add_late_part_that_is_off(parts: &mut Vec<Estimated>, message: &ConversationMessage<'_>) {
    let (MessageKind::Added { part, origin }, Some(id)) = (message.kind, message.late_part_id()) else { return };
    if parts.iter().any(|known| known.id.as_ref() == Some(&id)) {
        return;
    }
    let (part, origin, seq) = (part.clone(), origin.clone(), Some(message.place));
    parts.push(Estimated { part, origin, id: Some(id), off: true, seq, estimate: 0, of_counted: 0 });
}

/// Each call in a few words: its tool and what it's about.
fn call_words<'a>(conversation: &[ConversationMessage<'a>]) -> HashMap<&'a CallId, String> {
    let requests = conversation.iter().filter_map(|message| match &**message.whole {
        Message::ToolRequest { calls, .. } => Some(calls),
        _ => None,
    });
    let words = requests.flatten().filter_map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
        let telling = TELLING_ARGUMENTS.iter().find_map(|name| arguments.get(name)?.as_str())?;
        Some((&call.call_id, format!("{} {}", call.tool_id, beginning(telling))))
    });
    words.collect()
}

/// Returns the name of the MCP server that the tool belongs to, if it does.
fn server_of(tool: &str) -> Option<&str> {
    tool.strip_prefix(MCP_PREFIX)?.split_once("__").map(|(server, _)| server)
}

/// The part of a conversation from one message of the user to the next.
#[derive(Default)]
struct Round {
    /// The index of its first part, and what it began with.
    first_part: usize,
    origin: Option<String>,
}

impl Round {
    fn add(
        &mut self,
        parts: &mut Vec<Estimated>,
        message: &ConversationMessage<'_>,
        (inputs, calls): (&ContextViewInputs<'_>, &HashMap<&CallId, String>),
        is_counted: bool,
    ) {
        let (mut id, mut off) = (None, false);
        let (part, origin) = match (message.kind, &**message.message) {
            (MessageKind::Summary, _) => ("summary", "compaction".to_owned()),
            (MessageKind::Added { part, origin }, _) => {
                id = message.late_part_id();
                (part.as_str(), origin.clone())
            }
            (_, Message::ToolResult { tool_id, call_id, .. }) => {
                off = message.shown_as == ShownAs::StandIn && PartKind::Result.is_off(call_id.as_str(), inputs.off);
                // What a compaction took out stays out.
                let can_be_switched = off || message.shown_as == ShownAs::Whole;
                id = can_be_switched.then(|| PartKind::Result.id(call_id.as_str()));
                ("results", calls.get(call_id).cloned().unwrap_or_else(|| tool_id.clone()))
            }
            (MessageKind::Said, Message::User { content, .. }) => {
                self.first_part = parts.len();
                let origin = beginning(content);
                self.origin = Some(origin.clone());
                ("messages", origin)
            }
            _ => ("messages", self.origin.clone().unwrap_or_else(|| "conversation".to_owned())),
        };
        let size = inputs.estimate.message(message.message);
        let of_counted = if is_counted { size } else { 0 };
        // Each part that can be switched off stands for itself.
        let known = parts[self.first_part..]
            .iter_mut()
            .find(|one| id.is_none() && one.seq.is_some() && one.part == part && one.origin == origin);
        match known {
            Some(known) => {
                known.estimate += size;
                known.of_counted += of_counted;
            }
            None => {
                let (part, seq) = (part.to_owned(), Some(message.place));
                parts.push(Estimated { part, origin, id, off, seq, estimate: size, of_counted });
            }
        }
    }
}

/// Spreads the provider's count over the parts it was made of, so that they add up to it.
struct Scale {
    counted: u64,
    in_count: u64,
    correction: TokenCorrection,
    seen: u64,
}

impl Scale {
    fn new(inputs: &ContextViewInputs<'_>, in_count: u64) -> Self {
        let counted = inputs.counted.map_or(0, |counted| counted.tokens);
        let in_count = if counted == 0 { 0 } else { in_count };
        let mut correction = inputs.correction;
        correction.learn(in_count, counted);
        Self { counted, in_count, correction, seen: 0 }
    }

    fn part(&mut self, part: Estimated) -> ContextPart {
        let of_counted = if self.in_count == 0 { 0 } else { part.of_counted };
        let before = self.upto(self.seen);
        self.seen += of_counted;
        let tokens = self.upto(self.seen) - before + self.correction.apply(part.estimate - of_counted);
        let Estimated { part, origin, id, off, seq, .. } = part;
        ContextPart { part, origin, id, off, tokens, share: 0.0, seq }
    }

    /// Returns what of the count falls to the first `seen` estimated tokens.
    fn upto(&self, seen: u64) -> u64 {
        match self.in_count {
            0 => 0,
            all => (u128::from(self.counted) * u128::from(seen) / u128::from(all)) as u64,
        }
    }
}

fn left_out(inputs: &ContextViewInputs<'_>) -> CompactedAway {
    let mut left_out = CompactedAway::default();
    for message in inputs.conversation {
        match message.shown_as {
            ShownAs::Whole | ShownAs::SwitchedOff => {}
            ShownAs::LeftOut if *message.kind == MessageKind::Summary => {}
            ShownAs::LeftOut => {
                left_out.messages += 1;
                left_out.tokens += inputs.correction.apply(inputs.estimate.message(message.whole));
            }
            ShownAs::StandIn => {
                let saved =
                    inputs.estimate.message(message.whole).saturating_sub(inputs.estimate.message(message.message));
                left_out.tokens += inputs.correction.apply(saved);
            }
        }
    }
    left_out
}

fn beginning(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim();
    match line.char_indices().nth(MAX_ORIGIN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests;
