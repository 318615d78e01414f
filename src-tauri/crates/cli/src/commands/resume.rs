//! `arki resume`: goes on with a run that was interrupted, paused, or failed; and in a session, with what waits to be
//! said.

use crate::arguments::{Approve, WhichDefinition};
use crate::exit::Exit;
use crate::follow;
use crate::output::Printer;
use arki_domain::Fault;
use arki_engine::{Client, refuse_last};
use std::path::Path;

pub(crate) async fn run(
    client: &Client,
    dir: &Path,
    id: &str,
    approve: Option<Approve>,
    definition: Option<WhichDefinition>,
    output: &Printer,
) -> Result<Exit, Fault> {
    let engine = client.engine();
    let subscription = engine.subscribe();
    if matches!(approve, Some(Approve::Edits | Approve::All)) {
        refuse_last(id)?;
    }
    let named = engine.runs().find_resumable(dir, id)?;
    if let Some(run_id) = engine.runs().completed_pipeline(&named)? {
        follow::print_output(engine, output, &run_id)?;
        return Ok(Exit::Done);
    }
    let definition = definition.map(Into::into).unwrap_or_default();
    let running = client.go_on(&named, approve.map(Into::into), definition).await?;
    follow::tell_grants(output, &running.0);
    follow::to_end(client, output, subscription, running).await
}

/// Runs a pipeline once more from a step on, as a new run.
pub(crate) async fn from_step(
    client: &Client,
    dir: &Path,
    (id, step): (&str, &str),
    definition: Option<WhichDefinition>,
    output: &Printer,
) -> Result<Exit, Fault> {
    let engine = client.engine();
    let subscription = engine.subscribe();
    let run_id = engine.runs().find_pipeline_run(dir, id)?;
    let definition = definition.map(Into::into).unwrap_or_default();
    let running = client.retry_pipeline(&run_id, step, definition).await?;
    follow::tell_grants(output, &running.0);
    follow::to_end(client, output, subscription, running).await
}

/// Answers what the run waits for, and goes on with it.
pub(crate) async fn answer(client: &Client, id: &str, text: &str, output: &Printer) -> Result<Exit, Fault> {
    let subscription = client.engine().subscribe();
    let session_id = client.engine().sessions().find_session(id)?.session_id;
    let running = client.answer_open_question(&session_id, text).await?;
    follow::to_end(client, output, subscription, running).await
}
