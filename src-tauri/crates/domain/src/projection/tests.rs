//! The folds over one scripted run, cut wherever a process could end.

pub(super) mod generated;
mod hooks;

use super::*;
use crate::*;
use serde_json::json;

struct Log {
    events: Vec<Event>,
    run_id: RunId,
}

impl Log {
    fn of_a_run(prompt: &str) -> Self {
        let mut log = Self { events: Vec::new(), run_id: RunId::from("run") };
        log.start(prompt);
        log
    }

    fn start(&mut self, prompt: &str) -> &mut Self {
        self.add(RunStarted {
            prompt: prompt.into(),
            agent: "arki".into(),
            model: "mock/mock".into(),
            core: "tool-loop".into(),
            system_prompt_hash: String::new(),
            options: RunOptions::default(),
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        })
    }

    fn add(&mut self, body: impl Into<EventBody>) -> &mut Self {
        let body = body.into();
        let seq = self.events.len() as u64 + 1;
        self.events.push(Event {
            event_id: EventId::new(),
            run_id: Some(self.run_id.clone()),
            session_id: SessionId::from("session"),
            seq,
            ts: 1000 * seq as i64,
            kind: body.kind().into(),
            payload: serde_json::value::to_raw_value(&body.payload().unwrap()).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        });
        self
    }

    fn request(&mut self, turn: u32) -> &mut Self {
        self.add(EngineRequest {
            turn,
            provider: "mock".into(),
            model: "mock".into(),
            request_hash: String::new(),
            message_count: 1,
            context_window: None,
            purpose: None,
            stage: None,
            head_hash: None,
        })
    }

    fn says(&mut self, turn: u32, content: &str, interrupted: bool) -> &mut Self {
        self.add(OutputMessage {
            turn,
            role: Role::Assistant,
            content: content.into(),
            thoughts: None,
            reasoning: None,
            interrupted,
            retried: false,
        })
    }

    fn calls(&mut self, turn: u32, call_id: &str) -> &mut Self {
        let (tool_id, args) = ("edit_file".into(), json!({"path": "a"}));
        let call_id = CallId::from(call_id);
        self.add(ToolCall { turn, call_id, tool_id, args, category: Some(Category::Write), async_call_id: None })
    }

    fn asks(&mut self, call_id: &str, approval_id: &str) -> &mut Self {
        self.add(ApprovalRequested {
            approval_id: ApprovalId::from(approval_id),
            kind: ApprovalKind::Tool,
            call_id: Some(CallId::from(call_id)),
            tool_id: "edit_file".into(),
            args: json!({}),
            risk: Risk::Low,
            rule: "category:write".into(),
            reason: String::new(),
            sentences: Vec::new(),
            preview: None,
            calls: Vec::new(),
            command: None,
            supersedes: None,
            timeout_seconds: None,
        })
    }

    fn answers(&mut self, approval_id: &str, decision: ApprovalDecision) -> &mut Self {
        self.add(ApprovalResolved {
            approval_id: ApprovalId::from(approval_id),
            decision,
            hunks: Some(vec![2]),
            edited: std::collections::BTreeMap::new(),
            command: None,
            plan: None,
            reason: None,
            resolved_by: "cli".into(),
            preview_hash: "h".into(),
            request: None,
        })
    }

    fn permits(&mut self, call_id: &str) -> &mut Self {
        self.add(PolicyDecided {
            call_id: CallId::from(call_id),
            decision: Decision::Allow,
            rule: "approval:a1".into(),
            reason: String::new(),
            sentences: Vec::new(),
            risk: Risk::Low,
            files: vec![FileEffect {
                path: "a".into(),
                before_hash: None,
                after_hash: Some("x".into()),
                before_permissions: Permissions::default(),
                before_link: false,
            }],
            landing: None,
        })
    }

    fn result(&mut self, call_id: &str, result: &str) -> &mut Self {
        self.add(ToolResult {
            call_id: CallId::from(call_id),
            tool_id: "edit_file".into(),
            result: result.into(),
            styles: Vec::new(),
            is_error: false,
            duration_ms: 1,
            truncated: false,
            code: None,
            possible_secrets: 0,
            async_call_id: None,
            process_id: None,
            usage: None,
            background: Vec::new(),
            elicitations: Vec::new(),
        })
    }

    fn state(&self) -> RunState {
        RunState::fold(&self.events).unwrap()
    }

    fn messages(&self) -> Vec<Message> {
        let mut transcript = Transcript::default();
        self.events.iter().for_each(|event| transcript.apply(event));
        transcript.messages().iter().map(|message| (**message).clone()).collect()
    }
}

fn progress(log: &Log) -> CallProgress {
    match log.state().next_step() {
        NextStep::Execute(pending) => pending.progress,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_run_begins_by_asking_the_model_and_ends_with_its_answer() {
    let mut log = Log::of_a_run("go");
    assert_eq!(log.state().next_step(), NextStep::AskModel);
    log.request(1).says(1, "done", false);
    assert_eq!(log.state().next_step(), NextStep::Complete);
    log.add(RunCompleted { response: "done".into(), turns: 1, usage: Usage::zero() });
    assert_eq!(log.state().next_step(), NextStep::Ended);
}

#[test]
fn a_call_is_followed_from_first_sight_to_its_result() {
    let mut log = Log::of_a_run("go");
    log.request(1).says(1, "look", false).calls(1, "c1");
    assert_eq!(progress(&log), CallProgress::New);
    log.asks("c1", "a1");
    assert!(matches!(progress(&log), CallProgress::AwaitingApproval(_)));
    log.answers("a1", ApprovalDecision::Approve);
    assert!(matches!(progress(&log), CallProgress::Resolved(_)));
    log.permits("c1");
    let CallProgress::Begun { files, approval, .. } = progress(&log) else { panic!("not begun") };
    assert_eq!((files.len(), approval.unwrap().resolved.hunks), (1, Some(vec![2])));
    log.result("c1", "ok");
    assert_eq!(log.state().next_step(), NextStep::AskModel);
}

#[test]
fn a_fresh_preview_replaces_the_stale_one() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c1").asks("c1", "a1").answers("a1", ApprovalDecision::Approve).asks("c1", "a2");
    let CallProgress::AwaitingApproval(requested) = progress(&log) else { panic!("does not wait") };
    assert_eq!(requested.approval_id, ApprovalId::from("a2"));
}

#[test]
fn a_question_of_the_model_stays_open_until_it_is_answered() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c1").permits("c1").add(QuestionAsked {
        question_id: QuestionId::from("q1"),
        call_id: CallId::from("c1"),
        text: "Which one?".into(),
        options: vec!["This".into(), "That".into()],
    });
    log.add(RunPaused {
        reason: PauseReason::User,
        approval_id: None,
        question_id: Some(QuestionId::from("q1")),
        worked_ms: None,
    });
    assert_eq!(log.state().open_question().unwrap().text, "Which one?");
    assert!(matches!(progress(&log), CallProgress::AwaitingAnswer(_)));
    log.add(QuestionAnswered { question_id: QuestionId::from("another"), text: "No".into() });
    assert!(log.state().open_question().is_some());
    log.add(QuestionAnswered { question_id: QuestionId::from("q1"), text: "That".into() });
    assert_eq!(log.state().open_question(), None);
    let CallProgress::Answered(answered) = progress(&log) else { panic!("not answered") };
    assert_eq!(answered.text, "That");
    log.result("c1", "That");
    assert_eq!(log.state().next_step(), NextStep::AskModel);
}

#[test]
fn a_run_that_has_ended_asks_nothing() {
    let mut log = Log::of_a_run("go");
    let (question_id, call_id) = (QuestionId::from("q1"), CallId::from("c1"));
    log.request(1).calls(1, "c1").add(QuestionAsked { question_id, call_id, text: "?".into(), options: vec![] });
    log.add(RunCancelled { code: "CANCELLED".into(), message: String::new(), retryable: true });
    assert_eq!(log.state().open_question(), None);
}

#[test]
fn calls_are_handed_out_in_the_models_order() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c1").calls(1, "c2").result("c1", "one");
    let NextStep::Execute(pending) = log.state().next_step() else { panic!("nothing to do") };
    assert_eq!(pending.call.call_id, CallId::from("c2"));
}

#[test]
fn the_same_call_is_counted_until_another_comes_or_the_user_approves_it() {
    let mut log = Log::of_a_run("go");
    let times = |log: &Log| log.state().pending_calls().last().unwrap().times_in_a_row;
    assert_eq!(times(log.calls(1, "c1")), 1);
    assert_eq!(times(log.calls(2, "c2")), 2);
    let args = json!({"path": "b"});
    log.add(ToolCall {
        turn: 3,
        call_id: CallId::from("other"),
        tool_id: "edit_file".into(),
        args,
        category: Some(Category::Write),
        async_call_id: None,
    });
    assert_eq!(times(&log), 1);
    log.calls(4, "c3").calls(5, "c4");
    assert_eq!(times(log.calls(6, "c5").asks("c5", "a")), 3);
    let mut rejected = Log { events: log.events.clone(), run_id: log.run_id.clone() };
    rejected.answers("a", ApprovalDecision::Reject).result("c5", "rejected");
    assert_eq!(times(rejected.calls(7, "c6")), 4);
    log.answers("a", ApprovalDecision::Approve).permits("c5").result("c5", "ok");
    assert_eq!(times(log.calls(7, "c6")), 1);
}

#[test]
fn an_interrupted_answer_is_asked_for_again_and_not_told_twice() {
    let mut log = Log::of_a_run("go");
    log.request(1).says(1, "half", true);
    assert_eq!(log.state().next_step(), NextStep::AskModel);
    log.request(2).says(2, "whole", false);
    let user = Message::user("go");
    assert_eq!(log.messages(), [user, Message::Assistant { content: "whole".into(), thoughts: None, reasoning: None }]);
}

#[test]
fn a_new_run_tells_of_what_the_last_one_left_open() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c1").calls(1, "c2").result("c1", "one").start("again");
    let messages = log.messages();
    let Message::ToolResult { call_id, is_error: true, .. } = &messages[3] else { panic!("{messages:?}") };
    assert_eq!((call_id.as_str(), messages.len()), ("c2", 5));
}

#[test]
fn messages_that_were_sent_never_change() {
    let mut log = Log::of_a_run("go");
    log.request(1).says(1, "look", false).calls(1, "c1").result("c1", "one");
    let first = log.messages();
    log.request(2).says(2, "more", false).calls(2, "c2").result("c2", "two").request(3).says(3, "done", false);
    let later = log.messages();
    assert_eq!(later[..first.len()], first[..]);
    assert_eq!(later.len(), first.len() + 3);
}

#[test]
fn a_resumed_budget_starts_afresh() {
    let mut log = Log::of_a_run("go");
    log.request(1).request(2).add(RunPaused::because(PauseReason::Budget));
    assert_eq!(log.state().turns_in_budget, 2);
    log.add(RunResumed::because(PauseReason::Budget));
    assert_eq!((log.state().turns_in_budget, log.state().turn), (0, 2));
}

#[test]
fn the_time_that_a_run_waits_for_the_user_does_not_count() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c").asks("c", "a");
    log.add(RunPaused::because(PauseReason::Approval));
    let before = log.state().budget_since_ms;
    log.answers("a", ApprovalDecision::Approve);
    log.add(RunResumed::because(PauseReason::Approval));
    // The log's events are a second apart.
    assert_eq!(log.state().budget_since_ms, before + 2000);
    log.request(2);
    assert_eq!(log.state().budget_since_ms, before + 2000);
}

#[test]
fn usage_sums_and_an_unknown_cost_stays_unknown() {
    let mut log = Log::of_a_run("go");
    let usage =
        Usage { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11, cached_tokens: 4, ..Usage::default() };
    for turn in 1..=2 {
        let finish_reason = FinishReason::Stop;
        log.add(EngineResponse { turn, finish_reason, usage, ttft_ms: None, duration_ms: 1, purpose: None });
    }
    assert_eq!((log.state().usage.prompt_tokens, log.state().usage.cost_usd), (20, None));
}

#[test]
fn a_session_shows_what_it_waits_for_and_how_it_ended() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c1").asks("c1", "a1").add(RunPaused {
        reason: PauseReason::Approval,
        approval_id: Some(ApprovalId::from("a1")),
        question_id: None,
        worked_ms: None,
    });
    let summary = |log: &Log| {
        let mut summary = SessionSummary::new(SessionId::from("session"));
        log.events.iter().for_each(|event| summary.apply(event, &event.body()));
        (summary.state, summary.pending_approval)
    };
    assert_eq!(summary(&log), (SessionState::Waiting, Some(ApprovalId::from("a1"))));
    log.answers("a1", ApprovalDecision::Reject);
    assert_eq!(summary(&log), (SessionState::Running, None));
    log.add(RunCancelled { code: "CANCELLED".into(), message: String::new(), retryable: true });
    assert_eq!(summary(&log), (SessionState::Cancelled, None));
}

fn rewound(to_seq: u64) -> SessionRewound {
    SessionRewound { to_seq, files: false, conversation: true, checkpoint_id: None, changes: Vec::new() }
}

#[test]
fn going_back_shows_the_conversation_as_it_stood_after_every_event() {
    let mut log = Log::of_a_run("go");
    log.request(1).says(1, "look", false).calls(1, "c1").calls(1, "c2").result("c1", "one").result("c2", "two");
    log.request(2).says(2, "done", false).start("more").request(1).says(1, "again", false);
    for to_seq in 0..=log.events.len() {
        let mut straight = Log { events: log.events[..to_seq].to_vec(), run_id: log.run_id.clone() };
        let mut back = Log { events: log.events.clone(), run_id: log.run_id.clone() };
        back.add(rewound(to_seq as u64));
        assert_eq!(back.start("new").messages(), straight.start("new").messages(), "back to {to_seq}");
    }
}

#[test]
fn going_back_can_itself_be_gone_back_on() {
    let mut log = Log::of_a_run("one");
    log.request(1).says(1, "1", false).calls(1, "c1").calls(1, "c2").result("c1", "r").start("two").request(1);
    log.says(1, "2", false).add(rewound(4)).start("three").add(rewound(8)).start("four").add(rewound(1)).start("five");
    for to_seq in 0..=log.events.len() {
        let mut straight = Log { events: log.events[..to_seq].to_vec(), run_id: log.run_id.clone() };
        let mut back = Log { events: log.events.clone(), run_id: log.run_id.clone() };
        back.add(rewound(to_seq as u64));
        assert_eq!(back.start("new").messages(), straight.start("new").messages(), "back to {to_seq}");
    }
}

#[test]
fn a_fork_begins_with_its_origins_conversation_and_cannot_lose_it_by_going_back() {
    let mut log = Log::of_a_run("one");
    log.request(1).says(1, "1", false);
    let mut fork = Log { events: Vec::new(), run_id: RunId::from("other") };
    fork.add(SessionForked { created: None, from_session: SessionId::from("session"), from_seq: 3 })
        .start("two")
        .add(rewound(1));
    let mut transcript = Transcript::default();
    log.events.iter().chain(&fork.events).for_each(|event| transcript.apply(event));
    assert_eq!(transcript.messages().len(), 2);
}

#[test]
fn a_steering_message_is_told_between_two_turns_and_asks_for_another_answer() {
    let mut log = Log::of_a_run("go");
    let message_id = MessageId::from("m");
    log.request(1).says(1, "done", false);
    log.add(MessageQueued { message_id: message_id.clone(), text: "also this".into(), mode: QueueMode::Steer });
    assert_eq!((log.messages().len(), log.state().next_step()), (2, NextStep::Complete));
    log.add(QueueChanged { queued: Vec::new(), delivered: vec![message_id] });
    assert_eq!(log.messages().last(), Some(&Message::user("also this")));
    assert_eq!(log.state().next_step(), NextStep::AskModel);
}

#[test]
fn a_failed_run_that_goes_on_asks_again_with_what_is_granted_now() {
    let mut log = Log::of_a_run("go");
    log.request(1).add(RunFailed {
        code: "PROVIDER_UNREACHABLE".into(),
        message: String::new(),
        hint: String::new(),
        retryable: true,
        cause: None,
    });
    assert!(log.state().is_ended());
    let approve = Some(ApprovalMode::All);
    log.add(RunResumed { approve, ..RunResumed::because(PauseReason::Failed) });
    assert_eq!((log.state().next_step(), log.state().options.approve), (NextStep::AskModel, ApprovalMode::All));
}
