//! The command line's grammar. `--help` is written here.

mod accounts;
mod agents;
mod approvals;
mod events;
mod exec;
mod mcp;
mod pipelines;
mod policy;
mod sessions;
mod usage_errors;
mod worktrees;

pub(crate) use accounts::{KeysCommand, ProvidersCommand};
pub(crate) use agents::{AgentsCommand, ArtifactsCommand};
pub(crate) use approvals::ApprovalsCommand;
pub(crate) use events::{EventForm, EventsArguments};
pub(crate) use exec::{Approve, ExecArguments};
pub(crate) use mcp::McpCommand;
pub(crate) use pipelines::{PipelinesCommand, RunArguments, ScheduleArguments, ScheduleCommand, WhichDefinition};
pub(crate) use policy::{HooksCommand, PolicyCommand};
pub(crate) use sessions::{
    ConfigureArguments, ExportArguments, ExportForm, FilesArguments, QueueCommand, Queueing, RewindArguments,
    SearchArguments, SessionsCommand, StateArguments,
};
pub(crate) use usage_errors::report;
pub(crate) use worktrees::WorktreesCommand;

use crate::command_output::ShowOutput;
use clap::{Args, Parser, Subcommand, ValueEnum};
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
    or an answer, 4 denied because the folder is not trusted, 5 paused by a budget, 130 cancelled."
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
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Show this much of what commands print: full, tail or none
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "AMOUNT", default_value = "tail", hide_possible_values = true)]
    pub(crate) show_output: ShowOutput,
    #[command(subcommand)]
    pub(crate) command: CliCommand,
}

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Sets it for the whole process. `auto` honours `NO_COLOR`, and uses colours only on a terminal.
    pub(crate) fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::AlwaysAnsi,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Run one prompt: print the answer on standard output and the tools' activity on standard error
    Exec(ExecArguments),
    /// Trust a folder: load its rules and configuration, and let Arki change files and run commands in it
    Trust {
        /// The folder, relative to -C; default: -C itself
        folder: Option<PathBuf>,
        /// Only show what trusting the folder would enable
        #[arg(long)]
        show: bool,
        /// Also turn on the hooks and checkers of which Arki can't pin all that they run, as --show lists them
        #[arg(long, conflicts_with = "show")]
        with_unpinned: bool,
        /// List the trusted folders, the last one first
        #[arg(long, conflicts_with_all = ["show", "folder", "with_unpinned"])]
        list: bool,
    },
    /// Stop trusting a folder, even if it's gone
    Untrust {
        /// The folder, relative to -C; default: -C itself
        folder: Option<PathBuf>,
    },
    /// List, show, search, fork, export, import or remove sessions
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Have sessions work beside the project, each on a branch of its own: add, list, bring back or remove worktrees
    #[command(subcommand)]
    Worktrees(WorktreesCommand),
    /// Print the events of a session or run, oldest first
    Events(EventsArguments),
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
    /// List, show, approve or reject pending approvals from all sessions
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Run a pipeline: print the last step's output on standard output, progress and the run's id on standard error
    Run(RunArguments),
    /// Show the steps of a pipeline's run
    Status {
        /// The id of a run, or a pipeline's name for its newest run in this project
        run: String,
    },
    /// List the runs of pipelines, newest first
    Runs,
    /// List, check or show pipelines
    #[command(subcommand)]
    Pipelines(PipelinesCommand),
    /// Start pipelines at set times: list, add, remove or run schedules
    #[command(subcommand)]
    Schedule(ScheduleCommand),
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
    /// List what runs and pipelines emitted, or get one
    #[command(subcommand)]
    Artifacts(ArtifactsCommand),
    /// List, add, remove or test agents
    #[command(subcommand)]
    Agents(AgentsCommand),
    /// Resume an interrupted, paused or failed run
    Resume {
        /// The id of a run or session, or a pipeline's name for its newest run in this project
        id: String,
        /// Approve calls from now on, including the pending one, as in `exec --approve`; default: as before
        #[arg(long)]
        approve: Option<Approve>,
        /// Answer the question the run is waiting on; without this, the question is shown
        #[arg(long, value_name = "TEXT", conflicts_with = "approve")]
        answer: Option<String>,
        /// Choose the original or the current version of a pipeline whose file changed since the run started
        #[arg(long, value_name = "WHICH", conflicts_with = "answer")]
        definition: Option<WhichDefinition>,
        /// Run the pipeline again from this step on, as a new run; its earlier run must have ended
        #[arg(long, value_name = "STEP", conflicts_with_all = ["answer", "approve"])]
        from: Option<String>,
    },
    /// Restore files and conversation to their state after an event; the log keeps everything
    Rewind(RewindArguments),
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
    /// List, add, edit, move or remove queued messages
    #[command(subcommand)]
    Queue(QueueCommand),
    /// Store, list or remove API keys in the system keychain
    #[command(subcommand)]
    Keys(KeysCommand),
    /// List the models of the configured providers and running local servers, with context window, price, and where
    /// these figures come from
    Models {
        /// List only models whose id or capabilities contain all of these words, such as `openai` or `vision`
        filter: Vec<String>,
    },
    /// List the tools the agent gets in this project, with category and description; --json adds the argument schemas
    Tools(ToolsArguments),
    /// List the skills the agent gets in this project
    Skills,
    /// List the procedures the agent gets in this project
    Procedures,
    /// List the configured providers and where their keys come from; or add, remove or test one
    Providers {
        #[command(subcommand)]
        command: Option<ProvidersCommand>,
    },
    /// Show what the next request is made of, with a token estimate for each part
    Context {
        /// The id of a session or run; default: a new session in this folder
        session: Option<String>,
    },
    /// List, accept, reject, edit or remove what Arki remembers beyond a session
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Show tokens and cost by day and model, newest day first
    Usage {
        /// The id of a session or run; default: all sessions
        session: Option<String>,
    },
    /// List, test, add, remove or sign in to MCP servers
    #[command(subcommand)]
    Mcp(McpCommand),
    /// Check a call against the policy, or test a new rule on past calls
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List the hooks of this project, or try them out
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Check the configuration, database, keychain, sandbox and providers
    Doctor,
    /// Show, change and edit the configuration
    #[command(subcommand)]
    Config(ConfigCommand),
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
}

fn log_levels(text: &str) -> Result<String, String> {
    let is_level = |word: &str| LOG_LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let is_known = |part: &str| is_level(part.rsplit_once('=').map_or(part, |(_, level)| level).trim());
    // A variable that is set to nothing says nothing.
    match text.split(',').find(|part| !text.is_empty() && !is_known(part)) {
        Some(unknown) => Err(format!("{unknown:?} isn't a log level; use one of: {}", LOG_LEVELS.join(", "))),
        None => Ok(text.to_owned()),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the configuration that holds in this folder: the defaults, your file and a trusted project's, merged
    Show {
        /// Print each value with the file that sets it
        #[arg(long)]
        origin: bool,
        /// Print only this key and what is below it, such as `limits`
        key: Option<String>,
    },
    /// Print one value of the configuration that holds in this folder
    Get {
        /// The key, such as `limits.maxTurns`; a name that has a dot in it goes in double quotes
        key: String,
    },
    /// Set a value in your configuration; comments stay
    Set {
        /// The key, such as `limits.maxTurns`; a name that has a dot in it goes in double quotes
        key: String,
        /// JSON, or a plain string
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Remove a value from your configuration, so that its default holds
    Unset {
        /// The key, such as `limits.maxTurns`
        key: String,
    },
    /// Edit your configuration in your editor (`VISUAL` or `EDITOR`); only a valid one takes its place
    Edit,
}

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List proposals from all sessions, and what you accepted for yourself and for this folder
    List,
    /// Accept a proposal: Arki writes it to a Markdown file, prints its new id, and adds it to the prompts of new runs
    Accept {
        /// The proposal's id
        id: String,
        /// Put it in your own words
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Reject a proposal
    Reject {
        /// The proposal's id
        id: String,
    },
    /// Change the text of an accepted memory
    Edit {
        /// The memory's id
        id: String,
        /// The new text
        text: String,
    },
    /// Remove an accepted memory
    Rm {
        /// The memory's id
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// List the tools of this session, including those switched off
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Switch a tool off, starting with the session's next run; repeatable
    #[arg(long, value_name = "NAME", requires = "session")]
    pub(crate) off: Vec<String>,
    /// Switch a tool on again; repeatable
    #[arg(long, value_name = "NAME", requires = "session", conflicts_with = "off")]
    pub(crate) on: Vec<String>,
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
