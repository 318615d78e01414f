//! The conversation as the model is shown it. Messages are only ever added at the end, and none is changed once it has
//! been sent, so that the provider's prompt cache hits; only going back in the conversation takes some away, and a
//! compaction (`context.compacted`) leaves some out of what is shown. What is left out stays part of the conversation,
//! and going back to before the compaction shows it again.

mod compaction;
mod entry;
mod letting_go;
mod messages;
mod refused_parts;
mod switching;
mod withholding;

#[cfg(test)]
mod compaction_tests;

pub use entry::{ConversationMessage, MessageKind, READ_RESULT_TOOL, ShownAs, stand_in};
pub use letting_go::SavedText;
pub use refused_parts::{RefusablePart, tool_part};

use super::{BackgroundCalls, Queue};
use crate::{
    CallId, ContextAdded, Event, EventBody, EventId, Image, Message, MessageId, OutputMessage, Reasoning,
    ToolAsyncResult, ToolCall, ToolRequest, ToolResult,
};
use entry::TranscriptEntry;
use messages::{CallWithoutResult, TranscriptMessages};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use switching::SwitchedOffParts;
use withholding::LastPrompt;

const NO_RESULT: &str = "No result: the run ended before this call finished. It may or may not have had an effect.";
const INTERRUPTED: &str = "\n\n[The answer was interrupted here.]";

/// A fold over a session's events, oldest first; for a fork over its origins' first.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    messages: TranscriptMessages,
    /// The model's turn while its events come in.
    open: Option<OpenTurn>,
    unanswered: Vec<CallWithoutResult>,
    calls_seen: HashSet<CallId>,
    switched_off: SwitchedOffParts,
    prompt: LastPrompt,
    /// A compaction left something out since the model was last asked.
    is_compacted_anew: bool,
    queue: Queue,
    background: BackgroundCalls,
    /// It lets go of what compactions leave out: the log has it.
    lets_go: bool,
    /// Going back has shown a message again whose text was let go of.
    lacks_text: bool,
    /// Messages that came in the midst of a turn: vendors want a request's results right behind it.
    arrived: Vec<(u64, Arrived)>,
}

#[derive(Debug, Clone)]
enum Arrived {
    /// The result of a background call.
    Result(ToolAsyncResult),
    Context(ContextAdded),
}

#[derive(Debug, Clone, Default)]
struct OpenTurn {
    seq: u64,
    event_id: Option<EventId>,
    content: String,
    thoughts: Option<String>,
    reasoning: Option<Reasoning>,
    interrupted: bool,
    calls: Vec<(u64, ToolRequest)>,
}

impl Transcript {
    pub fn apply(&mut self, event: &Event) {
        self.apply_body(event, event.body());
    }

    /// The same where the event's body was read already.
    pub fn apply_body(&mut self, event: &Event, body: EventBody) {
        if let EventBody::QueueChanged(changed) = &body {
            self.deliver(event.seq, &changed.delivered);
        }
        self.queue.apply(&body);
        self.background.apply(event, &body);
        self.is_compacted_anew = match &body {
            EventBody::EngineRequest(request) if request.purpose.is_none() => false,
            EventBody::ContextCompacted(compacted) => self.is_compacted_anew || !compacted.summary.is_empty(),
            _ => self.is_compacted_anew,
        };
        self.prompt.apply(&mut self.messages, &body);
        self.messages.event_id = Some(event.event_id.clone());
        match body {
            EventBody::SessionForked(forked) => self.inherit(forked.from_seq),
            EventBody::SessionRewound(rewound) if rewound.conversation => self.rewind(event.seq, rewound.to_seq),
            EventBody::RunStarted(started) => {
                self.close_turn();
                self.answer_orphans(event.seq);
                self.tell_arrived(event.seq);
                self.switch_parts(event.seq, &started.options.off);
                self.prompt.seq = event.seq;
                self.messages
                    .push(event.seq, Message::User { content: started.prompt, images: started.options.images });
            }
            EventBody::EngineRequest(request) if request.purpose.is_some() => {}
            // The same run asks again: what was cut off before is told anew.
            EventBody::EngineRequest(_) if self.open.as_ref().is_some_and(|turn| turn.interrupted) => self.open = None,
            EventBody::EngineRequest(_) => self.close_turn(),
            EventBody::OutputMessage(message) => self.open_turn(event.seq, message),
            EventBody::ToolCall(call) => self.add_call(event.seq, call),
            EventBody::ToolResult(result) => self.add_result(event.seq, result),
            EventBody::ToolAsyncResult(result) => self.arrived.push((event.seq, Arrived::Result(result))),
            EventBody::ContextAdded(added) => self.arrived.push((event.seq, Arrived::Context(added))),
            EventBody::ContextCompacted(compacted) => self.compact(event.seq, compacted),
            EventBody::ContextDropped(dropped) => self.messages.leave_out(&dropped),
            _ => {}
        }
        self.tell_arrived(event.seq);
    }

    /// The messages so far, a turn that has ended included.
    #[must_use]
    pub fn messages(&mut self) -> Arc<Vec<Arc<Message>>> {
        self.settle();
        self.messages.shown.clone()
    }

    /// Returns whether a compaction left something out since the model was last asked.
    #[must_use]
    pub fn is_compacted_anew(&self) -> bool {
        self.is_compacted_anew
    }

    /// Takes these parts out of what is shown, and shows those again that were off before and aren't any more. `seq` is
    /// the event since which it counts: a run's first.
    pub fn switch_parts(&mut self, seq: u64, off: &[String]) {
        if off.is_empty() && !self.switched_off.may_be {
            return;
        }
        self.settle();
        self.switched_off.switch(&mut self.messages, seq, off);
    }

    fn settle(&mut self) {
        if self.open.as_ref().is_some_and(|turn| !turn.interrupted) {
            self.close_turn();
        }
        let last_arrived = self.arrived.last().map_or(0, |(seq, _)| *seq);
        self.tell_arrived(last_arrived);
    }

    /// Every message that counts, those included that a compaction leaves out, oldest first.
    pub fn conversation(&mut self) -> impl DoubleEndedIterator<Item = ConversationMessage<'_>> {
        self.settle();
        self.messages.counting().map(TranscriptEntry::as_conversation_message)
    }

    /// The whole result of a call, however little of it is still shown.
    #[must_use]
    pub fn result_of(&self, wanted: &CallId) -> Option<SavedText<'_>> {
        self.messages.counting().rev().find_map(|entry| match &*entry.whole {
            Message::ToolResult { call_id, content, .. } if call_id == wanted => {
                Some(self.messages.saved_text(entry, content))
            }
            _ => None,
        })
    }

    /// Every image that a message speaks of.
    pub fn images(&self) -> impl Iterator<Item = &Image> {
        let images = self.messages.shown_entries().map(|entry| match &*entry.message {
            Message::User { images, .. } => images.as_slice(),
            _ => &[],
        });
        images.flatten()
    }

    /// Returns whether a call of this id was made before in the session: some models number their calls anew in every
    /// run.
    #[must_use]
    pub fn has_call(&self, call_id: &CallId) -> bool {
        self.calls_seen.contains(call_id)
    }

    /// Returns what waits to be told.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Returns what goes on in the background, as far as the log knows.
    #[must_use]
    pub fn background(&self) -> &BackgroundCalls {
        &self.background
    }

    /// Tells the model what arrived, between turns only. `seq` is the event since which it counts.
    fn tell_arrived(&mut self, seq: u64) {
        if self.open.is_some() || !self.unanswered.is_empty() {
            return;
        }
        for (_, arrived) in std::mem::take(&mut self.arrived) {
            match arrived {
                Arrived::Result(result) => {
                    self.messages.push_of_kind(seq, MessageKind::LateResult, Message::user(async_text(&result)));
                }
                Arrived::Context(ContextAdded { part, origin, text: content, images, .. }) => {
                    let message = Message::User { content, images };
                    self.messages.push_of_kind(seq, MessageKind::Added { part, origin }, message);
                }
            }
        }
    }

    fn deliver(&mut self, seq: u64, delivered: &[MessageId]) {
        let texts: Vec<String> =
            delivered.iter().filter_map(|id| self.queue.get(id)).map(|message| message.text.clone()).collect();
        if !texts.is_empty() {
            self.close_turn();
        }
        for content in texts {
            self.messages.push(seq, Message::user(content));
        }
    }

    fn open_turn(&mut self, seq: u64, message: OutputMessage) {
        if self.open.as_ref().is_some_and(|turn| !turn.interrupted) {
            self.close_turn();
        }
        self.open = Some(OpenTurn {
            seq,
            event_id: self.messages.event_id.clone(),
            content: message.content,
            thoughts: message.thoughts,
            reasoning: message.reasoning,
            interrupted: message.interrupted,
            calls: Vec::new(),
        });
    }

    fn add_call(&mut self, seq: u64, call: ToolCall) {
        self.calls_seen.insert(call.call_id.clone());
        self.unanswered.push(CallWithoutResult { seq, call_id: call.call_id.clone(), tool_id: call.tool_id.clone() });
        let arguments = match call.args {
            Value::String(raw) => raw,
            args => args.to_string(),
        };
        let request = ToolRequest { call_id: call.call_id, tool_id: call.tool_id, arguments };
        // An answer that was cut off has no calls: these are of the one that takes its place.
        let open = self.open.take().filter(|turn| !turn.interrupted);
        let open = self.open.insert(open.unwrap_or_else(|| OpenTurn { seq, ..OpenTurn::default() }));
        open.calls.push((seq, request));
    }

    fn add_result(&mut self, seq: u64, result: ToolResult) {
        self.close_turn();
        self.unanswered.retain(|call| call.call_id != result.call_id);
        self.messages.push(
            seq,
            Message::ToolResult {
                call_id: result.call_id,
                tool_id: result.tool_id,
                content: result.result,
                is_error: result.is_error,
            },
        );
    }

    fn close_turn(&mut self) {
        let Some(OpenTurn { seq, event_id, mut content, thoughts, reasoning, interrupted, calls }) = self.open.take()
        else {
            return;
        };
        let (call_seqs, calls): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        let message = if !calls.is_empty() {
            Message::ToolRequest { content, thoughts, reasoning, calls }
        } else if !content.is_empty() {
            if interrupted {
                content.push_str(INTERRUPTED);
            }
            Message::Assistant { content, thoughts, reasoning }
        } else {
            return;
        };
        let entry = TranscriptEntry::new(self.messages.place(seq), seq, call_seqs, message);
        self.messages.add(entry.of_event(event_id));
    }

    /// Every call needs a result before the conversation can go on; vendors refuse it otherwise.
    fn answer_orphans(&mut self, seq: u64) {
        for CallWithoutResult { call_id, tool_id, .. } in std::mem::take(&mut self.unanswered) {
            self.messages
                .push(seq, Message::ToolResult { call_id, tool_id, content: NO_RESULT.to_owned(), is_error: true });
        }
    }

    /// Makes all that came so far the origin's: it is before everything of the fork's own.
    fn inherit(&mut self, from_seq: u64) {
        self.close_turn();
        self.messages.inherit(from_seq);
        self.unanswered.iter_mut().for_each(|call| call.seq = 0);
        self.queue = Queue::default();
    }

    /// Back to how the conversation stood right after an event; `seq` is the event that says so.
    fn rewind(&mut self, seq: u64, to_seq: u64) {
        self.close_turn();
        self.messages.rewind(seq, to_seq);
        let mut entries = self.messages.entries.iter();
        self.switched_off.may_be |= entries.any(|entry| entry.shown_as() == ShownAs::SwitchedOff);
        self.lacks_text = self.lacks_text || self.messages.shown_entries().any(|entry| entry.is_let_go);
        self.unanswered = self.messages.unanswered_calls();
    }
}

/// No vendor has a place for a result that comes late, so it comes as a message that says what it is.
fn async_text(result: &ToolAsyncResult) -> String {
    let ToolAsyncResult { async_call_id, tool_id, result, is_error, .. } = result;
    let ending = if *is_error { "failed" } else { "ended" };
    format!(
        "[AsyncToolResult: the call {async_call_id} of {tool_id} has {ending}. The text below is from the tool, not \
        from the user.]\n{result}"
    )
}
