//! The window's commands about the app and folders: thin delegates to the engine.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{AppCommands, AppState, ProjectState};
use std::path::PathBuf;
use tauri_plugin_dialog::DialogExt;

impl AppCommands for Desktop {
    async fn app_state(self) -> Answer<AppState> {
        let project = match self.window.client.folder() {
            Some(folder) => Some(self.window.client.open(&folder).await?),
            None => None,
        };
        self.reading(move |engine| arki_engine::app_state(engine.projects(), project)).await
    }

    async fn choose_folder(self) -> Answer<Option<String>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        self.app.dialog().file().set_title(&self.words.now().dialogs.open_folder).pick_folder(move |folder| {
            let _ = sender.send(folder);
        });
        let chosen = receiver.await.ok().flatten();
        let chosen = chosen.and_then(|folder| folder.into_path().ok());
        Ok(chosen.map(|path| path.display().to_string()))
    }

    async fn make_sample(self) -> Answer<String> {
        self.reading(|_| Ok(arki_engine::make_sample()?.display().to_string())).await
    }

    async fn open_project(self, path: PathBuf) -> Answer<ProjectState> {
        Ok(self.window.client.open(&path).await?)
    }

    async fn trust_project(self, path: PathBuf, unpinned: Vec<String>) -> Answer<ProjectState> {
        Ok(self.engine.folder_trust().trust(&path, unpinned).await?)
    }

    async fn keep_untrusted(self, path: PathBuf) -> Answer<ProjectState> {
        Ok(self.engine.folder_trust().untrust(&path).await?)
    }
}
