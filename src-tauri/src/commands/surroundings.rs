//! The surroundings of a window on a desktop: the system's dialogs, the clipboard, the file manager, the browser.

use crate::clipboard;
use crate::desktop_state::{Desktop, Shared};
use arki_commands::{CommandAnswer, Pasted, SavedFile, Surroundings};
use arki_domain::{Code, Error};
use std::path::PathBuf;
use tauri_plugin_dialog::{DialogExt, FilePath};
use tauri_plugin_opener::OpenerExt;
use tokio::sync::oneshot;

impl Surroundings for Desktop {
    async fn choose_folder(&self) -> CommandAnswer<Option<PathBuf>> {
        let asking = self.app.dialog().file().set_title(&self.shared.words.now().dialogs.open_folder);
        Ok(chosen_path(|done| asking.pick_folder(done)).await)
    }

    async fn choose_files(&self) -> CommandAnswer<Vec<PathBuf>> {
        // Without a filter: GTK's `*.*` would hide what has no extension.
        let asking = self.app.dialog().file().set_title(&self.shared.words.now().dialogs.attach_files);
        let chosen = chosen(|done| asking.pick_files(done)).await.unwrap_or_default();
        Ok(chosen.into_iter().filter_map(|file| file.into_path().ok()).collect())
    }

    async fn choose_exported(&self) -> CommandAnswer<Option<PathBuf>> {
        let words = self.shared.words.now();
        let asking = self.app.dialog().file().set_title(&words.dialogs.import_sessions);
        let asking = asking.add_filter(&words.dialogs.exported_sessions, &["jsonl"]);
        Ok(chosen_path(|done| asking.pick_file(done)).await)
    }

    async fn choose_place(&self, saved: SavedFile, name: String) -> CommandAnswer<Option<PathBuf>> {
        let words = self.shared.words.now();
        let title = match saved {
            SavedFile::Session => &words.dialogs.export_session,
            SavedFile::StepOutput => &words.dialogs.save_output,
        };
        let asking = self.app.dialog().file().set_title(title).set_file_name(name);
        Ok(chosen_path(|done| asking.save_file(done)).await)
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
        let Shared { engine, awake, tray, .. } = &self.shared;
        awake.look(engine).await;
        tray.look(engine).await;
    }
}

/// Opens a dialog at once and waits for its answer; `None` when the user changed their mind.
fn chosen<T: Send + 'static>(ask: impl FnOnce(Answer<T>)) -> impl Future<Output = Option<T>> {
    let (sender, chosen) = oneshot::channel();
    ask(Box::new(move |answer| drop(sender.send(answer))));
    async move { chosen.await.ok().flatten() }
}

type Answer<T> = Box<dyn FnOnce(Option<T>) + Send>;

fn chosen_path(ask: impl FnOnce(Answer<FilePath>)) -> impl Future<Output = Option<PathBuf>> {
    let chosen = chosen(ask);
    async move { chosen.await?.into_path().ok() }
}
