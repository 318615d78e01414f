//! Faults that may pass: asked again in time, also in the midst of an answer. Time is paused: waits pass at once.

use super::*;
use crate::retry::{FIRST_WAIT, MAX_ATTEMPTS, MAX_BACKOFF, MAX_REQUESTS, PATIENCE};
use tokio::time::Instant;

fn failed(retry_after_ms: Option<u64>) -> Option<Result<StreamEvent, Error>> {
    Some(Err(Error { retry_after_ms, ..Error::new(Code::PROVIDER_FAILED, "mock failed.", "again") }))
}

fn retries(stage: &Stage) -> Vec<EngineRetry> {
    let retry = |event: &Arc<Event>| match event.body() {
        EventBody::EngineRetry(retry) => Some(retry),
        _ => None,
    };
    stage.log.0.lock().unwrap().iter().filter_map(retry).collect()
}

/// Runs until the first retry is in the log and the wait has begun, then does something.
async fn meanwhile(stage: &Stage, act: impl FnOnce(&RunControl)) -> (RunEnd, Duration) {
    let started = Instant::now();
    let acting = async {
        while stage.count("engine.retry") == 0 {
            tokio::task::yield_now().await;
        }
        act(&stage.control);
    };
    let (ended, ()) = tokio::join!(stage.run(), acting);
    (ended, started.elapsed())
}

#[tokio::test(start_paused = true)]
async fn what_fails_before_it_begins_is_asked_again_after_the_wait_that_was_asked_for() {
    let stage = Stage::new(vec![vec![failed(Some(7000))], vec![text("done"), end()]]);
    let started = Instant::now();
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(started.elapsed().as_secs(), 7);
    let code = Code::PROVIDER_FAILED.0.to_owned();
    assert_eq!(retries(&stage), [EngineRetry { turn: 1, code, delay_ms: 7000, attempt: 1 }]);
    assert_eq!((stage.count("engine.request"), stage.count("engine.response")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn waits_grow_and_attempts_are_bounded() {
    let stage = Stage::new(vec![vec![failed(None)]; MAX_REQUESTS as usize + 3]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.is(Code::PROVIDER_FAILED));
    let (retries, left) = (retries(&stage), stage.model.turns.lock().unwrap().len());
    let waited = Duration::from_millis(retries.iter().map(|retry| retry.delay_ms).sum());
    assert!((Duration::from_secs(75)..=PATIENCE).contains(&waited), "about two minutes: {waited:?}");
    assert!(retries.len() < MAX_REQUESTS as usize && left == MAX_REQUESTS as usize + 2 - retries.len(), "{retries:?}");
    for retry in &retries[..retries.len() - 1] {
        let full = (FIRST_WAIT * 2u32.pow(retry.attempt - 1)).min(MAX_BACKOFF);
        assert!((full / 2..=full).contains(&Duration::from_millis(retry.delay_ms)), "{retry:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_limit_fails_at_once_and_says_how_long() {
    let stage = Stage::new(vec![vec![failed(Some(600_000))], vec![text("done"), end()]]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert_eq!(fault.message, "mock failed. It asks to wait 10 min.");
    assert_eq!(stage.count("engine.retry"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_will_not_pass_is_not_tried_again() {
    let refused = Error::new(Code::KEY_REFUSED, "no", "key");
    let stage = Stage::new(vec![vec![Some(Err(refused.clone()))], vec![text("done"), end()]]);
    assert_eq!(stage.run().await, RunEnd::Failed(refused));
    assert_eq!(stage.count("engine.retry"), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_asked_for_again_and_none_of_its_calls_made() {
    let thought = || Some(Ok(StreamEvent::Token { token_type: TokenType::LlmThinking, text: "hm".into() }));
    let damaged = || Some(Err(Error::new(Code::PROVIDER_BAD_ANSWER, "damaged", "again")));
    for (shown, kept) in [(text("half"), 1), (thought(), 1), (call("c"), 0)] {
        for broken in [failed(Some(1)), damaged()] {
            let stage = Stage::new(vec![vec![shown.clone(), broken], vec![text("done"), end()]]);
            assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
            assert_eq!((stage.count("engine.retry"), stage.count("tool.call")), (1, 0));
            let messages = messages(&stage);
            assert_eq!(messages.iter().filter(|message| message.interrupted && message.retried).count(), kept);
            assert_eq!(messages.last().map(|message| (message.interrupted, message.retried)), Some((false, false)));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_attempt_keeps_what_had_come_as_the_answer() {
    let turns = (1..=MAX_ATTEMPTS).map(|attempt| vec![text(&format!("half {attempt}")), failed(Some(1))]).collect();
    let stage = Stage::new(turns);
    assert!(matches!(stage.run().await, RunEnd::Failed(_)));
    let standing: Vec<_> = messages(&stage).into_iter().filter(|message| !message.retried).collect();
    assert_eq!(standing.len(), 1);
    assert_eq!((standing[0].content.as_str(), standing[0].interrupted), ("half 5", true));
}

#[tokio::test(start_paused = true)]
async fn a_cost_limit_holds_after_an_answer_that_nobody_counted() {
    let priced = |cost_usd| Usage { prompt_tokens: 1, total_tokens: 1, cost_usd, ..Usage::default() };
    let used = |cost| Some(Ok(StreamEvent::Metadata { finish_reason: None, usage: Some(priced(Some(cost))) }));
    let turns = vec![vec![text("half"), failed(Some(1))], vec![call("c"), used(2.0), end()], vec![text("x"), end()]];
    let options = RunOptions { max_cost_usd: Some(1.0), ..RunOptions::default() };
    let stage = Stage { options, ..Stage::new(turns) };
    assert_eq!(stage.run().await, RunEnd::BudgetExhausted);
}

fn messages(stage: &Stage) -> Vec<OutputMessage> {
    let message = |event: &Arc<Event>| match event.body() {
        EventBody::OutputMessage(message) => Some(message),
        _ => None,
    };
    stage.log.0.lock().unwrap().iter().filter_map(message).collect()
}

#[tokio::test(start_paused = true)]
async fn what_a_failed_attempt_used_is_counted() {
    let usage = Usage { prompt_tokens: 7, total_tokens: 7, ..Usage::default() };
    let used = || Some(Ok(StreamEvent::Metadata { finish_reason: None, usage: Some(usage) }));
    let turns = vec![vec![used(), failed(Some(1))], vec![text("done"), used(), end()]];
    let stage = Stage::new(turns);
    stage.run().await;
    let log = stage.log.0.lock().unwrap();
    let EventBody::RunCompleted(completed) = log.last().unwrap().body() else { panic!("not completed") };
    assert_eq!((completed.usage.prompt_tokens, completed.turns), (14, 1));
}

#[tokio::test(start_paused = true)]
async fn stopping_and_pausing_end_the_wait_at_once() {
    let stage = Stage::new(vec![vec![failed(Some(60_000))]]);
    assert_eq!(meanwhile(&stage, |control| control.cancel.cancel()).await, (RunEnd::Cancelled, Duration::ZERO));
    let stage = Stage::new(vec![vec![failed(Some(60_000))]]);
    assert_eq!(meanwhile(&stage, |control| control.pause.cancel()).await, (RunEnd::Paused, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn the_user_can_skip_the_wait() {
    let stage = Stage::new(vec![vec![failed(Some(60_000))], vec![text("done"), end()]]);
    let (ended, waited) = meanwhile(&stage, |control| control.skip_wait.notify_waiters()).await;
    assert_eq!((ended, waited), (RunEnd::Completed { response: "done".into() }, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn a_silent_request_is_ended_and_made_again_where_the_user_says_so() {
    let stage = Stage::new(vec![vec![text("ha"), None], vec![text("done"), end()]]);
    let ask_again = async {
        for seconds in [4, 3] {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            assert_eq!(stage.count("engine.retry"), 0, "it ended without being asked to");
            stage.control.skip_wait.notify_waiters();
        }
    };
    let (ended, ()) = tokio::join!(stage.run(), ask_again);
    assert_eq!(ended, RunEnd::Completed { response: "done".into() });
    assert_eq!(retries(&stage).len(), 1);
    assert!(messages(&stage)[0].retried && messages(&stage)[0].content == "ha");
}

#[tokio::test(start_paused = true)]
async fn skipping_when_nothing_waits_skips_nothing_later() {
    let stage = Stage::new(vec![vec![failed(Some(5000))], vec![text("done"), end()]]);
    stage.control.skip_wait.notify_waiters();
    let started = Instant::now();
    stage.run().await;
    assert_eq!(started.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_ends_the_wait() {
    // The run of this stage began in 1970.
    let max_seconds = u64::try_from(SystemClock.now_ms() / 1000 + 5).ok();
    let options = RunOptions { max_seconds, ..RunOptions::default() };
    let stage = Stage { options, ..Stage::new(vec![vec![failed(Some(60_000))]]) };
    assert_eq!(stage.run().await, RunEnd::BudgetExhausted);
    assert_eq!(stage.count("engine.retry"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_empty_answer_is_asked_for_once_more_and_so_are_thoughts_alone() {
    let thought = || Some(Ok(StreamEvent::Token { token_type: TokenType::LlmThinking, text: "hm".into() }));
    for empty in [vec![end()], vec![text(" \n"), end()], vec![thought(), end()]] {
        let stage = Stage::new(vec![empty.clone(), vec![text("done"), end()]]);
        assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
        assert_eq!(retries(&stage).len(), 1);
        let stage = Stage::new(vec![empty.clone(), empty, vec![text("never"), end()]]);
        let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
        assert!(fault.is(Code::PROVIDER_BAD_ANSWER));
        assert_eq!(stage.model.turns.lock().unwrap().len(), 1, "asked more than once more");
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_in_place_of_an_answer_is_asked_past_but_not_for_long() {
    let page = || vec![Some(Err(Error::new(Code::PROVIDER_BAD_ANSWER, "it is a web page", "Check the address.")))];
    let stage = Stage::new(vec![page(), page(), vec![text("done"), end()]]);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    let stage = Stage::new(vec![page(), page(), page(), vec![text("never"), end()]]);
    assert!(matches!(stage.run().await, RunEnd::Failed(fault) if fault.is(Code::PROVIDER_BAD_ANSWER)));
}
