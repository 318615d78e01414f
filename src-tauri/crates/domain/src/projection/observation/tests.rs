//! Tests of the observations that events give, and of their words.

use super::*;
use crate::projection::tests::generated::{User, event, sessions};
use crate::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn call(tool_id: &str, args: Value) -> EventBody {
    let category = Some(Category::Read);
    ToolCall { turn: 1, call_id: CallId::from("c"), tool_id: tool_id.into(), args, category, async_call_id: None }
        .into()
}

fn result(tool_id: &str, result: &str, code: Option<&str>, duration_ms: u64) -> EventBody {
    let (is_error, code) = (code.is_some(), code.map(str::to_owned));
    let (call_id, tool_id, truncated) = (CallId::from("c"), tool_id.to_owned(), false);
    let (async_call_id, process_id, result, possible_secrets) = (None, None, result.into(), 0);
    ToolResult {
        call_id,
        tool_id,
        result,
        styles: Vec::new(),
        is_error,
        duration_ms,
        truncated,
        code,
        possible_secrets,
        async_call_id,
        process_id,
        usage: None,
        background: Vec::new(),
        elicitations: Vec::new(),
    }
    .into()
}

fn says(content: &str, thoughts: Option<&str>, interrupted: bool) -> EventBody {
    let (content, thoughts) = (content.to_owned(), thoughts.map(str::to_owned));
    OutputMessage { turn: 1, role: Role::Assistant, content, thoughts, reasoning: None, interrupted, retried: false }
        .into()
}

fn response(finish_reason: FinishReason) -> EventBody {
    let usage = Usage { prompt_tokens: 1200, completion_tokens: 1, ..Usage::default() };
    EngineResponse { turn: 1, finish_reason, usage, ttft_ms: None, duration_ms: 2500, purpose: None }.into()
}

fn failed(code: &str) -> EventBody {
    let message = "It did not answer.\nAt all.".to_owned();
    RunFailed { code: code.into(), message, hint: String::new(), retryable: true, cause: None }.into()
}

fn plan(title: &str, state: PlanStepState) -> Vec<PlanStep> {
    vec![PlanStep { title: title.into(), state }, PlanStep { title: "rest".into(), state: PlanStepState::Pending }]
}

fn started() -> EventBody {
    RunStarted {
        prompt: "fix the bug\nplease".into(),
        agent: "arki".into(),
        model: "p/m".into(),
        core: "tool-loop".into(),
        system_prompt_hash: String::new(),
        options: RunOptions::default(),
        message_id: None,
        parent: None,
        session_start: None,
        request: None,
    }
    .into()
}

fn requested() -> EventBody {
    let (provider, model) = ("p".to_owned(), "m".to_owned());
    EngineRequest {
        turn: 2,
        provider,
        model,
        request_hash: String::new(),
        message_count: 3,
        context_window: None,
        purpose: None,
        stage: None,
        head_hash: None,
    }
    .into()
}

/// Returns what is observed of the last of the events.
fn seen(bodies: &[EventBody]) -> Vec<(&'static str, String)> {
    let mut observer = Observer::default();
    let all = bodies.iter().zip(1..).map(|(body, seq)| observer.observe(&event(seq, body.clone())));
    let last = all.last().unwrap_or_default();
    last.into_iter().map(|observation| (observation.kind.as_str(), observation.title)).collect()
}

#[track_caller]
fn check(bodies: &[EventBody], expected: &[(&str, &str)]) {
    let seen = seen(bodies);
    assert_eq!(seen.iter().map(|(kind, title)| (*kind, title.as_str())).collect::<Vec<_>>(), expected);
}

#[test]
fn each_type_is_observed_with_a_title_that_says_what_happened() {
    use PlanStepState::{Done, Pending};
    let (intent, title) = ("mend it".to_owned(), "look");
    check(&[started()], &[("INTENT", "Asked: fix the bug")]);
    check(
        &[PlanProposed { intent: intent.clone(), steps: plan(title, Pending), steps_left_out: 0 }.into()],
        &[("INTENT", "Intends: mend it"), ("PLAN", "Planned 2 steps")],
    );
    check(&[PlanUpdated { intent, steps: plan(title, Done) }.into()], &[("STATE_UPDATE", "1 of 2 steps done")]);
    check(&[says("", Some("hm"), false)], &[("THOUGHTS", "Thought: hm")]);
    check(&[requested()], &[("LLM_STREAM_START", "Asked p/m (turn 2)")]);
    check(
        &[requested(), response(FinishReason::Stop)],
        &[("LLM_STREAM_METADATA", "1200 tokens in, 1 out"), ("LLM_STREAM_END", "p/m answered in 2 s")],
    );
    let code = "PROVIDER_RATE_LIMITED".to_owned();
    check(
        &[EngineRetry { turn: 1, code, delay_ms: 2000, attempt: 1 }.into()],
        &[("LLM_STREAM_ERROR", "PROVIDER_RATE_LIMITED; retrying in 2 s (attempt 1)")],
    );
    check(
        &[failed("PROVIDER_TIMEOUT")],
        &[("LLM_STREAM_ERROR", "No answer (PROVIDER_TIMEOUT)"), ("ERROR", "The run failed: It did not answer.")],
    );
    check(&[failed("DISK_FULL")], &[("ERROR", "The run failed: It did not answer.")]);
    check(&[says("half", None, true)], &[("LLM_STREAM_ERROR", "The answer was cut off")]);
    let response = "done".to_owned();
    check(
        &[RunCompleted { response, turns: 3, usage: Usage::zero() }.into()],
        &[("FINAL_RESPONSE", "Done in 3 turns")],
    );
}

#[test]
fn a_synthesis_is_the_answer_after_results_and_nothing_else() {
    let read = || vec![started(), call("read_file", json!({"path": "a"})), result("read_file", "text", None, 1)];
    let answer = |finish_reason| [response(finish_reason), says("so it is", None, false)];
    let synthesis = [("SYNTHESIS", "Answered from 1 result")];
    check(&[read(), answer(FinishReason::Stop).to_vec()].concat(), &synthesis);
    check(&[read(), answer(FinishReason::ToolCalls).to_vec()].concat(), &[]);
    check(&[read(), vec![started()], answer(FinishReason::Stop).to_vec()].concat(), &[]);
}

#[test]
fn a_call_is_told_before_and_after_by_what_it_does() {
    for (tool_id, args, before, after) in [
        ("read_file", json!({"path": "src/app.rs"}), "Read src/app.rs", "Read src/app.rs"),
        ("list_directory", json!({}), "List the project folder", "Listed the project folder"),
        ("search_files", json!({"pattern": "a|b"}), "Search for `a|b`", "Searched for `a|b`"),
        ("apply_patch", json!({"patch": "…"}), "Apply a patch", "Applied a patch"),
        ("ask_user", json!({"question": "Which?"}), "Ask the user: Which?", "Asked the user: Which?"),
        ("mcp__web__find", json!({}), "Call `find` of web", "Called `find` of web"),
        ("edit_file", json!("not JSON"), "Call `edit_file`", "Called `edit_file`"),
    ] {
        check(&[call(tool_id, args.clone())], &[("TOOL_CALL", before)]);
        check(&[call(tool_id, args), result(tool_id, "ok", None, 5)], &[("TOOL_EXECUTION", after)]);
    }
}

#[test]
fn a_result_says_how_it_ended() {
    for (tool_id, text, code, expected) in [
        ("run_command", "exit code 0\nfine", None, "Ran `cargo test` (exit 0, 3 s)"),
        ("run_command", "ended: …", Some("TOOL_TIMEOUT"), "Ran `cargo test` (out of time after 3 s)"),
        ("run_command", "stopped", Some("CANCELLED"), "Ran `cargo test` (stopped after 3 s)"),
        ("run_command", "no", Some("POLICY_DENIED"), "Could not run `cargo test` (POLICY_DENIED)"),
        ("read_file", "text", None, "Read src/app.rs (3 s)"),
        ("read_file", "exit code 7", Some("FILE_NOT_FOUND"), "Could not read src/app.rs (FILE_NOT_FOUND)"),
    ] {
        let args = json!({"command": "cargo test", "path": "src/app.rs"});
        check(&[call(tool_id, args), result(tool_id, text, code, 3000)], &[("TOOL_EXECUTION", expected)]);
    }
    check(&[result("read_file", "text", None, 5)], &[("TOOL_EXECUTION", "Called `read_file`")]);
}

#[test]
fn a_late_result_is_told_in_the_words_of_its_call() {
    let late = |is_error| {
        let (async_call_id, tool_id) = (CallId::from("c"), "run_command".to_owned());
        EventBody::from(ToolAsyncResult {
            async_call_id,
            tool_id,
            result: String::new(),
            styles: Vec::new(),
            is_error,
            usage: None,
            background: Vec::new(),
        })
    };
    let call = call("run_command", json!({"command": "make"}));
    let EventBody::ToolResult(mut placeholder) = result("run_command", "goes on", None, 5) else { unreachable!() };
    placeholder.async_call_id = Some(placeholder.call_id.clone());
    check(&[call.clone(), placeholder.into()], &[("TOOL_EXECUTION", "In the background: Run `make`")]);
    check(&[call.clone(), late(false)], &[("TOOL_EXECUTION", "Ran `make`")]);
    check(&[call, late(true)], &[("TOOL_EXECUTION", "Could not run `make`")]);
}

#[test]
fn changes_of_the_state_are_told_in_a_line_each() {
    let rewound = |files, conversation| {
        let (checkpoint_id, changes) = (None, Vec::new());
        EventBody::from(SessionRewound { to_seq: 4, files, conversation, checkpoint_id, changes })
    };
    let hook = |exit_code| {
        let ran = HookRan::new(crate::HookEvent::PostToolUse, "fmt", "cargo fmt");
        EventBody::from(HookRan { exit_code, duration_ms: 40, ..ran })
    };
    let decided = |decision| {
        let (call_id, rule, reason) = (CallId::from("c"), String::new(), String::new());
        EventBody::from(PolicyDecided {
            call_id,
            decision,
            rule,
            reason,
            sentences: Vec::new(),
            risk: Risk::High,
            files: vec![],
            landing: None,
        })
    };
    let make = call("run_command", json!({"command": "make"}));
    check(&[rewound(true, false)], &[("STATE_UPDATE", "Rewound the files to event 4")]);
    check(&[rewound(true, true)], &[("STATE_UPDATE", "Rewound all to event 4")]);
    check(&[hook(Some(0))], &[("STATE_UPDATE", "Ran hook `cargo fmt` (40 ms)")]);
    check(&[hook(Some(2))], &[("ERROR", "Hook `cargo fmt` failed (exit 2)")]);
    check(&[make.clone(), decided(Decision::Deny)], &[("STATE_UPDATE", "Denied: Run `make`")]);
    check(&[make, decided(Decision::Allow)], &[]);
    check(&[EventBody::Unknown], &[]);
}

#[test]
fn a_question_and_its_answer_are_told_in_their_own_words() {
    let question_id = || QuestionId::from("q");
    let (call_id, options) = (CallId::from("c"), vec!["This".into()]);
    let asked = QuestionAsked { question_id: question_id(), call_id, text: "Which?\nNow.".into(), options };
    let waits = RunPaused { question_id: Some(question_id()), ..RunPaused::because(PauseReason::User) };
    check(&[asked.into()], &[("STATE_UPDATE", "Asks: Which?")]);
    check(&[waits.into()], &[("STATE_UPDATE", "Paused: waits for an answer")]);
    check(&[RunPaused::because(PauseReason::User).into()], &[("STATE_UPDATE", "Paused: by the user")]);
    let answered = QuestionAnswered { question_id: question_id(), text: "That".into() };
    check(&[answered.into()], &[("STATE_UPDATE", "The user says: That")]);
}

#[test]
fn calls_beyond_the_limit_are_told_in_general_words() {
    let mut observer = Observer::default();
    for n in 0..=MAX_OBSERVED_CALLS {
        let EventBody::ToolCall(call) = call("read_file", json!({"path": "a"})) else { panic!() };
        observer.observe(&event(1, ToolCall { call_id: CallId::from(format!("c{n}")), ..call }));
    }
    assert_eq!(observer.calls.len(), MAX_OBSERVED_CALLS);
    assert!(observer.phrase(&CallId::from("c0")).is_none() && observer.phrase(&CallId::from("c1")).is_some());
}

#[test]
fn an_observation_has_the_fields_of_the_contract() {
    let observation = &Observer::default().observe(&event(7, started()))[0];
    let expected = json!({
        "id": "e7:INTENT",
        "threadId": "s",
        "traceId": "r",
        "timestamp": 7000,
        "type": "INTENT",
        "title": "Asked: fix the bug",
        "content": "fix the bug\nplease",
        "metadata": {"agent": "arki", "model": "p/m", "core": "tool-loop", "eventType": "run.started", "seq": 7},
    });
    assert_eq!(serde_json::to_value(observation).unwrap(), expected);
}

#[test]
fn the_word_of_every_type_is_the_one_that_is_sent() {
    for kind in ObservationType::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), json!(kind.as_str()));
    }
}

#[test]
fn every_type_is_reached_and_no_known_kind_of_event_is_always_silent() {
    let mut observer = Observer::default();
    let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
    let mut types = BTreeSet::new();
    for event in crate::projection::tests::generated::of_every_kind().all() {
        let observed = observer.observe(&event);
        *kinds.entry(event.kind.clone()).or_default() |= !observed.is_empty();
        types.extend(observed.into_iter().map(|observation| observation.kind));
    }
    assert_eq!(types, BTreeSet::from(ObservationType::ALL));
    let silent: Vec<_> = kinds.iter().filter(|(_, is_told)| !**is_told).map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(silent, ["future.kind"]);
}

proptest! {
    #[test]
    fn ids_are_unique_and_titles_short_lines(session in sessions(User::Edits)) {
        let (mut observer, mut ids) = (Observer::default(), BTreeSet::new());
        for event in session.all() {
            for observation in observer.observe(&event) {
                let title = &observation.title;
                prop_assert!(!title.is_empty() && title.len() <= MAX_OBSERVATION_TITLE_BYTES && !title.contains('\n'));
                prop_assert!(ids.insert(observation.id));
            }
        }
    }

    #[test]
    fn any_text_makes_a_title_of_one_short_line(text in any::<String>()) {
        let bodies = [call("run_command", json!({"command": text})), says(&text, Some(&text), false)];
        for (kind, title) in bodies.iter().flat_map(|body| seen(std::slice::from_ref(body))) {
            prop_assert!(title.len() <= MAX_OBSERVATION_TITLE_BYTES, "{kind}");
            prop_assert!(!title.chars().any(char::is_control), "{title:?}");
        }
    }
}
