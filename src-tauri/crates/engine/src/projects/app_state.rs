//! The state that the window starts from.

use crate::projects::Projects;
use arki_api::{AppState, ProjectState};
use arki_domain::Error;
use arki_sandbox::Sandbox;

/// The open folder, the folders that were open before, and what is configured.
///
/// # Errors
/// When the configuration has an error.
pub fn app_state(projects: &Projects, project: Option<ProjectState>) -> Result<AppState, Error> {
    let config = projects.accounts.user_config()?;
    Ok(AppState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        data_dir: projects.records.directories().data.display().to_string(),
        project,
        recent_projects: projects.recent_projects(),
        default_model: config.model,
        sandbox: Sandbox::strongest().name,
        reflects: config.reflects,
        notifies: config.window.notifies,
        keeps_awake: config.window.keeps_awake,
        looks_for_updates: config.window.looks_for_updates,
        has_tray: config.window.has_tray,
    })
}
