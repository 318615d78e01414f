//! The windows: opening them, and what each has of its own: its folder and decisions (its client), the frames that it
//! hears, what is dropped on it, and what it was asked for from outside.

use crate::arguments::Asked;
use crate::drops::Dropped;
use crate::{lost_pages, spelling, webkit_threads};
use arki_api::AskedOfWindow;
use arki_commands::ClientPage;
use arki_domain::{Code, Error, SessionId};
use arki_engine::{Client, ClientCapabilities, Engine};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Emitter, EventTarget, Manager, Runtime, WebviewUrl, WebviewWindow, WebviewWindowBuilder};
use tauri_plugin_window_state::StateFlags;

/// The window that is there first. Its size and place are kept.
pub(crate) const MAIN: &str = "main";
const SIZE: (f64, f64) = (1440.0, 900.0);
const SMALLEST: (f64, f64) = (720.0, 480.0);
/// A window with a webview takes some 200 MB.
const MAX_WINDOWS: usize = 12;

/// The folder in which the webview keeps what the pages store.
pub(crate) struct PageData(pub(crate) PathBuf);

/// The event that tells a page to take what it is asked for.
const ASKED_EVENT: &str = "arki://asked";
/// The wishes that wait for one page; it takes them as soon as it is there.
const MAX_ASKED: usize = 16;

/// The windows that are open, by their labels.
pub(crate) struct Windows {
    open: Mutex<HashMap<String, Arc<OpenWindow>>>,
    /// The label of the one that had the focus last.
    front: Mutex<String>,
    /// The folder of the one that was closed last.
    last_folder: Mutex<Option<PathBuf>>,
    opened: AtomicU32,
}

/// The folder and the wish of a new window.
#[derive(Default)]
pub(crate) struct Beginning {
    folder: Option<PathBuf>,
    asked: Option<AskedOfWindow>,
}

impl From<Asked> for Beginning {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Folder(folder) => Self { folder: Some(folder), asked: None },
            Asked::Session(session) => Self { folder: None, asked: Some(to_show(&session)) },
            Asked::Nothing => Self::default(),
        }
    }
}

fn to_show(session: &SessionId) -> AskedOfWindow {
    AskedOfWindow::Session { session_id: session.to_string() }
}

pub(crate) struct OpenWindow {
    pub(crate) client: Arc<Client>,
    pub(crate) page: Arc<ClientPage>,
    pub(crate) dropped: Dropped,
    /// Wishes for its page, until the page takes them.
    asked: Mutex<Vec<AskedOfWindow>>,
}

impl OpenWindow {
    pub(crate) fn take_asked(&self) -> Vec<AskedOfWindow> {
        std::mem::take(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn ask(&self, asked: AskedOfWindow) {
        queue(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner), asked);
    }
}

/// Adds a wish. The first ones go where a page takes none.
fn queue(waiting: &mut Vec<AskedOfWindow>, asked: AskedOfWindow) {
    if waiting.len() == MAX_ASKED {
        waiting.remove(0);
    }
    waiting.push(asked);
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            open: Mutex::default(),
            front: Mutex::new(MAIN.to_owned()),
            last_folder: Mutex::default(),
            opened: AtomicU32::new(0),
        }
    }
}

impl Windows {
    /// Keeps what a window has of its own, before its page asks for anything.
    pub(crate) fn add(&self, label: &str, engine: &Arc<Engine>, begins: Beginning) -> Arc<OpenWindow> {
        let client = Client::attach(engine, "window", ClientCapabilities { answers: true, stays: true });
        if let Some(folder) = &begins.folder {
            client.set_folder(folder);
        }
        let window = Arc::new(OpenWindow {
            client: Arc::new(client),
            page: Arc::default(),
            dropped: Dropped::default(),
            asked: Mutex::new(begins.asked.into_iter().collect()),
        });
        self.all().insert(label.to_owned(), window.clone());
        window
    }

    pub(crate) fn of(&self, label: &str) -> Option<Arc<OpenWindow>> {
        self.all().get(label).cloned()
    }

    /// Forgets a window that was closed. What waits for it hears no more.
    pub(crate) fn remove(&self, label: &str) {
        let Some(window) = self.all().remove(label) else { return };
        if let Some(folder) = window.client.folder() {
            *self.last_folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder);
        }
    }

    pub(crate) fn are_all_closed(&self) -> bool {
        self.all().is_empty()
    }

    /// Returns what a window begins with that is opened after the last one was closed.
    fn again(&self, asked: Option<AskedOfWindow>) -> Beginning {
        let folder = self.last_folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Beginning { folder, asked }
    }

    /// A window got the focus.
    pub(crate) fn comes_to_front(&self, label: &str) {
        label.clone_into(&mut self.front.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the label of the window that the user worked in last, of those that are open.
    fn front(&self) -> Option<String> {
        let last = self.front.lock().unwrap_or_else(PoisonError::into_inner).clone();
        front_of(&last, self.all().keys().cloned())
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<OpenWindow>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn front_of(last: &str, open: impl IntoIterator<Item = String>) -> Option<String> {
    let mut other = None;
    for label in open {
        if label == last {
            return Some(label);
        }
        other = Some(label);
    }
    other
}

/// Keeps the size and place of the first window for the next start.
pub(crate) fn kept<R: Runtime>() -> TauriPlugin<R> {
    let flags = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN;
    tauri_plugin_window_state::Builder::new().with_state_flags(flags).with_filter(|label| label == MAIN).build()
}

/// Opens the window that is there first.
pub(crate) fn open_main(app: &AppHandle) -> tauri::Result<()> {
    build(app, MAIN).map(|_| ())
}

/// Opens one more window.
///
/// # Errors
/// `WINDOWS_FULL`, or where the system opens none.
pub(crate) fn open_another(app: &AppHandle, engine: &Arc<Engine>, begins: Beginning) -> Result<(), Error> {
    let windows = app.state::<Windows>();
    if windows.all().len() >= MAX_WINDOWS {
        let message = format!("{MAX_WINDOWS} windows are open, which is the limit.");
        return Err(Error::new(Code::WINDOWS_FULL, message, "Close one that you don't need."));
    }
    let label = match windows.all().contains_key(MAIN) {
        true => format!("window-{}", windows.opened.fetch_add(1, Ordering::Relaxed)),
        false => MAIN.to_owned(),
    };
    windows.add(&label, engine, begins);
    build(app, &label).map_err(|error| {
        windows.remove(&label);
        unavailable(&error)
    })?;
    Ok(())
}

fn build(app: &AppHandle, label: &str) -> tauri::Result<WebviewWindow> {
    let window = WebviewWindowBuilder::new(app, label, WebviewUrl::default())
        // What the page keeps is the user's own, such as unsent messages: with Arki's other data, where no command looks.
        .data_directory(app.state::<PageData>().0.clone())
        .title("Arki")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .center()
        .on_document_title_changed(|window, title| {
            let _ = window.set_title(&title);
        })
        // A window shows what it was built with; links go to the browser.
        .on_navigation(|url| matches!(url.scheme(), "tauri" | "about") || is_own_address(url))
        .on_page_load(|_, _| webkit_threads::calm_soon())
        .build()?;
    lost_pages::watch(&window);
    spelling::check_soon(&window);
    Ok(window)
}

fn is_own_address(url: &tauri::Url) -> bool {
    matches!(url.host_str(), Some("tauri.localhost" | "localhost")) && matches!(url.scheme(), "http" | "https")
}

/// Brings the window to the front that the user worked in last.
pub(crate) fn focus(app: &AppHandle) {
    let front = app.state::<Windows>().front();
    if let Some(window) = front.and_then(|label| app.get_webview_window(&label)) {
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}

/// Returns whether one of the windows has the focus.
pub(crate) fn is_in_front(app: &AppHandle) -> bool {
    app.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}

/// Brings a window to the front, a new one where none is open.
pub(crate) fn show(app: &AppHandle, engine: &Arc<Engine>) {
    let windows = app.state::<Windows>();
    if windows.front().is_some() {
        return focus(app);
    }
    if let Err(fault) = open_another(app, engine, windows.again(None)) {
        tracing::warn!(%fault, "a window");
    }
}

/// Shows a session in the window that the user worked in last, or in a new one where none is open.
pub(crate) fn show_session(app: &AppHandle, engine: &Arc<Engine>, session: &SessionId) {
    ask(app, engine, to_show(session));
}

/// Runs one of the page's commands in the window that the user worked in last, or in a new one where none is open.
pub(crate) fn run_command(app: &AppHandle, engine: &Arc<Engine>, id: &str) {
    ask(app, engine, AskedOfWindow::Command { id: id.to_owned() });
}

fn ask(app: &AppHandle, engine: &Arc<Engine>, asked: AskedOfWindow) {
    let windows = app.state::<Windows>();
    let front = windows.front().and_then(|label| Some((windows.of(&label)?, label)));
    let Some((window, label)) = front else {
        if let Err(fault) = open_another(app, engine, windows.again(Some(asked))) {
            tracing::warn!(%fault, "a window for a wish");
        }
        return;
    };
    window.ask(asked);
    focus(app);
    send(app, &label, ASKED_EVENT, ());
}

/// Opens a folder in the window that the user worked in last, or in a new one where none is open.
pub(crate) async fn show_folder(app: &AppHandle, engine: &Arc<Engine>, folder: &Path) {
    let front = app.state::<Windows>().front();
    let window = front.as_deref().and_then(|label| app.state::<Windows>().of(label));
    let shown = match (front, window) {
        (Some(label), Some(window)) => window.client.open(folder).await.map(|project| {
            focus(app);
            send(app, &label, "arki://project", project);
        }),
        _ => open_another(app, engine, Asked::Folder(folder.to_owned()).into()),
    };
    if let Err(fault) = shown {
        tracing::warn!(%fault, "the folder of a second start");
    }
}

/// Tells one window alone of something.
pub(crate) fn send(app: &AppHandle, label: &str, event: &str, payload: impl serde::Serialize + Clone) {
    if let Err(error) = app.emit_to(EventTarget::webview_window(label), event, payload) {
        tracing::warn!(%error, event, "a window was not told");
    }
}

pub(crate) fn unavailable(error: &tauri::Error) -> Error {
    tracing::error!(%error, "the window");
    Error::new(
        Code::INTERNAL,
        format!("The window could not be opened: {error}."),
        "A graphical session and, on Linux, WebKitGTK 4.1 are needed. `arki exec` works without a window.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_window_that_was_in_front_another_one_is() {
        let front_of = |last: &str, open: &[&str]| front_of(last, open.iter().map(|label| (*label).to_owned()));
        assert_eq!(front_of("window-1", &["main", "window-1"]).as_deref(), Some("window-1"));
        assert_eq!(front_of("window-1", &["main"]).as_deref(), Some("main"));
        assert_eq!(front_of("window-1", &[]), None);
    }

    #[test]
    fn of_too_many_wishes_the_last_ones_are_kept() {
        let command = |number: usize| AskedOfWindow::Command { id: number.to_string() };
        let mut waiting = Vec::new();
        (0..MAX_ASKED + 2).for_each(|number| queue(&mut waiting, command(number)));
        assert_eq!(waiting.len(), MAX_ASKED);
        assert_eq!((&waiting[0], waiting.last()), (&command(2), Some(&command(MAX_ASKED + 1))));
    }
}
