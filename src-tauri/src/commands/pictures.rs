//! The window's commands about pictures and files that the user attaches. The paths come from the system alone: from its
//! dialog, from what was dropped, or from the clipboard. The page can't name one.

use crate::clipboard;
use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{AttachedFile, PictureCommands, PictureFacts};
use arki_domain::SessionId;
use arki_engine::{attached_files, attached_picture, look_at_picture};
use std::path::PathBuf;
use tauri_plugin_dialog::DialogExt;

impl PictureCommands for Desktop {
    async fn look_at_picture(self, data: String) -> Answer<PictureFacts> {
        self.reading(move |_| look_at_picture(&data)).await
    }

    async fn choose_files(self) -> Answer<Vec<AttachedFile>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        // Without a filter: GTK's `*.*` would hide what has no extension.
        self.app.dialog().file().set_title(&self.words.now().dialogs.attach_files).pick_files(move |files| {
            let _ = sender.send(files);
        });
        let chosen = receiver.await.ok().flatten().unwrap_or_default();
        attached(&self, chosen.into_iter().filter_map(|file| file.into_path().ok()).collect()).await
    }

    async fn take_dropped(self) -> Answer<Vec<AttachedFile>> {
        attached(&self, self.window.dropped.take()).await
    }

    async fn take_pasted(self) -> Answer<Vec<AttachedFile>> {
        let files = clipboard::files(&self.app).await;
        if !files.is_empty() {
            return attached(&self, files).await;
        }
        let Some(bytes) = clipboard::picture(&self.app).await else { return Ok(Vec::new()) };
        self.reading(move |_| Ok(vec![attached_picture("Pasted picture", &bytes)])).await
    }

    async fn sent_picture(self, session_id: String, content_hash: String) -> Answer<Option<String>> {
        self.reading(move |engine| engine.sent_requests().picture(&SessionId::from(session_id), &content_hash)).await
    }
}

async fn attached(desktop: &Desktop, paths: Vec<PathBuf>) -> Answer<Vec<AttachedFile>> {
    let folder = desktop.window.client.folder();
    desktop.reading(move |_| Ok(attached_files(folder.as_deref(), &paths))).await
}
