//! The icon on Linux: a StatusNotifierItem with its menu, over D-Bus alone. No C library is loaded, so none can be
//! missing; without a tray the icon waits for one to come.

use crate::tray::{Choice, Content, carry_out};
use ksni::menu::StandardItem;
use ksni::{MenuItem, OfflineReason, ToolTip, TrayMethods};
use std::time::Duration;
use tauri::AppHandle;

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const WATCHER_PATH: &str = "/StatusNotifierWatcher";
/// A desktop that doesn't answer by then shows nothing either.
const PATIENCE: Duration = Duration::from_secs(2);

pub(crate) struct Icon(ksni::Handle<Item>);

struct Item {
    app: AppHandle,
    content: Content,
}

impl Icon {
    /// `None` where there is no session bus. A tray that starts later shows it then.
    pub(super) async fn show(app: &AppHandle, content: Content) -> Option<Self> {
        let item = Item { app: app.clone(), content };
        match item.assume_sni_available(true).spawn().await {
            Ok(handle) => Some(Self(handle)),
            Err(error) => {
                tracing::info!(%error, "there is no tray for Arki's icon");
                None
            }
        }
    }

    pub(super) async fn say(&self, content: Content) {
        self.0.update(|item| item.content = content).await;
    }

    pub(super) async fn remove(self) {
        self.0.shutdown().await;
    }

    /// Asks the desktop whether somebody shows such icons right now.
    pub(super) async fn is_shown(&self) -> bool {
        if self.0.is_closed() {
            return false;
        }
        match tokio::time::timeout(PATIENCE, has_host()).await {
            Ok(Ok(has_host)) => has_host,
            Ok(Err(error)) => {
                tracing::info!(%error, "there is no tray");
                false
            }
            Err(_) => {
                tracing::info!("the tray does not answer");
                false
            }
        }
    }
}

/// Returns whether a host shows icons. By the specification, the watcher keeps the icons and a host shows them.
async fn has_host() -> zbus::Result<bool> {
    let bus = zbus::Connection::session().await?;
    let watcher = zbus::Proxy::new(&bus, WATCHER, WATCHER_PATH, WATCHER).await?;
    watcher.get_property("IsStatusNotifierHostRegistered").await
}

impl ksni::Tray for Item {
    fn id(&self) -> String {
        "org.arki.desktop".to_owned()
    }

    fn title(&self) -> String {
        "Arki".to_owned()
    }

    fn icon_pixmap(&self) -> Vec<ksni::Icon> {
        let Some(image) = self.app.default_window_icon() else { return Vec::new() };
        let argb = image.rgba().chunks_exact(4).flat_map(|pixel| [pixel[3], pixel[0], pixel[1], pixel[2]]).collect();
        let size = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
        vec![ksni::Icon { width: size(image.width()), height: size(image.height()), data: argb }]
    }

    fn tool_tip(&self) -> ToolTip {
        ToolTip { title: "Arki".to_owned(), description: self.content.tooltip.clone(), ..ToolTip::default() }
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        carry_out(&self.app, Choice::Show);
    }

    fn menu(&self) -> Vec<MenuItem<Self>> {
        let item = |(choice, words): &(Choice, String)| {
            let choice = *choice;
            StandardItem {
                // One underscore alone would mark the next letter as a key.
                label: words.replace('_', "__"),
                activate: Box::new(move |item: &mut Self| carry_out(&item.app, choice)),
                ..StandardItem::default()
            }
            .into()
        };
        self.content.items.iter().map(item).collect()
    }

    fn watcher_online(&self) {
        tracing::info!("a tray has started");
    }

    fn watcher_offline(&self, reason: OfflineReason) -> bool {
        tracing::info!(?reason, "no tray shows Arki's icon now");
        true
    }
}
