//! A session's past, through one engine: queued messages, pauses, going back, forks, who wrote a line.

#![allow(clippy::unwrap_used, clippy::panic)]

mod clients;
mod delegation;
mod delegation_row;
mod elicitations;
mod first_requests;
mod holding;
mod list;
mod observations;
mod pictures;
mod questions;
mod sent_requests;
mod stage;

use arki_api::LineAuthor;
use arki_domain::projection::{QueuedMessage, SessionState};
use arki_domain::{Code, EventBody, LiveEvent, MessageId, QueueMode, RestoreAction};
use arki_engine::{RewindScope, RunEnd, RunTarget, SendOutcome};
use arki_testkit::Turn;
use serde_json::json;
use stage::Stage;
use std::time::Duration;

const BOTH: RewindScope = RewindScope { files: true, conversation: true };
const FILES: RewindScope = RewindScope { files: true, conversation: false };

fn edit(old: &str, new: &str) -> Turn {
    Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}))
}

fn command(line: &str) -> Turn {
    Turn::calls().call("run_command", json!({"command": line}))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_for_a_session_at_work_waits_and_becomes_the_next_prompt() {
    let stage = Stage::new(vec![Turn::silent(), Turn::text("second")]).await;
    let (run, first) = stage.client.start_run(stage.new_session()).await.unwrap();
    let session = run.session_id.clone();
    let again = stage.start(RunTarget::Session(session.clone()));
    let SendOutcome::Queued(message_id) = stage.client.send(again, QueueMode::FollowUp).await.unwrap() else {
        panic!("not queued")
    };
    stage.wait_for_requests(1);
    run.stop();
    first.await.unwrap().unwrap();
    assert_eq!(stage.engine.message_queues().queue(&session).unwrap().messages()[0].message_id, message_id);
    let (_, second) = stage.client.send_next(&session).await.unwrap().unwrap();
    assert!(matches!(second.await.unwrap().unwrap(), RunEnd::Completed { .. }));
    assert!(stage.engine.message_queues().queue(&session).unwrap().messages().is_empty());
    assert!(stage.client.send_next(&session).await.unwrap().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_run_begins_by_itself_once_one_has_completed() {
    let mut stage = Stage::new(vec![Turn::text("one").pause(Duration::from_millis(300)), Turn::text("two")]).await;
    let mut heard = stage.engine.subscribe();
    stage.stay();
    let (run, _first) = stage.client.start_run(stage.new_session()).await.unwrap();
    stage.engine.message_queues().queue_message(&run.session_id, "and then".into(), QueueMode::FollowUp).await.unwrap();
    let mut completed = Vec::new();
    while completed.len() < 2 {
        let Some(Ok(LiveEvent::Stored(event))) = heard.next().await else { continue };
        if let EventBody::RunCompleted(run) = event.body() {
            completed.push(run.response.trim().to_owned());
        }
    }
    assert_eq!(completed, ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_answers_in_time_is_rejected_by_a_program_that_stays() {
    let mut stage = Stage::new(vec![edit("one", "two"), Turn::text("Then not.")]).await;
    let before = stage.text("a.txt");
    let mut heard = stage.engine.subscribe();
    stage.stay();
    let mut start = stage.new_session();
    start.options.approval_timeout_seconds = Some(0);
    let (_, first) = stage.client.start_run(start).await.unwrap();
    assert!(matches!(first.await.unwrap().unwrap(), RunEnd::AwaitingApproval(_)));
    let mut resolved_by = String::new();
    loop {
        let Some(Ok(LiveEvent::Stored(event))) = heard.next().await else { continue };
        match event.body() {
            EventBody::ApprovalResolved(resolved) => resolved_by = resolved.resolved_by,
            EventBody::RunCompleted(_) => break,
            _ => {}
        }
    }
    assert_eq!((resolved_by.as_str(), stage.text("a.txt")), ("timeout", before));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_edited_and_reordered_and_knows_what_is_not_in_it() {
    let stage = Stage::new(vec![Turn::text("one")]).await;
    let (session, _) = stage.run_to_end().await;
    for text in ["a", "b"] {
        stage.engine.message_queues().queue_message(&session, text.into(), QueueMode::FollowUp).await.unwrap();
    }
    let queue = stage.engine.message_queues().queue(&session).unwrap();
    let [first, second] = queue.messages() else { panic!("{queue:?}") };
    let edited = QueuedMessage { text: "B".into(), mode: QueueMode::Steer, ..second.clone() };
    stage.engine.message_queues().set_queue(&session, &[edited, first.clone()]).await.unwrap();
    let texts: Vec<String> = stage
        .engine
        .message_queues()
        .queue(&session)
        .unwrap()
        .messages()
        .iter()
        .map(|message| message.text.clone())
        .collect();
    assert_eq!(texts, ["B", "a"]);
    let stranger = QueuedMessage { message_id: MessageId::from("x"), ..first.clone() };
    assert!(
        stage
            .engine
            .message_queues()
            .set_queue(&session, &[stranger])
            .await
            .is_err_and(|fault| fault.is(Code::MESSAGE_NOT_FOUND))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_run_goes_on_where_it_stood() {
    let stage = Stage::new(vec![command("sleep 0.2"), Turn::text("done")]).await;
    let (run, handle) = stage.client.start_run(stage.granted()).await.unwrap();
    run.pause();
    assert_eq!(handle.await.unwrap().unwrap(), RunEnd::Paused);
    assert_eq!(stage.engine.session_reader().list(1).unwrap()[0].state, SessionState::Paused);
    let (_, resumed) = stage.client.resume_run(&run.session_id, None).await.unwrap();
    assert!(matches!(resumed.await.unwrap().unwrap(), RunEnd::Completed { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_restores_what_tools_and_commands_changed_and_can_be_gone_back_on() {
    let stage = Stage::new(vec![
        edit("one", "two"),
        command("echo more >> a.txt; echo new > made.txt; rm gone.txt"),
        Turn::text("done"),
    ])
    .await;
    stage.home.write("gone.txt", "still here\n").unwrap();
    let (session, _) = stage.run_granted().await;
    assert_eq!((stage.text("a.txt"), stage.text("made.txt")), ("two\nmore\n".into(), "new\n".into()));
    let before = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;

    let plan = stage.engine.rewinds().plan_rewind(&session, 1, FILES).unwrap();
    let actions: Vec<(&str, RestoreAction)> =
        plan.files.iter().map(|planned| (planned.file.path.as_str(), planned.file.action)).collect();
    assert_eq!(
        actions,
        [("a.txt", RestoreAction::Restore), ("gone.txt", RestoreAction::Restore), ("made.txt", RestoreAction::Delete)]
    );
    assert_eq!(stage.text("a.txt"), "two\nmore\n");

    stage.engine.rewinds().rewind(&session, 1, FILES).await.unwrap();
    assert_eq!((stage.text("a.txt"), stage.text("gone.txt")), ("one\n".into(), "still here\n".into()));
    assert!(!stage.exists("made.txt"));

    stage.engine.rewinds().rewind(&session, before, FILES).await.unwrap();
    assert_eq!((stage.text("a.txt"), stage.text("made.txt")), ("two\nmore\n".into(), "new\n".into()));
    assert!(!stage.exists("gone.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_later_edits_are_merged_or_left_alone() {
    let text = "one\n\n\n\nlast\n";
    let stage = Stage::new(vec![edit("one", "two"), Turn::text("done")]).await;
    stage.home.write("a.txt", text).unwrap();
    let (session, _) = stage.run_granted().await;
    stage.home.write("a.txt", "two\n\n\n\nlast, and mine\n").unwrap();
    stage.engine.rewinds().rewind(&session, 1, FILES).await.unwrap();
    assert_eq!(stage.text("a.txt"), "one\n\n\n\nlast, and mine\n");

    stage.home.write("a.txt", "my own first line\n\n\n\nlast\n").unwrap();
    let last = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;
    let plan = stage.engine.rewinds().rewind(&session, last - 2, FILES).await.unwrap();
    assert!(plan.files.iter().all(|planned| planned.file.action != RestoreAction::Delete));
    assert!(stage.text("a.txt").starts_with("my own first line"));
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_in_the_conversation_takes_it_from_the_next_request() {
    let stage = Stage::new(vec![Turn::text("first answer"), Turn::text("second answer"), Turn::text("third")]).await;
    let (session, _) = stage.run_to_end().await;
    let after_first =
        stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;
    stage.run_in(&session, "tell me more").await;
    let done =
        stage.engine.rewinds().rewind(&session, after_first, RewindScope { files: false, conversation: true }).await;
    assert_eq!(done.unwrap().prompt.as_deref(), Some("tell me more"));
    stage.run_in(&session, "something else").await;
    let request = stage.last_request();
    assert!(request.contains("first answer") && request.contains("something else"), "{request}");
    assert!(!request.contains("tell me more") && !request.contains("second answer"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_goes_on_from_where_its_origin_stood_and_leaves_it_alone() {
    let stage = Stage::new(vec![Turn::text("first answer"), Turn::text("second answer"), Turn::text("third")]).await;
    let (session, _) = stage.run_to_end().await;
    let after_first =
        stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;
    stage.run_in(&session, "tell me more").await;
    let length = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.len();
    let fork = stage.engine.sessions().fork(&session, Some(after_first)).await.unwrap();
    stage.run_in(&fork.session_id, "another way").await;
    let request = stage.last_request();
    assert!(request.contains("first answer") && request.contains("another way"), "{request}");
    assert!(!request.contains("tell me more"), "{request}");
    assert_eq!(stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.len(), length);
    let beyond = stage.engine.sessions().fork(&session, Some(10_000)).await;
    assert!(beyond.is_err_and(|fault| fault.is(Code::EVENT_NOT_FOUND)));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_knows_who_wrote_it_and_one_change_can_be_taken_back_alone() {
    let stage = Stage::new(vec![edit("one", "arki's"), edit("three", "arki's too"), Turn::text("done")]).await;
    stage.home.write("a.txt", "one\n\n\ntwo\n\n\nthree\n").unwrap();
    let (session, _) = stage.run_granted().await;
    stage.home.write("a.txt", "arki's\n\n\nmine\n\n\narki's too\n").unwrap();
    let lines = stage.engine.line_origins().line_origins(&stage.home.project_dir(), "a.txt").unwrap();
    let author = &lines[0];
    assert_eq!((author.author, author.turn), (LineAuthor::Arki, Some(1)));
    assert_eq!((lines[1].author, lines[3].author), (LineAuthor::Before, LineAuthor::User));

    stage.engine.rewinds().take_back(&session, author.seq.unwrap()).await.unwrap();
    assert_eq!(stage.text("a.txt"), "one\n\n\nmine\n\n\narki's too\n");
    stage.home.write("a.txt", "one\n\n\nmine\n\n\nmine too\n").unwrap();
    let taken = stage.engine.rewinds().take_back(&session, lines[6].seq.unwrap()).await;
    assert!(taken.is_err_and(|fault| fault.is(Code::CHANGE_CONFLICT)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_is_ended_before_going_back() {
    let stage = Stage::new(vec![edit("one", "two"), Turn::text("done")]).await;
    let (session, end) = stage.run_to_end().await;
    assert!(matches!(end, RunEnd::AwaitingApproval(_)));
    stage.engine.rewinds().rewind(&session, 1, BOTH).await.unwrap();
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
    assert_eq!(stage.engine.session_reader().list(1).unwrap()[0].state, SessionState::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_engines_on_one_data_directory_see_each_others_events() {
    let stage = Stage::new(vec![Turn::text("one")]).await;
    let other = stage.second_engine();
    let mut heard = other.subscribe();
    other.follow_others().unwrap();
    let (session, _) = stage.run_to_end().await;
    let stored = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.len();
    let mut seqs = Vec::new();
    while seqs.len() < stored {
        let Some(Ok(LiveEvent::Stored(event))) = heard.next().await else { panic!("ended") };
        seqs.push(event.seq);
    }
    assert_eq!(seqs, (1..=stored as u64).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_hears_another_process_ask_it_to_stop() {
    let stage = Stage::new(vec![Turn::silent()]).await;
    let other = stage.second_client();
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    other.stop_session(&run.session_id).await.unwrap();
    assert_eq!(handle.await.unwrap().unwrap(), RunEnd::Cancelled);
}

/// As a kill leaves it after the last file is back and before the log says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_that_was_cut_off_after_its_files_can_still_be_gone_back_on() {
    let stage = Stage::new(vec![edit("one", "two"), Turn::text("done")]).await;
    let (session, _) = stage.run_granted().await;
    let before = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;
    stage.engine.rewinds().rewind(&session, 1, FILES).await.unwrap();
    stage.forget_last_event(&session);
    let again = stage.second_engine();
    again.rewinds().rewind(&session, before, FILES).await.unwrap();
    assert_eq!(stage.text("a.txt"), "two\n");
}

/// What comes in may say anything: that a run with everything granted has completed, and what is to be said next.
#[tokio::test(flavor = "multi_thread")]
async fn an_imported_session_with_queued_messages_begins_no_run() {
    let stage = Stage::new(vec![Turn::text("one")]).await;
    let (session, _) = stage.run_granted().await;
    stage.engine.message_queues().queue_message(&session, "do harm".into(), QueueMode::FollowUp).await.unwrap();
    let mut export = Vec::new();
    let summary = stage.engine.session_names().find_session(session.as_str()).unwrap();
    stage.engine.exports().export(&summary, arki_api::ExportFormat::Jsonl, &mut export).unwrap();
    let mut other = Stage::new(vec![Turn::text("harm")]).await;
    let mut heard = other.engine.subscribe();
    other.stay();
    other.engine.follow_others().unwrap();
    other.engine.retention().import(std::io::Cursor::new(export)).await.unwrap();
    while !matches!(heard.next().await, Some(Ok(LiveEvent::Stored(event))) if event.kind == "message.queued") {}
    assert_eq!(other.engine.message_queues().queue(&session).unwrap().messages().len(), 1);
    assert!(other.engine.session_reader().list(1).unwrap()[0].state != SessionState::Running);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_is_saved_as_it_was_shown_keeps_its_password() {
    let stage = Stage::new(Vec::new()).await;
    let shown = async || {
        let listed = stage.engine.accounts().providers_listed().await.unwrap();
        listed.into_iter().find(|provider| provider.name == "lab").and_then(|provider| provider.base_url)
    };
    let configured = || std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap();
    stage.engine.accounts().save_provider("lab", "custom", Some("http://bob:PASSWORD@127.0.0.1:9/v1")).unwrap();
    assert_eq!(shown().await.as_deref(), Some("http://127.0.0.1:9/v1"));
    stage.engine.accounts().save_provider("lab", "custom", shown().await.as_deref()).unwrap();
    assert!(configured().contains("http://bob:PASSWORD@127.0.0.1:9/v1"));
    stage.engine.accounts().save_provider("lab", "custom", Some("http://127.0.0.1:10/v1")).unwrap();
    assert!(configured().contains("http://127.0.0.1:10/v1") && !configured().contains("PASSWORD"));
}
