//! Keeps a conversation within its model's window: of a run ([`ContextWindow`]), and where the user asks. What goes and what stays is planned by
//! `arki-context`; here the summary is asked for and the event appended.
//!
//! Until `context.compacted` is appended nothing has happened, and afterwards the folded log is the compacted
//! conversation: a crash at any moment neither loses nor repeats anything.

use crate::refusals::named_window;
use crate::run_log::RunLog;
use crate::stop_signals::StopSignals;
use crate::summary::{Asking, CompactionLog, Summary, SummaryOutcome};
use crate::tally::Tally;
use arki_context::{
    Compaction, CompactionError, CompactionInputs, CompactionLimits, Corrected, CountTokens, SummaryAnswer,
    SummaryPlan, TokenCorrection, plan_compaction,
};
use arki_domain::projection::{Progress, Transcript};
use arki_domain::{
    ChatModel, ChatRequest, CompactionStrategy, ContextCompacted, Error, EventBody, EventDraft, EventLog, ModelOptions,
    RequestHead, RequestPurpose, SessionId, Usage,
};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Kept free for the answer where the configuration sets no limit, in tokens; of a small window an eighth.
const TOKENS_FOR_ANSWER: u64 = 4096;
const SHARE_FOR_ANSWER: u64 = 8;
/// The share of the window above which a refusal without a reason is taken for one of the length.
const FULL_FROM: f64 = 0.8;
/// The size assumed for an unknown window, in sizes of the request at hand.
const UNKNOWN_WINDOW: u64 = 4;

/// The parts that keep a run's conversation within the window.
#[derive(Clone)]
pub struct CompactionParts {
    pub strategy: CompactionStrategy,
    /// The part of the window at which it is due.
    pub at_fraction: f64,
    /// The number of messages at which it is due, however short they are.
    pub history_limit: Option<usize>,
    /// Writes the summaries; the run's own model where `None`.
    pub model: Option<Arc<dyn ChatModel>>,
    pub estimate: Arc<dyn CountTokens>,
}

/// The result of a compaction that somebody asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Compacted {
    Done(ContextCompacted),
    /// It is as short as it can be.
    NothingToDo,
    /// Somebody stopped it; the conversation is as it was.
    Stopped,
}

/// The context window of a run's model: how much of it the conversation fills, and making room in it.
pub(crate) struct ContextWindow {
    model: Arc<dyn ChatModel>,
    compaction: CompactionParts,
    /// The configured limit of an answer, in tokens.
    max_answer_tokens: Option<u32>,
    /// The time that a summary may take.
    max_answer: Duration,
    tally: Tally,
    /// The window, and the tokens of system prompt and tools that leave no room in it: whatever is said, that stays so.
    too_large_fixed: Option<(u64, u64)>,
    /// The window that a refusal shows, once a shorter request is taken.
    refused_window: Option<u64>,
}

impl ContextWindow {
    pub(crate) fn new(
        model: Arc<dyn ChatModel>,
        compaction: CompactionParts,
        options: &ModelOptions,
        max_answer: Duration,
    ) -> Self {
        Self {
            model,
            compaction,
            max_answer_tokens: options.max_completion_tokens,
            max_answer,
            tally: Tally::default(),
            too_large_fixed: None,
            refused_window: None,
        }
    }

    pub(crate) fn count(&mut self, request: &ChatRequest) {
        self.tally.count_request(request, &*self.compaction.estimate);
    }

    pub(crate) fn learn(&mut self, usage: Usage) {
        self.tally.learn(usage);
    }

    /// The provider took a request that was made shorter after a refusal: so large is the window then.
    pub(crate) fn note_taken(&mut self) {
        if let Some(window) = self.refused_window.take() {
            self.model.note_window(window);
        }
    }

    /// The messages are as many as before, but others.
    pub(crate) fn forget_messages(&mut self) {
        self.tally.forget_messages();
    }

    /// Forgets the refusal: nobody knows any more whether the length was its reason.
    pub(crate) fn forget_refusal(&mut self) {
        self.refused_window = None;
        self.forget_messages();
    }

    /// The latest request is what a compaction has left.
    pub(crate) fn note_left(&mut self) {
        self.tally.note_left();
    }

    /// Makes room before a request, already counted, that would fill too much of the window or has more messages than the
    /// user wants sent. It is impossible only where the request is larger than the known window: it isn't sent then.
    pub(crate) async fn compact_where_due(
        &mut self,
        log: &mut RunLog,
        stops: &StopSignals,
    ) -> Result<CompactionOutcome, Error> {
        match self.compact_many_messages(log, stops).await? {
            CompactionOutcome::NothingToDo => {}
            ended => return Ok(ended),
        }
        let Some(window) = self.model.context_window() else { return Ok(CompactionOutcome::NothingToDo) };
        let limits = self.limits(window);
        let fixed = (window, self.tally.fixed_tokens());
        let fits = self.tally.tokens() < window;
        if !limits.is_due(self.tally.tokens()) || (fits && self.too_large_fixed == Some(fixed)) {
            return Ok(CompactionOutcome::NothingToDo);
        }
        let ended = match self.compact(log, stops, limits).await? {
            CompactionOutcome::Impossible(_) if !fits => self.compact(log, stops, limits.whole_room()).await?,
            ended => ended,
        };
        match ended {
            CompactionOutcome::Impossible(error) if !fits => {
                Ok(CompactionOutcome::Impossible(self.too_large(error, window)))
            }
            CompactionOutcome::Impossible(error) => {
                tracing::warn!(%error, "the conversation can't be compacted");
                if matches!(error, CompactionError::FixedTooLarge { .. }) {
                    self.too_large_fixed = Some(fixed);
                }
                Ok(CompactionOutcome::NothingToDo)
            }
            ended => Ok(ended),
        }
    }

    /// One that can't be made shorter is tried again when it has twice as many messages.
    async fn compact_many_messages(
        &mut self,
        log: &mut RunLog,
        stops: &StopSignals,
    ) -> Result<CompactionOutcome, Error> {
        let Some(most) = self.compaction.history_limit.filter(|most| self.tally.has_more_messages_than(*most)) else {
            return Ok(CompactionOutcome::NothingToDo);
        };
        let tokens = self.tally.tokens();
        let window = self.model.context_window().unwrap_or(tokens.saturating_mul(UNKNOWN_WINDOW));
        let limits = self.limits(window).asked_for(tokens).with_messages(most / 2);
        match self.compact(log, stops, limits).await? {
            CompactionOutcome::Impossible(error) => {
                tracing::info!(%error, most, "a conversation of many messages stays as it is");
                self.tally.note_left();
                Ok(CompactionOutcome::NothingToDo)
            }
            ended => Ok(ended),
        }
    }

    fn too_large(&self, error: CompactionError, window: u64) -> CompactionError {
        match error {
            CompactionError::FixedTooLarge { tokens: fixed, .. } => {
                CompactionError::WindowTooSmall { tokens: self.tally.tokens(), fixed, window }
            }
            other => other,
        }
    }

    /// Makes room after the provider has refused the request.
    pub(crate) async fn compact_after(
        &mut self,
        refused: &Error,
        log: &mut RunLog,
        stops: &StopSignals,
    ) -> Result<CompactionOutcome, Error> {
        let tokens = self.tally.tokens();
        let named = named_window(&refused.message).filter(|named| *named > self.tally.fixed_tokens());
        let window = self.model.context_window().unwrap_or(tokens).min(tokens).min(named.unwrap_or(u64::MAX));
        let refused_window = window.min(self.tally.least_tokens());
        let ended = self.compact(log, stops, self.limits(window).asked_for(tokens)).await?;
        if matches!(ended, CompactionOutcome::Compacted) {
            self.refused_window = Some(refused_window);
        }
        Ok(ended)
    }

    /// Returns whether the last request takes up so much of the window, as far as anybody knows it, that a refusal may be
    /// of its length.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let window = self.model.context_window().or(self.model.assumed_window());
        window.is_some_and(|window| self.tally.tokens() as f64 >= window as f64 * FULL_FROM)
    }

    async fn compact(
        &mut self,
        log: &mut RunLog,
        stops: &StopSignals,
        limits: CompactionLimits,
    ) -> Result<CompactionOutcome, Error> {
        let compaction = &self.compaction;
        let tokens = Corrected { estimate: &*compaction.estimate, correction: self.tally.correction() };
        let summary_model = compaction.model.as_ref().unwrap_or(&self.model);
        let planned = CompactionPlanning {
            compaction,
            focus: None,
            limits,
            summary_window: summary_model.context_window().unwrap_or(limits.window),
            tokens: &tokens,
        }
        .plan(&mut log.transcript, &log.progress);
        let planned = match planned {
            Err(error) => return Ok(CompactionOutcome::Impossible(error)),
            Ok(None) => return Ok(CompactionOutcome::NothingToDo),
            Ok(Some(planned)) => planned,
        };
        let out_of_time = stops.out_of_time(&log.state);
        let stopped = async {
            tokio::select! {
                biased;
                () = stops.cancel.cancelled() => SummaryStop::Cancelled,
                () = out_of_time => SummaryStop::OutOfTime,
            }
        };
        let asking = Asking {
            model: &**summary_model,
            purpose: RequestPurpose::Compaction,
            turn: log.state.turn,
            max_answer: self.max_answer,
        };
        let carried_out = carry_out(planned, asking, &tokens, log, stopped).await?;
        Ok(carried_out.map_or_else(CompactionOutcome::Stopped, |_| CompactionOutcome::Compacted))
    }

    fn limits(&self, window: u64) -> CompactionLimits {
        let answer = self.max_answer_tokens.map_or_else(|| room_for_answer(window), u64::from);
        CompactionLimits::new(window, self.tally.fixed_tokens(), self.compaction.at_fraction, answer)
    }
}

fn room_for_answer(window: u64) -> u64 {
    TOKENS_FOR_ANSWER.min(window / SHARE_FOR_ANSWER)
}

/// Why a run no longer waits for a summary.
pub(crate) enum SummaryStop {
    Cancelled,
    OutOfTime,
}

#[async_trait]
impl CompactionLog for RunLog {
    async fn note(&mut self, bodies: Vec<EventBody>) -> Result<(), Error> {
        self.append(bodies).await
    }

    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error> {
        self.followed.log.keep_head(head).await
    }
}

pub(crate) enum CompactionOutcome {
    Compacted,
    NothingToDo,
    Impossible(CompactionError),
    Stopped(SummaryStop),
}

/// Compacts a session that no run works on, because the user asks.
///
/// # Errors
/// `CONTEXT_TOO_LONG` where it can't be made shorter; those of the log.
pub async fn compact_session(session: SessionToCompact<'_>) -> Result<Compacted, Error> {
    let SessionToCompact { mut log, model, compaction, transcript, progress, fixed, focus, max_answer, cancel } =
        session;
    let tokens = Corrected { estimate: &*compaction.estimate, correction: TokenCorrection::default() };
    let now = fixed + transcript.messages().iter().map(|message| tokens.message(message)).sum::<u64>();
    // Where nobody knows the window, only half of the conversation is aimed at.
    let window = model.context_window().unwrap_or(now.saturating_mul(UNKNOWN_WINDOW));
    let summary_model = compaction.model.clone().unwrap_or(model);
    let planned = CompactionPlanning {
        compaction,
        focus,
        limits: CompactionLimits::new(window, fixed, compaction.at_fraction, room_for_answer(window)).asked_for(now),
        summary_window: summary_model.context_window().unwrap_or(now),
        tokens: &tokens,
    }
    .plan(transcript, progress);
    let planned = match planned {
        Ok(None) | Err(CompactionError::NothingToDrop { .. } | CompactionError::LastExchangeTooLarge { .. }) => {
            return Ok(Compacted::NothingToDo);
        }
        Err(error) => return Err(error.into()),
        Ok(Some(planned)) => planned,
    };
    let asking = Asking { model: &*summary_model, purpose: RequestPurpose::Compaction, turn: 0, max_answer };
    let carried_out = carry_out(planned, asking, &tokens, &mut log, cancel.cancelled()).await?;
    Ok(carried_out.map_or_else(|()| Compacted::Stopped, Compacted::Done))
}

/// Asks for a summary where one is planned, and appends what became of it. Where nobody waits for the summary any more,
/// the conversation stays as it is.
async fn carry_out<S>(
    planned: Compaction,
    asking: Asking<'_>,
    tokens: &dyn CountTokens,
    log: &mut impl CompactionLog,
    stopped: impl Future<Output = S>,
) -> Result<Result<ContextCompacted, S>, Error> {
    let event = match planned {
        Compaction::Ready(event) => event,
        Compaction::Summarize(plan) => match asking.ask(&plan.request, log, stopped).await? {
            SummaryOutcome::Answered(summary) => taken(&plan, &summary, tokens),
            SummaryOutcome::Failed(fault) => without(&plan, &fault),
            SummaryOutcome::Stopped(stopped) => return Ok(Err(stopped)),
        },
    };
    log.note(vec![event.clone().into()]).await?;
    Ok(Ok(event))
}

/// The log of a session that no run works on.
pub struct SessionLog<'a> {
    pub log: &'a dyn EventLog,
    pub session_id: &'a SessionId,
}

#[async_trait]
impl CompactionLog for SessionLog<'_> {
    async fn note(&mut self, bodies: Vec<EventBody>) -> Result<(), Error> {
        let drafts = bodies.into_iter().map(EventDraft::of_session).collect();
        self.log.append(self.session_id, drafts).await.map(drop)
    }

    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error> {
        self.log.keep_head(head).await
    }
}

/// The session that [`compact_session`] works on.
pub struct SessionToCompact<'a> {
    pub log: SessionLog<'a>,
    pub model: Arc<dyn ChatModel>,
    pub compaction: &'a CompactionParts,
    pub transcript: &'a mut Transcript,
    pub progress: &'a Progress,
    /// The tokens of the system prompt and the tools.
    pub fixed: u64,
    /// The topic to keep above all.
    pub focus: Option<&'a str>,
    /// The time that a summary may take.
    pub max_answer: Duration,
    /// Ends the wait for a summary.
    pub cancel: &'a CancellationToken,
}

struct CompactionPlanning<'a> {
    compaction: &'a CompactionParts,
    focus: Option<&'a str>,
    limits: CompactionLimits,
    summary_window: u64,
    tokens: &'a dyn CountTokens,
}

impl CompactionPlanning<'_> {
    fn plan(self, transcript: &mut Transcript, progress: &Progress) -> Result<Option<Compaction>, CompactionError> {
        let conversation: Vec<_> = transcript.conversation().collect();
        plan_compaction(&CompactionInputs {
            conversation: &conversation,
            plan: progress.plan.current(),
            changed_files: &progress.changed_files(),
            strategy: self.compaction.strategy,
            focus: self.focus,
            limits: self.limits,
            summary_window: self.summary_window,
            tokens: self.tokens,
        })
    }
}

/// The summary where it is one that helps, else what does without.
fn taken(plan: &SummaryPlan, summary: &Summary, tokens: &dyn CountTokens) -> ContextCompacted {
    let Summary { text, calls_tools, is_cut_off, .. } = summary;
    let answer = SummaryAnswer { text, calls_tools: *calls_tools, is_cut_off: *is_cut_off };
    plan.with_summary(answer, tokens).unwrap_or_else(|refused| {
        tracing::warn!(%refused, "a summary was not used");
        plan.without_summary()
    })
}

fn without(plan: &SummaryPlan, fault: &Error) -> ContextCompacted {
    tracing::warn!(code = fault.code, %fault, "no summary was written");
    plan.without_summary()
}
