//! The window's commands about the app itself: its windows and its updates.

use crate::arguments::Asked;
use crate::desktop_state::Desktop;
use crate::updates::Found;
use crate::{menu_bar, updates, windows};
use arki_api::{AskedOfWindow, DesktopWords, MenuBar, UpdateState, WindowCommands};
use arki_commands::CommandAnswer;
use arki_domain::Error;
use tauri::Manager;

impl WindowCommands for Desktop {
    async fn open_window(self, session_id: Option<String>) -> CommandAnswer<()> {
        let asked = match session_id {
            Some(id) => {
                let engine = self.shared.engine.clone();
                let finding = tokio::task::spawn_blocking(move || engine.session_names().find_session(&id));
                Asked::Session(finding.await.map_err(Error::internal)??.session_id)
            }
            None => self.window.client.folder().map_or(Asked::Nothing, Asked::Folder),
        };
        Ok(windows::open_another(&self.app, &self.shared.engine, asked.into())?)
    }

    async fn take_asked(self) -> CommandAnswer<Vec<AskedOfWindow>> {
        Ok(self.window.take_asked())
    }

    async fn set_menu_bar(self, bar: MenuBar) -> CommandAnswer<Vec<String>> {
        Ok(menu_bar::show(&self.app, bar).await?)
    }

    async fn set_desktop_words(self, words: DesktopWords) -> CommandAnswer<()> {
        self.shared.words.set(words);
        self.shared.tray.speak().await;
        Ok(())
    }

    async fn look_for_update(self) -> CommandAnswer<UpdateState> {
        Ok(updates::look(&self.app, &self.app.state::<Found>()).await?)
    }

    async fn install_update(self, version: String) -> CommandAnswer<()> {
        Ok(updates::install(&self.app.state::<Found>(), &version).await?)
    }

    async fn restart(self) -> CommandAnswer<()> {
        self.app.request_restart();
        Ok(())
    }
}
