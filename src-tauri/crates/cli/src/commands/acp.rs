//! `arki acp`: the engine as an editor's agent.

use crate::end_signals::asked_to_end;
use crate::exit::Exit;
use arki_domain::Error;
use arki_engine::Engine;
use std::sync::Arc;

pub(crate) async fn run(engine: &Arc<Engine>) -> Result<Exit, Error> {
    let end = asked_to_end()?;
    arki_acp::serve(engine, tokio::io::stdin(), tokio::io::stdout(), end).await?;
    Ok(Exit::Done)
}
