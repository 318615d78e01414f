//! One turn: ask the model, take its answer as it streams, store it whole.

use crate::answer::{AnswerEnd, AnswerSoFar, KEEP_PARTIAL_EVERY};
use crate::ask::{AnswerContext, Ask};
use crate::refusals::Mending;
use crate::retry::Retries;
use crate::run_host::{RunEnd, RunHost};
use crate::{bounds, budget, call_arguments, call_text, pes, text_only};
use arki_domain::{
    ChatRequest, Code, ContextAdded, EngineRequest, EngineResponse, EventBody, Fault, FinishReason, OutputMessage,
    PreparedRequest, REMINDER_PART, RequestHead, Role, ToolCall, ToolDefinition, Usage,
};
use futures_util::StreamExt;
use std::sync::Arc;
use tokio::time::Instant;

/// Reads the calls of a model that takes no tools.
fn calls_as_text(answer: &mut AnswerSoFar, known: &AnswerContext<'_>) -> Vec<EventBody> {
    if known.takes_tools { Vec::new() } else { pes::calls(answer, known) }
}

/// The outcome of a request.
enum RequestOutcome {
    Done(Option<RunEnd>),
    /// Another request may be taken.
    Refused(Fault),
}

/// The continuation after an answer that was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nothing: it stays what the model has said.
    Last,
    /// Another answer, which takes its place.
    Retried,
}

impl RunHost {
    /// Asks for the next turn. `Some` where the run ends or has to wait.
    pub(crate) async fn ask_model(&mut self) -> Result<Option<RunEnd>, Fault> {
        self.ask_for(Ask { read: calls_as_text, ..Ask::TURN }).await
    }

    /// Asks for an answer that is read as `ask` says before it is stored.
    pub(crate) async fn ask_for(&mut self, ask: Ask) -> Result<Option<RunEnd>, Fault> {
        self.ask = ask;
        let turn = self.record.state.turn + 1;
        self.parts.model.learn().await;
        if let Some(end) = self.start_session().await? {
            return Ok(Some(end));
        }
        self.add_late_context().await?;
        if let Some(created) = self.record.progress.checkpoint_due(self.record.last_seq) {
            self.record.append(vec![created.into()]).await?;
        }
        if let Some(end) = self.compact_where_due().await? {
            return Ok(Some(end));
        }
        let mut mending = Mending::default();
        loop {
            let refused = match self.ask_once(turn).await? {
                RequestOutcome::Done(end) => return Ok(end),
                RequestOutcome::Refused(refused) => refused,
            };
            if let Some(end) = self.mend(refused, &mut mending).await? {
                return Ok(Some(end));
            }
        }
    }

    async fn ask_once(&mut self, turn: u32) -> Result<RequestOutcome, Fault> {
        let request = self.request();
        self.tally.count_request(&request, &*self.parts.compaction.estimate);
        let prepared = self.parts.model.prepare(&request);
        let head = RequestHead::of(&request, self.writes_tools_as_text());
        // What comes next is added in place.
        drop(request);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(fault) if fault.is(Code::CONTEXT_TOO_LONG) => return Ok(RequestOutcome::Refused(fault)),
            Err(fault) => return self.failed(fault, None).await.map(|end| RequestOutcome::Done(Some(end))),
        };
        let window = self.parts.model.context_window();
        let is_news = window != self.told_window;
        self.told_window = window;
        let head_hash = self.keep_head_where_new(head, &prepared).await?;
        self.record
            .append(vec![
                EngineRequest {
                    turn,
                    provider: self.parts.model.provider().to_owned(),
                    model: self.parts.model.model().to_owned(),
                    request_hash: prepared.request_hash.clone(),
                    message_count: prepared.message_count,
                    context_window: window.filter(|_| is_news),
                    purpose: None,
                    stage: self.ask.stage,
                    head_hash,
                }
                .into(),
            ])
            .await?;
        let (mut retries, mut was_empty) = (Retries::default(), false);
        loop {
            let mut answer = self.answer(turn);
            let end = self.stream(prepared.clone(), &mut answer).await?;
            answer.finish();
            let ended = match end {
                AnswerEnd::Failed(_) if !answer.has_begun() && self.is_written_anew(&prepared) => {
                    self.interrupted(answer, Cut::Retried).await?;
                    self.told_head = None;
                    return Box::pin(self.ask_once(turn)).await;
                }
                // Of its calls none was looked at yet, so that they are asked for again.
                AnswerEnd::Failed(fault) if self.may_pass(&fault) => {
                    self.wait_for_retry(&mut retries, fault, answer).await?
                }
                // Some models say nothing once and then something.
                AnswerEnd::Finished if !was_empty && self.is_void(&answer) => {
                    was_empty = true;
                    let fault = nothing_said(self.parts.model.provider(), answer.finish_reason);
                    self.wait_for_retry(&mut retries, fault, answer).await?
                }
                end => Some((end, answer)),
            };
            let Some((end, answer)) = ended else { continue };
            if let AnswerEnd::Failed(fault) = &end
                && self.is_refusal(fault)
            {
                self.interrupted(answer, Cut::Retried).await?;
                return Ok(RequestOutcome::Refused(fault.clone()));
            }
            self.tally.learn(answer.usage);
            if matches!(end, AnswerEnd::Finished)
                && let Some(fault) = self.had_no_room(&answer)
            {
                self.interrupted(answer, Cut::Retried).await?;
                return Ok(RequestOutcome::Refused(fault));
            }
            if matches!(end, AnswerEnd::Finished)
                && let Some(window) = self.refused_window.take()
            {
                self.parts.model.note_window(window);
            }
            return self.conclude(end, answer).await.map(RequestOutcome::Done);
        }
    }

    /// Returns whether there is nothing in it, and no reason that the next answer would share.
    fn is_void(&self, answer: &AnswerSoFar) -> bool {
        let has_reason = matches!(answer.finish_reason, FinishReason::ContentFilter | FinishReason::Length);
        !has_reason && !answer.is_too_long() && self.is_empty(answer)
    }

    fn is_empty(&self, answer: &AnswerSoFar) -> bool {
        answer.is_empty() && (answer.thoughts.is_empty() || !self.ask.is_of_plan())
    }

    /// Returns whether to ask again: what can't be read was damaged on its way, or is from a gateway.
    fn may_pass(&self, fault: &Fault) -> bool {
        (self.parts.is_retryable)(fault) || fault.is(Code::PROVIDER_BAD_ANSWER)
    }

    /// Returns the fault of an answer that had no room left in the window.
    fn had_no_room(&self, answer: &AnswerSoFar) -> Option<Fault> {
        let is_cut = answer.finish_reason == FinishReason::Length && self.is_empty(answer);
        (is_cut && self.fills_window()).then(|| {
            let model = self.parts.model.model();
            Fault::new(
                Code::CONTEXT_TOO_LONG,
                format!("The conversation leaves {model} no room for an answer."),
                "Start a new session, or choose a model with a larger context window.",
            )
        })
    }

    /// Returns whether the request is another one now: without an optional part that the provider has just refused.
    fn is_written_anew(&mut self, sent: &PreparedRequest) -> bool {
        let request = self.request();
        self.parts.model.prepare(&request).is_ok_and(|again| again.request_hash != sent.request_hash)
    }

    pub(crate) fn answer(&self, turn: u32) -> AnswerSoFar {
        let (session_id, run_id) = (self.record.session_id.clone(), self.record.state.run_id.clone());
        AnswerSoFar::new(session_id, run_id, (turn, self.ask.said_as), &self.parts.redactor, self.parts.bus.clone())
    }

    async fn conclude(&mut self, end: AnswerEnd, answer: AnswerSoFar) -> Result<Option<RunEnd>, Fault> {
        match end {
            AnswerEnd::Finished if answer.is_too_long() => {
                self.failed(bounds::too_long(), Some(answer)).await.map(Some)
            }
            AnswerEnd::Finished if self.is_empty(&answer) => {
                let fault = nothing_said(self.parts.model.provider(), answer.finish_reason);
                self.failed(fault, Some(answer)).await.map(Some)
            }
            AnswerEnd::Finished => self.answered(answer).await.map(|()| None),
            AnswerEnd::Cancelled => {
                self.interrupted(answer, Cut::Last).await?;
                self.cancelled().await.map(Some)
            }
            AnswerEnd::OutOfTime => {
                self.interrupted(answer, Cut::Last).await?;
                self.budget_exhausted().await.map(Some)
            }
            AnswerEnd::Paused => {
                self.interrupted(answer, Cut::Last).await?;
                self.paused().await.map(Some)
            }
            AnswerEnd::Failed(fault) => self.failed(fault, Some(answer)).await.map(Some),
        }
    }

    pub(crate) fn request(&mut self) -> ChatRequest {
        let mut options = self.parts.model_options.clone();
        // It is the answer's to the user.
        options.output_schema = options.output_schema.filter(|_| !self.ask.is_of_plan());
        let request = ChatRequest {
            system: self.parts.system.clone(),
            messages: self.record.transcript.messages(),
            tools: self.tools(),
            images: self.parts.images.clone(),
            options,
        };
        if self.writes_tools_as_text() { text_only::request(request, self.ask.stage) } else { request }
    }

    fn tools(&self) -> Arc<[ToolDefinition]> {
        let (tools, refused) = (self.parts.executor.definitions(), &self.record.state.refused_tools);
        match refused.is_empty() {
            true => tools,
            false => tools.iter().filter(|tool| !refused.iter().any(|name| *name == *tool.name)).cloned().collect(),
        }
    }

    fn writes_tools_as_text(&self) -> bool {
        !self.parts.model.takes_tools()
    }

    /// Returns the hash under which the head lies, where it is another than that of the turn before.
    async fn keep_head_where_new(
        &mut self,
        head: RequestHead,
        prepared: &PreparedRequest,
    ) -> Result<Option<String>, Fault> {
        if self.told_head.as_ref() == Some(&head) {
            return Ok(None);
        }
        let hash = self.record.log.keep_head(&head.clone().written_as(prepared)).await?;
        self.told_head = Some(head);
        Ok(Some(hash))
    }

    async fn stream(&self, prepared: PreparedRequest, answer: &mut AnswerSoFar) -> Result<AnswerEnd, Fault> {
        let out_of_time = budget::out_of_time(&self.record.state, self.clock.now_ms());
        tokio::pin!(out_of_time);
        let max_answer = self.parts.max_answer;
        let too_slow = tokio::time::sleep(max_answer);
        tokio::pin!(too_slow);
        let mut stream = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Ok(AnswerEnd::Cancelled),
            () = &mut out_of_time => return Ok(AnswerEnd::OutOfTime),
            () = &mut too_slow => return Ok(AnswerEnd::Failed(bounds::too_slow(max_answer))),
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
                () = &mut too_slow => return Ok(AnswerEnd::Failed(bounds::too_slow(max_answer))),
                next = stream.next() => next,
            };
            match next {
                Some(Ok(event)) => {
                    // Nobody waits for the rest of an answer that has no end.
                    if answer.take(event) || answer.is_too_long() {
                        return Ok(AnswerEnd::Finished);
                    }
                }
                None => return Ok(AnswerEnd::Finished),
                Some(Err(fault)) => return Ok(AnswerEnd::Failed(fault)),
            }
            if kept.elapsed() >= KEEP_PARTIAL_EVERY {
                if let Some(piece) = answer.not_yet_kept()
                    && let Err(fault) = self.record.log.keep_partial(&self.record.session_id, Some(piece)).await
                {
                    return Ok(AnswerEnd::Failed(fault));
                }
                kept = Instant::now();
            }
        }
    }

    /// The whole answer is stored in one transaction, its calls included, before any of them is looked at.
    async fn answered(&mut self, mut answer: AnswerSoFar) -> Result<(), Fault> {
        let definitions = self.parts.executor.definitions();
        let takes_tools = self.parts.model.takes_tools();
        let known = AnswerContext { definitions: &definitions, prompt: &self.record.state.prompt, takes_tools };
        let read = (self.ask.read)(&mut answer, &known);
        for call in &mut answer.calls {
            if let Some(name) = call_arguments::tool_name(&definitions, &call.tool_id) {
                call.tool_id = name;
            }
        }
        answer.make_call_ids_unique(|call_id| self.record.transcript.has_call(call_id));
        let mut bodies: Vec<EventBody> = vec![response(&answer).into()];
        if !answer.text.is_empty() || !answer.thoughts.is_empty() || answer.reasoning.is_some() {
            bodies.push(message(&answer, None).into());
        }
        bodies.extend(read);
        let mut refused = Vec::new();
        bodies.extend(answer.calls.iter().map(|call| {
            let definition = definitions.iter().find(|definition| *definition.name == *call.tool_id);
            let (args, fault) = bounds::arguments(call, answer.finish_reason);
            refused.extend(fault.as_ref().map(|fault| EventBody::from(bounds::not_done(call, fault))));
            let args = match (definition, &fault) {
                (Some(definition), None) => call_arguments::understood(&definition.parameters, args),
                _ => args,
            };
            let category = definition.map(|definition| definition.category);
            let is_async =
                category.is_some_and(|category| arki_domain::goes_on_in_background(&call.tool_id, category, &args));
            EventBody::from(ToolCall {
                async_call_id: is_async.then(|| call.call_id.clone()),
                turn: answer.turn,
                call_id: call.call_id.clone(),
                tool_id: call.tool_id.clone(),
                args,
                category,
            })
        }));
        bodies.extend(refused);
        if takes_tools && !self.is_reminded && self.ask.stage.is_none() && call_text::is_call(&answer, &definitions) {
            self.is_reminded = true;
            bodies.push(ContextAdded::new(REMINDER_PART, "call", call_text::REMINDER).into());
        }
        self.record.append(bodies).await?;
        self.clear_partial(&answer).await
    }

    /// Records the part of an answer that arrived before it was cut off, marked as such, and counts its request: with
    /// its known cost, or as one whose cost is not known.
    pub(crate) async fn interrupted(&mut self, mut answer: AnswerSoFar, cut: Cut) -> Result<(), Fault> {
        answer.calls.clear();
        answer.reasoning = None;
        let mut bodies: Vec<EventBody> = Vec::new();
        if answer.has_begun() && answer.usage == Usage::unknown() && self.parts.model.is_free() {
            answer.usage.cost_usd = Some(0.0);
        }
        if answer.has_begun() || answer.usage != Usage::unknown() {
            bodies.push(response(&answer).into());
        }
        if !answer.text.is_empty() || !answer.thoughts.is_empty() {
            bodies.push(message(&answer, Some(cut)).into());
        }
        if !bodies.is_empty() {
            self.record.append(bodies).await?;
        }
        self.clear_partial(&answer).await
    }

    async fn clear_partial(&self, answer: &AnswerSoFar) -> Result<(), Fault> {
        if !answer.is_partly_kept() {
            return Ok(());
        }
        self.record.log.keep_partial(&self.record.session_id, None).await
    }
}

/// Why an answer is empty, as far as the model has said.
fn nothing_said(provider: &str, why: FinishReason) -> Fault {
    match why {
        FinishReason::ContentFilter => Fault::new(
            Code::CONTENT_REFUSED,
            format!("{provider} refused to answer this."),
            "Rephrase your request, or choose another model.",
        ),
        FinishReason::Length => Fault::new(
            Code::PROVIDER_BAD_ANSWER,
            format!("{provider} reached its output limit before it answered."),
            "Raise maxCompletionTokens, ask for less reasoning, or choose another model.",
        ),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => Fault::new(
            Code::PROVIDER_BAD_ANSWER,
            format!("{provider} sent an empty answer."),
            "Try again, or choose another model.",
        ),
    }
}

fn response(answer: &AnswerSoFar) -> EngineResponse {
    EngineResponse {
        turn: answer.turn,
        finish_reason: answer.finish_reason,
        usage: answer.usage,
        ttft_ms: answer.first_token_after_ms,
        duration_ms: answer.elapsed_ms(),
        purpose: None,
    }
}

fn message(answer: &AnswerSoFar, cut: Option<Cut>) -> OutputMessage {
    OutputMessage {
        turn: answer.turn,
        role: Role::Assistant,
        content: answer.text.clone(),
        thoughts: Some(answer.thoughts.clone()).filter(|thoughts| !thoughts.is_empty()),
        reasoning: answer.reasoning.clone(),
        interrupted: cut.is_some(),
        retried: cut == Some(Cut::Retried),
    }
}
