//! The window's commands about the app itself: its windows, its updates and its crashes.

use crate::arguments::Asked;
use crate::desktop_state::Desktop;
use crate::rpc::{Answer, reading};
use crate::updates::Found;
use crate::{menu_bar, updates, windows};
use arki_api::{AskedOfWindow, CrashReport, DesktopWords, MenuBar, UpdateState};
use tauri::{AppHandle, State};

/// One on the folder of the window that asks, or on a session.
#[tauri::command]
pub(crate) async fn open_window(session_id: Option<String>, app: AppHandle, desktop: Desktop) -> Answer<()> {
    let asked = match session_id {
        Some(id) => {
            Asked::Session(reading(&desktop, move |engine| Ok(engine.sessions().find_session(&id)?.session_id)).await?)
        }
        None => desktop.window.client.folder().map_or(Asked::Nothing, Asked::Folder),
    };
    Ok(windows::open_another(&app, &desktop.engine, asked.into())?)
}

/// Returns what the page was asked for from outside since the last call.
#[tauri::command]
pub(crate) async fn take_asked(desktop: Desktop) -> Answer<Vec<AskedOfWindow>> {
    Ok(desktop.window.take_asked())
}

#[tauri::command]
pub(crate) async fn set_menu_bar(bar: MenuBar, app: AppHandle) -> Answer<Vec<String>> {
    Ok(menu_bar::show(&app, bar).await?)
}

#[tauri::command]
pub(crate) async fn set_desktop_words(words: DesktopWords, desktop: Desktop) -> Answer<()> {
    desktop.words.set(words);
    desktop.tray.speak().await;
    Ok(())
}

#[tauri::command]
pub(crate) async fn look_for_update(app: AppHandle, found: State<'_, Found>) -> Answer<UpdateState> {
    Ok(updates::look(&app, &found).await?)
}

#[tauri::command]
pub(crate) async fn install_update(version: String, found: State<'_, Found>) -> Answer<()> {
    Ok(updates::install(&found, &version).await?)
}

#[tauri::command]
pub(crate) async fn restart(app: AppHandle) -> Answer<()> {
    app.request_restart();
    Ok(())
}

#[tauri::command]
pub(crate) async fn crash_report(desktop: Desktop) -> Answer<Option<CrashReport>> {
    reading(&desktop, |engine| arki_engine::newest_crash_report(engine.directories())).await
}

#[tauri::command]
pub(crate) async fn remove_crash_reports(until: i64, desktop: Desktop) -> Answer<()> {
    reading(&desktop, move |engine| arki_engine::remove_crash_reports(engine.directories(), until)).await
}
