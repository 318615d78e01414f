//! The commands about the app and folders: thin delegates to the engine.

use crate::surroundings::shown;
use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{AppCommands, AppState, CrashReport, ProjectState};
use std::path::PathBuf;

impl<S: Surroundings> AppCommands for Asker<S> {
    async fn app_state(self) -> CommandAnswer<AppState> {
        let project = match self.client.folder() {
            Some(folder) => Some(self.client.open(&folder).await?),
            None => None,
        };
        self.reading(move |engine| arki_engine::app_state(engine.projects(), project)).await
    }

    async fn choose_folder(self) -> CommandAnswer<Option<String>> {
        Ok(self.surroundings.choose_folder().await?.as_deref().map(shown))
    }

    async fn make_sample(self) -> CommandAnswer<String> {
        self.reading(|_| Ok(shown(&arki_engine::make_sample()?))).await
    }

    async fn open_project(self, path: PathBuf) -> CommandAnswer<ProjectState> {
        Ok(self.client.open(&path).await?)
    }

    async fn trust_project(self, path: PathBuf, unpinned: Vec<String>) -> CommandAnswer<ProjectState> {
        Ok(self.engine().folder_trust().trust(&path, unpinned).await?)
    }

    async fn keep_untrusted(self, path: PathBuf) -> CommandAnswer<ProjectState> {
        Ok(self.engine().folder_trust().untrust(&path).await?)
    }

    async fn crash_report(self) -> CommandAnswer<Option<CrashReport>> {
        self.reading(|engine| arki_engine::newest_crash_report(engine.directories())).await
    }

    async fn remove_crash_reports(self, until: i64) -> CommandAnswer<()> {
        self.reading(move |engine| arki_engine::remove_crash_reports(engine.directories(), until)).await
    }
}
