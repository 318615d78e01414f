//! The loop itself. Each step is: look at the run's state, do what comes next, append, fold what was appended.

use crate::answer::{Answer, AnswerEnd, KEEP_PARTIAL_EVERY_MS};
use crate::budget;
use arki_domain::projection::{CallProgress, NextStep, PendingCall, RunPhase, RunState, Transcript};
use arki_domain::{
    ApprovalId, CallContext, CallOutcome, ChatModel, ChatRequest, Clock, Code, EngineRequest, EngineResponse, Event,
    EventBody, EventDraft, EventLog, Executor, Fault, LiveBus, ModelOptions, OutputMessage, PauseReason, Redactor,
    Role, RunCancelled, RunCompleted, RunFailed, RunPaused, SessionId, ToolCall, ToolResult,
};
use futures_util::StreamExt;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What the loop works with; everything that touches the world is behind a port.
#[derive(Clone)]
pub struct RunParts {
    pub log: Arc<dyn EventLog>,
    pub bus: Arc<dyn LiveBus>,
    pub model: Arc<dyn ChatModel>,
    pub executor: Arc<dyn Executor>,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
    /// Frozen for the run, as are the executor's definitions.
    pub system: Arc<str>,
    pub model_options: ModelOptions,
    /// Says whether a failed run may simply be tried again.
    pub is_retryable: fn(&Fault) -> bool,
}

/// Where the loop stopped. All but the approval and the budget are ends of the run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    Completed { response: String },
    Failed(Fault),
    Cancelled,
    AwaitingApproval(ApprovalId),
    BudgetExhausted,
}

/// One run, from wherever it stands to its next stop.
pub struct ToolLoop {
    parts: RunParts,
    session_id: SessionId,
    state: RunState,
    transcript: Transcript,
    cancel: CancellationToken,
}

impl ToolLoop {
    #[must_use]
    pub fn new(
        parts: RunParts,
        session_id: SessionId,
        state: RunState,
        transcript: Transcript,
        cancel: CancellationToken,
    ) -> Self {
        Self { parts, session_id, state, transcript, cancel }
    }

    /// Goes on until the run ends or has to wait.
    ///
    /// # Errors
    /// Only those of the log: without it nothing can be said to have happened.
    pub async fn run(mut self) -> Result<RunEnd, Fault> {
        loop {
            if self.cancel.is_cancelled() {
                return self.cancelled().await;
            }
            match self.state.next_step() {
                NextStep::Execute(pending) => {
                    if let Some(end) = self.execute(&pending).await? {
                        return Ok(end);
                    }
                }
                NextStep::AskModel if budget::is_exhausted(&self.state, self.parts.clock.now_ms()) => {
                    return self.out_of_budget().await;
                }
                NextStep::AskModel => {
                    if let Some(end) = self.ask_model().await? {
                        return Ok(end);
                    }
                }
                NextStep::Complete => return self.completed().await,
                NextStep::Ended => return Ok(self.ended()),
            }
        }
    }

    async fn execute(&mut self, pending: &PendingCall) -> Result<Option<RunEnd>, Fault> {
        let context = CallContext {
            session_id: self.session_id.clone(),
            run_id: self.state.run_id.clone(),
            options: self.state.options.clone(),
            cancel: self.cancel.clone(),
        };
        let executed = self.parts.executor.execute(pending, &context).await?;
        for event in executed.events {
            self.fold(&event);
        }
        match executed.outcome {
            CallOutcome::Finished => Ok(None),
            CallOutcome::AwaitingApproval(approval_id) => {
                if self.state.phase != RunPhase::Paused(PauseReason::Approval) {
                    let paused = RunPaused { reason: PauseReason::Approval, approval_id: Some(approval_id.clone()) };
                    self.append(vec![paused.into()]).await?;
                }
                Ok(Some(RunEnd::AwaitingApproval(approval_id)))
            }
        }
    }

    async fn ask_model(&mut self) -> Result<Option<RunEnd>, Fault> {
        let turn = self.state.turn + 1;
        let request = self.request();
        let prepared = match self.parts.model.prepare(&request) {
            Ok(prepared) => prepared,
            Err(fault) => return self.failed(fault, None).await.map(Some),
        };
        self.append(vec![
            EngineRequest {
                turn,
                provider: self.parts.model.provider().to_owned(),
                model: self.parts.model.model().to_owned(),
                request_hash: prepared.request_hash.clone(),
                message_count: prepared.message_count,
            }
            .into(),
        ])
        .await?;
        let mut answer = Answer::new(
            self.session_id.clone(),
            self.state.run_id.clone(),
            turn,
            &self.parts.redactor,
            self.parts.bus.clone(),
        );
        let started = Instant::now();
        let end = self.stream(prepared, &mut answer, started).await?;
        answer.finish();
        let duration_ms = elapsed_ms(started);
        match end {
            AnswerEnd::Finished if answer.is_empty() => {
                let fault = Fault::new(
                    Code::PROVIDER_BAD_ANSWER,
                    format!("{} sent an empty answer.", self.parts.model.provider()),
                    "Try again, or choose another model.",
                );
                self.failed(fault, Some(answer)).await.map(Some)
            }
            AnswerEnd::Finished => self.answered(answer, duration_ms).await.map(|()| None),
            AnswerEnd::Cancelled => {
                self.interrupted(answer).await?;
                self.cancelled().await.map(Some)
            }
            AnswerEnd::OutOfTime => {
                self.interrupted(answer).await?;
                self.out_of_budget().await.map(Some)
            }
            AnswerEnd::Failed(fault) => self.failed(fault, Some(answer)).await.map(Some),
        }
    }

    fn request(&mut self) -> ChatRequest {
        ChatRequest {
            system: self.parts.system.clone(),
            messages: self.transcript.messages(),
            tools: self.parts.executor.definitions(),
            options: self.parts.model_options.clone(),
        }
    }

    async fn stream(
        &self,
        prepared: arki_domain::PreparedRequest,
        answer: &mut Answer,
        started: Instant,
    ) -> Result<AnswerEnd, Fault> {
        let out_of_time = match budget::milliseconds_left(&self.state, self.parts.clock.now_ms()) {
            Some(left) => tokio::time::sleep(Duration::from_millis(left)),
            None => tokio::time::sleep(Duration::MAX),
        };
        tokio::pin!(out_of_time);
        let mut stream = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Ok(AnswerEnd::Cancelled),
            () = &mut out_of_time => return Ok(AnswerEnd::OutOfTime),
            sent = self.parts.model.send(prepared) => match sent {
                Ok(stream) => stream,
                Err(fault) => return Ok(AnswerEnd::Failed(fault)),
            },
        };
        let mut kept = Instant::now();
        loop {
            let next = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Ok(AnswerEnd::Cancelled),
                () = &mut out_of_time => return Ok(AnswerEnd::OutOfTime),
                next = stream.next() => next,
            };
            match next {
                Some(Ok(event)) => {
                    if answer.take(event, elapsed_ms(started)) {
                        return Ok(AnswerEnd::Finished);
                    }
                }
                None => return Ok(AnswerEnd::Finished),
                Some(Err(fault)) => return Ok(AnswerEnd::Failed(fault)),
            }
            if elapsed_ms(kept) >= KEEP_PARTIAL_EVERY_MS {
                self.parts.log.keep_partial(&self.session_id, Some(answer.partial())).await?;
                answer.partly_kept = true;
                kept = Instant::now();
            }
        }
    }

    /// The whole answer is stored in one transaction, its calls included, before any of them is looked at.
    async fn answered(&mut self, mut answer: Answer, duration_ms: u64) -> Result<(), Fault> {
        answer.make_call_ids_unique(|call_id| self.transcript.has_call(call_id));
        let mut bodies: Vec<EventBody> = vec![
            EngineResponse {
                turn: answer.turn,
                finish_reason: answer.finish_reason,
                usage: answer.usage,
                ttft_ms: answer.first_token_after_ms,
                duration_ms,
            }
            .into(),
        ];
        if !answer.text.is_empty() || !answer.thoughts.is_empty() {
            bodies.push(message(&answer, false).into());
        }
        let definitions = self.parts.executor.definitions();
        bodies.extend(answer.calls.iter().map(|call| {
            let definition = definitions.iter().find(|definition| definition.name == call.tool_id);
            EventBody::from(ToolCall {
                turn: answer.turn,
                call_id: call.call_id.clone(),
                tool_id: call.tool_id.clone(),
                args: serde_json::from_str(&call.arguments).unwrap_or_else(|_| Value::String(call.arguments.clone())),
                category: definition.map(|definition| definition.category),
            })
        }));
        self.append(bodies).await?;
        self.clear_partial(&answer).await
    }

    /// What arrived before the answer was cut off is kept, marked as such.
    async fn interrupted(&mut self, mut answer: Answer) -> Result<(), Fault> {
        answer.calls.clear();
        if !answer.text.is_empty() || !answer.thoughts.is_empty() {
            self.append(vec![message(&answer, true).into()]).await?;
        }
        self.clear_partial(&answer).await
    }

    async fn clear_partial(&self, answer: &Answer) -> Result<(), Fault> {
        if !answer.partly_kept {
            return Ok(());
        }
        self.parts.log.keep_partial(&self.session_id, None).await
    }

    async fn completed(&mut self) -> Result<RunEnd, Fault> {
        let response = self.state.last_text.clone();
        let completed = RunCompleted { response: response.clone(), turns: self.state.turn, usage: self.state.usage };
        self.append(vec![completed.into()]).await?;
        Ok(RunEnd::Completed { response })
    }

    async fn failed(&mut self, fault: Fault, answer: Option<Answer>) -> Result<RunEnd, Fault> {
        if let Some(answer) = answer {
            self.interrupted(answer).await?;
        }
        let failed = RunFailed {
            code: fault.code.clone(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
            retryable: (self.parts.is_retryable)(&fault),
        };
        self.append(vec![failed.into()]).await?;
        Ok(RunEnd::Failed(fault))
    }

    /// Calls that were never begun get a result that says so: every call has one, and the model is not left guessing.
    async fn cancelled(&mut self) -> Result<RunEnd, Fault> {
        let mut bodies: Vec<EventBody> =
            self.state.pending_calls().iter().map(|call| unfinished(call).into()).collect();
        bodies.push(
            RunCancelled {
                code: Code::CANCELLED.0.to_owned(),
                message: "The run was stopped.".to_owned(),
                retryable: true,
            }
            .into(),
        );
        self.append(bodies).await?;
        Ok(RunEnd::Cancelled)
    }

    async fn out_of_budget(&mut self) -> Result<RunEnd, Fault> {
        self.append(vec![RunPaused { reason: PauseReason::Budget, approval_id: None }.into()]).await?;
        Ok(RunEnd::BudgetExhausted)
    }

    fn ended(&self) -> RunEnd {
        match &self.state.phase {
            RunPhase::Failed { code, message, hint } => {
                RunEnd::Failed(Fault { code: code.clone(), message: message.clone(), hint: hint.clone() })
            }
            RunPhase::Cancelled => RunEnd::Cancelled,
            RunPhase::Active | RunPhase::Paused(_) | RunPhase::Completed => {
                RunEnd::Completed { response: self.state.last_text.clone() }
            }
        }
    }

    async fn append(&mut self, bodies: Vec<EventBody>) -> Result<(), Fault> {
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&self.state.run_id, body)).collect();
        for event in self.parts.log.append(&self.session_id, drafts).await? {
            self.fold(&event);
        }
        Ok(())
    }

    fn fold(&mut self, event: &Event) {
        self.state.apply(event);
        self.transcript.apply(event);
    }
}

fn message(answer: &Answer, interrupted: bool) -> OutputMessage {
    OutputMessage {
        turn: answer.turn,
        role: Role::Assistant,
        content: answer.text.clone(),
        thoughts: Some(answer.thoughts.clone()).filter(|thoughts| !thoughts.is_empty()),
        interrupted,
    }
}

fn unfinished(pending: &PendingCall) -> ToolResult {
    let result = match pending.progress {
        CallProgress::New | CallProgress::AwaitingApproval(_) | CallProgress::Resolved(_) => {
            "Not done: the user stopped the run before this call began."
        }
        CallProgress::Begun { .. } => "The user stopped the run during this call. Its effect is not known.",
    };
    ToolResult {
        call_id: pending.call.call_id.clone(),
        tool_id: pending.call.tool_id.clone(),
        result: result.to_owned(),
        is_error: true,
        duration_ms: 0,
        truncated: false,
        code: Some(Code::CANCELLED.0.to_owned()),
    }
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
