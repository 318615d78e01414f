//! The window's commands about past requests, as they were sent: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{SentForm, SentParts, SentRequest, SentSide, SentText};
use arki_domain::SessionId;

#[tauri::command]
pub(crate) async fn sent_request(session_id: String, seq: u64, desktop: Desktop) -> Answer<SentRequest> {
    reading(&desktop, move |engine| engine.runs().sent_request(&SessionId::from(session_id), seq)).await
}

#[tauri::command]
pub(crate) async fn sent_parts(
    session_id: String,
    seq: u64,
    side: SentSide,
    from: usize,
    desktop: Desktop,
) -> Answer<SentParts> {
    reading(&desktop, move |engine| engine.runs().sent_parts(&SessionId::from(session_id), seq, (side, from))).await
}

#[tauri::command]
pub(crate) async fn sent_text(
    session_id: String,
    seq: u64,
    side: SentSide,
    place: usize,
    from: usize,
    desktop: Desktop,
) -> Answer<SentText> {
    reading(&desktop, move |engine| engine.runs().sent_text(&SessionId::from(session_id), seq, (side, place, from)))
        .await
}

#[tauri::command]
pub(crate) async fn sent_json(session_id: String, seq: u64, form: SentForm, desktop: Desktop) -> Answer<String> {
    reading(&desktop, move |engine| engine.runs().sent_json(&SessionId::from(session_id), seq, form)).await
}
