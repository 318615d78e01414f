//! `arki resume`: goes on with a run that was interrupted, paused, or failed; and in a session, with what waits to be
//! said.

use crate::arguments::Approve;
use crate::exit::Exit;
use crate::follow;
use crate::output::Output;
use arki_domain::{Code, Fault};
use arki_engine::{ActiveRun, Engine, NamedPlace, RunEnd, refuse_last};
use std::sync::Arc;
use tokio::task::JoinHandle;

pub(crate) async fn run(
    engine: &Arc<Engine>,
    id: &str,
    approve: Option<Approve>,
    output: &Output,
) -> Result<Exit, Fault> {
    let subscription = engine.subscribe();
    if matches!(approve, Some(Approve::Edits | Approve::All)) {
        refuse_last(id)?;
    }
    let named = engine.sessions().find_place(id)?;
    let running = match engine.runs().resume_named(&named, approve.map(Into::into)).await {
        // The run has ended, but its session has more to say.
        Err(fault) if fault.is(Code::RUN_NOT_FOUND) => next_in(engine, &named).await?.ok_or(fault)?,
        resumed => resumed?,
    };
    follow::to_next_stop(engine, output, subscription, running).await
}

/// Answers what the run waits for, and goes on with it.
pub(crate) async fn answer(engine: &Arc<Engine>, id: &str, text: &str, output: &Output) -> Result<Exit, Fault> {
    let subscription = engine.subscribe();
    let session_id = engine.sessions().find_session(id)?.session_id;
    let open = engine.sessions().open_question(&session_id)?.ok_or_else(|| {
        Fault::new(
            Code::QUESTION_NOT_FOUND,
            "This run isn't waiting for an answer.",
            format!("Run `arki resume {id}` to resume it."),
        )
    })?;
    let running = engine.runs().answer_question(&session_id, &open.asked.question_id, text).await?;
    follow::to_next_stop(engine, output, subscription, running).await
}

/// Only for a session: whoever names a run wants that one.
async fn next_in(
    engine: &Arc<Engine>,
    named: &NamedPlace,
) -> Result<Option<(ActiveRun, JoinHandle<Result<RunEnd, Fault>>)>, Fault> {
    match named.run {
        None => engine.runs().send_next(&named.session.session_id).await,
        Some(_) => Ok(None),
    }
}
