//! The icon on macOS and Windows, where the tray is the system's own and always there.

use crate::tray::Content;
use tauri::menu::{Menu, MenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Wry};

const ID: &str = "arki";

pub(crate) struct Icon(TrayIcon);

impl Icon {
    /// `None` where the system shows none.
    pub(super) async fn show(app: &AppHandle, content: Content) -> Option<Self> {
        let shown = menu(app, &content).and_then(|menu| {
            let builder = TrayIconBuilder::with_id(ID).menu(&menu).tooltip(tooltip(&content));
            let builder = match app.default_window_icon() {
                Some(icon) => builder.icon(icon.clone()),
                None => builder,
            };
            builder.build(app)
        });
        shown.map(Self).inspect_err(|error| tracing::warn!(%error, "Arki's icon in the tray")).ok()
    }

    pub(super) async fn say(&self, content: Content) {
        let app = self.0.app_handle();
        let said = self.0.set_tooltip(Some(tooltip(&content)));
        if let Err(error) = said.and_then(|()| self.0.set_menu(Some(menu(app, &content)?))) {
            tracing::warn!(%error, "what waits is not shown in the tray");
        }
    }

    pub(super) async fn remove(self) {
        // Dropped with it.
        drop(self.0.app_handle().remove_tray_by_id(ID));
    }

    pub(super) async fn is_shown(&self) -> bool {
        true
    }
}

fn menu(app: &AppHandle, content: &Content) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    for (choice, words) in &content.items {
        menu.append(&MenuItem::with_id(app, choice.id(), words, true, None::<&str>)?)?;
    }
    Ok(menu)
}

fn tooltip(content: &Content) -> String {
    if content.tooltip.is_empty() { "Arki".to_owned() } else { format!("Arki. {}", content.tooltip) }
}
