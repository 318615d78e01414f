//! A run in the foreground, to its next stop: what it says and does goes to the terminal as it comes.

use crate::activity::activity;
use crate::command_output::{self, CommandOutputs};
use crate::exit::Exit;
use crate::output::{Output, dim, visible};
use crate::progress::{ProgressLine, TICK};
use crate::review;
use arki_domain::projection::RunState;
use arki_domain::{
    ApprovalId, Clock, Code, Event, EventBody, EventId, Fault, LiveEvent, OutputDelta, QuestionAsked, RunId, SessionId,
    Stage, StepCompleted, StepFailed, SubagentStarted, SystemClock, TokenType, plural,
};
#[cfg(unix)]
use arki_engine::outlives_terminal;
use arki_engine::{ActiveRun, Client, Engine, RunEnd, Subscription, VisiblePieces, Writing, check_output, one_line};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Instant;
#[cfg(unix)]
use tokio::signal::unix::SignalKind;
use tokio::task::JoinHandle;

/// Events are caught up in pieces of this many.
const CATCH_UP: usize = 500;

/// Follows the run like [`to_next_stop`], and after one that has completed those of the queued messages.
pub(crate) async fn to_end(
    client: &Client,
    output: &Output,
    mut subscription: Subscription,
    mut running: (ActiveRun, JoinHandle<Result<RunEnd, Fault>>),
) -> Result<Exit, Fault> {
    let engine = client.engine();
    loop {
        let session_id = running.0.session_id.clone();
        let exit = to_next_stop(engine, output, subscription, running).await?;
        if !matches!(exit, Exit::Done | Exit::Untrusted) || engine.is_ephemeral() {
            return Ok(exit);
        }
        let Some(next) = engine.runs().queue(&session_id)?.messages().first().cloned() else { return Ok(exit) };
        subscription = engine.subscribe();
        running = match client.send_next(&session_id).await {
            Ok(Some(started)) => started,
            Ok(None) => return Ok(exit),
            // A window has taken it.
            Err(fault) if fault.is(Code::SESSION_BUSY) => return Ok(exit),
            Err(fault) => return Err(fault),
        };
        output.aside(dim(&format!("› {}", visible(&one_line(&next.text)))));
    }
}

/// Follows the run. `subscription` was taken before the run began, so that nothing is missed.
pub(crate) async fn to_next_stop(
    engine: &Arc<Engine>,
    output: &Output,
    mut subscription: Subscription,
    (run, mut handle): (ActiveRun, JoinHandle<Result<RunEnd, Fault>>),
) -> Result<Exit, Fault> {
    for fault in engine.mcp().take_mcp_faults() {
        output.aside(format!("{} {}", one_line(&fault.message), fault.hint));
    }
    let mut screen = Screen {
        output,
        run: &run,
        last_seq: 0,
        at_line_start: true,
        shown: std::io::stdout().is_terminal().then(VisiblePieces::default),
        told: Told::default(),
        has_cost_limit: false,
        subagents: run.subagents.clone(),
        stage: None,
        outputs: CommandOutputs::new(output.show_output),
        progress: ProgressLine::new(!output.json),
        held: None,
        steps: engine.runs().pipeline_steps(&run.run_id)?.map(PipelineSteps::new),
    };
    if screen.steps.is_some() && !output.json {
        output.aside(format!("Run: {}", run.run_id));
    }
    let mut stop = std::pin::pin!(asked_to_stop());
    let mut stopping = false;
    let mut ticks = tokio::time::interval(TICK);
    let end = loop {
        tokio::select! {
            biased;
            () = &mut stop, if !stopping => {
                stopping = true;
                run.stop();
            }
            announced = subscription.next() => screen.show(engine, announced)?,
            ended = &mut handle => break ended.map_err(Fault::internal)??,
            _ = ticks.tick(), if screen.progress.is_on() => screen.draw_progress(),
        }
    };
    let cut = if matches!(end, RunEnd::Completed { .. }) { in_background(engine, &run)? } else { 0 };
    engine.runs().stop_background().await;
    while let Some(announced) = subscription.ready() {
        screen.show(engine, Some(announced))?;
    }
    screen.end_line();
    screen.tell_answer(&end);
    let Standing { state, subagents } = Standing::of(engine, &run.run_id)?;
    let is_of_pipeline = state.as_ref().is_some_and(RunState::is_of_pipeline);
    if is_of_pipeline && matches!(end, RunEnd::Completed { .. }) && !output.json {
        print_output(engine, output, &run.run_id)?;
    }
    let denied = was_denied(engine, state.as_ref(), subagents)?;
    report(output, &run, &end, denied, engine.is_ephemeral());
    match &end {
        RunEnd::Failed(_) if is_of_pipeline => {
            output.aside(format!("Run `arki resume {}` to go on from the step that failed.", run.run_id));
        }
        RunEnd::Cancelled if is_of_pipeline => {
            output.aside(format!("Run `arki resume {} --from STEP` to run it again from a step on.", run.run_id));
        }
        _ => {}
    }
    if let (RunEnd::AwaitingApproval(id), false) = (&end, engine.is_ephemeral()) {
        tell_approval(engine, output, id)?;
    }
    if let Some(question) = state.as_ref().and_then(RunState::open_question) {
        tell_question(output, &run.session_id, question);
    }
    let schema = state.and_then(|state| state.options.output_schema);
    if let (RunEnd::Completed { response }, Some(schema)) = (&end, schema) {
        check_output(&schema, response)?;
    }
    let waiting = engine.runs().queue(&run.session_id)?.messages().len();
    if waiting > 0 && matches!(end, RunEnd::Cancelled) {
        output.aside(format!("{waiting} queued. Run `arki resume {}` to send the next one.", run.session_id));
    }
    let exit = Exit::of_run(&end, denied);
    if cut > 0 {
        let count = plural(cut as u64, "background command");
        output.aside(format!("Ended {count} with this program. What that was to do may be unfinished."));
        return Ok(if exit == Exit::Done { Exit::Failed } else { exit });
    }
    Ok(exit)
}

/// The number of commands that this process still runs for the session.
fn in_background(engine: &Engine, run: &ActiveRun) -> Result<usize, Fault> {
    let calls = engine.runs().background_calls(&run.session_id)?;
    Ok(calls.iter().filter(|call| call.process_id == std::process::id()).count())
}

/// Prints what a pipeline's run is allowed beyond the sandbox, where that is new.
pub(crate) fn tell_grants(output: &Output, run: &ActiveRun) {
    run.grants.iter().for_each(|grant| output.aside(visible(grant)));
}

/// Prints what a pipeline's last step said, as it is.
pub(crate) fn print_output(engine: &Engine, output: &Output, run_id: &RunId) -> Result<(), Fault> {
    if output.json {
        let mut last = None;
        engine.sessions().each_run_event(run_id, |event| last = Some(event))?;
        last.iter().for_each(|event| output.object(event));
        return Ok(());
    }
    let text = engine.runs().pipeline_output(run_id)?;
    if !std::io::stdout().is_terminal() {
        output.text(&text);
        return Ok(());
    }
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    output.text(&format!("{}{end}", visible(&text)));
    Ok(())
}

/// The state of a run, and the runs of its sub-agents.
#[derive(Default)]
struct Standing {
    state: Option<RunState>,
    subagents: Vec<RunId>,
}

impl Standing {
    fn of(engine: &Engine, run: &RunId) -> Result<Self, Fault> {
        let mut standing = Self::default();
        engine.sessions().each_run_event(run, |event| standing.apply(&event))?;
        Ok(standing)
    }

    fn apply(&mut self, event: &Event) {
        let body = event.body();
        if let EventBody::SubagentStarted(started) = &body {
            self.subagents.push(started.run_id.clone());
        }
        match &mut self.state {
            Some(state) => state.apply_body(event, &body),
            None => self.state = RunState::start(event),
        }
    }
}

/// True if the run, or a sub-agent's run, had a call denied because the folder is not trusted.
fn was_denied(engine: &Engine, state: Option<&RunState>, subagents: Vec<RunId>) -> Result<bool, Fault> {
    if state.is_some_and(|state| state.denied_untrusted) {
        return Ok(true);
    }
    for run in subagents {
        let Standing { state, subagents } = Standing::of(engine, &run)?;
        if was_denied(engine, state.as_ref(), subagents)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Ctrl-C, and on Unix also the polite request to end and the end of its terminal, unless it is to outlive that.
pub(crate) async fn asked_to_stop() {
    #[cfg(unix)]
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = signalled(SignalKind::terminate()) => {}
        () = signalled(SignalKind::hangup()), if !outlives_terminal() => {}
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}

#[cfg(unix)]
async fn signalled(kind: SignalKind) {
    match tokio::signal::unix::signal(kind) {
        Ok(mut signals) => drop(signals.recv().await),
        Err(_) => std::future::pending().await,
    }
}

fn report(output: &Output, run: &ActiveRun, end: &RunEnd, denied: bool, ephemeral: bool) {
    match end {
        RunEnd::Completed { .. } if denied => {
            output.aside("Some calls were denied because this folder is not trusted. Run `arki trust` to trust it.");
        }
        RunEnd::Completed { .. } => {}
        RunEnd::Failed(fault) => output.fault(fault),
        RunEnd::Cancelled => output.aside("Stopped."),
        RunEnd::AwaitingApproval(_) | RunEnd::BudgetExhausted if ephemeral => {
            output.aside("The run stopped here. It can't be resumed, because --ephemeral keeps nothing.");
        }
        RunEnd::AwaitingAnswer(_) | RunEnd::AwaitingApproval(_) => {}
        RunEnd::Paused => output.aside(format!("Paused. Run `arki resume {}` to resume.", run.run_id)),
        RunEnd::BudgetExhausted => {
            output.aside(format!(
                "A budget paused the run. Run `arki resume {}` to resume with a fresh budget.",
                run.run_id
            ));
        }
    }
}

/// Prints the model's question and how to answer it.
pub(crate) fn tell_question(output: &Output, session_id: &SessionId, question: &QuestionAsked) {
    output.aside(format!("Arki asks: {}", visible(&question.text)));
    for option in &question.options {
        output.aside(format!("  - {}", visible(option)));
    }
    output.aside(format!(
        "Waiting for your answer. Run `arki resume {session_id} --answer TEXT`, or answer in the \
        window."
    ));
}

/// Prints the pending approval and the shortest commands that decide it.
fn tell_approval(engine: &Engine, output: &Output, id: &ApprovalId) -> Result<(), Fault> {
    if !output.json {
        output.aside("");
        review::at_stop(engine, &engine.approvals().approval(id)?, |line| output.aside(line));
        output.aside("");
    }
    let name = engine.approvals().short_name(id)?.map(|name| format!(" {name}")).unwrap_or_default();
    output.aside(format!("Waiting for your decision on {id}. Run one of:"));
    output.aside(format!("  arki approvals approve{name}"));
    output.aside(format!("  arki approvals reject{name}"));
    Ok(())
}

struct Screen<'a> {
    output: &'a Output,
    run: &'a ActiveRun,
    last_seq: u64,
    at_line_start: bool,
    /// On a terminal, which would obey what control characters the model writes. A program gets them as they are.
    shown: Option<VisiblePieces>,
    told: Told,
    /// The sub-agents that work for the run.
    subagents: Vec<SubagentStarted>,
    /// True while the run has a cost limit and no warning about an unknown price was printed.
    has_cost_limit: bool,
    /// The stage of the last request.
    stage: Option<Stage>,
    /// The steps of a pipeline's run; `None` for any other run.
    steps: Option<PipelineSteps>,
    outputs: CommandOutputs,
    progress: ProgressLine,
    /// The last answer, where standard output is no terminal: it gets only that one, when the run stops.
    held: Option<String>,
}

/// The steps of a pipeline, and those of them that have ended.
struct PipelineSteps {
    names: Vec<String>,
    ended: HashSet<String>,
}

const BAR_CHARS: usize = 10;

impl PipelineSteps {
    fn new(names: Vec<String>) -> Self {
        Self { names, ended: HashSet::new() }
    }

    /// Returns a bar, if the event ends a step.
    fn bar(&mut self, body: &EventBody) -> Option<String> {
        let step = match body {
            EventBody::StepCompleted(completed) => &completed.step,
            EventBody::StepSkipped(skipped) => &skipped.step,
            _ => return None,
        };
        if !self.names.contains(step) {
            return None;
        }
        self.ended.insert(step.clone());
        let (ended, all) = (self.ended.len(), self.names.len());
        let full = BAR_CHARS * ended / all.max(1);
        Some(format!("{}{} {ended}/{all}", "█".repeat(full), "░".repeat(BAR_CHARS - full)))
    }
}

/// How far the answer has been printed. A terminal slower than the model falls behind, and then gets what it missed
/// from the stored message.
#[derive(Default)]
struct Told {
    turn: u32,
    /// Of that turn's answer, in bytes.
    bytes: usize,
    /// Pieces were missed, and no turn has begun since.
    behind: bool,
    said: String,
    /// The words of an answer that broke off: where the next one begins with them, they are not printed again.
    broken_off: String,
}

impl Told {
    /// The answer broke off and comes anew, from its beginning.
    fn begin_again(&mut self) {
        let longer = if self.said.len() < self.broken_off.len() { &mut self.broken_off } else { &mut self.said };
        *self = Self { turn: self.turn, behind: self.behind, broken_off: std::mem::take(longer), ..Self::default() };
    }

    /// Returns what of the next piece is not on the screen yet.
    fn unsaid<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        self.said.push_str(text);
        if self.broken_off.is_empty() {
            return Cow::Borrowed(text);
        }
        if self.broken_off.starts_with(&self.said) {
            return Cow::Borrowed("");
        }
        let broken_off = std::mem::take(&mut self.broken_off);
        match self.said.strip_prefix(&broken_off) {
            Some(rest) => Cow::Owned(rest.to_owned()),
            None => Cow::Owned(format!("\n{}", self.said)),
        }
    }
}

impl Screen<'_> {
    fn show(
        &mut self,
        engine: &Engine,
        announced: Option<Result<LiveEvent, arki_engine::Lagged>>,
    ) -> Result<(), Fault> {
        match announced {
            Some(Ok(LiveEvent::Stored(event))) if event.session_id == self.run.session_id => {
                // It was stored after what was caught up, so that its turn's pieces are all still to come.
                let begins = event.seq > self.last_seq && matches!(event.body(), EventBody::EngineRequest(_));
                self.told.behind &= !begins;
                self.event(&event);
            }
            Some(Ok(LiveEvent::Stored(event)))
                if self.subagents.iter().any(|subagent| subagent.session_id == event.session_id) =>
            {
                self.tell_activity(&event, "    ");
            }
            Some(Ok(LiveEvent::Delta { session_id, run_id, delta })) if session_id == self.run.session_id => {
                self.delta(&session_id, &run_id, delta);
            }
            Some(Ok(LiveEvent::CommandOutput { session_id, call_id, text, .. }))
                if session_id == self.run.session_id =>
            {
                let lines = self.outputs.piece(&call_id, &text);
                self.tell_output(&lines);
            }
            Some(Err(_)) => {
                self.told.behind = true;
                let page = engine.sessions().events_after(&self.run.session_id, self.last_seq, CATCH_UP)?;
                page.events.iter().for_each(|event| self.event(event));
            }
            Some(Ok(_)) | None => {}
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) {
        if event.seq <= self.last_seq {
            return;
        }
        self.last_seq = event.seq;
        self.tell_unknown_cost(event);
        match event.body() {
            EventBody::SubagentStarted(started) => self.subagents.push(started),
            EventBody::ToolResult(result) if result.async_call_id.is_none() => {
                self.subagents.retain(|subagent| subagent.call_id != result.call_id);
            }
            EventBody::ToolAsyncResult(result) => {
                self.subagents.retain(|subagent| subagent.call_id != result.async_call_id);
            }
            EventBody::StepCompleted(StepCompleted { step, .. }) | EventBody::StepFailed(StepFailed { step, .. }) => {
                self.subagents.retain(|subagent| subagent.call_id.as_str() != step);
            }
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.stage = request.stage,
            _ => {}
        }
        let is_answer = self.stage.is_none_or(|stage| stage == Stage::Synthesize);
        let body = event.body();
        self.progress.event(&body, Instant::now());
        match body {
            _ if self.output.json => self.output.object(event),
            EventBody::OutputMessage(message) if self.shown.is_none() => {
                if is_answer && !message.retried {
                    self.held = Some(message.content).filter(|content| !content.trim().is_empty());
                }
            }
            EventBody::RunCompleted(completed) if self.shown.is_none() => self.held = Some(completed.response),
            EventBody::EngineRequest(_) if self.shown.is_none() => self.tell_held(),
            EventBody::OutputMessage(message) if message.retried => self.told.begin_again(),
            EventBody::OutputMessage(message) if self.told.behind && is_answer => {
                self.answer(message.turn, &message.content);
            }
            // Asked for another plan, the model may have answered instead.
            EventBody::RunCompleted(completed) if !is_answer => self.answer(completed.turns, &completed.response),
            _ => self.tell_activity(event, ""),
        }
    }

    /// Prints what is missing of a turn's answer.
    fn answer(&mut self, turn: u32, content: &str) {
        let seen = self.seen_of(turn);
        self.told = Told { turn, bytes: content.len(), behind: self.told.behind, ..Told::default() };
        self.text(content.get(seen..).unwrap_or_default());
    }

    /// The bytes of a turn's answer that were printed. Another turn's answer begins on a line of its own.
    fn seen_of(&mut self, turn: u32) -> usize {
        if turn != self.told.turn {
            self.end_line();
            self.told = Told { turn, behind: self.told.behind, ..Told::default() };
        }
        self.told.bytes
    }

    /// Programs get the events of the run alone.
    fn tell_activity(&mut self, event: &Event, indent: &str) {
        let body = event.body();
        if let Some(line) = activity(&body).filter(|_| !self.output.json) {
            let own = event.session_id == self.run.session_id;
            let bar = self.steps.as_mut().filter(|_| own).and_then(|steps| steps.bar(&body));
            let bar = bar.map(|bar| format!("  {bar}")).unwrap_or_default();
            self.end_line();
            self.progress.wipe();
            self.output.aside(dim(&format!("{indent}{line}{bar}")));
        }
        if let EventBody::ToolResult(result) = &body
            && indent.is_empty()
            && !self.output.json
        {
            let lines = self.outputs.ended(result);
            self.tell_output(&lines);
        }
    }

    fn tell_output(&mut self, lines: &[String]) {
        if !lines.is_empty() && !self.output.json {
            self.end_line();
            self.progress.wipe();
            command_output::tell(self.output, lines);
        }
    }

    fn draw_progress(&mut self) {
        if self.at_line_start {
            self.progress.draw(self.outputs.last_line());
        }
    }

    /// Another answer follows: this one was said on the way.
    fn tell_held(&mut self) {
        if let Some(text) = self.held.take().filter(|_| self.steps.is_none()) {
            self.progress.wipe();
            self.output.aside(visible(text.trim_end()));
        }
    }

    /// Writes the last answer to where programs read it.
    fn tell_answer(&mut self, end: &RunEnd) {
        self.progress.wipe();
        let Some(held) = self.held.take().filter(|_| self.steps.is_none() && !self.output.json) else { return };
        let text = if let RunEnd::Completed { response } = end { response.clone() } else { held };
        let text = text.trim_end();
        if !text.is_empty() {
            self.output.text(&format!("{text}\n"));
        }
    }

    /// A limit that cannot be kept must not look as if it were.
    fn tell_unknown_cost(&mut self, event: &Event) {
        match event.body() {
            EventBody::RunStarted(started) => self.has_cost_limit = started.options.max_cost_usd.is_some(),
            EventBody::EngineResponse(response) if self.has_cost_limit && response.usage.cost_usd.is_none() => {
                self.has_cost_limit = false;
                self.end_line();
                self.output.aside("This model's price is unknown, so the cost limit can't stop the run.");
            }
            _ => {}
        }
    }

    fn delta(&mut self, session_id: &SessionId, run_id: &RunId, delta: OutputDelta) {
        if self.output.json {
            self.output.object(&DeltaLine {
                event_id: EventId::new(),
                run_id,
                session_id,
                ts: SystemClock.now_ms(),
                r#type: "output.delta",
                payload: delta,
            });
            return;
        }
        self.progress.delta(delta.token_type, Instant::now());
        if is_answer(delta.token_type) && !self.told.behind && self.shown.is_some() {
            self.told.bytes = self.seen_of(delta.turn) + delta.text.len();
            let unsaid = self.told.unsaid(&delta.text);
            self.text(&unsaid);
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.progress.wipe();
            self.at_line_start = text.ends_with('\n');
            self.write(text);
        }
    }

    fn write(&mut self, text: &str) {
        match &mut self.shown {
            Some(shown) => self.output.text(&shown.next(text, Writing::Prose)),
            None => self.output.text(text),
        }
    }

    fn end_line(&mut self) {
        if !self.at_line_start && !self.output.json {
            self.write("\n");
            self.at_line_start = true;
        }
    }
}

/// Returns whether the text is for the user; a core's own words, such as a plan in JSON, are told as what they mean.
fn is_answer(token_type: TokenType) -> bool {
    match token_type {
        TokenType::LlmResponse | TokenType::FinalSynthesisLlmResponse => true,
        TokenType::LlmThinking | TokenType::AgentThoughtLlmResponse => false,
    }
}

/// A live event: no number and no hashes, because it is never stored.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DeltaLine<'a> {
    event_id: EventId,
    run_id: &'a RunId,
    session_id: &'a SessionId,
    /// The time it reached this process, in milliseconds since 1970.
    ts: i64,
    r#type: &'static str,
    payload: OutputDelta,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_answer_that_broke_off_are_not_printed_again() {
        let printed = |again: &[&str]| {
            let mut told = Told::default();
            let mut screen = told.unsaid("One two").into_owned();
            told.begin_again();
            again.iter().for_each(|text| screen.push_str(&told.unsaid(text)));
            screen
        };
        assert_eq!(printed(&["One ", "two three", " four"]), "One two three four");
        assert_eq!(printed(&["One ", "more"]), "One two\nOne more");
        assert_eq!(printed(&["Other", " words"]), "One two\nOther words");
    }

    #[test]
    fn after_several_attempts_the_longest_is_on_the_screen() {
        let mut told = Told::default();
        let mut screen = told.unsaid("One two three").into_owned();
        for attempt in ["One", "One two three four"] {
            told.begin_again();
            screen.push_str(&told.unsaid(attempt));
        }
        assert_eq!(screen, "One two three four");
    }
}
