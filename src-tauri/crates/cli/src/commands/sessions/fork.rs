//! `arki sessions fork`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::Error;
use arki_engine::Engine;
use clap::Args;
use serde::Serialize;

/// Start a new session from a point in this one
#[derive(Debug, Args)]
pub(crate) struct ForkArguments {
    /// The id of a session or run
    id: String,
    /// Fork after this event number; default: the last
    #[arg(long, value_name = "SEQ")]
    at: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Forked<'a> {
    session_id: &'a str,
    from_session: &'a str,
    from_seq: u64,
}

pub(super) async fn run(
    engine: &Engine,
    ForkArguments { id, at }: &ForkArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let named = engine.session_names().find_place(id)?;
    let origin = named.session.session_id;
    let fork = engine.sessions().fork(&origin, at.or(named.seq)).await?.session_id;
    let from_seq = engine.session_reader().origin(&fork)?.map_or(0, |origin| origin.seq);
    output.tell(&Forked { session_id: fork.as_str(), from_session: origin.as_str(), from_seq }, || fork.as_str());
    Ok(Exit::Done)
}
