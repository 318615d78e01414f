//! The conversation as the blocks of a document, the same for every format.
//!
//! What is ours to say is [`Span::Words`]; everything that a person, a model or a file said is kept apart from it, so
//! that a format can only put it where it stays text.

mod approval;
mod note;
mod totals;

pub(super) use totals::Totals;

use super::{Stop, each_event};
use crate::session_reader::lineage::{EventSource, Stretch};
use crate::session_reader::story::{Story, Told, UnansweredCall, arguments_without_text};
use crate::visible::one_line;
use arki_domain::projection::AgentState;
use arki_domain::{
    ApprovalRequested, Decision, Error, EventBody, FileChanged, OutputMessage, PolicyDecided, ToolResult,
};
use serde_json::Value;
use std::borrow::Cow;
use std::io;

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
pub(super) enum SentencePiece {
    Words(Cow<'static, str>),
    /// A name or other short text that is not ours.
    Quoted(String),
    /// A sentence that may quote what is not ours.
    Text(String),
}

pub(super) type BlockLine = Vec<SentencePiece>;

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
        line: BlockLine,
    },
    Command(String),
    /// A unified diff, or what a model wrote in place of one.
    Diff(String),
    /// Text that takes the place of other text.
    Replacement(String),
    Result {
        line: BlockLine,
        text: String,
        is_error: bool,
    },
}

pub(super) fn words(words: impl Into<Cow<'static, str>>) -> SentencePiece {
    SentencePiece::Words(words.into())
}

pub(super) fn quoted(text: impl AsRef<str>) -> SentencePiece {
    SentencePiece::Quoted(one_line(text.as_ref()))
}

fn text(text: impl AsRef<str>) -> SentencePiece {
    SentencePiece::Text(one_line(text.as_ref()))
}

/// The tool whose result is the user's answer.
const ASKING_TOOL: &str = "ask_user";

/// Hands over the document's blocks, and at last what it all amounts to.
pub(super) fn each_block(
    source: &dyn EventSource,
    stretches: &[Stretch],
    mut take: impl FnMut(&Block) -> io::Result<()>,
) -> Result<Totals, Stop> {
    let (mut story, mut document) = (Story::default(), ExportedDocument::default());
    each_event(source, stretches, |event| {
        let mut told = story.apply(event);
        with_large_diff(source, &mut told.body)?;
        document.apply(told);
        Ok(document.blocks.drain(..).try_for_each(|block| take(&block))?)
    })?;
    document.end(story.unanswered());
    document.end_state();
    document.blocks.iter().try_for_each(take)?;
    Ok(document.totals)
}

/// Adds, for people, the diff that is stored beside the log.
fn with_large_diff(source: &dyn EventSource, body: &mut EventBody) -> Result<(), Error> {
    if let EventBody::ApprovalRequested(ApprovalRequested { preview: Some(preview), .. }) = body
        && let Some(hash) = &preview.diff_hash
        && let Some(diff) = source.large_diff(hash)?
    {
        preview.diff = diff;
    }
    Ok(())
}

#[derive(Debug, Default)]
struct ExportedDocument {
    totals: Totals,
    agent_state: AgentState,
    blocks: Vec<Block>,
}

impl ExportedDocument {
    fn apply(&mut self, told: Told) {
        self.totals.count(&told.body);
        self.agent_state.apply(&told.body);
        self.end(told.unanswered);
        self.blocks.extend(told.delivered.into_iter().map(|text| Block::Said { by: Speaker::User, text }));
        let diff = told.diff.map(Block::Diff);
        match told.body {
            EventBody::RunStarted(started) => self.blocks.extend([
                Block::Run { number: self.totals.runs, at: told.at, model: started.model },
                Block::Said { by: Speaker::User, text: started.prompt },
            ]),
            // The answer that takes its place follows.
            EventBody::OutputMessage(message) if message.retried => {}
            EventBody::OutputMessage(message) => self.say(message),
            EventBody::ToolCall(call) => {
                let tool = one_line(&call.tool_id);
                self.blocks.push(Block::Call { tool, arguments: arguments_without_text(&call) });
            }
            EventBody::PolicyDecided(decided) => {
                told.decided_tool.into_iter().for_each(|tool| self.decide(&decided, &tool));
                self.blocks.extend(diff);
            }
            EventBody::ApprovalRequested(requested) => self.blocks.extend(approval::asked(requested)),
            EventBody::ApprovalResolved(resolved) => self.blocks.extend(approval::answered(resolved)),
            EventBody::FileChanged(changed) => self.change(&changed),
            EventBody::ToolResult(result) => {
                self.blocks.extend(diff);
                self.answer(result);
            }
            EventBody::RunCompleted(done) => {
                self.state(Tone::Good, [words(totals::run_words(done.turns, done.usage))]);
            }
            EventBody::RunFailed(failed) => {
                self.state(
                    Tone::Bad,
                    [words("Failed with "), quoted(&failed.code), words(": "), text(&failed.message)],
                );
            }
            EventBody::RunCancelled(_) => self.state(Tone::Attention, [words("Stopped by the user.")]),
            body => self.blocks.extend(note::note(body)),
        }
    }

    fn state(&mut self, tone: Tone, line: impl Into<BlockLine>) {
        self.blocks.push(Block::Statement { tone, line: line.into() });
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

    fn decide(&mut self, decided: &PolicyDecided, tool: &str) {
        let line = |verb| vec![quoted(tool), words(verb), quoted(&decided.rule)];
        match decided.decision {
            Decision::Deny => {
                let line = [line(" was denied by the rule "), vec![words(": "), text(&decided.reason)]].concat();
                self.state(Tone::Bad, line);
            }
            // What an approval permitted is told where it was given.
            Decision::Allow if !decided.rule.starts_with("approval:") => {
                self.state(Tone::Plain, [line(" was allowed by the rule "), vec![words(".")]].concat());
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

    fn answer(&mut self, result: ToolResult) {
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

    fn end(&mut self, unanswered: Vec<UnansweredCall>) {
        for UnansweredCall { tool, diff } in unanswered {
            self.blocks.extend(diff.map(Block::Diff));
            self.state(Tone::Attention, [quoted(tool), words(" has no result.")]);
        }
    }

    /// Adds the session's state, if there is any.
    fn end_state(&mut self) {
        let values = self.agent_state.values();
        if !values.is_empty() {
            let text = format!("{:#}", Value::from(values.clone()));
            let line = vec![words("The session's state at the end, as JSON")];
            self.blocks.push(Block::Result { line, text, is_error: false });
        }
    }
}
