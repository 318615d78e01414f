//! `arki resume`: goes on with a run that was interrupted, paused, or failed.

use crate::arguments::Approve;
use crate::exit::Exit;
use crate::follow;
use crate::output::Output;
use arki_domain::Fault;
use arki_engine::Engine;
use std::sync::Arc;

pub(crate) async fn run(
    engine: &Arc<Engine>,
    id: &str,
    approve: Option<Approve>,
    output: &Output,
) -> Result<Exit, Fault> {
    let subscription = engine.subscribe();
    let running = engine.resume_named(id, approve.map(Into::into)).await?;
    follow::to_next_stop(engine, output, subscription, running).await
}
