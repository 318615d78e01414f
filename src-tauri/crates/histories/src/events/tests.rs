use super::*;
use crate::foreign_session::Moment;
use serde_json::json;

fn session(told: &[Told]) -> ForeignSession {
    let moments = (1..).zip(told).map(|(nth, told)| Moment { at_ms: nth * 1000, told: told.clone() }).collect();
    ForeignSession { id: "s".into(), folder: "/project".into(), moments, ..ForeignSession::default() }
}

fn kinds(told: &[Told]) -> Vec<String> {
    let (_, events) = past_events(HistorySource::Codex, &session(told));
    events.iter().map(|event| event.draft.body.kind().to_owned()).collect()
}

fn call(id: &str) -> Told {
    Told::Call { id: id.into(), tool: "bash".into(), args: json!({}) }
}

fn result(id: &str) -> Told {
    Told::Result { id: id.into(), text: "ok".into(), is_error: false }
}

#[test]
fn each_prompt_begins_a_run_and_results_end_a_turn() {
    let told = [
        Told::Prompt("one".into()),
        Told::Answer("I look".into()),
        call("1"),
        call("2"),
        result("2"),
        result("1"),
        Told::Answer("done".into()),
        Told::Prompt("two".into()),
    ];
    let expected = [
        "session.created",
        "run.started",
        "output.message",
        "tool.call",
        "tool.call",
        "tool.result",
        "tool.result",
        "output.message",
        "run.completed",
        "run.started",
        "run.completed",
    ];
    assert_eq!(kinds(&told), expected);
    let (_, events) = past_events(HistorySource::Codex, &session(&told));
    let turns = events.iter().filter_map(|event| match &event.draft.body {
        EventBody::RunCompleted(completed) => Some((completed.turns, completed.response.as_str())),
        _ => None,
    });
    assert_eq!(turns.collect::<Vec<_>>(), [(2, "done"), (0, "")]);
}

#[test]
fn a_call_without_a_result_says_so_and_a_result_without_a_call_is_left_out() {
    let (_, events) = past_events(HistorySource::Codex, &session(&[Told::Prompt("a".into()), call("1"), result("9")]));
    let results: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.draft.body {
            EventBody::ToolResult(result) => Some((result.call_id.as_str(), result.is_error)),
            _ => None,
        })
        .collect();
    assert_eq!(results, [("1", true)]);
}

#[test]
fn a_call_took_the_time_from_its_moment_to_that_of_its_result() {
    let told = [Told::Prompt("a".into()), call("1"), call("2"), result("1")];
    let (_, events) = past_events(HistorySource::Codex, &session(&told));
    let took = events.iter().find_map(|event| match &event.draft.body {
        EventBody::ToolResult(result) => Some((result.call_id.as_str(), result.duration_ms)),
        _ => None,
    });
    assert_eq!(took, Some(("1", 2000)));
}

#[test]
fn what_begins_without_a_prompt_has_a_run_all_the_same() {
    assert_eq!(kinds(&[Told::Answer("a".into())])[..3], ["session.created", "run.started", "output.message"]);
    assert!(kinds(&[]).is_empty() && kinds(&[Told::Model("a/b".into())]).is_empty());
}

#[test]
fn the_same_history_makes_the_same_events_and_more_of_it_begins_alike() {
    let ids = |told: &[Told]| {
        let (id, events) = past_events(HistorySource::ClaudeCode, &session(told));
        (id, events.into_iter().map(|event| event.event_id).collect::<Vec<_>>())
    };
    let told = [Told::Prompt("a".into()), Told::Answer("b".into()), Told::Prompt("c".into())];
    let (whole, beginning) = (ids(&told), ids(&told[..2]));
    assert_eq!(ids(&told), whole);
    assert_eq!(whole.0, beginning.0);
    assert!(whole.1.starts_with(&beginning.1));
    assert_ne!(past_events(HistorySource::Codex, &session(&told)).0, whole.0, "another agent's has another id");
    assert!(whole.1.is_sorted());
}

#[test]
fn ids_are_in_order_within_a_millisecond() {
    let mut ids = DerivedIds { of: "s".into(), at_ms: 1, made: 0 };
    let made: Vec<String> = (0..70_000).map(|_| ids.next()).collect();
    assert!(made.is_sorted_by(|one, next| one < next));
    ids.made = (1 << 22) - 1;
    let far: Vec<String> = (0..3).map(|_| ids.next()).collect();
    assert!(far.is_sorted_by(|one, next| one < next) && made.last() < far.first());
}

#[test]
fn a_title_is_one_short_line() {
    let title = |title: &str, prompt: &str| {
        let mut session = session(&[Told::Prompt(prompt.into())]);
        session.title = title.into();
        title_of(&session)
    };
    assert_eq!(title("", "\n first line\nsecond"), "first line");
    assert_eq!(title("given", "first"), "given");
    assert_eq!(title("", &"ä".repeat(100)).chars().count(), MAX_TITLE_CHARS + 1);
}
