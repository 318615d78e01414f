//! The surroundings of a window on a desktop: the system's dialogs, the clipboard, the file manager, the browser.

use crate::clipboard;
use crate::desktop_state::Desktop;
use arki_commands::{CommandAnswer, Pasted, SavedFile, Surroundings};
use arki_domain::{Code, Error};
use std::path::PathBuf;
use tauri_plugin_dialog::{DialogExt, FilePath};
use tauri_plugin_opener::OpenerExt;
use tokio::sync::oneshot;

impl Surroundings for Desktop {
    async fn choose_folder(&self) -> CommandAnswer<Option<PathBuf>> {
        let (sender, chosen) = oneshot::channel();
        self.app.dialog().file().set_title(&self.words.now().dialogs.open_folder).pick_folder(move |folder| {
            let _ = sender.send(folder);
        });
        Ok(one(chosen).await)
    }

    async fn choose_files(&self) -> CommandAnswer<Vec<PathBuf>> {
        let (sender, chosen) = oneshot::channel();
        // Without a filter: GTK's `*.*` would hide what has no extension.
        self.app.dialog().file().set_title(&self.words.now().dialogs.attach_files).pick_files(move |files| {
            let _ = sender.send(files);
        });
        let chosen = chosen.await.ok().flatten().unwrap_or_default();
        Ok(chosen.into_iter().filter_map(|file| file.into_path().ok()).collect())
    }

    async fn choose_exported(&self) -> CommandAnswer<Option<PathBuf>> {
        let (sender, chosen) = oneshot::channel();
        let words = self.words.now();
        let asking = self.app.dialog().file().set_title(&words.dialogs.import_sessions);
        asking.add_filter(&words.dialogs.exported_sessions, &["jsonl"]).pick_file(move |file| {
            let _ = sender.send(file);
        });
        Ok(one(chosen).await)
    }

    async fn choose_place(&self, saved: SavedFile, name: String) -> CommandAnswer<Option<PathBuf>> {
        let (sender, chosen) = oneshot::channel();
        let words = self.words.now();
        let title = match saved {
            SavedFile::Session => &words.dialogs.export_session,
            SavedFile::StepOutput => &words.dialogs.save_output,
        };
        self.app.dialog().file().set_title(title).set_file_name(name).save_file(move |file| {
            let _ = sender.send(file);
        });
        Ok(one(chosen).await)
    }

    fn take_dropped(&self) -> Vec<PathBuf> {
        self.window.dropped.take()
    }

    async fn pasted(&self) -> Pasted {
        match clipboard::files(&self.app).await {
            files if files.is_empty() => clipboard::picture(&self.app).await.map_or(Pasted::Nothing, Pasted::Picture),
            files => Pasted::Files(files),
        }
    }

    async fn show_in_file_manager(&self, place: PathBuf) -> CommandAnswer<()> {
        let app = self.app.clone();
        let shown = tokio::task::spawn_blocking(move || app.opener().reveal_item_in_dir(&place));
        Ok(shown.await.map_err(Error::internal)?.map_err(|error| {
            let message = format!("The file manager can't be opened: {error}.");
            Error::new(Code::COMMAND_SPAWN_FAILED, message, "Open the folder in your file manager yourself.")
        })?)
    }

    fn open_page(&self, url: &str) -> CommandAnswer<()> {
        Ok(self.app.opener().open_url(url, None::<&str>).map_err(|_| {
            let message = "The page could not be opened in your browser.";
            Error::new(Code::IO_FAILED, message, "Set a browser for links, and try again.")
        })?)
    }

    async fn settings_changed(&self) {
        self.awake.look(&self.engine).await;
        self.tray.look(&self.engine).await;
    }
}

/// `None` when the user changed their mind.
async fn one(chosen: oneshot::Receiver<Option<FilePath>>) -> Option<PathBuf> {
    chosen.await.ok().flatten()?.into_path().ok()
}
