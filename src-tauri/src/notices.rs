//! Notifications of the system: how a run stopped, while the window isn't in front. A click leads to the session.
//!
//! Decision 0041 says why Tauri's plugin isn't used.

use crate::desktop_state::Shared;
use crate::desktop_words::told;
use crate::windows;
use arki_domain::SessionId;
use arki_engine::{Engine, RunNotice, one_line};
use notify_rust::{Notification, NotificationResponse};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tauri::{AppHandle, Manager};
use tokio::sync::broadcast::error::RecvError;

/// Characters of a title and of a sentence that are shown.
const MAX_CHARS: usize = 200;
/// Notifications whose click is waited for, a thread each; a desktop may never say that one is closed.
const MAX_AWAITED: usize = 16;
/// The default action: without it many desktops report no click.
const CLICK: &str = "default";

static AWAITED: AtomicUsize = AtomicUsize::new(0);

/// Shows notices from now on, until the engine is gone.
pub(crate) async fn show_from_now_on(app: AppHandle, engine: Arc<Engine>) {
    let mut notices = engine.runs().notices().subscribe();
    drop(engine);
    loop {
        match notices.recv().await {
            Ok(notice) if is_wanted(&app) => {
                let app = app.clone();
                // It asks the desktop and waits for its answer.
                tauri::async_runtime::spawn_blocking(move || show(&app, &notice));
            }
            Ok(_) => {}
            Err(RecvError::Lagged(missed)) => tracing::warn!(missed, "notices were not shown"),
            Err(RecvError::Closed) => return,
        }
    }
}

/// Returns whether a notification is wanted. A user who looks at the window sees the news there.
fn is_wanted(app: &AppHandle) -> bool {
    let Some(shared) = app.try_state::<Shared>() else { return false };
    let is_on = shared.engine.accounts().user_config().is_ok_and(|config| config.window.notifies);
    is_on && !windows::is_in_front(app)
}

fn show(app: &AppHandle, notice: &RunNotice) {
    let Some(words) = app.try_state::<Shared>().map(|shared| shared.words.now()) else { return };
    let message = told(&notice.news, &words.notices);
    let mut notification = Notification::new();
    notification.appname("Arki").summary(&shortened(&notice.title)).body(&body(&message));
    notification.action(CLICK, &words.notices.open);
    #[cfg(all(unix, not(target_os = "macos")))]
    notification.icon("org.arki.desktop").hint(notify_rust::Hint::DesktopEntry("org.arki.desktop".to_owned()));
    let shown = match notification.show() {
        Ok(shown) => shown,
        Err(error) => return tracing::info!(%error, "the desktop takes no notifications"),
    };
    if AWAITED.fetch_add(1, Ordering::Relaxed) < MAX_AWAITED {
        let (app, session_id) = (app.clone(), notice.session_id.clone());
        let waiting = move || {
            let clicked = |response: &NotificationResponse| {
                if response.is_default_action() {
                    show_session(&app, &session_id);
                }
            };
            if let Err(error) = shown.wait_for_response(clicked) {
                tracing::info!(%error, "a click on a notification is not heard");
            }
            AWAITED.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("notification".to_owned()).spawn(waiting).is_ok() {
            return;
        }
    }
    AWAITED.fetch_sub(1, Ordering::Relaxed);
}

fn show_session(app: &AppHandle, session_id: &SessionId) {
    if let Some(shared) = app.try_state::<Shared>() {
        windows::show_session(app, &shared.engine, session_id);
    }
}

/// Returns a notification's text. A model or a server may have said it, so no character of it may act as markup.
fn body(message: &str) -> String {
    let words = shortened(message);
    if reads_markup() { words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") } else { words }
}

#[cfg(all(unix, not(target_os = "macos")))]
fn reads_markup() -> bool {
    // Where it isn't told, as the specification has it.
    notify_rust::get_capabilities().map_or(true, |known| known.iter().any(|name| name == "body-markup"))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn reads_markup() -> bool {
    false
}

fn shortened(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_cut_and_lines_are_joined() {
        assert_eq!(shortened("Fix it"), "Fix it");
        assert_eq!(shortened(&"ä".repeat(300)).chars().count(), MAX_CHARS + 1);
        assert!(!shortened("one\ntwo").contains('\n'));
    }
}
