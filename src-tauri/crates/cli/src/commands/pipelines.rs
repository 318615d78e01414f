//! `arki run`, `status`, `runs` and `pipelines`.

use crate::arguments::{PipelinesCommand, RunArguments};
use crate::exit::Exit;
use crate::follow;
use crate::output::{Printer, dim, time, visible};
use crate::standard_input;
use arki_api::{PipelineEntry, PipelineStepEntry};
use arki_domain::projection::SessionState;
use arki_domain::{Code, Fault, RunId, io_words};
use arki_engine::{
    CheckedPipeline, Client, Engine, PipelineInput, PipelineProblem, StartPipeline, check_pipeline_file,
    definition_schema,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// More is never read: no pipeline takes more.
const MAX_INPUT_BYTES: usize = 64 << 20;

pub(crate) async fn run(client: &Client, dir: &Path, arguments: RunArguments, output: &Printer) -> Result<Exit, Fault> {
    let engine = client.engine();
    let RunArguments { pipeline, input, param, approve } = arguments;
    let start = StartPipeline {
        folder: dir.to_owned(),
        name: pipeline,
        input: input.map_or_else(|| Ok(PipelineInput::default()), |path| read_input(dir, &path, output))?,
        params: params(param)?,
        approve: approve.into(),
        schedule: None,
    };
    let subscription = engine.subscribe();
    match client.start_pipeline(start).await {
        Ok(running) => {
            follow::tell_grants(output, &running.0);
            follow::to_next_stop(engine, output, subscription, running).await
        }
        // Something that nobody has agreed to is as good as denied.
        Err(fault) if fault.is(Code::UNTRUSTED) => {
            output.fault(&fault);
            Ok(Exit::Untrusted)
        }
        Err(fault) => Err(fault),
    }
}

fn params(given: Vec<(String, String)>) -> Result<BTreeMap<String, String>, Fault> {
    let mut params = BTreeMap::new();
    for (name, value) in given {
        if params.insert(name.clone(), value).is_some() {
            return Err(Fault::new(Code::USAGE, format!("The parameter `{name}` is given twice."), "Give it once."));
        }
    }
    Ok(params)
}

fn read_input(dir: &Path, path: &Path, output: &Printer) -> Result<PipelineInput, Fault> {
    if path == Path::new("-") {
        let bytes = standard_input::as_input(MAX_INPUT_BYTES, output)?;
        return Ok(PipelineInput { bytes, path: None });
    }
    // Bounded, so it may be a device; and whoever names a pipe waits for it.
    let path: PathBuf = dir.join(path);
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_INPUT_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map_err(|error| {
        let what = format!("{} can't be read: {}.", path.display(), io_words(error.kind()));
        Fault::new(Code::USAGE, what, "Check the file's name.")
    })?;
    Ok(PipelineInput { bytes, path: Some(path) })
}

pub(crate) fn status(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    let run_id = engine.runs().find_pipeline_run(dir, name)?;
    let details = engine.runs().pipeline_run_details(&run_id)?;
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedPipelineRun<'a> {
    run_id: &'a RunId,
    name: &'a str,
    state: SessionState,
    started_at: i64,
}

pub(crate) fn runs(engine: &Engine, output: &Printer) -> Result<Exit, Fault> {
    for run in engine.runs().pipeline_runs()? {
        let (run_id, name, state, started_at) = (&run.run_id, run.name.as_str(), run.state, run.started_at);
        match output.json {
            true => output.object(&ListedPipelineRun { run_id, name, state, started_at }),
            false => output.line(format!("{run_id}  {}  {:11}  {}", time(started_at), state.as_str(), visible(name))),
        }
    }
    Ok(Exit::Done)
}

/// Does what needs no database, so that it works where there is none to write to; `None` for any other command.
pub(crate) fn without_database(
    dir: &Path,
    command: &PipelinesCommand,
    output: &Printer,
) -> Result<Option<Exit>, Fault> {
    match command {
        PipelinesCommand::Schema => Ok(Some(schema(output))),
        PipelinesCommand::Check { pipeline } => {
            Ok(check_pipeline_file(dir, pipeline)?.map(|checked| check(&checked, output)))
        }
        PipelinesCommand::List | PipelinesCommand::Show { .. } => Ok(None),
    }
}

fn schema(output: &Printer) -> Exit {
    output.line(serde_json::to_string_pretty(&definition_schema()).unwrap_or_default());
    Exit::Done
}

pub(crate) fn pipelines(
    engine: &Engine,
    dir: &Path,
    command: PipelinesCommand,
    output: &Printer,
) -> Result<Exit, Fault> {
    match command {
        PipelinesCommand::List => {
            engine.runs().pipeline_entries(dir)?.iter().for_each(|entry| list(entry, output));
            Ok(Exit::Done)
        }
        PipelinesCommand::Check { pipeline } => Ok(check(&engine.runs().check_pipeline(dir, &pipeline)?, output)),
        PipelinesCommand::Show { pipeline, text } => {
            let (entry, definition) = engine.runs().pipeline_entry(dir, &pipeline)?;
            match (text, output.json) {
                (true, false) => output.text(&definition),
                (_, true) => output.object(&entry),
                (false, false) => show(&entry, output),
            }
            Ok(Exit::Done)
        }
        PipelinesCommand::Schema => Ok(schema(output)),
    }
}

fn list(entry: &PipelineEntry, output: &Printer) {
    if output.json {
        output.object(entry);
        return;
    }
    let about = match &entry.problem {
        Some(problem) => format!("can't be run: {problem}"),
        None => entry.description.clone(),
    };
    output.line(format!("{}  {}  {}", visible(&entry.name), dim(&visible(&entry.origin)), visible(&about)));
}

fn show(entry: &PipelineEntry, output: &Printer) {
    output.line(format!("{}  {}", visible(&entry.name), dim(&visible(&entry.origin))));
    let problem = entry.problem.iter().map(|problem| format!("Can't be run: {problem}"));
    problem
        .chain([entry.description.clone()])
        .filter(|line| !line.is_empty())
        .for_each(|line| output.line(visible(&line)));
    if !entry.params.is_empty() {
        output.line("\nParameters:");
    }
    for param in &entry.params {
        let value = match &param.default {
            Some(default) => format!("default {default:?}"),
            None => "required".to_owned(),
        };
        output.line(format!("  {}  {value}  {}", visible(&param.name), visible(&param.description)));
    }
    output.line("\nSteps:");
    for step in &entry.steps {
        let needs = match step.needs.as_slice() {
            [] => "the input".to_owned(),
            needs => needs.join(", "),
        };
        output.line(format!(
            "  {}  {}  {}",
            visible(&step.name),
            step.adapter,
            dim(&visible(&format!("from {needs}")))
        ));
    }
    if !entry.grants.is_empty() {
        output.line("\nStarting it allows:");
        entry.grants.iter().for_each(|grant| output.line(format!("  {}", visible(grant))));
    }
}

#[derive(Serialize)]
struct ToldProblem<'a> {
    path: &'a str,
    line: u64,
    column: u64,
    message: &'a str,
    hint: &'a str,
}

fn check(CheckedPipeline { origin, steps }: &CheckedPipeline, output: &Printer) -> Exit {
    let problems = match steps {
        Ok(steps) => {
            if !output.json {
                output.line(format!("{} is valid: {}.", visible(origin), arki_domain::plural(*steps as u64, "step")));
            }
            return Exit::Done;
        }
        Err(problems) => problems,
    };
    for problem in problems {
        let PipelineProblem { place, message, hint } = problem;
        match output.json {
            true => {
                output.object(&ToldProblem { path: origin, line: place.line, column: place.column, message, hint });
            }
            false => {
                output.line(format!("{}:{}", visible(origin), visible(&problem.to_string())));
                output.line(dim(&format!("  {}", visible(hint))));
            }
        }
    }
    Exit::Usage
}
