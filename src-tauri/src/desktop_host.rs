//! What reaches the window unasked, as Tauri events.

use arki_api::ProjectState;
use tauri::{AppHandle, Emitter};

/// The window listens to this name.
const PROJECT_EVENT: &str = "arki://project";

/// Another folder was opened from outside the window.
pub(crate) fn announce_project(app: &AppHandle, project: &ProjectState) {
    if let Err(error) = app.emit(PROJECT_EVENT, project) {
        tracing::warn!(%error, "a folder did not reach the window");
    }
}
