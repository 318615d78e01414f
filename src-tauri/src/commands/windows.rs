//! The window's commands about the app itself: its windows, its updates and its crashes.

use crate::arguments::Asked;
use crate::commands::Answer;
use crate::desktop_state::Desktop;
use crate::updates::Found;
use crate::{menu_bar, updates, windows};
use arki_api::{AskedOfWindow, CrashReport, DesktopWords, MenuBar, UpdateState, WindowCommands};
use tauri::Manager;

impl WindowCommands for Desktop {
    async fn open_window(self, session_id: Option<String>) -> Answer<()> {
        let asked = match session_id {
            Some(id) => Asked::Session(
                self.reading(move |engine| Ok(engine.session_names().find_session(&id)?.session_id)).await?,
            ),
            None => self.window.client.folder().map_or(Asked::Nothing, Asked::Folder),
        };
        Ok(windows::open_another(&self.app, &self.engine, asked.into())?)
    }

    async fn take_asked(self) -> Answer<Vec<AskedOfWindow>> {
        Ok(self.window.take_asked())
    }

    async fn set_menu_bar(self, bar: MenuBar) -> Answer<Vec<String>> {
        Ok(menu_bar::show(&self.app, bar).await?)
    }

    async fn set_desktop_words(self, words: DesktopWords) -> Answer<()> {
        self.words.set(words);
        self.tray.speak().await;
        Ok(())
    }

    async fn look_for_update(self) -> Answer<UpdateState> {
        Ok(updates::look(&self.app, &self.app.state::<Found>()).await?)
    }

    async fn install_update(self, version: String) -> Answer<()> {
        Ok(updates::install(&self.app.state::<Found>(), &version).await?)
    }

    async fn restart(self) -> Answer<()> {
        self.app.request_restart();
        Ok(())
    }

    async fn crash_report(self) -> Answer<Option<CrashReport>> {
        self.reading(|engine| arki_engine::newest_crash_report(engine.directories())).await
    }

    async fn remove_crash_reports(self, until: i64) -> Answer<()> {
        self.reading(move |engine| arki_engine::remove_crash_reports(engine.directories(), until)).await
    }
}
