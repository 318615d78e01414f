//! The loop against ports made of data: no files, no network, no clock.

use crate::core::Core;
use crate::{CompactionParts, RunControl, RunEnd, RunHost, RunParts, RunSnapshot, core};
use arki_context::CountTokens;
use arki_domain::projection::{AnsweredHooks, PendingCall, Progress, RunState, StateSavingStrategy, Transcript};
use arki_domain::*;
use arki_redaction::Redactor;
use async_trait::async_trait;
use futures_util::StreamExt;
use memory_log::MemoryLog;
use std::sync::{Arc, Mutex};
use std::time::Duration;

mod background;
mod compacting;
mod cores;
mod hooks;
mod limits;
mod memory_log;
mod refusing;
mod retrying;
mod reviewer;
mod session_state;
mod steering;

#[derive(Default)]
struct Deltas(Mutex<String>);

impl LiveBus for Deltas {
    fn publish(&self, event: LiveEvent) {
        if let LiveEvent::Delta { delta, .. } = event {
            self.0.lock().unwrap().push_str(&delta.text);
        }
    }
}

/// One turn of the model; `None` is something that never comes.
type Turn = Vec<Option<Result<StreamEvent, Error>>>;

/// Answers turn after turn.
struct Script {
    turns: Mutex<std::vec::IntoIter<Turn>>,
    message_counts: Mutex<Vec<usize>>,
    /// The user's message while the first request is under way, and the mode it is queued in.
    meanwhile: Mutex<Option<(Arc<MemoryLog>, QueueMode)>>,
    /// The time that each step of the stream takes.
    pace: Mutex<Duration>,
    /// The known context window at each request.
    windows: Mutex<Vec<u64>>,
}

#[async_trait]
impl ChatModel for Script {
    fn provider(&self) -> &str {
        "mock"
    }

    fn model(&self) -> &str {
        "mock"
    }

    fn prepare(&self, request: &ChatRequest) -> Result<PreparedRequest, Error> {
        self.message_counts.lock().unwrap().push(request.messages.len());
        Ok(PreparedRequest {
            request_hash: String::new(),
            message_count: request.messages.len(),
            head_bytes: 0,
            body: Default::default(),
        })
    }

    fn context_window(&self) -> Option<u64> {
        let requests = self.message_counts.lock().unwrap().len();
        self.windows.lock().unwrap().get(requests.saturating_sub(1)).copied()
    }

    async fn send(&self, _: PreparedRequest) -> Result<ChatStream, Error> {
        let meanwhile = self.meanwhile.lock().unwrap().take();
        if let Some((log, mode)) = meanwhile {
            let queued = MessageQueued { message_id: MessageId::from("m"), text: "and tests".into(), mode };
            log.append(&SessionId::from("session"), vec![EventDraft::of_session(queued)]).await?;
        }
        let events = self.turns.lock().unwrap().next().unwrap_or_default();
        let pace = *self.pace.lock().unwrap();
        Ok(futures_util::stream::iter(events)
            .then(move |event| async move {
                if !pace.is_zero() {
                    tokio::time::sleep(pace).await;
                }
                match event {
                    Some(event) => event,
                    None => std::future::pending().await,
                }
            })
            .boxed())
    }
}

/// Every call succeeds, or waits for an approval.
struct Hands {
    log: Arc<MemoryLog>,
    waits: bool,
    /// The user stops the run while a call comes to wait.
    stopped_meanwhile: bool,
    /// The mode of the user's message in the midst of a call.
    meanwhile: Option<QueueMode>,
    hooks: Arc<Mutex<Vec<HookRan>>>,
}

#[async_trait]
impl Executor for Hands {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        Arc::new([])
    }

    async fn execute(&self, pending: &PendingCall, context: &CallContext) -> Result<Executed, Error> {
        if self.waits {
            if self.stopped_meanwhile {
                context.cancel.cancel();
            }
            return Ok(Executed { outcome: CallOutcome::AwaitingApproval(ApprovalId::from("a1")), events: Vec::new() });
        }
        let result = result_of(pending);
        let mut events = Vec::new();
        if let Some(mode) = self.meanwhile {
            let begun = StateSnapshot { checkpoint_id: CheckpointId::new(), last_seq: 0 };
            events = self.log.append(&context.session_id, vec![EventDraft::of_run(&context.run_id, begun)]).await?;
            let queued = MessageQueued { message_id: MessageId::new(), text: "and tests".into(), mode };
            self.log.append(&context.session_id, vec![EventDraft::of_session(queued)]).await?;
        }
        let draft = EventDraft::of_run(&context.run_id, result);
        events.extend(self.log.append(&context.session_id, vec![draft]).await?);
        Ok(Executed { outcome: CallOutcome::Finished, events })
    }

    /// The next of the hooks, if it is of this event.
    async fn run_hooks(
        &self,
        moment: &HookMoment,
        answered: &AnsweredHooks,
        context: &CallContext,
    ) -> Result<Vec<Arc<Event>>, Error> {
        let is_next = |ran: &HookRan| ran.event == Some(moment.event()) && answered.at(moment).next().is_none();
        let next = {
            let mut hooks = self.hooks.lock().unwrap();
            hooks.first().is_some_and(is_next).then(|| hooks.remove(0))
        };
        let Some(ran) = next else { return Ok(Vec::new()) };
        let ran = HookRan { message_id: moment.message_id().cloned(), ..ran };
        self.log.append(&context.session_id, vec![EventDraft::of_run(&context.run_id, ran)]).await
    }
}

/// A call's result that says nothing.
fn result_of(pending: &PendingCall) -> ToolResult {
    ToolResult {
        call_id: pending.call.call_id.clone(),
        tool_id: pending.call.tool_id.clone(),
        result: "ok".into(),
        styles: Vec::new(),
        is_error: false,
        duration_ms: 0,
        truncated: false,
        code: None,
        possible_secrets: 0,
        async_call_id: None,
        process_id: None,
        usage: None,
        background: Vec::new(),
        elicitations: Vec::new(),
    }
}

const MAX_ANSWER: std::time::Duration = std::time::Duration::from_secs(1800);

struct Stage {
    log: Arc<MemoryLog>,
    deltas: Arc<Deltas>,
    model: Arc<Script>,
    waits: bool,
    stopped_meanwhile: bool,
    heard_in_a_call: Option<QueueMode>,
    options: RunOptions,
    control: RunControl,
    redactor: Redactor,
    core: &'static dyn Core,
    compaction: CompactionParts,
    state_saving: StateSavingStrategy,
    /// As they answer, one after another.
    hooks: Arc<Mutex<Vec<HookRan>>>,
    parent: Option<ParentCall>,
    /// Instead of the usual hands.
    executor: Option<Arc<dyn Executor>>,
    clock: Arc<dyn Clock>,
}

impl Stage {
    fn new(turns: Vec<Turn>) -> Self {
        let model = Script {
            turns: Mutex::new(turns.into_iter()),
            message_counts: Mutex::default(),
            meanwhile: Mutex::default(),
            pace: Mutex::default(),
            windows: Mutex::default(),
        };
        Self {
            log: Arc::default(),
            deltas: Arc::default(),
            model: Arc::new(model),
            waits: false,
            stopped_meanwhile: false,
            heard_in_a_call: None,
            options: RunOptions::default(),
            control: RunControl::default(),
            redactor: Redactor::default(),
            core: core("tool-loop").unwrap(),
            hooks: Arc::default(),
            parent: None,
            state_saving: StateSavingStrategy::default(),
            executor: None,
            clock: Arc::new(SystemClock),
            compaction: CompactionParts {
                strategy: CompactionStrategy::KeepRecent,
                at_fraction: 0.8,
                history_limit: None,
                model: None,
                estimate: Arc::new(NoTokens),
            },
        }
    }

    fn started(&self) -> RunStarted {
        RunStarted {
            prompt: "go".into(),
            agent: "arki".into(),
            model: "mock/mock".into(),
            core: self.core.name().into(),
            system_prompt_hash: String::new(),
            options: self.options.clone(),
            message_id: None,
            parent: self.parent.clone(),
            session_start: Some(SessionSource::Startup),
            request: None,
        }
    }

    async fn run(&self) -> RunEnd {
        self.try_run().await.unwrap()
    }

    async fn try_run(&self) -> Result<RunEnd, Error> {
        let session_id = SessionId::from("session");
        let draft = EventDraft::of_run(&RunId::from("run"), self.started());
        let events = self.log.append(&session_id, vec![draft]).await.unwrap();
        let mut transcript = Transcript::default();
        transcript.apply(&events[0]);
        let parts = RunParts {
            log: self.log.clone(),
            bus: self.deltas.clone(),
            model: self.model.clone(),
            executor: self.executor.clone().unwrap_or_else(|| self.hands()),
            clock: self.clock.clone(),
            redactor: self.redactor.clone(),
            system: Arc::from("system"),
            images: Arc::default(),
            model_options: ModelOptions::default(),
            is_retryable: |fault| fault.is(Code::PROVIDER_FAILED) || fault.is(Code::PROVIDER_TIMEOUT),
            max_answer: MAX_ANSWER,
            compaction: self.compaction.clone(),
            late_context: Arc::new(NoLateContext),
            state_saving: self.state_saving,
        };
        let state = RunState::start(&events[0]).unwrap();
        let standing = RunSnapshot { state, transcript, progress: Progress::default(), last_seq: 1 };
        RunHost::new(parts, session_id, standing, self.control.clone()).run(self.core).await
    }

    fn hands(&self) -> Arc<dyn Executor> {
        Arc::new(Hands {
            log: self.log.clone(),
            waits: self.waits,
            stopped_meanwhile: self.stopped_meanwhile,
            meanwhile: self.heard_in_a_call,
            hooks: self.hooks.clone(),
        })
    }

    fn refuse(&self, refuses: impl Fn(&EventBody) -> Option<Error> + Send + 'static) {
        self.log.1.lock().unwrap().refuses = Some(Box::new(refuses));
    }

    fn hears_meanwhile(&self, mode: QueueMode) {
        *self.model.meanwhile.lock().unwrap() = Some((self.log.clone(), mode));
    }

    fn count(&self, kind: &str) -> usize {
        self.log.kinds().iter().filter(|known| *known == kind).count()
    }
}

fn text(text: &str) -> Option<Result<StreamEvent, Error>> {
    Some(Ok(StreamEvent::Token { token_type: TokenType::LlmResponse, text: text.into() }))
}

fn call(call_id: &str) -> Option<Result<StreamEvent, Error>> {
    let (tool_id, arguments) = ("read_file".to_owned(), "{}".to_owned());
    Some(Ok(StreamEvent::ToolCall(ToolRequest { call_id: CallId::from(call_id), tool_id, arguments })))
}

fn end() -> Option<Result<StreamEvent, Error>> {
    Some(Ok(StreamEvent::End))
}

#[tokio::test]
async fn calls_are_carried_out_until_the_model_has_answered() {
    let stage = Stage::new(vec![vec![call("c"), call("d"), end()], vec![text("all "), text("done"), end()]]);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "all done".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 4]);
    assert_eq!((stage.count("tool.call"), stage.count("tool.result")), (2, 2));
    assert_eq!(stage.log.kinds().last().unwrap(), "run.completed");
}

#[tokio::test]
async fn the_context_window_is_told_once_and_again_when_it_is_another() {
    let turn = || vec![call("c"), end()];
    let stage = Stage::new(vec![turn(), turn(), turn(), vec![text("done"), end()]]);
    *stage.model.windows.lock().unwrap() = vec![8192, 8192, 4096, 4096];
    stage.run().await;
    let log = stage.log.0.lock().unwrap();
    let told: Vec<Option<u64>> = log
        .iter()
        .filter_map(|event| match event.body() {
            EventBody::EngineRequest(request) => Some(request.context_window),
            _ => None,
        })
        .collect();
    assert_eq!(told, [Some(8192), None, Some(4096), None]);
}

#[tokio::test]
async fn repeated_call_ids_are_made_unique() {
    let turn = || vec![call("same"), call("same"), end()];
    let stage = Stage::new(vec![turn(), turn(), vec![text("done"), end()]]);
    stage.run().await;
    let log = stage.log.0.lock().unwrap();
    let ids: std::collections::HashSet<_> = log
        .iter()
        .filter_map(|event| match event.body() {
            EventBody::ToolCall(call) => Some(call.call_id),
            _ => None,
        })
        .collect();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn a_stream_that_breaks_keeps_what_came_and_fails_in_words() {
    let fault = Error::new(Code::PROVIDER_STREAM_CUT, "cut", "again");
    let stage = Stage::new(vec![vec![text("half"), Some(Err(fault.clone()))]]);
    assert_eq!(stage.run().await, RunEnd::Failed(fault));
    let kinds = stage.log.kinds();
    assert_eq!(kinds[kinds.len() - 3..], ["engine.response", "output.message", "run.failed"]);
    let log = stage.log.0.lock().unwrap();
    let counted = log.iter().find_map(|event| match event.body() {
        EventBody::EngineResponse(response) => Some(response.usage),
        _ => None,
    });
    assert_eq!(counted.unwrap().cost_usd, None, "what nobody counted is not known");
}

#[tokio::test]
async fn an_empty_answer_is_a_failure_not_a_silence() {
    let stage = Stage::new(vec![vec![text("  "), end()]]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.is(Code::PROVIDER_BAD_ANSWER));
}

#[tokio::test]
async fn an_empty_answer_says_why_where_the_model_does() {
    for (why, code, word) in [
        (FinishReason::ContentFilter, Code::CONTENT_REFUSED, "refused"),
        (FinishReason::Length, Code::PROVIDER_BAD_ANSWER, "output limit"),
    ] {
        let ended = StreamEvent::Metadata { finish_reason: Some(why), usage: None };
        let stage = Stage::new(vec![vec![Some(Ok(ended)), end()]]);
        let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
        assert!(fault.is(code) && fault.message.contains(word), "{fault:?}");
    }
}

#[tokio::test]
async fn stopping_keeps_the_partial_answer_marked_as_interrupted() {
    let stage = Stage::new(vec![vec![text("half"), None]]);
    let cancel = stage.control.cancel.clone();
    let deltas = stage.deltas.clone();
    let stopping = async move {
        while deltas.0.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(stage.run(), stopping);
    assert_eq!(ended, RunEnd::Cancelled);
    let log = stage.log.0.lock().unwrap();
    let kept = log.iter().find_map(|event| match event.body() {
        EventBody::OutputMessage(message) => Some((message.content, message.interrupted)),
        _ => None,
    });
    assert_eq!(kept, Some(("half".to_owned(), true)));
}

#[tokio::test]
async fn a_run_stops_at_its_first_approval() {
    let stage = Stage { waits: true, ..Stage::new(vec![vec![call("c"), call("d"), end()]]) };
    assert_eq!(stage.run().await, RunEnd::AwaitingApproval(ApprovalId::from("a1")));
    assert_eq!((stage.count("run.paused"), stage.count("tool.result")), (1, 0));
}

#[tokio::test]
async fn a_run_that_is_stopped_while_it_comes_to_wait_ends() {
    let stage = Stage { waits: true, stopped_meanwhile: true, ..Stage::new(vec![vec![call("c"), end()]]) };
    assert_eq!(stage.run().await, RunEnd::Cancelled);
    assert_eq!(stage.log.kinds().last().unwrap().as_str(), "run.cancelled");
}

#[tokio::test]
async fn a_budget_of_turns_pauses_and_does_not_fail() {
    let turns = (0..5).map(|number| vec![call(&format!("c{number}")), end()]).collect();
    let options = RunOptions { max_turns: Some(3), ..RunOptions::default() };
    let stage = Stage { options, ..Stage::new(turns) };
    assert_eq!(stage.run().await, RunEnd::BudgetExhausted);
    assert_eq!((stage.count("engine.request"), stage.log.kinds().last().unwrap().as_str()), (3, "run.paused"));
}

#[tokio::test]
async fn a_key_that_the_model_repeats_is_neither_shown_nor_stored() {
    let stage = Stage::new(vec![vec![text("key: sk-sec"), text("ret-123"), text("."), end()]]);
    stage.redactor.add("mock", "sk-secret-123");
    let shown = stage.redactor.redact("key: sk-secret-123.").into_owned();
    assert_eq!(stage.run().await, RunEnd::Completed { response: shown.clone() });
    assert_eq!(*stage.deltas.0.lock().unwrap(), shown);
}

#[tokio::test]
async fn a_pause_lets_the_step_end_and_begins_no_other() {
    let stage = Stage::new(vec![vec![call("c"), end()]]);
    stage.control.pause.cancel();
    assert_eq!(stage.run().await, RunEnd::Paused);
    let log = stage.log.0.lock().unwrap();
    let paused = log.last().map(|event| event.body());
    assert_eq!(paused, Some(RunPaused::because(PauseReason::User).into()));
}

/// Nothing gets long here.
struct NoTokens;

impl CountTokens for NoTokens {
    fn text(&self, _: &str) -> u64 {
        0
    }

    fn message(&self, _: &Message) -> u64 {
        0
    }

    fn tool(&self, _: &ToolDefinition) -> u64 {
        0
    }
}
