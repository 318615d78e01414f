use super::*;
use crate::{Compacted, SessionLog, SessionToCompact, compact_session};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// Letters are tokens; counts how often a message is counted.
#[derive(Default)]
struct Letters(AtomicUsize);

impl CountTokens for Letters {
    fn text(&self, text: &str) -> u64 {
        text.len() as u64
    }

    fn message(&self, message: &Message) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        match message {
            Message::User { content, .. } => content.len() as u64,
            Message::Assistant { content, .. } => content.len() as u64,
            _ => 0,
        }
    }

    fn tool(&self, _: &ToolDefinition) -> u64 {
        0
    }
}

fn parts(estimate: Arc<dyn CountTokens>) -> CompactionParts {
    CompactionParts {
        strategy: CompactionStrategy::SummarizeEarly,
        at_fraction: 0.8,
        history_limit: None,
        model: None,
        estimate,
    }
}

/// What becomes of a long session that is made shorter with this summary.
async fn compacted(summary: Turn, cancel: CancellationToken) -> (Compacted, Vec<EventBody>) {
    let stage = Stage::new(vec![summary]);
    let session_id = SessionId::from("session");
    for turn in 1..10 {
        let run_id = RunId::from(format!("run{turn}").as_str());
        let started = RunStarted { prompt: "ask ".repeat(40), ..stage.started() };
        let said = OutputMessage {
            turn,
            role: Role::Assistant,
            content: "word ".repeat(200),
            thoughts: None,
            reasoning: None,
            interrupted: false,
            retried: false,
        };
        let drafts = vec![EventDraft::of_run(&run_id, started), EventDraft::of_run(&run_id, said)];
        stage.log.append(&session_id, drafts).await.unwrap();
    }
    let mut transcript = Transcript::default();
    let said = stage.log.0.lock().unwrap().clone();
    said.iter().for_each(|event| transcript.apply(event));
    let (progress, compaction) = (Progress::default(), parts(Arc::new(Letters::default())));
    let compacted = compact_session(SessionToCompact {
        log: SessionLog { log: &*stage.log, session_id: &session_id },
        model: stage.model.clone(),
        compaction: &compaction,
        transcript: &mut transcript,
        progress: &progress,
        fixed: 10,
        focus: None,
        max_answer: MAX_ANSWER,
        cancel: &cancel,
    });
    let compacted = compacted.await.unwrap();
    let events = stage.log.0.lock().unwrap();
    (compacted, events[said.len()..].iter().map(|event| event.body()).collect())
}

#[track_caller]
fn is_unknown_cost(body: &EventBody) {
    let EventBody::EngineResponse(response) = body else { panic!("{body:?}") };
    assert_eq!((response.purpose, response.usage), (Some(RequestPurpose::Compaction), Usage::unknown()));
}

#[tokio::test]
async fn a_summary_that_breaks_off_is_counted_as_a_request_of_unknown_cost() {
    let broken = Error::new(Code::PROVIDER_FAILED, "It broke.", "Try again.");
    let (compacted, events) = compacted(vec![text("We were"), Some(Err(broken))], CancellationToken::new()).await;
    assert!(matches!(compacted, Compacted::Done(_)), "{compacted:?}");
    let [EventBody::EngineRequest(_), response, EventBody::ContextCompacted(without)] = &events[..] else {
        panic!("{events:?}")
    };
    is_unknown_cost(response);
    assert!(without.summary.is_empty() || !without.summary.contains("We were"));
}

#[tokio::test]
async fn a_summary_that_nobody_waits_for_any_more_is_counted_and_nothing_else_happens() {
    let cancel = CancellationToken::new();
    let stopping = cancel.clone();
    let work = compacted(vec![text("We were"), None], cancel);
    let stop = async {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        stopping.cancel();
    };
    let ((compacted, events), ()) = tokio::join!(work, stop);
    assert_eq!(compacted, Compacted::Stopped);
    let [EventBody::EngineRequest(_), response] = &events[..] else { panic!("{events:?}") };
    is_unknown_cost(response);
}

#[tokio::test]
async fn that_the_tools_leave_no_room_is_found_out_once_a_run() {
    let calls = (0..5).map(|_| vec![call("c"), end()]).chain([vec![text("done"), end()]]);
    let mut stage = Stage::new(calls.collect());
    *stage.model.windows.lock().unwrap() = vec![60; 20];
    let letters = Arc::new(Letters::default());
    stage.compaction = CompactionParts { at_fraction: 0.1, ..parts(letters.clone()) };
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    let messages = *stage.model.message_counts.lock().unwrap().iter().max().unwrap();
    let counted = letters.0.load(Ordering::Relaxed);
    assert!(counted <= messages + 2, "{counted} times a message was counted, of which there are {messages}");
}

#[tokio::test]
async fn what_a_known_window_has_no_room_for_is_never_sent() {
    let mut stage = Stage::new(vec![vec![text("done"), end()]]);
    *stage.model.windows.lock().unwrap() = vec![5; 20];
    stage.compaction = parts(Arc::new(Letters::default()));
    let RunEnd::Failed(fault) = stage.run().await else { panic!("it was sent") };
    assert!(fault.is(Code::CONTEXT_TOO_LONG) && fault.message.contains("window has 5"), "{fault:?}");
    assert_eq!((stage.count("engine.request"), stage.count("run.failed")), (0, 1));
}

#[tokio::test]
async fn a_window_that_is_not_known_is_the_providers_to_judge() {
    let mut stage = Stage::new(vec![vec![text("done"), end()]]);
    stage.compaction = parts(Arc::new(Letters::default()));
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
}

#[tokio::test]
async fn an_empty_answer_cut_by_its_length_is_of_the_length_where_the_window_is_nearly_full() {
    let cut = || Some(Ok(StreamEvent::Metadata { finish_reason: Some(FinishReason::Length), usage: None }));
    let ended = async |window: u64| {
        let mut stage = Stage::new(vec![vec![cut(), end()], vec![cut(), end()]]);
        *stage.model.windows.lock().unwrap() = vec![window; 20];
        stage.compaction = CompactionParts { at_fraction: 1.0, ..parts(Arc::new(Letters::default())) };
        match stage.run().await {
            RunEnd::Failed(fault) if stage.count("engine.request") > 0 => Some(fault.code),
            _ => None,
        }
    };
    let mut codes = Vec::new();
    for window in 2..30 {
        codes.extend(ended(window).await);
    }
    assert_eq!(codes.first().map(String::as_str), Some(Code::CONTEXT_TOO_LONG.0), "{codes:?}");
    assert_eq!(ended(100_000).await.as_deref(), Some(Code::PROVIDER_BAD_ANSWER.0));
}
