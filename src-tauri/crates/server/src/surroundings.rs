//! The surroundings of a program that speaks HTTP: nothing of a desktop.

use arki_api::{AskedOfWindow, DesktopWords, MenuBar, UpdateState, WindowCommands};
use arki_commands::{CommandAnswer, Pasted, SavedFile, Surroundings};
use arki_domain::{Code, Error};
use std::path::PathBuf;

/// The commands that a desktop alone can answer: nobody is offered them elsewhere.
pub(crate) const NOT_HERE: &[&str] = &[
    "choose_files",
    "choose_folder",
    "export_session",
    "import_sessions",
    "install_update",
    "look_for_update",
    "open_configured",
    "open_in_editor",
    "open_terminal",
    "open_window",
    "restart",
    "save_step_output",
    "set_desktop_words",
    "set_menu_bar",
    "show_in_folder",
    "sign_in_to_mcp_server",
    "take_asked",
    "take_dropped",
    "take_dropped_folder",
    "take_pasted",
];

/// Whoever asks over HTTP may be on no desktop, or on another one.
pub(crate) struct Elsewhere;

fn not_here<T>(what: &str) -> CommandAnswer<T> {
    let message = format!("{what} only in the window of the desktop app.");
    Err(Error::new(Code::NOT_AVAILABLE_HERE, message, "Name the file or folder in the command instead.").into())
}

impl Surroundings for Elsewhere {
    async fn choose_folder(&self) -> CommandAnswer<Option<PathBuf>> {
        not_here("A folder is chosen")
    }

    async fn choose_files(&self) -> CommandAnswer<Vec<PathBuf>> {
        not_here("Files are chosen")
    }

    async fn choose_exported(&self) -> CommandAnswer<Option<PathBuf>> {
        not_here("A file to import is chosen")
    }

    async fn choose_place(&self, _: SavedFile, _: String) -> CommandAnswer<Option<PathBuf>> {
        not_here("A place for a file is chosen")
    }

    fn take_dropped(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    async fn pasted(&self) -> Pasted {
        Pasted::Nothing
    }

    async fn show_in_file_manager(&self, _: PathBuf) -> CommandAnswer<()> {
        not_here("A file manager is opened")
    }

    fn open_page(&self, _: &str) -> CommandAnswer<()> {
        not_here("A page is opened")
    }

    async fn settings_changed(&self) {}
}

impl WindowCommands for Elsewhere {
    async fn open_window(self, _: Option<String>) -> CommandAnswer<()> {
        not_here("Another window is opened")
    }

    async fn take_asked(self) -> CommandAnswer<Vec<AskedOfWindow>> {
        Ok(Vec::new())
    }

    async fn set_menu_bar(self, _: MenuBar) -> CommandAnswer<Vec<String>> {
        Ok(Vec::new())
    }

    async fn set_desktop_words(self, _: DesktopWords) -> CommandAnswer<()> {
        Ok(())
    }

    async fn look_for_update(self) -> CommandAnswer<UpdateState> {
        not_here("Updates are looked for")
    }

    async fn install_update(self, _: String) -> CommandAnswer<()> {
        not_here("Updates are installed")
    }

    async fn restart(self) -> CommandAnswer<()> {
        not_here("Arki is restarted")
    }
}
