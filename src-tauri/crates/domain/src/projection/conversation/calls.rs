//! A call's item: what the events of its life make of it.

use super::{
    AskedApproval, AskedPlaces, CallItem, CallQuestion, CallState, CallSubagent, ChangeStep, Conversation, HookItem,
    ItemBody, ItemChange, ItemPart,
};
use crate::{
    ApprovalDecision, ApprovalRequested, ApprovalResolved, CallId, CommandEnded, Decision, Event, EventBody,
    FileChanged, HookRan, PauseReason, PolicyDecided, QuestionAnswered, QuestionAsked, SubagentStarted,
    ToolAsyncResult, ToolCall, ToolResult, UNTRUSTED_RULE,
};
use serde_json::{Value, json};

/// The tool of a call that is not held, where nothing tells it.
const UNKNOWN_TOOL: &str = "tool";

impl Conversation {
    /// Takes in what is about one call; returns whether it is.
    pub(super) fn apply_to_call(&mut self, event: &Event, body: &EventBody) -> bool {
        match body {
            EventBody::ToolCall(call) => self.call(event, call),
            EventBody::PolicyDecided(decided) => self.decide(decided),
            EventBody::SubagentStarted(started) => self.hand_over(event, started),
            EventBody::ApprovalRequested(requested) => self.ask_approval(event, requested),
            EventBody::ApprovalResolved(resolved) => self.resolve(event, resolved),
            EventBody::QuestionAsked(asked) => self.ask(event, asked),
            EventBody::QuestionAnswered(answered) => self.answer(event, answered),
            EventBody::FileChanged(changed) => self.change_file(event, changed),
            EventBody::HookRan(ran) => self.run_hook(event, ran),
            EventBody::CommandEnded(ended) => self.end_command(event, ended),
            EventBody::ToolResult(result) => self.end_call(event, result),
            EventBody::ToolAsyncResult(result) => self.end_late(event, result),
            _ => return false,
        }
        true
    }

    /// No result comes any more for the calls that wait for theirs.
    pub(super) fn leave_unanswered(&mut self) {
        for call_id in std::mem::take(&mut self.pending) {
            if let Some((place, _)) = self.held.placed_call(&call_id) {
                self.held.update(place, ItemPart::Unanswered);
            }
        }
    }

    /// The calls of a plan wait for the user together with it.
    pub(super) fn plan_waits(&mut self, body: &EventBody) {
        let (waits, to) = match body {
            EventBody::RunPaused(paused) if paused.reason == PauseReason::Plan => (false, CallState::Waiting),
            EventBody::RunResumed(resumed) if resumed.reason == PauseReason::Plan => (true, CallState::Running),
            _ => return,
        };
        for place in self.held.open.clone() {
            let Some(call) = self.held.by_place.get(&place).and_then(|item| item.call()) else { continue };
            let is_of_plan = call.approval_id.is_none() && call.question.is_none();
            if is_of_plan && (call.state == CallState::Waiting) == waits {
                self.held.patch(place, ItemPart::State, |call| call.state = to);
            }
        }
    }

    fn call(&mut self, event: &Event, call: &ToolCall) {
        self.clear_call_text(event);
        let item = CallItem::new(event.run_id.clone(), call.call_id.clone(), &call.tool_id, call.args.clone());
        self.add_call(event, CallItem { category: call.category, ..item }, ItemPart::Whole);
    }

    fn add_call(&mut self, event: &Event, call: CallItem, part: ItemPart) -> usize {
        self.pending.push(call.call_id.clone());
        self.held.add_call(event, call, part)
    }

    /// The place of a call. One that lies before what is held gets an item all the same.
    fn place_of(&mut self, event: &Event, call_id: &CallId, tool_id: &str, args: &Value) -> usize {
        match self.held.placed_call(call_id) {
            Some((place, _)) => place,
            None => {
                let call = CallItem::new(event.run_id.clone(), call_id.clone(), tool_id, args.clone());
                self.add_call(event, call, ItemPart::Cut)
            }
        }
    }

    fn decide(&mut self, decided: &PolicyDecided) {
        let Some((place, _)) = self.held.placed_call(&decided.call_id) else { return };
        self.held.patch(place, ItemPart::Decision, |call| {
            let reason = if decided.reason.is_empty() { &decided.rule } else { &decided.reason };
            call.reason.clone_from(reason);
            call.sentences.clone_from(&decided.sentences);
            if decided.decision == Decision::Deny {
                call.state = CallState::Denied;
                call.lacks_trust = decided.rule == UNTRUSTED_RULE;
            }
            call.decisions.push(decided.clone());
        });
    }

    fn hand_over(&mut self, event: &Event, started: &SubagentStarted) {
        let place = self.place_of(event, &started.call_id, UNKNOWN_TOOL, &json!({}));
        let subagent = CallSubagent { agent: started.agent.clone(), session_id: started.session_id.clone() };
        self.held.patch(place, ItemPart::Subagent, |call| call.subagent = Some(subagent));
    }

    fn ask_approval(&mut self, event: &Event, requested: &ApprovalRequested) {
        let mut places: Vec<usize> = Vec::new();
        for call_id in requested.waiting_calls() {
            let asked = AskedApproval::new(requested.part(call_id));
            let place = self.place_of(event, call_id, &requested.tool_id, &requested.args);
            self.held.patch(place, ItemPart::Approval, |call| {
                call.state = CallState::Waiting;
                call.approval_id = Some(requested.approval_id.clone());
                call.approval = Some(asked);
                if !requested.reason.is_empty() {
                    call.reason.clone_from(&requested.reason);
                    call.sentences.clone_from(&requested.sentences);
                }
            });
            places.push(place);
        }
        if requested.call_id.is_none() {
            let asked = AskedApproval::new(requested.clone());
            places.push(self.held.add(event, ItemBody::Approval(Box::new(asked))));
        }
        let group = (!requested.calls.is_empty()).then(|| Box::new(requested.clone()));
        self.approvals.insert(requested.approval_id.clone(), AskedPlaces { places, group });
    }

    fn resolve(&mut self, event: &Event, resolved: &ApprovalResolved) {
        let AskedPlaces { places, group } = self.approvals.remove(&resolved.approval_id).unwrap_or_default();
        let mut is_told = false;
        for place in places {
            match self.held.by_place.get_mut(&place).map(|item| &mut item.body) {
                Some(ItemBody::Call(call)) if call.approval_id.as_ref() == Some(&resolved.approval_id) => {
                    let own =
                        group.as_ref().map_or_else(|| resolved.clone(), |asked| resolved.part(asked, &call.call_id));
                    let state = match own.decision {
                        ApprovalDecision::Reject => CallState::Rejected,
                        ApprovalDecision::Approve => CallState::Running,
                    };
                    self.held.patch(place, ItemPart::Answer, |call| {
                        call.state = state;
                        if let Some(asked) = &mut call.approval {
                            asked.resolve(own);
                        }
                    });
                }
                Some(ItemBody::Approval(asked)) => {
                    asked.resolve(resolved.clone());
                    self.held.changes.push(ItemChange { place, step: ChangeStep::Completed, part: ItemPart::Answer });
                }
                _ => continue,
            }
            is_told = true;
        }
        if !is_told {
            self.held.other(event, resolved.clone());
        }
    }

    fn ask(&mut self, event: &Event, asked: &QuestionAsked) {
        let place = self.place_of(event, &asked.call_id, UNKNOWN_TOOL, &json!({}));
        let question = CallQuestion {
            question_id: asked.question_id.clone(),
            text: asked.text.clone(),
            options: asked.options.clone(),
            answer: None,
        };
        self.questions.insert(asked.question_id.clone(), place);
        self.held.patch(place, ItemPart::Question, |call| {
            (call.state, call.question) = (CallState::Waiting, Some(question));
        });
    }

    fn answer(&mut self, event: &Event, answered: &QuestionAnswered) {
        let Some(place) = self.questions.remove(&answered.question_id) else {
            return self.held.other(event, answered.clone());
        };
        self.held.patch(place, ItemPart::QuestionAnswer, |call| {
            call.state = CallState::Running;
            call.question.iter_mut().for_each(|question| question.answer = Some(answered.text.clone()));
        });
    }

    fn change_file(&mut self, event: &Event, changed: &FileChanged) {
        let Some((place, _)) = self.held.placed_call(&changed.call_id) else {
            return self.held.other(event, changed.clone());
        };
        self.held.patch(place, ItemPart::File, |call| {
            call.files.push(changed.path.clone());
            call.changes.push(changed.clone());
        });
    }

    /// Told on the item of its call; where there is none, in one of its own.
    fn run_hook(&mut self, event: &Event, ran: &HookRan) {
        let place = ran.call_id.as_ref().and_then(|call_id| self.held.placed_call(call_id)).map(|(place, _)| place);
        match place {
            Some(place) if ran.is_told_of_call() => {
                self.held.patch(place, ItemPart::Hook, |call| call.hooks.push(ran.clone()));
            }
            None if ran.call_id.is_none() && ran.is_told_alone() => {
                self.held.add(event, ItemBody::Hook(Box::new(HookItem { ran: ran.clone() })));
            }
            _ => self.held.other(event, ran.clone()),
        }
    }

    /// Its output is there to be read while its changes are decided on.
    fn end_command(&mut self, event: &Event, ended: &CommandEnded) {
        let CommandEnded { call_id, result, .. } = ended;
        let place = self.place_of(event, call_id, &result.tool_id, &json!({}));
        self.held.patch(place, ItemPart::Placeholder, |call| {
            call.result = Some(result.result.clone());
            call.styles.clone_from(&result.styles);
        });
    }

    fn end_call(&mut self, event: &Event, result: &ToolResult) {
        let place = self.place_of(event, &result.call_id, &result.tool_id, &json!({}));
        self.pending.retain(|call_id| *call_id != result.call_id);
        let is_handed_over = self.held.placed_call(&result.call_id).is_some_and(|(_, call)| call.subagent.is_some());
        // The sub-agent works on in the background.
        if result.async_call_id.is_some() && is_handed_over {
            return self.held.patch(place, ItemPart::Placeholder, |call| call.placeholder = Some(result.clone()));
        }
        self.held.patch(place, ItemPart::Result, |call| {
            if !matches!(call.state, CallState::Rejected | CallState::Denied) {
                call.state = if result.is_error { CallState::Failed } else { CallState::Done };
            }
            call.result = Some(result.result.clone());
            call.styles.clone_from(&result.styles);
            (call.is_error, call.code) = (result.is_error, result.code.clone());
            (call.duration_ms, call.truncated) = (Some(result.duration_ms), result.truncated);
            call.elicitations.clone_from(&result.elicitations);
        });
    }

    /// Completes the call of a sub-agent in the background.
    fn end_late(&mut self, event: &Event, result: &ToolAsyncResult) {
        let handed_over = self.held.placed_call(&result.async_call_id).filter(|(_, call)| call.subagent.is_some());
        let Some((place, _)) = handed_over else { return self.held.other(event, result.clone()) };
        self.held.patch(place, ItemPart::LateResult, |call| {
            call.state = if result.is_error { CallState::Failed } else { CallState::Done };
            (call.result, call.is_error) = (Some(result.result.clone()), result.is_error);
        });
    }
}

impl CallItem {
    /// Keeps what later events of the call are told by.
    pub(super) fn shrink(&mut self) {
        (self.args, self.result, self.approval, self.placeholder) = (Value::Null, None, None, None);
        self.styles.clear();
        self.decisions.clear();
        self.changes.clear();
        self.hooks.clear();
    }
}
