//! The commands about finding, keeping and removing sessions: thin delegates to the engine.

use crate::surroundings::{SavedFile, shown};
use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    HistorySource, ImportedHistory, KeepingCommands, RemovedSession, SearchHit, SessionLines, StorageUse, UsageReport,
};
use arki_domain::{Code, Error, SessionId};
use arki_engine::{EventSearchQuery, SessionMarks};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

impl<S: Surroundings> KeepingCommands for Asker<S> {
    async fn search_sessions(
        self,
        text: String,
        project: Option<String>,
        limit: usize,
    ) -> CommandAnswer<Vec<SearchHit>> {
        let query = EventSearchQuery { text, project, limit, ..EventSearchQuery::default() };
        Ok(self.engine().search().search(query).await?)
    }

    async fn find_in_session(self, session_id: String, text: String, limit: usize) -> CommandAnswer<Vec<SearchHit>> {
        let finding = self.page.finding.clone();
        let turn = finding.begin();
        let _one_at_a_time = finding.at_work.lock().await;
        let is_wanted = {
            let finding = finding.clone();
            move || finding.is_newest(turn)
        };
        Ok(self.engine().search().find(SessionId::from(session_id), text, limit, is_wanted).await?)
    }

    async fn rename_session(self, session_id: String, title: String) -> CommandAnswer<String> {
        Ok(self.engine().sessions().rename(&SessionId::from(session_id), &title).await?)
    }

    async fn mark_session(self, session_id: String, pinned: Option<bool>, archived: Option<bool>) -> CommandAnswer<()> {
        let marks = SessionMarks { pinned, archived };
        Ok(self.engine().sessions().mark(&SessionId::from(session_id), marks).await?)
    }

    async fn session_lines(self, session_ids: Vec<String>) -> CommandAnswer<Vec<SessionLines>> {
        let sessions: Vec<SessionId> = session_ids.into_iter().map(SessionId::from).collect();
        self.reading(move |engine| engine.line_counts().of(&sessions)).await
    }

    async fn remove_session(self, session_id: String) -> CommandAnswer<RemovedSession> {
        Ok(self.engine().retention().remove_session(&SessionId::from(session_id)).await?)
    }

    async fn export_session(self, session_id: String, format: arki_api::ExportFormat) -> CommandAnswer<Option<String>> {
        let session = self.reading(move |engine| engine.session_names().find_session(&session_id)).await?;
        let extension = extension(format);
        let name = format!("{}.{extension}", file_name(&session.title));
        let Some(path) = self.surroundings.choose_place(SavedFile::Session, name).await? else {
            return Ok(None);
        };
        let written = path.clone();
        let writing = self.reading(move |engine| {
            let mut file = engine.exports().output_file(&written)?;
            engine.exports().export(&session, format, &mut file)?;
            file.finish().map_err(Error::from)
        });
        writing.await?;
        Ok(Some(shown(&path)))
    }

    async fn import_sessions(self) -> CommandAnswer<Option<Vec<String>>> {
        let Some(path) = self.surroundings.choose_exported().await? else { return Ok(None) };
        let file = self.reading(move |_| open(&path)).await?;
        let imported = self.engine().retention().import(BufReader::new(file)).await?;
        Ok(Some(imported.into_iter().map(|session| session.session_id.to_string()).collect()))
    }

    async fn import_history(self, from: HistorySource, folder: Option<String>) -> CommandAnswer<ImportedHistory> {
        Ok(self.engine().histories().import_history(from, folder.map(PathBuf::from)).await?)
    }

    async fn usage_report(self) -> CommandAnswer<UsageReport> {
        Ok(self.engine().usage().usage_report().await?)
    }

    async fn storage_use(self) -> CommandAnswer<StorageUse> {
        self.reading(|engine| engine.retention().storage_use()).await
    }

    async fn tidy_now(self) -> CommandAnswer<StorageUse> {
        self.engine().retention().tidy_now().await?;
        self.reading(|engine| engine.retention().storage_use()).await
    }
}

fn open(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|error| {
        let message = format!("{} can't be opened: {}.", path.display(), arki_domain::io_words(error.kind()));
        Error::new(Code::FILE_NOT_FOUND, message, "Choose a file that was exported as JSON Lines.")
    })
}

fn extension(format: arki_api::ExportFormat) -> &'static str {
    match format {
        arki_api::ExportFormat::Jsonl => "jsonl",
        arki_api::ExportFormat::Markdown => "md",
        arki_api::ExportFormat::Html => "html",
        arki_api::ExportFormat::Otlp => "otlp.jsonl",
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
