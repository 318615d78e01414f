//! The commands, one a file.

mod agents;
mod approvals;
mod artifacts;
mod blame;
mod config;
mod context;
mod doctor;
mod editor;
mod effects;
mod events;
mod exec;
mod export;
mod files;
mod guides;
mod hooks;
mod keys;
mod manual;
mod mcp;
mod memory;
mod models;
mod observations;
mod open;
mod pipelines;
mod policy;
mod policy_trace;
mod providers;
mod queue;
mod resume;
mod rewind;
mod schedule;
mod search;
mod sessions;
mod state;
mod stop;
mod story;
mod tools;
mod trust;
mod usage;
mod verify;
mod worktrees;

use crate::arguments::{Arguments, CliCommand};
use crate::exit::Exit;
use crate::follow::asked_to_stop;
use crate::output::Printer;
use arki_domain::Fault;
use arki_engine::{Client, Directories, Engine, EngineOptions, EnvironmentKeys, Presence, Time};
use std::path::{Path, PathBuf};

pub(crate) async fn run(arguments: Arguments, output: &Printer) -> Result<Exit, Fault> {
    let Arguments { dir, command, .. } = arguments;
    effects::refuse_under_a_tool(&command)?;
    if let CliCommand::Pipelines(command) = &command
        && let Some(exit) = pipelines::without_database(&dir, command, output)?
    {
        return Ok(exit);
    }
    let directories = match Directories::from_environment() {
        Err(fault) if matches!(command, CliCommand::Doctor) => {
            let options = EngineOptions {
                directories: Directories::whatever_home()?,
                ephemeral: true,
                environment_keys: EnvironmentKeys::default(),
            };
            return doctor::without_database(options, &dir, ("home", fault), output).await;
        }
        found => found?,
    };
    let ephemeral = matches!(&command, CliCommand::Exec(exec) if exec.ephemeral);
    match command {
        CliCommand::Verify { id, contents } => {
            return verify::run(&directories, &dir, id.as_deref(), contents, output).await;
        }
        CliCommand::Open { folder } => return open::run(&named(&dir, folder)),
        CliCommand::Completions { shell } => return Ok(manual::completions(shell, output)),
        _ => {}
    }
    let options = EngineOptions { directories, ephemeral, environment_keys: EnvironmentKeys::default() };
    let open = if effects::only_reads(&command) { Engine::open_to_read } else { Engine::open };
    let engine = match open(options.clone()) {
        Err(fault) if matches!(command, CliCommand::Doctor) => {
            return doctor::without_database(options, &dir, ("database", fault), output).await;
        }
        opened => opened?,
    };
    if let Some(salvaged) = engine.salvaged() {
        output.aside(salvaged.words());
    }
    if let Some(reason) = engine.unwritable() {
        output.aside(format!("Read-only: {}", reason.message));
    }
    let client = Client::attach(&engine, "cli", Presence::default());
    let works = effects::works(&command);
    let exit = match command {
        CliCommand::Exec(exec) => exec::run(&client, &dir, exec, output).await,
        CliCommand::Trust { list: true, .. } => trust::list(&engine, output),
        CliCommand::Trust { folder, show: true, .. } => trust::show(&engine, &named(&dir, folder), output),
        CliCommand::Trust { folder, with_unpinned, .. } => {
            trust::trust(&engine, &named(&dir, folder), with_unpinned, output).await
        }
        CliCommand::Untrust { folder } => trust::untrust(&engine, &named(&dir, folder), output).await,
        CliCommand::Sessions(command) => sessions::run(&engine, &dir, &command, output).await,
        CliCommand::Worktrees(command) => worktrees::run(&engine, &dir, command, output).await,
        CliCommand::Events(arguments) => events::run(&engine, arguments, output).await,
        CliCommand::Approvals(command) => approvals::run(&client, &dir, command, output).await,
        CliCommand::Stop { id } => stop::stop(&client, &id, output).await,
        CliCommand::Pause { id } => stop::pause(&client, &id, output).await,
        CliCommand::Artifacts(command) => artifacts::run(&engine, &dir, command, output),
        CliCommand::Agents(command) => agents::run(&engine, &dir, command, output).await,
        CliCommand::Resume { id, answer: Some(answer), .. } => resume::answer(&client, &id, &answer, output).await,
        CliCommand::Resume { id, from: Some(step), definition, .. } => {
            resume::from_step(&client, &dir, (&id, &step), definition, output).await
        }
        CliCommand::Resume { id, approve, definition, .. } => {
            resume::run(&client, &dir, &id, approve, definition, output).await
        }
        CliCommand::Run(run) => pipelines::run(&client, &dir, run, output).await,
        CliCommand::Status { run } => pipelines::status(&engine, &dir, &run, output),
        CliCommand::Runs => pipelines::runs(&engine, output),
        CliCommand::Schedule(command) => schedule::run(&client, &dir, command, output).await,
        CliCommand::Pipelines(command) => pipelines::pipelines(&engine, &dir, command, output),
        CliCommand::Rewind(arguments) => rewind::rewind(&engine, &arguments, output).await,
        CliCommand::Undo { session, seq, dry_run } => rewind::undo(&engine, &session, seq, dry_run, output).await,
        CliCommand::Blame { path } => blame::run(&engine, &dir, &path, output),
        CliCommand::Queue(command) => queue::run(&engine, command, output).await,
        CliCommand::Keys(command) => keys::run(&engine, &command, output).await,
        CliCommand::Models { filter } => models::models(&engine, &filter, output).await,
        CliCommand::Tools(arguments) => tools::run(&engine, &dir, &arguments, output).await,
        CliCommand::Skills => guides::skills(&engine, &dir, output),
        CliCommand::Procedures => guides::procedures(&engine, &dir, output),
        CliCommand::Providers { command } => providers::run(&engine, command, output).await,
        CliCommand::Context { session } => context::run(&engine, &dir, session.as_deref(), output),
        CliCommand::Memory(command) => memory::run(&engine, &dir, command, output).await,
        CliCommand::Usage { session } => usage::run(&engine, session.as_deref(), output).await,
        CliCommand::Mcp(command) => mcp::run(&engine, &dir, command, output).await,
        CliCommand::Hooks(command) => hooks::run(&engine, &dir, command, output).await,
        CliCommand::Policy(command) => policy::run(&engine, &dir, command, output),
        CliCommand::Doctor => Ok(doctor::run(&engine, &dir, output).await),
        CliCommand::Man { out } => manual::pages(&engine, out.as_deref(), output),
        CliCommand::Config(command) => config::run(&engine, &dir, command, output),
        CliCommand::Verify { .. } | CliCommand::Open { .. } | CliCommand::Completions { .. } => Ok(Exit::Done),
    };
    let exit = exit.map_err(|fault| fault.redacted(engine.redactor()));
    engine.mcp().stop_mcp_servers().await;
    tokio::select! {
        // Nobody listens for a stop where there is nothing to wait for.
        biased;
        () = engine.runs().finish_afterwards() => {}
        () = asked_to_stop() => {}
    }
    engine.sessions().finish_anchoring().await;
    // The answer is out; who stopped a run wants to be gone.
    let is_done = works && matches!(exit, Ok(Exit::Done));
    engine.sessions().tidy_before_end(if is_done { Time::ToPrune } else { Time::ForLittle }).await;
    if let Err(fault) = engine.close() {
        tracing::warn!(%fault, "the database was not closed cleanly");
    }
    exit
}

/// The folder that an argument names, seen from the one given with `-C`.
fn named(dir: &Path, folder: Option<PathBuf>) -> PathBuf {
    folder.map_or_else(|| dir.to_owned(), |folder| dir.join(folder))
}
