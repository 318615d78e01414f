//! The commands about windows and updates: all of them are its surroundings' own.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{AskedOfWindow, DesktopWords, MenuBar, UpdateState, WindowCommands};

impl<S: Surroundings + WindowCommands> WindowCommands for Asker<S> {
    async fn open_window(self, session_id: Option<String>) -> CommandAnswer<()> {
        self.surroundings.open_window(session_id).await
    }

    async fn take_asked(self) -> CommandAnswer<Vec<AskedOfWindow>> {
        self.surroundings.take_asked().await
    }

    async fn set_menu_bar(self, bar: MenuBar) -> CommandAnswer<Vec<String>> {
        self.surroundings.set_menu_bar(bar).await
    }

    async fn set_desktop_words(self, words: DesktopWords) -> CommandAnswer<()> {
        self.surroundings.set_desktop_words(words).await
    }

    async fn look_for_update(self) -> CommandAnswer<UpdateState> {
        self.surroundings.look_for_update().await
    }

    async fn install_update(self, version: String) -> CommandAnswer<()> {
        self.surroundings.install_update(version).await
    }

    async fn restart(self) -> CommandAnswer<()> {
        self.surroundings.restart().await
    }
}
