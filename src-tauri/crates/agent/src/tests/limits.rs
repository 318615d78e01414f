//! Answers, calls and disks that are larger, or smaller, than a run can do with: it ends, and says why.

use super::*;
use crate::answer::KEEP_PARTIAL_EVERY;
use crate::bounds::{MAX_ANSWER_BYTES, MAX_ARGUMENT_BYTES, MAX_ARGUMENT_DEPTH};

fn call_with(arguments: String) -> Option<Result<StreamEvent, Error>> {
    let call = ToolRequest { call_id: CallId::from("c"), tool_id: "read_file".into(), arguments };
    Some(Ok(StreamEvent::ToolCall(call)))
}

fn bodies(stage: &Stage) -> Vec<EventBody> {
    stage.log.0.lock().unwrap().iter().map(|event| event.body()).collect()
}

/// The last message of the run, and how the run failed.
fn failure(stage: &Stage) -> (OutputMessage, RunFailed) {
    match &bodies(stage)[..] {
        [.., EventBody::OutputMessage(message), EventBody::RunFailed(failed)] => (message.clone(), failed.clone()),
        other => panic!("{:?}", other.last().map(EventBody::kind)),
    }
}

#[tokio::test]
async fn an_answer_without_end_is_ended_at_the_limit_and_its_beginning_kept() {
    let piece = "x".repeat(MAX_ANSWER_BYTES / 4);
    let endless = (0..5).map(|_| text(&piece)).chain([None]).collect();
    let stage = Stage::new(vec![endless]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    let (message, failed) = failure(&stage);
    assert!(fault.is(Code::ANSWER_TOO_LONG) && failed.code == fault.code && !failed.hint.is_empty());
    assert_eq!((message.content.len(), message.interrupted), (MAX_ANSWER_BYTES, true));
    assert_eq!(stage.deltas.0.lock().unwrap().len(), MAX_ANSWER_BYTES);
}

#[tokio::test]
async fn an_answer_that_is_too_long_by_what_was_held_back_is_not_taken_for_whole() {
    let stage = Stage::new(vec![vec![text(&"x".repeat(MAX_ANSWER_BYTES)), text("sk-sec"), end()]]);
    stage.redactor.add("mock", "sk-secret-123");
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.is(Code::ANSWER_TOO_LONG) && failure(&stage).0.interrupted);
}

#[tokio::test]
async fn an_answer_of_just_the_limit_is_whole() {
    let most = "x".repeat(MAX_ANSWER_BYTES);
    let stage = Stage::new(vec![vec![text(&most), end()]]);
    assert!(stage.run().await == RunEnd::Completed { response: most });
}

#[tokio::test]
async fn arguments_that_cannot_be_stored_are_answered_with_an_error_and_the_run_goes_on() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(MAX_ARGUMENT_DEPTH), "]".repeat(MAX_ARGUMENT_DEPTH));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_ARGUMENT_BYTES));
    for arguments in [deep, long] {
        let stage = Stage::new(vec![vec![call_with(arguments), end()], vec![text("smaller then"), end()]]);
        assert_eq!(stage.run().await, RunEnd::Completed { response: "smaller then".into() });
        let results: Vec<_> = bodies(&stage)
            .into_iter()
            .filter_map(|body| match body {
                EventBody::ToolResult(result) => Some((result.is_error, result.code)),
                _ => None,
            })
            .collect();
        assert_eq!(results, [(true, Some("ARGUMENTS_INVALID".to_owned()))]);
    }
}

#[tokio::test]
async fn a_run_whose_event_the_log_refuses_fails_and_does_not_stay_open() {
    for code in [Code::EVENT_TOO_LARGE, Code::EVENT_TOO_DEEP] {
        let stage = Stage::new(vec![vec![call("c"), end()]]);
        stage.refuse(move |body| {
            matches!(body, EventBody::ToolCall(_)).then(|| Error::new(code, "It is too much.", "Ask for less."))
        });
        let fault = Error::new(code, "It is too much.", "Ask for less.");
        assert_eq!(stage.run().await, RunEnd::Failed(fault));
        assert!(matches!(bodies(&stage).last(), Some(EventBody::RunFailed(failed)) if failed.code == code.0));
    }
}

#[tokio::test]
async fn a_disk_that_fills_up_ends_the_run_in_words_where_there_is_room_for_them() {
    let full = || Error::new(Code::DISK_FULL, "The disk is full.", "Free some space.");
    let stage = Stage::new(vec![vec![text("half"), call("c"), end()]]);
    stage.refuse(move |body| matches!(body, EventBody::ToolCall(_)).then(full));
    assert_eq!(stage.run().await, RunEnd::Failed(full()));
    assert_eq!(stage.log.kinds(), ["run.started", "engine.request", "run.failed"]);
}

#[tokio::test]
async fn a_disk_without_any_room_stops_the_run_and_says_so() {
    let full = || Error::new(Code::DISK_FULL, "The disk is full.", "Free some space.");
    let stage = Stage::new(vec![vec![text("half"), call("c"), end()]]);
    stage.refuse(move |body| (!matches!(body, EventBody::RunStarted(_) | EventBody::EngineRequest(_))).then(full));
    assert_eq!(stage.try_run().await, Err(full()));
    assert_eq!(stage.log.kinds(), ["run.started", "engine.request"], "it can go on from there");
}

/// A model that takes its time: each token comes later than a piece is due.
#[tokio::test(start_paused = true)]
async fn each_piece_is_kept_once_and_none_holds_a_part_of_a_key() {
    // The last character begins no secret: such a one is held back to the end.
    let tokens = ["one ", "sk-se", "cret", "-123 ", "two!"];
    let slow = tokens.iter().map(|token| text(token)).chain([end()]).collect();
    let stage = Stage::new(vec![slow]);
    *stage.model.pace.lock().unwrap() = KEEP_PARTIAL_EVERY;
    stage.redactor.add("mock", "sk-secret-123");
    let key = stage.redactor.redact("sk-secret-123").into_owned();
    assert_eq!(stage.run().await, RunEnd::Completed { response: format!("one {key} two!") });
    let beside = stage.log.1.lock().unwrap();
    let pieces: Vec<&str> = beside.pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert_eq!(pieces.concat(), format!("one {key} two!"));
    assert!(pieces.len() > 1 && pieces.iter().any(|piece| piece.contains(&key)), "{pieces:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_goes_on_and_on_is_stopped_after_its_time_and_its_beginning_kept() {
    let stage = Stage::new(vec![vec![text("It goes on"), None]]);
    let begun = tokio::time::Instant::now();
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    let (message, failed) = failure(&stage);
    assert!(fault.is(Code::ANSWER_TIMEOUT) && failed.code == fault.code && !failed.retryable, "{fault:?}");
    assert!(fault.message.contains("30 minutes"), "{fault:?}");
    assert_eq!((message.content.as_str(), message.interrupted), ("It goes on", true));
    assert!(begun.elapsed() >= MAX_ANSWER && begun.elapsed() < MAX_ANSWER * 2);
}

/// Shows the time of day once, and ten years later from then on.
#[derive(Default)]
struct SetForward(std::sync::atomic::AtomicBool);

impl Clock for SetForward {
    fn now_ms(&self) -> i64 {
        let is_set = self.0.swap(true, std::sync::atomic::Ordering::Relaxed);
        SystemClock.now_ms() + if is_set { 10 * 365 * 24 * 60 * 60 * 1000 } else { 0 }
    }
}

#[tokio::test]
async fn a_time_limit_takes_no_notice_when_the_clock_is_set() {
    let mut stage = Stage::new(vec![vec![call("c"), end()], vec![text("done"), end()]]);
    // The log's first event is of 1970.
    stage.options.max_seconds = u64::try_from(SystemClock.now_ms() / 1000 + 3600).ok();
    stage.clock = Arc::new(SetForward::default());
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
}
