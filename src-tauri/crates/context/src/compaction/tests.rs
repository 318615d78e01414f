//! Sessions made up at random, compacted whenever they are due, folded by the transcript itself.

use super::*;
use arki_domain::projection::{SavedText, ShownAs, Transcript};
use arki_domain::{
    CallId, Code, ContextCompacted, Error, Event, EventBody, EventId, Message, RunId, SessionId, ToolDefinition,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Four bytes a token, and four around a message.
struct Bytes;

impl CountTokens for Bytes {
    fn text(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }

    fn message(&self, message: &Message) -> u64 {
        4 + match message {
            Message::System { content }
            | Message::User { content, .. }
            | Message::Assistant { content, .. }
            | Message::ToolResult { content, .. } => self.text(content),
            Message::ToolRequest { content, calls, .. } => {
                self.text(content) + calls.iter().map(|call| 8 + self.text(&call.arguments)).sum::<u64>()
            }
        }
    }

    fn tool(&self, tool: &ToolDefinition) -> u64 {
        self.text(&tool.parameters.to_string())
    }
}

const FIXED: u64 = 900;

#[derive(Debug, Clone)]
enum Step {
    Prompt(usize),
    /// The bytes of each result.
    Exchange(Vec<usize>),
    Answer(usize),
    Rule(usize),
}

#[derive(Default)]
struct Session {
    transcript: Transcript,
    seq: u64,
    calls: usize,
    prompts: Vec<String>,
    compactions: Vec<ContextCompacted>,
}

impl Session {
    fn add(&mut self, kind: &str, payload: &Value) {
        self.seq += 1;
        let event = Event {
            event_id: EventId::from(format!("e{}", self.seq)),
            run_id: Some(RunId::from("r")),
            session_id: SessionId::from("s"),
            seq: self.seq,
            ts: 0,
            kind: kind.into(),
            payload: serde_json::value::to_raw_value(payload).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        };
        assert_ne!(event.body(), EventBody::Unknown, "{kind} {payload}");
        self.transcript.apply(&event);
    }

    fn play(&mut self, step: &Step) {
        match step {
            Step::Prompt(bytes) => {
                let prompt = format!("prompt {} {}", self.prompts.len(), "p ".repeat(bytes / 2));
                let options = json!({"approve": "ask", "maxTurns": null, "maxCostUsd": null, "maxSeconds": null});
                self.add(
                    "run.started",
                    &json!({"prompt": prompt, "agent": "arki", "model": "m/m", "core": "tool-loop",
                    "systemPromptHash": "", "options": options}),
                );
                self.prompts.push(prompt);
            }
            Step::Answer(bytes) => {
                let content = "said ".repeat(bytes / 5 + 1);
                self.add(
                    "output.message",
                    &json!({"turn": 1, "role": "assistant", "content": content,
                    "interrupted": false}),
                );
            }
            Step::Exchange(results) => {
                let first = self.calls;
                for _ in results {
                    self.calls += 1;
                    let tool = ["read_file", "edit_file", "search_files"][self.calls % 3];
                    self.add(
                        "tool.call",
                        &json!({"turn": 1, "callId": format!("c{}", self.calls), "toolId": tool,
                        "args": {"path": "a.rs"}, "category": null}),
                    );
                }
                for (at, bytes) in results.iter().enumerate() {
                    let call_id = format!("c{}", first + at + 1);
                    self.add(
                        "tool.result",
                        &json!({"callId": call_id, "toolId": "read_file",
                        "result": "line\n".repeat(bytes / 5), "isError": false, "durationMs": 1, "truncated": false}),
                    );
                }
            }
            Step::Rule(bytes) => {
                let text = "rule ".repeat(bytes / 5);
                self.add("context.added", &json!({"part": "rule", "origin": "a/AGENTS.md", "text": text}));
            }
        }
    }

    fn messages(&mut self) -> Vec<Message> {
        self.transcript.messages().iter().map(|message| (**message).clone()).collect()
    }

    fn tokens(&mut self) -> u64 {
        FIXED + self.messages().iter().map(|message| Bytes.message(message)).sum::<u64>()
    }

    fn plan(
        &mut self,
        strategy: CompactionStrategy,
        limits: CompactionLimits,
    ) -> Result<Option<Compaction>, CompactionError> {
        let conversation: Vec<_> = self.transcript.conversation().collect();
        plan_compaction(&CompactionInputs {
            conversation: &conversation,
            plan: None,
            changed_files: &["src/changed.rs"],
            strategy,
            focus: None,
            limits,
            summary_window: limits.window,
            tokens: &Bytes,
        })
    }

    /// Compacts as the engine would: with a summary, where one is wanted and the model gives a good one.
    fn compact(
        &mut self,
        strategy: CompactionStrategy,
        limits: CompactionLimits,
        said: &str,
    ) -> Result<bool, CompactionError> {
        let event = match self.plan(strategy, limits)? {
            None => return Ok(false),
            Some(Compaction::Ready(event)) => event,
            Some(Compaction::Summarize(plan)) => {
                let room = limits.window;
                let asked = Bytes.text(&plan.request.system) + Bytes.text(&plan.request.prompt);
                assert!(asked + plan.request.max_tokens <= room, "the summary's own request is too long");
                let answer = SummaryAnswer { text: said, calls_tools: false, is_cut_off: false };
                plan.with_summary(answer, &Bytes).unwrap_or_else(|_| plan.without_summary())
            }
        };
        self.add("context.compacted", &serde_json::to_value(&event).unwrap());
        self.compactions.push(event);
        Ok(true)
    }
}

/// Checks the invariants after a compaction.
fn check(session: &mut Session, limits: CompactionLimits, before: u64) {
    let event = session.compactions.last().unwrap().clone();
    let after = session.tokens();
    assert_eq!(event.tokens_before, before);
    assert!(after <= event.tokens_after, "{after} of {} were promised", event.tokens_after);
    assert!(event.tokens_after <= limits.target && event.tokens_after + MIN_SAVED_TOKENS <= before, "{event:?}");
    let messages = session.messages();
    let said = messages.iter().map(|message| match message {
        Message::User { content, .. } => content.as_str(),
        _ => "",
    });
    let said = said.collect::<Vec<_>>().join("\n");
    for (at, prompt) in session.prompts.iter().enumerate() {
        let beginning = &prompt[..prompt.len().min(50)];
        assert!(said.contains(beginning), "prompt {at} is lost: {said}");
    }
    let is_summarised =
        messages.iter().any(|one| matches!(one, Message::User { content, .. } if content.starts_with('[')));
    assert!(!is_summarised || said.contains("src/changed.rs"), "the changed files are lost");
    let mut open: Vec<CallId> = Vec::new();
    for message in &messages {
        match message {
            Message::ToolRequest { calls, .. } => open = calls.iter().map(|call| call.call_id.clone()).collect(),
            Message::ToolResult { call_id, .. } => {
                assert!(open.contains(call_id), "a result without its call");
                open.retain(|one| one != call_id);
            }
            _ => assert!(open.is_empty(), "a call without its result"),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let exchange = || prop::collection::vec(0usize..20_000, 1..4).prop_map(Step::Exchange);
    let step = prop_oneof![
        2 => (0usize..3000).prop_map(Step::Prompt),
        6 => exchange(),
        2 => (0usize..2000).prop_map(Step::Answer),
        1 => (0usize..400).prop_map(Step::Rule),
    ];
    (0usize..500, prop::collection::vec(step, 0..60)).prop_map(|(goal, mut steps)| {
        steps.insert(0, Step::Prompt(goal));
        steps
    })
}

fn strategies() -> impl Strategy<Value = CompactionStrategy> {
    prop::sample::select(vec![
        CompactionStrategy::KeepRecent,
        CompactionStrategy::KeepImportant,
        CompactionStrategy::SummarizeEarly,
        CompactionStrategy::Checkpoint,
    ])
}

fn summaries() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("# Goal\nAll is well.".to_owned()),
        (0usize..40_000).prop_map(|n| "w ".repeat(n))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_compacted_session_is_within_its_target_and_has_lost_nothing_that_counts(
        steps in steps(), strategy in strategies(), said in summaries(), window in 16_000u64..64_000
    ) {
        let limits = CompactionLimits::new(window, FIXED, 0.8, 2000);
        let mut session = Session::default();
        for step in &steps {
            session.play(step);
            let before = session.tokens();
            if limits.is_due(before) && session.compact(strategy, limits, &said)? {
                check(&mut session, limits, before);
                // There's nothing to do a second time.
                prop_assert!(session.plan(strategy, limits)?.is_none());
            }
        }
    }

    #[test]
    fn a_small_window_gets_a_compaction_or_a_reason_but_never_a_loop(
        steps in steps(), strategy in strategies(), window in 500u64..6000
    ) {
        let limits = CompactionLimits::new(window, FIXED, 0.8, 1000);
        let mut session = Session::default();
        for step in &steps {
            session.play(step);
            let mut before = session.tokens();
            while let Ok(Some(plan)) = session.plan(strategy, limits) {
                let event = match plan { Compaction::Ready(event) => event, Compaction::Summarize(plan) => plan.without_summary() };
                session.add("context.compacted", &serde_json::to_value(&event).unwrap());
                session.compactions.push(event);
                let after = session.tokens();
                prop_assert!(after + MIN_SAVED_TOKENS <= before && after <= limits.target);
                before = after;
            }
        }
    }
}

fn long_session() -> Session {
    let mut session = Session::default();
    session.play(&Step::Prompt(100));
    for turn in 0..20 {
        session.play(&Step::Exchange(vec![4000]));
        session.play(&Step::Answer(3000));
        if turn % 5 == 0 {
            session.play(&Step::Prompt(100));
        }
    }
    session.play(&Step::Exchange(vec![4000]));
    session
}

fn limits(target: u64) -> CompactionLimits {
    CompactionLimits { window: 32_768, fixed: FIXED, due_at: 26_000, target, room: 30_000, max_messages: None }
}

fn summary_plan(session: &mut Session) -> SummaryPlan {
    match session.plan(CompactionStrategy::SummarizeEarly, limits(6000)).unwrap() {
        Some(Compaction::Summarize(plan)) => *plan,
        other => panic!("{other:?}"),
    }
}

#[test]
fn three_hundred_turns_with_two_million_tokens_of_results_fit_into_a_window() {
    let limits = CompactionLimits::new(32_768, FIXED, 0.8, 4096);
    let mut session = Session::default();
    session.play(&Step::Prompt(200));
    for turn in 0..300usize {
        session.play(&Step::Exchange(vec![4000 + (turn * 7919) % 46_000]));
        let before = session.tokens();
        if limits.is_due(before) {
            assert!(session.compact(CompactionStrategy::SummarizeEarly, limits, "It goes well.").unwrap());
            check(&mut session, limits, before);
        }
        assert!(session.tokens() < 32_768);
    }
    assert!(session.compactions.len() < 120, "{} compactions", session.compactions.len());
}

#[test]
fn old_results_go_first_and_can_be_read_again() {
    let mut session = Session::default();
    session.play(&Step::Prompt(100));
    (0..10).for_each(|_| session.play(&Step::Exchange(vec![8000])));
    let Ok(Some(Compaction::Ready(event))) = session.plan(CompactionStrategy::SummarizeEarly, limits(12_000)) else {
        panic!("no pruning");
    };
    assert_eq!((event.strategy, event.dropped_seq_range), (CompactionStrategy::Prune, None));
    assert_eq!(event.pruned_calls.first(), Some(&CallId::from("c1")));
    assert!(!event.pruned_calls.contains(&CallId::from("c10")));
    session.add("context.compacted", &serde_json::to_value(&event).unwrap());
    let is_note = |one: &Message| matches!(one, Message::ToolResult { content, .. } if content.contains("read_result"));
    assert_eq!(session.messages().iter().filter(|one| is_note(one)).count(), event.pruned_calls.len());
    let whole = session.transcript.result_of(&CallId::from("c1"));
    assert!(matches!(whole, Some(SavedText::Here(text)) if text.len() == 8000), "{whole:?}");
}

#[test]
fn the_model_is_asked_with_what_goes_and_its_summary_stands_behind_the_facts() {
    let mut session = long_session();
    let plan = summary_plan(&mut session);
    assert!(plan.request.prompt.contains("prompt 0") && plan.request.prompt.contains("Result of read_file"));
    assert!(plan.request.system.contains("Commands that worked") && !plan.request.system.contains("{{"));
    let answer = SummaryAnswer { text: " It went well. ", calls_tools: false, is_cut_off: false };
    let event = plan.with_summary(answer, &Bytes).unwrap();
    assert_eq!(event.strategy, CompactionStrategy::SummarizeEarly);
    assert!(event.summary.ends_with("left out\n\nIt went well.") && event.summary.contains("# Goal\n\nprompt 0"));
    assert!(event.summary.contains("# Files changed so far\n\n- src/changed.rs"));
}

#[test]
fn a_summary_that_does_not_help_is_refused() {
    let plan = summary_plan(&mut long_session());
    let refused = |text: &str, calls_tools: bool, is_cut_off: bool| {
        plan.with_summary(SummaryAnswer { text, calls_tools, is_cut_off }, &Bytes).unwrap_err()
    };
    assert_eq!(refused("fine", true, false), SummaryRefused::CallsTools);
    assert_eq!(refused(" \n ", false, false), SummaryRefused::Empty);
    assert_eq!(refused("fine", false, true), SummaryRefused::CutOff);
    assert_eq!(refused(&"w ".repeat(200_000), false, false), SummaryRefused::LongerThanReplaced);
    assert!(matches!(refused(&"w ".repeat(12_000), false, false), SummaryRefused::TooLong { .. }));
    let fallback = plan.without_summary();
    assert_eq!(fallback.strategy, CompactionStrategy::KeepRecent);
    assert!(fallback.tokens_after <= 6000 && fallback.summary.contains("# Goal"));
}

#[test]
fn a_second_compaction_gives_the_model_the_first_summary() {
    let mut session = long_session();
    session.compact(CompactionStrategy::SummarizeEarly, limits(6000), "The secret word is swordfish.").unwrap();
    (0..6).for_each(|_| session.play(&Step::Answer(6000)));
    let plan = summary_plan(&mut session);
    assert!(plan.request.prompt.contains("swordfish"));
}

#[test]
fn keep_important_keeps_changes_over_what_was_only_read() {
    let mut session = long_session();
    session.compact(CompactionStrategy::KeepImportant, limits(5000), "").unwrap();
    let conversation: Vec<_> = session.transcript.conversation().collect();
    let old = conversation.iter().take(conversation.len() / 2).filter(|one| one.shown_as != ShownAs::LeftOut);
    let tools: Vec<&str> = old
        .filter_map(|one| match &**one.whole {
            Message::ToolRequest { calls, .. } => Some(&*calls[0].tool_id),
            _ => None,
        })
        .collect();
    assert!(!tools.is_empty() && tools.iter().all(|tool| *tool == "edit_file"), "{tools:?}");
}

#[test]
fn a_checkpoint_leaves_the_last_exchange_and_the_prompt() {
    let mut session = long_session();
    session.compact(CompactionStrategy::Checkpoint, limits(9000), "Well.").unwrap();
    let kinds: Vec<&str> = session
        .messages()
        .iter()
        .map(|message| match message {
            Message::User { .. } => "user",
            Message::ToolRequest { .. } => "call",
            Message::ToolResult { .. } => "result",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["user", "user", "call", "result"]);
}

#[test]
fn the_first_of_many_results_of_the_last_exchange_go_where_they_do_not_fit() {
    let mut session = Session::default();
    session.play(&Step::Prompt(100));
    session.play(&Step::Exchange(vec![12_000; 4]));
    session.compact(CompactionStrategy::KeepRecent, limits(5000), "").unwrap();
    let pruned = &session.compactions[0].pruned_calls;
    assert!(!pruned.is_empty() && !pruned.contains(&CallId::from("c4")), "{pruned:?}");
}

#[test]
fn what_cannot_fit_says_why() {
    let mut session = Session::default();
    session.play(&Step::Prompt(100_000));
    let error = session.plan(CompactionStrategy::SummarizeEarly, limits(5000)).unwrap_err();
    assert!(matches!(error, CompactionError::LastExchangeTooLarge { .. }), "{error}");
    let error = session.plan(CompactionStrategy::SummarizeEarly, limits(500)).unwrap_err();
    assert_eq!(error, CompactionError::FixedTooLarge { tokens: FIXED, target: 500 });
    let fault = Error::from(error);
    assert!(fault.is(Code::CONTEXT_TOO_LONG) && fault.hint.contains("Turn off tools"), "{fault:?}");
}

#[test]
fn a_last_exchange_that_is_over_the_target_stays_where_the_whole_room_has_place_for_it() {
    let mut session = long_session();
    session.play(&Step::Prompt(60_000));
    let limits = limits(5000);
    let error = session.plan(CompactionStrategy::KeepRecent, limits).unwrap_err();
    assert!(matches!(error, CompactionError::LastExchangeTooLarge { .. }), "{error}");
    let plan = session.plan(CompactionStrategy::KeepRecent, limits.whole_room()).unwrap();
    let Some(Compaction::Ready(event)) = plan else { panic!("{plan:?}") };
    assert!(event.tokens_after <= limits.room, "{event:?}");
}

#[test]
fn too_many_messages_are_dropped_in_whole_exchanges_though_old_results_would_make_room() {
    let mut session = Session::default();
    session.play(&Step::Prompt(100));
    (0..10).for_each(|_| session.play(&Step::Exchange(vec![8000])));
    let plan = |session: &mut Session, limits| match session.plan(CompactionStrategy::KeepRecent, limits) {
        Ok(Some(Compaction::Ready(event))) => event,
        other => panic!("{other:?}"),
    };
    let pruned = session.plan(CompactionStrategy::Prune, limits(12_000).with_messages(5));
    assert!(matches!(pruned, Err(CompactionError::NothingToDrop { .. })), "{pruned:?}");
    let event = plan(&mut session, limits(12_000).with_messages(5));
    assert!(event.dropped_seq_range.is_some(), "{event:?}");
    session.add("context.compacted", &serde_json::to_value(&event).unwrap());
    // The prompt, two exchanges of two messages each, and the summary.
    assert_eq!(session.transcript.messages().len(), 6);
    let limits = limits(session.tokens() - 100).with_messages(1);
    let least = plan(&mut session, limits);
    session.add("context.compacted", &serde_json::to_value(&least).unwrap());
    assert_eq!(session.transcript.messages().len(), 3, "the last exchange stays whole");
}

#[test]
fn limits_leave_room_for_the_answer() {
    let limits = CompactionLimits::new(32_768, 4096, 0.8, 8192);
    assert_eq!((limits.due_at, limits.target), (24_576, 14_336));
    assert!(limits.is_due(24_576) && !limits.is_due(24_575));
    assert_eq!(limits.asked_for(10_000).target, 7048);
    assert_eq!(limits.asked_for(30_000).target, 14_336);
    assert_eq!(limits.whole_room().target, 24_576);
    assert_eq!(
        CompactionLimits::new(4096, 1500, 0.8, 8192),
        CompactionLimits { window: 4096, fixed: 1500, due_at: 2048, target: 1774, room: 2048, max_messages: None }
    );
    let too_small = CompactionLimits::new(4096, 3000, 0.8, 8192);
    assert!(too_small.target <= too_small.fixed);
}
