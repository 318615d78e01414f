//! The commands about what surrounds it: the folder's repository, the user's editor, file manager and terminal,
//! a folder that is dropped, worktrees beside it.

use crate::surroundings::shown;
use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{BroughtBranch, ExamplePrompt, PlaceCommands, PlannedWorktree, RepositoryState, WorktreeEntry};
use arki_engine::WorktreeRemoval;
use std::path::PathBuf;

impl<S: Surroundings> PlaceCommands for Asker<S> {
    async fn take_dropped_folder(self) -> CommandAnswer<Option<String>> {
        let folder = self.surroundings.take_dropped().into_iter().find(|path| path.is_dir());
        Ok(folder.as_deref().map(shown))
    }

    async fn example_prompts(self, folder: PathBuf) -> CommandAnswer<Vec<ExamplePrompt>> {
        self.reading(move |engine| arki_engine::example_prompts(engine.projects(), engine.mentionables(), &folder))
            .await
    }

    async fn repository(self, folder: PathBuf) -> CommandAnswer<Option<RepositoryState>> {
        Ok(self.engine().worktrees().repository(folder).await?)
    }

    async fn plan_worktree(self, folder: PathBuf, branch: String) -> CommandAnswer<PlannedWorktree> {
        self.reading(move |engine| engine.worktrees().plan(&folder, &branch)).await
    }

    async fn add_worktree(self, folder: PathBuf, branch: String) -> CommandAnswer<WorktreeEntry> {
        Ok(self.engine().worktrees().add(&folder, &branch).await?)
    }

    async fn list_worktrees(self, folder: PathBuf) -> CommandAnswer<Vec<WorktreeEntry>> {
        self.reading(move |engine| engine.worktrees().list(&folder)).await
    }

    async fn bring_worktree(self, folder: PathBuf, branch: String) -> CommandAnswer<BroughtBranch> {
        Ok(self.engine().worktrees().bring(&folder, &branch).await?)
    }

    async fn remove_worktree(self, folder: PathBuf, branch: String, force: bool) -> CommandAnswer<()> {
        let removal = if force { WorktreeRemoval::WithItsWork } else { WorktreeRemoval::Careful };
        Ok(self.engine().worktrees().remove(&folder, &branch, removal).await?)
    }

    async fn open_in_editor(self, folder: PathBuf, path: Option<String>) -> CommandAnswer<()> {
        self.reading(move |engine| engine.own_programs().open_in_editor(&folder, path.as_deref())).await
    }

    async fn show_in_folder(self, folder: PathBuf, path: Option<String>) -> CommandAnswer<()> {
        let place = self.reading(move |engine| engine.own_programs().place_in(&folder, path.as_deref())).await?;
        self.surroundings.show_in_file_manager(place).await
    }

    async fn open_terminal(self, folder: PathBuf) -> CommandAnswer<()> {
        self.reading(move |engine| engine.own_programs().open_terminal(&folder)).await
    }
}
