//! The window's commands about what surrounds it: the folder's repository, the user's editor, file manager and terminal,
//! a folder that is dropped, worktrees beside it.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{BroughtBranch, ExamplePrompt, PlannedWorktree, RepositoryState, WorktreeEntry};
use arki_domain::{Code, Fault};
use arki_engine::WorktreeRemoval;
use std::path::PathBuf;
use tauri::AppHandle;
use tauri_plugin_opener::OpenerExt;

#[tauri::command]
pub(crate) async fn take_dropped_folder(desktop: Desktop) -> Answer<Option<String>> {
    let folder = desktop.window.dropped.take().into_iter().find(|path| path.is_dir());
    Ok(folder.map(|path| path.display().to_string()))
}

#[tauri::command]
pub(crate) async fn example_prompts(folder: PathBuf, desktop: Desktop) -> Answer<Vec<ExamplePrompt>> {
    reading(&desktop, move |engine| engine.projects().example_prompts(&folder)).await
}

#[tauri::command]
pub(crate) async fn repository(folder: PathBuf, desktop: Desktop) -> Answer<Option<RepositoryState>> {
    Ok(desktop.engine.runs().repository(folder).await?)
}

#[tauri::command]
pub(crate) async fn plan_worktree(folder: PathBuf, branch: String, desktop: Desktop) -> Answer<PlannedWorktree> {
    reading(&desktop, move |engine| engine.runs().planned_worktree(&folder, &branch)).await
}

#[tauri::command]
pub(crate) async fn add_worktree(folder: PathBuf, branch: String, desktop: Desktop) -> Answer<WorktreeEntry> {
    Ok(desktop.engine.runs().add_worktree(&folder, &branch).await?)
}

#[tauri::command]
pub(crate) async fn list_worktrees(folder: PathBuf, desktop: Desktop) -> Answer<Vec<WorktreeEntry>> {
    reading(&desktop, move |engine| engine.runs().worktrees(&folder)).await
}

#[tauri::command]
pub(crate) async fn bring_worktree(folder: PathBuf, branch: String, desktop: Desktop) -> Answer<BroughtBranch> {
    Ok(desktop.engine.runs().bring_worktree(&folder, &branch).await?)
}

#[tauri::command]
pub(crate) async fn remove_worktree(folder: PathBuf, branch: String, force: bool, desktop: Desktop) -> Answer<()> {
    let removal = if force { WorktreeRemoval::WithItsWork } else { WorktreeRemoval::Careful };
    Ok(desktop.engine.runs().remove_worktree(&folder, &branch, removal).await?)
}

#[tauri::command]
pub(crate) async fn open_in_editor(folder: PathBuf, path: Option<String>, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.projects().open_in_editor(&folder, path.as_deref())).await
}

#[tauri::command]
pub(crate) async fn show_in_folder(
    folder: PathBuf,
    path: Option<String>,
    app: AppHandle,
    desktop: Desktop,
) -> Answer<()> {
    let place = reading(&desktop, move |engine| engine.projects().place_in(&folder, path.as_deref())).await?;
    let shown = tauri::async_runtime::spawn_blocking(move || app.opener().reveal_item_in_dir(&place));
    Ok(shown.await.map_err(Fault::internal)?.map_err(|error| {
        let message = format!("The file manager can't be opened: {error}.");
        Fault::new(Code::COMMAND_SPAWN_FAILED, message, "Open the folder in your file manager yourself.")
    })?)
}

#[tauri::command]
pub(crate) async fn open_terminal(folder: PathBuf, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| engine.projects().open_terminal(&folder)).await
}
