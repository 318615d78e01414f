//! The window's commands about a session's past and its queue: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{
    LineOrigin, ReplayedContent, ReplayedFile, RewindPreview, Sent, SessionOverview, SessionSummary, SessionToolEntry,
    Shown,
};
use arki_domain::projection::QueuedMessage;
use arki_domain::{Code, Fault, SessionId};
use arki_engine::RewindScope;
use std::path::Path;

#[tauri::command]
pub(crate) async fn session_overview(session_id: String, desktop: Desktop) -> Answer<SessionOverview> {
    reading(&desktop, move |engine| engine.sessions().session_overview(&SessionId::from(session_id))).await
}

#[tauri::command]
pub(crate) async fn session_tools(session_id: String, desktop: Desktop) -> Answer<Vec<SessionToolEntry>> {
    tools_of(&desktop, SessionId::from(session_id)).await
}

/// The tools as they are then.
#[tauri::command]
pub(crate) async fn switch_session_tools(
    session_id: String,
    on: Vec<String>,
    off: Vec<String>,
    desktop: Desktop,
) -> Answer<Vec<SessionToolEntry>> {
    let session_id = SessionId::from(session_id);
    desktop.engine.sessions().switch_session_tools(&session_id, &on, &off).await?;
    tools_of(&desktop, session_id).await
}

async fn tools_of(desktop: &Desktop, session_id: SessionId) -> Answer<Vec<SessionToolEntry>> {
    let tools = reading(desktop, move |engine| engine.sessions().session_tools(&session_id)).await?;
    Ok(tools.into_iter().map(SessionToolEntry::from).collect())
}

#[tauri::command]
pub(crate) async fn set_queue(session_id: String, queued: Vec<QueuedMessage>, desktop: Desktop) -> Answer<()> {
    Ok(desktop.engine.runs().set_queue(&SessionId::from(session_id), &queued).await?)
}

#[tauri::command]
pub(crate) async fn send_next(of: Shown, desktop: Desktop) -> Answer<Sent> {
    let session = reading(&desktop, move |engine| engine.sessions().session_shown(of)).await?;
    match desktop.window.client.send_next(&session).await? {
        Some(running) => Ok(Sent::from(&running.0)),
        None => Err(nothing_waits().into()),
    }
}

#[tauri::command]
pub(crate) async fn pause_run(session_id: String, desktop: Desktop) -> Answer<()> {
    Ok(desktop.engine.runs().pause_session(&SessionId::from(session_id)).await?)
}

#[tauri::command]
pub(crate) async fn rewind_preview(
    session_id: String,
    to_seq: u64,
    files: bool,
    conversation: bool,
    desktop: Desktop,
) -> Answer<RewindPreview> {
    let scope = RewindScope { files, conversation };
    let session_id = SessionId::from(session_id);
    Ok(reading(&desktop, move |engine| engine.sessions().plan_rewind(&session_id, to_seq, scope)).await?.into())
}

#[tauri::command]
pub(crate) async fn replay_files(session_id: String, seq: u64, desktop: Desktop) -> Answer<Vec<ReplayedFile>> {
    reading(&desktop, move |engine| engine.sessions().files_then(&SessionId::from(session_id), Some(seq))).await
}

#[tauri::command]
pub(crate) async fn replay_file(
    session_id: String,
    seq: u64,
    path: String,
    desktop: Desktop,
) -> Answer<ReplayedContent> {
    let session_id = SessionId::from(session_id);
    reading(&desktop, move |engine| engine.sessions().file_then_shown(&session_id, Some(seq), &path)).await
}

#[tauri::command]
pub(crate) async fn rewind(
    session_id: String,
    to_seq: u64,
    files: bool,
    conversation: bool,
    desktop: Desktop,
) -> Answer<RewindPreview> {
    let scope = RewindScope { files, conversation };
    Ok(desktop.engine.sessions().rewind(&SessionId::from(session_id), to_seq, scope).await?.into())
}

#[tauri::command]
pub(crate) async fn take_back_preview(session_id: String, seq: u64, desktop: Desktop) -> Answer<RewindPreview> {
    let session_id = SessionId::from(session_id);
    Ok(reading(&desktop, move |engine| engine.sessions().plan_take_back(&session_id, seq)).await?.into())
}

#[tauri::command]
pub(crate) async fn take_back(session_id: String, seq: u64, desktop: Desktop) -> Answer<RewindPreview> {
    Ok(desktop.engine.sessions().take_back(&SessionId::from(session_id), seq).await?.into())
}

#[tauri::command]
pub(crate) async fn fork_session(session_id: String, at_seq: Option<u64>, desktop: Desktop) -> Answer<SessionSummary> {
    Ok(desktop.engine.sessions().fork(&SessionId::from(session_id), at_seq).await?.into())
}

#[tauri::command]
pub(crate) async fn line_origins(session_id: String, path: String, desktop: Desktop) -> Answer<Vec<LineOrigin>> {
    let lines = reading(&desktop, move |engine| {
        let session = engine.sessions().find_session(&session_id)?;
        engine.sessions().line_origins(Path::new(&session.project), &path)
    });
    Ok(lines.await?.into_iter().map(arki_engine::line_origin).collect())
}

fn nothing_waits() -> Fault {
    Fault::new(Code::MESSAGE_NOT_FOUND, "This session has no queued message.", "Send a new one.")
}
