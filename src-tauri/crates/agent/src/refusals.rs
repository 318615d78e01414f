//! Changes made after a provider has refused a request, so that it takes the next one. In this order: a part that the
//! error names is left out; a conversation that fills most of the window is compacted, once; then the newest picture,
//! result or reasoning is left out. Never the system prompt, the user's words or a decision.
//!
//! Each part is an event (`context.dropped`), so that later requests do without it too. Parts that were guessed at come
//! back where the provider refuses the request all the same.

mod window;

pub(crate) use window::named_window;

use crate::run_log::RunLog;
use arki_domain::projection::{RefusablePart, tool_part};
use arki_domain::{Code, ContextDropped, Error, EventId, Message, ToolDefinition};
use std::sync::Arc;

/// The number of parts that are left out for one request.
const MAX_PARTS: usize = 3;
/// The beginning of the names of MCP servers' tools.
const REMOTE: &str = "mcp__";
const HINT: &str = "If a message is the cause, go back to before it with `arki rewind --conversation`.";

/// The attempts so far to have a request taken.
#[derive(Default)]
pub(crate) struct Mending {
    is_compacted: bool,
    parts: usize,
    /// Tells that the tools of MCP servers are left out.
    is_without_remote: bool,
    /// The parts that no error named.
    guessed: Vec<ContextDropped>,
}

/// The next attempt to have a request taken.
pub(crate) enum Mend {
    LeaveOut(Vec<ContextDropped>),
    Compact,
    /// Nothing helps: what was guessed at comes back.
    GiveUp(Vec<ContextDropped>),
}

impl Mending {
    pub(crate) fn next(&mut self, mut refused: RefusedRequest<'_>) -> Mend {
        let fault = refused.fault;
        let is_too_long = fault.is(Code::CONTEXT_TOO_LONG);
        let has_room = self.parts < MAX_PARTS;
        if has_room
            && !is_too_long
            && let Some(dropped) = refused.named_part()
        {
            self.parts += 1;
            return Mend::LeaveOut(vec![dropped]);
        }
        if !std::mem::replace(&mut self.is_without_remote, true) && NamedPart::read(&fault.message).is_some_schema() {
            let remote = refused.remote_tools();
            if !remote.is_empty() {
                return Mend::LeaveOut(remote);
            }
        }
        let may_be_length = is_too_long || (refused.fills_window && !fault.is(Code::CONTENT_REFUSED));
        if may_be_length && !std::mem::replace(&mut self.is_compacted, true) {
            return Mend::Compact;
        }
        if has_room
            && !is_too_long
            && let Some(newest) = refused.log.transcript.refusable_parts().pop()
        {
            let dropped = dropped(newest.event_id, newest.part, fault);
            self.parts += 1;
            self.guessed.push(dropped.clone());
            return Mend::LeaveOut(vec![dropped]);
        }
        let guessed = std::mem::take(&mut self.guessed).into_iter().rev();
        Mend::GiveUp(guessed.map(|guessed| ContextDropped { restored: true, ..guessed }).collect())
    }
}

/// The fault as a run ends with it.
pub(crate) fn given_up(fault: Error) -> Error {
    Error { hint: format!("{} {HINT}", fault.hint), ..fault }
}

/// A request that the provider has not taken, and what it says about it.
pub(crate) struct RefusedRequest<'a> {
    pub(crate) log: &'a mut RunLog,
    pub(crate) definitions: Arc<[ToolDefinition]>,
    pub(crate) fault: &'a Error,
    pub(crate) fills_window: bool,
}

impl RefusedRequest<'_> {
    /// Returns whether another request than this one may be taken.
    pub(crate) fn is_refusal(&mut self) -> bool {
        let fault = self.fault;
        let is_of_request = fault.is(Code::CONTEXT_TOO_LONG) || fault.is(Code::PROVIDER_BAD_REQUEST);
        // Some answer so to a picture that they don't take.
        let may_be = fault.is(Code::MODEL_NOT_FOUND) || fault.is(Code::PROVIDER_FAILED);
        // A filter takes offence at what came in from outside, of which the user has not said a word.
        if fault.is(Code::CONTENT_REFUSED) {
            return !self.log.transcript.refusable_parts().is_empty();
        }
        let says_image = || NamedPart::read(&fault.message).is_image;
        is_of_request || (may_be && says_image() && self.named_part().is_some())
    }

    /// The tools of MCP servers: one of them it is where a schema is refused and no tool named, since ours are known to
    /// be taken.
    fn remote_tools(&self) -> Vec<ContextDropped> {
        let Some(event_id) = self.log.transcript.prompt_event() else { return Vec::new() };
        let refused = &self.log.state.refused_tools;
        let remote = self.definitions.iter().filter(|tool| tool.name.starts_with(REMOTE) && !is_in(refused, tool));
        let part = |tool: &ToolDefinition| dropped(event_id.clone(), tool_part(&tool.name), self.fault);
        remote.map(part).collect()
    }

    fn named_part(&mut self) -> Option<ContextDropped> {
        let (named, transcript) = (NamedPart::read(&self.fault.message), &mut self.log.transcript);
        if let Some(tool) = named.tool(&self.definitions, &self.log.state.refused_tools) {
            // The run's, which it is left out of.
            return Some(dropped(transcript.prompt_event()?, tool_part(&tool), self.fault));
        }
        let messages = transcript.messages();
        let parts = transcript.refusable_parts();
        named.part(&parts, &messages).map(|named| dropped(named.event_id, named.part, self.fault))
    }
}

fn dropped(event_id: EventId, part: String, fault: &Error) -> ContextDropped {
    ContextDropped { event_id, part, reason: fault.message.clone(), restored: false }
}

/// The part of a request that an error's words name.
#[derive(Debug, Default, PartialEq)]
struct NamedPart {
    words: String,
    is_image: bool,
    is_reasoning: bool,
    is_result: bool,
    /// The number of a message, from 0, as the vendor counts, and whether it stands in brackets.
    message: Option<(usize, bool)>,
    /// The number of a part within that message, from 0.
    content: Option<usize>,
    /// The number of a tool, from 0.
    tool: Option<usize>,
}

impl NamedPart {
    fn read(message: &str) -> Self {
        let words = message.split_once("It says: ").map_or("", |(_, words)| words).to_lowercase();
        let says = |needles: &[&str]| needles.iter().any(|needle| words.contains(needle));
        // An option has that name too.
        let is_option = says(&["reasoning_effort", "reasoning.effort", "reasoning.summary", "budget_tokens"]);
        Self {
            is_image: says(&["image", "picture", "pixel", "图片", "图像"]),
            is_reasoning: !is_option && says(&["signature", "thinking", "encrypted", "reasoning"]),
            is_result: says(&[
                "tool_result",
                "tool result",
                "tool message",
                "function_call_output",
                "functionresponse",
            ]),
            message: ["messages", "input", "contents"].iter().find_map(|list| number_in(&words, list)),
            content: ["content", "parts"].iter().find_map(|list| number_in(&words, list)).map(|(number, _)| number),
            // Google's tool 0 has all of the declarations.
            tool: ["function_declarations", "functiondeclarations", "tools"]
                .iter()
                .find_map(|list| number_in(&words, list))
                .map(|(number, _)| number),
            words,
        }
    }

    /// Returns whether the schema of some tool is not taken.
    fn is_some_schema(&self) -> bool {
        let says = |word: &str| self.words.contains(word);
        says("grammar") || (says("schema") && (says("tool") || says("function") || says("parameters")))
    }

    /// The tool whose definition is not taken.
    fn tool(&self, definitions: &[ToolDefinition], refused: &[String]) -> Option<String> {
        let is_of_definition =
            ["schema", "function", "tools", "parameters"].iter().any(|word| self.words.contains(word));
        let of_number =
            self.tool.and_then(|number| definitions.iter().filter(|tool| !is_in(refused, tool)).nth(number));
        let of_name = || definitions.iter().find(|tool| is_of_definition && has_word(&self.words, &tool.name));
        let tool = of_number.or_else(of_name).filter(|tool| !is_in(refused, tool))?;
        Some(tool.name.to_string())
    }

    /// The newest part of the kind that is named, in the message that is named where there is one.
    fn part(&self, parts: &[RefusablePart], messages: &[impl AsRef<Message>]) -> Option<RefusablePart> {
        let is_named = |part: &RefusablePart| {
            (self.is_image && part.is_image())
                || (self.is_reasoning && part.is_reasoning())
                || (self.is_result && part.is_result())
        };
        let has_kind = self.is_image || self.is_reasoning || self.is_result;
        let there = |part: &&RefusablePart| {
            self.message.is_some_and(|(number, brackets)| counts_as(messages, part.message, brackets).contains(&number))
        };
        let named_there: Vec<_> = parts.iter().filter(there).filter(|part| !has_kind || is_named(part)).collect();
        // A message's pictures stand behind its text.
        let of_number =
            self.content.filter(|_| self.is_image).and_then(|number| named_there.get(number.checked_sub(1)?));
        of_number.or(named_there.last()).copied().or_else(|| parts.iter().rev().find(|part| is_named(part))).cloned()
    }
}

fn is_in(names: &[String], tool: &ToolDefinition) -> bool {
    names.iter().any(|name| *name == *tool.name)
}

/// The numbers that vendors may give a message. Those that write `messages[3]` mostly count the system prompt too; those
/// that write `messages.3` what one side says in a row as one.
fn counts_as(messages: &[impl AsRef<Message>], at: usize, brackets: bool) -> [usize; 2] {
    if brackets {
        return [at, at + 1];
    }
    let is_model = |message: &Message| matches!(message, Message::Assistant { .. } | Message::ToolRequest { .. });
    let sides: Vec<bool> = messages.iter().take(at + 1).map(|message| is_model(message.as_ref())).collect();
    [at, sides.windows(2).filter(|pair| pair[0] != pair[1]).count()]
}

/// The number behind the name of a list, and whether it stands in brackets: `messages.3`, `input[3]`, `tools -> 3`.
fn number_in(words: &str, list: &str) -> Option<(usize, bool)> {
    words.match_indices(list).find_map(|(at, _)| {
        let rest = &words[at + list.len()..];
        let arrow = || rest.trim_start().strip_prefix("->").map(str::trim_start);
        let number = rest.strip_prefix(['.', '[', '/']).or_else(arrow)?;
        let digits = number.find(|character: char| !character.is_ascii_digit()).unwrap_or(number.len());
        Some((number[..digits].parse().ok()?, rest.starts_with('[')))
    })
}

fn has_word(words: &str, name: &str) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
    let name = name.to_lowercase();
    words.match_indices(&name).any(|(at, _)| {
        let (before, after) = (words[..at].chars().next_back(), words[at + name.len()..].chars().next());
        !before.is_some_and(is_of_name) && !after.is_some_and(is_of_name)
    })
}

#[cfg(test)]
mod tests;
