//! Past requests: made again from the log, they are what the server was sent.

use crate::stage::Stage;
use crate::{command, edit};
use arki_api::{RequestProof, SentForm, SentRole, SentSide};
use arki_domain::{Code, EventBody, EventDraft, Message, RunId, SessionId, ToolAsyncResult, sha256_hex};
use arki_engine::{Compacted, Engine, RewindScope, SentRequest};
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::future::pending;

const CONVERSATION: RewindScope = RewindScope { files: false, conversation: true };

/// Every request of the session, in order.
fn sent(engine: &Engine, session: &SessionId) -> Vec<SentRequest> {
    let events = engine.session_reader().events_after(session, 0, 10_000).unwrap().events;
    let requests = events.iter().filter(|event| event.kind == "engine.request");
    requests.map(|event| engine.sent_requests().find(session, event.seq).unwrap()).collect()
}

/// All of them are proven, and what the server was sent, from its first request on.
fn are_what_the_server_got(stage: &Stage, sent: &[SentRequest]) {
    let received = stage.requests();
    assert_eq!(sent.len(), received.len());
    for (sent, received) in sent.iter().zip(&received) {
        assert_eq!(sent.proof, RequestProof::Proven, "request {}", sent.seq);
        let body = sent.proven_body().unwrap();
        assert_eq!(sha256_hex(body), sent.request.request_hash);
        let (body, received): (Value, Value) =
            (serde_json::from_slice(body).unwrap(), serde_json::from_str(received).unwrap());
        assert_eq!(body, received);
        // What the user says in a row is sent as one message.
        let is_user = |at: usize| matches!(*sent.messages[at], Message::User { .. });
        let joined = (1..sent.messages.len()).filter(|&at| is_user(at) && is_user(at - 1)).count();
        let count = sent.messages.len() - joined + usize::from(!sent.system.is_empty());
        assert_eq!(received["messages"].as_array().unwrap().len(), count);
        assert_eq!(received["tools"].as_array().map_or(0, Vec::len), sent.tools.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_of_a_run_is_proven_with_its_answer_whatever_changes_afterwards() {
    let said = Turn::text("I edit it.")
        .call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}));
    let stage = Stage::new(vec![said, command("echo hi"), Turn::text("All done.")]).await;
    stage.home.write("AGENTS.md", "Be brief.\n").unwrap();
    stage.engine.folder_trust().trust(&stage.home.project_dir(), Vec::new()).await.unwrap();
    let (session, _) = stage.run_granted().await;
    stage.home.write("AGENTS.md", "Be verbose.\n").unwrap();
    let all = sent(&stage.engine, &session);
    assert_eq!(all.len(), 3);
    are_what_the_server_got(&stage, &all);
    assert!(all[0].system.contains("Be brief."));
    let kinds = |sent: &SentRequest| sent.answer.iter().map(|event| event.kind.clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&all[0]), ["engine.response", "output.message", "tool.call"]);
    assert_eq!(kinds(&all[2]), ["engine.response", "output.message"]);
    // It is told once what requests are made of beside the conversation.
    let told = all.iter().filter(|sent| sent.request.head_hash.is_some()).count();
    assert_eq!(told, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_before_a_rewind_and_in_a_fork_is_shown_as_it_was_then() {
    let stage = Stage::new(["first", "second", "third", "fourth"].map(Turn::text).to_vec()).await;
    let (session, _) = stage.run_to_end().await;
    let end = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events.last().unwrap().seq;
    stage.run_in(&session, "tell me more").await;
    stage.engine.rewinds().rewind(&session, end, CONVERSATION).await.unwrap();
    stage.run_in(&session, "something else").await;
    let fork = stage.engine.sessions().fork(&session, Some(end)).await.unwrap();
    stage.run_in(&fork.session_id, "another way").await;
    let all = [sent(&stage.engine, &session), sent(&stage.engine, &fork.session_id)].concat();
    are_what_the_server_got(&stage, &all);
    let words = all[1].as_json()["request"]["messages"].to_string();
    assert!(words.contains("tell me more"), "{words}");
    let words = all[2].as_json()["request"]["messages"].to_string();
    assert!(!words.contains("tell me more") && words.contains("something else"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_changes_only_what_is_sent_after_it_and_its_own_request_is_proven() {
    let long = "A long answer. ".repeat(2_000);
    let turns = vec![Turn::text(&long), Turn::text(&long), Turn::text("It was long."), Turn::text("Go on.")];
    let stage = Stage::new(turns).await;
    let (session, _) = stage.run_to_end().await;
    stage.run_in(&session, "and more").await;
    let compacted = stage.engine.compactions().compact(&session, None, pending()).await.unwrap();
    assert!(matches!(compacted, Compacted::Done(_)), "{compacted:?}");
    stage.run_in(&session, "and now").await;
    let all = sent(&stage.engine, &session);
    are_what_the_server_got(&stage, &all);
    assert!(all[2].request.purpose.is_some() && all[2].answer.len() == 2);
    let shown = stage.engine.sent_requests().first_parts(&session, all[2].seq).unwrap();
    let roles: Vec<SentRole> = shown.prompt.parts.iter().map(|part| part.role).collect();
    assert_eq!(roles, [SentRole::System, SentRole::Options, SentRole::User]);
    assert_eq!(shown.answer.parts[0].role, SentRole::Summary);
    assert!(all[1].body.as_ref().unwrap().len() > 2 * all[3].messages.len());
    // The text is told in pieces, which make up the whole.
    let long = shown.prompt.parts.last().unwrap();
    let (mut text, mut next) = (long.text.clone(), long.next);
    while let Some(from) = next {
        let told = stage.engine.sent_requests().text(&session, all[2].seq, SentSide::Prompt, long.place, from).unwrap();
        text.push_str(&told.text);
        next = told.next;
    }
    assert_eq!(text.len(), long.bytes);
}

fn late_result() -> ToolAsyncResult {
    ToolAsyncResult {
        async_call_id: "b".into(),
        tool_id: "run_command".into(),
        result: "late".into(),
        is_error: false,
        usage: None,
        background: Vec::new(),
        styles: Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_was_logged_while_the_request_was_made_is_not_in_it() {
    let stage = Stage::new(vec![command("echo hi"), Turn::text("Done.")]).await;
    let (session, _) = stage.run_granted().await;
    let original = sent(&stage.engine, &session).remove(1);
    // The same log, but for what came from the background right before the second request.
    let run = RunId::new();
    let events = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events;
    let mut drafts = Vec::new();
    for event in &events {
        if event.seq == original.seq {
            drafts.extend([late_result(), late_result()].map(|result| EventDraft::of_run(&run, result)));
        }
        drafts.push(match event.run_id {
            Some(_) => EventDraft::of_run(&run, event.body()),
            None => EventDraft::of_session(event.body()),
        });
    }
    let other = SessionId::new();
    stage.store_session(&other, drafts).await;
    let again = stage.engine.sent_requests().find(&other, original.seq + 2).unwrap();
    assert_eq!((again.proof, &again.messages), (RequestProof::Proven, &original.messages));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sub_agents_requests_are_proven_in_its_own_session() {
    let delegated = Turn::calls().call("delegate", json!({"agent": "arki", "task": "Say hello."}));
    let stage = Stage::new(vec![delegated, Turn::text("Hello."), Turn::text("Said.")]).await;
    let (session, _) = stage.run_granted().await;
    let events = stage.engine.session_reader().events_after(&session, 0, 10_000).unwrap().events;
    let child = events.iter().find_map(|event| match event.body() {
        EventBody::SubagentStarted(started) => Some(started.session_id),
        _ => None,
    });
    let (own, child) = (sent(&stage.engine, &session), sent(&stage.engine, &child.unwrap()));
    are_what_the_server_got(&stage, &[own[0].clone(), child[0].clone(), own[1].clone()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_placeholders_in_what_is_shown_as_they_were_in_what_was_sent() {
    let read = Turn::calls().call("read_file", json!({"path": "notes.txt"}));
    let stage = Stage::new(vec![read, Turn::text("Read.")]).await;
    stage.home.write("notes.txt", "the key is sk-mock-0123456789abcdef\n").unwrap();
    let (session, _) = stage.run_granted().await;
    let all = sent(&stage.engine, &session);
    are_what_the_server_got(&stage, &all);
    for form in [SentForm::Neutral, SentForm::Body] {
        let shown = stage.engine.sent_requests().json(&session, all[1].seq, form).unwrap();
        assert!(shown.contains("[secret:") && !shown.contains("sk-mock-0123456789abcdef"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_before_its_head_was_kept_is_proven_where_nothing_has_changed_and_claims_nothing_else() {
    let stage = Stage::new(vec![edit("one", "two"), Turn::text("Done.")]).await;
    let (session, _) = stage.run_granted().await;
    let all = sent(&stage.engine, &session);
    stage.forget_content(all[0].request.head_hash.as_ref().unwrap());
    are_what_the_server_got(&stage, &sent(&stage.engine, &session));
    stage.configure("agents", json!({"arki": {"model": "mock/mock", "maxCompletionTokens": 77}}));
    let engine = stage.second_engine();
    let changed = sent(&engine, &session);
    assert!(changed.iter().all(|sent| sent.proof == RequestProof::HeadUnknown && sent.body.is_none()));
    assert!(changed[1].as_json()["request"]["messages"].to_string().contains("edit_file"));
    let refused = engine.sent_requests().json(&session, changed[1].seq, SentForm::Body);
    assert!(refused.is_err_and(|fault| fault.is(Code::USAGE)));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_request_opens_as_one() {
    let stage = Stage::new(vec![Turn::text("Done.")]).await;
    let (session, _) = stage.run_to_end().await;
    let first = stage.engine.sent_requests().find(&session, 1);
    assert!(first.is_err_and(|fault| fault.is(Code::USAGE) && fault.message.contains("session.created")));
    let none = stage.engine.sent_requests().find(&session, 999);
    assert!(none.is_err_and(|fault| fault.is(Code::EVENT_NOT_FOUND)));
}
