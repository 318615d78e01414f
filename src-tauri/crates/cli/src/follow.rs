//! A run in the foreground, to its next stop: what it says and does goes to the terminal as it comes.

mod screen;

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible};
use crate::progress::TICK;
use crate::review;
use arki_domain::projection::RunState;
use arki_domain::{ApprovalId, Code, Error, Event, EventBody, QuestionAsked, RunId, SessionId, plural};
#[cfg(unix)]
use arki_engine::outlives_terminal;
use arki_engine::{ActiveRun, Client, Engine, RunEnd, Subscription, check_output, one_line};
use screen::{PipelineSteps, Screen};
use std::io::IsTerminal;
use std::sync::Arc;
#[cfg(unix)]
use tokio::signal::unix::SignalKind;
use tokio::task::JoinHandle;

/// Follows the run like [`to_next_stop`], and after one that has completed those of the queued messages.
pub(crate) async fn to_end(
    client: &Client,
    output: &Printer,
    mut subscription: Subscription,
    mut running: (ActiveRun, JoinHandle<Result<RunEnd, Error>>),
) -> CommandExit {
    let engine = client.engine();
    loop {
        let session_id = running.0.session_id.clone();
        let exit = to_next_stop(engine, output, subscription, running).await?;
        if !matches!(exit, Exit::Done | Exit::Untrusted) || engine.is_ephemeral() {
            return Ok(exit);
        }
        let Some(next) = engine.message_queues().queue(&session_id)?.messages().first().cloned() else {
            return Ok(exit);
        };
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
    output: &Printer,
    mut subscription: Subscription,
    (run, mut handle): (ActiveRun, JoinHandle<Result<RunEnd, Error>>),
) -> CommandExit {
    for fault in engine.mcp().take_mcp_faults() {
        output.aside(format!("{} {}", one_line(&fault.message), fault.hint));
    }
    let steps = engine.pipeline_history().steps(&run.run_id)?;
    let mut screen = Screen::new(output, &run, steps.map(PipelineSteps::new));
    if screen.is_of_pipeline() && !output.json {
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
            ended = &mut handle => break ended.map_err(Error::internal)??,
            _ = ticks.tick(), if screen.shows_progress() => screen.draw_progress(),
        }
    };
    let cut = if matches!(end, RunEnd::Completed { .. }) { in_background(engine, &run)? } else { 0 };
    engine.background_work().stop_all().await;
    while let Some(announced) = subscription.ready() {
        screen.show(engine, Some(announced))?;
    }
    screen.end_line();
    screen.tell_answer(&end);
    let FollowedRun { state, subagents } = FollowedRun::of(engine, &run.run_id)?;
    let is_of_pipeline = state.as_ref().is_some_and(RunState::is_of_pipeline);
    if is_of_pipeline && matches!(end, RunEnd::Completed { .. }) && !output.json {
        print_output(engine, output, &run.run_id)?;
    }
    let denied = was_denied(engine, state.as_ref(), subagents)?;
    report(output, &run, &end, denied, engine.is_ephemeral());
    match &end {
        RunEnd::Failed(_) if is_of_pipeline => {
            output.aside(format!("Run `arki resume {}` to resume from the failed step.", run.run_id));
        }
        RunEnd::Cancelled if is_of_pipeline => {
            output.aside(format!("Run `arki resume {} --from STEP` to run it again from a given step.", run.run_id));
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
    let waiting = engine.message_queues().queue(&run.session_id)?.messages().len();
    if waiting > 0 && matches!(end, RunEnd::Cancelled) {
        output.aside(format!("{waiting} queued. Run `arki resume {}` to send the next one.", run.session_id));
    }
    let exit = Exit::of_run(&end, denied);
    if cut > 0 {
        let count = plural(cut as u64, "background command");
        output.aside(format!("Stopped {count} when this program ended. Some work may be unfinished."));
        return Ok(if exit == Exit::Done { Exit::Failed } else { exit });
    }
    Ok(exit)
}

/// The number of commands that this process still runs for the session.
fn in_background(engine: &Engine, run: &ActiveRun) -> Result<usize, Error> {
    let calls = engine.background_work().calls(&run.session_id)?;
    Ok(calls.iter().filter(|call| call.process_id == std::process::id()).count())
}

/// Prints what a pipeline's run is allowed beyond the sandbox, where that is new.
pub(crate) fn tell_grants(output: &Printer, run: &ActiveRun) {
    run.grants.iter().for_each(|grant| output.aside(visible(grant)));
}

/// Prints what a pipeline's last step said, as it is.
pub(crate) fn print_output(engine: &Engine, output: &Printer, run_id: &RunId) -> Result<(), Error> {
    if output.json {
        let mut last = None;
        engine.session_reader().each_run_event(run_id, |event| last = Some(event))?;
        last.iter().for_each(|event| output.object(event));
        return Ok(());
    }
    let text = engine.pipeline_history().output(run_id)?;
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
struct FollowedRun {
    state: Option<RunState>,
    subagents: Vec<RunId>,
}

impl FollowedRun {
    fn of(engine: &Engine, run: &RunId) -> Result<Self, Error> {
        let mut standing = Self::default();
        engine.session_reader().each_run_event(run, |event| standing.apply(&event))?;
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
fn was_denied(engine: &Engine, state: Option<&RunState>, subagents: Vec<RunId>) -> Result<bool, Error> {
    if state.is_some_and(|state| state.denied_untrusted) {
        return Ok(true);
    }
    for run in subagents {
        let FollowedRun { state, subagents } = FollowedRun::of(engine, &run)?;
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

fn report(output: &Printer, run: &ActiveRun, end: &RunEnd, denied: bool, ephemeral: bool) {
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
pub(crate) fn tell_question(output: &Printer, session_id: &SessionId, question: &QuestionAsked) {
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
fn tell_approval(engine: &Engine, output: &Printer, id: &ApprovalId) -> Result<(), Error> {
    if !output.json {
        output.aside("");
        review::at_stop(engine, &engine.approvals().pending().approval(id)?, |line| output.aside(line));
        output.aside("");
    }
    let name = engine.approvals().pending().short_name(id)?.map(|name| format!(" {name}")).unwrap_or_default();
    output.aside(format!("Waiting for your decision on {id}. Run one of:"));
    output.aside(format!("  arki approvals approve{name}"));
    output.aside(format!("  arki approvals reject{name}"));
    Ok(())
}
