//! `arki status`: a pipeline's run, step by step.

use crate::exit::Exit;
use crate::output::{Printer, dim, time, visible};
use arki_api::PipelineStepEntry;
use arki_domain::Error;
use arki_engine::Engine;
use clap::Args;
use std::path::Path;

/// Show the steps of a pipeline's run
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// The id of a run, or a pipeline's name for its newest run in this project
    run: String,
}

pub(crate) fn run(
    engine: &Engine,
    dir: &Path,
    StatusArguments { run }: &StatusArguments,
    output: &Printer,
) -> Result<Exit, Error> {
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
    let state = serde_json::to_value(step.state).ok().and_then(|word| word.as_str().map(str::to_owned));
    let items = step.items.map(|items| format!("  {}/{items} items", step.items_done.unwrap_or_default()));
    let duration = if step.attempts == 0 { String::new() } else { format!("{} ms", step.duration_ms) };
    format!(
        "{:width$}  {:11}  {:>8}  {duration:>10}{}",
        visible(&step.step),
        state.unwrap_or_default(),
        step.attempts,
        items.unwrap_or_default()
    )
}
