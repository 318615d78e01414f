//! The grammar of the commands that try rules and hooks.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show which past calls a new rule matches and how it would change their decisions; stores nothing
    Backtest {
        /// A JSON file with one rule, as in the configuration
        rule: PathBuf,
    },
    /// Show the decision on a call and the rule behind it, without executing anything
    Check {
        /// The tool to check
        #[arg(long, default_value = "run_command")]
        tool: String,
        /// The tool's arguments, as JSON
        #[arg(long, value_name = "JSON", conflicts_with = "command")]
        args: Option<String>,
        /// Also show how the decision came about: what Arki makes of each command of the line, and every check in order
        /// with its outcome
        #[arg(long)]
        trace: bool,
        /// The command: one argument is a shell line; several, after `--`, are a program and its arguments
        command: Vec<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List each hook with its event, what it is for and does, where it is configured, and why it is off if it is
    List,
    /// Run the hooks of an event in their sandbox and show what each answered; nothing else happens
    Test {
        /// The event, such as PreToolUse
        event: String,
        /// The tool that is called
        #[arg(long, default_value = "run_command")]
        tool: String,
        /// The tool's arguments, as JSON
        #[arg(long, value_name = "JSON", conflicts_with = "command")]
        args: Option<String>,
        /// The prompt, the last answer, the notification's message or the tool's result
        #[arg(long, default_value = "")]
        text: String,
        /// For SessionStart: startup, resume or compact. For Notification: permission_prompt, elicitation_dialog or
        /// idle_prompt
        #[arg(long)]
        kind: Option<String>,
        /// For Stop: a hook has made the agent go on before
        #[arg(long)]
        again: bool,
        /// The command: one argument is a shell line; several, after `--`, are a program and its arguments
        command: Vec<String>,
    },
}
