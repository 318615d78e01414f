//! The window's commands about memory: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::MemoryEntry;
use std::path::PathBuf;

#[tauri::command]
pub(crate) async fn list_memory(folder: Option<PathBuf>, desktop: Desktop) -> Answer<Vec<MemoryEntry>> {
    reading(&desktop, move |engine| engine.sessions().memory(folder.as_deref())).await
}

#[tauri::command]
pub(crate) async fn accept_memory(id: String, text: Option<String>, desktop: Desktop) -> Answer<()> {
    desktop.engine.sessions().accept_memory(&id, text.as_deref()).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn reject_memory(id: String, desktop: Desktop) -> Answer<()> {
    desktop.engine.sessions().reject_memory(&id).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn edit_memory(folder: Option<PathBuf>, id: String, text: String, desktop: Desktop) -> Answer<()> {
    desktop.engine.sessions().edit_memory(folder.as_deref(), &id, &text).await?;
    Ok(())
}

#[tauri::command]
pub(crate) async fn remove_memory(folder: Option<PathBuf>, id: String, desktop: Desktop) -> Answer<()> {
    desktop.engine.sessions().remove_memory(folder.as_deref(), &id).await?;
    Ok(())
}
