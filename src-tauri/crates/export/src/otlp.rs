//! A session's own runs for OpenTelemetry: of each a line with its trace, one with its metrics, one with its log
//! records.
//!
//! The runs that a fork took over are its origin's, so they aren't here again.

use crate::lineage::{EventSource, Stretch};
use crate::writing::{Out, Stop, each_event};
use arki_domain::{Event, EventBody, RunId};
use arki_telemetry::{Resource, RunRecorder, TelemetryContents, root_run};
use std::collections::HashMap;

pub(crate) fn write(source: &dyn EventSource, stretches: &[Stretch], out: Out<'_>) -> Result<(), Stop> {
    let (mut runs, mut places): (Vec<RunRecorder>, HashMap<RunId, usize>) = Default::default();
    let own = stretches.last().map(std::slice::from_ref).unwrap_or_default();
    each_event(source, own, |event| {
        let Some(run) = &event.run_id else { return Ok(()) };
        let place = match places.get(run) {
            Some(place) => *place,
            None => {
                runs.push(recorder(source, event, run)?);
                places.insert(run.clone(), runs.len() - 1);
                runs.len() - 1
            }
        };
        runs[place].take(event);
        Ok(())
    })?;
    let resource = Resource::default();
    for run in runs {
        run.finish(&resource).write_json_lines(out)?;
    }
    Ok(())
}

/// A recorder for the run that begins with an event.
fn recorder(source: &dyn EventSource, first: &Event, run: &RunId) -> Result<RunRecorder, Stop> {
    let root = match first.body() {
        EventBody::RunStarted(started) => root_run(run, &started, |run| source.run_start(run))?,
        _ => run.clone(),
    };
    Ok(RunRecorder::new(first.session_id.clone(), run.clone(), &root, TelemetryContents::LeftOut))
}
