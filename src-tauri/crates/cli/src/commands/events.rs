//! `arki events`: a session's or run's events, oldest first.

use crate::arguments::EventForm;
use crate::exit::Exit;
use crate::output::{Output, time, visible};
use arki_domain::projection::SessionState;
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
    pub(crate) format: Option<EventForm>,
}

pub(crate) async fn run(engine: &Engine, id: &str, printing: &Printing, output: &Output) -> Result<Exit, Fault> {
    let NamedPlace { session, run, seq } = engine.sessions().find_place(id)?;
    let from = printing.from.or(seq).unwrap_or(1);
    let mut arkai = printing.format.map(|EventForm::Arkai| Arkai::default());
    // In that form an event is told with what came before it.
    let mut after = if arkai.is_some() { 0 } else { from.saturating_sub(1) };
    loop {
        let page = engine.sessions().events_after(&session.session_id, after, EVENTS_A_PIECE)?;
        for event in &page.events {
            after = event.seq;
            if run.is_some() && event.run_id != run {
                continue;
            }
            match &mut arkai {
                None => print(event, output),
                Some(arkai) => {
                    let line = arkai.line(event);
                    if event.seq >= from {
                        output.object(&line);
                    }
                }
            }
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

fn print(event: &Event, output: &Output) {
    if output.json {
        output.object(event);
        return;
    }
    let (kind, words) = (visible(&event.kind), visible(&event_summary(event)));
    output.line(format!("{:>6}  {}  {kind:<18}  {words}", event.seq, time(event.ts)).trim_end());
}
