//! The port to what is around a client, beside the engine.

use crate::CommandAnswer;
use std::path::{Path, PathBuf};

/// The surroundings of a client: a desktop's dialogs, clipboard and file manager, or less.
///
/// What isn't there fails with `NOT_AVAILABLE_HERE`; what the user changed their mind about is `None`.
pub trait Surroundings: Send + Sync + 'static {
    /// Has the user choose a folder.
    fn choose_folder(&self) -> impl Future<Output = CommandAnswer<Option<PathBuf>>> + Send;

    /// Has the user choose files to attach; none where they changed their mind.
    fn choose_files(&self) -> impl Future<Output = CommandAnswer<Vec<PathBuf>>> + Send;

    /// Has the user choose a file of exported sessions.
    fn choose_exported(&self) -> impl Future<Output = CommandAnswer<Option<PathBuf>>> + Send;

    /// Has the user choose where a file is saved that may have this name.
    fn choose_place(
        &self,
        saved: SavedFile,
        name: String,
    ) -> impl Future<Output = CommandAnswer<Option<PathBuf>>> + Send;

    /// The paths that were dropped onto the client since this was last asked.
    fn take_dropped(&self) -> Vec<PathBuf>;

    /// Returns what is on the clipboard and not handed to the page.
    fn pasted(&self) -> impl Future<Output = Pasted> + Send;

    /// Shows a file or folder in the system's file manager.
    fn show_in_file_manager(&self, place: PathBuf) -> impl Future<Output = CommandAnswer<()>> + Send;

    /// Opens a page in the user's browser.
    ///
    /// # Errors
    /// `IO_FAILED` where no browser could be started.
    fn open_page(&self, url: &str) -> CommandAnswer<()>;

    /// Hears that the user's configuration was changed.
    fn settings_changed(&self) -> impl Future<Output = ()> + Send;
}

/// The purpose of a saved file, which names the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SavedFile {
    Session,
    StepOutput,
}

/// The content that was copied in another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pasted {
    Nothing,
    Files(Vec<PathBuf>),
    /// A PNG, not decoded.
    Picture(Vec<u8>),
}

/// A path as the user's system writes it.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
