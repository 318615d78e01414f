//! The arguments of the commands about pipelines.

use super::Approve;
use arki_api::MissedRuns;
use arki_engine::DefinitionChoice;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The pipeline's name, or the path of a YAML file
    pub(crate) pipeline: String,
    /// The file with the pipeline's input, relative to the project; `-` reads standard input. Default: no input
    #[arg(long, value_name = "FILE or -")]
    pub(crate) input: Option<PathBuf>,
    /// Set a parameter; commands get it as an environment variable. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = param)]
    pub(crate) param: Vec<(String, String)>,
    /// Approve calls of the pipeline's agents in advance, as in `exec --approve`
    #[arg(long, default_value = "ask")]
    pub(crate) approve: Approve,
}

fn param(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

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
    pub(crate) name: String,
    /// The pipeline's name, or a path relative to the project
    pub(crate) pipeline: String,
    /// Minute, hour, day of month, month and day of week, such as "30 7 * * MON-FRI"
    #[arg(long, value_name = "EXPRESSION")]
    pub(crate) cron: String,
    /// An IANA time zone, such as Europe/Berlin; default: the computer's
    #[arg(long, value_name = "ZONE")]
    pub(crate) time_zone: Option<String>,
    /// Choose what to do about times that pass while Arki isn't running
    #[arg(long, value_name = "WHAT", default_value = "skip")]
    pub(crate) missed: Missed,
    /// Set a parameter. Can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = param)]
    pub(crate) param: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missed {
    /// Nothing
    Skip,
    /// Run once for all of them
    Once,
}

impl From<Missed> for MissedRuns {
    fn from(missed: Missed) -> Self {
        match missed {
            Missed::Skip => Self::Skip,
            Missed::Once => Self::Once,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhichDefinition {
    /// The definition as it was when the run started
    Original,
    /// The definition as it is in the file now
    Current,
}

impl From<WhichDefinition> for DefinitionChoice {
    fn from(which: WhichDefinition) -> Self {
        match which {
            WhichDefinition::Original => Self::Original,
            WhichDefinition::Current => Self::Current,
        }
    }
}
