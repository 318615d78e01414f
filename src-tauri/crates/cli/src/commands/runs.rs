//! `arki runs`: the runs of pipelines.

use crate::exit::Exit;
use crate::output::{Printer, time, visible};
use arki_domain::projection::SessionState;
use arki_domain::{Error, RunId};
use arki_engine::Engine;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedPipelineRun<'a> {
    run_id: &'a RunId,
    name: &'a str,
    state: SessionState,
    started_at: i64,
}

pub(crate) fn run(engine: &Engine, output: &Printer) -> Result<Exit, Error> {
    let runs = engine.pipeline_history().runs()?;
    output.aside_if_empty(&runs, "No runs of pipelines. Start one with `arki run PIPELINE`.");
    for run in runs {
        let (run_id, name, state, started_at) = (&run.run_id, run.name.as_str(), run.state, run.started_at);
        output.tell(&ListedPipelineRun { run_id, name, state, started_at }, || {
            format!("{run_id}  {}  {:11}  {}", time(started_at), state.as_str(), visible(name))
        });
    }
    Ok(Exit::Done)
}
