//! The part of a desktop that has a tray: it takes icons in, and a test reads and chooses in their menus.

use crate::harness::waiting::{wait_for, wait_until};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use zbus::blocking::{Connection, Proxy, connection};
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Structure, Value};

const NAME: &str = "org.kde.StatusNotifierWatcher";
const PATH: &str = "/StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const ITEM_PATH: &str = "/StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// A picture's width and height, and its pixels.
type Pixels = (i32, i32, Vec<u8>);
/// The name of an icon, its pictures, a title and a description.
type ToolTip = (String, Vec<Pixels>, String, String);

/// A shower of icons beside the watcher that takes them in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Registered,
    Missing,
}

pub(crate) struct Tray {
    connection: Connection,
    items: Arc<Mutex<Vec<String>>>,
}

struct Watcher {
    items: Arc<Mutex<Vec<String>>>,
    host: Host,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, service: String) {
        self.items.lock().unwrap().push(service);
    }

    fn register_status_notifier_host(&self, _service: String) {}

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        self.items.lock().unwrap().clone()
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        self.host == Host::Registered
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

/// What `GetLayout` answers: the revision, and the menu with its number, properties and items.
type Layout = (u32, (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>));

impl Tray {
    /// On the session bus at this address.
    pub(crate) fn serve(address: &str, host: Host) -> Self {
        let items = Arc::default();
        let watcher = Watcher { items: Arc::clone(&items), host };
        let connection = connection::Builder::address(address)
            .and_then(|builder| builder.name(NAME))
            .and_then(|builder| builder.serve_at(PATH, watcher))
            .and_then(connection::Builder::build)
            .unwrap();
        Self { connection, items }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.lock().unwrap().is_empty()
    }

    /// Whether the icon that was taken in is on the bus no more.
    pub(crate) fn is_gone(&self) -> bool {
        let name = self.item().destination().to_string();
        let bus = zbus::blocking::fdo::DBusProxy::new(&self.connection).unwrap();
        !bus.name_has_owner(name.as_str().try_into().unwrap()).unwrap()
    }

    /// Waits for the only icon, and for these words in its menu.
    #[track_caller]
    pub(crate) fn shows(&self, words: &[&str]) {
        wait_until(&format!("{words:?} in the tray"), || {
            let shown = self.menu();
            shown.iter().map(|(_, label)| label.as_str()).eq(words.iter().copied())
        });
    }

    #[track_caller]
    pub(crate) fn tooltip(&self) -> String {
        let (_, _, title, description): ToolTip = self.item().get_property("ToolTip").unwrap();
        format!("{title}, {description}")
    }

    /// The size of the icon's picture.
    #[track_caller]
    pub(crate) fn picture(&self) -> (i32, i32) {
        let pictures: Vec<Pixels> = self.item().get_property("IconPixmap").unwrap();
        let (width, height, bytes) = &pictures[0];
        assert_eq!(bytes.len(), usize::try_from(width * height * 4).unwrap());
        (*width, *height)
    }

    /// Chooses in the menu, as the user does.
    #[track_caller]
    pub(crate) fn choose(&self, words: &str) {
        let (id, _) =
            wait_for(&format!("{words:?} in the tray"), || self.menu().into_iter().find(|(_, label)| label == words));
        let () = self.menu_proxy().call("Event", &(id, "clicked", Value::from(0), 0_u32)).unwrap();
    }

    /// The numbers and words of the menu's items.
    fn menu(&self) -> Vec<(i32, String)> {
        if self.is_empty() {
            return Vec::new();
        }
        let properties: Vec<&str> = vec!["label"];
        let (_, (_, _, items)): Layout = self.menu_proxy().call("GetLayout", &(0, -1, properties)).unwrap();
        items.into_iter().map(labelled).collect()
    }

    fn item(&self) -> Proxy<'_> {
        let items = self.items.lock().unwrap().clone();
        assert_eq!(items.len(), 1, "{items:?}");
        Proxy::new(&self.connection, items[0].clone(), ITEM_PATH, ITEM).unwrap()
    }

    fn menu_proxy(&self) -> Proxy<'_> {
        let path: OwnedObjectPath = self.item().get_property("Menu").unwrap();
        Proxy::new(&self.connection, self.item().destination().to_owned(), path, MENU).unwrap()
    }
}

fn labelled(item: OwnedValue) -> (i32, String) {
    let item = Structure::try_from(Value::from(item)).unwrap();
    let (id, properties, _): (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>) = item.try_into().unwrap();
    (id, String::try_from(properties["label"].clone()).unwrap())
}
