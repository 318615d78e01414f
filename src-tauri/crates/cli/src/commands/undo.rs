//! `arki undo`: takes one change back, alone.

use super::rewind::print;
use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::{Code, Error};
use arki_engine::Engine;
use clap::Args;
use std::sync::Arc;

/// Undo one change to a file, keeping later edits
#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The id of a session or run
    session: String,
    /// The number of the `file.changed` event; you can also append it to the session id, as in `3f2a91c4#12`
    seq: Option<u64>,
    /// Only show what would change
    #[arg(long)]
    pub(super) dry_run: bool,
}

pub(crate) async fn run(
    engine: &Arc<Engine>,
    UndoArguments { session, seq, dry_run }: UndoArguments,
    output: &Printer,
) -> Result<Exit, Error> {
    let named = engine.session_names().find_place(&session)?;
    let session = named.session.session_id;
    let seq = match (named.seq, seq) {
        (Some(named), Some(seq)) if named != seq => {
            return Err(which_change("The command names two different events."));
        }
        (named, seq) => named.or(seq).ok_or_else(|| which_change("The command doesn't name a change to undo."))?,
    };
    let plan = match dry_run {
        true => engine.rewinds().plan_take_back(&session, seq)?,
        false => engine.rewinds().take_back(&session, seq).await?,
    };
    print(&plan, output);
    Ok(Exit::Done)
}

fn which_change(what: &str) -> Error {
    Error::new(
        Code::USAGE,
        what,
        "Run `arki blame FILE` to find it, such as 3f2a91c4#12, or `arki events ID` for the event numbers.",
    )
}
