//! Frames to the window, as Tauri events.

use arki_engine::{Frame, Host, ProjectState};
use tauri::{AppHandle, Emitter};

/// The window listens to these names.
const FRAME_EVENT: &str = "arki://frame";
const PROJECT_EVENT: &str = "arki://project";

pub(crate) struct DesktopHost {
    app: AppHandle,
}

impl DesktopHost {
    pub(crate) fn new(app: AppHandle) -> Self {
        Self { app }
    }
}

impl Host for DesktopHost {
    fn emit(&self, frame: &Frame) {
        if let Err(error) = self.app.emit(FRAME_EVENT, frame) {
            tracing::warn!(%error, "a frame did not reach the window");
        }
    }
}

/// Another folder was opened from outside the window.
pub(crate) fn announce_project(app: &AppHandle, project: &ProjectState) {
    if let Err(error) = app.emit(PROJECT_EVENT, project) {
        tracing::warn!(%error, "a folder did not reach the window");
    }
}
