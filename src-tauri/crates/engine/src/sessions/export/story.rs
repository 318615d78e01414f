//! The log as people read it: a fold from events to the blocks of a document, the same for every format.
//!
//! What is ours to say is [`Span::Words`]; everything that a person, a model or a file said is kept apart from it, so
//! that a format can only put it where it stays text.

mod approval;
mod change;
mod note;
mod totals;

pub(super) use totals::Totals;

use crate::visible::one_line;
use approval::asked;
use arki_domain::projection::Queue;
use arki_domain::{
    CallId, Category, Decision, Event, EventBody, FileChanged, OutputMessage, PolicyDecided, QueueChanged,
    RunCompleted, RunFailed, RunStarted, ToolCall, ToolResult,
};
use change::arguments_without_text;
pub use change::proposed_diff;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Model,
    /// The model, to itself.
    Thoughts,
    /// The user, to the model, about a decision.
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Good,
    Bad,
    Attention,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Span {
    Words(Cow<'static, str>),
    /// A name or other short text that is not ours.
    Quoted(String),
    /// A sentence that may quote what is not ours.
    Text(String),
}

pub(super) type Line = Vec<Span>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Begins a part of the document.
    Run {
        number: usize,
        at: i64,
        model: String,
    },
    Said {
        by: Speaker,
        text: String,
    },
    Call {
        tool: String,
        arguments: String,
    },
    Statement {
        tone: Tone,
        line: Line,
    },
    Command(String),
    /// A unified diff, or what a model wrote in place of one.
    Diff(String),
    /// Text that takes the place of other text.
    Replacement(String),
    Result {
        line: Line,
        text: String,
        is_error: bool,
    },
}

pub(super) fn words(words: impl Into<Cow<'static, str>>) -> Span {
    Span::Words(words.into())
}

pub(super) fn quoted(text: impl AsRef<str>) -> Span {
    Span::Quoted(one_line(text.as_ref()))
}

fn text(text: impl AsRef<str>) -> Span {
    Span::Text(one_line(text.as_ref()))
}

/// Folds a session's events, oldest first.
#[derive(Debug, Default)]
pub(super) struct Story {
    totals: Totals,
    /// Calls without a result, in the model's order.
    calls: Vec<OpenCall>,
    queue: Queue,
    blocks: Vec<Block>,
}

/// The tool whose result is the user's answer.
const ASKING_TOOL: &str = "ask_user";

#[derive(Debug)]
struct OpenCall {
    call: ToolCall,
    is_diff_shown: bool,
}

impl Story {
    /// What this event adds to the document.
    pub(super) fn apply(&mut self, event: &Event) -> Vec<Block> {
        let body = event.body();
        self.totals.count(&body);
        if let EventBody::QueueChanged(changed) = &body {
            self.deliver(changed);
        }
        self.queue.apply(&body);
        match body {
            EventBody::RunStarted(started) => self.begin_run(event.ts, started),
            EventBody::OutputMessage(message) => self.say(message),
            EventBody::ToolCall(call) => self.open_call(call),
            EventBody::PolicyDecided(decided) => self.decide(&decided),
            EventBody::ApprovalRequested(requested) => {
                self.diff_was_shown(&requested.call_id);
                self.blocks.extend(asked(requested));
            }
            EventBody::ApprovalResolved(resolved) => self.blocks.extend(approval::answered(resolved)),
            EventBody::FileChanged(changed) => self.change(&changed),
            EventBody::ToolResult(result) => self.close_call(result),
            EventBody::RunCompleted(completed) => self.complete(&completed),
            EventBody::RunFailed(failed) => self.fail(&failed),
            EventBody::RunCancelled(_) => self.cancel(),
            body => self.blocks.extend(note::note(body)),
        }
        std::mem::take(&mut self.blocks)
    }

    /// What was begun and never ended, and what it all amounts to.
    pub(super) fn finish(mut self) -> (Vec<Block>, Totals) {
        self.close_all();
        (self.blocks, self.totals)
    }

    fn state(&mut self, tone: Tone, line: impl Into<Line>) {
        self.blocks.push(Block::Statement { tone, line: line.into() });
    }

    fn begin_run(&mut self, at: i64, started: RunStarted) {
        self.close_all();
        self.blocks.push(Block::Run { number: self.totals.runs, at, model: started.model });
        self.blocks.push(Block::Said { by: Speaker::User, text: started.prompt });
    }

    fn say(&mut self, message: OutputMessage) {
        let thoughts = message.thoughts.filter(|thoughts| !thoughts.trim().is_empty());
        self.blocks.extend(thoughts.map(|text| Block::Said { by: Speaker::Thoughts, text }));
        if !message.content.trim().is_empty() {
            self.blocks.push(Block::Said { by: Speaker::Model, text: message.content });
        }
        if message.interrupted {
            self.state(Tone::Attention, [words("The answer was cut off here.")]);
        }
    }

    fn open_call(&mut self, call: ToolCall) {
        let tool = one_line(&call.tool_id);
        self.blocks.push(Block::Call { tool, arguments: arguments_without_text(&call) });
        self.calls.push(OpenCall { call, is_diff_shown: false });
    }

    fn decide(&mut self, decided: &PolicyDecided) {
        let Some(open) = self.calls.iter().find(|open| open.call.call_id == decided.call_id) else { return };
        let tool = quoted(&open.call.tool_id);
        let is_read = open.call.category == Some(Category::Read);
        match decided.decision {
            Decision::Deny => self.state(
                Tone::Bad,
                [tool, words(" was denied by the rule "), quoted(&decided.rule), words(": "), text(&decided.reason)],
            ),
            // Reading needs no permission, and what an approval permitted is told where it was given.
            Decision::Allow if !is_read && !decided.rule.starts_with("approval:") => {
                self.state(Tone::Plain, [tool, words(" was allowed by the rule "), quoted(&decided.rule), words(".")]);
                self.show_diff(&decided.call_id);
            }
            Decision::Allow | Decision::Approval | Decision::Preview => {}
        }
    }

    fn change(&mut self, changed: &FileChanged) {
        let what = match (&changed.before_hash, &changed.after_hash) {
            (None, _) => " was created.",
            (_, None) => " was deleted.",
            (Some(_), Some(_)) => " was changed.",
        };
        self.state(Tone::Good, [quoted(&changed.path), words(what)]);
    }

    fn close_call(&mut self, result: ToolResult) {
        self.show_diff(&result.call_id);
        self.calls.retain(|open| open.call.call_id != result.call_id);
        if result.tool_id == ASKING_TOOL && !result.is_error {
            // The user's answer was told when it was given.
            return;
        }
        let mut line = vec![quoted(&result.tool_id), words(if result.is_error { " failed" } else { " answered" })];
        if let Some(code) = &result.code {
            line.extend([words(" with "), quoted(code)]);
        }
        let cut = if result.truncated { ", cut to its limit when it was made" } else { "" };
        line.push(words(format!(" after {} ms{cut}", result.duration_ms)));
        self.blocks.push(Block::Result { line, text: result.result, is_error: result.is_error });
    }

    /// Shows what the call would write, unless a preview showed it.
    fn show_diff(&mut self, call_id: &CallId) {
        let open = self.calls.iter_mut().find(|open| open.call.call_id == *call_id && !open.is_diff_shown);
        if let Some(open) = open {
            open.is_diff_shown = true;
            self.blocks.extend(proposed_diff(&open.call).map(Block::Diff));
        }
    }

    fn diff_was_shown(&mut self, call_id: &CallId) {
        let found = self.calls.iter_mut().filter(|open| open.call.call_id == *call_id);
        found.for_each(|open| open.is_diff_shown = true);
    }

    fn close_all(&mut self) {
        for open in std::mem::take(&mut self.calls) {
            if !open.is_diff_shown {
                self.blocks.extend(proposed_diff(&open.call).map(Block::Diff));
            }
            self.state(Tone::Attention, [quoted(&open.call.tool_id), words(" has no result.")]);
        }
    }

    fn complete(&mut self, completed: &RunCompleted) {
        self.close_all();
        self.state(Tone::Good, [words(totals::run_words(completed.turns, completed.usage))]);
    }

    fn fail(&mut self, failed: &RunFailed) {
        self.close_all();
        self.state(Tone::Bad, [words("Failed with "), quoted(&failed.code), words(": "), text(&failed.message)]);
    }

    fn cancel(&mut self) {
        self.close_all();
        self.state(Tone::Attention, [words("Stopped by the user.")]);
    }

    /// A message that waited is told when the model is; one that becomes a run's prompt is told as that.
    fn deliver(&mut self, changed: &QueueChanged) {
        let told = changed.delivered.iter().filter_map(|id| self.queue.get(id));
        self.blocks.extend(told.map(|message| Block::Said { by: Speaker::User, text: message.text.clone() }));
    }
}
