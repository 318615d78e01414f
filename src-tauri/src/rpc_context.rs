//! The window's commands about a session's next request and its state: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{AgentState, CompactedSession, NextRequest, SessionChanges, Shown};
use arki_domain::{Code, Fault, SessionId, StateChanged};
use arki_engine::{Compacted, RunTarget};
use std::future::pending;
use std::path::Path;

#[tauri::command]
pub(crate) async fn next_request(of: Shown, desktop: Desktop) -> Answer<NextRequest> {
    reading(&desktop, move |engine| match engine.runs().target_shown(of)? {
        RunTarget::Session(session_id) => engine.runs().next_request(Path::new(""), Some(&session_id)),
        RunTarget::NewSession(folder) => engine.runs().next_request(&folder, None),
    })
    .await
}

#[tauri::command]
pub(crate) async fn compact_session(
    session_id: String,
    focus: Option<String>,
    desktop: Desktop,
) -> Answer<Option<CompactedSession>> {
    let compacted = desktop.engine.runs().compact(&SessionId::from(session_id), focus.as_deref(), pending()).await?;
    Ok(match compacted {
        Compacted::NothingToDo => None,
        Compacted::Stopped => {
            let message = "Compacting was stopped; the conversation is as it was.";
            return Err(Fault::new(Code::CANCELLED, message, "Compact again.").into());
        }
        Compacted::Done(event) => {
            Some(CompactedSession { tokens_before: event.tokens_before, tokens_after: event.tokens_after })
        }
    })
}

/// The next request as it is then.
#[tauri::command]
pub(crate) async fn configure_session(
    session_id: String,
    changes: SessionChanges,
    desktop: Desktop,
) -> Answer<NextRequest> {
    let session_id = SessionId::from(session_id);
    desktop.engine.runs().configure(&session_id, changes).await?;
    reading(&desktop, move |engine| engine.runs().next_request(Path::new(""), Some(&session_id))).await
}

#[tauri::command]
pub(crate) async fn get_state(session_id: String, desktop: Desktop) -> Answer<AgentState> {
    Ok(reading(&desktop, move |engine| engine.sessions().agent_state(&SessionId::from(session_id))).await?.into())
}

/// The state as it is then.
#[tauri::command]
pub(crate) async fn set_state(session_id: String, changes: StateChanged, desktop: Desktop) -> Answer<AgentState> {
    Ok(desktop.engine.sessions().set_agent_state(&SessionId::from(session_id), changes).await?.into())
}
