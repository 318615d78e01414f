//! The command line's grammar. `--help` is written here.

mod exec;
mod sessions;

pub(crate) use exec::{Approve, Core, ExecArguments};
pub(crate) use sessions::{
    EventForm, ExportArguments, ExportForm, QueueCommand, Queueing, RewindArguments, SearchArguments, SessionsCommand,
};

use crate::exit::Exit;
use crate::output::Output;
use arki_domain::{Code, Fault};
use arki_engine::one_line;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Let a language model work on your code, and stay in charge.
#[derive(Debug, Parser)]
#[command(name = "arki", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Ids: wherever a session, run, approval, question or message is named, an unambiguous prefix or ending \
    of at least 4 characters does, and `last` is the newest; where something is approved or removed, `last` is \
    refused.\n\nExit codes: 0 done, 1 failed, 2 wrong use or configuration, 3 an approval or a question is waiting, \
    4 denied in an untrusted folder, 5 a budget paused the run, 130 cancelled."
)]
pub(crate) struct Arguments {
    /// The project's folder
    #[arg(short = 'C', long, global = true, value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// JSON Lines on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Diagnostics on standard error: off, error, warn, info, debug or trace; of one part alone: PART=LEVEL
    #[arg(long, global = true, value_name = "LEVEL", env = "ARKI_LOG", hide_env_values = true, value_parser = log_levels)]
    pub(crate) log: Option<String>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// `NO_COLOR` and a standard output that is no terminal are honoured by `auto`.
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
pub(crate) enum Command {
    /// Run one prompt; the answer goes to standard output, what the tools do to standard error
    Exec(ExecArguments),
    /// Trust a folder: let its rules and configuration be loaded, and changes and commands be made
    Trust {
        /// The folder; -C's where left out
        folder: Option<PathBuf>,
        /// Only show what trusting would enable
        #[arg(long)]
        show: bool,
    },
    /// Trust a folder no longer
    Untrust {
        /// The folder; -C's where left out
        folder: Option<PathBuf>,
    },
    /// List, show and export sessions
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// The events of a session or run, oldest first
    Events {
        /// A session's or run's id
        id: String,
        /// Go on printing as events come
        #[arg(long)]
        follow: bool,
        /// Begin with this number; with the first where left out
        #[arg(long, value_name = "SEQ")]
        from: Option<u64>,
        /// Another form: `arkai` prints JSON Lines as the arkai kernel writes its events
        #[arg(long, value_name = "FORM")]
        format: Option<EventForm>,
    },
    /// Prove the event log's hash chain; exits 1 and names the first broken event if there is one
    Verify {
        /// A session's or run's id, or a file that `sessions export` wrote; all sessions where left out. A file of this
        /// name goes before a session; `-` is standard input. What the events say is proved, not how the file writes
        /// them: `sessions import` takes only the bytes that were exported
        #[arg(value_name = "ID or FILE")]
        id: Option<String>,
        /// Also read every content beside the log (images of files, prompts, large diffs) and compare it with its hash
        #[arg(long)]
        contents: bool,
    },
    /// What waits for your decision, across sessions
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Go on with an interrupted, paused or failed run
    Resume {
        /// A run's or session's id
        id: String,
        /// What to grant from now on, also to the call that waits; as before where left out
        #[arg(long)]
        approve: Option<Approve>,
        /// What to answer where the run waits for the answer to a question; without it the question is shown
        #[arg(long, value_name = "TEXT", conflicts_with = "approve")]
        answer: Option<String>,
    },
    /// Go back to how files and conversation stood after an event; what is gone back on stays in the log
    Rewind(RewindArguments),
    /// Take back one change of a file alone, later edits kept
    Undo {
        /// A session's or run's id
        session: String,
        /// The number of the `file.changed` event; may follow the session's id, as in `3f2a91c4#12`
        seq: Option<u64>,
        /// Only show what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Who wrote each line of a file: you, or which change of Arki
    Blame {
        /// The file, relative to the project
        path: String,
    },
    /// Messages that wait while a run works
    #[command(subcommand)]
    Queue(QueueCommand),
    /// API keys in the operating system's keychain
    #[command(subcommand)]
    Keys(KeysCommand),
    /// The models of the configured providers, also those that local servers list now: window, price, and where these
    /// figures come from
    Models,
    /// The tools that the agent would be offered in this project: name, category and description, with --json the
    /// schema of the arguments too
    Tools(ToolsArguments),
    /// The skills that the agent would have in this project: how certain work is done well
    Skills,
    /// The procedures that the agent would have in this project: the steps of recurring work
    Procedures,
    /// The configured providers, and where each one's key comes from
    Providers {
        #[command(subcommand)]
        command: Option<ProvidersCommand>,
    },
    /// Tokens and cost by day and model, the newest day first
    Usage {
        /// A session's or run's id; all sessions where left out
        session: Option<String>,
    },
    /// MCP servers: programs and addresses that bring tools of their own
    #[command(subcommand)]
    Mcp(McpCommand),
    /// What the policy says
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Check configuration, database, keychain, sandbox and providers
    Doctor,
    /// Open the desktop app
    Open {
        /// The folder; -C's where left out
        folder: Option<PathBuf>,
    },
}

fn log_levels(text: &str) -> Result<String, String> {
    let is_level = |word: &str| LOG_LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let is_known = |part: &str| is_level(part.rsplit_once('=').map_or(part, |(_, level)| level).trim());
    // A variable that is set to nothing says nothing.
    match text.split(',').find(|part| !text.is_empty() && !is_known(part)) {
        Some(unknown) => Err(format!("{unknown:?} is no level; use one of: {}", LOG_LEVELS.join(", "))),
        None => Ok(text.to_owned()),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// The configured servers, their state and how many tools each has; starts none
    List,
    /// Start a server and have it list its tools; says which step fails, and what the server printed
    Test { name: String },
    /// Show how a server's tools have changed, and agree to them: changed tools are off until then
    Agree { name: String },
    /// Add a server to your configuration: a program with its arguments after `--`, or an address
    Add {
        name: String,
        /// A variable for the program; `K='${V}'` hands on what is in your V. May be given several times
        #[arg(long, value_name = "K=V", conflicts_with = "url")]
        env: Vec<String>,
        /// Let the program use the network
        #[arg(long, conflicts_with = "url")]
        network: bool,
        /// The address of a server that is reached over HTTP
        #[arg(long, value_name = "URL", required_unless_present = "command", conflicts_with = "command")]
        url: Option<String>,
        /// Sent with each request; may be given several times
        #[arg(long, value_name = "NAME: VALUE", requires = "url")]
        header: Vec<String>,
        /// The program and its arguments
        #[arg(last = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// Remove a server from your configuration
    Rm { name: String },
    /// Sign in to a server that asks for it, with your browser; the tokens go to the keychain
    Login { name: String },
    /// The prompts that a server has ready; with one's name, its text, to be piped into `arki exec -`
    Prompts {
        name: String,
        prompt: Option<String>,
        /// What the prompt asks for
        #[arg(value_name = "NAME=VALUE")]
        arguments: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// Those of this session, with what is switched off in it
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Switch a tool off in the session, from its next run on; may be given several times
    #[arg(long, value_name = "NAME", requires = "session")]
    pub(crate) off: Vec<String>,
    /// Switch it on again
    #[arg(long, value_name = "NAME", requires = "session", conflicts_with = "off")]
    pub(crate) on: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// The newest first
    List,
    /// What would be done: the diff with its hunks, or the command
    Show {
        /// The only one that waits where left out
        id: Option<String>,
        /// Of a large change, the diff of this file
        #[arg(long, value_name = "PATH", conflicts_with_all = ["hunks", "all"])]
        file: Option<String>,
        /// Only these hunks, such as 1,3
        #[arg(long, value_delimiter = ',', value_name = "NUMBERS", conflicts_with = "all")]
        hunks: Option<Vec<usize>>,
        /// Of a large change, all of the diff and not only the list of its files
        #[arg(long)]
        all: bool,
    },
    /// Approve, and go on with the run to its next stop
    Approve {
        /// The only one that waits where left out; never `last`
        id: Option<String>,
        /// Also allow it for the rest of this session, by the narrowest rule that does; it is shown first, and `show`
        /// tells it beforehand
        #[arg(long, conflicts_with_all = ["always", "hunks", "command"])]
        session: bool,
        /// Also add that rule to your configuration: it holds from now on, in this folder
        #[arg(long, conflicts_with_all = ["hunks", "command"])]
        always: bool,
        /// Only these hunks, such as 1,3
        #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
        hunks: Option<Vec<usize>>,
        /// Run this command in place of the one shown
        #[arg(long, value_name = "LINE", conflicts_with = "hunks")]
        command: Option<String>,
        /// A note to the model
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// What is allowed for the rest of a session
    Granted { session: String },
    /// Allow it no longer; prints what was
    Withdraw { session: String },
    /// Reject, and go on with the run to its next stop
    Reject {
        /// The only one that waits where left out
        id: Option<String>,
        /// A note to the model
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Store a provider's key, read from standard input
    Set { provider: String },
    /// The providers and where each one's key comes from; never a key
    List,
    /// Remove a provider's key
    Rm { provider: String },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// Add a provider to your configuration
    Add {
        name: String,
        /// openai, openai-chat, anthropic, gemini, deepseek, ollama, openrouter or custom
        #[arg(long)]
        kind: String,
        /// What stands before the API's path; the vendor's own where left out
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// The environment variable with the API key
        #[arg(long, value_name = "NAME")]
        key_env: Option<String>,
    },
    /// Remove a provider from your configuration
    Rm { name: String },
    /// Test a provider step by step: settings, key, connection, certificate, models; exits 1 where a step fails
    Test {
        name: String,
        /// Have this model of the provider say a word as well, which costs a few tokens
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Which past calls a new rule speaks of, and how the decisions on them would change; nothing is stored
    Backtest {
        /// A file with one rule, as it would stand in the configuration
        rule: PathBuf,
    },
    /// The decision on a call and the rule that made it; nothing is executed
    Check {
        /// The tool
        #[arg(long, default_value = "run_command")]
        tool: String,
        /// Its arguments, as JSON
        #[arg(long, value_name = "JSON", conflicts_with = "command")]
        args: Option<String>,
        /// One argument is a shell line verbatim; several, after `--`, are an argv
        command: Vec<String>,
    },
}

/// Help and version are no errors; everything else is one line and a hint.
pub(crate) fn report(error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Done;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        if !json {
            let _ = error.print();
        }
        let hint = "`arki --help` shows the commands, `arki COMMAND --help` what comes after one.";
        Output::new(json).fault(&Fault::new(Code::USAGE, "A command is missing.", hint));
        return Exit::Usage;
    }
    let text = error.render().to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let tip = rest.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let hint = tip.unwrap_or("`arki --help` shows the commands, `arki COMMAND --help` its options.");
    let message = one_line(message.trim_start_matches("error: "));
    Output::new(json).fault(&Fault::new(Code::USAGE, format!("{}.", message.trim_end_matches('.')), hint));
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_sound() {
        Arguments::command().debug_assert();
    }
}
