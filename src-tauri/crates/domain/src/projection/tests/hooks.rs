//! What hooks say to a run, in its projections.

use super::*;

impl Log {
    fn hook(&mut self, event: HookEvent, outcome: HookOutcome) -> &mut Self {
        self.add(HookRan { outcome: Some(outcome), ..HookRan::new(event, "gate", "./gate.sh") })
    }

    fn fails(&mut self) -> &mut Self {
        let (code, message) = ("HOOK_BLOCKED_PROMPT".to_owned(), String::new());
        self.add(RunFailed { code, message, hint: String::new(), retryable: false, cause: None })
    }

    fn goes_on(&mut self, reason: PauseReason) -> &mut Self {
        self.add(RunResumed::because(reason))
    }
}

fn prompt(message_id: Option<&str>) -> HookMoment {
    HookMoment::Prompt { text: "go".into(), message_id: message_id.map(MessageId::from) }
}

#[test]
fn a_blocked_prompt_is_kept_from_the_model_until_the_run_is_tried_again() {
    let mut log = Log::of_a_run("a secret");
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Blocked).fails();
    assert_eq!(log.messages(), []);
    let mut next = Log { events: log.events.clone(), run_id: RunId::from("next") };
    assert_eq!(next.start("another").messages(), [Message::user("another")]);
    log.goes_on(PauseReason::Failed);
    assert_eq!(log.messages(), [Message::user("a secret")]);
    assert_eq!(log.state().hooks.at(&prompt(None)).count(), 0, "it is asked again");
}

#[test]
fn a_prompt_that_no_hook_has_let_pass_stays_from_the_model() {
    let mut log = Log::of_a_run("a secret");
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Blocked).goes_on(PauseReason::Interrupted).fails();
    assert_eq!(log.messages(), [], "a crash between its answer and the end");
    log.goes_on(PauseReason::Failed);
    let (code, message) = ("CANCELLED".to_owned(), String::new());
    log.add(RunCancelled { code, message, retryable: true });
    assert_eq!(log.messages(), [], "tried again, and stopped before the hook answered");
    let mut log = Log::of_a_run("a secret");
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Cancelled);
    assert_eq!(log.messages(), [], "stopped with its hook");
    let mut log = Log::of_a_run("a question");
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Blocked).fails().goes_on(PauseReason::Failed);
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Passed).request(1).fails();
    assert_eq!(log.messages(), [Message::user("a question")], "the model has had it");
}

#[test]
fn a_hook_that_answered_is_known_after_a_crash_until_the_model_is_asked() {
    let mut log = Log::of_a_run("go");
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Passed);
    log.hook(HookEvent::UserPromptSubmit, HookOutcome::Cancelled).goes_on(PauseReason::Interrupted);
    assert_eq!(log.state().hooks.at(&prompt(None)).count(), 1);
    assert_eq!(log.request(1).state().hooks.at(&prompt(None)).count(), 0);
}

#[test]
fn a_compaction_lets_the_hooks_of_the_sessions_start_run_again() {
    let mut log = Log::of_a_run("go");
    log.hook(HookEvent::SessionStart, HookOutcome::Passed);
    let start = HookMoment::SessionStart(SessionSource::Startup);
    assert_eq!(log.state().hooks.at(&start).count(), 1);
    log.add(ContextCompacted {
        strategy: CompactionStrategy::KeepRecent,
        tokens_before: 9,
        tokens_after: 1,
        target_tokens: 1,
        dropped_seq_range: Some((1, 1)),
        kept_seqs: Vec::new(),
        pruned_calls: Vec::new(),
        summary: "sum".into(),
    });
    assert_eq!(log.state().hooks.at(&start).count(), 0);
    let mut transcript = Transcript::default();
    log.events.iter().for_each(|event| transcript.apply(event));
    assert!(transcript.is_compacted_anew());
    log.request(1).events.last().into_iter().for_each(|event| transcript.apply(event));
    assert!(!transcript.is_compacted_anew());
}

#[test]
fn a_held_run_asks_the_model_and_counts() {
    let mut log = Log::of_a_run("go");
    log.request(1).says(1, "done", false);
    assert_eq!(log.state().next_step(), NextStep::Complete);
    log.hook(HookEvent::Stop, HookOutcome::Blocked);
    let state = log.state();
    assert_eq!((state.next_step(), state.hooks.times_held()), (NextStep::AskModel, 1));
    log.request(2).says(2, "really done", false).hook(HookEvent::Stop, HookOutcome::Passed);
    let state = log.state();
    assert_eq!((state.next_step(), state.hooks.times_held()), (NextStep::Complete, 1));
}

#[test]
fn an_edited_message_is_asked_about_again() {
    let mut log = Log::of_a_run("go");
    let message_id = Some(MessageId::from("m"));
    let (event, outcome) = (HookEvent::UserPromptSubmit, Some(HookOutcome::Passed));
    log.add(HookRan { message_id, outcome, ..HookRan::new(event, "gate", "./gate.sh") });
    assert_eq!(log.state().hooks.at(&prompt(Some("m"))).count(), 1);
    let entry = |text: Option<&str>| QueuedEntry {
        message_id: MessageId::from("m"),
        mode: QueueMode::Steer,
        text: text.map(str::to_owned),
    };
    log.add(QueueChanged { queued: vec![entry(None)], delivered: Vec::new() });
    assert_eq!(log.state().hooks.at(&prompt(Some("m"))).count(), 1);
    log.add(QueueChanged { queued: vec![entry(Some("other"))], delivered: Vec::new() });
    log.events.last_mut().unwrap().run_id = None;
    assert_eq!(log.state().hooks.at(&prompt(Some("m"))).count(), 0);
}

#[test]
fn a_finished_call_waits_for_its_hooks_until_the_run_goes_on() {
    let mut log = Log::of_a_run("go");
    log.request(1).calls(1, "c").permits("c").result("c", "ok");
    assert!(log.state().finished_call().unwrap().answered.is_empty());
    let call_id = Some(CallId::from("c"));
    log.add(HookRan { call_id, ..HookRan::new(HookEvent::PostToolUse, "lint", "./lint.sh") });
    let answered = log.state().finished_call().unwrap().answered.clone();
    assert_eq!(answered, [("lint".to_owned(), "./lint.sh".to_owned())]);
    assert_eq!(log.request(2).state().finished_call(), None);
}
