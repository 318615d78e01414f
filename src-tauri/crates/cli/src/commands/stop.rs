//! `arki stop` and `arki pause`: for a run of any process on this data directory.

use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, visible};
use arki_api::SteeredSession;
use arki_domain::projection::{SessionState, SessionSummary};
use arki_domain::{Code, Error};
use arki_engine::Client;
use std::time::Duration;

/// A command that is running has this long to end, and so has a step after which the run pauses.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this long without a pause, people are told that it will come.
const QUIET: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(50);

pub(crate) async fn stop(client: &Client, id: &str, output: &Printer) -> CommandExit {
    let session = find(client, id, can_stop)?;
    client.stop_session(&session.session_id).await?;
    let is_over = |state| matches!(state, SessionState::Cancelled | SessionState::Done | SessionState::Failed);
    let state = until(client, &session, PATIENCE, is_over).await?;
    told(&session, state, &stop_words(state), output)
}

pub(crate) async fn pause(client: &Client, id: &str, output: &Printer) -> CommandExit {
    let session = find(client, id, |session| session.state == SessionState::Running)?;
    client.engine().runs().pause_session(&session.session_id).await?;
    let has_left = |state| state != SessionState::Running;
    let mut state = until(client, &session, QUIET, has_left).await?;
    if !has_left(state) {
        output.aside("The run will pause after its current step; waiting up to 10 s for that.");
        state = until(client, &session, PATIENCE, has_left).await?;
    }
    told(&session, state, &pause_words(state), output)
}

fn stop_words(state: SessionState) -> String {
    match state {
        SessionState::Cancelled => "Stopped".to_owned(),
        SessionState::Done | SessionState::Failed => format!("The run had ended first ({})", state.as_str()),
        _ => "Asked to stop; it is still ending its current step".to_owned(),
    }
}

fn pause_words(state: SessionState) -> String {
    match state {
        SessionState::Paused => "Paused".to_owned(),
        SessionState::Running => "Asked to pause; it pauses after its current step".to_owned(),
        _ => format!("The run didn't get as far as pausing ({})", state.as_str()),
    }
}

/// A run that waits for an answer or a budget, or whose process was killed, can be ended too.
fn can_stop(session: &SessionSummary) -> bool {
    use SessionState::{Interrupted, Paused, Running, Waiting};
    matches!(session.state, Running | Waiting | Paused | Interrupted)
}

/// The session that is named, if it, or the run of it that is, can be stopped so.
fn find(client: &Client, id: &str, is_fit: impl Fn(&SessionSummary) -> bool) -> Result<SessionSummary, Error> {
    let place = client.engine().session_names().find_place(id)?;
    let is_current = place.run.is_none() || place.run == place.session.run_id;
    if is_current && is_fit(&place.session) {
        return Ok(place.session);
    }
    let state = if is_current { place.session.state.as_str() } else { "done" };
    Err(Error::new(
        Code::RUN_NOT_FOUND,
        format!("No run is active in the session {} (its state is {state}).", place.session.session_id),
        "`arki sessions list` shows the state of each session.",
    ))
}

/// The state once it is as wanted, or when nobody waits any longer.
async fn until(
    client: &Client,
    session: &SessionSummary,
    patience: Duration,
    is_wanted: impl Fn(SessionState) -> bool,
) -> Result<SessionState, Error> {
    let give_up = tokio::time::Instant::now() + patience;
    loop {
        let state = client.engine().session_names().find_session(session.session_id.as_str())?.state;
        if is_wanted(state) || tokio::time::Instant::now() >= give_up {
            return Ok(state);
        }
        tokio::time::sleep(POLL).await;
    }
}

fn told(session: &SessionSummary, state: SessionState, words: &str, output: &Printer) -> CommandExit {
    let object = SteeredSession { session_id: session.session_id.clone(), run_id: session.run_id.clone(), state };
    output.tell(&object, || format!("{words}: {}  {}", session.session_id, visible(&session.title)));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ended_by_itself_is_not_called_paused_or_stopped() {
        assert_eq!(pause_words(SessionState::Paused), "Paused");
        assert_eq!(stop_words(SessionState::Cancelled), "Stopped");
        for ended in [SessionState::Done, SessionState::Failed] {
            for words in [pause_words(ended), stop_words(ended)] {
                assert!(words.ends_with(&format!("({})", ended.as_str())) && words.starts_with("The run"), "{words}");
            }
        }
        assert!(pause_words(SessionState::Waiting).contains("waiting"));
        assert!(pause_words(SessionState::Running).starts_with("Asked"));
    }
}
