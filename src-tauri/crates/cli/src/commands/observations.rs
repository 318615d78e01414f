//! `arki events --observations`: what was intended, planned, done and answered, in a session, in a run or in all sessions.

use super::events::has_ended;
use crate::exit::Exit;
use crate::output::{Printer, time, visible};
use arki_domain::projection::{Observation, ObservationFilter};
use arki_domain::{Error, RunId};
use arki_engine::{Engine, NamedPlace};
use std::ops::RangeInclusive;

/// The part of the observations that is printed, beyond the filter.
pub(crate) struct PrintedObservations<'a> {
    /// `None`: of all sessions.
    pub(crate) id: Option<&'a str>,
    /// The number of the first event that counts.
    pub(crate) from: Option<u64>,
    /// The number of the last one.
    pub(crate) to: Option<u64>,
    pub(crate) follow: bool,
}

pub(crate) async fn run(
    engine: &Engine,
    wanted: PrintedObservations<'_>,
    filter: ObservationFilter,
    output: &Printer,
) -> Result<Exit, Error> {
    let place = wanted.id.map(|id| engine.session_names().find_place(id)).transpose()?;
    let session_id = place.as_ref().map(|place| place.session.session_id.clone());
    let (run, seq) = place.map_or((None, None), |NamedPlace { run, seq, .. }| (run, seq));
    let range = wanted.from.or(seq).unwrap_or(1)..=wanted.to.unwrap_or(u64::MAX);
    if wanted.follow {
        engine.follow_others()?;
    }
    let mut observations = engine.observe(ObservationFilter { session_id: session_id.clone(), ..filter });
    // One for all rounds: what is asked while one is printed is heard in the next.
    let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
    loop {
        // Before it is read to the end: what was stored by then is printed.
        let is_last = !wanted.follow
            || observations.is_over()
            || session_id.as_ref().filter(|_| run.is_some()).map_or(Ok(false), |session| has_ended(engine, session))?;
        while let Some(seen) = observations.stored().await? {
            seen.iter().filter(|seen| is_wanted(seen, run.as_ref(), &range)).for_each(|seen| {
                print(seen, session_id.is_none(), output);
            });
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

fn print(seen: &Observation, names_session: bool, output: &Printer) {
    output.tell(seen, || {
        let (kind, title) = (seen.kind.as_str(), visible(&seen.title));
        let session = if names_session { format!("{}  ", seen.thread_id) } else { String::new() };
        format!("{}  {session}{kind:<19}  {title}", time(seen.timestamp)).trim_end().to_owned()
    });
}
