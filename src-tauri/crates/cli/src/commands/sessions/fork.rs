//! `arki sessions fork`.

use crate::exit::Exit;
use crate::output::Printer;
use arki_api::PrintedFork;
use arki_domain::Error;
use arki_engine::Engine;
use clap::Args;

/// Start a new session from a point in this one
#[derive(Debug, Args)]
pub(crate) struct ForkArguments {
    /// The id of a session or run
    id: String,
    /// Fork after this event number; default: the last
    #[arg(long, value_name = "SEQ")]
    at: Option<u64>,
}

pub(super) async fn run(
    engine: &Engine,
    ForkArguments { id, at }: &ForkArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let named = engine.session_names().find_place(id)?;
    let from_session = named.session.session_id;
    let session_id = engine.sessions().fork(&from_session, at.or(named.seq)).await?.session_id;
    let from_seq = engine.session_reader().origin(&session_id)?.map_or(0, |origin| origin.seq);
    let fork = PrintedFork { session_id, from_session, from_seq };
    output.tell(&fork, || fork.session_id.as_str());
    Ok(Exit::Done)
}
