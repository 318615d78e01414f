use super::*;
use crate::projection::tests::generated::{Generated, User, event, sessions};
use crate::{CompactionStrategy, ContextCompacted, RunOptions, RunStarted, SessionForked, SessionId, SessionRewound};
use proptest::prelude::*;

fn folded(events: &[Event]) -> Transcript {
    let mut transcript = Transcript::default();
    events.iter().for_each(|event| transcript.apply(event));
    transcript
}

fn shown(events: &[Event]) -> Vec<Message> {
    folded(events).messages().iter().map(|message| (**message).clone()).collect()
}

fn texts(events: &[Event]) -> Vec<String> {
    let text = |message: Message| match message {
        Message::System { content } | Message::User { content, .. } | Message::Assistant { content, .. } => content,
        Message::ToolRequest { calls, .. } => format!("{} calls", calls.len()),
        Message::ToolResult { content, .. } => content.chars().take(15).collect(),
    };
    shown(events).into_iter().map(text).collect()
}

fn numbered(bodies: Vec<EventBody>) -> Vec<Event> {
    bodies.into_iter().enumerate().map(|(at, body)| event(at as u64 + 1, body)).collect()
}

fn prompt(text: &str) -> EventBody {
    RunStarted {
        prompt: text.into(),
        agent: "arki".into(),
        model: "mock/mock".into(),
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

fn call(id: &str) -> EventBody {
    let (call_id, args) = (CallId::from(id), serde_json::json!({}));
    ToolCall { turn: 1, call_id, tool_id: "read_file".into(), args, category: None, async_call_id: None }.into()
}

fn result(id: &str) -> EventBody {
    serde_json::from_value::<ToolResult>(serde_json::json!({
        "callId": id, "toolId": "read_file", "result": format!("{id} says {}", "a lot ".repeat(50)), "isError": false,
        "durationMs": 1, "truncated": false
    }))
    .unwrap()
    .into()
}

fn compacted(dropped: Option<(u64, u64)>, kept: &[u64], pruned: &[&str], summary: &str) -> EventBody {
    ContextCompacted {
        strategy: CompactionStrategy::SummarizeEarly,
        tokens_before: 9,
        tokens_after: 3,
        target_tokens: 4,
        dropped_seq_range: dropped,
        kept_seqs: kept.to_vec(),
        pruned_calls: pruned.iter().map(|id| CallId::from(*id)).collect(),
        summary: summary.into(),
    }
    .into()
}

fn added(origin: &str, text: &str) -> EventBody {
    ContextAdded::new("rule", origin, text).into()
}

fn rewound(to_seq: u64) -> EventBody {
    SessionRewound { to_seq, files: false, conversation: true, checkpoint_id: None, changes: Vec::new() }.into()
}

/// 1: a prompt. 2, 3: a call and its result. 4: a prompt. 5, 6: a call and its result.
fn two_runs() -> Vec<EventBody> {
    vec![prompt("one"), call("c1"), result("c1"), prompt("two"), call("c2"), result("c2")]
}

#[test]
fn a_summary_stands_before_what_stays() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 3)), &[], &[], "sum"));
    log.push(prompt("three"));
    assert_eq!(texts(&numbered(log)), ["sum", "two", "1 calls", "c2 says a lot a", "three"]);
}

#[test]
fn what_is_named_stays_within_the_range() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 5)), &[4], &[], "sum"));
    assert_eq!(texts(&numbered(log)), ["sum", "two"]);
}

#[test]
fn a_result_goes_with_its_call_wherever_the_range_ends() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 2)), &[], &[], "sum"));
    assert_eq!(texts(&numbered(log)), ["sum", "two", "1 calls", "c2 says a lot a"]);
}

#[test]
fn a_call_without_its_result_stays() {
    let mut log = two_runs();
    log.extend([prompt("three"), call("c3"), compacted(Some((1, 8)), &[], &[], "sum"), result("c3")]);
    assert_eq!(texts(&numbered(log)), ["sum", "1 calls", "c3 says a lot a"]);
}

#[test]
fn a_pruned_result_says_how_to_read_it_again() {
    let mut log = two_runs();
    log.push(compacted(None, &[], &["c1"], ""));
    let mut transcript = folded(&numbered(log));
    let messages = transcript.messages();
    let Message::ToolResult { content, .. } = &*messages[2] else { panic!("no result") };
    assert!(content.contains("`read_result`") && content.contains("\"c1\""), "{content}");
    assert!(said(transcript.result_of(&CallId::from("c1"))).len() > 300);
}

fn said(saved: Option<SavedText<'_>>) -> &str {
    let Some(SavedText::Here(text)) = saved else { panic!("it isn't here") };
    text
}

fn letting_go(events: &[Event]) -> Transcript {
    let mut transcript = Transcript::letting_go();
    events.iter().for_each(|event| transcript.apply(event));
    transcript
}

#[test]
fn what_a_run_lets_go_of_is_in_the_log_under_its_number() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 3)), &[], &[], "sum"));
    let transcript = letting_go(&numbered(log.clone()));
    assert_eq!(transcript.result_of(&CallId::from("c1")), Some(SavedText::InLog(3)));
    assert_eq!(&said(transcript.result_of(&CallId::from("c2")))[..2], "c2");
    assert!(!transcript.lacks_text());
    log.push(rewound(6));
    assert!(letting_go(&numbered(log)).lacks_text());
}

#[test]
fn a_long_result_that_a_note_stands_for_is_let_go_of_too() {
    let mut log = two_runs();
    let EventBody::ToolResult(mut long) = log[2].clone() else { panic!("no result") };
    long.result = "é".repeat(9000);
    log[2] = long.into();
    log.push(compacted(None, &[], &["c1", "c2"], ""));
    let mut transcript = letting_go(&numbered(log.clone()));
    assert_eq!(transcript.result_of(&CallId::from("c1")), Some(SavedText::InLog(3)));
    assert!(said(transcript.result_of(&CallId::from("c2"))).len() > 300);
    let notes = transcript.messages();
    assert_eq!(*notes, *folded(&numbered(log.clone())).messages());
    log.push(compacted(Some((1, 6)), &[], &[], "sum"));
    assert_eq!(bytes_kept(&letting_go(&numbered(log))), "one".len() + "two".len() + "sum".len());
}

fn bytes_kept(transcript: &Transcript) -> usize {
    let content = |entry: &TranscriptEntry| match &*entry.whole {
        Message::System { content } | Message::User { content, .. } | Message::Assistant { content, .. } => {
            content.len()
        }
        Message::ToolRequest { content, calls, .. } => {
            content.len() + calls.iter().map(|call| call.arguments.len()).sum::<usize>()
        }
        Message::ToolResult { content, .. } => content.len(),
    };
    transcript.messages.entries.iter().map(content).sum()
}

#[test]
fn late_results_and_earlier_summaries_are_let_go_of_too() {
    let late = ToolAsyncResult {
        async_call_id: CallId::from("c1"),
        tool_id: "run_command".into(),
        result: "long ".repeat(1000),
        styles: Vec::new(),
        is_error: false,
        usage: None,
        background: Vec::new(),
    };
    let log = vec![
        prompt("one"),
        late.into(),
        compacted(Some((1, 2)), &[], &[], "first"),
        prompt("two"),
        compacted(Some((1, 4)), &[], &[], "second"),
    ];
    let transcript = letting_go(&numbered(log));
    assert_eq!(bytes_kept(&transcript), "one".len() + "two".len() + "second".len());
}

fn begun_without(off: &[&str]) -> EventBody {
    let EventBody::RunStarted(mut started) = prompt("next") else { panic!("no run") };
    let is_call = |id: &&&str| !id.contains(':');
    let ids = off.iter().map(|id| if is_call(&id) { format!("result:{id}") } else { (*id).to_owned() });
    started.options.off = ids.collect();
    started.into()
}

fn first_result(events: Vec<EventBody>) -> String {
    texts(&numbered(events))[2].clone()
}

#[test]
fn a_result_that_is_off_is_a_note_from_the_next_run_on_until_it_is_on_again() {
    let (whole, note) = ("c1 says a lot a", "[Taken out to s");
    let mut log = two_runs();
    assert_eq!(first_result(log.clone()), whole);
    log.push(begun_without(&["c1"]));
    assert_eq!(first_result(log.clone()), note);
    assert!(said(folded(&numbered(log.clone())).result_of(&CallId::from("c1"))).len() > 300);
    log.push(begun_without(&["c1", "c2"]));
    assert_eq!(first_result(log.clone()), note);
    log.push(begun_without(&["c2"]));
    assert_eq!(first_result(log.clone()), whole);
    log.push(begun_without(&[]));
    assert_eq!(texts(&numbered(log.clone()))[5], "c2 says a lot a");
    log.push(rewound(7));
    assert_eq!(first_result(log), note, "going back brings back what was off then");
}

#[test]
fn what_a_compaction_took_out_stays_out_when_it_is_switched_on() {
    let mut log = two_runs();
    log.extend([begun_without(&["c1"]), compacted(None, &[], &["c1"], ""), begun_without(&[])]);
    assert_eq!(first_result(log), "[Taken out to s");
}

/// 1: a prompt. 2: a mention. 3: a rule. 4: a prompt with the same mention in 5.
fn with_late_context() -> Vec<EventBody> {
    let mention = |text: &str| ContextAdded::new("mention", "a.txt", text).into();
    vec![prompt("one"), mention("a, then"), added("a/AGENTS.md", "rule"), prompt("two"), mention("a, now")]
}

#[test]
fn what_came_late_is_left_out_while_it_is_off() {
    let mut log = with_late_context();
    log.push(begun_without(&["mention:2", "rule:a/AGENTS.md"]));
    assert_eq!(texts(&numbered(log.clone())), ["one", "two", "a, now", "next"]);
    log.push(begun_without(&["mention:5"]));
    assert_eq!(texts(&numbered(log.clone())), ["one", "a, then", "rule", "two", "next", "next"]);
    log.push(begun_without(&[]));
    assert_eq!(texts(&numbered(log.clone())).len(), 8);
    log.push(rewound(6));
    log.push(begun_without(&[]));
    assert_eq!(texts(&numbered(log))[1], "a, then", "it was off then, and isn't any more");
}

#[test]
fn a_mention_that_is_off_goes_with_its_prompt_for_good() {
    let mut log = with_late_context();
    log.push(begun_without(&["mention:2", "rule:a/AGENTS.md"]));
    log.extend([compacted(Some((1, 3)), &[], &[], "sum"), begun_without(&[])]);
    assert_eq!(texts(&numbered(log)), ["rule", "sum", "two", "a, now", "next", "next"]);
}

#[test]
fn a_second_summary_replaces_the_first() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 3)), &[], &[], "first"));
    log.push(compacted(Some((1, 4)), &[], &[], "second"));
    assert_eq!(texts(&numbered(log)), ["second", "1 calls", "c2 says a lot a"]);
}

#[test]
fn pruning_after_a_summary_leaves_the_summary() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 3)), &[], &[], "first"));
    log.push(compacted(None, &[], &["c2"], ""));
    assert_eq!(texts(&numbered(log)), ["first", "two", "1 calls", "[Taken out to s"]);
}

#[test]
fn rules_that_came_late_outlast_a_compaction_in_their_last_form() {
    let mut log = two_runs();
    log.insert(1, added("a/AGENTS.md", "old"));
    log.extend([added("b/AGENTS.md", "b"), added("a/AGENTS.md", "new"), compacted(Some((1, 9)), &[], &[], "sum")]);
    assert_eq!(texts(&numbered(log)), ["sum", "b", "new"]);
}

#[test]
fn rules_that_come_in_the_midst_of_a_turn_wait_for_its_results() {
    let log = vec![prompt("one"), call("c1"), added("a/AGENTS.md", "rule"), result("c1")];
    assert_eq!(texts(&numbered(log)), ["one", "1 calls", "c1 says a lot a", "rule"]);
}

#[test]
fn a_fork_leaves_out_what_its_origin_had_left_out_and_can_go_on_from_there() {
    let mut log = two_runs();
    log.push(compacted(Some((1, 3)), &[], &[], "first"));
    let mut events = numbered(log);
    let forked = SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 7 };
    events.extend(numbered(vec![forked.into(), prompt("three")]));
    assert_eq!(texts(&events), ["first", "two", "1 calls", "c2 says a lot a", "three"]);
    // Seven events of the origin, then the fork's own two.
    events.push(event(3, compacted(Some((1, 6)), &[], &[], "second")));
    assert_eq!(texts(&events), ["second", "three"]);
    events.push(event(4, rewound(2)));
    assert_eq!(texts(&events), ["first", "two", "1 calls", "c2 says a lot a", "three"]);
}

fn changes_what_was_sent(event: &Event) -> bool {
    matches!(event.kind.as_str(), "context.compacted" | "context.dropped" | "session.rewound" | "session.forked")
}

fn calls_of(messages: &[Message]) -> HashSet<CallId> {
    let calls = messages.iter().filter_map(|message| match message {
        Message::ToolRequest { calls, .. } => Some(calls.iter().map(|call| call.call_id.clone())),
        _ => None,
    });
    calls.flatten().collect()
}

fn own_until(session: &Generated, end: usize) -> Vec<Event> {
    session.origin.iter().chain(&session.events[..end]).cloned().collect()
}

proptest! {
    #[test]
    fn between_compactions_requests_only_grow_at_their_end(session in sessions(User::Watches)) {
        let events = session.all();
        let mut sent: Vec<Message> = Vec::new();
        for end in 1..=events.len() {
            if changes_what_was_sent(&events[end - 1]) {
                sent.clear();
            } else if events[end - 1].kind == "engine.request" {
                let next = shown(&events[..end]);
                prop_assert!(next.starts_with(&sent), "{sent:#?} {next:#?}");
                sent = next;
            }
        }
    }

    #[test]
    fn no_result_is_shown_without_its_call(session in sessions(User::Watches)) {
        let messages = shown(&session.all());
        let calls = calls_of(&messages);
        for message in &messages {
            if let Message::ToolResult { call_id, .. } = message {
                prop_assert!(calls.contains(call_id), "{call_id:?} in {messages:#?}");
            }
        }
    }

    #[test]
    fn going_back_to_before_a_compaction_undoes_it(session in sessions(User::Watches)) {
        let count = session.events.len();
        // What waits for the end of a turn counts from when it is told.
        let is_between_turns = |end: &usize| folded(&own_until(&session, *end)).arrived.is_empty();
        let is_compaction = |end: &usize| session.events[*end].kind == "context.compacted";
        for end in (1..count).filter(is_compaction).filter(is_between_turns) {
            let [without, with] = [end, end + 1].map(|count| {
                let mut events = own_until(&session, count);
                events.push(event(count as u64 + 1, rewound(end as u64)));
                shown(&events)
            });
            prop_assert_eq!(with, without);
        }
    }

    #[test]
    fn a_run_that_lets_go_is_shown_the_same(session in sessions(User::Watches)) {
        prop_assume!(session.origin.is_empty());
        let events = session.all();
        for end in 1..=events.len() {
            let mut light = letting_go(&events[..end]);
            if !light.lacks_text() {
                prop_assert_eq!(&*light.messages(), &*folded(&events[..end]).messages());
            }
        }
    }

    #[test]
    fn a_conversation_is_the_same_folded_at_once_or_in_two_parts(session in sessions(User::Watches), cut in 0.0..1.0f64) {
        let events = session.all();
        let (first, second) = events.split_at((events.len() as f64 * cut) as usize);
        let mut parts = folded(first);
        second.iter().for_each(|event| parts.apply(event));
        let parts: Vec<Message> = parts.messages().iter().map(|message| (**message).clone()).collect();
        prop_assert_eq!(parts, shown(&events));
    }
}
