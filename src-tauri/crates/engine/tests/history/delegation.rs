//! Work that is handed to a sub-agent: its own session beneath the run that waits for it, through approvals, restarts,
//! stops and rewinds.

use crate::FILES;
use crate::stage::Stage;
use arki_api::Resolution;
use arki_domain::projection::SessionState;
use arki_domain::{
    ApprovalDecision, ApprovalMode, Code, EventBody, FileChanged, RunStarted, SessionCreated, SessionId,
    SubagentStarted, ToolResult,
};
use arki_engine::{Client, ClientCapabilities, DefinitionChoice, Engine, RunEnd};
use arki_testkit::Turn;
use serde_json::json;
use std::sync::Arc;

fn delegated() -> Turn {
    Turn::calls().call("delegate", json!({"agent": "arki", "task": "Write a.txt anew."}))
}

fn write(content: &str) -> Turn {
    Turn::calls().call("write_file", json!({"path": "a.txt", "content": content}))
}

fn bodies(engine: &Engine, session: &SessionId) -> Vec<EventBody> {
    engine.session_reader().events_after(session, 0, 10_000).unwrap().events.iter().map(|event| event.body()).collect()
}

fn kinds(engine: &Engine, session: &SessionId) -> Vec<String> {
    engine
        .session_reader()
        .events_after(session, 0, 10_000)
        .unwrap()
        .events
        .iter()
        .map(|event| event.kind.clone())
        .collect()
}

fn started(engine: &Engine, session: &SessionId) -> SubagentStarted {
    let started = bodies(engine, session).into_iter().rev().find_map(|body| match body {
        EventBody::SubagentStarted(started) => Some(started),
        _ => None,
    });
    started.unwrap()
}

fn result(engine: &Engine, session: &SessionId) -> ToolResult {
    let result = bodies(engine, session).into_iter().rev().find_map(|body| match body {
        EventBody::ToolResult(result) => Some(result),
        _ => None,
    });
    result.unwrap()
}

fn changes(engine: &Engine, session: &SessionId) -> Vec<FileChanged> {
    let change = |body| match body {
        EventBody::FileChanged(change) => Some(change),
        _ => None,
    };
    bodies(engine, session).into_iter().filter_map(change).collect()
}

fn state(engine: &Engine, session: &SessionId) -> SessionState {
    engine.session_names().find_session(session.as_str()).unwrap().state
}

async fn decide(engine: &Arc<Engine>, decision: ApprovalDecision) -> RunEnd {
    let waiting = engine.approvals().pending().pending_approvals().unwrap();
    let client = Client::attach(engine, "cli", ClientCapabilities::default());
    let decided = client.decide(&waiting[0].approval_id, Resolution::of(decision)).await.unwrap();
    let (_, handle) = decided.run.unwrap();
    handle.await.unwrap().unwrap()
}

/// A run whose sub-agent waits for an approval.
async fn waiting(after: Vec<Turn>) -> (Stage, SessionId, SubagentStarted) {
    let stage = Stage::new([vec![delegated(), write("two\n")], after].concat()).await;
    let (session, end) = stage.run_to_end().await;
    let started = started(&stage.engine, &session);
    let waiting = stage.engine.approvals().pending().pending_approvals().unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].session_id, started.session_id);
    assert_eq!(end, RunEnd::AwaitingApproval(waiting[0].approval_id.clone()));
    (stage, session, started)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_sub_agent_is_the_result_and_its_changes_are_told() {
    let turns = vec![delegated(), write("two\n"), Turn::text("Written."), Turn::text("All done.")];
    let stage = Stage::new(turns).await;
    let (session, end) = stage.run_granted().await;
    assert_eq!(end, RunEnd::Completed { response: "All done. ".into() });
    assert_eq!(stage.text("a.txt"), "two\n");

    let started = started(&stage.engine, &session);
    let child = bodies(&stage.engine, &started.session_id);
    let Some(EventBody::SessionCreated(SessionCreated { parent_session, agent, .. })) = child.first() else {
        panic!("{child:?}")
    };
    assert_eq!((parent_session.as_ref(), agent.as_str()), (Some(&session), "arki"));
    let begun = child.iter().find_map(|body| match body {
        EventBody::RunStarted(RunStarted { prompt, parent, options, .. }) => Some((prompt, parent, options)),
        _ => None,
    });
    let (prompt, parent, options) = begun.unwrap();
    assert_eq!((prompt.as_str(), options.approve), ("Write a.txt anew.", ApprovalMode::All));
    assert_eq!(parent.as_ref().map(|parent| &parent.call_id), Some(&started.call_id));

    let result = result(&stage.engine, &session);
    assert_eq!((result.result.as_str(), result.is_error), ("Written. ", false));
    assert!(result.usage.is_some());
    let (own, told) = (changes(&stage.engine, &started.session_id), changes(&stage.engine, &session));
    assert_eq!((own.len(), told.len()), (1, 1));
    assert_eq!((&own[0].before_hash, &own[0].after_hash), (&told[0].before_hash, &told[0].after_hash));
    assert_eq!((&told[0].call_id, told[0].by_session.as_ref()), (&started.call_id, Some(&started.session_id)));
    assert_eq!(state(&stage.engine, &started.session_id), SessionState::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_knows_only_its_task_and_can_neither_ask_nor_delegate() {
    let mut stage = Stage::new(vec![delegated(), Turn::text("Done."), Turn::text("Fine.")]).await;
    stage.put_questions();
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let requests = stage.requests();
    let (above, beneath) = (&requests[0], &requests[1]);
    assert!(above.contains("\"delegate\"") && above.contains("\"ask_user\""), "{above}");
    assert!(!beneath.contains("\"name\":\"delegate\"") && !beneath.contains("\"name\":\"ask_user\""), "{beneath}");
    assert!(beneath.contains("Another agent gave you this task"), "{beneath}");
    assert!(!beneath.contains("\"go\""), "the task is all that it is told: {beneath}");
    assert!(requests[2].contains("Done."));
    assert_eq!(state(&stage.engine, &run.session_id), SessionState::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_sub_agent_asks_stops_the_run_above_and_the_decision_goes_on_with_both() {
    let (stage, session, started) = waiting(vec![Turn::text("Written."), Turn::text("All done.")]).await;
    assert_eq!(state(&stage.engine, &session), SessionState::Waiting);
    assert_eq!(stage.text("a.txt"), "one\n");
    let again = stage.second_engine();
    let end = decide(&again, ApprovalDecision::Approve).await;
    assert_eq!(end, RunEnd::Completed { response: "All done. ".into() });
    assert_eq!(stage.text("a.txt"), "two\n");
    assert_eq!(result(&again, &session).result, "Written. ");
    assert_eq!(state(&again, &started.session_id), SessionState::Done);
    let told = kinds(&again, &session);
    assert_eq!(told.iter().filter(|kind| *kind == "subagent.started").count(), 1);
    assert_eq!(told.iter().filter(|kind| *kind == "run.resumed").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn gone_on_with_without_a_decision_it_waits_on_and_says_nothing_new() {
    let (stage, session, started) = waiting(vec![]).await;
    let again = stage.second_client();
    for id in [&session, &started.session_id] {
        let before = (kinds(again.engine(), &session), kinds(again.engine(), &started.session_id));
        let (run, handle) = again
            .go_on(&again.engine().session_names().find_place(id.as_str()).unwrap(), None, DefinitionChoice::default())
            .await
            .unwrap();
        assert_eq!(run.session_id, session, "the run above goes on");
        assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::AwaitingApproval(_)));
        assert_eq!((kinds(again.engine(), &session), kinds(again.engine(), &started.session_id)), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_granted_later_is_granted_to_the_sub_agent_too() {
    let (stage, session, _) = waiting(vec![Turn::text("Written."), Turn::text("All done.")]).await;
    let (_, handle) = stage.client.resume_run(&session, Some(ApprovalMode::All)).await.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::Completed { .. }));
    assert_eq!(stage.text("a.txt"), "two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_stops_the_sub_agent_that_waits() {
    let (stage, session, started) = waiting(vec![]).await;
    stage.client.stop_session(&session).await.unwrap();
    stage.until(|engine| state(engine, &session) == SessionState::Cancelled).await;
    assert_eq!(state(&stage.engine, &started.session_id), SessionState::Cancelled);
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
    assert_eq!(result(&stage.engine, &session).code.as_deref(), Some(Code::CANCELLED.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_sub_agent_lets_the_run_above_go_on() {
    let (stage, session, started) = waiting(vec![Turn::text("Then not.")]).await;
    stage.client.stop_session(&started.session_id).await.unwrap();
    stage.until(|engine| state(engine, &session) == SessionState::Done).await;
    assert_eq!(state(&stage.engine, &started.session_id), SessionState::Cancelled);
    let result = result(&stage.engine, &session);
    assert_eq!(result.code.as_deref(), Some(Code::CANCELLED.0));
    assert!(stage.last_request().contains("The user stopped the agent arki"), "{}", stage.last_request());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ended_before_the_result_was_stored_runs_nothing_twice() {
    let turns = vec![delegated(), write("two\n"), Turn::text("Written."), Turn::text("All done.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let events = kinds(&stage.engine, &session);
    let last_kept = events.iter().position(|kind| kind == "subagent.started").unwrap();
    (last_kept + 1..events.len()).for_each(|_| stage.forget_last_event(&session));
    let again = stage.second_client();
    let (_, handle) = again.resume_run(&session, None).await.unwrap();
    // The script has said all; the request that follows fails, which is not what this is about.
    handle.await.unwrap().unwrap();
    assert_eq!(result(again.engine(), &session).result, "Written. ");
    assert_eq!(changes(again.engine(), &session).len(), 1);
    let child = started(again.engine(), &session).session_id;
    assert_eq!(kinds(again.engine(), &child).iter().filter(|kind| *kind == "run.started").count(), 1);
    assert_eq!(changes(again.engine(), &child).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_that_was_announced_and_never_begun_is_begun() {
    let turns = vec![delegated(), Turn::text("Looked."), Turn::text("All done.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let child = started(&stage.engine, &session).session_id;
    stage.engine.retention().remove_session(&child).await.unwrap();
    let events = kinds(&stage.engine, &session);
    let last_kept = events.iter().position(|kind| kind == "subagent.started").unwrap();
    (last_kept + 1..events.len()).for_each(|_| stage.forget_last_event(&session));
    let again = stage.second_client();
    let (_, handle) = again.resume_run(&session, None).await.unwrap();
    handle.await.unwrap().unwrap();
    assert_eq!(kinds(again.engine(), &child).first().map(String::as_str), Some("session.created"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_run_above_takes_the_sub_agents_changes_back_with_its_own() {
    let turns = vec![delegated(), write("two\n"), Turn::text("Written."), Turn::text("All done.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let plan = stage.engine.rewinds().plan_rewind(&session, 1, FILES).unwrap();
    assert_eq!(plan.files.len(), 1, "{plan:?}");
    stage.engine.rewinds().rewind(&session, 1, FILES).await.unwrap();
    assert_eq!(stage.text("a.txt"), "one\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_the_sub_agents_that_wrote_it() {
    let turns = vec![delegated(), write("two\n"), Turn::text("Written."), Turn::text("All done.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_granted().await;
    let lines = stage.engine.line_origins().line_origins(&stage.home.project_dir(), "a.txt").unwrap();
    let writer = started(&stage.engine, &session).session_id;
    assert_eq!(lines[0].session_id.as_deref(), Some(writer.as_str()));
    assert_eq!(lines[0].tool_id.as_deref(), Some("write_file"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agent_that_fails_or_runs_out_of_budget_is_an_error_that_says_so() {
    let stage =
        Stage::new(vec![delegated(), Turn::json(400, json!({"error": {"message": "no"}})), Turn::text("Then not.")])
            .await;
    let (session, end) = stage.run_granted().await;
    assert!(matches!(end, RunEnd::Completed { .. }), "{end:?}");
    assert_eq!(result(&stage.engine, &session).code.as_deref(), Some("SUBAGENT_FAILED"));

    let turns = vec![delegated(), write("two\n"), Turn::text("never asked for")];
    let stage = Stage::new(turns).await;
    let mut start = stage.granted();
    start.options.max_turns = Some(1);
    let (run, handle) = stage.client.start_run(start).await.unwrap();
    assert_eq!(handle.await.unwrap().unwrap(), RunEnd::BudgetExhausted);
    let result = result(&stage.engine, &run.session_id);
    assert_eq!(result.code.as_deref(), Some("SUBAGENT_FAILED"));
    assert!(result.result.contains("used up its budget"), "{}", result.result);
    assert_eq!(changes(&stage.engine, &run.session_id).len(), 1, "what it had done is told");
}
