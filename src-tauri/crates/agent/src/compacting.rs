//! Keeps a conversation within its model's window, in a run and where the user asks. What goes and what stays is planned by
//! `arki-context`; here the summary is asked for and the event appended.
//!
//! Until `context.compacted` is appended nothing has happened, and afterwards the folded log is the compacted
//! conversation: a crash at any moment neither loses nor repeats anything.

use crate::budget;
use crate::run_host::{RunEnd, RunHost};
use crate::summary::{self, Summary};
use arki_context::{
    Compaction, CompactionError, CompactionInputs, CompactionLimits, Corrected, CountTokens, SummaryAnswer,
    SummaryPlan, TokenCorrection, plan_compaction,
};
use arki_domain::projection::{Progress, Transcript};
use arki_domain::{ChatModel, CompactionStrategy, ContextCompacted, EventBody, EventDraft, EventLog, Fault, SessionId};
use std::sync::Arc;

/// Kept free for the answer where the configuration sets no limit, in tokens.
const TOKENS_FOR_ANSWER: u64 = 4096;
/// The size assumed for an unknown window, in sizes of the request at hand.
const UNKNOWN_WINDOW: u64 = 4;

/// The parts that keep a run's conversation within the window.
#[derive(Clone)]
pub struct CompactionParts {
    pub strategy: CompactionStrategy,
    /// The part of the window at which it is due.
    pub at_fraction: f64,
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
}

impl RunHost {
    /// Before the model is asked: makes room where the next request would fill too much of the window.
    pub(crate) async fn compact_where_due(&mut self) -> Result<Option<RunEnd>, Fault> {
        let Some(window) = self.parts.model.context_window() else { return Ok(None) };
        let request = self.request();
        self.tally.count_request(&request, &*self.parts.compaction.estimate);
        drop(request);
        let limits = self.limits(window);
        if !limits.is_due(self.tally.tokens()) {
            return Ok(None);
        }
        match self.compact(limits).await? {
            Ended::Compacted | Ended::NothingToDo => Ok(None),
            Ended::Stopped(end) => Ok(Some(end)),
            Ended::Impossible(error)
                if self.tally.tokens() >= window && !matches!(error, CompactionError::FixedTooLarge { .. }) =>
            {
                self.failed(error.into(), None).await.map(Some)
            }
            // It still fits, or the window is said to be too small for any work. The provider has the last word.
            Ended::Impossible(error) => {
                tracing::warn!(%error, "the conversation can't be compacted");
                Ok(None)
            }
        }
    }

    /// After the provider has refused the request as too long: makes room once, or says why that can't be.
    pub(crate) async fn compact_after(&mut self, refused: Fault) -> Result<Option<RunEnd>, Fault> {
        let tokens = self.tally.tokens();
        let window = self.parts.model.context_window().unwrap_or(tokens).min(tokens);
        match self.compact(self.limits(window).asked_for(tokens)).await? {
            Ended::Compacted => Ok(None),
            Ended::Stopped(end) => Ok(Some(end)),
            Ended::NothingToDo => self.failed(refused, None).await.map(Some),
            Ended::Impossible(error) => {
                let message = format!("{} {error}", refused.message);
                self.failed(Fault { message, ..error.into() }, None).await.map(Some)
            }
        }
    }

    async fn compact(&mut self, limits: CompactionLimits) -> Result<Ended, Fault> {
        let compaction = self.parts.compaction.clone();
        let tokens = Corrected { estimate: &*compaction.estimate, correction: self.tally.correction() };
        let summary_model = compaction.model.clone().unwrap_or_else(|| self.parts.model.clone());
        let planned = Planning {
            compaction: &compaction,
            focus: None,
            limits,
            summary_window: summary_model.context_window().unwrap_or(limits.window),
            tokens: &tokens,
        }
        .plan(&mut self.transcript, &self.progress);
        let event = match planned {
            Err(error) => return Ok(Ended::Impossible(error)),
            Ok(None) => return Ok(Ended::NothingToDo),
            Ok(Some(Compaction::Ready(event))) => event,
            Ok(Some(Compaction::Summarize(plan))) => match self.summarized(&plan, &*summary_model, &tokens).await? {
                Ok(event) => event,
                Err(end) => return Ok(Ended::Stopped(end)),
            },
        };
        self.append(vec![event.into()]).await?;
        self.tally.forget_messages();
        let request = self.request();
        self.tally.count_request(&request, &*compaction.estimate);
        Ok(Ended::Compacted)
    }

    async fn summarized(
        &mut self,
        plan: &SummaryPlan,
        model: &dyn ChatModel,
        tokens: &dyn CountTokens,
    ) -> Result<Result<ContextCompacted, RunEnd>, Fault> {
        let asking = match summary::prepare(model, &plan.request, self.state.turn) {
            Ok(asking) => asking,
            Err(fault) => return Ok(Ok(without(plan, &fault))),
        };
        self.append(vec![asking.event.clone()]).await?;
        let out_of_time = budget::out_of_time(&self.state, self.parts.clock.now_ms());
        let cancel = self.cancel.clone();
        let answered = tokio::select! {
            biased;
            () = cancel.cancelled() => return self.cancelled().await.map(Err),
            () = out_of_time => return self.out_of_budget().await.map(Err),
            () = tokio::time::sleep(self.parts.max_answer) => Err(crate::bounds::too_slow(self.parts.max_answer)),
            answered = asking.answer(model) => answered,
        };
        match answered {
            Ok(summary) => {
                self.append(vec![asking.response(&summary)]).await?;
                Ok(Ok(taken(plan, &summary, tokens)))
            }
            Err(fault) => Ok(Ok(without(plan, &fault))),
        }
    }

    fn limits(&self, window: u64) -> CompactionLimits {
        let answer = self.parts.model_options.max_completion_tokens.map_or(TOKENS_FOR_ANSWER, u64::from);
        CompactionLimits::new(window, self.tally.fixed_tokens(), self.parts.compaction.at_fraction, answer)
    }
}

enum Ended {
    Compacted,
    NothingToDo,
    Impossible(CompactionError),
    Stopped(RunEnd),
}

/// Compacts a session that no run works on, because the user asks.
///
/// # Errors
/// `CONTEXT_TOO_LONG` where it can't be made shorter; those of the log.
pub async fn compact_session(session: SessionToCompact<'_>) -> Result<Compacted, Fault> {
    let SessionToCompact { log, session_id, model, compaction, transcript, progress, fixed, focus } = session;
    let tokens = Corrected { estimate: &*compaction.estimate, correction: TokenCorrection::default() };
    let now = fixed + transcript.messages().iter().map(|message| tokens.message(message)).sum::<u64>();
    // Where nobody knows the window, only half of the conversation is aimed at.
    let window = model.context_window().unwrap_or(now.saturating_mul(UNKNOWN_WINDOW));
    let summary_model = compaction.model.clone().unwrap_or(model);
    let planned = Planning {
        compaction,
        focus,
        limits: CompactionLimits::new(window, fixed, compaction.at_fraction, TOKENS_FOR_ANSWER).asked_for(now),
        summary_window: summary_model.context_window().unwrap_or(now),
        tokens: &tokens,
    }
    .plan(transcript, progress);
    let append = async |bodies: Vec<EventBody>| {
        log.append(session_id, bodies.into_iter().map(EventDraft::of_session).collect()).await
    };
    let event = match planned {
        Ok(None) | Err(CompactionError::NothingToDrop { .. } | CompactionError::LastExchangeTooLarge { .. }) => {
            return Ok(Compacted::NothingToDo);
        }
        Err(error) => return Err(error.into()),
        Ok(Some(Compaction::Ready(event))) => event,
        Ok(Some(Compaction::Summarize(plan))) => match summary::prepare(&*summary_model, &plan.request, 0) {
            Err(fault) => without(&plan, &fault),
            Ok(asking) => {
                append(vec![asking.event.clone()]).await?;
                match asking.answer(&*summary_model).await {
                    Err(fault) => without(&plan, &fault),
                    Ok(summary) => {
                        append(vec![asking.response(&summary)]).await?;
                        taken(&plan, &summary, &tokens)
                    }
                }
            }
        },
    };
    append(vec![event.clone().into()]).await?;
    Ok(Compacted::Done(event))
}

/// The session that [`compact_session`] works on.
pub struct SessionToCompact<'a> {
    pub log: &'a dyn EventLog,
    pub session_id: &'a SessionId,
    pub model: Arc<dyn ChatModel>,
    pub compaction: &'a CompactionParts,
    pub transcript: &'a mut Transcript,
    pub progress: &'a Progress,
    /// The tokens of the system prompt and the tools.
    pub fixed: u64,
    /// The topic to keep above all.
    pub focus: Option<&'a str>,
}

struct Planning<'a> {
    compaction: &'a CompactionParts,
    focus: Option<&'a str>,
    limits: CompactionLimits,
    summary_window: u64,
    tokens: &'a dyn CountTokens,
}

impl Planning<'_> {
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

fn without(plan: &SummaryPlan, fault: &Fault) -> ContextCompacted {
    tracing::warn!(code = fault.code, %fault, "no summary was written");
    plan.without_summary()
}
