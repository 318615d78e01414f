//! `arki runs`: the runs of pipelines. `arki status`: one of them, step by step.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, time, visible, word_of};
use arki_api::{PipelineStepEntry, PrintedPipelineRun};
use arki_engine::{Engine, RunRecord};
use std::path::Path;

pub(crate) fn runs(engine: &Engine, output: &Printer) -> CommandExit {
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

pub(crate) fn status(engine: &Engine, dir: &Path, run: &str, output: &Printer) -> CommandExit {
    let run_id = engine.pipeline_history().find_run(dir, run)?;
    let details = engine.pipeline_history().run_details(&run_id)?;
    if output.json {
        details.steps.iter().for_each(|step| output.object(step));
        return Ok(Exit::Done);
    }
    let run = &details.run;
    output.line(format!("{}  {}  {}  {}", run.run_id, visible(&run.name), run.state.as_str(), time(run.started_at)));
    let width = details.steps.iter().map(|step| step.step.chars().count()).max().unwrap_or_default().max(4);
    output.line(dim(&format!("{:width$}  {:11}  {:>8}  {:>10}", "STEP", "STATE", "ATTEMPTS", "DURATION")));
    for step in &details.steps {
        output.line(line_of(step, width));
    }
    if let Some(failure) = &details.failure {
        output.line(visible(&failure.message));
    }
    if let Some(approval) = &details.approval_id {
        output.line(format!("Waiting for your decision: `arki approvals approve {approval}`."));
    }
    Ok(Exit::Done)
}

fn line_of(step: &PipelineStepEntry, width: usize) -> String {
    let items = step.items.map(|items| format!("  {}/{items} items", step.items_done.unwrap_or_default()));
    let duration = if step.attempts == 0 { String::new() } else { format!("{} ms", step.duration_ms) };
    format!(
        "{:width$}  {:11}  {:>8}  {duration:>10}{}",
        visible(&step.step),
        word_of(step.state),
        step.attempts,
        items.unwrap_or_default()
    )
}
