//! The window's commands about finding, keeping and removing sessions: thin delegates to the engine.

use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use arki_api::{RemovedSession, SearchHit, SessionLines, StorageUse, UsageReport};
use arki_domain::{Code, Fault, SessionId};
use arki_engine::{ExportFormat, SearchQuery, SessionMarks};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

#[tauri::command]
pub(crate) async fn search_sessions(
    text: String,
    project: Option<String>,
    limit: usize,
    desktop: Desktop,
) -> Answer<Vec<SearchHit>> {
    let query = SearchQuery { text, project, limit, ..SearchQuery::default() };
    Ok(desktop.engine.sessions().search(query).await?.into_iter().map(arki_engine::search_hit).collect())
}

#[tauri::command]
pub(crate) async fn find_in_session(
    session_id: String,
    text: String,
    limit: usize,
    desktop: Desktop,
) -> Answer<Vec<SearchHit>> {
    let finding = desktop.window.finding.clone();
    let turn = finding.begin();
    let _one_at_a_time = finding.at_work.lock().await;
    let is_wanted = {
        let finding = finding.clone();
        move || finding.is_newest(turn)
    };
    let found = desktop.engine.sessions().find(SessionId::from(session_id), text, limit, is_wanted).await?;
    Ok(found.into_iter().map(arki_engine::search_hit).collect())
}

#[tauri::command]
pub(crate) async fn rename_session(session_id: String, title: String, desktop: Desktop) -> Answer<String> {
    Ok(desktop.engine.sessions().rename(&SessionId::from(session_id), &title).await?)
}

#[tauri::command]
pub(crate) async fn mark_session(
    session_id: String,
    pinned: Option<bool>,
    archived: Option<bool>,
    desktop: Desktop,
) -> Answer<()> {
    let marks = SessionMarks { pinned, archived };
    Ok(desktop.engine.sessions().mark(&SessionId::from(session_id), marks).await?)
}

#[tauri::command]
pub(crate) async fn session_lines(session_ids: Vec<String>, desktop: Desktop) -> Answer<Vec<SessionLines>> {
    let sessions: Vec<SessionId> = session_ids.into_iter().map(SessionId::from).collect();
    reading(&desktop, move |engine| engine.sessions().session_lines(&sessions)).await
}

#[tauri::command]
pub(crate) async fn remove_session(session_id: String, desktop: Desktop) -> Answer<RemovedSession> {
    let removed = desktop.engine.sessions().remove_session(&SessionId::from(session_id)).await?;
    Ok(RemovedSession { freed_bytes: removed.freed_bytes, subagents: removed.subagents.len() })
}

/// Asks where to; `None` when the user changed their mind.
#[tauri::command]
pub(crate) async fn export_session(
    session_id: String,
    format: arki_api::ExportFormat,
    app: AppHandle,
    desktop: Desktop,
) -> Answer<Option<String>> {
    let session = reading(&desktop, move |engine| engine.sessions().find_session(&session_id)).await?;
    let (format, extension) = (ExportFormat::from(format), extension(format));
    let name = format!("{}.{extension}", file_name(&session.title));
    let Some(path) = asked_where(&app, &desktop.words.now().dialogs.export_session, name).await else {
        return Ok(None);
    };
    let written = path.clone();
    let writing = reading(&desktop, move |engine| {
        let mut file = engine.sessions().output_file(&written)?;
        engine.sessions().export(&session, format, &mut file)?;
        file.finish().map_err(Fault::from)
    });
    writing.await?;
    Ok(Some(path.display().to_string()))
}

/// Asks which file; `None` when the user changed their mind.
#[tauri::command]
pub(crate) async fn import_sessions(app: AppHandle, desktop: Desktop) -> Answer<Option<Vec<String>>> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let words = desktop.words.now();
    let asking = app.dialog().file().set_title(&words.dialogs.import_sessions);
    asking.add_filter(&words.dialogs.exported_sessions, &["jsonl"]).pick_file(move |file| {
        let _ = sender.send(file);
    });
    let Some(path) = chosen(receiver).await else { return Ok(None) };
    let file = reading(&desktop, move |_| open(&path)).await?;
    let imported = desktop.engine.sessions().import(BufReader::new(file)).await?;
    Ok(Some(imported.into_iter().map(|session| session.session_id.to_string()).collect()))
}

#[tauri::command]
pub(crate) async fn usage_report(desktop: Desktop) -> Answer<UsageReport> {
    Ok(desktop.engine.sessions().usage_report().await?)
}

#[tauri::command]
pub(crate) async fn storage_use(desktop: Desktop) -> Answer<StorageUse> {
    reading(&desktop, |engine| engine.sessions().storage_use()).await
}

#[tauri::command]
pub(crate) async fn tidy_now(desktop: Desktop) -> Answer<StorageUse> {
    desktop.engine.sessions().tidy_now().await?;
    reading(&desktop, |engine| engine.sessions().storage_use()).await
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

fn open(path: &Path) -> Result<File, Fault> {
    File::open(path).map_err(|error| {
        Fault::new(
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
