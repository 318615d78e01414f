//! The conversation as the blocks of a document, the same for every format.
//!
//! What is ours to say is [`Span::Words`]; everything that a person, a model or a file said is kept apart from it, so
//! that a format can only put it where it stays text.

mod call;
mod note;
mod totals;

pub(crate) use totals::Totals;

use crate::lineage::{EventSource, Stretch};
use crate::writing::{Stop, each_event};
use arki_domain::projection::{
    AgentState, AssistantItem, Conversation, ConversationItem, ItemBody, ItemPart, UserItem,
};
use arki_domain::visible::one_line;
use arki_domain::{ApprovalRequested, Error, EventBody};
use serde_json::Value;
use std::borrow::Cow;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Model,
    /// The model, to itself.
    Thoughts,
    /// The user, to the model, about a decision.
    Note,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Good,
    Bad,
    Attention,
}

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SentencePiece {
    Words(Cow<'static, str>),
    /// A name or other short text that is not ours.
    Quoted(String),
    /// A sentence that may quote what is not ours.
    Text(String),
}

pub(crate) type BlockLine = Vec<SentencePiece>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Block {
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

pub(crate) fn words(words: impl Into<Cow<'static, str>>) -> SentencePiece {
    SentencePiece::Words(words.into())
}

pub(crate) fn quoted(text: impl AsRef<str>) -> SentencePiece {
    SentencePiece::Quoted(one_line(text.as_ref()))
}

fn text(text: impl AsRef<str>) -> SentencePiece {
    SentencePiece::Text(one_line(text.as_ref()))
}

/// Hands over the document's blocks, and at last what it all amounts to.
pub(crate) fn each_block(
    source: &dyn EventSource,
    stretches: &[Stretch],
    mut take: impl FnMut(&Block) -> io::Result<()>,
) -> Result<Totals, Stop> {
    let (mut conversation, mut document) = (Conversation::default(), ExportedDocument::default());
    each_event(source, stretches, |event| {
        let mut body = event.body();
        with_large_diff(source, &mut body)?;
        document.count(&body);
        let changes = conversation.apply(event, &body);
        for change in &changes {
            conversation.item(change.place).into_iter().for_each(|item| document.draw(item, change.part));
        }
        conversation.let_go(&changes);
        Ok(document.blocks.drain(..).try_for_each(|block| take(&block))?)
    })?;
    conversation.unanswered().for_each(|call| document.blocks.extend(call::unanswered(call)));
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
    fn count(&mut self, body: &EventBody) {
        self.totals.count(body);
        self.agent_state.apply(body);
    }

    /// Adds what is new in an item.
    fn draw(&mut self, item: &ConversationItem, part: ItemPart) {
        match &item.body {
            ItemBody::Call(call) => self.blocks.extend(call::part(call, part)),
            ItemBody::Approval(asked) => self.blocks.extend(call::approval(asked, part)),
            _ if part != ItemPart::Whole => {}
            ItemBody::RunBegan(run) => {
                self.blocks.push(Block::Run { number: self.totals.runs, at: item.ts, model: run.model.clone() });
            }
            ItemBody::User(UserItem { text, .. }) => {
                self.blocks.push(Block::Said { by: Speaker::User, text: text.clone() });
            }
            ItemBody::Assistant(said) => self.say(said),
            ItemBody::RunEnded(ended) => {
                self.blocks.push(statement(Tone::Good, [words(totals::run_words(ended.turns, ended.usage))]));
            }
            ItemBody::Failure(failure) => {
                let line = [words("Failed with "), quoted(&failure.code), words(": "), text(&failure.message)];
                self.blocks.push(statement(Tone::Bad, line));
            }
            body => self.blocks.extend(note::note(body)),
        }
    }

    fn say(&mut self, said: &AssistantItem) {
        let texts = [(Speaker::Thoughts, &said.thoughts), (Speaker::Model, &said.text)];
        let texts = texts.into_iter().filter(|(_, text)| !text.trim().is_empty());
        self.blocks.extend(texts.map(|(by, text)| Block::Said { by, text: text.clone() }));
        if said.interrupted {
            self.blocks.push(statement(Tone::Attention, [words("The answer was cut off here.")]));
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

fn statement(tone: Tone, line: impl Into<BlockLine>) -> Block {
    Block::Statement { tone, line: line.into() }
}
