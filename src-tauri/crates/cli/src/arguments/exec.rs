//! The grammar of `arki exec`.

use arki_domain::ApprovalMode;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// What to do; `-` or nothing reads it from standard input. What is piped in beside a prompt is appended to it
    pub(crate) prompt: Option<String>,
    /// Leave standard input alone
    #[arg(long)]
    pub(crate) no_stdin: bool,
    /// PROVIDER/MODEL; the configured one where left out
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Go on in this session
    #[arg(long, value_name = "ID", conflicts_with = "continue_last")]
    pub(crate) session: Option<String>,
    /// Go on in the folder's newest session
    #[arg(long = "continue")]
    pub(crate) continue_last: bool,
    /// How the agent works
    #[arg(long, default_value = "tool-loop")]
    pub(crate) core: Core,
    /// What to grant beforehand: `edits` covers writes inside the project, `all` what is not denied, `never` turns
    /// every approval into a rejection
    #[arg(long, default_value = "ask")]
    pub(crate) approve: Approve,
    /// Only plan: the model has nothing but tools that read
    #[arg(long)]
    pub(crate) plan: bool,
    /// Pause after this many turns of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    /// Pause after this many seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) max_seconds: Option<u64>,
    /// Pause once this much was spent
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Added to the system prompt, for this run
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Have the model use this skill (`arki skills`); may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) skill: Vec<String>,
    /// Begin the session without this tool (`arki tools`), or go on without it; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) disable_tool: Vec<String>,
    /// Show this picture with the prompt (PNG, JPEG, GIF or WebP), wherever --dir is; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// A file with the JSON Schema that the answer has to follow; one that does not is an error
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Keep nothing after the run
    #[arg(long, conflicts_with_all = ["session", "continue_last"])]
    pub(crate) ephemeral: bool,
}

/// One level, or several of parts, separated by commas.
fn dollars(text: &str) -> Result<f64, String> {
    let amount: f64 = text.trim_start_matches('$').parse().map_err(|_| "not an amount".to_owned())?;
    if amount.is_finite() && amount >= 0.0 { Ok(amount) } else { Err("not an amount".to_owned()) }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Core {
    ToolLoop,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Approve {
    Ask,
    Edits,
    All,
    Never,
}

impl From<Approve> for ApprovalMode {
    fn from(approve: Approve) -> Self {
        match approve {
            Approve::Ask => Self::Ask,
            Approve::Edits => Self::Edits,
            Approve::All => Self::All,
            Approve::Never => Self::Never,
        }
    }
}
