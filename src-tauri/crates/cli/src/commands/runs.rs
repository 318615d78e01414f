//! `arki runs`: the runs of pipelines.

use crate::exit::Exit;
use crate::output::{Printer, time, visible};
use arki_api::PrintedPipelineRun;
use arki_domain::Error;
use arki_engine::{Engine, RunRecord};

pub(crate) fn run(engine: &Engine, output: &Printer) -> Result<Exit, Error> {
    let runs = engine.pipeline_history().runs()?;
    output.aside_if_empty(&runs, "No runs of pipelines. Start one with `arki run PIPELINE`.");
    for run in runs {
        let RunRecord { run_id, name, state, started_at, .. } = run;
        let printed = PrintedPipelineRun { run_id, name, state, started_at };
        output.tell(&printed, || {
            let PrintedPipelineRun { run_id, name, .. } = &printed;
            format!("{run_id}  {}  {:11}  {}", time(started_at), state.as_str(), visible(name))
        });
    }
    Ok(Exit::Done)
}
