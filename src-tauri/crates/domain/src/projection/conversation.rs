//! The conversation of a session, folded from its events into items: the one fold that every client draws.
//!
//! An event starts, updates or completes one item or a few, which the changes name by their place; what stands there
//! then is the last word. The events may begin in the middle of a session: a result whose call is not held still has an
//! item. Whoever only writes down what changes lets go of the items afterwards, so that no session is in memory whole.

mod calls;
mod held;
mod in_turn;
mod item;
mod rewinds;
mod standing;
#[cfg(test)]
mod tests;

pub use item::*;
pub use rewinds::RewindHistory;
pub use standing::{ConversationStanding, PausedFor, RunStanding, WaitingRetry};

use super::Queue;
use crate::{
    ApprovalId, ApprovalRequested, CallId, ContextCompacted, Event, EventBody, FinishReason, OutputMessage,
    PlanProposed, QuestionId, QueueChanged, RestoreAction, RestoredFile, RunFailed, RunStarted, SessionRewound, Stage,
};
use held::HeldItems;
use std::collections::HashMap;

/// A change of one item by one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemChange {
    pub place: usize,
    pub step: ChangeStep,
    pub part: ItemPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStep {
    Started,
    Updated,
    Completed,
}

/// The part of an item that an event has added or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemPart {
    Whole,
    /// A call that began before what is held.
    Cut,
    Text,
    State,
    Decision,
    Approval,
    Answer,
    Question,
    QuestionAnswer,
    Subagent,
    File,
    Hook,
    Result,
    Placeholder,
    LateResult,
    /// Its run is over, or another has begun, and it has no result.
    Unanswered,
    TakenBack,
}

/// The items that an approval is told on.
#[derive(Debug, Default)]
struct AskedPlaces {
    places: Vec<usize>,
    /// The question where it's about several edits, each of which is told its part of the answer.
    group: Option<Box<ApprovalRequested>>,
}

/// A fold over a session's events, in order.
#[derive(Debug, Default)]
pub struct Conversation {
    held: HeldItems,
    standing: ConversationStanding,
    queue: Queue,
    rewinds: RewindHistory,
    approvals: HashMap<ApprovalId, AskedPlaces>,
    questions: HashMap<QuestionId, usize>,
    /// The calls of the run that have no result yet, in the order in which they are carried out.
    pending: Vec<CallId>,
}

impl Conversation {
    /// Takes in an event with its body and returns what it changed, in order.
    pub fn apply(&mut self, event: &Event, body: &EventBody) -> Vec<ItemChange> {
        if !self.apply_to_call(event, body) {
            self.apply_to_run(event, body);
        }
        self.set_turns();
        self.standing.go_on(body);
        self.queue.apply(body);
        std::mem::take(&mut self.held.changes)
    }

    /// The items that are held, in order.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = &ConversationItem> {
        self.held.by_place.values()
    }

    /// The items that are held with their places, in order.
    pub fn placed(&self) -> impl Iterator<Item = (usize, &ConversationItem)> {
        self.held.by_place.iter().map(|(place, item)| (*place, item))
    }

    #[must_use]
    pub fn item(&self, place: usize) -> Option<&ConversationItem> {
        self.held.by_place.get(&place)
    }

    /// How the conversation stands after the last event.
    #[must_use]
    pub fn standing(&self) -> &ConversationStanding {
        &self.standing
    }

    /// The calls of the run that have no result.
    pub fn unanswered(&self) -> impl Iterator<Item = &CallItem> {
        self.pending.iter().filter_map(|call_id| self.held.placed_call(call_id)).map(|(_, call)| call)
    }

    /// Lets go of what was drawn: all that is not a call, and of a completed call what it is long for. With the run the
    /// calls go too.
    pub fn let_go(&mut self, drawn: &[ItemChange]) {
        if self.standing.run == RunStanding::Ended {
            self.held.clear();
            self.approvals.clear();
            self.questions.clear();
        }
        self.held.let_go(drawn);
    }

    fn apply_to_run(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::RunStarted(started) => self.begin_run(event, started),
            EventBody::RunCompleted(done) => {
                self.end_run();
                self.held.add(event, ItemBody::RunEnded(RunEndedItem { turns: done.turns, usage: done.usage }));
            }
            EventBody::RunCancelled(_) => {
                self.end_run();
                self.held.notice(event, Notice::Stopped);
            }
            EventBody::RunFailed(failed) => self.fail_run(event, failed),
            EventBody::RunPaused(_) | EventBody::RunResumed(_) => {
                self.plan_waits(body);
                self.standing.apply(event, body);
                self.held.other(event, body.clone());
            }
            EventBody::EngineRequest(_) => self.standing.apply(event, body),
            EventBody::EngineResponse(response)
                if matches!(response.finish_reason, FinishReason::Length | FinishReason::ContentFilter) =>
            {
                self.held.other(event, body.clone());
            }
            EventBody::EngineRetry(retry) => {
                self.retry(event, Notice::Retried(retry.clone()));
                self.standing.apply(event, body);
            }
            EventBody::OutputMessage(message) => self.say(event, message),
            EventBody::PlanProposed(plan) => self.propose(event, plan),
            EventBody::QueueChanged(changed) => self.deliver(event, changed),
            _ => self.apply_to_session(event, body),
        }
    }

    fn apply_to_session(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::ContextDropped(dropped) => self.held.notice(event, Notice::LeftOut(dropped.clone())),
            EventBody::ContextCompacted(compacted) => self.compact(event, compacted),
            EventBody::SessionRewound(rewound) => self.rewind(event, rewound),
            EventBody::SessionForked(forked) => {
                let forked = ForkedItem { from_session: forked.from_session.clone(), from_seq: forked.from_seq };
                self.held.add(event, ItemBody::Forked(forked));
            }
            EventBody::ChangeTakenBack(taken_back) => {
                let paths = written(&taken_back.changes).map(|file| file.path.clone()).collect();
                self.held.notice(event, Notice::Reverted(RevertedChange { paths, taken_back: taken_back.clone() }));
            }
            EventBody::SandboxCleanedUp(cleaned) => self.held.notice(event, Notice::CleanedUp(cleaned.clone())),
            EventBody::TrustChanged(_)
            | EventBody::ContextAdded(_)
            | EventBody::PlanUpdated(_)
            | EventBody::ArtifactEmitted(_)
            | EventBody::StepStarted(_)
            | EventBody::StepCompleted(_)
            | EventBody::StepFailed(_)
            | EventBody::StepSkipped(_) => self.held.other(event, body.clone()),
            _ => {}
        }
    }

    fn begin_run(&mut self, event: &Event, started: &RunStarted) {
        self.leave_unanswered();
        self.held.add_as(
            format!("{} run", event.event_id),
            event,
            ItemBody::RunBegan(RunBeganItem { model: started.model.clone() }),
        );
        let said = UserItem {
            text: started.prompt.clone(),
            steered: false,
            is_task: started.parent.is_some(),
            pictures: started.options.images.clone(),
        };
        self.held.add(event, ItemBody::User(said));
        self.standing.begin_run(started);
    }

    fn end_run(&mut self) {
        self.leave_unanswered();
        for place in self.held.open.clone() {
            self.held.patch(place, ItemPart::State, |call| call.state = CallState::Interrupted);
        }
        self.standing.end_run();
    }

    fn fail_run(&mut self, event: &Event, failed: &RunFailed) {
        self.end_run();
        let failure = FailureItem {
            code: failed.code.clone(),
            message: failed.message.clone(),
            hint: failed.hint.clone(),
            retryable: failed.retryable,
            provider: self.standing.provider.clone(),
        };
        self.held.add(event, ItemBody::Failure(failure));
    }

    /// Attempts in a row are one line: the last of them.
    fn retry(&mut self, event: &Event, retry: Notice) {
        match self.held.last_shown() {
            Some((place, ConversationItem { body: ItemBody::Notice(NoticeItem { notice }), .. }))
                if matches!(notice, Notice::Retried(_)) =>
            {
                *notice = retry;
                self.held.update(place, ItemPart::Whole);
            }
            _ => self.held.notice(event, retry),
        }
    }

    /// A message that was sent again is left out: the answer that takes its place follows, and a notice says why.
    fn say(&mut self, event: &Event, message: &OutputMessage) {
        if message.retried {
            return;
        }
        let said = AssistantItem {
            run_id: event.run_id.clone(),
            turn: message.turn,
            text: message.content.clone(),
            thoughts: message.thoughts.clone().unwrap_or_default(),
            interrupted: message.interrupted,
        };
        self.held.add(event, ItemBody::Assistant(said));
    }

    /// The plan is told in words, in the place of the text that it was read from.
    fn propose(&mut self, event: &Event, plan: &PlanProposed) {
        self.clear_text(event, |_, _| true);
        self.held.notice(event, Notice::Planned(plan.clone()));
    }

    /// Calls that a core read off the model's text are shown as calls, not as that text too.
    fn clear_call_text(&mut self, event: &Event) {
        if self.standing.stage.is_some() {
            self.clear_text(event, |text, stage| stage == Some(Stage::Execute) || is_only_calls(text));
        }
    }

    /// Takes the text of this turn away, if it is to be; the thoughts stay.
    fn clear_text(&mut self, event: &Event, is_shown_otherwise: impl Fn(&str, Option<Stage>) -> bool) {
        let (turn, stage) = (self.standing.turn, self.standing.stage);
        if let Some((place, ConversationItem { body: ItemBody::Assistant(said), .. })) = self.held.last_shown()
            && said.run_id == event.run_id
            && said.turn == turn
            && is_shown_otherwise(&said.text, stage)
        {
            said.text.clear();
            said.interrupted &= !said.thoughts.is_empty();
            self.held.update(place, ItemPart::Text);
        }
    }

    /// Shows what the model was told as said.
    fn deliver(&mut self, event: &Event, changed: &QueueChanged) {
        for message_id in &changed.delivered {
            match self.queue.get(message_id).map(|message| message.text.clone()) {
                None => self.held.notice(event, Notice::UnknownWords),
                Some(text) => {
                    let said = UserItem { text, steered: true, is_task: false, pictures: Vec::new() };
                    self.held.add_as(format!("{} {message_id}", event.event_id), event, ItemBody::User(said));
                }
            }
        }
    }

    fn compact(&mut self, event: &Event, compacted: &ContextCompacted) {
        let item = CompactedItem {
            strategy: compacted.strategy,
            tokens_before: compacted.tokens_before,
            tokens_after: compacted.tokens_after,
            summary: compacted.summary.clone(),
            results: compacted.pruned_calls.len(),
        };
        self.held.add(event, ItemBody::Compacted(item));
    }

    fn rewind(&mut self, event: &Event, rewound: &SessionRewound) {
        self.rewinds.add(event.seq, rewound);
        let messages = if rewound.conversation { self.take_back() } else { 0 };
        let item = RewoundItem {
            to_seq: rewound.to_seq,
            files: rewound.files,
            conversation: rewound.conversation,
            messages,
            restored: written(&rewound.changes).count(),
            changes: rewound.changes.clone(),
        };
        self.held.add(event, ItemBody::Rewound(item));
    }

    /// Marks what no longer counts, and what counts again; returns how many messages went.
    fn take_back(&mut self) -> usize {
        let mut messages = 0;
        for (place, item) in &mut self.held.by_place {
            let taken_back = self.rewinds.takes_back(item.seq);
            if taken_back == item.taken_back {
                continue;
            }
            item.taken_back = taken_back;
            let is_message = matches!(item.body, ItemBody::User(_) | ItemBody::Assistant(_)) && item.is_shown();
            messages += usize::from(taken_back && is_message);
            let change = ItemChange { place: *place, step: ChangeStep::Updated, part: ItemPart::TakenBack };
            self.held.changes.push(change);
        }
        let prompt = self.held.by_place.values().rev().find_map(|item| match &item.body {
            ItemBody::User(said) if !item.taken_back => Some(said.text.clone()),
            _ => None,
        });
        self.standing.end_run();
        self.standing.last_prompt = prompt;
        self.pending.clear();
        messages
    }
}

/// The files that were written or deleted.
fn written(changes: &[RestoredFile]) -> impl Iterator<Item = &RestoredFile> {
    changes.iter().filter(|file| matches!(file.action, RestoreAction::Restore | RestoreAction::Delete))
}

/// Returns whether a text looks as if it were calls alone, as JSON, perhaps in a block of code.
fn is_only_calls(text: &str) -> bool {
    let text = text.trim();
    ["{", "```", "<think"].iter().any(|begin| text.starts_with(begin))
        && ["}", "```"].iter().any(|end| text.ends_with(end))
}
