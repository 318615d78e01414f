//! What the model asks the user: it waits, outlives the process, and goes on with the answer.

use crate::stage::Stage;
use arki_domain::projection::SessionState;
use arki_domain::{Code, EventBody, PauseReason, QuestionId, QueueMode, SessionId};
use arki_engine::{Engine, OpenQuestion, RewindScope, RunEnd, RunTarget, SendOutcome};
use arki_testkit::Turn;
use serde_json::json;
use std::time::Duration;

fn question() -> Turn {
    Turn::calls().call("ask_user", json!({"question": "Which colour?", "options": ["red", "blue"]}))
}

/// A run that waits for the answer to a question.
async fn asked(after: Vec<Turn>) -> (Stage, OpenQuestion) {
    let mut stage = Stage::new([vec![question()], after].concat()).await;
    stage.put_questions();
    let (session, end) = stage.run_to_end().await;
    let open = stage.engine.open_questions().open_question(&session).unwrap().unwrap();
    assert_eq!(end, RunEnd::AwaitingAnswer(open.asked.question_id.clone()));
    (stage, open)
}

fn bodies(engine: &Engine, session: &SessionId) -> Vec<EventBody> {
    engine.session_reader().events_after(session, 0, 10_000).unwrap().events.iter().map(|event| event.body()).collect()
}

fn state(engine: &Engine) -> SessionState {
    engine.session_reader().list(1).unwrap()[0].state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_pauses_the_run_and_is_listed() {
    let (stage, open) = asked(vec![]).await;
    assert_eq!((open.asked.text.as_str(), open.asked.options.len()), ("Which colour?", 2));
    assert_eq!(state(&stage.engine), SessionState::Waiting);
    let paused = bodies(&stage.engine, &open.session_id).into_iter().find_map(|body| match body {
        EventBody::RunPaused(paused) => Some(paused),
        _ => None,
    });
    let paused = paused.unwrap();
    assert_eq!((paused.reason, paused.question_id), (PauseReason::User, Some(open.asked.question_id.clone())));
    let events = stage.engine.session_reader().events_after(&open.session_id, 0, 10_000).unwrap().events;
    let asked = events.iter().find(|event| event.kind == "question.asked").unwrap();
    assert_eq!(open.asked_at, asked.ts);
    assert_eq!(stage.engine.open_questions().open_questions().unwrap(), [open]);
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_outlives_its_process_and_the_answer_reaches_the_model() {
    let (stage, open) = asked(vec![Turn::text("Blue it is.")]).await;
    let again = stage.second_client();
    assert_eq!(again.engine().open_questions().open_questions().unwrap(), std::slice::from_ref(&open));
    // Gone on with without an answer, it waits on and says nothing new.
    let before = bodies(again.engine(), &open.session_id).len();
    let (_, waiting) = again.resume_run(&open.session_id, None).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), RunEnd::AwaitingAnswer(open.asked.question_id.clone()));
    assert_eq!(bodies(again.engine(), &open.session_id).len(), before);

    let answer = again.answer_question(&open.session_id, &open.asked.question_id, "  dark blue\n").await;
    assert!(matches!(answer.unwrap().1.await.unwrap().unwrap(), RunEnd::Completed { .. }));
    assert!(stage.last_request().contains("dark blue"), "{}", stage.last_request());
    let result = bodies(again.engine(), &open.session_id).into_iter().find_map(|body| match body {
        EventBody::ToolResult(result) => Some((result.result, result.is_error)),
        _ => None,
    });
    assert_eq!(result, Some(("dark blue".to_owned(), false)));
    assert!(again.engine().open_questions().open_questions().unwrap().is_empty());
    assert_eq!(state(again.engine()), SessionState::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_once_and_only_if_it_was_asked() {
    let (stage, open) = asked(vec![Turn::text("done")]).await;
    let answer = |question_id: QuestionId, text: &'static str| {
        let (client, session) = (stage.client.clone(), open.session_id.clone());
        async move { client.answer_question(&session, &question_id, text).await.map(|(_, handle)| handle) }
    };
    let stranger = answer(QuestionId::from("another"), "red").await.unwrap_err();
    assert!(stranger.is(Code::QUESTION_NOT_FOUND), "{stranger}");
    let empty = answer(open.asked.question_id.clone(), " \n").await.unwrap_err();
    assert!(empty.is(Code::USAGE), "{empty}");
    let too_long = stage.client.answer_question(&open.session_id, &open.asked.question_id, &"x".repeat(300_000)).await;
    assert!(too_long.is_err_and(|fault| fault.is(Code::USAGE)));
    answer(open.asked.question_id.clone(), "red").await.unwrap().await.unwrap().unwrap();
    let twice = answer(open.asked.question_id.clone(), "blue").await.unwrap_err();
    assert!(twice.is(Code::QUESTION_ALREADY_ANSWERED), "{twice}");
    let answers = bodies(&stage.engine, &open.session_id).into_iter();
    assert_eq!(answers.filter(|body| matches!(body, EventBody::QuestionAnswered(_))).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_that_answer_one_goes_on_and_the_other_is_told() {
    let (stage, open) = asked(vec![Turn::silent()]).await;
    let other = stage.second_client();
    let (session, question) = (&open.session_id, &open.asked.question_id);
    let (one, two) = tokio::join!(
        stage.client.answer_question(session, question, "red"),
        other.answer_question(session, question, "blue"),
    );
    let (told, run) = match (one, two) {
        (Ok((run, _)), Err(fault)) | (Err(fault), Ok((run, _))) => (fault, run),
        (one, two) => panic!("{:?} {:?}", one.err(), two.err()),
    };
    assert!(told.is(Code::SESSION_BUSY) || told.is(Code::QUESTION_ALREADY_ANSWERED), "{told}");
    run.stop();
    let answers = bodies(&stage.engine, session).into_iter();
    assert_eq!(answers.filter(|body| matches!(body, EventBody::QuestionAnswered(_))).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_run_asks_nothing_any_more_and_its_call_has_a_result() {
    let (stage, open) = asked(vec![Turn::text("Then I decide.")]).await;
    stage.client.stop_session(&open.session_id).await.unwrap();
    let mut heard = stage.engine.subscribe();
    while state(&stage.engine) != SessionState::Cancelled {
        heard.next().await;
    }
    assert!(stage.engine.open_questions().open_questions().unwrap().is_empty());
    let late = stage.client.answer_question(&open.session_id, &open.asked.question_id, "red").await;
    assert!(late.is_err_and(|fault| fault.is(Code::QUESTION_ALREADY_ANSWERED)));
    let start = stage.start(RunTarget::Session(open.session_id.clone()));
    let let_go = async {
        loop {
            match stage.client.start_run(start.clone()).await {
                Err(fault) if fault.is(Code::SESSION_BUSY) => tokio::task::yield_now().await,
                started => return started.unwrap(),
            }
        }
    };
    let (_, handle) = tokio::time::timeout(Duration::from_secs(30), let_go).await.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::Completed { .. }));
    assert!(stage.last_request().contains("Not answered"), "{}", stage.last_request());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_meanwhile_waits_and_is_heard_after_the_answer() {
    let (stage, open) = asked(vec![Turn::text("done")]).await;
    let start = stage.start(RunTarget::Session(open.session_id.clone()));
    let busy = stage.client.start_run(start.clone()).await.map(drop).unwrap_err();
    assert!(busy.message.contains("waits for an answer"), "{busy}");
    let sent = stage.client.send(start, QueueMode::Steer).await.unwrap();
    assert!(matches!(sent, SendOutcome::Queued(_)));
    let answer = stage.client.answer_question(&open.session_id, &open.asked.question_id, "red").await;
    answer.unwrap().1.await.unwrap().unwrap();
    assert!(stage.engine.message_queues().queue(&open.session_id).unwrap().messages().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_ends_a_run_that_asks_and_a_fork_goes_on_without_its_question() {
    let (stage, open) = asked(vec![Turn::text("forked"), Turn::text("done")]).await;
    let fork = stage.engine.sessions().fork(&open.session_id, None).await.unwrap();
    assert_eq!(stage.engine.open_questions().open_question(&fork.session_id).unwrap(), None);
    assert!(matches!(stage.run_in(&fork.session_id, "Blue.").await, RunEnd::Completed { .. }));
    assert!(stage.engine.open_questions().open_question(&open.session_id).unwrap().is_some());
    let both = RewindScope { files: true, conversation: true };
    stage.engine.rewinds().rewind(&open.session_id, 1, both).await.unwrap();
    assert!(stage.engine.open_questions().open_questions().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_answer_the_run_goes_on_at_once() {
    let stage = Stage::new(vec![question(), Turn::text("I took red.")]).await;
    let (_, end) = stage.run_to_end().await;
    assert!(matches!(end, RunEnd::Completed { .. }));
    assert!(stage.last_request().contains("Nobody is here to answer"), "{}", stage.last_request());
}
