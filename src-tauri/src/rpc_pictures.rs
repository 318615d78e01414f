//! The window's commands about pictures and files that the user attaches. The paths come from the system alone: from its
//! dialog, from what was dropped, or from the clipboard. The page can't name one.

use crate::clipboard;
use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{AttachedFile, PictureFacts};
use arki_domain::SessionId;
use std::path::PathBuf;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

#[tauri::command]
pub(crate) async fn look_at_picture(data: String, desktop: Desktop) -> Answer<PictureFacts> {
    Ok(desktop.engine.runs().look_at_picture(data).await?)
}

/// The system's own dialog; empty when the user changed their mind.
#[tauri::command]
pub(crate) async fn choose_files(app: AppHandle, desktop: Desktop) -> Answer<Vec<AttachedFile>> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    // Without a filter: GTK's `*.*` would hide what has no extension.
    app.dialog().file().set_title(&desktop.words.now().dialogs.attach_files).pick_files(move |files| {
        let _ = sender.send(files);
    });
    let chosen = receiver.await.ok().flatten().unwrap_or_default();
    attached(&desktop, chosen.into_iter().filter_map(|file| file.into_path().ok()).collect()).await
}

#[tauri::command]
pub(crate) async fn take_dropped(desktop: Desktop) -> Answer<Vec<AttachedFile>> {
    attached(&desktop, desktop.window.dropped.take()).await
}

#[tauri::command]
pub(crate) async fn take_pasted(app: AppHandle, desktop: Desktop) -> Answer<Vec<AttachedFile>> {
    let files = clipboard::files(&app).await;
    if !files.is_empty() {
        return attached(&desktop, files).await;
    }
    let Some(bytes) = clipboard::picture(&app).await else { return Ok(Vec::new()) };
    reading(&desktop, move |engine| Ok(vec![engine.runs().attached_picture("Pasted picture", &bytes)])).await
}

/// Null where it is no longer kept.
#[tauri::command]
pub(crate) async fn sent_picture(session_id: String, content_hash: String, desktop: Desktop) -> Answer<Option<String>> {
    reading(&desktop, move |engine| engine.runs().sent_picture(&SessionId::from(session_id), &content_hash)).await
}

async fn attached(desktop: &Desktop, paths: Vec<PathBuf>) -> Answer<Vec<AttachedFile>> {
    let folder = desktop.window.client.folder();
    reading(desktop, move |engine| Ok(engine.runs().attached(folder.as_deref(), &paths))).await
}
