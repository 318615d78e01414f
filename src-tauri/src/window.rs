//! The one window.

use arki_domain::{Code, Fault};
use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};

const LABEL: &str = "main";
const SIZE: (f64, f64) = (1440.0, 900.0);
const SMALLEST: (f64, f64) = (720.0, 480.0);

pub(crate) fn open(app: &AppHandle) -> tauri::Result<()> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Arki")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .center()
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        // The window shows what it was built with; links go to the browser.
        .on_navigation(|url| matches!(url.scheme(), "tauri" | "about") || is_own_address(url))
        .build()?;
    Ok(())
}

fn is_own_address(url: &tauri::Url) -> bool {
    matches!(url.host_str(), Some("tauri.localhost" | "localhost")) && matches!(url.scheme(), "http" | "https")
}

pub(crate) fn focus(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

/// Returns whether the window has the focus.
pub(crate) fn is_in_front(app: &AppHandle) -> bool {
    app.get_webview_window(LABEL).is_some_and(|window| window.is_focused().unwrap_or(false))
}

pub(crate) fn unavailable(error: &tauri::Error) -> Fault {
    tracing::error!(%error, "the window");
    Fault::new(
        Code::INTERNAL,
        format!("The window could not be opened: {error}."),
        "A graphical session and, on Linux, WebKitGTK 4.1 are needed. `arki exec` works without a window.",
    )
}
