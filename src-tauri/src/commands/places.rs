//! The window's commands about what surrounds it: the folder's repository, the user's editor, file manager and terminal,
//! a folder that is dropped, worktrees beside it.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{BroughtBranch, ExamplePrompt, PlaceCommands, PlannedWorktree, RepositoryState, WorktreeEntry};
use arki_domain::{Code, Error};
use arki_engine::WorktreeRemoval;
use std::path::PathBuf;
use tauri_plugin_opener::OpenerExt;

impl PlaceCommands for Desktop {
    async fn take_dropped_folder(self) -> Answer<Option<String>> {
        let folder = self.window.dropped.take().into_iter().find(|path| path.is_dir());
        Ok(folder.map(|path| path.display().to_string()))
    }

    async fn example_prompts(self, folder: PathBuf) -> Answer<Vec<ExamplePrompt>> {
        self.reading(move |engine| arki_engine::example_prompts(engine.projects(), engine.mentionables(), &folder))
            .await
    }

    async fn repository(self, folder: PathBuf) -> Answer<Option<RepositoryState>> {
        Ok(self.engine.worktrees().repository(folder).await?)
    }

    async fn plan_worktree(self, folder: PathBuf, branch: String) -> Answer<PlannedWorktree> {
        self.reading(move |engine| engine.worktrees().plan(&folder, &branch)).await
    }

    async fn add_worktree(self, folder: PathBuf, branch: String) -> Answer<WorktreeEntry> {
        Ok(self.engine.worktrees().add(&folder, &branch).await?)
    }

    async fn list_worktrees(self, folder: PathBuf) -> Answer<Vec<WorktreeEntry>> {
        self.reading(move |engine| engine.worktrees().list(&folder)).await
    }

    async fn bring_worktree(self, folder: PathBuf, branch: String) -> Answer<BroughtBranch> {
        Ok(self.engine.worktrees().bring(&folder, &branch).await?)
    }

    async fn remove_worktree(self, folder: PathBuf, branch: String, force: bool) -> Answer<()> {
        let removal = if force { WorktreeRemoval::WithItsWork } else { WorktreeRemoval::Careful };
        Ok(self.engine.worktrees().remove(&folder, &branch, removal).await?)
    }

    async fn open_in_editor(self, folder: PathBuf, path: Option<String>) -> Answer<()> {
        self.reading(move |engine| engine.own_programs().open_in_editor(&folder, path.as_deref())).await
    }

    async fn show_in_folder(self, folder: PathBuf, path: Option<String>) -> Answer<()> {
        let place = self.reading(move |engine| engine.own_programs().place_in(&folder, path.as_deref())).await?;
        let shown = tauri::async_runtime::spawn_blocking(move || self.app.opener().reveal_item_in_dir(&place));
        Ok(shown.await.map_err(Error::internal)?.map_err(|error| {
            let message = format!("The file manager can't be opened: {error}.");
            Error::new(Code::COMMAND_SPAWN_FAILED, message, "Open the folder in your file manager yourself.")
        })?)
    }

    async fn open_terminal(self, folder: PathBuf) -> Answer<()> {
        self.reading(move |engine| engine.own_programs().open_terminal(&folder)).await
    }
}
