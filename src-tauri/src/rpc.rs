//! The window's commands about the app and folders: thin delegates to the engine.

use crate::desktop::Desktop;
use arki_domain::Fault;
use arki_engine::{AppState, CommandError, ProjectState};
use std::path::{Path, PathBuf};
use tauri::{AppHandle, State};
use tauri_plugin_dialog::DialogExt;

pub(crate) type Answer<T> = Result<T, CommandError>;

#[tauri::command]
pub(crate) async fn app_state(desktop: State<'_, Desktop>) -> Answer<AppState> {
    let project = match desktop.project() {
        Some(folder) => Some(open(&desktop, &folder).await?),
        None => None,
    };
    Ok(desktop.engine.app_state(project)?)
}

/// The system's own dialog; `None` when the user changed their mind.
#[tauri::command]
pub(crate) async fn choose_folder(app: AppHandle) -> Answer<Option<String>> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    app.dialog().file().set_title("Open folder").pick_folder(move |folder| {
        let _ = sender.send(folder);
    });
    let chosen = receiver.await.ok().flatten();
    let chosen = chosen.and_then(|folder| folder.into_path().ok());
    Ok(chosen.map(|path| path.display().to_string()))
}

#[tauri::command]
pub(crate) async fn open_project(path: PathBuf, desktop: State<'_, Desktop>) -> Answer<ProjectState> {
    Ok(open(&desktop, &path).await?)
}

#[tauri::command]
pub(crate) async fn trust_project(path: PathBuf, desktop: State<'_, Desktop>) -> Answer<ProjectState> {
    Ok(desktop.engine.trust(&path).await?)
}

#[tauri::command]
pub(crate) async fn keep_untrusted(path: PathBuf, desktop: State<'_, Desktop>) -> Answer<ProjectState> {
    Ok(desktop.engine.untrust(&path).await?)
}

pub(crate) async fn open(desktop: &Desktop, folder: &Path) -> Result<ProjectState, Fault> {
    let project = desktop.engine.project(folder)?;
    desktop.set_project(Path::new(&project.path));
    desktop.engine.remember_project(&project.path).await?;
    Ok(project)
}
