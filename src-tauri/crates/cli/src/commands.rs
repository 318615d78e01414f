//! The commands, one a file, or a few that go together.

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
mod guides;
mod hooks;
mod keys;
mod manual;
mod mcp;
mod memory;
mod models;
mod open;
mod pipelines;
mod policy;
mod providers;
mod queue;
mod resume;
mod rewind;
mod run;
mod runs;
mod schedule;
mod serve;
mod sessions;
mod stop;
mod tools;
mod trust;
mod usage;
mod verify;
mod worktrees;

use crate::arguments::{COLORS, log_levels, one_of};
use crate::exit::{CommandExit, Exit};
use crate::follow::asked_to_stop;
use crate::output::{Printer, ShowOutput};
use arki_engine::{Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, Time};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The heading of the options that every command takes.
const GLOBAL: &str = "Global options";

/// Let a language model work on your code, and stay in charge.
#[derive(Debug, Parser)]
#[command(name = "arki", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Ids: to name a session, run, approval, question or message, type any unambiguous beginning or \
    ending of its id (at least 4 characters), or `last` for the newest. Commands that approve or remove something \
    don't accept `last`.\n\nExit codes: 0 done, 1 failed, 2 usage or configuration error, 3 waiting for an approval \
    or an answer, 4 denied because the folder is not trusted, 5 paused by a budget or by you, 130 cancelled."
)]
pub(crate) struct Arguments {
    /// The project folder
    #[arg(short = 'C', long, global = true, help_heading = GLOBAL, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Print JSON Lines on standard output, and nothing else
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Print diagnostics on standard error: off, error, warn, info, debug or trace; PART=LEVEL for one part only
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "LEVEL", env = "ARKI_LOG", hide_env_values = true, value_parser = log_levels)]
    pub(crate) log: Option<String>,
    /// Use colours: auto, always or never
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto", value_parser = one_of(COLORS))]
    pub(crate) color: anstream::ColorChoice,
    /// Show this much of what commands print: full, tail or none
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "AMOUNT", default_value = "tail", hide_possible_values = true)]
    pub(crate) show_output: ShowOutput,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    Exec(exec::ExecArguments),
    Trust(trust::TrustArguments),
    /// Stop trusting a folder, even if it's gone
    Untrust {
        /// The folder, relative to -C; default: -C itself
        folder: Option<PathBuf>,
    },
    #[command(subcommand)]
    Sessions(sessions::SessionsCommand),
    #[command(subcommand)]
    Worktrees(worktrees::WorktreesCommand),
    Events(events::EventsArguments),
    /// Verify the event log's hash chain; if it is broken, name the first broken event and exit 1
    Verify {
        /// The id of a session or run, or a file written by `sessions export`; default: all sessions. If both a file
        /// and a session match, the file is used; `-` reads standard input. This verifies the events, not the file's
        /// exact bytes; `sessions import` checks those too
        #[arg(value_name = "ID or FILE")]
        id: Option<String>,
        /// Also compare all content stored beside the log (file snapshots, prompts, large diffs) with its hash
        #[arg(long)]
        contents: bool,
    },
    #[command(subcommand)]
    Approvals(approvals::ApprovalsCommand),
    Run(run::RunArguments),
    /// Show the steps of a pipeline's run
    Status {
        /// The id of a run, or a pipeline's name for its newest run in this project
        run: String,
    },
    /// List the runs of pipelines, newest first
    Runs,
    #[command(subcommand)]
    Pipelines(pipelines::PipelinesCommand),
    #[command(subcommand)]
    Schedule(schedule::ScheduleCommand),
    /// Stop a run, whichever process works on it; a run that waits for an approval or a budget ends too
    Stop {
        /// The id of a session or run
        id: String,
    },
    /// Pause a run after its current step, whichever process works on it; `arki resume` continues it
    Pause {
        /// The id of a session or run
        id: String,
    },
    #[command(subcommand)]
    Artifacts(artifacts::ArtifactsCommand),
    #[command(subcommand)]
    Agents(agents::AgentsCommand),
    Resume(resume::ResumeArguments),
    Rewind(rewind::RewindArguments),
    /// Undo one change to a file, keeping later edits
    Undo {
        /// The id of a session or run
        session: String,
        /// The number of the `file.changed` event; you can also append it to the session id, as in `3f2a91c4#12`
        seq: Option<u64>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
    },
    /// Show who wrote each line of a file: you, or which change by Arki
    Blame {
        /// The file, relative to the project
        path: String,
    },
    #[command(subcommand)]
    Queue(queue::QueueCommand),
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// List the models of the configured providers and running local servers, with context window, price, and where
    /// these figures come from
    Models {
        /// List only models whose id or capabilities contain all of these words, such as `openai` or `vision`
        filter: Vec<String>,
    },
    Tools(tools::ToolsArguments),
    /// List the skills the agent gets in this project
    Skills,
    /// List the procedures the agent gets in this project
    Procedures,
    /// List the configured providers and where their keys come from; or add, remove or test one
    Providers {
        #[command(subcommand)]
        command: Option<providers::ProvidersCommand>,
    },
    /// Show what the next request is made of, with a token estimate for each part
    Context {
        /// The id of a session or run; default: a new session in this folder
        session: Option<String>,
    },
    #[command(subcommand)]
    Memory(memory::MemoryCommand),
    /// Show tokens and cost by day and model, newest day first
    Usage {
        /// The id of a session or run; default: all sessions
        session: Option<String>,
    },
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    #[command(subcommand)]
    Hooks(hooks::HooksCommand),
    /// Check the configuration, database, keychain, sandbox and providers
    Doctor,
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Print a shell's completion script
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write a page for each command into a folder
    Man {
        /// The folder, which has to exist
        #[arg(long, value_name = "FOLDER")]
        out: Option<PathBuf>,
    },
    /// Open the desktop app
    Open {
        /// The folder, relative to -C; default: -C itself
        folder: Option<PathBuf>,
    },
    Serve(serve::ServeArguments),
    /// Work for an editor: speak the Agent Client Protocol on standard input and output
    Acp,
}

pub(crate) async fn run(arguments: Arguments, output: &Printer) -> CommandExit {
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
        CliCommand::Open { folder } => return open::run(&dir, folder.as_deref()),
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
    let client = Client::attach(&engine, "cli", ClientCapabilities::default());
    let works = effects::works(&command);
    let stays = matches!(command, CliCommand::Serve(_) | CliCommand::Acp);
    if works {
        engine.telemetry().begin().await;
    } else if stays {
        let telemetry = engine.telemetry().clone();
        tokio::spawn(async move { telemetry.keep_sending().await });
    }
    let exit = match command {
        CliCommand::Exec(exec) => exec::run(&client, &dir, exec, output).await,
        CliCommand::Trust(arguments) => trust::run(&engine, &dir, arguments, output).await,
        CliCommand::Untrust { folder } => trust::untrust(&engine, &dir, folder.as_deref(), output).await,
        CliCommand::Sessions(command) => sessions::run(&engine, &dir, &command, output).await,
        CliCommand::Worktrees(command) => worktrees::run(&engine, &dir, command, output).await,
        CliCommand::Events(arguments) => events::run(&engine, arguments, output).await,
        CliCommand::Approvals(command) => approvals::run(&client, &dir, command, output).await,
        CliCommand::Stop { id } => stop::stop(&client, &id, output).await,
        CliCommand::Pause { id } => stop::pause(&client, &id, output).await,
        CliCommand::Artifacts(command) => artifacts::run(&engine, &dir, command, output),
        CliCommand::Agents(command) => agents::run(&engine, &dir, command, output).await,
        CliCommand::Resume(arguments) => resume::run(&client, &dir, &arguments, output).await,
        CliCommand::Run(arguments) => run::run(&client, &dir, arguments, output).await,
        CliCommand::Status { run } => runs::status(&engine, &dir, &run, output),
        CliCommand::Runs => runs::runs(&engine, output),
        CliCommand::Schedule(command) => schedule::run(&client, &dir, command, output).await,
        CliCommand::Pipelines(command) => pipelines::run(&engine, &dir, command, output),
        CliCommand::Rewind(arguments) => rewind::rewind(&engine, &arguments, output).await,
        CliCommand::Undo { session, seq, dry_run } => rewind::undo(&engine, &session, seq, dry_run, output).await,
        CliCommand::Blame { path } => blame::run(&engine, &dir, &path, output),
        CliCommand::Queue(command) => queue::run(&engine, command, output).await,
        CliCommand::Keys(command) => keys::run(&engine, &command, output).await,
        CliCommand::Models { filter } => models::run(&engine, &filter, output).await,
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
        CliCommand::Acp => serve::acp(&engine).await,
        CliCommand::Serve(arguments) => serve::run(&engine, &arguments, output).await,
        CliCommand::Doctor => Ok(doctor::run(&engine, &dir, output).await),
        CliCommand::Man { out } => manual::pages(&engine, out.as_deref(), output),
        CliCommand::Config(command) => config::run(&engine, &dir, command, output),
        CliCommand::Verify { .. } | CliCommand::Open { .. } | CliCommand::Completions { .. } => Ok(Exit::Done),
    };
    let exit = exit.map_err(|fault| engine.redactor().redact_error(fault));
    engine.mcp().stop_mcp_servers().await;
    tokio::select! {
        // Nobody listens for a stop where there is nothing to wait for.
        biased;
        () = engine.runs().afterwards().finish() => {}
        () = asked_to_stop() => {}
    }
    engine.log_anchors().finish_anchoring().await;
    if works || stays {
        engine.telemetry().send_before_end().await;
    }
    // The answer is out; who stopped a run wants to be gone.
    let is_done = works && matches!(exit, Ok(Exit::Done));
    engine.retention().tidy_before_end(if is_done { Time::ToPrune } else { Time::ForLittle }).await;
    if let Err(fault) = engine.close() {
        tracing::warn!(%fault, "the database was not closed cleanly");
    }
    exit
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_sound() {
        Arguments::command().debug_assert();
    }

    /// The commands and arguments below a command that `--help` says nothing about.
    fn without_help(command: &clap::Command) -> Vec<String> {
        let name = command.get_name();
        let arguments = command.get_arguments().filter(|argument| argument.get_help().is_none());
        let mut found: Vec<String> = arguments.map(|argument| format!("{name} {}", argument.get_id())).collect();
        if command.get_about().is_none() {
            found.push(name.to_owned());
        }
        let below = command.get_subcommands().flat_map(without_help);
        found.extend(below.map(|one| format!("{name} {one}")));
        found
    }

    #[test]
    fn every_command_and_argument_has_help() {
        assert_eq!(without_help(&Arguments::command()), Vec::<String>::new());
    }
}
