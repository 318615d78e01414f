//! `arki events`: a session's or run's events, oldest first, as they are stored or in another form.

use crate::exit::Exit;
use crate::output::{Output, time, visible};
use arki_domain::projection::{Observation, ObservationType, Observer, SessionState};
use arki_domain::{Event, Fault, SessionId};
use arki_engine::{Arkai, Engine, NamedPlace, event_summary};
use std::time::Duration;

const EVENTS_A_PIECE: usize = 500;
/// Others' events are looked for this often.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

pub(crate) struct Printing {
    /// The first number to print.
    pub(crate) from: Option<u64>,
    pub(crate) follow: bool,
}

/// The form in which events are printed. All but the stored one tell an event with what came before it.
pub(crate) enum Form {
    Stored,
    Arkai(Box<Arkai>),
    Observations(Observations),
}

/// The observations that are printed.
pub(crate) struct Observations {
    observer: Observer,
    /// Every type where it is empty.
    types: Vec<ObservationType>,
    /// In milliseconds since 1970.
    since: Option<i64>,
}

impl Form {
    pub(crate) fn arkai() -> Self {
        Self::Arkai(Box::default())
    }

    pub(crate) fn observations(types: Vec<ObservationType>, since: Option<i64>) -> Self {
        Self::Observations(Observations { observer: Observer::default(), types, since })
    }
}

pub(crate) async fn run(
    engine: &Engine,
    id: &str,
    mut form: Form,
    printing: &Printing,
    output: &Output,
) -> Result<Exit, Fault> {
    let NamedPlace { session, run, seq } = engine.sessions().find_place(id)?;
    let from = printing.from.or(seq).unwrap_or(1);
    let mut after = if matches!(form, Form::Stored) { from.saturating_sub(1) } else { 0 };
    loop {
        let page = engine.sessions().events_after(&session.session_id, after, EVENTS_A_PIECE)?;
        for event in &page.events {
            after = event.seq;
            if run.is_some() && event.run_id != run {
                continue;
            }
            form.print(event, event.seq >= from, output);
        }
        if page.has_more {
            continue;
        }
        if !printing.follow || (run.is_some() && has_ended(engine, &session.session_id)?) {
            return Ok(Exit::Done);
        }
        tokio::select! {
            () = tokio::time::sleep(FOLLOW_INTERVAL) => {}
            _ = tokio::signal::ctrl_c() => return Ok(Exit::Cancelled),
        }
    }
}

fn has_ended(engine: &Engine, session: &SessionId) -> Result<bool, Fault> {
    let state = engine.sessions().find_session(session.as_str())?.state;
    Ok(matches!(state, SessionState::Done | SessionState::Failed | SessionState::Cancelled))
}

impl Form {
    /// Takes the next event, and prints it where it `is_wanted`.
    fn print(&mut self, event: &Event, is_wanted: bool, output: &Output) {
        match self {
            Self::Stored => print(event, output),
            Self::Arkai(arkai) => {
                let line = arkai.line(event);
                if is_wanted {
                    output.object(&line);
                }
            }
            Self::Observations(observations) => {
                let seen = observations.observer.observe(event);
                for observation in seen.iter().filter(|seen| is_wanted && observations.lets_through(seen)) {
                    print_observation(observation, output);
                }
            }
        }
    }
}

impl Observations {
    fn lets_through(&self, seen: &Observation) -> bool {
        let is_of_type = self.types.is_empty() || self.types.contains(&seen.kind);
        is_of_type && self.since.is_none_or(|since| seen.timestamp >= since)
    }
}

fn print_observation(observation: &Observation, output: &Output) {
    if output.json {
        output.object(observation);
        return;
    }
    let (kind, title) = (observation.kind.as_str(), visible(&observation.title));
    output.line(format!("{}  {kind:<19}  {title}", time(observation.timestamp)).trim_end());
}

fn print(event: &Event, output: &Output) {
    if output.json {
        output.object(event);
        return;
    }
    let (kind, words) = (visible(&event.kind), visible(&event_summary(event)));
    output.line(format!("{:>6}  {}  {kind:<18}  {words}", event.seq, time(event.ts)).trim_end());
}
