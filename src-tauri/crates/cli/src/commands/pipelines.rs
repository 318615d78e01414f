//! `arki pipelines`: list, check and show definitions.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, dim, visible};
use arki_api::{PipelineEntry, PrintedPipelineProblem};
use arki_domain::Error;
use arki_engine::{
    CheckedPipeline, Engine, check_pipeline, check_pipeline_file, definition_schema, pipeline_entries, pipeline_entry,
};
use clap::Subcommand;
use std::path::Path;

/// List, check or show pipelines
#[derive(Debug, Subcommand)]
pub(crate) enum PipelinesCommand {
    /// List the pipelines that can be run here: the project's, your own and the built-in ones
    List,
    /// Check a definition and print everything that is wrong with it
    Check {
        /// The path of a YAML file, or a pipeline's name
        pipeline: String,
    },
    /// Show a pipeline: its parameters, its steps, and what starting it allows; or print its text
    Show {
        /// The pipeline's name, or the path of a YAML file
        pipeline: String,
        /// Print the definition itself
        #[arg(long)]
        text: bool,
    },
    /// Print the JSON Schema of definitions
    Schema,
}

/// Does what needs no database, so that it works where there is none to write to; `None` for any other command.
pub(crate) fn without_database(
    dir: &Path,
    command: &PipelinesCommand,
    output: &Printer,
) -> Result<Option<Exit>, Error> {
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

pub(crate) fn run(engine: &Engine, dir: &Path, command: PipelinesCommand, output: &Printer) -> CommandExit {
    match command {
        PipelinesCommand::List => {
            pipeline_entries(engine.projects(), dir)?.iter().for_each(|entry| list(entry, output));
            Ok(Exit::Done)
        }
        PipelinesCommand::Check { pipeline } => Ok(check(&check_pipeline(engine.projects(), dir, &pipeline)?, output)),
        PipelinesCommand::Show { pipeline, text } => {
            let (entry, definition) = pipeline_entry(engine.projects(), dir, &pipeline)?;
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
    output.tell(entry, || {
        let about = match &entry.problem {
            Some(problem) => format!("can't be run: {problem}"),
            None => entry.description.clone(),
        };
        format!("{:<20}  {}  {}", visible(&entry.name), visible(&about), dim(&visible(&entry.origin)))
    });
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
        output.line(format!("  {:<16}  {value}  {}", visible(&param.name), visible(&param.description)));
    }
    output.line("\nSteps:");
    for step in &entry.steps {
        let needs = match step.needs.as_slice() {
            [] => "the input".to_owned(),
            needs => needs.join(", "),
        };
        output.line(format!(
            "  {:<16}  {:<9}  {}",
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
        let printed = PrintedPipelineProblem {
            path: origin.clone(),
            line: problem.place.line,
            column: problem.place.column,
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        };
        output.tell(&printed, || {
            let hint = dim(&format!("  {}", visible(&problem.hint)));
            format!("{}:{}\n{hint}", visible(origin), visible(&problem.to_string()))
        });
    }
    Exit::Usage
}
