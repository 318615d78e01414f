//! A page whose process has ended (it crashed, or the system took its memory) leaves its window blank. It is loaded again
//! and shows what it showed: all that is kept is with the engine. On Windows the webview offers that by itself.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tauri::{AppHandle, Manager, WebviewWindow};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

/// A page that is lost more often within [`A_WHILE`] would be lost again.
const MOST_TIMES: usize = 3;
const A_WHILE: Duration = Duration::from_secs(60);

/// When the page of each window, by its label, was lost lately.
#[derive(Default)]
pub(crate) struct LostPages(Mutex<HashMap<String, Vec<Instant>>>);

impl LostPages {
    /// Notes a loss. Returns whether the page is worth loading again.
    fn lose(&self, label: &str, now: Instant) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let times = all.entry(label.to_owned()).or_default();
        times.retain(|time| now.duration_since(*time) < A_WHILE);
        times.push(now);
        times.len() <= MOST_TIMES
    }
}

/// Loads a window's page again whenever it is lost.
#[cfg(target_os = "linux")]
pub(crate) fn watch(window: &WebviewWindow) {
    use webkit2gtk::{WebProcessTerminationReason, WebViewExt};
    let watched = window.clone();
    let asked = window.with_webview(move |webview| {
        webview.inner().connect_web_process_terminated(move |_, reason| {
            if reason != WebProcessTerminationReason::TerminatedByApi {
                bring_back(watched.app_handle(), watched.label());
            }
        });
    });
    if let Err(error) = asked {
        tracing::warn!(%error, "the page is not watched");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn watch(_: &WebviewWindow) {}

/// Loads a page again that was lost, or says that this does not help.
pub(crate) fn bring_back(app: &AppHandle, label: &str) {
    let Some(window) = app.get_webview_window(label) else { return };
    tracing::warn!(window = label, "the page was lost");
    if app.state::<LostPages>().lose(label, Instant::now()) {
        if let Err(error) = window.reload() {
            tracing::error!(%error, "the page is not loaded again");
        }
        return;
    }
    app.dialog()
        .message(
            "The window's page ended several times within a minute, so it isn't loaded again.\n\nRuns continue, \
             and nothing stored is lost. Close the window and open it again. If that doesn't help, use `arki` in \
             a terminal.",
        )
        .title("Arki")
        .kind(MessageDialogKind::Error)
        .parent(&window)
        .show(|_| {});
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_lost_again_and_again_is_given_up_until_some_time_has_passed() {
        let pages = LostPages::default();
        let begin = Instant::now();
        let lose = |seconds| pages.lose("main", begin + Duration::from_secs(seconds));
        assert_eq!([0, 1, 2, 3].map(lose), [true, true, true, false]);
        assert!(pages.lose("window-1", begin + Duration::from_secs(3)), "another window");
        assert!(lose(63));
    }
}
