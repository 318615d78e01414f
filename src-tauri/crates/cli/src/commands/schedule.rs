//! `arki schedule`: pipelines that start at set times.

use crate::arguments::{name_and_value, one_of};
use crate::exit::{CommandExit, Exit, wrong_use};
use crate::follow::{asked_to_stop, tell_grants};
use crate::output::{Printer, dim, time, visible};
use arki_api::{MissedRuns, PipelineSchedule, SaveSchedule};
use arki_domain::Error;
use arki_engine::{Client, RunEnd, StartedBySchedule};
use clap::builder::PossibleValue;
use clap::{Args, Subcommand};
use std::path::Path;

/// Start pipelines at set times: list, add, remove or run schedules
#[derive(Debug, Subcommand)]
pub(crate) enum ScheduleCommand {
    /// List the schedules with their next and last times
    List,
    /// Add a schedule for this folder, or change the one of this name
    Add(ScheduleArguments),
    /// Remove a schedule; its runs stay
    Rm {
        /// The schedule's name
        name: String,
    },
    /// Switch a schedule on
    On {
        /// The schedule's name
        name: String,
    },
    /// Switch a schedule off; times that pass meanwhile are not missed
    Off {
        /// The schedule's name
        name: String,
    },
    /// List the runs that a schedule started, newest first
    History {
        /// The schedule's name
        name: String,
    },
    /// Start what is due, and keep doing so until Ctrl+C; the desktop app does this by itself
    Run {
        /// Start what is due now, wait for these runs to stop, and exit
        #[arg(long)]
        once: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ScheduleArguments {
    /// The schedule's name
    name: String,
    /// The pipeline's name, or a path relative to the project
    pipeline: String,
    /// Minute, hour, day of month, month and day of week, such as "30 7 * * MON-FRI"
    #[arg(long, value_name = "EXPRESSION")]
    cron: String,
    /// An IANA time zone, such as Europe/Berlin; default: the computer's
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// Choose what to do about times that pass while Arki isn't running
    #[arg(long, value_name = "WHAT", default_value = "skip", value_parser = one_of(missed_runs()))]
    missed: MissedRuns,
    /// Set a parameter. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    param: Vec<(String, String)>,
}

fn missed_runs() -> [(PossibleValue, MissedRuns); 2] {
    let (skip, once) = (PossibleValue::new("skip").help("Nothing"), PossibleValue::new("once"));
    [(skip, MissedRuns::Skip), (once.help("Run once for all of them"), MissedRuns::Once)]
}

pub(crate) async fn run(client: &Client, dir: &Path, command: ScheduleCommand, output: &Printer) -> CommandExit {
    let schedules = client.engine().schedules();
    match command {
        ScheduleCommand::List => {
            let schedules = schedules.list().await?;
            schedules.iter().for_each(|schedule| show(schedule, output));
            output.aside_if_empty(&schedules, "No schedules. Add one with `arki schedule add`.");
        }
        ScheduleCommand::Add(arguments) => add(client, dir, arguments, output).await?,
        ScheduleCommand::Rm { name } => schedules.remove(&name).await?,
        ScheduleCommand::On { name } => schedules.switch(&name, true).await?,
        ScheduleCommand::Off { name } => schedules.switch(&name, false).await?,
        ScheduleCommand::History { name } => history(client, &name, output).await?,
        ScheduleCommand::Run { once: true } => return start(client, output).await,
        ScheduleCommand::Run { once: false } => keep(client, output).await?,
    }
    Ok(Exit::Done)
}

async fn add(client: &Client, dir: &Path, arguments: ScheduleArguments, output: &Printer) -> Result<(), Error> {
    let ScheduleArguments { name, pipeline, cron, time_zone, missed, param } = arguments;
    let new = SaveSchedule {
        name: name.clone(),
        folder: dir.display().to_string(),
        pipeline,
        cron,
        time_zone,
        missed,
        params: param.into_iter().collect(),
    };
    let schedules = client.engine().schedules();
    let grants = schedules.save(new).await?;
    grants.iter().for_each(|grant| output.aside(visible(grant)));
    schedules.list().await?.iter().filter(|schedule| schedule.name == name).for_each(|schedule| show(schedule, output));
    Ok(())
}

fn show(schedule: &PipelineSchedule, output: &Printer) {
    output.tell(schedule, || {
        let next = match (schedule.is_on, schedule.next_at) {
            (false, _) => "off".to_owned(),
            (true, Some(next)) => format!("next {}", time(next)),
            (true, None) => "never again".to_owned(),
        };
        let last = schedule.last.as_ref().map(|last| match (&last.skipped, &last.run_id) {
            (Some(why), _) => format!("  last {}: no run. {why}", time(last.due_at)),
            (None, Some(run)) => format!("  last {}: run {run}", time(last.due_at)),
            (None, None) => format!("  last {}", time(last.due_at)),
        });
        format!(
            "{:<16}  {:<16}  {:<16}  {next}{}",
            visible(&schedule.name),
            visible(&schedule.pipeline),
            schedule.cron,
            dim(&visible(&last.unwrap_or_default()))
        )
    });
}

/// Also of one that was removed.
async fn history(client: &Client, name: &str, output: &Printer) -> Result<(), Error> {
    let runs = client.engine().pipeline_history().run_entries()?;
    let runs: Vec<_> = runs.iter().filter(|run| run.schedule.as_deref() == Some(name)).collect();
    if runs.is_empty() {
        client.engine().schedules().find(name).await?;
    }
    for run in runs {
        output.tell(run, || {
            let took = run.ended_at.map(|ended| format!("  {} s", (ended - run.started_at) / 1000));
            let took = took.unwrap_or_default();
            format!("{}  {}  {}{took}", run.run_id, time(run.started_at), run.state.as_str())
        });
    }
    Ok(())
}

/// Starts what is due now, and waits until these runs have stopped.
async fn start(client: &Client, output: &Printer) -> CommandExit {
    let mut exit = Exit::Done;
    for StartedBySchedule { schedule, run } in client.start_due().await? {
        let (active, handle) = match run {
            Ok(running) => running,
            Err(fault) => {
                output.fault(&of_schedule(&schedule, &fault));
                exit = Exit::of_fault(&fault);
                continue;
            }
        };
        output.aside(format!("{}: run {}", visible(&schedule), active.run_id));
        tell_grants(output, &active);
        let mut handle = handle;
        let end = tokio::select! {
            ended = &mut handle => ended,
            () = asked_to_stop() => {
                active.stop();
                handle.await
            }
        };
        let end = end.map_err(Error::internal)??;
        match (&end, Exit::of_run(&end, false)) {
            (_, Exit::Done) => continue,
            (RunEnd::Failed(fault), ended) => {
                output.fault(&of_schedule(&schedule, fault));
                exit = ended;
            }
            (_, ended) => {
                let (name, run) = (visible(&schedule), &active.run_id);
                output.aside(format!(
                    "{name}: the run stopped. `arki status {run}` shows where, `arki resume {run}` goes on."
                ));
                exit = ended;
            }
        }
    }
    Ok(exit)
}

/// The fault, with the schedule that it is about.
fn of_schedule(schedule: &str, fault: &Error) -> Error {
    Error { message: format!("The schedule \"{schedule}\" failed: {}", fault.message), ..fault.clone() }
}

async fn keep(client: &Client, output: &Printer) -> Result<(), Error> {
    if client.engine().schedules().list().await?.is_empty() {
        return Err(wrong_use("There are no schedules.", "Add one with `arki schedule add`."));
    }
    output.aside("Starting pipelines at their times. Press Ctrl+C to stop.");
    tokio::select! {
        () = client.keep_schedules() => {}
        () = asked_to_stop() => client.engine().runs().stop_all().await,
    }
    Ok(())
}
