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

use crate::arguments::{Arguments, Command};
use crate::exit::Exit;
use crate::follow::asked_to_stop;
use crate::output::Output;
use arki_domain::Fault;
use arki_engine::{Client, Directories, Engine, EngineOptions, EnvironmentKeys, Presence, Time};
use std::path::{Path, PathBuf};

pub(crate) async fn run(arguments: Arguments, output: &Output) -> Result<Exit, Fault> {
    let Arguments { dir, command, .. } = arguments;
    effects::refuse_under_a_tool(&command)?;
    if let Command::Pipelines(command) = &command
        && let Some(exit) = pipelines::without_database(&dir, command, output)?
    {
        return Ok(exit);
    }
    let directories = match Directories::from_environment() {
        Err(fault) if matches!(command, Command::Doctor) => {
            let options = EngineOptions {
                directories: Directories::whatever_home()?,
                ephemeral: true,
                environment_keys: EnvironmentKeys::default(),
            };
            return doctor::without_database(options, &dir, ("home", fault), output).await;
        }
        found => found?,
    };
    let ephemeral = matches!(&command, Command::Exec(exec) if exec.ephemeral);
    match command {
        Command::Verify { id, contents } => {
            return verify::run(&directories, &dir, id.as_deref(), contents, output).await;
        }
        Command::Open { folder } => return open::run(&named(&dir, folder)),
        Command::Completions { shell } => return Ok(manual::completions(shell, output)),
        _ => {}
    }
    let options = EngineOptions { directories, ephemeral, environment_keys: EnvironmentKeys::default() };
    let open = if effects::only_reads(&command) { Engine::open_to_read } else { Engine::open };
    let engine = match open(options.clone()) {
        Err(fault) if matches!(command, Command::Doctor) => {
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
        Command::Exec(exec) => exec::run(&client, &dir, exec, output).await,
        Command::Trust { list: true, .. } => trust::list(&engine, output),
        Command::Trust { folder, show: true, .. } => trust::show(&engine, &named(&dir, folder), output),
        Command::Trust { folder, with_unpinned, .. } => {
            trust::trust(&engine, &named(&dir, folder), with_unpinned, output).await
        }
        Command::Untrust { folder } => trust::untrust(&engine, &named(&dir, folder), output).await,
        Command::Sessions(command) => sessions::run(&engine, &dir, &command, output).await,
        Command::Worktrees(command) => worktrees::run(&engine, &dir, command, output).await,
        Command::Events(arguments) => events::run(&engine, arguments, output).await,
        Command::Approvals(command) => approvals::run(&client, &dir, command, output).await,
        Command::Stop { id } => stop::stop(&client, &id, output).await,
        Command::Pause { id } => stop::pause(&client, &id, output).await,
        Command::Artifacts(command) => artifacts::run(&engine, &dir, command, output),
        Command::Agents(command) => agents::run(&engine, &dir, command, output).await,
        Command::Resume { id, answer: Some(answer), .. } => resume::answer(&client, &id, &answer, output).await,
        Command::Resume { id, from: Some(step), definition, .. } => {
            resume::from_step(&client, &dir, (&id, &step), definition, output).await
        }
        Command::Resume { id, approve, definition, .. } => {
            resume::run(&client, &dir, &id, approve, definition, output).await
        }
        Command::Run(run) => pipelines::run(&client, &dir, run, output).await,
        Command::Status { run } => pipelines::status(&engine, &dir, &run, output),
        Command::Runs => pipelines::runs(&engine, output),
        Command::Schedule(command) => schedule::run(&client, &dir, command, output).await,
        Command::Pipelines(command) => pipelines::pipelines(&engine, &dir, command, output),
        Command::Rewind(arguments) => rewind::rewind(&engine, &arguments, output).await,
        Command::Undo { session, seq, dry_run } => rewind::undo(&engine, &session, seq, dry_run, output).await,
        Command::Blame { path } => blame::run(&engine, &dir, &path, output),
        Command::Queue(command) => queue::run(&engine, command, output).await,
        Command::Keys(command) => keys::run(&engine, &command, output).await,
        Command::Models { filter } => models::models(&engine, &filter, output).await,
        Command::Tools(arguments) => tools::run(&engine, &dir, &arguments, output).await,
        Command::Skills => guides::skills(&engine, &dir, output),
        Command::Procedures => guides::procedures(&engine, &dir, output),
        Command::Providers { command } => providers::run(&engine, command, output).await,
        Command::Context { session } => context::run(&engine, &dir, session.as_deref(), output),
        Command::Memory(command) => memory::run(&engine, &dir, command, output).await,
        Command::Usage { session } => usage::run(&engine, session.as_deref(), output).await,
        Command::Mcp(command) => mcp::run(&engine, &dir, command, output).await,
        Command::Hooks(command) => hooks::run(&engine, &dir, command, output).await,
        Command::Policy(command) => policy::run(&engine, &dir, command, output),
        Command::Doctor => Ok(doctor::run(&engine, &dir, output).await),
        Command::Man { out } => manual::pages(&engine, out.as_deref(), output),
        Command::Config(command) => config::run(&engine, &dir, command, output),
        Command::Verify { .. } | Command::Open { .. } | Command::Completions { .. } => Ok(Exit::Done),
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
