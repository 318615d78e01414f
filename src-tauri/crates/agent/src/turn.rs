//! One turn: ask the model, take its answer as it streams, store it whole.

use crate::answer::ask::{AnswerContext, Ask};
use crate::answer::{AnswerEnd, AnswerSoFar, AnswerSource};
use crate::answer_events::{self, Cut, nothing_said};
use crate::compacting::CompactionOutcome;
use crate::refusals::{Mend, Mending, RefusedRequest, given_up};
use crate::retry::{Retries, RetryVerdict};
use crate::run_host::{RunEnd, RunHost};
use crate::{bounds, call_text, late_context, pes};
use arki_domain::{
    Code, ContextAdded, ContextDropped, EngineRequest, Error, EventBody, FinishReason, REMINDER_PART, RequestHead,
};

/// Reads the calls of a model that takes no tools.
fn calls_as_text(answer: &mut AnswerSoFar, known: &AnswerContext<'_>) -> Vec<EventBody> {
    if known.takes_tools { Vec::new() } else { pes::calls(answer, known) }
}

/// The outcome of a request.
enum RequestOutcome {
    Done(Option<RunEnd>),
    /// Another request may be taken.
    Refused(Error),
}

impl RunHost {
    /// Asks for the next turn. `Some` where the run ends or has to wait.
    pub(crate) async fn ask_model(&mut self) -> Result<Option<RunEnd>, Error> {
        self.ask_for(Ask { read: calls_as_text, ..Ask::TURN }).await
    }

    /// Asks for an answer that is read as `ask` says before it is stored.
    pub(crate) async fn ask_for(&mut self, ask: Ask) -> Result<Option<RunEnd>, Error> {
        self.ask = ask;
        let turn = self.record.state.turn + 1;
        self.parts.model.learn().await;
        if let Some(end) = self.start_session().await? {
            return Ok(Some(end));
        }
        let late = self.parts.late_context.clone();
        late_context::add(&mut self.record, late, self.parts.model.context_window()).await?;
        if let Some(due) = self.record.progress.checkpoint_due(self.record.followed.last_seq) {
            self.record.append(due).await?;
        }
        if let Some(end) = self.make_room().await? {
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

    async fn ask_once(&mut self, turn: u32) -> Result<RequestOutcome, Error> {
        let request = self.parts.request(&mut self.record, &self.ask);
        self.window.count(&request);
        let prepared = self.parts.model.prepare(&request);
        let tools_as_text = self.parts.writes_tools_as_text();
        let head = RequestHead { tools_as_text, ..RequestHead::of(&request) };
        // What comes next is added in place.
        drop(request);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(fault) if fault.is(Code::CONTEXT_TOO_LONG) => return Ok(RequestOutcome::Refused(fault)),
            Err(fault) => return self.failed(fault, None).await.map(|end| RequestOutcome::Done(Some(end))),
        };
        let context_window = self.logged.new_window(self.parts.model.context_window());
        let head_hash = self.logged.new_head(&self.record, head, &prepared).await?;
        let asked = EngineRequest {
            turn,
            provider: self.parts.model.provider().to_owned(),
            model: self.parts.model.model().to_owned(),
            request_hash: prepared.request_hash.clone(),
            message_count: prepared.message_count,
            context_window,
            purpose: None,
            stage: self.ask.stage,
            head_hash,
        };
        self.record.append(vec![asked.into()]).await?;
        let (mut retries, mut was_empty) = (Retries::default(), false);
        loop {
            let mut answer = self.answer(turn);
            let source = AnswerSource {
                model: &*self.parts.model,
                max_answer: self.parts.max_answer,
                log: &self.record,
                stops: &self.stops,
            };
            let end = answer.receive(prepared.clone(), source).await;
            answer.finish();
            let ended = match end {
                AnswerEnd::Failed(_)
                    if !answer.has_begun() && self.parts.is_another(&mut self.record, &self.ask, &prepared) =>
                {
                    self.interrupted(answer, Cut::Retried).await?;
                    self.logged.forget_head();
                    return Box::pin(self.ask_once(turn)).await;
                }
                // Of its calls none was looked at yet, so that they are asked for again.
                AnswerEnd::Failed(fault) if self.may_pass(&fault) => {
                    self.wait_for_retry(&mut retries, fault, answer).await?
                }
                // Some models say nothing once and then something.
                AnswerEnd::Finished if !was_empty && answer.is_void() => {
                    was_empty = true;
                    let fault = nothing_said(self.parts.model.provider(), answer.finish_reason);
                    self.wait_for_retry(&mut retries, fault, answer).await?
                }
                end => Some((end, answer)),
            };
            let Some((end, answer)) = ended else { continue };
            if let AnswerEnd::Failed(fault) = &end
                && self.refused_request(fault).is_refusal()
            {
                self.interrupted(answer, Cut::Retried).await?;
                return Ok(RequestOutcome::Refused(fault.clone()));
            }
            self.window.learn(answer.usage);
            if matches!(end, AnswerEnd::Finished) {
                if answer.finish_reason == FinishReason::Length && answer.is_empty() && self.window.is_nearly_full() {
                    self.interrupted(answer, Cut::Retried).await?;
                    return Ok(RequestOutcome::Refused(no_room(self.parts.model.model())));
                }
                self.window.note_taken();
            }
            return self.conclude(end, answer).await.map(RequestOutcome::Done);
        }
    }

    /// Returns whether to ask again: what can't be read was damaged on its way, or is from a gateway.
    fn may_pass(&self, fault: &Error) -> bool {
        (self.parts.is_retryable)(fault) || fault.is(Code::PROVIDER_BAD_ANSWER)
    }

    /// Notes the retry and waits for its time. `None`: ask again now.
    ///
    /// `answer` is what came before the fault.
    async fn wait_for_retry(
        &mut self,
        retries: &mut Retries,
        fault: Error,
        answer: AnswerSoFar,
    ) -> Result<Option<(AnswerEnd, AnswerSoFar)>, Error> {
        let (turn, code) = (answer.turn, fault.code.clone());
        let delay = match retries.next(fault, &answer) {
            RetryVerdict::Wait(delay) => delay,
            RetryVerdict::GiveUp(fault) => return Ok(Some((AnswerEnd::Failed(fault), answer))),
        };
        self.interrupted(answer, Cut::Retried).await?;
        let end = retries.wait(delay, (turn, code), &mut self.record, &self.stops).await?;
        Ok(end.map(|end| (end, self.answer(turn))))
    }

    fn refused_request<'a>(&'a mut self, fault: &'a Error) -> RefusedRequest<'a> {
        RefusedRequest {
            definitions: self.parts.executor.definitions(),
            fills_window: self.window.is_nearly_full(),
            log: &mut self.record,
            fault,
        }
    }

    /// Changes what is asked next. `Some` where nothing helps, or somebody ended the run.
    async fn mend(&mut self, mut fault: Error, mending: &mut Mending) -> Result<Option<RunEnd>, Error> {
        loop {
            match mending.next(self.refused_request(&fault)) {
                Mend::LeaveOut(parts) => return self.leave_out(parts).await.map(|()| None),
                Mend::Compact => match self.window.compact_after(&fault, &mut self.record, &self.stops).await? {
                    CompactionOutcome::Compacted => return self.compacted().await,
                    CompactionOutcome::Stopped(stop) => return self.stopped(stop).await.map(Some),
                    CompactionOutcome::Impossible(error) if fault.is(Code::CONTEXT_TOO_LONG) => {
                        let message = format!("{} {error}", fault.message);
                        fault = Error { message, ..error.into() };
                    }
                    CompactionOutcome::Impossible(_) | CompactionOutcome::NothingToDo => {}
                },
                Mend::GiveUp(guessed) => {
                    self.leave_out(guessed).await?;
                    return self.failed(given_up(fault), None).await.map(Some);
                }
            }
        }
    }

    async fn leave_out(&mut self, parts: Vec<ContextDropped>) -> Result<(), Error> {
        if parts.is_empty() {
            return Ok(());
        }
        self.window.forget_refusal();
        self.record.append(parts.into_iter().map(EventBody::from).collect()).await
    }

    /// Makes room before a request that would fill too much of the window. A request larger than a known window isn't
    /// sent: the run ends, and says what takes the space.
    async fn make_room(&mut self) -> Result<Option<RunEnd>, Error> {
        self.window.count(&self.parts.request(&mut self.record, &self.ask));
        match self.window.compact_where_due(&mut self.record, &self.stops).await? {
            CompactionOutcome::NothingToDo => Ok(None),
            CompactionOutcome::Compacted => self.compacted().await,
            CompactionOutcome::Stopped(stop) => self.stopped(stop).await.map(Some),
            CompactionOutcome::Impossible(error) => self.failed(error.into(), None).await.map(Some),
        }
    }

    async fn compacted(&mut self) -> Result<Option<RunEnd>, Error> {
        if let Some(end) = self.start_session().await? {
            return Ok(Some(end));
        }
        self.window.forget_messages();
        self.window.count(&self.parts.request(&mut self.record, &self.ask));
        self.window.note_left();
        Ok(None)
    }

    fn answer(&self, turn: u32) -> AnswerSoFar {
        let (session_id, run_id) = (self.record.followed.session_id.clone(), self.record.state.run_id.clone());
        AnswerSoFar::new(session_id, run_id, turn, &self.ask, &self.parts.redactor, self.parts.bus.clone())
    }

    async fn conclude(&mut self, end: AnswerEnd, answer: AnswerSoFar) -> Result<Option<RunEnd>, Error> {
        match end {
            AnswerEnd::Finished if answer.is_too_long() => {
                self.failed(bounds::too_long(), Some(answer)).await.map(Some)
            }
            AnswerEnd::Finished if answer.is_empty() => {
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

    /// The whole answer is stored in one transaction, its calls included, before any of them is looked at.
    async fn answered(&mut self, mut answer: AnswerSoFar) -> Result<(), Error> {
        let definitions = self.parts.executor.definitions();
        let takes_tools = self.parts.model.takes_tools();
        let known = AnswerContext { definitions: &definitions, prompt: &self.record.state.prompt, takes_tools };
        let read = (self.ask.read)(&mut answer, &known);
        let transcript = &self.record.transcript;
        let mut bodies = answer_events::whole(&mut answer, &known, read, |call_id| transcript.has_call(call_id));
        if takes_tools && !self.is_reminded && self.ask.stage.is_none() && call_text::is_call(&answer, &definitions) {
            self.is_reminded = true;
            bodies.push(ContextAdded::new(REMINDER_PART, "call", call_text::REMINDER).into());
        }
        self.store(bodies, answer.is_partly_kept()).await
    }

    /// Records the part of an answer that arrived before it was cut off.
    pub(crate) async fn interrupted(&mut self, answer: AnswerSoFar, cut: Cut) -> Result<(), Error> {
        let is_partly_kept = answer.is_partly_kept();
        self.store(answer_events::partial(answer, cut, self.parts.model.is_free()), is_partly_kept).await
    }

    async fn store(&mut self, bodies: Vec<EventBody>, is_partly_kept: bool) -> Result<(), Error> {
        if !bodies.is_empty() {
            self.record.append(bodies).await?;
        }
        match is_partly_kept {
            true => self.record.followed.log.keep_partial(&self.record.followed.session_id, None).await,
            false => Ok(()),
        }
    }
}

/// An answer that had no room left in the window.
fn no_room(model: &str) -> Error {
    let hint = "Start a new session, or choose a model with a larger context window.";
    Error::new(Code::CONTEXT_TOO_LONG, format!("The conversation leaves {model} no room for an answer."), hint)
}
