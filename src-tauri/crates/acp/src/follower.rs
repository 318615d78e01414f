//! Follows a session for as long as the client has it open: tells what happens, asks what waits, and answers the prompt
//! when its run stops.
//!
//! Everything comes from the session's events, whichever process appends them: so a decision in the window ends a request
//! for permission here, and a run that goes on elsewhere is told to its end.

use crate::asking::{AskEnd, EditorAsker};
use crate::live_session::{CLIENT, LiveSession, PromptTurn, TurnOrder};
use crate::messages::{SessionUpdate, StopReason, UsageCost, tell_update, timestamp};
use crate::rpc::RpcRefusal;
use crate::telling::{PromptOrigin, Teller, message, plan_update};
use arki_domain::projection::{Overview, PausedFor};
use arki_domain::{ApprovalId, Error, Event, EventBody, FinishReason, LiveEvent, QuestionAsked, RunId, SessionId};
use arki_engine::{Lagged, Subscription};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Duration, Instant};

/// Events are caught up in pieces of this many.
const CATCH_UP: usize = 500;
/// The time within which whoever decided goes on with the run.
const GOING_ON: Duration = Duration::from_secs(10);
/// Sub-agents' sessions whose approvals are asked about.
const MAX_SUBAGENTS: usize = 64;

/// The reason why a run isn't at work any more.
enum StoppedRun {
    Completed,
    Cancelled,
    Failed(Error),
    Paused(PausedFor),
}

pub(crate) struct SessionFollower {
    session: Arc<LiveSession>,
    asker: EditorAsker,
    subscription: Subscription,
    teller: Teller,
    /// The session as it stands after `last_seq`.
    overview: Overview,
    last_seq: u64,
    turn: Option<PromptTurn>,
    /// The last run, where it has stopped.
    stop: Option<(RunId, StoppedRun)>,
    /// The run's answer broke off.
    cut: Option<StopReason>,
    window: Option<u64>,
    /// The sub-agents of the session, and theirs.
    subagents: HashSet<SessionId>,
    question: Option<QuestionAsked>,
    /// The questions of MCP servers that were asked.
    server_questions: HashSet<u64>,
    asks: JoinSet<(Option<ApprovalId>, AskEnd)>,
    open_asks: HashMap<ApprovalId, AbortHandle>,
    /// Why something waits in Arki.
    left: Vec<String>,
    /// When another program decided what the run waits for. It goes on with the run.
    decided_at: Option<Instant>,
}

impl SessionFollower {
    /// `subscription`: taken before `overview` was read.
    pub(crate) fn new(
        asker: EditorAsker,
        subscription: Subscription,
        teller: Teller,
        overview: Overview,
        window: Option<u64>,
    ) -> Self {
        let running = overview.run.iter().flat_map(|run| run.subagents());
        let subagents = running.map(|started| started.session_id.clone()).collect();
        Self {
            session: asker.session.clone(),
            last_seq: overview.last_seq,
            asker,
            subscription,
            teller,
            overview,
            turn: None,
            stop: None,
            cut: None,
            window,
            subagents,
            question: None,
            server_questions: HashSet::new(),
            asks: JoinSet::new(),
            open_asks: HashMap::new(),
            left: Vec::new(),
            decided_at: None,
        }
    }

    /// `told`: the last event that the client was told of.
    pub(crate) async fn run(mut self, told: u64, mut orders: mpsc::Receiver<TurnOrder>) {
        self.tell_since(told).await;
        let (closing, gone) = (self.session.closing.clone(), self.asker.connection.closing.clone());
        loop {
            let cancelled = self.turn.as_ref().map(|turn| turn.cancelled.clone());
            let is_asking = !self.asks.is_empty();
            tokio::select! {
                biased;
                () = closing.cancelled() => break,
                () = gone.cancelled() => break,
                Some(order) = orders.recv() => self.obey(order).await,
                () = async { cancelled.expect("a turn is asked for").cancelled().await }, if cancelled.is_some() && is_asking => {
                    self.drop_asks();
                }
                Some(ended) = self.asks.join_next(), if is_asking => {
                    self.catch_up().await;
                    if let Ok((approval, end)) = ended {
                        self.asked(approval.as_ref(), end);
                    }
                }
                () = tokio::time::sleep(GOING_ON), if self.decided_at.is_some() => {}
                announced = self.subscription.next() => match announced {
                    Some(announced) => self.announced(announced).await,
                    None => break,
                },
            }
            self.settle().await;
        }
        self.drop_asks();
        self.finish(Ok(StopReason::Cancelled)).await;
    }

    /// Tells what was appended while the session's past was told.
    async fn tell_since(&mut self, told: u64) {
        if told >= self.last_seq {
            return;
        }
        for event in self.events_after(told).await.into_iter().filter(|event| event.seq <= self.last_seq) {
            let updates = self.teller.event(&event);
            self.tell(updates).await;
        }
    }

    /// A piece of the log; nothing where it can't be read.
    async fn events_after(&self, seq: u64) -> Vec<Event> {
        let (engine, id) = (self.asker.client.engine().clone(), self.session.id.clone());
        let reading = tokio::task::spawn_blocking(move || engine.session_reader().events_after(&id, seq, CATCH_UP));
        match reading.await {
            Ok(Ok(page)) => page.events,
            _ => Vec::new(),
        }
    }

    async fn obey(&mut self, order: TurnOrder) {
        match order {
            TurnOrder::Begin(turn) => {
                self.left.clear();
                self.teller.prompt_origin = PromptOrigin::Here;
                self.turn = Some(turn);
            }
            TurnOrder::Started(run) => {
                if let Some(turn) = &mut self.turn {
                    turn.run = Some(run);
                }
                self.catch_up().await;
            }
            TurnOrder::Failed(fault) => {
                self.catch_up().await;
                self.finish(Err(fault)).await;
            }
            TurnOrder::Ended(reason) => {
                self.catch_up().await;
                self.finish(Ok(reason)).await;
            }
        }
    }

    /// Takes in what was announced already.
    async fn catch_up(&mut self) {
        while let Some(announced) = self.subscription.ready() {
            self.announced(announced).await;
        }
    }

    async fn announced(&mut self, announced: Result<LiveEvent, Lagged>) {
        match announced {
            Ok(LiveEvent::Stored(event)) if event.session_id == self.session.id => {
                let told = if event.seq > self.last_seq { self.teller.live(&event) } else { Vec::new() };
                self.event(&event, told).await;
            }
            Ok(LiveEvent::Stored(event)) if self.subagents.contains(&event.session_id) => self.beneath(&event.body()),
            Ok(LiveEvent::Delta { session_id, run_id, delta }) if session_id == self.session.id => {
                let told = self.teller.piece(&run_id, &delta);
                self.tell(told).await;
            }
            Ok(LiveEvent::CommandOutput { session_id, call_id, text, .. }) if session_id == self.session.id => {
                let told = self.teller.output(&call_id, &text);
                self.tell(told).await;
            }
            Ok(LiveEvent::ElicitationsChanged) => self.ask_for_servers(),
            Ok(_) => {}
            Err(_) => self.catch_up_from_log().await,
        }
    }

    /// The client reads more slowly than the session goes on: what was missed is read from the log.
    async fn catch_up_from_log(&mut self) {
        self.teller.fall_behind();
        loop {
            let events = self.events_after(self.last_seq).await;
            for event in &events {
                let told = self.teller.event(event);
                self.event(event, told).await;
            }
            if events.len() < CATCH_UP {
                return;
            }
        }
    }

    async fn event(&mut self, event: &Event, told: Vec<SessionUpdate>) {
        if event.seq <= self.last_seq {
            return;
        }
        self.last_seq = event.seq;
        self.overview.apply(event);
        self.tell(told).await;
        let body = event.body();
        let beside = self.beside(&body, event.ts);
        self.tell(beside).await;
        if let Some(run) = &event.run_id {
            self.note_stop(run, &body);
        }
        self.beneath(&body);
    }

    /// The session's figures, plan and title.
    fn beside(&mut self, body: &EventBody, at: i64) -> Option<SessionUpdate> {
        match body {
            EventBody::PlanProposed(_) | EventBody::PlanUpdated(_) => self.overview.plan.current().map(plan_update),
            EventBody::SessionConfigured(configured) => {
                let title = configured.title.clone()?;
                Some(SessionUpdate::SessionInfoUpdate { title, updated_at: timestamp(at) })
            }
            EventBody::EngineRequest(request) => {
                self.window = request.context_window.or(self.window);
                None
            }
            EventBody::EngineResponse(response) if response.purpose.is_none() => {
                self.cut = match response.finish_reason {
                    FinishReason::Length => Some(StopReason::MaxTokens),
                    FinishReason::ContentFilter => Some(StopReason::Refusal),
                    _ => None,
                };
                let cost = self.overview.usage.session().cost_usd().map(UsageCost::in_dollars);
                Some(SessionUpdate::UsageUpdate { used: response.usage.total_tokens, size: self.window?, cost })
            }
            _ => None,
        }
    }

    fn note_stop(&mut self, run: &RunId, body: &EventBody) {
        let stop = match body {
            EventBody::RunStarted(_) | EventBody::RunResumed(_) => {
                (self.stop, self.question, self.decided_at) = (None, None, None);
                return;
            }
            EventBody::RunCompleted(_) => StoppedRun::Completed,
            EventBody::RunCancelled(_) => StoppedRun::Cancelled,
            EventBody::RunFailed(failed) => StoppedRun::Failed(Error {
                code: failed.code.clone(),
                message: failed.message.clone(),
                hint: failed.hint.clone(),
                retry_after_ms: None,
                cause: None,
            }),
            EventBody::RunPaused(paused) => StoppedRun::Paused(PausedFor::of(paused)),
            _ => return,
        };
        self.stop = Some((run.clone(), stop));
    }

    /// Takes in what is asked in the session or beneath it, and what was answered elsewhere.
    fn beneath(&mut self, body: &EventBody) {
        if let EventBody::ApprovalRequested(_) = body {
            self.decided_at = None;
        }
        match body {
            EventBody::SubagentStarted(started) if self.subagents.len() < MAX_SUBAGENTS => {
                self.subagents.insert(started.session_id.clone());
            }
            EventBody::QuestionAsked(asked) => self.question = Some(asked.clone()),
            EventBody::ApprovalRequested(requested) if self.is_heard() => {
                let (asker, id) = (self.asker.clone(), requested.approval_id.clone());
                let asking = async move { (Some(id.clone()), asker.ask(id).await) };
                let handle = self.asks.spawn(asking);
                self.open_asks.insert(requested.approval_id.clone(), handle);
            }
            // Who decides here is at work on it still: only another's answer ends the asking.
            EventBody::ApprovalResolved(resolved) if resolved.resolved_by != CLIENT => {
                if let Some(asking) = self.open_asks.remove(&resolved.approval_id) {
                    asking.abort();
                }
                let is_open = self.overview.run.as_ref().is_some_and(|run| run.open_approval().is_some());
                self.decided_at = (!is_open && self.is_heard()).then(Instant::now);
            }
            _ => {}
        }
    }

    /// Asks what MCP servers want to know in this session, each question once.
    fn ask_for_servers(&mut self) {
        let questions = self.asker.client.engine().mcp().elicitations();
        self.server_questions.retain(|id| questions.iter().any(|question| question.id == *id));
        let is_own = |session: Option<&str>| session.is_none_or(|session| session == self.session.id.as_str());
        for question in questions.into_iter().filter(|question| is_own(question.session_id.as_deref())) {
            if self.server_questions.insert(question.id) {
                tokio::spawn(self.asker.clone().ask_for_server(question));
            }
        }
    }

    /// Returns whether somebody waits for the run.
    fn is_heard(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| !turn.cancelled.is_cancelled())
    }

    fn asked(&mut self, approval: Option<&ApprovalId>, end: AskEnd) {
        if let Some(approval) = approval {
            self.open_asks.remove(approval);
        }
        match end {
            AskEnd::Decided => {}
            AskEnd::Left(why) => self.left.push(why),
            AskEnd::Failed(fault) => {
                tracing::warn!(%fault, "what the client answered was not taken");
                self.left.push(format!("{} {}", fault.message, fault.hint));
            }
        }
    }

    fn drop_asks(&mut self) {
        self.asks.abort_all();
        self.asks = JoinSet::new();
        self.open_asks.clear();
    }

    /// Answers the prompt where its run has stopped, and nothing is asked any more.
    async fn settle(&mut self) {
        let Some(run) = self.turn.as_ref().and_then(|turn| turn.run.clone()) else { return };
        let Some((_, stop)) = self.stop.as_ref().filter(|(stopped, _)| *stopped == run) else { return };
        let outcome = match stop {
            StoppedRun::Completed => Ok(self.cut.unwrap_or(StopReason::EndTurn)),
            StoppedRun::Cancelled => Ok(StopReason::Cancelled),
            StoppedRun::Failed(fault) => Err(fault.clone()),
            StoppedRun::Paused(_) if !self.is_heard() || !self.asks.is_empty() => return,
            StoppedRun::Paused(PausedFor::Question) => match self.question.take() {
                Some(asked) if self.asker.capabilities.forms => {
                    let asker = self.asker.clone();
                    self.asks.spawn(async move { (None, asker.ask_question(asked).await) });
                    return;
                }
                asked => {
                    let text = asked.map(|asked| message(format!("{run}.question"), question_text(&asked)));
                    self.tell(text).await;
                    Ok(StopReason::EndTurn)
                }
            },
            StoppedRun::Paused(PausedFor::Budget) => Ok(StopReason::MaxTurnRequests),
            StoppedRun::Paused(PausedFor::Approval | PausedFor::Plan) => {
                let text = match self.decided_at.take_if(|at| at.elapsed() >= GOING_ON) {
                    Some(_) => {
                        format!(
                            "\n\nThis was decided, but no program has gone on with it yet. If it stays so, `arki resume {run}` does.\n"
                        )
                    }
                    None if self.decided_at.is_some() => return,
                    None => self.waiting_text(),
                };
                self.tell([message(format!("{run}.waits"), text)]).await;
                Ok(StopReason::EndTurn)
            }
            StoppedRun::Paused(_) => Ok(StopReason::EndTurn),
        };
        // What is asked no longer is taken back before the prompt ends.
        self.asks.shutdown().await;
        self.open_asks.clear();
        self.finish(outcome).await;
    }

    fn waiting_text(&mut self) -> String {
        let why =
            std::mem::take(&mut self.left).into_iter().filter(|why| !why.is_empty()).collect::<Vec<_>>().join("; ");
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        format!("\n\nThis waits for your decision in Arki{why}: open Arki's inbox, or run `arki approvals list`.\n")
    }

    async fn finish(&mut self, outcome: Result<StopReason, Error>) {
        let Some(turn) = self.turn.take() else { return };
        self.decided_at = None;
        self.session.end_turn(&turn.request);
        self.teller.prompt_origin = PromptOrigin::Elsewhere;
        let outcome = match outcome {
            Err(_) if turn.cancelled.is_cancelled() => Ok(StopReason::Cancelled),
            outcome => outcome,
        };
        let answer = outcome.map(|reason| json!({"stopReason": reason})).map_err(RpcRefusal::from);
        self.asker.connection.answer(&turn.request, answer).await;
    }

    async fn tell(&self, updates: impl IntoIterator<Item = SessionUpdate>) {
        for update in updates {
            tell_update(&self.asker.connection, &self.session.id, &update).await;
        }
    }
}

fn question_text(asked: &QuestionAsked) -> String {
    let options = asked.options.iter().map(|option| format!("\n- {option}"));
    std::iter::once(format!("\n\n{}", asked.text)).chain(options).chain(["\n".to_owned()]).collect()
}
