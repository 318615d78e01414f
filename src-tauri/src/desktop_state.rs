//! The state that commands work with: what all windows share, and the window that asks.

use crate::awake::Awake;
use crate::desktop_words::Words;
use crate::tray::Tray;
use crate::windows::{OpenWindow, Windows};
use arki_engine::Engine;
use std::sync::Arc;
use tauri::ipc::{CommandArg, CommandItem, InvokeError};
use tauri::{AppHandle, Manager, Wry};

/// The state that all windows share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) engine: Arc<Engine>,
    pub(crate) awake: Arc<Awake>,
    pub(crate) tray: Arc<Tray>,
    pub(crate) words: Arc<Words>,
}

/// The state that a command works with: what all windows share, and the window that asks.
pub(crate) struct Desktop {
    pub(crate) app: AppHandle,
    pub(crate) shared: Shared,
    pub(crate) window: Arc<OpenWindow>,
}

impl<'de> CommandArg<'de, Wry> for Desktop {
    fn from_command(command: CommandItem<'de, Wry>) -> Result<Self, InvokeError> {
        let webview = command.message.webview();
        let shared = webview.try_state::<Shared>().map(|shared| Shared::clone(&shared));
        let window = webview.try_state::<Windows>().and_then(|windows| windows.of(webview.label()));
        let (Some(shared), Some(window)) = (shared, window) else {
            return Err(InvokeError::from("the window is closed"));
        };
        Ok(Self { app: webview.app_handle().clone(), shared, window })
    }
}
