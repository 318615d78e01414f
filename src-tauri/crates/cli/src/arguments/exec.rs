//! The grammar of `arki exec`.

use arki_domain::ApprovalMode;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// The prompt; `-` or nothing reads it from standard input. With a prompt, piped input is appended to it
    pub(crate) prompt: Option<String>,
    /// Don't read standard input
    #[arg(long)]
    pub(crate) no_stdin: bool,
    /// The model, as PROVIDER/MODEL; default: the configured one
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Continue this session
    #[arg(long, value_name = "ID", conflicts_with = "continue_last")]
    pub(crate) session: Option<String>,
    /// Continue the folder's newest session
    #[arg(long = "continue")]
    pub(crate) continue_last: bool,
    /// Work in the project's worktree for this branch; it is made first if there is none (see `arki worktrees`)
    #[arg(long, value_name = "BRANCH", conflicts_with = "session", allow_hyphen_values = true)]
    pub(crate) worktree: Option<String>,
    /// Choose how the agent works: `tool-loop` acts step by step, `pes` plans first; default: the configured core
    #[arg(long, value_name = "NAME")]
    pub(crate) core: Option<String>,
    /// Approve calls in advance: `edits` approves writes inside the project, `all` everything that isn't denied,
    /// `never` rejects whatever needs approval
    #[arg(long, default_value = "ask")]
    pub(crate) approve: Approve,
    /// Only plan: give the model read-only tools
    #[arg(long)]
    pub(crate) plan: bool,
    /// Pause after this many model turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,
    /// Pause after this many seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    pub(crate) max_seconds: Option<u64>,
    /// Pause once this much is spent
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Add this to the system prompt, for this run
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Have the model use this skill (see `arki skills`); repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) skill: Vec<String>,
    /// Switch this tool off in the session (see `arki tools`); repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) disable_tool: Vec<String>,
    /// Attach this picture to the prompt (PNG, JPEG, GIF or WebP), relative to -C; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// A file with a JSON Schema, relative to -C; an answer that doesn't match it is an error
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,
    /// Keep nothing after the run
    #[arg(long, conflicts_with_all = ["session", "continue_last", "worktree"])]
    pub(crate) ephemeral: bool,
}

/// An amount in US dollars, with or without the sign.
fn dollars(text: &str) -> Result<f64, String> {
    let amount: f64 =
        text.trim_start_matches('$').parse().map_err(|_| "use an amount in US dollars, such as 0.50".to_owned())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok(amount)
    } else {
        Err("use an amount in US dollars, such as 0.50".to_owned())
    }
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
