//! The part of a desktop that shows notifications: it keeps what it is told, and a test clicks on it.

use crate::harness::waiting::wait_for;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use zbus::blocking::{Connection, connection};
use zbus::zvariant::OwnedValue;

const PATH: &str = "/org/freedesktop/Notifications";
const NAME: &str = "org.freedesktop.Notifications";

/// A notification as it was asked for.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) id: u32,
    pub(crate) summary: String,
    pub(crate) body: String,
    actions: Vec<String>,
}

pub(crate) struct Notifications {
    connection: Connection,
    shown: Arc<Mutex<Vec<Shown>>>,
}

struct Server(Arc<Mutex<Vec<Shown>>>);

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Server {
    #[expect(clippy::too_many_arguments, reason = "as the specification has it")]
    fn notify(
        &self,
        _app_name: String,
        _replaces_id: u32,
        _app_icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _expire_timeout: i32,
    ) -> u32 {
        let mut shown = self.0.lock().unwrap();
        let id = u32::try_from(shown.len()).unwrap() + 1;
        shown.push(Shown { id, summary, body, actions });
        id
    }

    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body", "body-markup"].map(str::to_owned).to_vec()
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        ("test".to_owned(), "Arki".to_owned(), "1".to_owned(), "1.2".to_owned())
    }

    fn close_notification(&self, _id: u32) {}
}

impl Notifications {
    /// On the session bus at this address, before the app is opened.
    pub(crate) fn serve(address: &str) -> Self {
        let shown = Arc::default();
        let connection = connection::Builder::address(address)
            .and_then(|builder| builder.name(NAME))
            .and_then(|builder| builder.serve_at(PATH, Server(Arc::clone(&shown))))
            .and_then(connection::Builder::build)
            .unwrap();
        Self { connection, shown }
    }

    pub(crate) fn all(&self) -> Vec<Shown> {
        self.shown.lock().unwrap().clone()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, summary: &str) -> Shown {
        wait_for(&format!("a notification {summary:?}"), || {
            self.all().into_iter().rev().find(|shown| shown.summary == summary)
        })
    }

    /// Clicks the notification itself, as the user does.
    pub(crate) fn click(&self, shown: &Shown) {
        assert!(shown.actions.iter().any(|action| action == "default"), "{shown:?}");
        self.connection.emit_signal(None::<&str>, PATH, NAME, "ActionInvoked", &(shown.id, "default")).unwrap();
    }
}
