//! Menus, notifications and dialogs that the desktop draws itself: macOS's menu bar, the tray's menu and others. The
//! window names what is in them, in its language and with the user's keys; a chosen command comes back to it. And updates
//! of the app.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

words! {
    /// A menu of the menu bar, which says what the system has in it besides.
    MenuPlace { App, File, Edit, View, Session, Window, Help }
}

wire! {
    /// The menu bar from left to right.
    MenuBar {
        pub menus: Vec<BarMenu>,
        pub words: SystemWords,
    }
    BarMenu {
        pub place: MenuPlace,
        pub title: String,
        /// The items in groups, with a line between each two.
        pub groups: Vec<Vec<BarItem>>,
    }
    /// A command of the window's.
    BarItem {
        pub id: String,
        pub title: String,
        /// The shortcut in the window's notation, such as `Mod+Shift+N`; null if there is none.
        pub keys: Option<String>,
        pub is_enabled: bool,
    }
    /// The names of the items that are the system's own.
    SystemWords {
        pub about: String,
        pub services: String,
        pub hide: String,
        pub hide_others: String,
        pub show_all: String,
        pub quit: String,
        pub close_window: String,
        pub undo: String,
        pub redo: String,
        pub cut: String,
        pub copy: String,
        pub paste: String,
        pub select_all: String,
        pub full_screen: String,
        pub minimize: String,
        pub zoom: String,
        pub bring_all_to_front: String,
    }
    /// The words that Arki shows outside of the page.
    #[derive(PartialEq, Eq)]
    DesktopWords {
        pub tray: TrayWords,
        pub notices: NoticeWords,
        pub dialogs: DialogWords,
    }
    /// The sentences of notifications, one for each way in which a run stops.
    #[derive(PartialEq, Eq)]
    NoticeWords {
        pub done: String,
        pub budget_exhausted: String,
        /// The text for a failed run, with `{error}` in it.
        pub failed: String,
        /// The text for a call that needs permission, with `{tool}` in it.
        pub permission: String,
        pub decision: String,
        pub question: String,
        /// The label of the button that opens the session.
        pub open: String,
    }
    /// The titles of the system's dialogs for files.
    #[derive(PartialEq, Eq)]
    DialogWords {
        pub open_folder: String,
        pub attach_files: String,
        pub import_sessions: String,
        /// The kind of file that can be imported.
        pub exported_sessions: String,
        pub export_session: String,
        pub save_output: String,
    }
    /// The words of the tray.
    #[derive(PartialEq, Eq)]
    TrayWords {
        pub show: String,
        pub new_session: String,
        /// The text before the number of pending decisions, in brackets.
        pub inbox: String,
        pub quit: String,
        /// The text before that number, in the tooltip.
        pub pending: String,
        /// The text before the number of runs at work, in the tooltip.
        pub running: String,
    }
}

/// A wish from outside the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[ts(export)]
pub enum AskedOfWindow {
    /// Shows a session.
    Session { session_id: String },
    /// Runs a command of the window's.
    Command { id: String },
}

/// The answer to whether there is a newer version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[ts(export)]
pub enum UpdateState {
    /// This build knows no server to ask.
    NotOffered,
    UpToDate,
    Available {
        version: String,
        /// The release notes as the publisher wrote them, in Markdown.
        notes: Option<String>,
    },
}
