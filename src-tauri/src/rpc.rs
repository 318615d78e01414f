//! The window's commands about the app and folders: thin delegates to the engine.

use crate::desktop_state::Desktop;
use arki_api::{AppState, CommandError, ProjectState};
use arki_domain::Fault;
use arki_engine::Engine;
use std::path::PathBuf;
use std::sync::Arc;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

pub(crate) type Answer<T> = Result<T, CommandError>;

/// Reads or writes files on a thread of its own: the few that answer commands are free for what is asked meanwhile, such as the page
/// that somebody wants to read while all that waits is looked for.
pub(crate) async fn reading<T: Send + 'static>(
    desktop: &Desktop,
    read: impl FnOnce(&Arc<Engine>) -> Result<T, Fault> + Send + 'static,
) -> Answer<T> {
    let engine = desktop.engine.clone();
    let read = tauri::async_runtime::spawn_blocking(move || read(&engine));
    Ok(read.await.map_err(Fault::internal)??)
}

#[tauri::command]
pub(crate) async fn app_state(desktop: Desktop) -> Answer<AppState> {
    let project = match desktop.window.client.folder() {
        Some(folder) => Some(desktop.window.client.open(&folder).await?),
        None => None,
    };
    reading(&desktop, move |engine| engine.projects().app_state(project)).await
}

/// The system's own dialog; `None` when the user changed their mind.
#[tauri::command]
pub(crate) async fn choose_folder(app: AppHandle, desktop: Desktop) -> Answer<Option<String>> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    app.dialog().file().set_title(&desktop.words.now().dialogs.open_folder).pick_folder(move |folder| {
        let _ = sender.send(folder);
    });
    let chosen = receiver.await.ok().flatten();
    let chosen = chosen.and_then(|folder| folder.into_path().ok());
    Ok(chosen.map(|path| path.display().to_string()))
}

#[tauri::command]
pub(crate) async fn open_project(path: PathBuf, desktop: Desktop) -> Answer<ProjectState> {
    Ok(desktop.window.client.open(&path).await?)
}

#[tauri::command]
pub(crate) async fn trust_project(path: PathBuf, unpinned: Vec<String>, desktop: Desktop) -> Answer<ProjectState> {
    Ok(desktop.engine.projects().trust(&path, unpinned).await?)
}

#[tauri::command]
pub(crate) async fn keep_untrusted(path: PathBuf, desktop: Desktop) -> Answer<ProjectState> {
    Ok(desktop.engine.projects().untrust(&path).await?)
}

#[cfg(test)]
mod tests;
