//! What reaches the window unasked, as Tauri events.

use arki_api::ProjectState;
use tauri::{AppHandle, Emitter};

/// The window listens to this name.
const PROJECT_EVENT: &str = "arki://project";

/// The event that asks the window to show a session.
const SESSION_EVENT: &str = "arki://session";

/// The user wants to see a session, from outside the window.
pub(crate) fn announce_session(app: &AppHandle, session_id: &str) {
    if let Err(error) = app.emit(SESSION_EVENT, session_id) {
        tracing::warn!(%error, "a session did not reach the window");
    }
}

/// Another folder was opened from outside the window.
pub(crate) fn announce_project(app: &AppHandle, project: &ProjectState) {
    if let Err(error) = app.emit(PROJECT_EVENT, project) {
        tracing::warn!(%error, "a folder did not reach the window");
    }
}
