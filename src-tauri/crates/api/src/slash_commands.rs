//! Slash commands, for the menu of the message box.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

wire! {
    SlashCommandEntry {
        /// The name without the slash.
        pub name: String,
        /// One line.
        pub description: String,
        /// The arguments it takes, for people: `[message]`; empty where it takes none.
        pub arguments: String,
        /// `built in`, or the path of its file.
        pub source: String,
        /// True if it's sent like any message; otherwise the client carries it out itself.
        pub begins_run: bool,
    }
}
