//! Tells a session's news as its events and pieces come, each once.

use crate::messages::{SessionUpdate, TextChunk, ToolCallContent, ToolCallUpdate};
use crate::telling::calls::{CommandOutputForm, SentOutput, call_update};
use crate::telling::diffs::fenced;
use crate::telling::notices::notice;
use arki_domain::projection::{Conversation, ItemBody, ItemPart, StreamedAnswer};
use arki_domain::{CallId, Event, EventBody, OutputDelta, OutputMessage, RunId, Stage, TokenType};
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The last part of a running command's output that is shown where the client has no terminals.
const MAX_TAIL_BYTES: usize = 4 << 10;
/// A running command's output is shown anew after this time at the earliest.
const TAIL_INTERVAL: Duration = Duration::from_millis(500);

/// The origin of a prompt's words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PromptOrigin {
    /// The client's: it shows them already.
    Here,
    #[default]
    Elsewhere,
}

pub(crate) struct Teller {
    folder: PathBuf,
    form: CommandOutputForm,
    conversation: Conversation,
    answer: StreamedAnswer,
    /// The number of times that the turn's answer broke off; each is a message of its own.
    attempt: u32,
    outputs: HashMap<CallId, OutputTail>,
    /// The origin of the next run's prompt.
    pub(crate) prompt_origin: PromptOrigin,
}

/// The end of a running command's output.
struct OutputTail {
    text: String,
    shown_at: Option<Instant>,
}

impl Teller {
    pub(crate) fn new(folder: PathBuf, form: CommandOutputForm) -> Self {
        let mut answer = StreamedAnswer::default();
        // Of a turn that is at work already, pieces were missed.
        answer.fall_behind();
        Self {
            folder,
            form,
            conversation: Conversation::default(),
            answer,
            attempt: 0,
            outputs: HashMap::new(),
            prompt_origin: PromptOrigin::default(),
        }
    }

    /// Takes in an event that the client knows of.
    pub(crate) fn fold(&mut self, event: &Event) {
        self.conversation.apply(event, &event.body());
    }

    /// Pieces were missed.
    pub(crate) fn fall_behind(&mut self) {
        self.answer.fall_behind();
    }

    /// Takes in an event as it is announced: all that follows it is still to come.
    pub(crate) fn live(&mut self, event: &Event) -> Vec<SessionUpdate> {
        if matches!(event.body(), EventBody::EngineRequest(_)) {
            self.answer.catch_up();
        }
        self.event(event)
    }

    pub(crate) fn event(&mut self, event: &Event) -> Vec<SessionUpdate> {
        let body = event.body();
        let changes = self.conversation.apply(event, &body);
        let mut told = self.answered(event, &body);
        for change in &changes {
            let Some(item) = self.conversation.item(change.place) else { continue };
            match &item.body {
                ItemBody::Call(call) => {
                    let is_over = matches!(change.part, ItemPart::Result | ItemPart::Unanswered);
                    let streamed = if is_over {
                        self.outputs.remove(&call.call_id).is_some()
                    } else {
                        self.outputs.contains_key(&call.call_id)
                    };
                    let sent = if streamed { SentOutput::Streamed } else { SentOutput::Nothing };
                    told.extend(call_update(&self.folder, call, change.part, self.form, sent));
                }
                ItemBody::User(said) if change.part == ItemPart::Whole => {
                    let origin = std::mem::take(&mut self.prompt_origin);
                    if said.steered || origin == PromptOrigin::Elsewhere {
                        told.push(SessionUpdate::UserMessageChunk(TextChunk::new(
                            item.key.as_str(),
                            said.text.as_str(),
                        )));
                    }
                }
                ItemBody::User(_) | ItemBody::Assistant(_) => {}
                _ if change.part == ItemPart::Whole => told.extend(notice(item)),
                _ => {}
            }
        }
        self.conversation.let_go(&changes);
        told
    }

    /// Returns the rest of a stored answer, which the pieces didn't say.
    fn answered(&mut self, event: &Event, body: &EventBody) -> Vec<SessionUpdate> {
        let is_answer = self.conversation.standing().stage.is_none_or(|stage| stage == Stage::Synthesize);
        let Some(run_id) = &event.run_id else { return Vec::new() };
        match body {
            EventBody::OutputMessage(OutputMessage { retried: true, .. }) => {
                self.answer.begin_again();
                self.attempt += 1;
                Vec::new()
            }
            EventBody::OutputMessage(said) if self.answer.is_behind() && is_answer => {
                self.rest(run_id, said.turn, &said.content)
            }
            EventBody::RunCompleted(done) if !is_answer => self.rest(run_id, done.turns, &done.response),
            _ => Vec::new(),
        }
    }

    fn rest(&mut self, run_id: &RunId, turn: u32, content: &str) -> Vec<SessionUpdate> {
        self.begin_turn(turn);
        let rest = self.answer.rest(content);
        let id = self.message_id(run_id, turn);
        (!rest.is_empty()).then(|| SessionUpdate::AgentMessageChunk(TextChunk::new(id, rest))).into_iter().collect()
    }

    fn begin_turn(&mut self, turn: u32) {
        if self.answer.begin_turn(turn) {
            self.attempt = 0;
        }
    }

    fn message_id(&self, run_id: &RunId, turn: u32) -> String {
        match self.attempt {
            0 => format!("{run_id}.{turn}"),
            attempt => format!("{run_id}.{turn}.{attempt}"),
        }
    }

    /// Takes in a piece of an answer.
    pub(crate) fn piece(&mut self, run_id: &RunId, delta: &OutputDelta) -> Option<SessionUpdate> {
        match delta.token_type {
            TokenType::LlmThinking => {
                let id = format!("{}.thoughts", self.message_id(run_id, delta.turn));
                Some(SessionUpdate::AgentThoughtChunk(TextChunk::new(id, delta.text.as_str())))
            }
            // A core's own words, such as a plan in JSON, are told as what they mean.
            TokenType::AgentThoughtLlmResponse => None,
            TokenType::LlmResponse | TokenType::FinalSynthesisLlmResponse if self.answer.is_behind() => None,
            TokenType::LlmResponse | TokenType::FinalSynthesisLlmResponse => {
                self.begin_turn(delta.turn);
                let id = self.message_id(run_id, delta.turn);
                let text = self.answer.piece(&delta.text);
                (!text.is_empty()).then(|| SessionUpdate::AgentMessageChunk(TextChunk::new(id, text)))
            }
        }
    }

    /// Takes in a piece of a running command's output.
    pub(crate) fn output(&mut self, call_id: &CallId, text: &str) -> Option<SessionUpdate> {
        if text.is_empty() {
            return None;
        }
        let tail = self.outputs.entry(call_id.clone()).or_insert(OutputTail { text: String::new(), shown_at: None });
        let mut update = ToolCallUpdate::of(call_id.as_str());
        if self.form == CommandOutputForm::Terminal {
            update.meta = Some(json!({"terminal_output": {"terminal_id": call_id, "data": text}}));
            return Some(SessionUpdate::ToolCallUpdate(update));
        }
        tail.text.push_str(text);
        let start = tail.text.ceil_char_boundary(tail.text.len().saturating_sub(MAX_TAIL_BYTES));
        tail.text.drain(..start);
        if tail.shown_at.is_some_and(|at| at.elapsed() < TAIL_INTERVAL) {
            return None;
        }
        tail.shown_at = Some(Instant::now());
        update.content = Some(vec![ToolCallContent::text(fenced("", &tail.text))]);
        Some(SessionUpdate::ToolCallUpdate(update))
    }
}
