//! The arguments of `arki events`.

use arki_domain::projection::ObservationType;
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct EventsArguments {
    /// The id of a session or run; default, with --observations or --follow: all sessions
    #[arg(required_unless_present_any = ["observations", "follow"])]
    pub(crate) id: Option<String>,
    /// Keep printing new events as they arrive; without an id only those from now on
    #[arg(long)]
    pub(crate) follow: bool,
    /// Start at this event number; default: the first
    #[arg(long, value_name = "SEQ", requires = "id")]
    pub(crate) from: Option<u64>,
    /// End at this event number; default: the last
    #[arg(long, value_name = "SEQ", requires = "id")]
    pub(crate) to: Option<u64>,
    /// Use another format: `arkai` prints JSON Lines in the form of the arkai kernel
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<EventForm>,
    /// Print observations instead: what was intended, planned, done and answered, a line each
    #[arg(long, conflicts_with = "format")]
    pub(crate) observations: bool,
    /// Print only observations of these types, such as `PLAN,TOOL_CALL`
    #[arg(long = "type", value_name = "TYPES", value_delimiter = ',', requires = "observations",
        value_parser = observation_type)]
    pub(crate) types: Vec<ObservationType>,
    /// Print only observations since this time, in milliseconds since 1970
    #[arg(long, value_name = "MS", requires = "observations", allow_negative_numbers = true)]
    pub(crate) since: Option<i64>,
    /// Print only observations before this time, in milliseconds since 1970; with --follow, stop then
    #[arg(long, value_name = "MS", requires = "observations", allow_negative_numbers = true)]
    pub(crate) until: Option<i64>,
    /// Print only what happened in runs of this agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventForm {
    Arkai,
}

/// The type of observations with that word.
fn observation_type(word: &str) -> Result<ObservationType, String> {
    let known = || ObservationType::ALL.map(ObservationType::as_str).join(", ");
    ObservationType::of_word(word).ok_or_else(|| format!("the types are {}", known()))
}
