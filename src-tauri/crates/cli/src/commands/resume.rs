//! `arki resume`: goes on with a run that was interrupted, paused, or failed; and in a session, with what waits to be
//! said.

use crate::arguments::Approve;
use crate::exit::Exit;
use crate::follow;
use crate::output::Output;
use arki_domain::Fault;
use arki_engine::{Client, refuse_last};

pub(crate) async fn run(client: &Client, id: &str, approve: Option<Approve>, output: &Output) -> Result<Exit, Fault> {
    let subscription = client.engine().subscribe();
    if matches!(approve, Some(Approve::Edits | Approve::All)) {
        refuse_last(id)?;
    }
    let named = client.engine().sessions().find_place(id)?;
    let running = client.go_on(&named, approve.map(Into::into)).await?;
    follow::to_next_stop(client.engine(), output, subscription, running).await
}

/// Answers what the run waits for, and goes on with it.
pub(crate) async fn answer(client: &Client, id: &str, text: &str, output: &Output) -> Result<Exit, Fault> {
    let subscription = client.engine().subscribe();
    let session_id = client.engine().sessions().find_session(id)?.session_id;
    let running = client.answer_open_question(&session_id, text).await?;
    follow::to_next_stop(client.engine(), output, subscription, running).await
}
