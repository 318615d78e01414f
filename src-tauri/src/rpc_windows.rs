//! The window's commands about windows.

use crate::arguments::Asked;
use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use crate::windows;
use tauri::AppHandle;

/// One on the folder of the window that asks, or on a session.
#[tauri::command]
pub(crate) async fn open_window(session_id: Option<String>, app: AppHandle, desktop: Desktop) -> Answer<()> {
    let asked = match session_id {
        Some(id) => {
            Asked::Session(reading(&desktop, move |engine| Ok(engine.sessions().find_session(&id)?.session_id)).await?)
        }
        None => desktop.window.client.folder().map_or(Asked::Nothing, Asked::Folder),
    };
    Ok(windows::open_another(&app, &desktop.engine, &asked)?)
}

/// What the page was asked for from outside since this was last called.
#[tauri::command]
pub(crate) async fn take_asked_session(desktop: Desktop) -> Answer<Option<String>> {
    Ok(desktop.window.take_asked().map(|session| session.to_string()))
}
