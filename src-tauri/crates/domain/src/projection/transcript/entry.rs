//! A message of the conversation, and when it counted in which form.

use crate::{CallId, EventId, Message, late_part_id};
use std::sync::Arc;

/// A message, and when it counted. What is gone back on is kept: going back on that brings it back.
#[derive(Debug, Clone)]
pub(super) struct TranscriptEntry {
    /// The number of its event, with those of the origins before it: the same in a fork as in its origin.
    pub(super) place: u64,
    pub(super) kind: MessageKind,
    /// Its event, where a provider may refuse a part of it.
    pub(super) event_id: Option<EventId>,
    /// The message before parts of it were left out.
    pub(super) unrefused: Option<Arc<Message>>,
    /// The events of its calls, where it has any.
    pub(super) call_seqs: Vec<u64>,
    pub(super) whole: Arc<Message>,
    /// A hook blocks it: it never counts.
    pub(super) is_withheld: bool,
    /// The texts of `whole` were let go of.
    pub(super) is_let_go: bool,
    /// The message as shown now: perhaps without its last calls, or only its stand-in.
    pub(super) message: Arc<Message>,
    /// Oldest first; the last one is open while the message counts.
    spans: Vec<CountedSpan>,
}

/// The source of a message in the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A message of the user, the model or a tool.
    Said,
    /// The result of a call that went on in the background.
    LateResult,
    /// It stands for what a compaction left out.
    Summary,
    /// Context that came late, such as the rules of a folder: `context.added`. No compaction leaves it out.
    Added { part: String, origin: String },
}

/// A message of the conversation, whether the model is still shown it or not.
#[derive(Debug, Clone, Copy)]
pub struct ConversationMessage<'a> {
    /// The message's number in `context.compacted`: that of its event, with those of a fork's origins before it.
    pub place: u64,
    pub kind: &'a MessageKind,
    pub shown_as: ShownAs,
    pub whole: &'a Arc<Message>,
    /// The message as shown, if it is.
    pub message: &'a Arc<Message>,
}

impl ConversationMessage<'_> {
    /// The id by which it is switched off, where it is context that came late.
    #[must_use]
    pub fn late_part_id(&self) -> Option<String> {
        late_part_id_of(self.kind, self.place)
    }
}

fn late_part_id_of(kind: &MessageKind, place: u64) -> Option<String> {
    match kind {
        MessageKind::Added { part, origin } => late_part_id(part, origin, place),
        _ => None,
    }
}

/// The form in which a message is shown to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAs {
    Whole,
    /// A result of which only a note is left that says how to read it again.
    StandIn,
    /// A compaction left it out.
    LeftOut,
    /// The user switched it off.
    SwitchedOff,
}

impl ShownAs {
    /// Returns whether the model is shown anything of the message.
    #[must_use]
    pub fn is_shown(self) -> bool {
        matches!(self, Self::Whole | Self::StandIn)
    }
}

/// The time in which a message counts: from one event, inclusive, until another.
#[derive(Debug, Clone, Copy)]
struct CountedSpan {
    from: u64,
    until: Option<u64>,
    /// Calls of later events do not count.
    calls_until: u64,
    shown_as: ShownAs,
}

impl CountedSpan {
    fn since(from: u64) -> Self {
        Self { from, until: None, calls_until: u64::MAX, shown_as: ShownAs::Whole }
    }
}

impl TranscriptEntry {
    pub(super) fn new(place: u64, seq: u64, call_seqs: Vec<u64>, message: Message) -> Self {
        let message = Arc::new(message);
        let spans = vec![CountedSpan::since(seq)];
        let (kind, is_withheld) = (MessageKind::Said, false);
        let (event_id, unrefused, is_let_go, whole) = (None, None, false, message.clone());
        Self { place, kind, event_id, unrefused, call_seqs, whole, is_withheld, is_let_go, message, spans }
    }

    pub(super) fn of_kind(mut self, kind: MessageKind) -> Self {
        self.kind = kind;
        self
    }

    pub(super) fn of_event(mut self, event_id: Option<EventId>) -> Self {
        self.event_id = event_id;
        self
    }

    /// Returns the entry as a fork takes it over: nothing that the fork goes back on takes it away.
    pub(super) fn inherited(&self) -> Self {
        let now = self.spans.last().copied().unwrap_or(CountedSpan::since(0));
        Self {
            place: self.place,
            kind: self.kind.clone(),
            event_id: self.event_id.clone(),
            unrefused: self.unrefused.clone(),
            call_seqs: vec![0; self.call_seqs.len()],
            whole: self.with_calls_until(now.calls_until),
            is_withheld: false,
            is_let_go: self.is_let_go,
            message: self.message.clone(),
            spans: vec![CountedSpan { shown_as: now.shown_as, ..CountedSpan::since(0) }],
        }
    }

    pub(super) fn counts(&self) -> bool {
        !self.is_withheld && self.spans.last().is_some_and(|span| span.until.is_none())
    }

    /// Returns whether a compaction can still leave it out.
    pub(super) fn may_go(&self) -> bool {
        self.counts() && self.shown_as() != ShownAs::LeftOut
    }

    pub(super) fn is_shown(&self) -> bool {
        self.counts() && self.shown_as().is_shown()
    }

    /// The id by which it is switched off, where it is context that came late.
    pub(super) fn late_part_id(&self) -> Option<String> {
        late_part_id_of(&self.kind, self.place)
    }

    pub(super) fn as_conversation_message(&self) -> ConversationMessage<'_> {
        ConversationMessage {
            place: self.place,
            kind: &self.kind,
            shown_as: self.shown_as(),
            whole: &self.whole,
            message: &self.message,
        }
    }

    /// Changes how the message is shown, from the event `seq` on.
    pub(super) fn show_as(&mut self, seq: u64, shown_as: ShownAs) {
        if let Some(last) = self.spans.last_mut().filter(|last| last.until.is_none()) {
            last.until = Some(seq);
            let span = CountedSpan { from: seq, until: None, shown_as, ..*last };
            self.begin(span);
        }
    }

    pub(super) fn rewind(&mut self, seq: u64, to_seq: u64) {
        let covers = |span: &&CountedSpan| span.from <= to_seq && span.until.is_none_or(|until| until > to_seq);
        let then = self.spans.iter().find(covers).copied();
        if let Some(last) = self.spans.last_mut() {
            last.until.get_or_insert(seq);
        }
        let Some(then) = then else { return };
        self.begin(CountedSpan { from: seq, until: None, calls_until: then.calls_until.min(to_seq), ..then });
    }

    fn begin(&mut self, span: CountedSpan) {
        self.spans.push(span);
        self.show_anew();
    }

    /// Works out anew how it is shown.
    pub(super) fn show_anew(&mut self) {
        let Some(span) = self.spans.last() else { return };
        self.message = match span.shown_as {
            ShownAs::StandIn => standing_in(&self.whole),
            ShownAs::Whole | ShownAs::LeftOut | ShownAs::SwitchedOff => self.with_calls_until(span.calls_until),
        };
    }

    pub(super) fn shown_as(&self) -> ShownAs {
        self.spans.last().map_or(ShownAs::Whole, |span| span.shown_as)
    }

    fn with_calls_until(&self, seq: u64) -> Arc<Message> {
        let Message::ToolRequest { content, thoughts, calls, .. } = &*self.whole else { return self.whole.clone() };
        let kept = self.call_seqs.iter().take_while(|call| **call <= seq).count();
        if kept == calls.len() {
            return self.whole.clone();
        }
        let (content, thoughts) = (content.clone(), thoughts.clone());
        // It was signed together with all of its calls.
        let reasoning = None;
        Arc::new(match kept {
            0 => Message::Assistant { content, thoughts, reasoning },
            _ => Message::ToolRequest { content, thoughts, reasoning, calls: calls[..kept].to_vec() },
        })
    }
}

/// The tool by which the model reads a result again that a compaction took out.
pub const READ_RESULT_TOOL: &str = "read_result";

/// The note that stands in for such a result. It depends on nothing but the result, so that it is the same each time.
#[must_use]
pub fn stand_in(call_id: &CallId, content: &str) -> String {
    let (lines, bytes) = (content.lines().count(), content.len());
    format!(
        "[Taken out to save space: {lines} lines, {bytes} bytes. Read it again with `{READ_RESULT_TOOL}` and the \
         call_id {call_id:?}.]",
        call_id = call_id.as_str()
    )
}

fn standing_in(whole: &Arc<Message>) -> Arc<Message> {
    let Message::ToolResult { call_id, tool_id, content, is_error } = &**whole else { return whole.clone() };
    Arc::new(Message::ToolResult {
        call_id: call_id.clone(),
        tool_id: tool_id.clone(),
        content: stand_in(call_id, content),
        is_error: *is_error,
    })
}
