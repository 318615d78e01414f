//! A prompt: what it says begins a run, answers the model's question, or shortens the conversation.

use crate::live_session::{LiveSession, TurnOrder};
use crate::messages::StopReason;
use crate::prompt::PromptText;
use arki_domain::{Code, Error, RunId};
use arki_engine::{Client, RunTarget, StartRun};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The one command of a session's that begins no run and that Arki carries out here.
pub(crate) const COMPACT: &str = "compact";

/// Carries out a prompt; what came of it is told to the session's follower.
pub(crate) async fn carry_out(
    client: &Arc<Client>,
    session: &Arc<LiveSession>,
    prompt: PromptText,
    cancelled: &CancellationToken,
) {
    let order = begun(client, session, prompt, cancelled).await.unwrap_or_else(TurnOrder::Failed);
    session.order(order).await;
}

async fn begun(
    client: &Arc<Client>,
    session: &Arc<LiveSession>,
    prompt: PromptText,
    cancelled: &CancellationToken,
) -> Result<TurnOrder, Error> {
    if cancelled.is_cancelled() {
        return Ok(TurnOrder::Ended(StopReason::Cancelled));
    }
    if let Some(focus) = compacting(&prompt.text) {
        let focus = (!focus.is_empty()).then_some(focus);
        client.engine().compactions().compact(&session.id, focus, cancelled.cancelled()).await?;
        let is_cancelled = cancelled.is_cancelled();
        return Ok(TurnOrder::Ended(if is_cancelled { StopReason::Cancelled } else { StopReason::EndTurn }));
    }
    let (engine, id) = (client.engine().clone(), session.id.clone());
    let asked = tokio::task::spawn_blocking(move || engine.open_questions().open_question(&id));
    let (run, handle) = match asked.await.map_err(Error::internal)?? {
        Some(_) if prompt.has_waited => return Err(asked_meanwhile()),
        Some(open) => client.answer_question(&session.id, &open.asked.question_id, &prompt.text).await?,
        None => {
            let options = session.mode().run_options();
            let target = RunTarget::Session(session.id.clone());
            let start = StartRun { options, images: prompt.images, ..StartRun::new(target, prompt.text) };
            client.start_run(start).await?
        }
    };
    if cancelled.is_cancelled() {
        run.stop();
    }
    session.watch(handle);
    Ok(TurnOrder::Started(RunId::clone(&run.run_id)))
}

fn asked_meanwhile() -> Error {
    let message = "The model has asked a question since you sent this.";
    Error::new(Code::SESSION_BUSY, message, "Answer the question, then send this again.")
}

/// Returns the focus of a `/compact`; `None` for any other prompt.
fn compacting(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix('/')?.strip_prefix(COMPACT)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some(rest.trim())
}

#[cfg(test)]
mod tests {
    use super::compacting;

    #[test]
    fn only_the_command_compacts() {
        assert_eq!(compacting("/compact"), Some(""));
        assert_eq!(compacting(" /compact the plan\n"), Some("the plan"));
        assert_eq!((compacting("/compactor"), compacting("compact"), compacting("/tmp")), (None, None, None));
    }
}
