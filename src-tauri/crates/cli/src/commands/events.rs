//! `arki events`: a session's or run's events, oldest first, as they are stored, in another form, or as observations.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, dim, time, visible};
use arki_domain::projection::{Observation, ObservationFilter, ObservationType, SessionState};
use arki_domain::{Error, Event, EventBody, RunId, SessionId};
use arki_engine::{Arkai, Engine, EventFilter, NamedPlace, event_summary};
use clap::{Args, ValueEnum};
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::time::Duration;

/// Print the events of a session or run, oldest first
#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// The id of a session or run; default, with --observations or --follow: all sessions
    #[arg(required_unless_present_any = ["observations", "follow"])]
    id: Option<String>,
    /// Keep printing new events as they arrive; without an id only those from now on
    #[arg(long)]
    follow: bool,
    /// Start at this event number; default: the first
    #[arg(long, value_name = "SEQ", requires = "id")]
    from: Option<u64>,
    /// End at this event number; default: the last
    #[arg(long, value_name = "SEQ", requires = "id")]
    to: Option<u64>,
    /// Use another format: `arkai` prints JSON Lines in the form of the arkai kernel
    #[arg(long, value_name = "FORM")]
    format: Option<EventOutputForm>,
    /// Print observations instead: what was intended, planned, done and answered, a line each
    #[arg(long, conflicts_with = "format")]
    observations: bool,
    /// Print only observations of these types, such as `PLAN,TOOL_CALL`
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',', requires = "observations",
        value_parser = observation_type)]
    types: Vec<ObservationType>,
    /// Print only observations since this time, in milliseconds since 1970
    #[arg(long, value_name = "MS", requires = "observations", allow_negative_numbers = true)]
    since: Option<i64>,
    /// Print only observations before this time, in milliseconds since 1970; with --follow, stop then
    #[arg(long, value_name = "MS", requires = "observations", allow_negative_numbers = true)]
    until: Option<i64>,
    /// Print only what happened in runs of this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventOutputForm {
    Arkai,
}

/// The type of observations with that word.
fn observation_type(word: &str) -> Result<ObservationType, String> {
    let known = || ObservationType::ALL.map(ObservationType::as_str).join(", ");
    ObservationType::of_word(word).ok_or_else(|| format!("the types are {}", known()))
}

const EVENTS_A_PIECE: usize = 500;
/// Others' events are looked for this often.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

struct Printing {
    /// The first number to print.
    from: Option<u64>,
    /// The last number to print.
    to: Option<u64>,
    follow: bool,
    /// The agent whose runs are printed; all where `None`.
    agent: Option<String>,
}

/// The form in which events are printed. That of arkai tells an event with what came before it.
enum PrintedForm {
    Stored,
    Arkai(Box<Arkai>),
}

pub(crate) async fn run(engine: &Engine, arguments: EventsArguments, output: &Printer) -> CommandExit {
    let EventsArguments { id, follow, from, to, format, observations, types, since, until, agent } = arguments;
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let message = format!("--from {from} is after --to {to}, so no event can be between them.");
        return Err(wrong_use(message, "Swap the two numbers."));
    }
    let form = format.map_or(PrintedForm::Stored, |EventOutputForm::Arkai| PrintedForm::Arkai(Box::default()));
    match id {
        id if observations => {
            let filter = ObservationFilter { types, since, until, session_id: None, agent: None };
            observed(engine, id.as_deref(), Printing { from, to, follow, agent }, filter, output).await
        }
        Some(id) => stored(engine, &id, form, &Printing { from, to, follow, agent }, output).await,
        None if agent.is_some() => {
            let hint = "Name a session or run, or add `--observations`.";
            Err(wrong_use("`--agent` doesn't filter the events of all sessions.", hint))
        }
        None => of_all(engine, form, output).await,
    }
}

async fn stored(
    engine: &Engine,
    id: &str,
    mut form: PrintedForm,
    printing: &Printing,
    output: &Printer,
) -> CommandExit {
    let NamedPlace { session, run, seq } = engine.session_names().find_place(id)?;
    let from = printing.from.or(seq).unwrap_or(1);
    let to = printing.to.unwrap_or(u64::MAX);
    let reads_all = printing.agent.is_some() || !matches!(form, PrintedForm::Stored);
    let mut after = if reads_all { 0 } else { from.saturating_sub(1) };
    let mut runs_of_agent = HashSet::new();
    // One for all rounds: what is asked while one is printed is heard in the next.
    let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let page = engine.session_reader().events_after(&session.session_id, after, EVENTS_A_PIECE)?;
        for event in &page.events {
            after = event.seq;
            if run.is_some() && event.run_id != run {
                continue;
            }
            if let EventBody::RunStarted(started) = event.body()
                && printing.agent.as_ref() == Some(&started.agent)
            {
                runs_of_agent.insert(event.run_id.clone());
            }
            let is_of_agent = printing.agent.is_none() || runs_of_agent.contains(&event.run_id);
            form.print(event, event.seq >= from && event.seq <= to && is_of_agent, output);
        }
        if page.has_more && after < to {
            continue;
        }
        if !printing.follow || after >= to || (run.is_some() && has_ended(engine, &session.session_id)?) {
            return Ok(Exit::Done);
        }
        tokio::select! {
            biased;
            _ = &mut stop => return Ok(Exit::Cancelled),
            () = tokio::time::sleep(FOLLOW_INTERVAL) => {}
        }
    }
}

/// The events of all sessions from now on, in the order in which they were stored.
async fn of_all(engine: &Engine, mut form: PrintedForm, output: &Printer) -> CommandExit {
    let mut cursor = engine.end_of_events().await?;
    let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        let since = engine.events_since(Some(&cursor), &EventFilter::default(), EVENTS_A_PIECE).await?;
        for event in &since.events {
            if matches!(form, PrintedForm::Stored) && !output.json {
                output.line(dim(event.session_id.as_str()));
            }
            form.print(event, true, output);
        }
        cursor = since.next;
        if since.has_more {
            continue;
        }
        tokio::select! {
            biased;
            _ = &mut stop => return Ok(Exit::Cancelled),
            () = tokio::time::sleep(FOLLOW_INTERVAL) => {}
        }
    }
}

fn has_ended(engine: &Engine, session: &SessionId) -> Result<bool, Error> {
    let state = engine.session_names().find_session(session.as_str())?.state;
    Ok(matches!(state, SessionState::Done | SessionState::Failed | SessionState::Cancelled))
}

impl PrintedForm {
    /// Takes the next event, and prints it where it `is_wanted`.
    fn print(&mut self, event: &Event, is_wanted: bool, output: &Printer) {
        match self {
            Self::Stored if is_wanted => print(event, output),
            Self::Stored => {}
            Self::Arkai(arkai) => {
                let line = arkai.line(event);
                if is_wanted {
                    output.object(&line);
                }
            }
        }
    }
}

fn print(event: &Event, output: &Printer) {
    output.tell(event, || {
        let (kind, words) = (visible(&event.kind), visible(&event_summary(event)));
        format!("{:>6}  {}  {kind:<18}  {words}", event.seq, time(event.ts)).trim_end().to_owned()
    });
}

/// Prints what was intended, planned, done and answered, in a session, in a run or in all sessions.
async fn observed(
    engine: &Engine,
    id: Option<&str>,
    printing: Printing,
    filter: ObservationFilter,
    output: &Printer,
) -> CommandExit {
    let place = id.map(|id| engine.session_names().find_place(id)).transpose()?;
    let session_id = place.as_ref().map(|place| place.session.session_id.clone());
    let (run, seq) = place.map_or((None, None), |NamedPlace { run, seq, .. }| (run, seq));
    let range = printing.from.or(seq).unwrap_or(1)..=printing.to.unwrap_or(u64::MAX);
    if printing.follow {
        engine.follow_others()?;
    }
    let mut observations =
        engine.observe(ObservationFilter { session_id: session_id.clone(), agent: printing.agent, ..filter });
    // One for all rounds: what is asked while one is printed is heard in the next.
    let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        // Before it is read to the end: what was stored by then is printed.
        let is_last = !printing.follow
            || observations.is_over()
            || session_id.as_ref().filter(|_| run.is_some()).map_or(Ok(false), |session| has_ended(engine, session))?;
        while let Some(seen) = observations.stored().await? {
            let wanted = seen.iter().filter(|seen| is_wanted(seen, run.as_ref(), &range));
            wanted.for_each(|seen| print_observation(seen, session_id.is_none(), output));
        }
        if is_last {
            return Ok(Exit::Done);
        }
        tokio::select! {
            biased;
            _ = &mut stop => return Ok(Exit::Cancelled),
            goes_on = observations.wait() => if !goes_on { return Ok(Exit::Done) },
        }
    }
}

fn is_wanted(seen: &Observation, run: Option<&RunId>, range: &RangeInclusive<u64>) -> bool {
    let is_in_range = seen.metadata["seq"].as_u64().is_some_and(|seq| range.contains(&seq));
    (run.is_none() || seen.trace_id.as_ref() == run) && is_in_range
}

fn print_observation(seen: &Observation, names_session: bool, output: &Printer) {
    output.tell(seen, || {
        let (kind, title) = (seen.kind.as_str(), visible(&seen.title));
        let session = if names_session { format!("{}  ", seen.thread_id) } else { String::new() };
        format!("{}  {session}{kind:<19}  {title}", time(seen.timestamp)).trim_end().to_owned()
    });
}
