//! The window's commands about finding, keeping and removing sessions: thin delegates to the engine.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{KeepingCommands, RemovedSession, SearchHit, SessionLines, StorageUse, UsageReport};
use arki_domain::{Code, Error, SessionId};
use arki_engine::{EventSearchQuery, SessionMarks};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

impl KeepingCommands for Desktop {
    async fn search_sessions(self, text: String, project: Option<String>, limit: usize) -> Answer<Vec<SearchHit>> {
        let query = EventSearchQuery { text, project, limit, ..EventSearchQuery::default() };
        Ok(self.engine.search().search(query).await?)
    }

    async fn find_in_session(self, session_id: String, text: String, limit: usize) -> Answer<Vec<SearchHit>> {
        let finding = self.window.finding.clone();
        let turn = finding.begin();
        let _one_at_a_time = finding.at_work.lock().await;
        let is_wanted = {
            let finding = finding.clone();
            move || finding.is_newest(turn)
        };
        Ok(self.engine.search().find(SessionId::from(session_id), text, limit, is_wanted).await?)
    }

    async fn rename_session(self, session_id: String, title: String) -> Answer<String> {
        Ok(self.engine.sessions().rename(&SessionId::from(session_id), &title).await?)
    }

    async fn mark_session(self, session_id: String, pinned: Option<bool>, archived: Option<bool>) -> Answer<()> {
        let marks = SessionMarks { pinned, archived };
        Ok(self.engine.sessions().mark(&SessionId::from(session_id), marks).await?)
    }

    async fn session_lines(self, session_ids: Vec<String>) -> Answer<Vec<SessionLines>> {
        let sessions: Vec<SessionId> = session_ids.into_iter().map(SessionId::from).collect();
        self.reading(move |engine| engine.line_counts().of(&sessions)).await
    }

    async fn remove_session(self, session_id: String) -> Answer<RemovedSession> {
        Ok(self.engine.retention().remove_session(&SessionId::from(session_id)).await?)
    }

    async fn export_session(self, session_id: String, format: arki_api::ExportFormat) -> Answer<Option<String>> {
        let session = self.reading(move |engine| engine.session_names().find_session(&session_id)).await?;
        let extension = extension(format);
        let name = format!("{}.{extension}", file_name(&session.title));
        let Some(path) = asked_where(&self.app, &self.words.now().dialogs.export_session, name).await else {
            return Ok(None);
        };
        let written = path.clone();
        let writing = self.reading(move |engine| {
            let mut file = engine.exports().output_file(&written)?;
            engine.exports().export(&session, format, &mut file)?;
            file.finish().map_err(Error::from)
        });
        writing.await?;
        Ok(Some(path.display().to_string()))
    }

    async fn import_sessions(self) -> Answer<Option<Vec<String>>> {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let words = self.words.now();
        let asking = self.app.dialog().file().set_title(&words.dialogs.import_sessions);
        asking.add_filter(&words.dialogs.exported_sessions, &["jsonl"]).pick_file(move |file| {
            let _ = sender.send(file);
        });
        let Some(path) = chosen(receiver).await else { return Ok(None) };
        let file = self.reading(move |_| open(&path)).await?;
        let imported = self.engine.retention().import(BufReader::new(file)).await?;
        Ok(Some(imported.into_iter().map(|session| session.session_id.to_string()).collect()))
    }

    async fn usage_report(self) -> Answer<UsageReport> {
        Ok(self.engine.usage().usage_report().await?)
    }

    async fn storage_use(self) -> Answer<StorageUse> {
        self.reading(|engine| engine.retention().storage_use()).await
    }

    async fn tidy_now(self) -> Answer<StorageUse> {
        self.engine.retention().tidy_now().await?;
        self.reading(|engine| engine.retention().storage_use()).await
    }
}

/// Asks for the place of a file that may have that name; `None` when the user changed their mind.
pub(crate) async fn asked_where(app: &AppHandle, title: &str, name: String) -> Option<PathBuf> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    app.dialog().file().set_title(title).set_file_name(name).save_file(move |file| {
        let _ = sender.send(file);
    });
    chosen(receiver).await
}

async fn chosen(receiver: tokio::sync::oneshot::Receiver<Option<tauri_plugin_dialog::FilePath>>) -> Option<PathBuf> {
    receiver.await.ok().flatten()?.into_path().ok()
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| {
        Error::new(
            Code::FILE_NOT_FOUND,
            format!("{} can't be opened: {}.", path.display(), arki_domain::io_words(error.kind())),
            "Choose a file that was exported as JSON Lines.",
        )
    })
}

fn extension(format: arki_api::ExportFormat) -> &'static str {
    match format {
        arki_api::ExportFormat::Jsonl => "jsonl",
        arki_api::ExportFormat::Markdown => "md",
        arki_api::ExportFormat::Html => "html",
    }
}

/// A title as a file's name on every system.
pub(crate) fn file_name(title: &str) -> String {
    const MAX_CHARS: usize = 60;
    let plain = |character: char| if character.is_alphanumeric() { character } else { '-' };
    let name: String = title.chars().map(plain).take(MAX_CHARS).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "session".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_name_that_leads_nowhere() {
        assert_eq!(file_name("../Rename: the \"widget\" API?"), "Rename--the--widget--API");
        assert_eq!(file_name("///"), "session");
    }
}
